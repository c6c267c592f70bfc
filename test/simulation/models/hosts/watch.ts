// Looks at every change of a host, at every request that lands in Ironic, and at all that is done to machines, and says when one
// of these is broken:
//
//   B1. A machine is written with what its host asks for, once; and with nothing else.
//   B2. A machine is wiped only for a living host that does not want what is on it any more, and once for that.
//   B3. A machine has one node.
//   B4. A node is made for a host that holds its finalizer, and removed from one that is detached, or deleted and held by nobody else.
//   B5. No password of a BMC is in an object, in mail or in the log.
//   B6. Nothing is begun for a paused host.

import {
  Deed as MachineDeed,
  type MachineEvent,
  type SimulatedIronic,
} from '../../../../adapters/simulated/ironic/mod.ts';
import type { Change } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import type { Json, JsonObject } from '../../../../bus/mod.ts';
import { type BareMetalHost, HostAnnotation } from '../../../../machines/bare-metal-host/host.ts';
import { imageOf, isDetached } from '../../../adapters/ironic/host-rest.ts';
import type { Landing } from '../../clouds.ts';
import type { HistoryContext } from '../../model.ts';
import { type HostDeed, type Landscape, type Machine, PASSWORD } from './plan.ts';
import { nodeName } from './users.ts';

export interface HostWatchDeps extends HistoryContext {
  readonly ironic: SimulatedIronic;
  readonly machines: Landscape;
}

/** A host of one life, as it is now. */
type Known = BareMetalHost & {
  readonly metadata: { readonly uid: string; readonly name: string; readonly namespace: string };
};

/** What is known of one life of a host. */
interface Lifecycle {
  readonly host: Known;
  /** Addresses of images that were asked for so far. */
  readonly asked: Set<string>;
  /** What was asked for last and is on the machine, since it was asked for. */
  readonly fulfilled: string | undefined;
  /** It was to be detached since its node was made: what has begun then is not called back. */
  readonly wasDetached: boolean;
  /** Since when it is paused, in milliseconds of the history. */
  readonly pausedAtMs: number | undefined;
}

/** What those who ask for it may have a machine wiped for once more. */
const WIPING: ReadonlySet<HostDeed> = new Set([
  'delete',
  'create',
  'image',
  'unimage',
  'inspect',
  'set',
  'attach',
  'detach',
]);
const FINALIZER = 'baremetalhost.metal3.io';
/** What had begun for a host when it was paused has landed after so long: a call, and the wait for a node that is held. */
const UNDER_WAY_MS = 12_000;
/** A part of all passwords, as it is and as Secrets have it. */
const SECRETS = [PASSWORD, Buffer.from(PASSWORD.slice(0, 18)).toString('base64')];

export class HostWatch {
  readonly #deps: HostWatchDeps;
  readonly #lives = new Map<string, Lifecycle>();
  /** Of each machine, how many of its events were looked at. */
  readonly #seen = new Map<string, number>();
  /** How often a machine was wiped since there was last a reason. */
  readonly #wipes = new Map<string, number>();

  constructor(deps: HostWatchDeps) {
    this.#deps = deps;
  }

  // --- what is stored, said and logged ---------------------------------------------------------------------------

  onChange(plural: string, { type, stored }: Change): void {
    if (plural === 'secrets') return;
    this.judgeText(`${plural} '${stored.metadata.name}'`, stored.text);
    if (plural !== 'baremetalhosts') return;
    const host = stored.object as unknown as Known;
    const key = `${host.metadata.namespace}~${host.metadata.name}`;
    const before = this.#lives.get(key);
    if (type === 'DELETED') {
      this.#lives.delete(key);
      return;
    }
    const url = imageOf(host.spec);
    const isSame = before !== undefined && before.host.metadata.uid === host.metadata.uid;
    // A new life is cleaned for, as an old one is at its end.
    const isTurn = !isSame || isGoing(before.host) !== isGoing(host);
    if (isTurn) this.#forgive(key);
    const asked = isSame ? before.asked : new Set<string>();
    if (url !== undefined) asked.add(url);
    const isKept = isSame && imageOf(before.host.spec) === url;
    const wasDetached = isDetached(host) || (isSame && before.wasDetached);
    const pausedAtMs = isPaused(host) ? (before?.pausedAtMs ?? this.#deps.time.elapsed()) : undefined;
    const fulfilled = isKept ? before.fulfilled : undefined;
    this.#lives.set(key, { host, asked, wasDetached, fulfilled, pausedAtMs });
  }

  /** What somebody says, or writes down. */
  judgeText(where: string, text: string): void {
    if (SECRETS.some((secret) => text.includes(secret))) this.#violate('B5', `a password of a BMC is in ${where}`);
  }

  // --- what is asked of Ironic -----------------------------------------------------------------------------------

  onLanding(landing: Landing, hasWaited: boolean): void {
    const { pod, method, path, body, uid } = landing;
    this.look();
    if (method === 'GET') return;
    const life = this.#lives.get(uid);
    if (life === undefined) {
      // A node that Ironic does not have has no name.
      if (method !== 'DELETE' && uid !== '')
        this.#violate('B4', `${pod} asks for ${method} ${path} for '${uid}', which is gone`);
      return;
    }
    const { metadata } = life.host;
    const { namespace, name } = metadata;
    const holder = this.#deps.hostOf({ realm: 'metal3', plural: 'baremetalhosts', namespace, name });
    // A request that waits in Ironic began while its sender had the lease.
    if (holder !== undefined && holder !== pod && !hasWaited)
      this.#violate('P10', `${pod} asks for ${method} ${path} for '${name}', which is ${holder}'s`);
    if (method === 'POST' && path === '/nodes' && metadata.finalizers?.includes(FINALIZER) !== true)
      this.#violate('B4', `${pod} makes a node for '${name}', which lacks its finalizer`);
    if (method === 'POST' && path === '/nodes') this.#lives.set(uid, { ...life, wasDetached: isDetached(life.host) });
    const isLeaving = isGoing(life.host) || life.wasDetached;
    const isRemoval = method === 'DELETE' && /^\/nodes\/[^/]+$/.test(path);
    if (isRemoval && !isLeaving)
      this.#violate('B4', `${pod} removes the node of '${name}', which is neither deleted nor detached`);
    if (isRemoval && !life.wasDetached && metadata.finalizers?.some((other) => other !== FINALIZER))
      this.#violate('B4', `${pod} removes the node of '${name}', which others hold`);
    if (this.#deps.time.elapsed() - (life.pausedAtMs ?? Number.POSITIVE_INFINITY) > UNDER_WAY_MS)
      this.#violate('B6', `${pod} asks for ${method} ${path} for '${name}', which is paused`);
    const { target } = (body ?? {}) as { readonly target?: Json };
    // What was asked for when it could not be done is done later.
    if (target === 'inspect' || target === 'clean') this.#forgive(uid);
    if (target === 'deleted' && isKept(life))
      this.#violate('B2', `${pod} takes ${life.fulfilled} off '${name}', which wants it`);
  }

  onServed(): void {
    this.look();
    const all = this.#deps.ironic.nodes();
    for (const { name, bmc } of this.#deps.machines) {
      const nodes = all.filter(({ driver_info: info }) => (info as JsonObject | null)?.['redfish_address'] === bmc);
      if (nodes.length > 1)
        this.#violate('B3', `${name} has ${nodes.length} nodes: ${nodes.map((node) => node['name']).join(', ')}`);
    }
  }

  // --- what is done to machines ----------------------------------------------------------------------------------

  /** Judges what was done since the last look. */
  look(): void {
    const { ironic, machines } = this.#deps;
    const nodes = ironic.nodes();
    for (const machine of machines) {
      const { events, disk } = ironic.machine(machine.name);
      for (const event of events.slice(this.#seen.get(machine.name) ?? 0)) this.#judge(machine, event);
      this.#seen.set(machine.name, events.length);
      const life = this.#lives.get(nodeName(machine));
      const node = nodes.find(({ name }) => name === nodeName(machine));
      const state = String(node?.['provision_state']);
      // What failed is cleaned up after, and tried again.
      if (state === 'deploy failed' || state === 'clean failed') this.#forgive(nodeName(machine));
      if (state !== 'active' || life === undefined || disk === null) continue;
      if (disk.image === imageOf(life.host.spec))
        this.#lives.set(nodeName(machine), { ...life, fulfilled: disk.image });
    }
  }

  /** A user does something with a host. */
  onDeed(machine: Machine, deed: HostDeed): void {
    if (WIPING.has(deed)) this.#wipes.delete(machine.name);
  }

  onTrouble({ name }: Machine): void {
    this.#wipes.delete(name);
  }

  /** Ironic begins anew, or has lost what it knew: what was there and not yet known to be is nobody's. */
  onLoss(what: 'restartIronic' | 'forgetNodes'): void {
    this.#wipes.clear();
    if (what === 'restartIronic') return;
    for (const [key, life] of this.#lives)
      if (life.host.status?.provisioning?.state !== 'provisioned')
        this.#lives.set(key, { ...life, fulfilled: undefined });
  }

  /** There is a reason to wipe the machine of a host once more. */
  #forgive(key: string): void {
    for (const machine of this.#deps.machines) if (nodeName(machine) === key) this.#wipes.delete(machine.name);
  }

  #judge(machine: Machine, { what, of = '' }: MachineEvent): void {
    const { name } = machine;
    const life = this.#lives.get(nodeName(machine));
    if (what === MachineDeed.Deployed) {
      this.#wipes.delete(name);
      if (life?.asked.has(of) !== true) this.#violate('B1', `${name} is written with ${of}, which nobody asked for`);
      else if (life.fulfilled === of) this.#violate('B1', `${name} is written with ${of}, which it has`);
    }
    if (what !== MachineDeed.Wiped) return;
    const wipes = (this.#wipes.get(name) ?? 0) + 1;
    this.#wipes.set(name, wipes);
    if (life === undefined) this.#violate('B2', `${name} is wiped, and has no host`);
    else if (machine.isExternal) this.#violate('B2', `${name} is wiped, which is provisioned by others`);
    else if (isKept(life)) this.#violate('B2', `${name} is wiped, and its host wants what was there`);
    else if (wipes > 1) this.#violate('B2', `${name} is wiped once more, without a reason`);
  }

  #violate(invariant: string, text: string): void {
    this.#deps.violate(invariant, text);
  }
}

/** The host wants what is on the machine. */
function isKept({ host, fulfilled }: Lifecycle): boolean {
  return fulfilled !== undefined && !isGoing(host) && imageOf(host.spec) === fulfilled;
}

function isGoing({ metadata }: Known): boolean {
  return metadata.deletionTimestamp != null;
}

function isPaused(host: Known): boolean {
  return isAnnotated(host, HostAnnotation.Paused);
}

function isAnnotated({ metadata }: Pick<BareMetalHost, 'metadata'>, annotation: string): boolean {
  return Object.hasOwn(metadata?.annotations ?? {}, annotation);
}
