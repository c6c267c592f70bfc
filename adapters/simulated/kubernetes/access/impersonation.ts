// Impersonation: the `Impersonate-*` headers, each of which the caller must be allowed to use.
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../base/api-error.ts';
import type { ResourceAttributes } from './attributes.ts';
import type { Access } from './rbac.ts';
import { ANONYMOUS, accountGroups, accountOf, type User } from './user.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
const AUTHENTICATION_GROUP = 'authentication.k8s.io';

/** Headers with all their values, as Node's `headersDistinct`. */
export type DistinctHeaders = NodeJS.Dict<string[]>;

/** Whether there is anything to do: most requests have none of the headers. */
export function isImpersonating(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

/**
 * The user that a request is to be made as.
 *
 * @throws {ApiError} 400 the headers name no user; 403 the user must not use one of them
 */
export function impersonated(user: User, headers: DistinctHeaders, access: Access): User {
  const name = textOf(headers['impersonate-user']?.[0] ?? '');
  const groups = (headers['impersonate-group'] ?? []).map(textOf);
  const uid = headers['impersonate-uid']?.[0] ?? '';
  const extra = extraOf(headers);
  const extras = Object.entries(extra).flatMap(([key, values]) => values.map((value) => ({ key, value })));
  if (name === '') {
    const shown = [
      ...groups.map((group) => `{Group  ${group}    }`),
      ...extras.map(({ key, value }) => `{UserExtra  ${value}  ${AUTHENTICATION_GROUP}/v1  ${key}}`),
      ...(uid === '' ? [] : [`{UID  ${uid}  ${AUTHENTICATION_GROUP}/v1  }`]),
    ];
    if (shown.length === 0) return user;
    throw badRequest(`requested [${shown.join(' ')}] without impersonating a user`);
  }
  const account = accountOf(name);
  const demand = (what: Partial<ResourceAttributes>): void =>
    access.demand(user, { ...NOTHING, ...what, verb: 'impersonate' });
  if (account === undefined) demand({ resource: 'users', name });
  else demand({ resource: 'serviceaccounts', namespace: account.namespace, name: account.name });
  for (const group of groups) demand({ resource: 'groups', name: group });
  for (const { key, value } of extras) {
    demand({ group: AUTHENTICATION_GROUP, resource: 'userextras', subresource: key, name: value });
  }
  if (uid !== '') demand({ group: AUTHENTICATION_GROUP, resource: 'uids', name: uid });
  return { name, uid, groups: completed(name, groups, account?.namespace), extra };
}

const NOTHING: ResourceAttributes = {
  kind: 'resource',
  verb: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

/** Groups that all users of a sort are in. */
function completed(name: string, asked: readonly string[], namespace: string | undefined): string[] {
  const groups = asked.length === 0 && namespace !== undefined ? accountGroups(namespace) : [...asked];
  const [unauthenticated = ''] = ANONYMOUS.groups;
  if (groups.includes('system:authenticated') || groups.includes(unauthenticated)) return groups;
  return [...groups, name === ANONYMOUS.name ? unauthenticated : 'system:authenticated'];
}

function extraOf(headers: DistinctHeaders): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [header, values] of Object.entries(headers)) {
    if (!header.startsWith(EXTRA_PREFIX) || values === undefined) continue;
    extra[decoded(header.slice(EXTRA_PREFIX.length)).toLowerCase()] = values;
  }
  return extra;
}

/** Node reads one character per byte, and clients send UTF-8. */
function textOf(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch (error) {
    if (error instanceof URIError) return key;
    throw error;
  }
}
