// The kinds of the group `metal3.io` as the runtime and its commands know them.
//
// Invariants:
//   IRONIC-CONTRACTS-1. No file is read before the first request for a definition, and each file is read once for all
//       kinds.

import { HostAnnotation } from '../../../machines/bare-metal-host/host.ts';
import type { KindDefinition } from '../../api/contract/crds.ts';
import { type CustomResourceDefinition, type DefinitionsOptions, definitions, versionsIn } from './definitions.ts';
import { KINDS } from './kinds.ts';
import { GROUP } from './types.ts';

/** All kinds, as clusters have them unless they move to v1beta1. */
export const metal3Contracts = contractsIn({ phase: 0 });

/** All kinds, essential ones first. @throws {TerminalError} as `definitions`, and at once */
export function contractsIn(options: DefinitionsOptions): readonly KindDefinition[] {
  // The oldest one that is served: v1alpha1 is what actors use, as long as it is there.
  const [version] = versionsIn(options).filter(({ served }) => served);
  if (version === undefined) throw new Error(`phase ${options.phase} serves no version`);
  let made: ReadonlyMap<string, CustomResourceDefinition> | undefined;
  return KINDS.map(({ kind, plural, shortNames }) => ({
    group: GROUP,
    version: version.name,
    kind,
    plural,
    ...(shortNames !== undefined && { shortNames }),
    ...(kind === 'BareMetalHost' && { pauseAnnotation: HostAnnotation.Paused }),
    definition() {
      made ??= new Map(definitions(options).map((definition) => [definition.spec.names.plural, definition]));
      const definition = made.get(plural);
      if (definition === undefined) throw new Error(`there is no definition of '${plural}'`);
      return definition;
    },
  }));
}
