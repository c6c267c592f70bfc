// Metadata of every service: its versions, collections, errors and OpenAPI document.
import type { Version } from '../../model/mod.ts';
import { BUILT_IN_TYPES } from '../../model/mod.ts';
import { openApi } from '../../openapi/mod.ts';
import { type ErrorForm, knownErrors } from '../envelope/errors.ts';
import { refuse } from '../envelope/faults.ts';
import { type Query, queryValue } from '../envelope/query.ts';
import type { Tree } from '../routes/tree.ts';
import type { Answer } from './call.ts';
import type { Served } from './served.ts';

export interface MetadataDeps {
  /** Version of this program. */
  readonly build: string;
  readonly prefixes: ErrorForm['prefixes'];
}

const LARGEST_SIZE = 65_500;
/** Made when they are asked for: a large one takes a while. */
const documents = new WeakMap<Version, string>();

/**
 * Answers the paths that are the same for every model, unless the model has them itself.
 *
 * @param segments  of the path, decoded
 * @returns undefined for another path
 * @throws {RefusedRequest}
 */
export function metadata(
  served: Served,
  segments: readonly string[],
  query: Query,
  deps: MetadataDeps,
): Answer | undefined {
  const [api, service, version, what, id, ...others] = segments;
  if (api !== 'api' || others.length > 0) return undefined;
  if (service === undefined) return json({ kind: 'APIList', items: [...served.services.keys()].map(apiEntry) });
  const versions = served.services.get(service);
  if (versions === undefined) return undefined;
  if (version === undefined)
    // mutant: gateway-no-versions []#1 -> []
    return json({ ...apiEntry(service), versions: [...versions.keys()].map(versionEntry(service)) });
  const tree = versions.get(version);
  if (tree?.root === undefined) return undefined;
  if (what === undefined) {
    return tree.root.operations.has('GET') ? undefined : json(versionDocument(tree, deps));
  }
  if (tree.root.fixed.has(what) || tree.root.actions.has(what)) return undefined;
  // mutant: gateway-no-document if -> false
  if (what === 'openapi' && id === undefined) return { status: 200, body: documentOf(tree.version) };
  if (what !== 'errors') return undefined;
  return errors(tree.version, id, query, deps);
}

function errors(version: Version, id: string | undefined, query: Query, { prefixes }: MetadataDeps): Answer {
  const all = knownErrors(version, prefixes);
  if (id !== undefined) {
    const found = all.find((each) => 'id' in each && each.id === id);
    return found === undefined ? refuse(404, `Error '${id.slice(0, 100)}' not found`) : json(found);
  }
  const page = numberOf(query, 'page') ?? 1;
  if (page < 1) refuse(400, `The query parameter 'page' must be at least 1, and not '${page}'`);
  const asked = numberOf(query, 'size') ?? 100;
  const size = asked < 0 ? LARGEST_SIZE : asked;
  const items = all.slice((page - 1) * size, page * size);
  return json({ kind: 'ErrorList', page, size: items.length, total: all.length, items });
}

function numberOf(query: Query, name: string): number | undefined {
  const text = query.text(name);
  const type = BUILT_IN_TYPES.get(name === 'size' ? 'long' : 'integer');
  return text === undefined || type === undefined ? undefined : Number(queryValue(type, text, name));
}

function versionDocument({ version, root }: Tree, { build }: MetadataDeps): object {
  const collections = [...(root?.fixed ?? [])].flatMap(([segment, node]) => {
    const list = node.operations.get('GET');
    const type = list?.method.kind === 'List' ? list.collection?.type : undefined;
    // mutant: gateway-no-collections ?: -> []
    return type === undefined
      ? []
      : [{ id: segment, kind: `${type.name.camel}List`, href: `${version.url}/${segment}` }];
  });
  const name = version.name.snake;
  return { kind: 'APIVersion', id: name, href: version.url, server_version: build, collections };
}

function apiEntry(service: string): object {
  return { kind: 'API', id: service, href: `/api/${service}` };
}

function versionEntry(service: string): (version: string) => object {
  return (version) => ({ kind: 'APIVersion', id: version, href: `/api/${service}/${version}` });
}

function documentOf(version: Version): string {
  const known = documents.get(version);
  if (known !== undefined) return known;
  const document = openApi(version);
  documents.set(version, document);
  return document;
}

function json(value: object): Answer {
  return { status: 200, body: JSON.stringify(value) };
}
