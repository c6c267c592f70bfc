// The attributes of a request by which it is authorized. Read from method, path and query alone: a request is
// authorized before the existence of its object is checked.

export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const NAMESPACE_SUBRESOURCES = ['status', 'finalize'];

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

/** The name that a list is narrowed to, which then counts as the name of the request. */
function selectedName(query: URLSearchParams): string {
  const clauses = (query.get('fieldSelector') ?? '').split(',');
  return clauses.map((clause) => /^metadata\.name==?([^=!]+)$/.exec(clause)?.[1]).find((name) => name) ?? '';
}

export function attributesOf(method: string, path: string, query: URLSearchParams, watching: boolean): Attributes {
  const byPath: PathAttributes = { kind: 'path', verb: method.toLowerCase(), path };
  const [root, ...segments] = path.replace(/^\/+|\/+$/g, '').split('/');
  if (root !== 'api' && root !== 'apis') return byPath;
  let parts = segments.map(decoded);
  if (parts.length < (root === 'api' ? 2 : 3)) return byPath;
  const group = root === 'api' ? '' : (parts[0] ?? '');
  parts = parts.slice(root === 'api' ? 1 : 2);
  const isOldWatch = parts[0] === 'watch' && parts.length > 1;
  if (isOldWatch) parts = parts.slice(1);
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] ?? '';
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.includes(parts[2] ?? '')) parts = parts.slice(2);
  }
  const [resource = '', given = '', subresource = ''] = parts;
  let verb = isOldWatch ? 'watch' : (VERBS[method] ?? '');
  let name = given;
  if (name === '' && verb === 'get') {
    name = selectedName(query);
    verb = watching ? 'watch' : 'list';
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection';
  return { kind: 'resource', verb, group, resource, subresource, namespace, name };
}
