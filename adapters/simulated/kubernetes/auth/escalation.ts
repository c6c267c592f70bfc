// A user grants by a role or a binding only what the user has, unless a rule permits more.

import { dig, isMap, type JsonMap, same, stringOf } from '../../../text/json.ts';
import { joined, missingRole, RBAC_GROUP } from '../access/rbac.ts';
import { type PolicyRule, rulesIn, rulesOf, uncovered } from '../access/rules.ts';
import { isMaster } from '../access/user.ts';
import { forbiddenError, notFound } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Api, ResourceRequest } from '../resources/api.ts';
import { resourceSubject } from '../resources/registry.ts';

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

/** Checks a role that is about to be created or changed. @throws {ApiError} 403 */
export function admitRole(api: Api, request: ResourceRequest, next: KubeObject, old: KubeObject | undefined): void {
  const { user, resource, name } = request;
  if (isMaster(user) || (old !== undefined && isOnlyReleased(next, old))) return;
  if (isAllowed(api, request, 'escalate', resource.plural, name)) return;
  demandHeld(api, request, next, rulesIn(next));
  if (!isMap(next['aggregationRule']) && !isMap(old?.['aggregationRule'])) return;
  if (missingFor(api, request, EVERYTHING).rules.length === 0) return;
  const why = 'must have cluster-admin privileges to use the aggregationRule';
  throw forbiddenError(resourceSubject(resource), next.metadata.name ?? '', why);
}

/** Checks a binding that is about to be created or changed. @throws {ApiError} 403; 404 its role is not there */
export function admitBinding(api: Api, request: ResourceRequest, next: KubeObject, old: KubeObject | undefined): void {
  const { user, resource } = request;
  if (isMaster(user) || (old !== undefined && isOnlyReleased(next, old))) return;
  const kind = stringOf(dig(next, 'roleRef', 'kind'));
  const name = stringOf(dig(next, 'roleRef', 'name'));
  if (isAllowed(api, request, 'bind', kind === 'Role' ? 'roles' : 'clusterroles', name)) return;
  const role = api.access.roleOf({ kind, name }, request.namespace);
  if (role === undefined) throw notFound(resourceSubject(resource), name);
  demandHeld(api, request, next, rulesOf(role));
}

/** Whether owners and finalizers are all that differs: what the garbage collector needs to do. */
function isOnlyReleased(next: KubeObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...body }: KubeObject): JsonMap => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, ...kept } = metadata;
    return { ...body, metadata: kept };
  };
  return same(rest(next), rest(old));
}

function isAllowed(
  { access }: Api,
  { user, namespace }: ResourceRequest,
  verb: string,
  resource: string,
  name: string,
): boolean {
  const attributes = { kind: 'resource', verb, group: RBAC_GROUP, resource, subresource: '', namespace, name } as const;
  return access.decide(user, attributes).allowed;
}

function missingFor(
  { access }: Api,
  { user, namespace, resource }: ResourceRequest,
  wanted: readonly PolicyRule[],
): { readonly rules: readonly string[]; readonly problems: readonly string[] } {
  const held: PolicyRule[] = [];
  const problems: string[] = [];
  for (const { role, roleRef } of access.grants(user, namespace)) {
    // Named by the resource of the request, as the API server does.
    if (role === undefined) problems.push(missingRole({ kind: resource.plural, name: roleRef.name }));
    else held.push(...rulesOf(role));
  }
  return { rules: uncovered(held, wanted), problems };
}

/** @throws {ApiError} 403, which lists what is not held */
function demandHeld(api: Api, request: ResourceRequest, next: KubeObject, wanted: readonly PolicyRule[]): void {
  const { rules, problems } = missingFor(api, request, wanted);
  if (rules.length === 0) return;
  const { user, resource } = request;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const resolution = problems.length === 0 ? '' : `; resolution errors: [${joined(problems)}]`;
  const why = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${rules.join('\n')}${resolution}`;
  throw forbiddenError(resourceSubject(resource), next.metadata.name ?? '', why);
}
