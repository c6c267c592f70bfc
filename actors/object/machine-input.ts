// Input of a machine beside the object itself: claims on the object, and answers of its dependencies. Pure.
import { type Address, addressKey, type Epoch } from '../../bus/mod.ts';
import type { Claims } from '../../machines/deletion-guard.ts';
import type { Kind } from '../../machines/kind.ts';
import type { Dependency, HoldersByFinalizer } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { Answers } from './answers.ts';
import type { ClaimPublisher } from './claim-publisher.ts';
import type { ClaimsTable } from './claims-table.ts';
import type { Registry } from './registry.ts';

/** @param guards  finalizers that are ours to add and to remove on an object of its kind */
export function claimsOn(
  { metadata: { uid, creationTimestamp = '' } }: KubeObject,
  claims: ClaimsTable,
  guards: readonly string[],
  { seededAt }: Epoch,
): Claims {
  // Creation times are whole seconds, rounded down: an object of the same second counts as older, which is the safe side.
  const createdAt = Date.parse(creationTimestamp);
  return {
    held: [...claims.held(uid).keys()],
    guards,
    // mutant: newer-claims-not-missed && -> $1 && $2
    complete: seededAt !== undefined && createdAt > seededAt && !claims.isPartial,
    revision: claims.revision,
  };
}

/** The deletion guard is notified of the first and the last claim of each finalizer; during a deletion, of all. */
export function textOf({ held, complete, revision }: Claims, { metadata }: KubeObject): string {
  return `${held.join()} ${complete} ${metadata.deletionTimestamp === undefined ? '' : revision}`;
}

/** Holders of a deleted object, by those of its finalizers that others need. */
export function holdersOf(
  { metadata: { uid, deletionTimestamp, finalizers = [] } }: KubeObject,
  claims: ClaimsTable,
  address: Address,
  registry: Registry,
): HoldersByFinalizer | undefined {
  if (deletionTimestamp === undefined || claims.size === 0) return undefined;
  const guards = registry.guards(address);
  const nameOf = (from: Address): string => {
    const place = from.namespace === address.namespace ? '' : `${from.namespace}/`;
    return `${registry.resource(from)?.kind ?? from.plural}/${place}${from.name}`;
  };
  const held = finalizers.flatMap((finalizer) => {
    if (!guards.includes(finalizer)) return [];
    const { first, more } = claims.holders(uid, finalizer);
    return first.length === 0 ? [] : [[finalizer, { names: first.map(nameOf), more }] as const];
  });
  return held.length === 0 ? undefined : Object.fromEntries(held);
}

/** Claims of the lifecycle of `object`, and their answers. */
export interface Claiming {
  readonly registry: Registry;
  readonly from: Address;
  readonly answers: Answers;
  /** None: nothing was claimed yet. */
  readonly outgoing: ClaimPublisher | undefined;
}

/** The references of the object, and how the others answered. */
export function dependenciesOf(
  object: KubeObject,
  kind: Kind | undefined,
  { registry, from, answers, outgoing }: Claiming,
): readonly Dependency[] {
  return (kind?.references(object) ?? []).map((reference) => {
    const key = addressKey(registry.target(from, reference));
    const since = outgoing?.since(key, object) ?? 0;
    return { ...reference, answer: answers.of(key, object.metadata.uid, since) };
  });
}

/**
 * Whether the status of an object shows that its external resource was built on others than those of its dependencies
 * now. Checked at their first answer: earlier ones may have reached another process.
 */
export function isMadeOfOthers(
  object: KubeObject | undefined,
  kind: Kind | undefined,
  dependencies: readonly Dependency[],
): boolean {
  return dependencies.some((dependency) => {
    const { externalId } = dependency.answer ?? {};
    if (externalId === undefined || object === undefined || dependency.namespace !== undefined) return false;
    return kind?.life.isBuiltOnReplaced?.(object, dependency, externalId) === true;
  });
}
