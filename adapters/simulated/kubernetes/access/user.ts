// The user of a request: names, groups and other proven facts.
import type { JsonMap } from '../../../text/json.ts';

export interface User {
  readonly name: string;
  /** Empty when the authenticator gives none. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const ANONYMOUS: User = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} };

/** The bearer of the kubeconfig's token; named as kubeadm names the administrator. */
export const ADMIN: User = {
  name: 'kubernetes-admin',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
};

/** Members of this group may do anything; nothing is looked up for them. */
export const isMaster = ({ groups }: User): boolean => groups.includes('system:masters');

const ACCOUNT_PREFIX = 'system:serviceaccount:';

export const accountUserName = (namespace: string, name: string): string => `${ACCOUNT_PREFIX}${namespace}:${name}`;

export const accountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** The service account that a user name is one of, or undefined. */
export function accountOf(userName: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!userName.startsWith(ACCOUNT_PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = userName.slice(ACCOUNT_PREFIX.length).split(':');
  return rest.length > 0 || namespace === '' || name === '' ? undefined : { namespace, name };
}

/** A user as the API shows one. */
export function userInfo({ name, uid, groups, extra }: User): JsonMap {
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
