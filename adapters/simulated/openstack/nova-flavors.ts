// Flavors of the simulated Nova, and their extra specs.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { pythonRepr, type Reply, type SimulatedRequest } from './exchange.ts';
import {
  answerPage,
  checkMap,
  checkMembers,
  checkName,
  checkNumber,
  checkText,
  invalid,
  linksOf,
  member,
  notAllowed,
  novaRefusal,
} from './nova-answers.ts';
import type { NovaCollection, NovaDeps } from './nova-resource.ts';
import { CollectionName, type Item } from './store.ts';
import { asObject } from './tokens.ts';

const TRUE: ReadonlySet<Json> = new Set([true, 'True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes']);
const FALSE: ReadonlySet<Json> = new Set([
  false,
  'False',
  'FALSE',
  'false',
  '0',
  'OFF',
  'Off',
  'off',
  'NO',
  'No',
  'no',
]);

export function flavors({ store, maxPageSize }: NovaDeps): NovaCollection {
  const all = store.collection(CollectionName.Flavors);
  return (request) => {
    const [, id, part, key] = request.segments;
    if (id === undefined || id === 'detail') {
      if (id === undefined && request.method === 'POST') return create(request);
      if (request.method !== 'GET') throw notAllowed();
      const wanted = publicity(request.query.get('is_public'));
      const items = store
        .sorted(CollectionName.Flavors)
        .filter((flavor) => wanted === undefined || flavor['os-flavor-access:is_public'] === wanted);
      const show = (flavor: Item): JsonObject =>
        id === 'detail'
          ? shown(request, flavor)
          : {
              id: flavor['id'] ?? null,
              name: flavor['name'] ?? null,
              description: flavor['description'] ?? null,
              links: linksOf(request, 'flavors', flavor['id']),
            };
      return answerPage(request, { items, key: 'flavors', marker: 'id', show, maxPageSize });
    }
    const flavor = all.get(id);
    if (flavor === undefined) throw novaRefusal(404, `Flavor ${id} could not be found.`);
    if (part === 'os-extra_specs') return serveExtraSpecs(request, flavor, key);
    if (part !== undefined) throw novaRefusal(404, 'The resource could not be found.');
    if (request.method === 'GET') return { status: 200, body: { flavor: shown(request, flavor) } };
    if (request.method !== 'DELETE') throw notAllowed();
    all.delete(id);
    return { status: 202 };
  };

  function create(request: SimulatedRequest): Reply {
    const given = member(request, 'flavor');
    checkMembers('flavor', given, {
      required: ['name', 'ram', 'vcpus', 'disk'],
      allowed: [
        'name',
        'id',
        'ram',
        'vcpus',
        'disk',
        'OS-FLV-EXT-DATA:ephemeral',
        'swap',
        'rxtx_factor',
        'os-flavor-access:is_public',
        'description',
      ],
    });
    const name = checkName('name', given['name']);
    const number = (attribute: string, least: number): number =>
      checkNumber(attribute, given[attribute] ?? (least === 0 ? 0 : undefined), least);
    const id = idOf(given['id']) ?? store.newUuid();
    const isPublic = given['os-flavor-access:is_public'] ?? true;
    if (!TRUE.has(isPublic) && !FALSE.has(isPublic))
      throw invalid('os-flavor-access:is_public', isPublic, `${pythonRepr(isPublic)} is not one of its values`);
    const item: Item = {
      id,
      name,
      ram: number('ram', 1),
      vcpus: number('vcpus', 1),
      disk: number('disk', 0),
      swap: number('swap', 0),
      'OS-FLV-EXT-DATA:ephemeral': number('OS-FLV-EXT-DATA:ephemeral', 0),
      'OS-FLV-DISABLED:disabled': false,
      'os-flavor-access:is_public': TRUE.has(isPublic),
      rxtx_factor: given['rxtx_factor'] ?? 1,
      description: given['description'] ?? null,
      extra_specs: {},
    };
    // The real one makes the id the key of a table, too.
    if (all.has(id)) throw novaRefusal(409, `Flavor with ID ${id} already exists.`);
    if ([...all.values()].some((other) => other['name'] === name))
      throw novaRefusal(409, `Flavor with name ${name} already exists.`);
    all.set(id, item);
    return { status: 200, body: { flavor: shown(request, item) } };
  }
}

function idOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  const id = checkText('id', typeof value === 'number' ? String(value) : value);
  if (!/^(?! )[a-zA-Z0-9. _-]+(?<! )$/.test(id))
    throw invalid('id', value, `${pythonRepr(id)} does not match '^(?! )[a-zA-Z0-9. _-]+(?<! )$'`);
  return id;
}

/** Undefined: it does not matter. */
function publicity(text: string | null): boolean | undefined {
  if (text === null) return true;
  if (text.toLowerCase() === 'none') return undefined;
  if (/^(1|t|true|on|y|yes)$/i.test(text)) return true;
  if (/^(0|f|false|off|n|no)$/i.test(text)) return false;
  throw novaRefusal(400, `Invalid is_public filter [${text}]`);
}

/** Up to microversion 2.74 no swap is an empty text. */
function shown(request: SimulatedRequest, flavor: Item): JsonObject {
  return {
    ...flavor,
    swap: flavor['swap'] === 0 ? '' : (flavor['swap'] ?? ''),
    links: linksOf(request, 'flavors', flavor['id']),
  };
}

function serveExtraSpecs(request: SimulatedRequest, flavor: Item, key: string | undefined): Reply {
  const specs = asObject(flavor['extra_specs']) ?? {};
  if (key === undefined) {
    if (request.method === 'GET') return { status: 200, body: { extra_specs: specs } };
    if (request.method !== 'POST') throw notAllowed();
    const given = checkMap('extra_specs', member(request, 'extra_specs'));
    flavor['extra_specs'] = { ...specs, ...given };
    return { status: 200, body: { extra_specs: given } };
  }
  const { [key]: value, ...others } = specs;
  if (value === undefined) throw novaRefusal(404, `Flavor ${flavor['id']} has no extra specs with key ${key}.`);
  if (request.method === 'GET') return { status: 200, body: { [key]: value } };
  if (request.method !== 'DELETE') throw notAllowed();
  flavor['extra_specs'] = others;
  return { status: 200 };
}
