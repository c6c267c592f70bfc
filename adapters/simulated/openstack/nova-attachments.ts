// Attachments of running servers of the simulated Nova: ports at once, volumes and detachments after a while.
import type { JsonObject } from '../../../bus/bus.ts';
import type { Reply, SimulatedRequest } from './exchange.ts';
import { checkMembers, member, notAllowed, novaRefusal } from './nova-answers.ts';
import { attachPort, freePort, leave, refuseState, refuseUsed, reserve, volumesOf } from './nova-computes.ts';
import type { NovaDeps } from './nova-resource.ts';
import { CollectionName, type Item } from './store.ts';

const RUNNING = ['ACTIVE', 'PAUSED', 'SHUTOFF'];

/** Serves `/servers/<id>/os-interface`. */
export function serveInterfaces(request: SimulatedRequest, server: Item, { store, workMs }: NovaDeps): Reply {
  const [, id, , portId] = request.segments;
  const show = (port: Item): JsonObject => ({
    net_id: port['network_id'] ?? null,
    port_id: port['id'] ?? null,
    mac_addr: port['mac_address'] ?? null,
    port_state: port['status'] ?? null,
    fixed_ips: port['fixed_ips'] ?? null,
    tag: null,
  });
  const own = store.sorted(CollectionName.Ports).filter((port) => port['device_id'] === id);
  if (portId === undefined) {
    if (request.method === 'GET') return { status: 200, body: { interfaceAttachments: own.map(show) } };
    if (request.method !== 'POST') throw notAllowed();
    const given = member(request, 'interfaceAttachment');
    checkMembers('interfaceAttachment', given, { required: ['port_id'], allowed: ['port_id', 'tag'] });
    refuseState(server, 'attach_interface', RUNNING);
    const port = freePort(String(given['port_id']), store, 404);
    attachPort(port, server, store);
    return { status: 200, body: { interfaceAttachment: show(port) } };
  }
  const port = own.find((each) => each['id'] === portId);
  if (request.method === 'DELETE') {
    refuseState(server, 'detach_interface', RUNNING);
    // The host finds out that there is none.
    leave(server, { port: portId, at: store.nowMs() + workMs });
    return { status: 202 };
  }
  if (request.method !== 'GET') throw notAllowed();
  if (port === undefined) throw novaRefusal(404, `Instance ${id} does not have a port with id ${portId}`);
  return { status: 200, body: { interfaceAttachment: show(port) } };
}

/** Serves `/servers/<id>/os-volume_attachments`. */
export function serveVolumes(request: SimulatedRequest, server: Item, { store, workMs }: NovaDeps): Reply {
  const [, id, , volumeId] = request.segments;
  const volumes = volumesOf(server);
  const show = ({ id: volume, device, tag }: (typeof volumes)[number]): JsonObject => ({
    id: volume,
    serverId: id ?? null,
    volumeId: volume,
    device,
    tag,
  });
  if (volumeId === undefined) {
    if (request.method === 'GET') return { status: 200, body: { volumeAttachments: volumes.map(show) } };
    if (request.method !== 'POST') throw notAllowed();
    const given = member(request, 'volumeAttachment');
    checkMembers('volumeAttachment', given, { required: ['volumeId'], allowed: ['volumeId', 'device', 'tag'] });
    const volume = store.collection(CollectionName.Volumes).get(String(given['volumeId']));
    if (volume === undefined) throw novaRefusal(404, `Volume ${given['volumeId']} could not be found.`);
    refuseState(server, 'attach_volume', [...RUNNING, 'SUSPENDED']);
    refuseUsed(volume);
    const names = volumes.map(({ device }) => device);
    const device = typeof given['device'] === 'string' ? given['device'] : nextDevice(names);
    if (names.includes(device)) throw novaRefusal(409, `The supplied device path (${device}) is in use.`);
    reserve(server, String(volume['id']), { tag: given['tag'] ?? null, root: false, device }, store);
    return {
      status: 200,
      body: {
        volumeAttachment: {
          id: volume['id'] ?? null,
          serverId: id ?? null,
          volumeId: volume['id'] ?? null,
          device,
          tag: null,
        },
      },
    };
  }
  const found = volumes.find((each) => each.id === volumeId);
  const volume = store.collection(CollectionName.Volumes).get(volumeId);
  if (request.method === 'DELETE' && volume === undefined)
    throw novaRefusal(404, `Volume ${volumeId} could not be found.`);
  if (found === undefined || volume === undefined)
    throw novaRefusal(404, `Instance ${id} is not attached to volume ${volumeId}`);
  if (request.method === 'GET') return { status: 200, body: { volumeAttachment: show(found) } };
  if (request.method !== 'DELETE') throw notAllowed();
  if (found.root) throw novaRefusal(400, 'Cannot detach a root device volume');
  refuseState(server, 'detach_volume', [...RUNNING, 'SUSPENDED']);
  if (volume['status'] !== 'in-use') {
    const why = `Unable to detach volume. Volume status must be 'in-use' and attach_status must be 'attached' to detach.`;
    throw novaRefusal(400, `Invalid volume: Invalid input received: Invalid volume: ${why}`);
  }
  volume['status'] = 'detaching';
  leave(server, { volume: volumeId, at: store.nowMs() + workMs });
  return { status: 202 };
}

/** The first that is free, after what the server boots from. */
function nextDevice(names: readonly string[]): string {
  const letters = [...'bcdefghijklmnopqrstuvwxyz'];
  return letters.map((letter) => `/dev/vd${letter}`).find((name) => !names.includes(name)) ?? '/dev/vdaa';
}
