// What a request to the cloud makes, or removes, as the tables of the kinds tell.

import { identityOf } from '../../../../adapters/openstack/client/identity.ts';
import { resourceIn } from '../../../../adapters/openstack/client/wire-format.ts';
import { KINDS } from '../../../../adapters/openstack/kinds/registry.ts';
import type { TableKind } from '../../../../adapters/openstack/resource/table.ts';
import { pathOf } from '../../../../adapters/openstack/resource/update.ts';
import type { JsonObject } from '../../../../bus/mod.ts';

/** A request below the version of a service, which is named as its kinds name it. */
export interface Asked {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface Deed {
  readonly what: 'make' | 'remove';
  readonly kind: string;
  /** Of what is removed, and of what has its id before it is made. */
  readonly id?: string;
  /** Ids of what the new one is built on, and whatever else it is told. */
  readonly uses: ReadonlySet<string>;
}

const TABLES: ReadonlyMap<string, TableKind> = new Map(
  KINDS.filter((kind): kind is TableKind => 'collection' in kind).map((kind) => [kind.kind, kind]),
);
const COLLECTIONS: ReadonlyMap<string, string> = new Map(
  [...TABLES.values()]
    .filter(({ identity }) => identity === undefined)
    .map(({ kind, service, collection, ofUser }) => [
      `${service.type} ${ofUser === undefined ? '' : '/users/*'}/${collection}`,
      kind,
    ]),
);

/** What has no id of its own: where it is, with the parts of its identity in the order of the groups in the expression. */
interface Place {
  readonly kind: TableKind;
  readonly names: readonly string[];
  readonly path: RegExp;
}

const PLACES: readonly Place[] = [...TABLES.values()].flatMap((kind) => {
  const { identity } = kind;
  if (identity === undefined) return [];
  const choices = identity.parts.reduce<readonly (readonly string[])[]>(
    (chosen, group) => chosen.flatMap((names) => group.map((name) => [...names, name])),
    [[]],
  );
  return choices.map((chosen) => {
    const names: string[] = [];
    const path = identity.path((name) => {
      if (!chosen.includes(name)) return undefined;
      if (!names.includes(name)) names.push(name);
      return `<${name}>`;
    });
    // In the order in which the path has them.
    names.sort((one, other) => path.indexOf(`<${one}>`) - path.indexOf(`<${other}>`));
    return { kind, names, path: new RegExp(`^${path.replaceAll(/<[^>]*>/g, '([^/]+)')}$`) };
  });
});

/** Undefined: it only looks, or changes what is there. */
export function deedOf(asked: Asked): Deed | undefined {
  const { service, method, path, body } = asked;
  const segments = path.split('/').slice(1);
  if (segments[2] === 'add_router_interface')
    return { what: 'make', kind: 'RouterInterface', uses: new Set([segments[1] ?? '', subnetOf(body)]) };
  if (method === 'POST') {
    const kind = COLLECTIONS.get(`${service} ${placeOf(segments)}`);
    return kind === undefined ? undefined : { what: 'make', kind, uses: textsIn(body) };
  }
  if (method !== 'DELETE' && method !== 'PUT') return undefined;
  if (method === 'DELETE') {
    const kind = COLLECTIONS.get(`${service} ${placeOf(segments.slice(0, -1))}`);
    const id = decodeURIComponent(segments.at(-1) ?? '');
    if (kind !== undefined) return { what: 'remove', kind, id, uses: new Set() };
  }
  return deedAt(asked);
}

/** Ids of what a request takes off a resource that stays; undefined: it takes off nothing. */
export function takenOffBy({ method, path, body }: Omit<Asked, 'service'>): ReadonlySet<string> | undefined {
  if (method === 'DELETE') return new Set([path.split('/').at(-1) ?? '']);
  return path.endsWith('/remove_subports') ? textsIn(body) : undefined;
}

/** Of what has no id of its own: a PUT makes it, and a DELETE removes it. */
function deedAt({ service, method, path }: Asked): Deed | undefined {
  for (const { kind, names, path: where } of PLACES) {
    const found = service === kind.service.type ? where.exec(path) : null;
    if (found === null || kind.identity === undefined) continue;
    const values = found.slice(1).map(decodeURIComponent);
    const id = identityOf(kind.identity, Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])));
    if (id === undefined) continue;
    return { what: method === 'PUT' ? 'make' : 'remove', kind: kind.kind, id, uses: new Set(values) };
  }
  return undefined;
}

/** The id of what a request has made, as its kind has it. */
export function madeBy({ kind, id }: Deed, answer: unknown): string {
  if (id !== undefined) return id;
  if (kind === 'RouterInterface') return (answer as { readonly port_id: string }).port_id;
  const table = TABLES.get(kind);
  const resource = table && resourceIn(table, answer as JsonObject);
  return String((resource as { readonly id?: unknown } | undefined)?.id ?? '');
}

/** Where a resource is, below the version of its service. What is below a user this cloud shows below any. */
export function pathOfResource(kind: string, id: string): { readonly service: string; readonly path: string } {
  const table = TABLES.get(kind) as TableKind;
  const below = table.ofUser === undefined ? '' : 'users/any/';
  return { service: table.service.type, path: pathOf({ ...table, collection: `${below}${table.collection}` }, id) };
}

/** What may be changed of `spec.resource` without more ado; undefined: nothing of it. */
export function changeOfKind(kind: string, text: string): JsonObject | undefined {
  const { immutable, resource } = TABLES.get(kind) ?? {};
  const { description } = resource ?? {};
  if (EDITS[kind] !== undefined) return EDITS[kind](text);
  const isFixed = immutable === true || description === undefined || description.schema.immutable;
  return isFixed ? undefined : { description: text };
}

/** What is changed of `spec.resource` of what a create whose answer was lost would be found by; undefined: nothing can be. */
export function renamingOf(kind: string, name: string): JsonObject | undefined {
  if (kind === 'Endpoint') return { url: `http://127.0.0.1:9/${name.replaceAll(' ', '-')}` };
  const { immutable, resource, adoption } = TABLES.get(kind) ?? {};
  const { name: named, tags } = resource ?? {};
  if (immutable === true || named === undefined || named.schema.immutable) return undefined;
  const isTagged = adoption?.query.includes('tags') === true && !tags?.schema.immutable;
  return { name, ...(isTagged && { tags: [name.replaceAll(' ', '-')] }) };
}

/** What has no description that may be changed. */
const EDITS: Readonly<Record<string, (text: string) => JsonObject>> = {
  Server: (text) => ({ metadata: [{ key: 'note', value: text }] }),
  Flavor: (text) => ({ extraSpecs: [{ name: 'note', value: text }] }),
  Endpoint: (text) => ({ enabled: text.length % 2 === 0 }),
};

function placeOf(segments: readonly string[]): string {
  const [users, , ...below] = segments;
  return users === 'users' && below.length > 0 ? `/users/*/${below.join('/')}` : `/${segments.join('/')}`;
}

export function subnetOf(body: unknown): string {
  return String((body as { readonly subnet_id?: unknown } | undefined)?.subnet_id);
}

/** All texts of a body: among them the ids of what it refers to. */
export function textsIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value === 'string') found.add(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) textsIn(part, found);
  return found;
}
