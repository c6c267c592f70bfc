// Place of an object in a collection: its address, by the names of the objects that it belongs to.
import type { KubeObject } from '../../../machines/object.ts';
import type { Collection } from '../gateway/store/collections.ts';
import { typeKey } from '../gateway/store/links.ts';
import type { Address } from '../gateway/store/store.ts';
import type { ModelKind } from '../kinds/kinds.ts';
import type { ChangeFeed } from './feed.ts';

export interface BoundKind {
  readonly kind: ModelKind;
  readonly feed: ChangeFeed;
}

/** Place of the objects of a collection. */
export interface BoundPath {
  /** That of the objects last, before it those of the objects around them, outermost first. */
  readonly kinds: readonly BoundKind[];
  readonly own: BoundKind;
  /** One object, named like the one that it is in. */
  readonly isSingleton: boolean;
}

/** @returns undefined where a kind is missing, or the objects do not belong to those around them */
export function boundPathOf(
  { type, singleton, outer }: Collection,
  kindOf: (key: string) => BoundKind | undefined,
): BoundPath | undefined {
  // Without one around it there is nothing that it could be named like.
  if (singleton && outer.length === 0) return undefined;
  const types = [...outer.map((each) => each?.type), type];
  const kinds: BoundKind[] = [];
  for (const [index, each] of types.entries()) {
    const bound = each && kindOf(typeKey(each));
    if (bound === undefined) return undefined;
    const holder = types[index - 1];
    const { parent } = bound.kind;
    if (holder !== undefined && (parent === undefined || typeKey(parent.type) !== typeKey(holder))) return undefined;
    kinds.push(bound);
  }
  const own = kinds.at(-1);
  return own && { kinds, own, isSingleton: singleton };
}

/** @returns undefined where one of the objects around it is not known */
export function addressOf({ kinds, isSingleton }: BoundPath, object: KubeObject): Address | undefined {
  const outer = outerOf(kinds, object);
  if (outer === undefined || !isSingleton) return outer && { outer, id: object.metadata.name };
  return object.metadata.name === outer.at(-1) ? { outer, id: '' } : undefined;
}

/** Names of the objects around an object of the last of the kinds. */
export function outerOf(kinds: readonly BoundKind[], object: KubeObject): readonly string[] | undefined {
  const outer: string[] = [];
  let at: KubeObject | undefined = object;
  for (let index = kinds.length - 1; index > 0; index--) {
    const name: unknown = at?.spec?.[kinds[index]?.kind.parent?.property ?? ''];
    if (typeof name !== 'string') return undefined;
    outer.unshift(name);
    // For the outermost parent only the name counts.
    if (index > 1) at = kinds[index - 1]?.feed.get(name);
  }
  return outer;
}

export function nameOf({ isSingleton }: BoundPath, { outer, id }: Address): string {
  return isSingleton ? (outer.at(-1) ?? '') : id;
}
