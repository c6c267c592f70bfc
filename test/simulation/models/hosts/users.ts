// What users do with bare-metal hosts and the Secrets of their BMCs, and what befalls Ironic and the machines behind it.
import type { SimulatedIronic } from '../../../../adapters/simulated/ironic/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { HostAnnotation } from '../../../../machines/bare-metal-host/host.ts';
import type { HistoryContext } from '../../model.ts';
import { encoded, secretPath, Users } from '../../users.ts';
import {
  type HostBefallen,
  type HostDeed,
  type HostForged,
  type HostHappening,
  type Landscape,
  type Machine,
  PASSWORD,
} from './plan.ts';
import type { HostWatch } from './watch.ts';

export interface HostUsersDeps extends HistoryContext {
  readonly ironic: SimulatedIronic;
  readonly machines: Landscape;
  readonly watch: HostWatch;
}

/** Of a reboot that lasts until whoever asked for it has had enough. */
const HELD_OFF = `${HostAnnotation.Reboot}/simulation`;

const ANNOTATIONS = {
  holdOff: [HELD_OFF, ''],
  letGoOn: [HELD_OFF, null],
  detach: [HostAnnotation.Detached, ''],
  attach: [HostAnnotation.Detached, null],
  pause: [HostAnnotation.Paused, ''],
  unpause: [HostAnnotation.Paused, null],
  inspect: [HostAnnotation.Inspect, ''],
} as const;

export class HostUsers extends Users {
  readonly #deps: HostUsersDeps;
  /** Of each BMC as it is now. */
  readonly #passwords = new Map<string, string>();

  constructor(deps: HostUsersDeps) {
    super(deps);
    this.#deps = deps;
  }

  happens(happening: HostHappening): void {
    const { watch, chronicle, ironic } = this.#deps;
    // What was done to machines until now is judged by what was wanted until now.
    watch.look();
    if (happening.what === 'host') {
      watch.onDeed(happening.machine, happening.deed);
      this.#do(happening.deed, happening.machine, happening.number);
      return;
    }
    if (happening.what === 'forge') {
      this.#forge(happening);
      return;
    }
    this.#deps.onTrouble();
    chronicle.note(JSON.stringify(happening), () => `misfortune: ${JSON.stringify(happening)}`);
    if (happening.what === 'hostTrouble') {
      watch.onTrouble(happening.machine);
      this.#befall(happening);
    } else {
      if (happening.what === 'restartIronic') ironic.restart();
      else ironic.forget();
      watch.onLoss(happening.what);
    }
  }

  /** What holds a host up that only users can let go is over. */
  putRight(): void {
    for (const machine of this.#deps.machines) {
      for (const deed of ['unpause', 'letGoOn', 'unpin', 'createSecret'] as const) this.#do(deed, machine, 0);
      this.#writePassword(machine, this.#passwordOf(machine));
      this.#letGo(machine);
    }
  }

  /** Secrets go with the hosts that own them: whoever has the host again makes another. */
  reconcile(): void {
    if (this.pending > 0) return;
    for (const machine of this.#deps.machines)
      if (
        this.metadataAt(hostPath(machine)) !== undefined &&
        this.metadataAt(secretPath(machine.namespace, machine.secret)) === undefined
      )
        this.#do('createSecret', machine, 0);
  }

  #do(deed: HostDeed, machine: Machine, number: number): void {
    const { cluster } = this.#deps;
    const annotate = ([name, value]: readonly [string, string | null]): void =>
      this.#edit(machine, { metadata: { annotations: { [name]: value } } });
    switch (deed) {
      case 'create':
        this.#create(hostPath(machine), () => hostOf(machine, number), `BareMetalHost '${machine.host}'`);
        return;
      case 'delete':
        this.delete(`BareMetalHost '${machine.host}'`, hostPath(machine));
        return;
      case 'image':
        if (!machine.isExternal) this.#edit(machine, { spec: { image: imageOf(number) } });
        return;
      case 'unimage':
        this.#edit(machine, { spec: { image: null } });
        return;
      case 'switchOn':
      case 'switchOff':
        if (!machine.isNeverOff) this.#edit(machine, { spec: { online: deed === 'switchOn' } });
        return;
      case 'reboot':
        annotate([HostAnnotation.Reboot, number % 2 === 0 ? '' : '{"mode":"hard"}']);
        return;
      case 'holdOff':
      case 'letGoOn':
      case 'detach':
      case 'attach':
      case 'pause':
      case 'unpause':
      case 'inspect':
        annotate(ANNOTATIONS[deed]);
        return;
      case 'set': {
        const settings = { ProcTurboMode: number % 2 === 0 ? 'Disabled' : 'Enabled' };
        const path = pathOf(machine, 'hostfirmwaresettings', machine.host);
        this.patch(`sets firmware of '${machine.host}'`, path, { spec: { settings } });
        return;
      }
      case 'permit': {
        // What is set is applied to a host that runs something, too, when it is switched off anyway.
        const policy = { ...objectOf('HostUpdatePolicy', machine.host), spec: { firmwareSettings: 'onReboot' } };
        this.#create(
          pathOf(machine, 'hostupdatepolicies', machine.host),
          () => policy,
          `HostUpdatePolicy '${machine.host}'`,
        );
        return;
      }
      case 'pin':
      case 'unpin':
        this.pin(cluster.get('baremetalhosts', machine.namespace, machine.host)?.metadata, deed, (finalizers) =>
          this.#edit(machine, { metadata: { finalizers } }),
        );
        return;
      case 'rotate': {
        const password = `${PASSWORD}-${number}`;
        this.#passwords.set(machine.name, password);
        this.#deps.ironic.setPassword(machine.name, password);
        this.#writePassword(machine, password);
        return;
      }
      case 'spoilSecret':
        this.#writePassword(machine, `${PASSWORD}-wrong`);
        return;
      case 'emptySecret':
        this.#writeSecret(machine, { username: '' });
        return;
      case 'deleteSecret':
        this.delete(`Secret '${machine.secret}'`, secretPath(machine.namespace, machine.secret));
        return;
      case 'createSecret': {
        const secret = (): JsonObject => {
          const data = { username: encoded('admin'), password: encoded(this.#passwordOf(machine)) };
          return { apiVersion: 'v1', kind: 'Secret', metadata: { name: machine.secret }, data };
        };
        this.#create(secretPath(machine.namespace, machine.secret), secret, `Secret '${machine.secret}'`);
        return;
      }
    }
  }

  /** Of the victim all is known that no Secret has; its own Secret counts as tried, so that the node keeps its password. */
  #forge({ machine, forMs }: HostForged): void {
    const { ironic, cluster, time, onChange } = this.#deps;
    const node = ironic.nodes().find((each) => each['name'] === nodeName(machine));
    const forged = forgedFor(machine);
    if (node === undefined || this.metadataAt(hostPath(forged)) !== undefined) return;
    const { namespace, secret: name } = forged;
    const data = { username: encoded('admin'), password: encoded('a guess') };
    const [path, folder] = [secretPath(namespace, name), secretPath(namespace, '').slice(0, -1)];
    if (this.metadataAt(path) === undefined)
      cluster.call({
        method: 'POST',
        path: folder,
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data },
      });
    const credentials = { name, namespace };
    const used = { credentials, credentialsVersion: this.metadataAt(path)?.['resourceVersion'] ?? '' };
    const status = {
      operationalStatus: 'OK',
      poweredOn: true,
      goodCredentials: used,
      triedCredentials: used,
      provisioning: { state: 'provisioned', ID: node['uuid'] ?? '', image: imageOf(0) },
    };
    const object = hostOf(forged, 0);
    const annotations = { [HostAnnotation.Status]: JSON.stringify(status) };
    const metadata = { ...(object['metadata'] as JsonObject), annotations };
    const body = (): JsonObject => ({ ...object, metadata });
    this.#create(hostPath(forged), body, `BareMetalHost '${forged.host}' with the node of '${machine.host}'`);
    time.after(forMs, () => {
      this.#letGo(machine);
      onChange();
    });
  }

  #letGo(machine: Machine): void {
    const forged = forgedFor(machine);
    this.delete(`BareMetalHost '${forged.host}'`, hostPath(forged));
    if (this.metadataAt(hostPath(forged)) === undefined)
      this.delete(`Secret '${forged.secret}'`, secretPath(forged.namespace, forged.secret));
  }

  #befall({ problem, machine, forMs }: HostBefallen): void {
    const { ironic, time, weather, onChange } = this.#deps;
    const { name } = machine;
    const behave = (behavior: Parameters<SimulatedIronic['behave']>[1]): void => {
      ironic.behave(name, behavior);
      weather.last('a machine', forMs);
      time.after(forMs, () => {
        ironic.behave(name, {});
        onChange();
      });
    };
    const node = ironic.nodes().find((each) => each['name'] === nodeName(machine));
    switch (problem) {
      case 'hold': {
        if (node === undefined) return;
        const ident = String(node['uuid']);
        ironic.hold(ident);
        weather.last('a machine', forMs);
        time.after(forMs, () => {
          if (ironic.node(ident) !== undefined) ironic.release(ident);
        });
        return;
      }
      case 'bmcAway':
        behave({ bmc: 'unreachable' });
        return;
      case 'deployFails':
        behave({ failingSteps: { write_image: 'No space left on device' } });
        return;
      case 'cleanFails':
        behave({ failingSteps: { erase_devices_metadata: 'the disk does not answer' } });
        return;
      case 'inspectFails':
        behave({ inspectionError: 'no disk was found' });
        return;
      case 'softIgnored':
        behave({ softPowerOff: 'ignored' });
        return;
      case 'press':
        ironic.press(name, ironic.machine(name).power === 'power on' ? 'power off' : 'power on');
        return;
    }
  }

  #passwordOf({ name }: Machine): string {
    return this.#passwords.get(name) ?? PASSWORD;
  }

  #writePassword(machine: Machine, password: string): void {
    this.#writeSecret(machine, { username: 'admin', password });
  }

  #writeSecret(machine: Machine, texts: Readonly<Record<string, string>>): void {
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encoded(text)]));
    this.patch(`writes Secret '${machine.secret}'`, secretPath(machine.namespace, machine.secret), { data });
  }

  #edit(machine: Machine, change: JsonObject): void {
    this.patch(`edits BareMetalHost '${machine.host}': ${JSON.stringify(change)}`, hostPath(machine), change);
  }

  #create(path: string, body: () => JsonObject, what: string): void {
    this.create({ path, body, what, look: () => this.#deps.watch.look() });
  }
}

/** As Ironic has it. */
export function nodeName({ namespace, host }: Machine): string {
  return `${namespace}~${host}`;
}

/** What the second tenant says of the machine: a BMC that nobody reaches, and no image. */
export function forgedFor({ isOnNetwork: _, ...machine }: Machine): Machine {
  const { host } = machine;
  const own = { host: `forged-${host}`, secret: `forged-${machine.secret}`, bmc: 'http://10.0.0.99:8000' };
  return { ...machine, ...own, mac: '52:54:00:00:00:99', isOnNetwork: false, isNeverOff: false, isExternal: false };
}

function objectOf(kind: string, name: string): JsonObject {
  return { apiVersion: 'metal3.io/v1alpha1', kind, metadata: { name } };
}

function hostOf(machine: Machine, number: number): JsonObject {
  const { host, secret, bmc, system, mac, isOnNetwork, isNeverOff, isExternal } = machine;
  const driver = isOnNetwork ? 'redfish' : 'redfish-virtualmedia';
  const isWanted = !isExternal && number % 2 === 1;
  return {
    ...objectOf('BareMetalHost', host),
    spec: {
      online: true,
      bootMACAddress: mac,
      bmc: { address: `${driver}+${bmc}${system}`, credentialsName: secret },
      ...(isNeverOff && { disablePowerOff: true }),
      ...(isExternal && { externallyProvisioned: true }),
      ...(isWanted && { image: imageOf(number) }),
    },
  };
}

/** Of two, so that what was there before is asked for again at times. */
function imageOf(number: number): JsonObject {
  const url = `http://images.test/${number % 3}.raw`;
  return { url, checksum: 'a'.repeat(64), checksumType: 'sha256', format: 'raw' };
}

function hostPath(machine: Machine): string {
  return pathOf(machine, 'baremetalhosts', machine.host);
}

function pathOf({ namespace }: Machine, plural: string, name: string): string {
  return `/apis/metal3.io/v1alpha1/namespaces/${namespace}/${plural}/${name}`;
}
