// The simulated conductor: it holds a node while it works on it, moves it through its states, and fails as it does.
//
// Invariants:
//   ISIM-CONDUCTOR-1. One thing at a time is done with a node; what holds it lets go when it waits for an agent, or ends.
//   ISIM-CONDUCTOR-2. A machine is written, wiped or switched by the work for a node only, and each time is noted once.
import type { Json } from '../../../bus/json.ts';
import type { Agenda } from './agenda.ts';
import { locked } from './exchange.ts';
import { biosSettings, firmwareComponents } from './hardware.ts';
import type { Machine, Machines, Power } from './machines.ts';
import { CONDUCTOR } from './node-fields.ts';
import type { NodeRecord, Records, Work } from './records.ts';
import { CUT_OFF, FAILURES, GOALS } from './states.ts';

/** An image: `missing`, or its checksums by algorithm. An algorithm that is absent is believed. */
export type SimulatedImage = 'missing' | Readonly<Record<string, string>>;

/** Durations, each in milliseconds. */
export interface Times {
  /** A talk with a BMC. */
  readonly bmcMs: number;
  /** A BMC's switching a machine. */
  readonly powerMs: number;
  /** Making a ramdisk's image and having the machine boot it. */
  readonly ramdiskMs: number;
  /** From there until the agent calls. */
  readonly agentMs: number;
  /** A step of the agent's. */
  readonly stepMs: number;
  /** The conductor's own work between two steps. */
  readonly betweenMs: number;
  /** Time until the machine is off, or runs what was written, after the last step. */
  readonly finishMs: number;
  /** Taking down what was deployed. */
  readonly tearDownMs: number;
  /** A step that is done by the BMC and a restart. */
  readonly outOfBandMs: number;
  /** Time until an agent that does not call, or an unreachable BMC, is given up. */
  readonly callbackTimeoutMs: number;
  readonly unreachableMs: number;
  /** Anything of fake hardware. */
  readonly fakeMs: number;
  /** Between two looks at the power of all. */
  readonly powerSyncMs: number;
  /** Between two looks at those whose power was given up. */
  readonly powerRecoveryMs: number;
}

/** Of Ironic 39 with the stand-in machines of the measurements; looks and time-outs are Ironic's defaults. */
export const TIMES: Times = {
  bmcMs: 400,
  powerMs: 2_000,
  ramdiskMs: 5_700,
  agentMs: 900,
  stepMs: 500,
  betweenMs: 100,
  finishMs: 4_500,
  tearDownMs: 3_800,
  outOfBandMs: 30_000,
  callbackTimeoutMs: 1_800_000,
  unreachableMs: 20_000,
  fakeMs: 20,
  powerSyncMs: 60_000,
  powerRecoveryMs: 300_000,
};

/** All durations divided by a factor. */
export function timesDivided(by: number): Times {
  const divided = Object.entries(TIMES).map(([name, timeMs]) => [name, timeMs / by]);
  return Object.fromEntries(divided) as unknown as Times;
}

/** Failed looks at a node's power after which it is put into maintenance (`power_state_sync_max_retries`). */
const MAX_FAILED_SYNCS = 3;

/** States in which power is not checked. */
const UNSYNCED: readonly string[] = ['wait call-back', 'clean wait', 'enroll', 'adopt failed'];

export interface ConductorDeps {
  readonly records: Records;
  readonly machines: Machines;
  readonly times: Times;
  readonly image: (href: string) => SimulatedImage;
}

export class Conductor {
  readonly records: Records;
  readonly machines: Machines;
  readonly times: Times;
  readonly image: ConductorDeps['image'];
  readonly #agenda: Agenda;

  constructor({ records, machines, times, image }: ConductorDeps) {
    this.records = records;
    this.machines = machines;
    this.times = times;
    this.image = image;
    this.#agenda = records.agenda;
    this.#agenda.after(times.powerSyncMs, () => this.#syncPower());
    this.#agenda.after(times.powerRecoveryMs, () => this.#recoverPower());
  }

  /** @throws {Refusal} 409 */
  refuseLocked({ item }: NodeRecord): void {
    if (item['reservation'] !== null) throw locked(String(item['uuid']), String(item['reservation']));
  }

  lock(record: NodeRecord): void {
    record.isLocked = true;
    this.showHolder(record);
  }

  unlock(record: NodeRecord): void {
    record.isLocked = false;
    this.showHolder(record);
  }

  showHolder({ item, isLocked, isHeld }: NodeRecord): void {
    item['reservation'] = isLocked || isHeld ? CONDUCTOR : null;
  }

  /** Begins something, in place of what is under way. */
  start(record: NodeRecord, work: Work): void {
    record.cancel?.();
    let entry: ReturnType<Agenda['after']> | undefined;
    const cancel = (): void => {
      if (entry !== undefined) this.#agenda.cancel(entry);
    };
    const step = (): void => {
      const { slowness = 1 } = this.machines.reach(record.item).machine?.behavior ?? {};
      const { done, value } = work.next();
      if (!done) entry = this.#agenda.after(value * slowness, step);
      else if (record.cancel === cancel) record.cancel = undefined;
    };
    record.cancel = cancel;
    step();
  }

  /** Enters a state. @param goal  where it is on the way to, if not where such a state usually is */
  move({ item }: NodeRecord, state: string, goal?: string): void {
    item['provision_state'] = state;
    item['target_provision_state'] = Object.hasOwn(GOALS, state) ? (goal ?? GOALS[state] ?? null) : null;
    item['provision_updated_at'] = this.records.now();
    item['updated_at'] = this.records.now();
  }

  /** The machine of a node; fake hardware has none, nor has an address that cannot be reached. */
  machineOf({ item }: NodeRecord): Machine | undefined {
    return this.machines.reach(item).machine;
  }

  /** Why a machine cannot be switched, if so. */
  powerError(record: NodeRecord): string | undefined {
    const { machine, error } = this.machines.reach(record.item);
    return error ?? machine?.behavior.powerError;
  }

  /** Switches a machine in the midst of something. @returns why not */
  switch(record: NodeRecord, power: Power): string | undefined {
    const error = this.powerError(record);
    if (error !== undefined) return error;
    const machine = this.machineOf(record);
    // A machine that must not be off restarts instead.
    if (power === 'power off' && record.item['disable_power_off'] === true) machine?.boot();
    else {
      machine?.switch(power, record.item['uuid']);
      record.item['power_state'] = power;
    }
    return undefined;
  }

  /** Reads what the BMC says of settings and firmware. */
  readBmc(record: NodeRecord): void {
    const machine = this.machineOf(record);
    if (machine === undefined) return;
    const { bios_interface: bios, firmware_interface: firmware } = record.item;
    if (bios !== 'no-bios') record.bios = biosSettings(machine, this.records.now());
    if (firmware !== 'no-firmware') record.firmware = firmwareComponents(machine, this.records.now());
    readHealth(record, machine);
  }

  *verify(record: NodeRecord): Work {
    const { item } = record;
    const { machine, error } = this.machines.reach(item);
    if (item['driver'] === 'fake-hardware') yield this.times.fakeMs;
    else yield error?.includes('Unable to connect') ? this.times.unreachableMs : this.times.bmcMs;
    if (error !== undefined) {
      this.records.fail(record, `Failed to get power state for node ${item['uuid']}. Error: ${error}`, 'verify');
      this.move(record, 'enroll');
      this.unlock(record);
      return;
    }
    if (machine !== undefined) {
      yield this.times.powerMs;
      item['power_state'] = machine.power;
      this.readBmc(record);
    }
    this.move(record, 'manageable');
    this.unlock(record);
  }

  *adopt(record: NodeRecord): Work {
    const { item } = record;
    const { error } = this.machines.reach(item);
    yield item['driver'] === 'fake-hardware' ? this.times.fakeMs : this.times.bmcMs;
    if (error === undefined) this.move(record, 'active');
    else {
      item['power_state'] = null;
      const message = `Error while attempting to adopt node ${item['uuid']}: ${error}.`;
      this.records.fail(record, message, 'adoption');
      this.move(record, 'adopt failed');
    }
    this.unlock(record);
  }

  /** @param target  as the API has it; @param timeoutMs  for a soft one */
  *changePower(record: NodeRecord, target: string, timeoutMs: number): Work {
    const { item } = record;
    const { fakeMs, powerMs } = this.times;
    const power: Power = target.endsWith('power off') ? 'power off' : 'power on';
    const machine = this.machineOf(record);
    const isReboot = target.endsWith('rebooting');
    const isThere = !isReboot && machine?.power === power;
    yield item['driver'] === 'fake-hardware' ? fakeMs : isThere ? this.times.bmcMs : powerMs;
    let error = isThere ? undefined : this.powerError(record);
    if (error === undefined && target.startsWith('soft') && machine?.behavior.softPowerOff === 'ignored') {
      yield timeoutMs;
      error = `Failed to set node power state to ${target}.`;
    }
    if (error === undefined && isReboot && machine !== undefined) {
      if (machine.power === 'power on') machine.switch('power off', item['uuid']);
      yield this.times.bmcMs;
    }
    if (error === undefined) this.switch(record, power);
    else {
      const message = `Failed to change power state to '${power}' by '${target}': ${error}`;
      this.records.fail(record, message, 'UNKNOWN');
    }
    item['target_power_state'] = null;
    this.unlock(record);
  }

  /** Changes of power by an operator, or by a machine's own button, and BMCs that do not answer: each is checked. */
  #syncPower(): void {
    for (const record of this.records.nodes.values()) {
      const { item } = record;
      if (item['driver'] === 'fake-hardware' || item['reservation'] !== null) continue;
      if (item['maintenance'] !== true) this.#syncPowerOf(record);
    }
    this.#agenda.after(this.times.powerSyncMs, () => this.#syncPower());
  }

  #syncPowerOf(record: NodeRecord): void {
    const { item } = record;
    const { machine, error } = this.machines.reach(item);
    if (UNSYNCED.includes(String(item['provision_state']))) return;
    if (error !== undefined) {
      if (++record.failedSyncs > MAX_FAILED_SYNCS) this.#giveUpPower(record, error);
      return;
    }
    record.failedSyncs = 0;
    if (machine === undefined) return;
    readHealth(record, machine);
    if (item['power_state'] === machine.power) item['last_error'] = null;
    else if (item['power_state'] === null || item['disable_power_off'] === true) item['power_state'] = machine.power;
    else machine.switch(item['power_state'] as Power, item['uuid']);
  }

  #giveUpPower(record: NodeRecord, error: string): void {
    const { item } = record;
    const what = `During sync_power_state, max retries exceeded for node ${item['uuid']}, node state None does not match`;
    const then = "Updating DB state to 'None' Switching node to maintenance mode.";
    const message = `${what} expected state '${item['power_state'] ?? 'None'}'. ${then} Error: ${error}`;
    this.records.fail(record, message, 'monitoring');
    Object.assign(item, {
      power_state: null,
      maintenance: true,
      maintenance_reason: message,
      fault: 'power failure',
    } satisfies Record<string, Json>);
  }

  #recoverPower(): void {
    for (const record of this.records.nodes.values()) {
      const { item } = record;
      const { machine } = this.machines.reach(item);
      if (item['fault'] !== 'power failure' || item['reservation'] !== null || machine === undefined) continue;
      record.failedSyncs = 0;
      Object.assign(item, {
        power_state: machine.power,
        maintenance: false,
        maintenance_reason: null,
        fault: null,
      } satisfies Record<string, Json>);
    }
    this.#agenda.after(this.times.powerRecoveryMs, () => this.#recoverPower());
  }

  /** The conductor's process ends and another begins: its current work fails, waiting nodes continue. */
  restart(): void {
    for (const record of this.records.nodes.values()) {
      const { item } = record;
      const state = String(item['provision_state']);
      item['target_power_state'] = null;
      if (item['reservation'] === null) continue;
      record.cancel?.();
      record.cancel = undefined;
      record.isHeld = false;
      this.unlock(record);
      const failed = Object.hasOwn(FAILURES, state) ? FAILURES[state] : undefined;
      if (failed === undefined) continue;
      this.machineOf(record)?.boot();
      const message = `The ${state} state can't be resumed by conductor ${CONDUCTOR}. Moving to fail state.`;
      this.records.fail(record, message, 'transition');
      const goal = item['target_provision_state'] === 'manageable' ? 'manageable' : undefined;
      this.move(record, failed, state === 'cleaning' ? goal : undefined);
    }
  }

  /** Conductor, agents and machines were down at once, and are back: all work that was under way or waited for fails. */
  resume(): void {
    this.restart();
    for (const record of this.records.nodes.values()) {
      const state = String(record.item['provision_state']);
      const failed = Object.hasOwn(CUT_OFF, state) ? CUT_OFF[state] : undefined;
      if (failed === undefined) continue;
      const { uuid, target_provision_state: goal } = record.item;
      this.machineOf(record)?.boot();
      this.records.fail(record, `Timeout reached while waiting for callback for node ${uuid}`, state);
      this.move(record, failed, goal === 'manageable' ? 'manageable' : undefined);
    }
  }

  /** Boots the ramdisk. @returns why it could not be */
  *bootRamdisk(record: NodeRecord): Generator<number, string | undefined, void> {
    yield this.times.ramdiskMs;
    const machine = this.machineOf(record);
    const error = this.powerError(record) ?? (machine === undefined ? 'there is no machine' : undefined);
    if (error !== undefined || machine === undefined) return error;
    if (machine.power === 'power on') machine.switch('power off', record.item['uuid']);
    this.switch(record, 'power on');
    machine.running = 'agent';
    return undefined;
  }

  /** Waits for the agent's first call. @returns whether it came */
  *awaitAgent(record: NodeRecord, needsPort: boolean): Generator<number, boolean, void> {
    const { agent = 'starts' } = this.machineOf(record)?.behavior ?? {};
    const isKnown = !needsPort || this.records.portsOf(record.item['uuid']).length > 0;
    const calls = agent === 'starts' && isKnown;
    yield calls ? this.times.agentMs : this.times.callbackTimeoutMs;
    this.lock(record);
    return calls;
  }
}

function readHealth({ item }: NodeRecord, { behavior }: Machine): void {
  if (item['power_interface'] !== 'ipmitool') item['health'] = behavior.health ?? 'OK';
}
