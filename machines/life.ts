// What the machines know of an object and its surroundings. Plain data, and pure functions over it.
import type { JsonObject, KubeObject, ManagedKind, Reference } from './kind.ts';

/** How a dependency stands, as its actor answers a claim. */
export const Readiness = { Pending: 'pending', Ready: 'ready', Deleting: 'deleting', Absent: 'absent' } as const;
export type Readiness = (typeof Readiness)[keyof typeof Readiness];

/** An object, reduced to what the statecharts decide by. */
export interface ObjectView {
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  /** The kind's own finalizer, and whether it is stored. */
  readonly finalizer: string;
  readonly owned: boolean;
  /** `status.id`. */
  readonly externalId: string | undefined;
  readonly managed: boolean;
  /** The external resource outlives the object. */
  readonly detached: boolean;
  /** What the stored status says, for an object that nothing has to be done for. */
  readonly settled: 'no' | 'available' | 'unavailable' | 'failed';
  /** The stored status says that others may use it, settled or not. */
  readonly available: boolean;
  /** Milliseconds until the object wants another look; undefined for never. Counted from when this view was made. */
  readonly resyncInMs: number | undefined;
}

/** A reference of the object, and how the other stands. */
export interface Dependency extends Reference {
  /** What its actor answered last; undefined: nothing yet, so it does not exist as far as we know. */
  readonly answer: DependencyAnswer | undefined;
}

/** The part of a `ready` message that a dependant decides by. */
export interface DependencyAnswer {
  readonly readiness: Readiness;
  /** Incarnation of the dependency. */
  readonly uid: string;
  /** `status.id` of the dependency. */
  readonly externalId?: string;
  /** Changes with the content of a Secret. */
  readonly version?: string;
  /** What its kind makes known of it beyond the id. */
  readonly attributes?: JsonObject;
}

/** The external id that the status of `object` names. */
export function externalIdOf({ status }: Pick<KubeObject, 'status'>): string | undefined {
  const id = status?.['id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/**
 * The view of `object` that the machines work on.
 *
 * @param now  milliseconds since the epoch
 */
export function objectView(object: KubeObject, kind: ManagedKind, now: number): ObjectView {
  const { metadata, spec } = object;
  const finalizers = metadata.finalizers ?? [];
  const options = spec?.['managedOptions'] as { readonly onDelete?: unknown } | undefined;
  const managed = spec?.['managementPolicy'] !== 'unmanaged';
  const { settled, failed, resyncInMs } = kind.settled(object, now);
  const available = kind.isAvailable(object);
  const externalId = externalIdOf(object);
  // Without its id others would wait for it for ever.
  const isSettled = settled && (failed || externalId !== undefined);
  return {
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    deleting: metadata.deletionTimestamp !== undefined,
    finalizers,
    finalizer: kind.finalizer,
    owned: finalizers.includes(kind.finalizer),
    externalId,
    managed,
    detached: !managed || options?.onDelete === 'detach',
    settled: !isSettled ? 'no' : failed ? 'failed' : available ? 'available' : 'unavailable',
    available,
    resyncInMs,
  };
}

/** Whether a dependency may be used as it stands; one that was yielded may not. */
export function isUsable({ answer }: Dependency, yielded: readonly string[]): boolean {
  return answer?.readiness === Readiness.Ready && !yielded.includes(answer.uid);
}

/** Whether a reference has to be ready now, given what is known of the external resource. */
export function isNeeded({ neededFor }: Reference, life: { externalId: string | undefined }): boolean {
  return neededFor === 'always' || (neededFor !== 'never' && life.externalId === undefined);
}
