// Role assignments of the simulated Keystone: made and removed at the path that they are, and listed apart from that.
import type { JsonObject } from '../../../bus/bus.ts';
import { keystoneRefusal, NOT_ALLOWED, type Reply, type SimulatedRequest } from './exchange.ts';
import { listLinks } from './keystone-requests.ts';
import { CollectionName, type Item, type Store } from './store.ts';

/** `/projects/<id>/users/<id>/roles/<id>`, and what is inherited by the projects below. */
const GRANT =
  /^(\/OS-INHERIT)?\/(projects|domains)\/([^/]+)\/(users|groups)\/([^/]+)\/roles\/([^/]+)(\/inherited_to_projects)?$/;

interface Grant {
  readonly role: string;
  readonly actor: string;
  readonly actorKind: 'user' | 'group';
  readonly target: string;
  readonly targetKind: 'project' | 'domain';
  readonly inherited: boolean;
}

export function isGrant({ path }: SimulatedRequest): boolean {
  const [, prefix, , , , , , suffix] = GRANT.exec(path) ?? [];
  return GRANT.test(path) && (prefix === undefined) === (suffix === undefined);
}

export function serveGrant({ path, method }: SimulatedRequest, store: Store): Reply {
  const [, prefix, targets, target = '', actors, actor = '', role = ''] = GRANT.exec(path) ?? [];
  const grant: Grant = {
    role: decodeURIComponent(role),
    actor: decodeURIComponent(actor),
    actorKind: actors === 'users' ? 'user' : 'group',
    target: decodeURIComponent(target),
    targetKind: targets === 'projects' ? 'project' : 'domain',
    inherited: prefix !== undefined,
  };
  if (!['GET', 'HEAD', 'PUT', 'DELETE'].includes(method)) return NOT_ALLOWED;
  const found = itemOf(store, CollectionName.Roles, 'role', grant.role);
  if (method !== 'DELETE') itemOf(store, collectionOf(grant.actorKind), grant.actorKind, grant.actor);
  const scope = itemOf(store, collectionOf(grant.targetKind), grant.targetKind, grant.target);
  const grants = store.collection(CollectionName.RoleAssignments);
  const key = [grant.target, grant.actor, grant.role, String(grant.inherited)].join('/');
  if (method === 'PUT') {
    if (grant.targetKind === 'project' && found['domain_id'] !== null && found['domain_id'] !== scope['domain_id']) {
      const where = `Project ${grant.target} must be in the same domain as the role ${grant.role} being assigned.`;
      throw keystoneRefusal(403, where);
    }
    grants.set(key, { id: key, ...grant });
    return { status: 204 };
  }
  if (!grants.has(key)) {
    const what = `role: ${grant.role}, user or group: ${grant.actor}, project, domain, or system: ${grant.target}`;
    throw keystoneRefusal(404, `Could not find role assignment with ${what}.`);
  }
  if (method === 'DELETE') grants.delete(key);
  return { status: 204 };
}

export function serveAssignments(request: SimulatedRequest, store: Store): Reply {
  const { query, baseUrl } = request;
  const asked = (name: string): string | null => query.get(name);
  if (asked('scope.domain.id') !== null && asked('scope.project.id') !== null)
    throw keystoneRefusal(400, 'Specify a domain or project, not both');
  if (asked('user.id') !== null && asked('group.id') !== null)
    throw keystoneRefusal(400, 'Specify a user or group, not both');
  const listed = (store.sorted(CollectionName.RoleAssignments) as unknown as Grant[]).filter(
    ({ role, actor, actorKind, target, targetKind }) =>
      [
        ['role.id', role],
        [`${actorKind}.id`, actor],
        [`scope.${targetKind}.id`, target],
      ].every(([name = '', value]) => (asked(name) ?? value) === value) &&
      asked(actorKind === 'user' ? 'group.id' : 'user.id') === null &&
      asked(targetKind === 'project' ? 'scope.domain.id' : 'scope.project.id') === null,
  );
  const shown = listed.map(({ role, actor, actorKind, target, targetKind, inherited }): JsonObject => {
    const path = `/${targetKind}s/${target}/${actorKind}s/${actor}/roles/${role}`;
    return {
      role: { id: role },
      [actorKind]: { id: actor },
      scope: { [targetKind]: { id: target }, ...(inherited && { 'OS-INHERIT:inherited_to': 'projects' }) },
      links: { assignment: `${baseUrl}${inherited ? `/OS-INHERIT${path}/inherited_to_projects` : path}` },
    };
  });
  return { status: 200, body: { role_assignments: shown, links: listLinks(request) } };
}

/** Assignments to, or on, a deleted item are deleted. */
export function forgetGrants(store: Store): void {
  const grants = store.collection(CollectionName.RoleAssignments);
  for (const [key, item] of grants) {
    const { role, actor, actorKind, target, targetKind } = item as unknown as Grant;
    const isWhole =
      store.collection(CollectionName.Roles).has(role) &&
      store.collection(collectionOf(actorKind)).has(actor) &&
      store.collection(collectionOf(targetKind)).has(target);
    if (!isWhole) grants.delete(key);
  }
}

function collectionOf(kind: Grant['actorKind'] | Grant['targetKind']): CollectionName {
  return {
    user: CollectionName.Users,
    group: CollectionName.Groups,
    project: CollectionName.Projects,
    domain: CollectionName.Domains,
  }[kind];
}

function itemOf(store: Store, collection: CollectionName, what: string, id: string): Item {
  const item = store.collection(collection).get(id);
  if (item === undefined) throw keystoneRefusal(404, `Could not find ${what}: ${id}.`);
  return item;
}
