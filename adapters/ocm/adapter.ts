// The adapter of a model: its classes are kinds whose objects are actors. It leads to no external system.
import type { Adapter, ClusterRule } from '../api/adapter.ts';
import { modelActors } from './kinds/actor.ts';
import { definitionOf } from './kinds/definition.ts';
import type { ModelKind } from './kinds/kinds.ts';
import { REALM, ROLE } from './kinds/resource.ts';

/** Whose rights count when the gateway writes: those of its caller, or its own. */
export type WritesAs = 'caller' | 'self';

export function modelAdapter(kinds: readonly ModelKind[], writesAs: WritesAs = 'caller'): Adapter {
  return {
    realm: REALM,
    role: ROLE,
    contracts: kinds.map(definitionOf),
    roleRules: gatewayRules(kinds, writesAs),
    configure: () => ({
      kinds: modelActors(kinds),
      serve: async () => ({
        operations: Object.fromEntries(kinds.map(({ plural }) => [plural, {}])),
        close: async () => undefined,
      }),
    }),
  };
}

/** The gateway reads all objects, and writes them as its caller, or for itself. */
function gatewayRules(kinds: readonly ModelKind[], writesAs: WritesAs): readonly ClusterRule[] {
  const isItself = writesAs === 'self';
  const verbs = isItself ? ['create', 'delete', 'get', 'list', 'patch', 'watch'] : ['get', 'list', 'watch'];
  return [
    ...[...Map.groupBy(kinds, ({ group }) => group)].map(([group, of]) => ({
      apiGroups: [group],
      resources: of.map(({ plural }) => plural).sort(),
      verbs,
    })),
    ...(isItself ? [] : [{ apiGroups: [''], resources: ['groups', 'users'], verbs: ['impersonate'] }]),
  ];
}
