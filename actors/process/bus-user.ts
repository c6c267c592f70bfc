// Bus user of a process: it follows from its roles, so that it needs no configuration.
import type { Adapter } from '../../adapters/api/adapter.ts';
import type { BusRole, BusUser } from '../../bus/permissions.ts';
import { knownRoles, type Player, Role, rolesOfNodes, rolesWith, VISUALIZER, WEBHOOKS } from '../base/config.ts';

type Known = Pick<Adapter, 'realm' | 'role' | 'route'>;

/** User with all roles that objects need; serving the visualizer too does not change it. */
const ALONE = 'alone';

/** The user of a process with these roles. */
export function busUser(roles: ReadonlySet<string>, adapters: readonly Known[], node: string | undefined): BusUser {
  const [only, ...others] = rolesOnBus(adapters).filter((role) => roles.has(role));
  const isOfNode = only !== undefined && others.length === 0 && rolesOfNodes(adapters).includes(only);
  return userOf(roles, adapters, isOfNode ? node : undefined);
}

/** @param node  the one that it serves an adapter for, and no other */
export function userOf(roles: ReadonlySet<string>, adapters: readonly Known[], node?: string): BusUser {
  const isAlone = rolesWith(adapters).every((role) => roles.has(role));
  const played = rolesOnBus(adapters).filter((role) => roles.has(role));
  const realms = adapters.map(({ realm }) => realm);
  const bus: BusRole[] = [
    ...(roles.has(Role.Watch) ? [{ does: 'watch' } as const] : []),
    ...(roles.has(Role.Actors) ? [{ does: 'act', realms } as const] : []),
    ...adapters.flatMap(({ realm, role }) => (roles.has(role) ? [{ does: 'serve', realm, node } as const] : [])),
    ...(roles.has(VISUALIZER) ? [{ does: 'visualize' } as const] : []),
  ];
  return { name: isAlone ? ALONE : played.join('-'), node, roles: bus };
}

/** Roles for which the bus is there: webhooks are asked by the API server alone. */
export function rolesOnBus(adapters: readonly Player[]): readonly string[] {
  return knownRoles(adapters).filter((role) => role !== WEBHOOKS);
}
