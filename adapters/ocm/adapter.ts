// The adapter of a model: its classes are kinds whose objects are actors. It leads to no external system.
import type { Adapter } from '../api/adapter.ts';
import { modelActors } from './kinds/actor.ts';
import { definitionOf } from './kinds/definition.ts';
import type { ModelKind } from './kinds/kinds.ts';
import { REALM } from './kinds/resource.ts';

/** The role of the process that serves the model over HTTP. */
export const ROLE = 'ocm';

export function modelAdapter(kinds: readonly ModelKind[]): Adapter {
  return {
    realm: REALM,
    role: ROLE,
    contracts: kinds.map(definitionOf),
    configure: () => ({
      kinds: modelActors(kinds),
      serve: async () => ({
        operations: Object.fromEntries(kinds.map(({ plural }) => [plural, {}])),
        close: async () => undefined,
      }),
    }),
  };
}
