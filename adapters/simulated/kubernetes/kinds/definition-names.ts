// The names of definitions: each belongs to one definition of its group, the first that asked for it.

import { copy, dig, isMap, type JsonMap, listOf, mapOf, same, stringOf } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';

/** Names that definitions of one group have accepted. */
export interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds, and kinds of lists. */
  readonly kinds: ReadonlySet<string>;
}

/** The names of a definition that it has, and why it does not have the others; no reason: it has all. */
export interface NamesVerdict {
  readonly accepted: JsonMap;
  /** Message of the condition NamesAccepted; the last one that was found. */
  readonly refusal: { readonly reason: string; readonly message: string } | undefined;
}

export function takenNames(others: Iterable<KubeObject>): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const object of others) {
    const names = mapOf(dig(object, 'status', 'acceptedNames'));
    for (const name of [names['plural'], names['singular'], ...listOf(names['shortNames'])])
      resources.add(stringOf(name));
    for (const name of [names['kind'], names['listKind']]) kinds.add(stringOf(name));
  }
  return { resources, kinds };
}

/** The names that a definition gets of those that it asks for; it keeps those that it has. */
export function judgeNames(object: KubeObject, { resources, kinds }: TakenNames): NamesVerdict {
  const wanted = mapOf(dig(object, 'spec', 'names'));
  const accepted: JsonMap = { ...mapOf(dig(object, 'status', 'acceptedNames')) };
  let refusal: NamesVerdict['refusal'];
  const inUse = (name: unknown): string => `${JSON.stringify(name)} is already in use`;
  const take = (field: string, taken: ReadonlySet<string>, reason: string): void => {
    const name = stringOf(wanted[field]);
    if (name !== stringOf(accepted[field]) && taken.has(name)) refusal = { reason, message: inUse(name) };
    else accepted[field] = wanted[field];
  };
  take('plural', resources, 'PluralConflict');
  take('singular', resources, 'SingularConflict');
  if (!same(wanted['shortNames'], accepted['shortNames'])) {
    const known = new Set(listOf(accepted['shortNames']));
    const used = listOf(wanted['shortNames']).filter((name) => !known.has(name) && resources.has(stringOf(name)));
    if (used.length === 0) accepted['shortNames'] = wanted['shortNames'];
    else {
      const message = used.length === 1 ? inUse(used[0]) : `[${used.map(inUse).join(', ')}]`;
      refusal = { reason: 'ShortNamesConflict', message };
    }
  }
  take('kind', kinds, 'KindConflict');
  take('listKind', kinds, 'ListKindConflict');
  accepted['categories'] = wanted['categories'];
  for (const [name, value] of Object.entries(accepted)) if (value === undefined) delete accepted[name];
  return { accepted: copy(accepted), refusal };
}

/** Whether the definition is, or was once, served: from then on it stays so. */
export function isEstablished(object: KubeObject): boolean {
  return listOf(dig(object, 'status', 'conditions')).some(
    (condition) => isMap(condition) && condition['type'] === 'Established' && condition['status'] === 'True',
  );
}
