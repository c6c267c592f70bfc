// Contents of a cloud, by kind, from the tables of the kinds: collection, list request and identity.
import { listCall, resourcesOf } from '../../adapters/openstack/client/wire-format.ts';
import { KINDS } from '../../adapters/openstack/kinds/registry.ts';
import type { Session } from '../../adapters/openstack/mod.ts';
import type { TableKind } from '../../adapters/openstack/resource/table.ts';
import { type JsonObject, TroupeError } from '../../bus/mod.ts';

/** Kinds with a collection in the cloud, by kind. */
export const TABLES: ReadonlyMap<string, TableKind> = new Map(
  KINDS.flatMap((kind) => ('collection' in kind ? [[kind.kind, kind as TableKind] as const] : [])),
);

const BY_COLLECTION: ReadonlyMap<string, TableKind> = new Map(
  [...TABLES.values()].map((kind) => [kind.collection, kind]),
);
const TRACEPARENT = `00-${'e'.repeat(32)}-${'e'.repeat(16)}-01`;

/** @param collection  as its path names it: `security-groups` */
export function tableOf(collection: string): TableKind {
  const table = BY_COLLECTION.get(collection);
  if (table === undefined) throw new Error(`no kind is kept in '${collection}'`);
  return table;
}

export interface ListOptions {
  readonly deadlineAt: number;
  /** Ids of those whose collections are asked for, of a kind that is kept below users, or that a user has for himself. */
  readonly users?: readonly string[];
  readonly query?: readonly (readonly [string, string])[];
}

/** All of a kind that the cloud shows, each with an `id`. */
export async function listAll(
  session: Session,
  kind: TableKind,
  { deadlineAt, users = [], query = [] }: ListOptions,
): Promise<readonly JsonObject[]> {
  const list = (collection: string, more: ListOptions['query'] = []): Promise<readonly JsonObject[]> => {
    const { service, listing } = kind;
    const call = listCall({ service, collection, ...(listing !== undefined && { listing }) }, [...query, ...more]);
    return session.list({ ...call, deadlineAt, traceparent: TRACEPARENT }, kind.members);
  };
  const lists =
    kind.ofUser !== undefined
      ? users.map((user) => list(`users/${user}/${kind.collection}`))
      : [
          list(kind.collection),
          ...(kind.unique === 'user' ? users : []).map((user) => list(kind.collection, [['user_id', user]])),
        ];
  const found = resourcesOf(kind, (await Promise.all(lists)).flat());
  // Somebody may be asked for twice.
  return [...new Map(found.map((item) => [item['id'], item])).values()];
}

/** Where one of a kind is removed. */
export function pathOf(kind: TableKind, item: JsonObject): string {
  const { collection, identity } = kind;
  if (identity !== undefined)
    return identity.path((part) => (item[part] === undefined ? undefined : String(item[part])));
  return `${kind.ofUser === undefined ? '' : `/users/${item['user_id']}`}/${collection}/${encodeURIComponent(String(item['id']))}`;
}

/** Whether the cloud has the service of a kind. */
export async function isOffered(session: Session, kind: TableKind, deadlineAt: number): Promise<boolean> {
  try {
    await listAll(session, kind, { deadlineAt });
    return true;
  } catch (error) {
    if (error instanceof TroupeError && error.message.startsWith('the catalog has no')) return false;
    throw error;
  }
}
