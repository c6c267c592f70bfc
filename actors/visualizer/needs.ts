// The references of an object.
import { type Address, addressKey } from '../../bus/mod.ts';
import type { Kind } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { orElse } from '../diagnosis/diagnosis.ts';
import type { Registry } from '../object/registry.ts';

/** Keys, each once, in the order of the references. @throws what the code of the kind throws */
export function needsOf(
  object: KubeObject,
  from: Address,
  kind: Kind,
  registry: Pick<Registry, 'target'>,
): readonly string[] {
  const keys = kind.references(object).flatMap((reference) => {
    const target = orElse(() => registry.target(from, reference), undefined);
    return target === undefined ? [] : [addressKey(target)]; // an unknown kind has no objects
  });
  return [...new Set(keys)];
}
