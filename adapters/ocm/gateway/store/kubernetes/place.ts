// Where an object of a kind is in a collection: its address, by the names of the objects that it belongs to.
import type { KubeObject } from '../../../../../machines/object.ts';
import type { ModelKind } from '../../../kinds/kinds.ts';
import type { Collection } from '../collections.ts';
import { typeKey } from '../links.ts';
import type { Address } from '../store.ts';
import type { Feed } from './feed.ts';

export interface BoundKind {
  readonly kind: ModelKind;
  readonly feed: Feed;
}

/** The kinds of a collection: that of its objects last, before it those of the objects around them, outermost first. */
export type BoundPath = readonly [...BoundKind[], BoundKind];

/** @returns undefined where a kind is missing, or the objects do not belong to those around them */
export function boundPathOf(
  { type, singleton, outer }: Collection,
  kindOf: (key: string) => BoundKind | undefined,
): BoundPath | undefined {
  // An object without an identifier has no name of its own.
  if (singleton) return undefined;
  const types = [...outer.map((each) => each?.type), type];
  const path: BoundKind[] = [];
  for (const [index, each] of types.entries()) {
    const bound = each && kindOf(typeKey(each));
    if (bound === undefined) return undefined;
    const holder = types[index - 1];
    const { parent } = bound.kind;
    if (holder !== undefined && (parent === undefined || typeKey(parent.type) !== typeKey(holder))) return undefined;
    path.push(bound);
  }
  const last = path.pop();
  return last && [...path, last];
}

/** @returns undefined where one of the objects around it is not known */
export function addressOf(path: BoundPath, object: KubeObject): Address | undefined {
  const outer: string[] = [];
  let at: KubeObject | undefined = object;
  for (let index = path.length - 1; index > 0; index--) {
    const name: unknown = at?.spec?.[path[index]?.kind.parent?.property ?? ''];
    if (typeof name !== 'string') return undefined;
    outer.unshift(name);
    // Of the outermost only the name counts.
    if (index > 1) at = path[index - 1]?.feed.get(name);
  }
  return { outer, id: object.metadata.name };
}
