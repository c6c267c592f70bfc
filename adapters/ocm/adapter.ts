// The adapter of a model: its classes are kinds whose objects are actors. It leads to no external system.
import type { Adapter } from '../api/adapter.ts';
import { modelActors } from './kinds/actor.ts';
import { definitionOf } from './kinds/definition.ts';
import type { ModelKind } from './kinds/kinds.ts';
import { REALM, ROLE } from './kinds/resource.ts';

export function modelAdapter(kinds: readonly ModelKind[]): Adapter {
  return {
    realm: REALM,
    role: ROLE,
    contracts: kinds.map(definitionOf),
    // The gateway reads all objects, writes them, and asks as its callers.
    roleRules: [
      ...[...Map.groupBy(kinds, ({ group }) => group)].map(([group, of]) => ({
        apiGroups: [group],
        resources: of.map(({ plural }) => plural).sort(),
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
      })),
      { apiGroups: [''], resources: ['groups', 'users'], verbs: ['impersonate'] },
    ],
    configure: () => ({
      kinds: modelActors(kinds),
      serve: async () => ({
        operations: Object.fromEntries(kinds.map(({ plural }) => [plural, {}])),
        close: async () => undefined,
      }),
    }),
  };
}
