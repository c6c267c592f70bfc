// The compute hosts of the simulated Nova: they take a while to build and to remove a server, and have its attachments.
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { wired } from './neutron-ports.ts';
import { bump } from './neutron-resource.ts';
import { novaRefusal } from './nova-answers.ts';
import type { NovaDeps } from './nova-resource.ts';
import { vmStateOf } from './nova-states.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

export const ZONE = 'nova';
const HOSTS = ['compute0', 'compute1'];

/** A volume of a server. */
export interface Attached {
  readonly id: string;
  readonly device: string;
  readonly tag: Json;
  readonly root: boolean;
}

export function volumesOf(server: Item): readonly Attached[] {
  return (server['volumes'] ?? []) as unknown as readonly Attached[];
}

/** Tells hosts apart and names none. */
export function hostId(server: Item): string {
  if (server['host'] === null) return '';
  return createHash('sha224').update(`${server['tenant_id']}${server['host']}`).digest('hex');
}

/** @throws what Nova says of an action in a state in which it is not done */
export function refuseState(server: Item, action: string, allowed: readonly string[]): void {
  const status = String(server['status']);
  if (allowed.includes(status)) return;
  throw novaRefusal(409, `Cannot '${action}' instance ${server['id']} while it is in vm_state ${vmStateOf(server)}`);
}

/** Reserves what a new server uses. @throws what Nova says of what cannot be used */
export function plugIn(
  server: Item,
  {
    ports,
    volumes,
  }: { readonly ports: readonly string[]; readonly volumes: readonly { readonly id: string; readonly tag: Json }[] },
  { store }: NovaDeps,
): void {
  const found = ports.map((id) => freePort(id, store, 400));
  for (const { id } of volumes) {
    const volume = store.collection(CollectionName.Volumes).get(id);
    if (volume === undefined) throw novaRefusal(400, `Block Device Mapping is Invalid: failed to get volume ${id}.`);
    if (volume['image'] === null) throw novaRefusal(400, `Block Device ${id} is not bootable.`);
    refuseUsed(volume);
  }
  for (const { id, tag } of volumes) reserve(server, id, { tag, root: true, device: '/dev/vda' }, store);
  for (const port of found) claim(port, server, store);
}

/** Checks that a host is not in use. @throws Nova's refusal */
export function freePort(id: string, store: Store, absent: number): Item {
  const port = store.collection(CollectionName.Ports).get(id);
  if (port === undefined) throw novaRefusal(absent, `Port id ${id} could not be found.`);
  if (port['device_id'] !== '') throw novaRefusal(409, `Port ${id} is still in use.`);
  return port;
}

export function refuseUsed(volume: Item): void {
  const { id, status } = volume;
  if (status === 'available') return;
  const why = `Volume ${id} status must be available or downloading to reserve, but the current status is ${status}.`;
  throw novaRefusal(400, `Invalid input received: Invalid volume: ${why}`);
}

/** Takes a volume, which is attached when Cinder and the host are done. */
export function reserve(server: Item, id: string, { tag, root, device }: Omit<Attached, 'id'>, store: Store): void {
  const volume = store.collection(CollectionName.Volumes).get(id);
  if (volume !== undefined) volume['status'] = 'reserved';
  server['volumes'] = [...volumesOf(server), { id, tag, root, device }] as unknown as Json;
}

function claim(port: Item, server: Item, store: Store): void {
  Object.assign(port, { device_id: server['id'], device_owner: `compute:${server['zone']}` });
  bump(port, store);
}

/** Plugs a port in at once, on a host. */
export function attachPort(port: Item, server: Item, store: Store): void {
  claim(port, server, store);
  Object.assign(port, wired({ ...port, 'binding:host_id': server['host'] ?? '' }));
}

export function detachPort(port: Item, store: Store): void {
  Object.assign(port, wired({ ...port, device_id: '', device_owner: '', 'binding:host_id': '' }));
  bump(port, store);
}

/** Notes that something leaves a server, when its host is done. */
export function leave(server: Item, what: JsonObject): void {
  server['leaving'] = [...((server['leaving'] ?? []) as readonly Json[]), what];
}

/** The work that hosts have done meanwhile. */
export function proceed(store: Store): void {
  const now = store.nowMs();
  for (const [id, server] of store.collection(CollectionName.Servers)) {
    if (server['task'] !== null && Number(server['done_at']) <= now) {
      if (server['task'] === 'deleting') {
        remove(server, store);
        store.collection(CollectionName.Servers).delete(id);
        continue;
      }
      build(server, store);
    }
    const leaving = (server['leaving'] ?? []) as readonly JsonObject[];
    const gone = leaving.filter(({ at }) => Number(at) <= now);
    if (gone.length > 0) server['leaving'] = leaving.filter((each) => !gone.includes(each));
    for (const each of gone) release(server, each, store);
    for (const { id: volume, device } of volumesOf(server)) settle(server, volume, device, store);
  }
}

function build(server: Item, store: Store): void {
  const host = hostFor(server, store);
  Object.assign(server, { task: null, updated: store.now() });
  if (host === undefined) {
    const message = 'No valid host was found. There are not enough hosts available.';
    Object.assign(server, { status: 'ERROR', fault: { code: 500, message, created: store.now() } });
    return;
  }
  Object.assign(server, { status: 'ACTIVE', host });
  for (const port of portsOf(server, store)) attachPort(port, server, store);
}

/** A host that the hints allow. */
function hostFor({ id, hints: given, server_groups: groups }: Item, store: Store): string | undefined {
  const others = [...store.collection(CollectionName.Servers).values()].filter((other) => other['host'] !== null);
  const hints = asObject(given) ?? {};
  const listed = (value: Json | undefined): readonly Json[] =>
    value === undefined ? [] : Array.isArray(value) ? value : [value];
  const hostsOf = (ids: readonly Json[]): readonly string[] =>
    others.filter((other) => ids.includes(other['id'] ?? null)).map((other) => String(other['host']));
  const [group] = listed(groups);
  const policy = String(store.collection(CollectionName.ServerGroups).get(String(group))?.['policy']);
  const members = others
    .filter((other) => other['id'] !== id && listed(other['server_groups']).includes(group ?? ''))
    .map((other) => String(other['host']));
  const fitting = HOSTS.filter((host) => {
    const isNear = hints['same_host'] === undefined || hostsOf(listed(hints['same_host'])).includes(host);
    const isApart = !hostsOf(listed(hints['different_host'])).includes(host);
    if (policy === 'affinity') return isNear && isApart && members.every((other) => other === host);
    return isNear && isApart && (policy !== 'anti-affinity' || !members.includes(host));
  });
  return fitting.length === 0 ? undefined : fitting[store.pick(0, fitting.length - 1)];
}

function portsOf({ id }: Item, store: Store): readonly Item[] {
  return [...store.collection(CollectionName.Ports).values()].filter((port) => port['device_id'] === id);
}

function remove(server: Item, store: Store): void {
  for (const port of portsOf(server, store)) detachPort(port, store);
  for (const { id } of volumesOf(server)) free(id, store);
}

function release(server: Item, { port, volume }: JsonObject, store: Store): void {
  const plugged = port === undefined ? undefined : store.collection(CollectionName.Ports).get(String(port));
  if (plugged?.['device_id'] === server['id'] && plugged !== undefined) detachPort(plugged, store);
  if (volume === undefined) return;
  server['volumes'] = volumesOf(server).filter(({ id }) => id !== volume) as unknown as Json;
  free(String(volume), store);
}

function free(id: string, store: Store): void {
  const volume = store.collection(CollectionName.Volumes).get(id);
  if (volume !== undefined) Object.assign(volume, { status: 'available', attachments: [] });
}

/** A volume that was taken is attached as soon as the server is there. */
function settle(server: Item, id: string, device: string, store: Store): void {
  const volume = store.collection(CollectionName.Volumes).get(id);
  if (volume?.['status'] !== 'reserved' || server['host'] === null || volume === undefined) return;
  const attachment = {
    id,
    attachment_id: store.newUuid(),
    volume_id: id,
    server_id: server['id'] ?? null,
    host_name: server['host'] ?? null,
    device,
    attached_at: store.nowWithoutZone(),
  };
  Object.assign(volume, { status: 'in-use', attachments: [attachment] });
}
