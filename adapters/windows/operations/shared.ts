// Resources of a machine that several objects may share: a mapping of a share, a connection to a target, a portal. Its
// maker is recorded in `status.madeBy`, the uid of that object; empty: none of ours. After the deletion of its maker
// the last of the others removes it.
//
// Invariants:
//   WIN-SHARED-1. What none of ours has made is taken away by none of ours.
//   WIN-SHARED-2. What another object needs still is left to that.
//   WIN-SHARED-3. An object never finds the resource of an object of another namespace.
//   WIN-SHARED-4. Its maker is deleted only after the objects of its namespace that need it have recorded the maker: an
//       unrecorded resource would never be removed.
//   WIN-SHARED-5. If objects of several namespaces have recorded that they make it, only one holds it: the one that
//       made it, or else the oldest.
import type { KubeObject } from '../../../machines/object.ts';
import { isReady } from '../conditions.ts';
import { ageOf } from '../node-names.ts';
import { wordOf } from '../values.ts';

/** Those of the same namespace. */
export function besideIn(others: readonly KubeObject[], { metadata }: KubeObject): readonly KubeObject[] {
  return others.filter((other) => other.metadata.namespace === metadata.namespace);
}

/** Those of other namespaces who have recorded that it is theirs. */
function theirsIn(others: readonly KubeObject[], { metadata }: KubeObject): readonly KubeObject[] {
  // mutant: found-of-other-namespace !== -> false
  return others.filter((other) => other.metadata.namespace !== metadata.namespace && isMade(other));
}

function isMade({ status }: KubeObject): boolean {
  return wordOf(status?.['madeBy']) !== undefined;
}

/**
 * Uid of the object that certainly made it, as far as any of them says so. An object that records itself may only be
 * about to make it, and another client may do so first (WIN-SHARED-1).
 *
 * @param isDone  whether an object has it for sure
 */
export function recordedMaker(
  others: readonly KubeObject[],
  member: 'madeBy' | 'portalMadeBy',
  isDone: (object: KubeObject) => boolean,
): string | undefined {
  // mutant: maker-unproved ||.2 -> true
  const isCertain = (other: KubeObject, maker: string): boolean => maker !== other.metadata.uid || isDone(other);
  const recorded = others.map((other) => ({ other, maker: wordOf(other.status?.[member]) }));
  return recorded.find(({ other, maker }) => maker !== undefined && isCertain(other, maker))?.maker;
}

/**
 * Successors that the maker waits for (WIN-SHARED-4): working ones, since they check again, and used ones that are
 * being deleted, since they do not and end. Failing objects block nothing.
 */
export function heirsAmong(needing: readonly KubeObject[], maker: string | undefined): readonly KubeObject[] {
  if (maker !== undefined) return [];
  return needing.filter((other) => isReady(other) || other.metadata.deletionTimestamp !== undefined);
}

/** Response of an operation about its successors. */
export function toHeirs(heirs: readonly KubeObject[]): { readonly heirs: readonly string[] } {
  return { heirs: [...new Set(heirs.map(({ metadata }) => metadata.name))] };
}

/** Whether an object of another namespace has made it. */
export function isOfOthers(others: readonly KubeObject[], object: KubeObject): boolean {
  return theirsIn(others, object).length > 0;
}

/**
 * Objects to which the resource of an object is left: of another namespace only those that have made it there
 * (WIN-SHARED-3), and not those that were about to.
 *
 * @param isDone  whether an object has it for sure
 */
export function leftTo(
  needing: readonly KubeObject[],
  object: KubeObject,
  isDone: (object: KubeObject) => boolean,
): readonly KubeObject[] {
  const theirs = theirsIn(needing, object);
  // mutant: left-to-intent ()#2 -> theirs
  return [...besideIn(needing, object), ...theirs.filter(isDone)];
}

/**
 * Whether another namespace has what an object has recorded as its own, too (WIN-SHARED-5).
 *
 * @param isThere  it is there, and the object cannot have made it
 * @param isDone  whether an object has made it for sure
 */
export function isTheirs(
  others: readonly KubeObject[],
  object: KubeObject,
  { isThere, isDone }: { readonly isThere: boolean; readonly isDone: (object: KubeObject) => boolean },
): boolean {
  const rank = (each: KubeObject): string => `${isDone(each) ? 0 : 1} ${ageOf(each)}`;
  return theirsIn(others, object).some((other) => isThere || rank(other) < rank(object));
}

/** It does not go, or it waits for who uses it. @param own  finalizer of its kind */
export function isNeeded({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject, own: string): boolean {
  return deletionTimestamp === undefined || finalizers.some((finalizer) => finalizer !== own);
}

/** Uids of the objects for which this process made resources, by resource: certain before their status contains that. */
export class Makers {
  readonly #made = new Map<string, string>();

  add(resource: string, uid: string): void {
    this.#made.set(resource, uid);
  }

  /** It was removed. */
  delete(resource: string): void {
    this.#made.delete(resource);
  }

  /** Uid of the object that made it. */
  of(resource: string): string | undefined {
    return this.#made.get(resource);
  }
}

/**
 * Objects that still exist and represent nothing any more: their guards are removed with the last of their finalizers.
 */
export class Left {
  readonly #uids = new Set<string>();

  add({ metadata }: KubeObject): void {
    this.#uids.add(metadata.uid);
  }

  delete({ metadata }: KubeObject): void {
    this.#uids.delete(metadata.uid);
  }

  /** The remaining objects. */
  without(all: readonly KubeObject[], object: KubeObject): readonly KubeObject[] {
    for (const uid of this.#uids) if (!all.some(({ metadata }) => metadata.uid === uid)) this.#uids.delete(uid);
    return all.filter(({ metadata: { uid } }) => uid !== object.metadata.uid && !this.#uids.has(uid));
  }
}
