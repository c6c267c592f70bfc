// The machines behind the simulated BMCs: power, disks and what was done to them, to be looked at by tests, and what
// goes wrong with each.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Agenda } from './agenda.ts';
import { asObject, pythonRepr } from './exchange.ts';
import { copyOf, type Item } from './records.ts';

export interface MachineOptions {
  readonly name: string;
  /** As `redfish_address` has it: `http://127.0.0.1:8000`; of an IPMI machine its host. */
  readonly address: string;
  /** Path of its system, `/redfish/v1/Systems/1`; of an IPMI machine its port, 623 by default. */
  readonly systemId?: string;
  /** `admin` by default. */
  readonly username?: string;
  /** `secret` by default. */
  readonly password?: string;
  readonly macs: readonly string[];
  /** `power off` by default. */
  readonly power?: Power;
  /** Replaces members of the inventory that its agent reports. */
  readonly inventory?: JsonObject;
}

export type Power = 'power on' | 'power off';

/** Faults; none by default. */
export interface Behavior {
  /** The ramdisk reports this instead of success when it inspects. */
  readonly inspectionError?: string | undefined;
  /** `never`: no agent ever starts. */
  readonly agent?: 'starts' | 'never' | undefined;
  /** Steps that fail, with what each says: `erase_devices_metadata`, `write_image`, `apply_configuration`, ... */
  readonly failingSteps?: Readonly<Record<string, string>> | undefined;
  /** Every change of power fails so. */
  readonly powerError?: string | undefined;
  /** A soft power off is ignored by the machine, or not known to its driver. */
  readonly softPowerOff?: 'works' | 'ignored' | 'unsupported' | undefined;
  /** `unreachable`: there is no answer at its address. */
  readonly bmc?: 'answers' | 'unreachable' | undefined;
  /** Health of the whole machine as its BMC reports it; `OK` by default. */
  readonly health?: 'OK' | 'Warning' | 'Critical' | undefined;
  /** Everything takes this many times as long; 1 by default. */
  readonly slowness?: number | undefined;
}

export const Deed = {
  PoweredOn: 'powered on',
  PoweredOff: 'powered off',
  Inspected: 'inspected',
  Wiped: 'wiped',
  Deployed: 'deployed',
  Configured: 'configured',
} as const;
export type Deed = (typeof Deed)[keyof typeof Deed];

/** Something that was done to a machine. */
export interface MachineEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly what: Deed;
  /** UUID of the node for which it was done. */
  readonly node: string;
  /** The image that was written, or the step that was done. */
  readonly of?: string;
}

/** Content of a machine's disk. */
export interface Written {
  readonly image: string;
  readonly checksum: string | null;
  readonly at: number;
  readonly configDrive: Json;
  /** `instance_uuid` of the node then. */
  readonly instance: string | null;
}

export interface MachineView {
  readonly name: string;
  readonly power: Power;
  /** `nothing`, `agent`, `instance <image>`, `media <url>` or `nothing bootable`. */
  readonly running: string;
  readonly disk: Written | null;
  /** URL of the virtual medium. */
  readonly media: string | null;
  readonly subscriptions: readonly JsonObject[];
  /** Number of times that each was done. */
  readonly counts: Readonly<Record<Deed, number>>;
  readonly events: readonly MachineEvent[];
}

/** A machine as it is kept where it outlives its Ironic. */
export interface KeptMachine {
  readonly options: MachineOptions;
  readonly bios: readonly (readonly [string, Json])[];
  readonly firmware: readonly (readonly [string, string])[];
  readonly subscriptions: readonly (readonly [string, JsonObject])[];
  readonly password: string;
  readonly power: Power;
  readonly disk: Written | null;
  readonly media: string | null;
  readonly running: string;
  readonly events: readonly MachineEvent[];
}

export class Machine {
  readonly options: MachineOptions;
  readonly bios = new Map<string, Json>([
    ['BootMode', 'Uefi'],
    ['EmbeddedSata', 'Raid'],
    ['L2Cache', '10x256 KB'],
    ['NicBoot1', 'NetworkBoot'],
    ['NumCores', 10],
    ['ProcTurboMode', 'Enabled'],
    ['QuietBoot', true],
  ]);
  readonly firmware = new Map<string, string>([
    ['bios', '1.0.0'],
    ['bmc', '1.00'],
  ]);
  readonly subscriptions = new Map<string, JsonObject>();
  behavior: Behavior = {};
  password: string;
  power: Power;
  disk: Written | null = null;
  media: string | null = null;
  running = 'nothing';
  readonly #events: MachineEvent[] = [];
  readonly #agenda: Agenda;

  constructor(options: MachineOptions, agenda: Agenda) {
    this.options = options;
    this.password = options.password ?? 'secret';
    this.power = options.power ?? 'power off';
    this.#agenda = agenda;
  }

  note(what: Deed, node: Json | undefined, of?: string): void {
    this.#events.push({ at: this.#agenda.now(), what, node: String(node), ...(of === undefined ? {} : { of }) });
  }

  /** The system that boots where no agent does. */
  boot(): void {
    if (this.power === 'power off') this.running = 'nothing';
    else if (this.media !== null) this.running = `media ${this.media}`;
    else this.running = this.disk === null ? 'nothing bootable' : `instance ${this.disk.image}`;
  }

  switch(power: Power, node: Json | undefined): void {
    if (power !== this.power) this.note(power === 'power on' ? Deed.PoweredOn : Deed.PoweredOff, node);
    this.power = power;
    this.boot();
  }

  kept(): KeptMachine {
    const { options, bios, firmware, subscriptions, password, power, disk, media, running } = this;
    const lists = { bios: [...bios], firmware: [...firmware], subscriptions: [...subscriptions] };
    return { options, ...lists, password, power, disk, media, running, events: this.#events };
  }

  restore({ bios, firmware, subscriptions, events, password, power, disk, media, running }: KeptMachine): void {
    for (const [name, value] of bios) this.bios.set(name, value);
    for (const [name, value] of firmware) this.firmware.set(name, value);
    for (const [id, value] of subscriptions) this.subscriptions.set(id, value);
    Object.assign(this, { password, power, disk, media, running });
    this.#events.push(...events);
  }

  view(): MachineView {
    const { options, power, running, disk, media, subscriptions } = this;
    const count = (deed: Deed): number => this.#events.filter(({ what }) => what === deed).length;
    const counts = Object.fromEntries(Object.values(Deed).map((deed) => [deed, count(deed)])) as Record<Deed, number>;
    return copyOf({
      name: options.name,
      power,
      running,
      disk,
      media,
      subscriptions: [...subscriptions.values()],
      counts,
      events: this.#events,
    });
  }
}

export class Machines {
  readonly #agenda: Agenda;
  readonly #byName = new Map<string, Machine>();
  readonly #byAddress = new Map<string, Machine[]>();
  readonly #byPlace = new Map<string, Machine>();

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  add(options: MachineOptions): Machine {
    const machine = new Machine(options, this.#agenda);
    const address = withoutSlash(options.address);
    this.#byName.set(options.name, machine);
    this.#byAddress.set(address, [...(this.#byAddress.get(address) ?? []), machine]);
    this.#byPlace.set(placeOf(address, options.systemId ?? IPMI_PORT), machine);
    return machine;
  }

  all(): readonly Machine[] {
    return [...this.#byName.values()];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** @throws {Error} there is none of this name */
  named(name: string): Machine {
    const found = this.#byName.get(name);
    if (found === undefined) throw new Error(`there is no simulated machine '${name}'`);
    return found;
  }

  /** The machine that a node is, or why its BMC does not serve the node. Fake hardware has neither. */
  reach(node: Item): Reached {
    if (node['driver'] === 'fake-hardware') return {};
    const info = asObject(node['driver_info']) ?? {};
    return node['driver'] === 'ipmi' ? this.#reachIpmi(info) : this.#reachRedfish(info, node);
  }

  #reachIpmi(info: JsonObject): Reached {
    const machine = this.#byPlace.get(placeOf(String(info['ipmi_address']), String(info['ipmi_port'] ?? IPMI_PORT)));
    const isLetIn =
      machine !== undefined &&
      machine.behavior.bmc !== 'unreachable' &&
      info['ipmi_username'] === (machine.options.username ?? 'admin') &&
      info['ipmi_password'] === machine.password;
    return isLetIn ? { machine } : { error: 'IPMI call failed: power status.' };
  }

  #reachRedfish(info: JsonObject, node: Item): Reached {
    const address = withoutSlash(String(info['redfish_address'] ?? ''));
    const { redfish_system_id: id } = info;
    const here = this.#byAddress.get(address) ?? [];
    const [first] = here;
    const machine = id === undefined && here.length === 1 ? first : this.#byPlace.get(placeOf(address, String(id)));
    const bmc = machine ?? first;
    if (bmc === undefined || bmc.behavior.bmc === 'unreachable') {
      const why = `Unable to connect to ${address}/redfish/v1/. Error: [Errno 111] Connection refused`;
      return { error: `Redfish connection failed for node ${node['uuid']}: ${why}` };
    }
    const { username = 'admin' } = bmc.options;
    if (info['redfish_username'] !== username || info['redfish_password'] !== bmc.password) {
      const more = [
        { '@odata.type': '/redfish/v1/$metadata#Message.1.0.0.Message', MessageId: 'Base.1.0.GeneralError' },
      ];
      const what = 'returned code 401. Base.1.0.GeneralError: Incorrect username or password Extended information:';
      return failure(`HTTP GET ${address}${String(id ?? '/redfish/v1/Systems')} ${what} ${pythonRepr(more)}`);
    }
    if (machine !== undefined) return { machine };
    if (id !== undefined) return failure(`Resource ${address}${String(id)} not found`);
    return { error: 'Failed at determining default for "ComputerSystem": System count is not exactly one' };
  }
}

export interface Reached {
  readonly machine?: Machine;
  readonly error?: string;
}

const IPMI_PORT = '623';

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

function placeOf(address: string, system: string): string {
  return `${address} ${system}`;
}

function failure(error: string): Reached {
  return { error: `Redfish exception occurred. Error: ${error}` };
}
