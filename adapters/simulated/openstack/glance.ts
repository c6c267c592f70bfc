// The simulated Glance: images and their properties, lists and JSON patches. Their content is in glance-data.ts.
//
// What it does not do: stores, members of shared images, tasks, metadata definitions, caching, locations, quotas, downloads
// (only size and checksums of a content are kept), patches of single tags, and any import but `web-download`. Of schemas its
// complaints are the first line.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import {
  keystoneRefusal,
  pythonRepr,
  Refusal,
  type Reply,
  type SimulatedRequest,
  type TokenRecord,
  UNAUTHENTICATED,
} from './exchange.ts';
import { checkAttribute, EDITABLE, READ_ONLY, RESERVED } from './glance-attributes.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import type { Tokens } from './tokens.ts';

export interface GlanceDeps {
  readonly store: Store;
  readonly tokens: Tokens;
  readonly importMethods: readonly string[];
  /** Begins to fetch a content. */
  readonly onImport: (image: Item, uri: string) => void;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  415: 'Unsupported Media Type',
};
const PATCH = 'application/openstack-images-v2.1-json-patch';
/** Glance's defaults. */
const PAGE = 25;
const LARGEST_PAGE = 1000;

/** Glance's form of an error, for who accepts JSON. */
export function glanceRefusal(status: number, message: string): Refusal {
  const title = TITLES[status] ?? 'Error';
  return new Refusal({ status, body: { message: `${message}<br /><br />\n\n\n`, code: `${status} ${title}`, title } });
}

/** WebOb's own text for a status, where Glance adds only a detail. */
const BY_ITSELF: Readonly<Record<number, string>> = {
  403: 'Access was denied to this resource.',
  409: 'There was a conflict when trying to complete your request.',
};

/** The same, where Glance's words come second. */
function glanceDetail(status: 403 | 409, detail: string): Refusal {
  const title = TITLES[status] ?? 'Error';
  const message = `${BY_ITSELF[status]}<br /><br />\n${detail}\n\n`;
  return new Refusal({ status, body: { message, code: `${status} ${title}`, title } });
}

/** The speaker of a request. @throws {Refusal} there is none */
export function speakerOf({ headers }: SimulatedRequest, tokens: Tokens): TokenRecord {
  const speaker = tokens.find(String(headers['x-auth-token']));
  if (speaker !== undefined) return speaker;
  const { reply } = keystoneRefusal(401, UNAUTHENTICATED);
  throw new Refusal({ ...reply, headers: { 'WWW-Authenticate': 'Keystone uri="http://127.0.0.1/identity"' } });
}

/** The image of this id that the speaker may see. */
export function imageOf(store: Store, id: string, speaker: TokenRecord, doing?: 'delete'): Item {
  const image = store.collection(CollectionName.Images).get(id);
  if (image !== undefined && isVisible(image, speaker, 'known')) return image;
  throw glanceRefusal(
    404,
    doing === undefined ? `No image found with ID ${id}` : `Failed to find image ${id} to delete`,
  );
}

/** Makes the handler of all requests below `/v2` but those that carry content. */
export function glance(deps: GlanceDeps): (request: SimulatedRequest) => Reply {
  const { store, tokens } = deps;
  return (request) => {
    const speaker = speakerOf(request, tokens);
    const [collection, id, part] = request.segments;
    const { method } = request;
    if (collection === 'info' && id === 'import' && method === 'GET') {
      const value = [...deps.importMethods];
      return {
        status: 200,
        body: { 'import-methods': { description: 'Import methods available.', type: 'array', value } },
      };
    }
    if (collection !== 'images') throw glanceRefusal(404, 'The resource could not be found.');
    if (id === undefined) {
      if (method === 'GET') return list(request, store, speaker);
      if (method === 'POST') return create(request, deps, speaker);
      throw glanceRefusal(405, 'The method is not allowed for this resource.');
    }
    if (part === 'import' && method === 'POST') return beginImport(request, imageOf(store, id, speaker), deps);
    if (part !== undefined) throw glanceRefusal(404, 'The resource could not be found.');
    if (method === 'GET') return { status: 200, body: shown(imageOf(store, id, speaker)) };
    if (method === 'PATCH') return patch(request, imageOf(store, id, speaker), store);
    if (method === 'DELETE') return remove(imageOf(store, id, speaker, 'delete'), store);
    throw glanceRefusal(405, 'The method is not allowed for this resource.');
  };
}

function create({ body }: SimulatedRequest, { store, importMethods }: GlanceDeps, speaker: TokenRecord): Reply {
  if (body === 'absent') throw glanceRefusal(400, 'Body expected in request.');
  if (body === 'broken') throw glanceRefusal(400, 'Malformed JSON in request body.');
  for (const [name, value] of Object.entries(body)) {
    if (['self', 'file', 'schema', 'direct_url', 'stores'].includes(name)) throw readOnly(name);
    if (READ_ONLY.has(name) && name !== 'id') throw readOnly(name);
    if (RESERVED.has(name)) throw glanceRefusal(403, `Attribute '${name}' is reserved.`);
    complain(name, value);
  }
  const id = String(body['id'] ?? store.newUuid());
  if (store.collection(CollectionName.Images).has(id)) throw glanceRefusal(409, `Image ID ${id} already exists!`);
  const image: Item = {
    name: null,
    disk_format: null,
    container_format: null,
    visibility: 'shared',
    size: null,
    virtual_size: null,
    status: 'queued',
    checksum: null,
    protected: false,
    min_ram: 0,
    min_disk: 0,
    owner: speaker.projectId ?? null,
    os_hidden: false,
    os_hash_algo: null,
    os_hash_value: null,
    ...body,
    id,
    created_at: store.now(),
    updated_at: store.now(),
    tags: tagsOf(body['tags']),
  };
  store.collection(CollectionName.Images).set(id, image);
  const headers = { Location: `/v2/images/${id}`, 'OpenStack-image-import-methods': importMethods.join() };
  return { status: 201, body: shown(image), headers };
}

/** As the real one shows them: each once, in no order of the user's. */
function tagsOf(tags: Json | undefined): Json {
  return Array.isArray(tags) ? [...new Set(tags.map(String))].sort() : [];
}

function patch({ headers, list: changes, body }: SimulatedRequest, image: Item, store: Store): Reply {
  if (headers['content-type'] !== PATCH)
    throw glanceRefusal(415, 'The request media type is not supported by this resource.');
  if (body === 'absent') throw glanceRefusal(400, 'Body expected in request.');
  if (changes === undefined) throw glanceRefusal(400, 'Request body must be a JSON array of operation objects.');
  const changed: Item = { ...image };
  for (const change of changes) apply(change, changed);
  for (const name of Object.keys(image)) if (!(name in changed)) delete image[name];
  Object.assign(image, changed, { updated_at: store.now() });
  return { status: 200, body: shown(image) };
}

function apply(change: Json, image: Item): void {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    throw glanceRefusal(400, 'Operations must be JSON objects.');
  const { op, path, value } = change as JsonObject;
  if (typeof path !== 'string') throw glanceRefusal(400, "Unable to find 'path' in JSON Schema change");
  if (!path.startsWith('/')) throw glanceRefusal(400, `Pointer \`${path}\` does not start with "/".`);
  const name = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (READ_ONLY.has(name)) throw readOnly(name);
  if (RESERVED.has(name)) throw glanceRefusal(403, `Attribute '${name}' is reserved.`);
  if (op === 'remove') {
    if (EDITABLE.has(name)) throw glanceDetail(403, `Property ${name} may not be removed.`);
    if (!(name in image)) throw glanceDetail(409, `Property ${name} does not exist.`);
    delete image[name];
    return;
  }
  if (op !== 'replace' && op !== 'add')
    throw glanceRefusal(400, `Operation objects must contain exactly one member named "add", "remove", or "replace".`);
  if (value === undefined) throw glanceRefusal(400, 'Operation "replace" requires a member named "value".');
  complain(name, value);
  if (op === 'replace' && !(name in image)) throw glanceDetail(409, `Property ${name} does not exist.`);
  image[name] = name === 'tags' ? tagsOf(value) : value;
}

function complain(name: string, value: Json): void {
  const problemMessage = checkAttribute(name, value);
  if (problemMessage !== undefined)
    throw glanceRefusal(400, `Provided object does not match schema 'image': ${problemMessage}`);
}

function readOnly(name: string): Refusal {
  return glanceRefusal(403, `Attribute '${name}' is read-only.`);
}

function remove(image: Item, store: Store): Reply {
  if (image['protected'] === true) throw glanceRefusal(403, `Image ${image['id']} is protected and cannot be deleted.`);
  store.collection(CollectionName.Images).delete(String(image['id']));
  return { status: 204 };
}

function beginImport({ body }: SimulatedRequest, image: Item, { importMethods, onImport }: GlanceDeps): Reply {
  const given = typeof body === 'string' ? undefined : body['method'];
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw glanceRefusal(400, "Import request requires a 'method' field.");
  const { name, uri } = given as JsonObject;
  if (typeof name !== 'string') throw glanceRefusal(400, "Import request requires a 'name' field.");
  if (!importMethods.includes(name)) throw glanceRefusal(400, `Unknown import method name '${name}'.`);
  if (image['status'] === 'active') throw glanceRefusal(409, 'Image with status active cannot be target for import');
  if (image['status'] !== 'queued')
    throw glanceRefusal(409, `Image needs to be in 'queued' state to use '${name}' method`);
  for (const format of ['container_format', 'disk_format'])
    if (!image[format]) throw glanceRefusal(409, `'${format}' needs to be set before import`);
  if (typeof uri !== 'string' || !/^https?:\/\/(127\.0\.0\.1|localhost)[:/]/.test(uri))
    throw glanceRefusal(400, `URI for web-download does not pass filtering: ${pythonRepr(uri)}`.replaceAll("'", ''));
  onImport(image, uri);
  return { status: 202 };
}

/** An image as it is shown. */
export function shown(image: Item): JsonObject {
  const self = `/v2/images/${image['id']}`;
  return { ...image, self, file: `${self}/file`, schema: '/v2/schemas/image' };
}

/** `known`: to who knows its id; `listed`: in lists that ask for nothing in particular. */
function isVisible(image: Item, { projectId }: TokenRecord, to: 'known' | 'listed'): boolean {
  const { visibility, owner } = image;
  return owner === projectId || visibility === 'public' || (to === 'known' && visibility === 'community');
}

function list({ query, path }: SimulatedRequest, store: Store, speaker: TokenRecord): Reply {
  const limit = limitOf(query.get('limit'));
  const visibility = query.get('visibility');
  if (visibility !== null && !['community', 'public', 'private', 'shared', 'all'].includes(visibility))
    throw glanceRefusal(400, `Invalid visibility value: ${visibility}`);
  const images = store
    .sorted(CollectionName.Images)
    .reverse()
    .sort((one, other) => String(other['created_at']).localeCompare(String(one['created_at'])))
    .filter((image) =>
      isVisible(image, speaker, visibility === 'community' || visibility === 'all' ? 'known' : 'listed'),
    )
    .filter((image) => isWanted(image, query));
  const marker = query.get('marker');
  const start = marker === null ? 0 : images.findIndex(({ id }) => id === marker) + 1;
  if (marker !== null && start === 0) throw glanceRefusal(400, `Invalid marker. Image could not be found.`);
  const page = images.slice(start, start + limit);
  const body: Record<string, Json> = { images: page.map(shown), schema: '/v2/schemas/images' };
  const others = new URLSearchParams(query);
  others.delete('marker');
  body['first'] = `/v2${path}${others.size === 0 ? '' : `?${others}`}`;
  if (page.length === limit && limit > 0) {
    others.set('marker', String(page.at(-1)?.['id']));
    body['next'] = `/v2${path}?${others}`;
  }
  return { status: 200, body };
}

function limitOf(text: string | null): number {
  if (text === null) return PAGE;
  if (!/^-?\d+$/.test(text)) throw glanceRefusal(400, 'limit param must be an integer');
  if (Number(text) < 0) throw glanceRefusal(400, 'limit param must be positive');
  return Math.min(Number(text), LARGEST_PAGE);
}

/** Whether it meets all filters; a property that it does not have is met by nothing. */
function isWanted(image: Item, query: URLSearchParams): boolean {
  const tags = query.getAll('tag');
  const own = image['tags'] as readonly Json[];
  if (!tags.every((tag) => own.includes(tag))) return false;
  return [...query].every(([key, value]) => {
    if (['tag', 'limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'member_status'].includes(key)) return true;
    if (key === 'visibility' && value === 'all') return true;
    const wanted = value.startsWith('in:') ? value.slice(3).split(',') : [value];
    return wanted.includes(String(image[key]));
  });
}
