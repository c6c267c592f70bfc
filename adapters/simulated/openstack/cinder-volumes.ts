// Volumes of the simulated Cinder: each takes a while to be made, and to go. Nothing is in them.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { type CinderDeps, DEFAULT_TYPE } from './cinder-types.ts';
import { faultRefusal, pythonRepr, type Reply, type SimulatedRequest, type TokenRecord } from './exchange.ts';
import { ACCEPTED, absent, member, nextLink, PAGING, pageOf, sameText } from './storage-lists.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

const ZONE = 'nova';
const REMOVABLE: ReadonlySet<unknown> = new Set([
  'available',
  'error',
  'error_restoring',
  'error_extending',
  'error_managing',
]);
const IRREMOVABLE =
  'Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer.';
const UPDATED: ReadonlySet<string> = new Set([
  'name',
  'description',
  'metadata',
  'display_name',
  'display_description',
]);
/** When Cinder is done with what it does; no attribute that clients see. */
const DONE_AT = 'done_at';

/** Serves `/volumes` and what is below it. */
export function serveVolumes(request: SimulatedRequest, speaker: TokenRecord, deps: CinderDeps): Reply {
  const { store } = deps;
  const [, id, part] = request.segments;
  const volumes = store.collection(CollectionName.Volumes);
  proceedVolumes(store);
  if (id === undefined && request.method === 'POST') return create(request, speaker, deps);
  if (id === undefined || (id === 'detail' && request.method === 'GET')) return list(request, speaker, deps);
  const volume = volumes.get(id);
  if (volume === undefined || volume['tenant_id'] !== speaker.projectId)
    throw faultRefusal(404, `Volume ${id} could not be found.`);
  if (part !== undefined) throw absent();
  switch (request.method) {
    case 'GET':
      return { status: 200, body: { volume: shown(request, volume, store) } };
    case 'PUT':
      return update(request, volume, store);
    case 'DELETE':
      // Its creation has not begun.
      if (volume['host'] === null) {
        volumes.delete(id);
        return ACCEPTED;
      }
      if (!REMOVABLE.has(volume['status'])) throw faultRefusal(400, IRREMOVABLE);
      Object.assign(volume, { status: 'deleting', [DONE_AT]: store.nowMs() + deps.workMs });
      return ACCEPTED;
    default:
      throw absent();
  }
}

/** What Cinder has done meanwhile. */
export function proceedVolumes(store: Store): void {
  const volumes = store.collection(CollectionName.Volumes);
  for (const [id, volume] of volumes) {
    if (Number(volume[DONE_AT]) > store.nowMs()) continue;
    if (volume['status'] === 'deleting') volumes.delete(id);
    if (volume['status'] === 'creating')
      Object.assign(volume, {
        status: 'available',
        host: 'volume0@loopback#loopback',
        updated_at: store.nowWithoutZone(),
      });
  }
}

function create(request: SimulatedRequest, speaker: TokenRecord, { store, workMs }: CinderDeps): Reply {
  const given = member(request, 'volume');
  const { name, description = null, size, availability_zone: zone, volume_type: type, metadata = {} } = given;
  checkTexts(given);
  checkSize(size ?? null);
  if (asObject(metadata) === undefined) throw faultRefusal(400, `Invalid input for field/attribute metadata.`);
  const typeId = typeIdOf(type ?? null, store);
  const image = imageOf(given['imageRef'] ?? null, store);
  if (zone !== undefined && zone !== null && zone !== ZONE)
    throw faultRefusal(400, `Availability zone '${zone}' is invalid.`);
  const id = store.newUuid();
  const volume: Item = {
    id,
    name: stripped(name ?? null),
    description: stripped(description),
    size: Number(size),
    status: 'creating',
    availability_zone: ZONE,
    volume_type_id: typeId,
    metadata,
    image: image === undefined ? null : { image_id: image['id'] ?? null, image_name: image['name'] ?? null },
    host: null,
    user_id: speaker.userId,
    tenant_id: speaker.projectId ?? null,
    created_at: store.nowWithoutZone(),
    updated_at: null,
    attachments: [],
    [DONE_AT]: store.nowMs() + workMs,
  };
  store.collection(CollectionName.Volumes).set(id, volume);
  return { status: 202, body: { volume: basic(request, volume, store) } };
}

/** @returns the id of the type of this id or name. @throws what Cinder says */
function typeIdOf(wanted: Json, store: Store): string {
  const name = String(wanted ?? DEFAULT_TYPE);
  const found = store.sorted(CollectionName.VolumeTypes).find((type) => type['id'] === name || type['name'] === name);
  if (found !== undefined) return String(found['id']);
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
  throw faultRefusal(404, `Volume type ${isId ? '' : 'with name '}${name} could not be found.`);
}

function imageOf(wanted: Json, store: Store): Item | undefined {
  if (wanted === null) return undefined;
  const found = store.collection(CollectionName.Images).get(String(wanted));
  if (found !== undefined) return found;
  throw faultRefusal(400, 'Invalid image identifier or unable to access requested image.');
}

function update(request: SimulatedRequest, volume: Item, store: Store): Reply {
  const given = member(request, 'volume');
  const unknown = Object.keys(given).filter((name) => !UPDATED.has(name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => `'${name}'`).join(', ');
    const what = `Additional properties are not allowed (${names} ${unknown.length > 1 ? 'were' : 'was'} unexpected)`;
    throw faultRefusal(400, `Invalid input for field/attribute volume. Value: ${pythonRepr(given)}. ${what}`);
  }
  checkTexts(given);
  const { name, description, metadata } = given;
  Object.assign(volume, {
    ...(name !== undefined && { name: stripped(name) }),
    ...(description !== undefined && { description: stripped(description) }),
    ...(metadata !== undefined && { metadata }),
    updated_at: store.nowWithoutZone(),
  });
  return { status: 200, body: { volume: basic(request, volume, store) } };
}

function list(request: SimulatedRequest, speaker: TokenRecord, { store, maxPageSize }: CinderDeps): Reply {
  if (request.method !== 'GET') throw absent();
  const { query, segments } = request;
  const everybody = /^(1|true)$/i.test(query.get('all_tenants') ?? '');
  const filters = [...query].filter(([key]) => key !== 'all_tenants' && !PAGING.has(key));
  const found = store
    .sorted(CollectionName.Volumes)
    .filter((volume) => everybody || volume['tenant_id'] === speaker.projectId)
    .filter((volume) => filters.every(([key, value]) => isWanted(volume, key, value)));
  const marker = query.get('marker');
  if (marker !== null && !store.collection(CollectionName.Volumes).has(marker))
    throw faultRefusal(404, `Volume ${marker} could not be found.`);
  const { page, isFull } = pageOf(request, found, maxPageSize);
  const isDetailed = segments[1] === 'detail';
  const volumes = page.map((volume): JsonObject => {
    if (isDetailed) return shown(request, volume, store);
    return { id: volume['id'] ?? '', name: volume['name'] ?? null, links: linksOf(request, volume) };
  });
  return { status: 200, body: { volumes, ...(isFull && { volumes_links: nextLink(request, page) }) } };
}

function isWanted(volume: Item, key: string, value: string): boolean {
  if (key !== 'metadata') return sameText(volume[key], value);
  const own = asObject(volume['metadata']) ?? {};
  const pairs = [...value.matchAll(/['"](.*?)['"]\s*:\s*['"](.*?)['"]/g)];
  return pairs.every(([, name = '', wanted = '']) => own[name] === wanted);
}

/** As the answers to reads show it: extensions add to them. */
function shown(request: SimulatedRequest, volume: Item, store: Store): JsonObject {
  const { host = null, tenant_id: tenant = null, image = null } = volume;
  return {
    ...basic(request, volume, store),
    'os-vol-host-attr:host': host,
    'os-vol-mig-status-attr:migstat': null,
    'os-vol-mig-status-attr:name_id': null,
    'os-vol-tenant-attr:tenant_id': tenant,
    ...(image !== null && volume['status'] !== 'creating' && { volume_image_metadata: image }),
  };
}

function basic(request: SimulatedRequest, volume: Item, store: Store): JsonObject {
  const type = store.collection(CollectionName.VolumeTypes).get(String(volume['volume_type_id']));
  const given = (name: string): Json => volume[name] ?? null;
  return {
    id: given('id'),
    status: given('status'),
    size: given('size'),
    availability_zone: given('availability_zone'),
    created_at: given('created_at'),
    updated_at: given('updated_at'),
    attachments: given('attachments'),
    name: given('name'),
    description: given('description'),
    volume_type: type?.['name'] ?? null,
    snapshot_id: null,
    source_volid: null,
    metadata: given('metadata'),
    links: linksOf(request, volume),
    user_id: given('user_id'),
    bootable: String(volume['image'] !== null && volume['status'] !== 'creating'),
    encrypted: false,
    replication_status: null,
    consistencygroup_id: null,
    multiattach: false,
    migration_status: null,
  };
}

function linksOf({ baseUrl }: SimulatedRequest, { id }: Item): readonly JsonObject[] {
  const bookmark = baseUrl.replace('/v3/', '/');
  return [
    { rel: 'self', href: `${baseUrl}/volumes/${id}` },
    { rel: 'bookmark', href: `${bookmark}/volumes/${id}` },
  ];
}

function checkSize(size: Json): void {
  if (size === null) {
    const what = 'since it is either malformed or otherwise incorrect';
    throw faultRefusal(400, `The server could not comply with the request ${what}.`);
  }
  const where = `Invalid input for field/attribute size. Value: ${size}.`;
  if (!/^\d+$/.test(String(size))) throw faultRefusal(400, `${where} ${pythonRepr(size)} does not match '^[0-9]+$'`);
  if (Number(size) < 1) throw faultRefusal(400, `${where} ${pythonRepr(size)} is less than the minimum of 1`);
}

/** Cinder takes off white space at both ends. */
function stripped(text: Json): Json {
  return typeof text === 'string' ? text.trim() : text;
}

function checkTexts(given: JsonObject): void {
  for (const name of ['name', 'description']) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') {
      const where = `Invalid input for field/attribute ${name}. Value: ${value}.`;
      throw faultRefusal(400, `${where} ${pythonRepr(value)} is not of type 'string', 'null'`);
    }
    const { length } = value.trim();
    if (length > 255)
      throw faultRefusal(400, `Invalid input received: ${name} has ${length} characters, more than 255.`);
  }
}
