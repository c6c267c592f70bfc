// Who may do what: role-based access control over the roles and bindings in the store.
//
// Invariants:
//   R1. Nothing is allowed that no rule allows; there are no rules that forbid.
//   R2. A decision looks at the bindings of the user and of the user's groups only, however many there are.
//   R3. For members of system:masters nothing is looked up.
import { dig, type KubeObject, listOf, mapOf, stringOf } from '../json.ts';
import { storeKeyOf } from '../kinds/resources.ts';
import type { Collection, Store } from '../storage/store.ts';
import { ApiError, forbiddenError } from '../wire/api-error.ts';
import type { Attributes } from './attributes.ts';
import { allows, rulesOf } from './rules.ts';
import { accountUserName, isMaster, type User } from './user.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
export const ROLES_KEY = storeKeyOf(RBAC_GROUP, 'roles');
export const CLUSTER_ROLES_KEY = storeKeyOf(RBAC_GROUP, 'clusterroles');
export const ROLE_BINDINGS_KEY = storeKeyOf(RBAC_GROUP, 'rolebindings');
export const CLUSTER_ROLE_BINDINGS_KEY = storeKeyOf(RBAC_GROUP, 'clusterrolebindings');

export interface Decision {
  readonly allowed: boolean;
  /** Which binding allowed it, or which roles could not be found; empty otherwise. */
  readonly reason: string;
}

/** What a binding gives a user: the rules of its role, or nothing because the role is not there. */
export interface Grant {
  readonly role: KubeObject | undefined;
  readonly roleKind: string;
  readonly roleName: string;
  readonly reason: () => string;
}

export interface Access {
  decide(user: User, attributes: Attributes): Decision;
  /** @throws {ApiError} 403 */
  demand(user: User, attributes: Attributes): void;
  /** What a user was given in a namespace and in all, or with an empty namespace in all. */
  grants(user: User, namespace: string): Iterable<Grant>;
  /** The role that a binding refers to. */
  roleOf(binding: KubeObject): KubeObject | undefined;
}

export function rbac(store: Store): Access {
  const clusterRoles = store.collection(CLUSTER_ROLES_KEY);
  const roles = store.collection(ROLES_KEY);
  const everywhere = bindingIndex(store.collection(CLUSTER_ROLE_BINDINGS_KEY));
  const inNamespaces = bindingIndex(store.collection(ROLE_BINDINGS_KEY));

  const roleOf = (binding: KubeObject): KubeObject | undefined => {
    const name = stringOf(dig(binding, 'roleRef', 'name'));
    const isRole = dig(binding, 'roleRef', 'kind') === 'Role';
    return (isRole ? roles.get(binding.metadata.namespace ?? '', name) : clusterRoles.get('', name))?.object;
  };

  function* grants(user: User, namespace: string): Generator<Grant> {
    yield* given(everywhere.of(user, ''));
    if (namespace !== '') yield* given(inNamespaces.of(user, namespace));
  }
  function* given(found: Iterable<Bound>): Generator<Grant> {
    for (const { binding, subject } of found) {
      const { kind: roleKind, name: roleName } = mapOf(binding['roleRef']);
      yield {
        role: roleOf(binding),
        roleKind: stringOf(roleKind),
        roleName: stringOf(roleName),
        reason: () => reasonOf(binding, subject),
      };
    }
  }

  const decide = (user: User, attributes: Attributes): Decision => {
    if (isMaster(user)) return { allowed: true, reason: '' }; // R3
    const missing: string[] = [];
    for (const { role, roleKind, roleName, reason } of grants(user, scopeOf(attributes))) {
      if (role === undefined) missing.push(missingRole(roleKind.toLowerCase(), roleName));
      else if (rulesOf(role).some((rule) => allows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: ${reason()}` };
      }
    }
    return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${joined(missing)}` };
  };

  return {
    decide,
    demand(user, attributes) {
      const { allowed, reason } = decide(user, attributes);
      if (!allowed) throw refusal(user, attributes, reason);
    },
    grants,
    roleOf,
  };
}

const scopeOf = (attributes: Attributes): string => (attributes.kind === 'resource' ? attributes.namespace : '');

/** @param kind  as the message at hand names it */
export const missingRole = (kind: string, name: string): string => `${kind}.${RBAC_GROUP} "${name}" not found`;

/** Several messages as one. */
export function joined(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/** The 403 that says who must not do what. */
export function refusal({ name: user }: User, attributes: Attributes, reason: string): ApiError {
  const because = reason === '' ? '' : `: ${reason}`;
  if (attributes.kind === 'path') {
    const what = `User ${JSON.stringify(user)} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`;
    return new ApiError(403, 'Forbidden', `forbidden: ${what}${because}`, {});
  }
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = `User ${JSON.stringify(user)} cannot ${verb} resource "${full}" in API group "${group}" ${where}`;
  return forbiddenError({ group, name: resource }, name, what + because);
}

interface Bound {
  readonly binding: KubeObject;
  readonly subject: Subject;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

interface BindingIndex {
  /** The bindings that name a user or one of the user's groups. */
  of(user: User, namespace: string): Iterable<Bound>;
}

/** Bindings by namespace and subject, kept up to date. */
function bindingIndex(collection: Collection): BindingIndex {
  const bySubject = new Map<string, Map<string, Bound>>();
  const keys = ({ metadata: { namespace = '', name = '' }, ...rest }: KubeObject): [string, string, Subject][] =>
    listOf(rest['subjects']).map((raw) => {
      const subject = subjectOf(raw, namespace);
      return [`${namespace}\n${subjectKey(subject)}`, name, subject];
    });
  const add = (binding: KubeObject): void => {
    for (const [key, name, subject] of keys(binding)) {
      const found = bySubject.get(key) ?? new Map<string, Bound>();
      bySubject.set(key, found.set(name, { binding, subject }));
    }
  };
  const remove = (binding: KubeObject): void => {
    for (const [key, name] of keys(binding)) {
      const found = bySubject.get(key);
      found?.delete(name);
      if (found?.size === 0) bySubject.delete(key);
    }
  };
  for (const { object } of collection.list(undefined, '')) add(object);
  collection.listen(({ type, stored, previous }) => {
    if (previous !== undefined) remove(previous.object);
    if (type !== 'DELETED') add(stored.object);
  });
  return {
    *of({ name, groups }, namespace) {
      for (const subject of [`User:${name}`, ...groups.map((group) => `Group:${group}`)]) {
        yield* bySubject.get(`${namespace}\n${subject}`)?.values() ?? [];
      }
    },
  };
}

function subjectOf(raw: unknown, namespace: string): Subject {
  const { kind, name, namespace: own } = mapOf(raw);
  return { kind: stringOf(kind), name: stringOf(name), namespace: stringOf(own) || namespace };
}

/** A service account is bound by the name of its user. */
function subjectKey({ kind, name, namespace }: Subject): string {
  return kind === 'ServiceAccount' ? `User:${accountUserName(namespace, name)}` : `${kind}:${name}`;
}

function reasonOf(binding: KubeObject, { kind, name, namespace }: Subject): string {
  const { name: own = '', namespace: place = '' } = binding.metadata;
  const shown = place === '' ? own : `${own}/${place}`;
  const { kind: roleKind, name: roleName } = mapOf(binding['roleRef']);
  const who = kind === 'ServiceAccount' ? `${name}/${namespace}` : name;
  return `allowed by ${binding.kind} "${shown}" of ${stringOf(roleKind)} "${stringOf(roleName)}" to ${kind} "${who}"`;
}
