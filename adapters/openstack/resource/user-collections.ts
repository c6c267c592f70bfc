// Collections below a user of Keystone, whose id is in every path.
//
// Invariants:
//   OS-USER-COLLECTIONS-1. Only the collection of the user that an object refers to is ever read.
//   OS-USER-COLLECTIONS-2. An id alone does not identify its user: the user of the credentials is always tried first,
//       then each user that may be listed.
import type { JsonObject } from '../../../bus/bus.ts';
import { TransientError } from '../../../bus/errors.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import { KEYSTONE } from '../base/services.ts';
import { isId } from '../client/ids.ts';
import { HttpError, type Session } from '../client/session.ts';
import type { TableKind } from './table.ts';

const USERS = 'users';

/** Parts of a request that locate the resource of an object. */
type Asked = Pick<OperationRequest, 'object' | 'dependencies' | 'deadlineAt' | 'traceparent'>;

/** The kind with the collection where the resource of an object is, or is to be. @throws {TransientError} the user is not known */
export async function placed(kind: TableKind, session: Session, request: Asked): Promise<TableKind> {
  if (kind.ofUser === undefined) return kind;
  return below(kind, userOf(kind, request) ?? (await session.userId(request)));
}

/** The same, one after the other, for what may be in several (OS-USER-COLLECTIONS-2). @throws as `placed`, and as `Session.list` */
export async function* placesOf(kind: TableKind, session: Session, request: Asked): AsyncGenerator<TableKind, void> {
  yield await placed(kind, session, request);
  // mutant: user-named-looks-at-all if -> $1
  if (kind.ofUser === undefined || userOf(kind, request) !== undefined) return;
  const own = await session.userId(request);
  for (const id of await usersOf(session, request)) if (id !== own) yield below(kind, id);
}

function below(kind: TableKind, userId: string): TableKind {
  return { ...kind, collection: `${USERS}/${encodeURIComponent(userId)}/${kind.collection}` };
}

/** Id of the user that the object refers to; undefined: it refers to none. */
function userOf(
  { ofUser = '', resource, filter }: Pick<TableKind, 'ofUser' | 'resource' | 'filter'>,
  { object: { spec }, dependencies }: Asked,
): string | undefined {
  const imported = (spec?.['import'] as { readonly filter?: JsonObject } | undefined)?.filter;
  const isImported = spec?.['managementPolicy'] === 'unmanaged';
  const name = ((isImported ? imported : spec?.['resource']) as JsonObject | undefined)?.[ofUser];
  const reference = (isImported ? filter : resource)[ofUser]?.schema.reference;
  if (typeof name !== 'string' || reference === undefined) return undefined;
  const known = dependencies[`${reference.kind}/${name}`];
  if (known === undefined) throw new TransientError(`no id is known of ${reference.kind}/${name}`);
  return known.id;
}

async function usersOf(session: Session, { deadlineAt, traceparent }: Asked): Promise<readonly string[]> {
  const call = { service: KEYSTONE.type, path: `/${USERS}`, deadlineAt, traceparent };
  const users = await session.list(call, USERS).catch((error: unknown) => {
    // Without permission to list users, their resources cannot be read either.
    // mutant: users-list-failed === -> $1 >= $2
    if (error instanceof HttpError && error.status === 403) return [];
    throw error;
  });
  return users.flatMap(({ id }) => (isId(id) ? [id] : []));
}
