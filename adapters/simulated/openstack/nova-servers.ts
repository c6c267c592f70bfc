// Servers of the simulated Nova: how they are asked for, shown and changed. How they are built is in nova-computes.ts.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { pythonRepr, type Reply, type SimulatedRequest, type TokenRecord } from './exchange.ts';
import { tagsMatch } from './keystone-requests.ts';
import {
  answerPage,
  checkMap,
  checkMembers,
  checkName,
  invalid,
  linksOf,
  member,
  notAllowed,
  novaRefusal,
} from './nova-answers.ts';
import { serveInterfaces, serveVolumes } from './nova-attachments.ts';
import { hostId, plugIn, refuseState, volumesOf, ZONE } from './nova-computes.ts';
import type { NovaCollection, NovaDeps } from './nova-resource.ts';
import { faultOf, taskOf, vmStateOf } from './nova-states.ts';
import { CollectionName, type Item } from './store.ts';
import { asObject } from './tokens.ts';

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TAG_LENGTH = 60;
const TAGS = 50;
const MEMBERS = {
  required: ['name', 'flavorRef', 'networks'],
  allowed: [
    'name',
    'imageRef',
    'flavorRef',
    'adminPass',
    'metadata',
    'networks',
    'availability_zone',
    'block_device_mapping_v2',
    'config_drive',
    'key_name',
    'security_groups',
    'user_data',
    'description',
    'tags',
  ],
};

export function servers(deps: NovaDeps): NovaCollection {
  const { store, maxPageSize, workMs } = deps;
  const all = store.collection(CollectionName.Servers);
  return (request, speaker) => {
    const [, id, part] = request.segments;
    if (id === undefined && request.method === 'POST') return create(request, speaker, deps);
    if (id === undefined || (id === 'detail' && request.method === 'GET')) {
      if (request.method !== 'GET') throw notAllowed();
      const items = [...all.values()]
        .filter((server) => server['tenant_id'] === speaker.projectId && isWanted(server, request.query))
        .reverse();
      const show = (server: Item): JsonObject => {
        const { server_groups: _, ...shown } = view(request, server, deps);
        return id === 'detail' ? shown : brief(request, server);
      };
      return answerPage(request, { items, key: 'servers', marker: 'id', show, maxPageSize });
    }
    const server = all.get(id);
    if (server === undefined || server['tenant_id'] !== speaker.projectId)
      throw novaRefusal(404, `Instance ${id} could not be found.`);
    switch (part) {
      case undefined:
        return serveServer(request, server);
      case 'tags':
        return serveTags(request, server);
      case 'metadata':
        return serveMetadata(request, server);
      case 'action':
        return serveAction(request, server);
      case 'os-interface':
        return serveInterfaces(request, server, deps);
      case 'os-volume_attachments':
        return serveVolumes(request, server, deps);
      default:
        throw novaRefusal(404, 'The resource could not be found.');
    }
  };

  function serveServer(request: SimulatedRequest, server: Item): Reply {
    switch (request.method) {
      case 'GET':
        return { status: 200, body: { server: view(request, server, deps) } };
      case 'PUT': {
        const given = member(request, 'server');
        checkMembers('server', given, { required: [], allowed: ['name', 'description'] });
        if (given['name'] !== undefined) server['name'] = checkName('name', given['name']);
        if (given['description'] !== undefined) server['description'] = given['description'];
        server['updated'] = store.now();
        return { status: 200, body: { server: view(request, server, deps) } };
      }
      case 'DELETE':
        if (server['task'] !== 'deleting') Object.assign(server, { task: 'deleting', done_at: store.nowMs() + workMs });
        return { status: 204 };
      default:
        throw notAllowed();
    }
  }

  function serveTags(request: SimulatedRequest, server: Item): Reply {
    if (request.method === 'GET') return { status: 200, body: { tags: server['tags'] ?? [] } };
    if (request.method !== 'PUT') throw notAllowed();
    const { body } = request;
    const tags = typeof body === 'string' ? undefined : body['tags'];
    checkTags(tags);
    refuseState(server, 'update tags', ['ACTIVE', 'PAUSED', 'SUSPENDED', 'SHUTOFF']);
    server['tags'] = tags ?? [];
    return { status: 200, body: { tags: tags ?? [] } };
  }

  function serveMetadata(request: SimulatedRequest, server: Item): Reply {
    if (request.method === 'GET') return { status: 200, body: { metadata: server['metadata'] ?? {} } };
    if (request.method !== 'PUT') throw notAllowed();
    const metadata = checkMap('metadata', member(request, 'metadata'));
    refuseState(server, 'update metadata', ['ACTIVE', 'PAUSED', 'SUSPENDED', 'SHUTOFF']);
    server['metadata'] = metadata;
    return { status: 200, body: { metadata } };
  }

  /** Actions on a server that stop and start it. */
  function serveAction(request: SimulatedRequest, server: Item): Reply {
    const { body } = request;
    if (request.method !== 'POST' || typeof body === 'string') throw notAllowed();
    const [from, to] = 'os-stop' in body ? ['ACTIVE', 'SHUTOFF'] : ['SHUTOFF', 'ACTIVE'];
    if (!('os-stop' in body) && !('os-start' in body))
      throw novaRefusal(400, `There is no such action: ${Object.keys(body).join()}`);
    refuseState(server, to === 'SHUTOFF' ? 'stop' : 'start', [from ?? '']);
    Object.assign(server, { status: to, updated: store.now() });
    return { status: 202 };
  }
}

function create(request: SimulatedRequest, speaker: TokenRecord, deps: NovaDeps): Reply {
  const { store, workMs, zones } = deps;
  const given = member(request, 'server');
  checkMembers('server', given, MEMBERS);
  const name = checkName('name', given['name']);
  const { availability_zone: zone = ZONE, user_data: userData, key_name: keyName, config_drive: drive } = given;
  if (userData !== undefined && (typeof userData !== 'string' || !BASE64.test(userData)))
    throw invalid('user_data', userData, `${pythonRepr(userData)} is not a 'base64'`);
  checkTags(given['tags'] ?? []);
  const metadata = checkMap('metadata', given['metadata'] ?? {});
  if (zone !== ZONE && !zones.includes(String(zone)))
    throw novaRefusal(400, 'The requested availability zone is not available');
  const volumes = bootVolumes(given['block_device_mapping_v2']);
  const image = imageOf(given['imageRef'], volumes.length > 0, deps);
  const ports = portsIn(given['networks']);
  const flavor = store.collection(CollectionName.Flavors).get(String(given['flavorRef']));
  if (flavor === undefined) throw novaRefusal(400, `Flavor ${given['flavorRef']} could not be found.`);
  const keys = [...store.collection(CollectionName.KeyPairs).values()];
  if (keyName !== undefined && !keys.some((key) => key['name'] === keyName && key['user_id'] === speaker.userId))
    throw novaRefusal(400, 'Invalid key_name provided.');
  const hints = asObject(typeof request.body === 'string' ? undefined : request.body['os:scheduler_hints']) ?? {};
  const { group } = hints;
  if (group !== undefined && !store.collection(CollectionName.ServerGroups).has(String(group)))
    throw novaRefusal(400, `Instance group ${group} could not be found.`);
  const id = store.newUuid();
  const server: Item = {
    id,
    name,
    description: given['description'] ?? null,
    status: 'BUILD',
    task: 'building',
    done_at: store.nowMs() + workMs,
    image_id: image ?? null,
    flavor: flavorIn(flavor),
    key_name: keyName ?? null,
    zone,
    config_drive: drive === true || drive === 'true' || drive === 'True' ? 'True' : '',
    user_data: userData ?? null,
    metadata,
    tags: given['tags'] ?? [],
    hints,
    server_groups: group === undefined ? [] : [group],
    host: null,
    fault: null,
    volumes: [],
    leaving: [],
    tenant_id: speaker.projectId ?? '',
    user_id: speaker.userId,
    created: store.now(),
    updated: store.now(),
  };
  plugIn(server, { ports, volumes }, deps);
  store.collection(CollectionName.Servers).set(id, server);
  const made = {
    id,
    links: linksOf(request, 'servers', id),
    'OS-DCF:diskConfig': 'MANUAL',
    security_groups: [{ name: 'default' }],
    adminPass: store.newHexId().slice(0, 12),
  };
  return { status: 202, body: { server: made }, headers: { Location: `${request.baseUrl}/servers/${id}` } };
}

function checkTags(tags: Json | undefined): void {
  if (!Array.isArray(tags)) throw invalid('tags', tags, `${pythonRepr(tags)} is not of type 'array'`);
  if (tags.length > TAGS) throw invalid('tags', tags, `${pythonRepr(tags)} is too long`);
  for (const [index, tag] of tags.entries()) {
    if (typeof tag !== 'string') throw invalid(String(index), tag, `${pythonRepr(tag)} is not of type 'string'`);
    if (tag.length > TAG_LENGTH) throw invalid(String(index), tag, `${pythonRepr(tag)} is too long`);
    if (!/^[^,/]*$/.test(tag)) throw invalid(String(index), tag, `${pythonRepr(tag)} does not match '^[^,/]*$'`);
  }
}

/** The volume that the server boots from, if there is one. */
function bootVolumes(mapping: Json | undefined): readonly { readonly id: string; readonly tag: Json }[] {
  return (Array.isArray(mapping) ? mapping : []).map((each) => {
    const { uuid, tag = null, source_type: source, boot_index: index } = asObject(each) ?? {};
    if (source !== 'volume' || Number(index) !== 0) {
      const why = 'Boot sequence for the instance and image/block device mapping combination is not valid.';
      throw novaRefusal(400, `Block Device Mapping is Invalid: ${why}`);
    }
    return { id: String(uuid), tag };
  });
}

function imageOf(ref: Json | undefined, hasVolume: boolean, { store }: NovaDeps): string | undefined {
  if (ref === undefined || ref === '') {
    if (hasVolume) return undefined;
    throw novaRefusal(400, ref === '' ? 'Invalid imageRef provided.' : 'Missing imageRef attribute');
  }
  if (typeof ref !== 'string' || !UUID.test(ref))
    throw invalid('imageRef', ref, `${pythonRepr(ref)} is not valid under any of the given schemas`);
  const image = store.collection(CollectionName.Images).get(ref);
  if (image === undefined) throw novaRefusal(400, 'Can not find requested image');
  if (image['status'] !== undefined && image['status'] !== 'active')
    throw novaRefusal(400, `Image ${ref} is not active.`);
  return ref;
}

function portsIn(networks: Json | undefined): readonly string[] {
  if (networks === 'none') return [];
  const refuse = (): Error =>
    invalid('networks', networks, `${pythonRepr(networks)} is not valid under any of the given schemas`);
  // Networks that Nova chooses are not simulated.
  if (!Array.isArray(networks)) throw refuse();
  return networks.map((network) => {
    const { port } = asObject(network) ?? {};
    if (typeof port !== 'string' || !UUID.test(port)) throw refuse();
    return port;
  });
}

/** As servers keep the flavor that they were made with. */
function flavorIn({
  ram = 0,
  vcpus = 0,
  disk = 0,
  swap = 0,
  name = '',
  extra_specs: specs = {},
  ...flavor
}: Item): JsonObject {
  const { 'OS-FLV-EXT-DATA:ephemeral': ephemeral = 0 } = flavor;
  return { vcpus, ram, disk, ephemeral, swap, original_name: name, extra_specs: specs };
}

/** Names and zones are regular expressions. */
function isWanted(server: Item, query: URLSearchParams): boolean {
  const matches = (key: string, value: Json | undefined): boolean =>
    query.getAll(key).every((pattern) => new RegExp(pattern, 'i').test(String(value ?? '')));
  return (
    matches('name', server['name']) &&
    matches('availability_zone', server['zone']) &&
    query.getAll('status').every((status) => status.toUpperCase() === server['status']) &&
    tagsMatch(server, query, 'exact')
  );
}

function brief(request: SimulatedRequest, { id = null, name = null }: Item): JsonObject {
  return { id, name, links: linksOf(request, 'servers', id) };
}

/** As the answers to reads show it. */
function view(request: SimulatedRequest, server: Item, deps: NovaDeps): JsonObject {
  const { store } = deps;
  const given = (name: string): Json => server[name] ?? null;
  const ports = [...store.collection(CollectionName.Ports).values()].filter(
    (port) => port['device_id'] === server['id'],
  );
  const addresses: Record<string, Json[]> = {};
  for (const port of ports) {
    const network = store.collection(CollectionName.Networks).get(String(port['network_id']));
    for (const each of Array.isArray(port['fixed_ips']) ? port['fixed_ips'] : []) {
      const { ip_address: addr = null } = asObject(each) ?? {};
      const version = String(addr).includes(':') ? 6 : 4;
      const mac = { 'OS-EXT-IPS:type': 'fixed', 'OS-EXT-IPS-MAC:mac_addr': port['mac_address'] ?? null };
      const name = String(network?.['name']);
      addresses[name] = [...(addresses[name] ?? []), { version, addr, ...mac }];
    }
  }
  const isActive = server['host'] !== null;
  return {
    ...brief(request, server),
    status: given('status'),
    tenant_id: given('tenant_id'),
    user_id: given('user_id'),
    metadata: given('metadata'),
    hostId: hostId(server),
    image:
      server['image_id'] === null
        ? ''
        : { id: given('image_id'), links: linksOf(request, 'images', given('image_id')).slice(1) },
    flavor: given('flavor'),
    created: given('created'),
    updated: given('updated'),
    addresses,
    accessIPv4: '',
    accessIPv6: '',
    'OS-DCF:diskConfig': 'MANUAL',
    ...faultOf(server),
    ...(server['status'] === 'ACTIVE' || server['status'] === 'BUILD' ? { progress: 0 } : {}),
    'OS-EXT-AZ:availability_zone': isActive ? given('zone') : '',
    config_drive: given('config_drive'),
    key_name: given('key_name'),
    'OS-SRV-USG:launched_at': isActive ? String(given('updated')).replace('Z', '.000000') : null,
    'OS-SRV-USG:terminated_at': null,
    ...(isActive && { security_groups: [{ name: 'default' }] }),
    'OS-EXT-SRV-ATTR:host': given('host'),
    'OS-EXT-SRV-ATTR:hypervisor_hostname': given('host'),
    'OS-EXT-SRV-ATTR:user_data': given('user_data'),
    'OS-EXT-STS:task_state': taskOf(server),
    'OS-EXT-STS:vm_state': vmStateOf(server),
    'OS-EXT-STS:power_state': server['status'] === 'ACTIVE' ? 1 : 0,
    'os-extended-volumes:volumes_attached': volumesOf(server).map(({ id }) => ({ id, delete_on_termination: false })),
    host_status: isActive ? 'UP' : '',
    locked: false,
    description: given('description'),
    tags: given('tags'),
    trusted_image_certificates: null,
    server_groups: given('server_groups'),
  };
}
