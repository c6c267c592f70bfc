// Authorization: role-based access control over the roles and bindings in the store.
//
// Invariants:
//   KSIM-RBAC-1. Nothing is allowed that no rule allows; there are no rules that forbid.
//   KSIM-RBAC-2. A decision looks at the bindings of the user and of the user's groups only, however many there are.
//   KSIM-RBAC-3. For members of system:masters nothing is looked up.

import { listOf, mapOf, stringOf } from '../../../text/json.ts';
import { ApiError, forbiddenError } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import type { Collection, Store } from '../storage/store.ts';
import type { Stored } from '../storage/stored.ts';
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
  /** The binding that allowed it, or the roles that could not be found; empty otherwise. */
  readonly reason: string;
}

/** The grant of a binding: the rules of its role, or nothing because the role does not exist. */
export interface Grant {
  readonly role: Stored | undefined;
  readonly roleRef: RoleRef;
  readonly reason: () => string;
}

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

export interface Access {
  decide(user: User, attributes: Attributes): Decision;
  /** @throws {ApiError} 403 */
  demand(user: User, attributes: Attributes): void;
  /** The grants of a user in a namespace and in all, or with an empty namespace in all. */
  grants(user: User, namespace: string): Iterable<Grant>;
  /** The role that a binding refers to; a Role is looked for in `namespace`. */
  roleOf(roleRef: RoleRef, namespace: string): Stored | undefined;
}

export function rbac(store: Store): Access {
  const clusterRoles = store.collection(CLUSTER_ROLES_KEY);
  const roles = store.collection(ROLES_KEY);
  const everywhere = bindingIndex(store.collection(CLUSTER_ROLE_BINDINGS_KEY));
  const inNamespaces = bindingIndex(store.collection(ROLE_BINDINGS_KEY));

  const roleOf = ({ kind, name }: RoleRef, namespace: string): Stored | undefined =>
    kind === 'Role' ? roles.get(namespace, name) : clusterRoles.get('', name);

  function* given(found: Iterable<Bound>): Generator<Grant> {
    for (const bound of found) {
      const { roleRef, namespace } = bound;
      yield { role: roleOf(roleRef, namespace), roleRef, reason: () => reasonOf(bound) };
    }
  }
  function* grants(user: User, namespace: string): Generator<Grant> {
    yield* given(everywhere.of(user, ''));
    if (namespace !== '') yield* given(inNamespaces.of(user, namespace));
  }

  const decide = (user: User, attributes: Attributes): Decision => {
    if (isMaster(user)) return { allowed: true, reason: '' }; // KSIM-RBAC-3
    const missing: string[] = [];
    for (const { role, roleRef, reason } of grants(user, scopeOf(attributes))) {
      if (role === undefined) missing.push(missingRole(roleRef));
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

export const missingRole = ({ kind, name }: RoleRef): string =>
  `${kind.toLowerCase()}.${RBAC_GROUP} "${name}" not found`;

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
  if (resource === '') return new ApiError(403, 'Forbidden', `forbidden: ${what}${because}`, { name });
  return forbiddenError({ group, name: resource }, name, what + because);
}

/** One subject of one binding. */
interface Bound {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
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
  const add = (binding: KubeObject): void => {
    for (const bound of boundBy(binding)) {
      const key = keyOf(bound);
      const found = bySubject.get(key) ?? new Map<string, Bound>();
      bySubject.set(key, found.set(bound.name, bound));
    }
  };
  const remove = (binding: KubeObject): void => {
    for (const bound of boundBy(binding)) {
      const key = keyOf(bound);
      const found = bySubject.get(key);
      found?.delete(bound.name);
      if (found?.size === 0) bySubject.delete(key);
    }
  };
  collection.follow(({ type, stored, previous }) => {
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

function boundBy(binding: KubeObject): Bound[] {
  const { name = '', namespace = '' } = binding.metadata;
  const { kind: roleKind, name: roleName } = mapOf(binding['roleRef']);
  const roleRef = { kind: stringOf(roleKind), name: stringOf(roleName) };
  return listOf(binding['subjects']).map((raw) => {
    const subject = mapOf(raw);
    return {
      kind: binding.kind,
      name,
      namespace,
      roleRef,
      subject: {
        kind: stringOf(subject['kind']),
        name: stringOf(subject['name']),
        namespace: stringOf(subject['namespace']) || namespace,
      },
    };
  });
}

/** A service account is bound by the name of its user. */
function keyOf({ namespace: place, subject: { kind, name, namespace } }: Bound): string {
  const who = kind === 'ServiceAccount' ? `User:${accountUserName(namespace, name)}` : `${kind}:${name}`;
  return `${place}\n${who}`;
}

function reasonOf({ kind, name, namespace, roleRef, subject }: Bound): string {
  const binding = namespace === '' ? name : `${name}/${namespace}`;
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace}` : subject.name;
  return `allowed by ${kind} "${binding}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${who}"`;
}
