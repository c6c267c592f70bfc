// Volume types of the simulated Cinder, and their extra specs.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { faultRefusal, pythonRepr, type Reply, type SimulatedRequest } from './exchange.ts';
import { ACCEPTED, absent, member, nextLink, PAGING, pageOf, sameText } from './storage-lists.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject, type Tokens } from './tokens.ts';

export interface CinderDeps {
  readonly store: Store;
  readonly tokens: Tokens;
  /** Time to make a volume, and to remove it, in milliseconds. */
  readonly workMs: number;
  /** Most items of one answer. */
  readonly maxPageSize: number;
}

/** The type of volumes that name none. */
export const DEFAULT_TYPE = '__DEFAULT__';

const PUBLIC = 'os-volume-type-access:is_public';
const CREATED: ReadonlySet<string> = new Set(['name', 'description', 'extra_specs', PUBLIC]);
const UPDATED: ReadonlySet<string> = new Set(['name', 'description', 'is_public']);
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'true', 'on', 'y', 'yes']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'false', 'off', 'n', 'no']);

/** The type that is there from the start. */
export function seedVolumeType(store: Store): void {
  const types = store.collection(CollectionName.VolumeTypes);
  if (types.size > 0) return;
  const id = store.newUuid();
  const description = 'Default Volume Type';
  types.set(id, {
    id,
    name: DEFAULT_TYPE,
    description,
    is_public: true,
    extra_specs: {},
    created_at: store.nowWithoutZone(),
  });
}

/** Serves `/types` and what is below it. */
export function serveTypes(request: SimulatedRequest, deps: CinderDeps): Reply {
  const { store } = deps;
  const [, id, part, key] = request.segments;
  const types = store.collection(CollectionName.VolumeTypes);
  if (id === undefined) {
    if (request.method === 'POST') return create(request, store);
    return list(request, deps);
  }
  const type = types.get(id);
  if (type === undefined) throw faultRefusal(404, `Volume type ${id} could not be found.`);
  if (part === 'extra_specs') return serveExtraSpecs(request, type, key, store);
  if (part !== undefined) throw absent();
  switch (request.method) {
    case 'GET':
      return { status: 200, body: { volume_type: shown(type) } };
    case 'PUT':
      return update(request, type, store);
    case 'DELETE':
      if (type['name'] === DEFAULT_TYPE) {
        const what = `The volume type ${id} is a default volume type and cannot be deleted.`;
        throw faultRefusal(400, what);
      }
      if (isInUse(type, store)) throw faultRefusal(400, 'Target volume type is still in use.');
      types.delete(id);
      return ACCEPTED;
    default:
      throw absent();
  }
}

function create(request: SimulatedRequest, store: Store): Reply {
  const given = member(request, 'volume_type');
  refuseUnknown(given, CREATED);
  const { name, description = null, extra_specs: specs = {}, [PUBLIC]: isPublic = true } = given;
  if (name === undefined) {
    const where = `Invalid input for field/attribute volume_type. Value: ${pythonRepr(given)}.`;
    throw faultRefusal(400, `${where} 'name' is a required property`);
  }
  checkTexts(given);
  checkKeys(specs, /^[\w:. /-]{1,255}$/);
  refuseTaken(String(name), undefined, store);
  const id = store.newUuid();
  const type: Item = {
    id,
    name,
    description,
    is_public: truthOf(isPublic),
    extra_specs: specs,
    created_at: store.nowWithoutZone(),
  };
  store.collection(CollectionName.VolumeTypes).set(id, type);
  const { qos_specs_id: _, ...reported } = shown(type);
  return { status: 200, body: { volume_type: reported } };
}

function update(request: SimulatedRequest, type: Item, store: Store): Reply {
  const given = member(request, 'volume_type');
  refuseUnknown(given, UPDATED);
  checkTexts(given);
  const { name, description, is_public: isPublic } = given;
  if (name === undefined && description === undefined && isPublic === undefined) {
    throw faultRefusal(400, 'Specify volume type name, description, is_public or a combination thereof.');
  }
  if (name !== undefined) {
    refuseTaken(String(name), String(type['id']), store);
    type['name'] = name;
  }
  if (description !== undefined && description !== null) type['description'] = description;
  if (isPublic !== undefined) type['is_public'] = truthOf(isPublic);
  return { status: 200, body: { volume_type: shown(type) } };
}

/** A key that no type has finds nothing. */
function list(request: SimulatedRequest, { store, maxPageSize }: CinderDeps): Reply {
  const { query } = request;
  const wanted = query.get('is_public');
  const isPublic = wanted === null ? true : wanted.toLowerCase() === 'none' ? undefined : wordOf(wanted);
  if (isPublic === 'neither') throw faultRefusal(400, `Invalid is_public filter [${wanted}]`);
  const filters = [...query].filter(([key]) => key !== 'is_public' && !PAGING.has(key));
  const found = store
    .sorted(CollectionName.VolumeTypes)
    .filter((type) => isPublic === undefined || type['is_public'] === isPublic)
    .filter((type) => filters.every(([key, value]) => sameText(type[key], value)));
  const { page, isFull } = pageOf(request, found, maxPageSize);
  return {
    status: 200,
    body: { volume_types: page.map(shown), ...(isFull && { volume_type_links: nextLink(request, page) }) },
  };
}

function serveExtraSpecs(request: SimulatedRequest, type: Item, key: string | undefined, store: Store): Reply {
  const own = asObject(type['extra_specs']) ?? {};
  if (request.method === 'GET' && key === undefined) return { status: 200, body: { extra_specs: own } };
  const value = key === undefined ? undefined : own[key];
  if (key !== undefined && value === undefined && request.method !== 'PUT') {
    throw faultRefusal(404, `Volume Type ${type['id']} has no extra specs with key ${key}.`);
  }
  if (request.method === 'GET' && key !== undefined) return { status: 200, body: { [key]: value ?? null } };
  if (isInUse(type, store)) throw faultRefusal(400, 'Volume Type is currently in use.');
  if (request.method === 'POST' && key === undefined) {
    const given = member(request, 'extra_specs');
    checkKeys(given, /^[\w:.-]{1,255}$/);
    type['extra_specs'] = { ...own, ...given };
    return { status: 200, body: { extra_specs: given } };
  }
  if (request.method !== 'DELETE' || key === undefined) throw absent();
  type['extra_specs'] = Object.fromEntries(Object.entries(own).filter(([name]) => name !== key));
  return ACCEPTED;
}

function shown({ id, name, description, is_public: isPublic, extra_specs: specs }: Item): JsonObject {
  return {
    id: id ?? '',
    name: name ?? '',
    is_public: isPublic ?? true,
    description: description ?? null,
    extra_specs: specs ?? {},
    qos_specs_id: null,
    [PUBLIC]: isPublic ?? true,
  };
}

function isInUse({ id }: Item, store: Store): boolean {
  return store.sorted(CollectionName.Volumes).some(({ volume_type_id: type }) => type === id);
}

function refuseTaken(name: string, ownId: string | undefined, store: Store): void {
  const types = store.sorted(CollectionName.VolumeTypes);
  if (types.every((type) => type['id'] === ownId || !sameText(type['name'], name))) return;
  throw faultRefusal(409, `Volume Type ${name} already exists.`);
}

function refuseUnknown(given: JsonObject, known: ReadonlySet<string>): void {
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `'${name}'`).join(', ');
  const what = `Additional properties are not allowed (${names} ${unknown.length > 1 ? 'were' : 'was'} unexpected)`;
  throw faultRefusal(400, `Invalid input for field/attribute volume_type. Value: ${pythonRepr(given)}. ${what}`);
}

function checkTexts(given: JsonObject): void {
  for (const name of ['name', 'description']) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    const where = `Invalid input for field/attribute ${name}. Value: ${value}.`;
    if (typeof value !== 'string') throw faultRefusal(400, `${where} ${pythonRepr(value)} is not of type 'string'`);
    if (value.length > 255) throw faultRefusal(400, `${where} '${value}' is too long`);
  }
}

/** Unlike a create, a change takes no spaces in the names of extra specs. */
function checkKeys(specs: Json, form: RegExp): void {
  const wrong = Object.keys(asObject(specs) ?? {}).find((key) => !form.test(key));
  if (wrong === undefined) return;
  const where = `Invalid input for field/attribute extra_specs. Value: ${pythonRepr(specs)}.`;
  throw faultRefusal(400, `${where} '${wrong}' does not match any of the regexes: '${form.source}'`);
}

function wordOf(text: string): boolean | 'neither' {
  const word = text.trim().toLowerCase();
  return TRUE.has(word) ? true : FALSE.has(word) ? false : 'neither';
}

function truthOf(value: Json): boolean {
  const truth = wordOf(String(value));
  if (truth !== 'neither') return truth;
  throw faultRefusal(400, `Invalid input for field/attribute is_public. Value: ${value}.`);
}
