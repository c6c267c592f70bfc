// Ports of a lifecycle: what the runtime does for the effects of one object, and what it says of the objects that one depends on.
import type { JsonObject, KubeObject } from './object.ts';
import type { Child, OperationRequest, Reference } from './request.ts';

/** Readiness of a dependency, in its actor's answer to a claim. */
export const Readiness = { Pending: 'pending', Ready: 'ready', Deleting: 'deleting', Absent: 'absent' } as const;
export type Readiness = (typeof Readiness)[keyof typeof Readiness];

/** A reference of the object, and how the other stands. */
export interface Dependency extends Reference {
  /** Last answer of its actor; undefined if there is none yet, so that it is taken for absent. */
  readonly answer: DependencyAnswer | undefined;
}

/** The part of a `ready` message that a dependent decides by. */
export interface DependencyAnswer {
  readonly readiness: Readiness;
  /** Incarnation of the dependency. */
  readonly uid: string;
  /** Its external id, once that is stored. */
  readonly externalId?: string;
  /** Changes with the content of a Secret. */
  readonly version?: string;
  /** Published attributes beside the id. */
  readonly attributes?: JsonObject;
}

/**
 * Completed lookup with its time: of all objects with the same lookup one at a time creates the resource, or adopts it.
 */
export interface CompletedLookup {
  /** The same for all objects of the kind whose look-ups may find the same resource. */
  readonly name: string;
  /** Start of the lookup, in milliseconds since the epoch. */
  readonly at: number;
}

/** Another living object that has recorded an external resource. */
export interface ResourceOwner {
  readonly kind: string;
  /** Empty: it is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** External id that it owns. */
  readonly externalId: string;
}

/** Something that happened to an object, for its users. */
export interface UserEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** Ports of the object with this key (`LifecycleInput.key`). */
export type PortsOf = (key: string) => LifecyclePorts;

/** Functions of the runtime for the effects of one object. All reject with `ErrorData`: `absent` if the object is not hosted here any more. */
export interface LifecyclePorts {
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** As it is known now. */
  object(): KubeObject;
  /** Dependencies with their current answers. */
  dependencies(): readonly Dependency[];
  /** Calls an operation of the kind's adapter; bounded by a deadline, which lies before the end of the lease (P10). */
  call(operation: string, extra?: object): Promise<unknown>;
  /**
   * Calls an operation that must not be repeated: it is listed in the journal, acknowledged, before it is sent, so that
   * any later lifecycle waits until it has taken effect (P13).
   *
   * @param completedLookup lookup of the resource to create: `conflict` when another object may have created it, or is
   *   creating it
   */
  callOnce(operation: string, extra?: object, completedLookup?: CompletedLookup): Promise<unknown>;
  /**
   * Intents of the object's `callOnce` requests, from any process, that are not recorded (`Lifecycle.intent`), the
   * latest last.
   */
  intents(): readonly JsonObject[];
  /** Discards intents whose results belong to another object. */
  discardIntents(): void;
  /**
   * Calls an operation without a deadline. It receives a signal, which is aborted when the lease is lost or the
   * lifecycle ends, and a function for progress reports.
   */
  callLong(operation: string, options: LongCallOptions): Promise<unknown>;
  /** Stores the own finalizer. */
  addOwnFinalizer(): Promise<void>;
  /** Removes the own finalizer, and every guard on the object that is free by then. Its claims end with that. */
  removeOwnFinalizer(): Promise<void>;
  /** Publishes the claims as they should be now; level-triggered. `withdrawnUids`: uids that hold nothing any more (P1). */
  claim(withdrawnUids: readonly string[]): void;
  /**
   * Owner before which the object withdraws: another existing object of its kind that has recorded `externalId` of the
   * same external system or, without a record of its own, that UUID anywhere. Of two with a record the older one comes
   * first, and before both one whose id no other writer set.
   *
   * @param of.isIdFromOtherWriter another writer set the object's id
   * @param of.isMade  a create of the object made it
   * @param of.completedLookup  how it was found, unless it is recorded: `conflict` as above
   * @param of.isLeaving the object is being deleted: objects that share the resource keep it (`Lifecycle.shares`)
   */
  conflictingOwner(
    externalId: string,
    of: {
      readonly isIdFromOtherWriter: boolean;
      readonly isMade: boolean;
      readonly completedLookup?: CompletedLookup | undefined;
      readonly isLeaving?: boolean | undefined;
    },
  ): Promise<ResourceOwner | undefined>;
  /** As `claim`, and claims the rival, unguarded; `conflictingOwner.gone` tells when it does not have any more what it had. */
  watchOwner(withdrawnUids: readonly string[], conflictingOwner: ResourceOwner): void;
  /** Ends all claims but those that a cleanup needs; resolves when the bus has the tombstones (P12). */
  endClaims(): Promise<void>;
  /**
   * Stores `status.id`, or clears it with null. `conflict`: the object was changed meanwhile, and has been read again.
   *
   * @param applied  what `status.resource` says beside what its field manager does
   */
  recordId(id: string | null, applied?: JsonObject): Promise<void>;
  /** Applies what `manager` says in the status, at once. `conflict` as above. */
  applyStatus(manager: string, status: JsonObject): Promise<void>;
  /**
   * Sets the status to exactly this value: for a kind whose status has no other writers. `conflict` as above.
   */
  storeStatus(manager: string, status: JsonObject): Promise<void>;
  /** Changes members of the spec, for what the contract has its controller write there; null takes one away. `conflict` as above. */
  patchSpec(manager: string, spec: JsonObject): Promise<void>;
  /**
   * Changes members of the spec of another object as it was seen, for what the contract has its controller write there; null takes
   * one away. `conflict`: that was changed meanwhile.
   */
  patchObjectSpec(other: ObjectVersion, manager: string, spec: JsonObject): Promise<void>;
  /**
   * Says something in the status of an object that it refers to, beside what that says itself: for what the contract has it
   * write there. Members that are null are taken away.
   */
  patchReferencedStatus(
    other: Pick<Reference, 'kind' | 'name' | 'namespace'>,
    manager: string,
    status: JsonObject,
  ): Promise<void>;
  /** Puts labels on an object that it refers to, and itself among the owners of that if it is to be: not as the controller. */
  labelReferenced(other: Pick<Reference, 'kind' | 'name' | 'namespace'>, marks: LabelPatch): Promise<void>;
  /** Adds a dependency to the object's owners, without control, in place of the one that `manager` set before. */
  setOwnerReference(manager: string, other: Pick<Reference, 'kind' | 'name' | 'namespace'>): Promise<void>;
  /** Emits user events that no step reports (`Lifecycle.userEvents`). */
  recordEvents(userEvents: readonly UserEvent[]): void;
  /** Counts for the metrics that the adapter declares (`Adapter.metrics`). */
  recordMetrics(measures: readonly Measurement[]): void;
  /** Removes annotations that the kind carries. `conflict` as above. */
  removeAnnotations(names: readonly string[]): Promise<void>;
  /**
   * Makes and corrects the children. @returns messages of what is waited for
   *
   * @param more children beyond `Kind.children`: the API server deletes them with their owner
   */
  ensureChildren(more?: readonly Child[]): Promise<readonly string[]>;
  /**
   * Asks for the deletion of the children, and says whether none was left.
   *
   * @param more  of `ensureChildren`, as far as it owns them: what others own too loses this owner, and stays
   * @param options.isDetached  whether the external resources of the children stay
   */
  removeChildren(
    more?: readonly Pick<Child, 'kind' | 'name' | 'namespace'>[],
    options?: { readonly isDetached?: boolean },
  ): Promise<{ readonly gone: boolean }>;
  /** The pause with chance in it, so that many do not come at once. */
  jitter(delayMs: number): number;
  /** Milliseconds until the next moment of this interval, so that one poll serves all pollers. */
  alignToInterval(pauseMs: number): number;
  /** Resolves after this time in milliseconds, or when it is aborted. */
  pause(delayMs: number, signal: AbortSignal): Promise<void>;
}

/** One more of a counter, or one more observation of a histogram. */
export interface Measurement {
  /** Declared name of the metric; an undeclared one is not recorded. */
  readonly name: string;
  /** All that it has but `namespace` and `host`, which are those of the object. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly seconds?: number;
}

/** Another object, as an operation saw it. */
export interface ObjectVersion extends Pick<Reference, 'kind' | 'name' | 'namespace'> {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Labels that are set on a referenced object, beside guards. */
export interface LabelPatch {
  /** Field manager. The uid of the object that marks follows it, as several may mark one object; the API server takes 128 characters. */
  readonly manager: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isOwned: boolean;
}

/** Options of `LifecyclePorts.callLong`. */
export interface LongCallOptions {
  /** Members of the request beside the common ones. */
  readonly extra?: object;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JsonObject) => void;
  /**
   * For a request that must not be repeated: maximum time from its sending until it has taken effect, in milliseconds
   * (P13). At most the `inDoubtForMs` of the lifecycle.
   */
  readonly inDoubtForMs?: number;
}

/** Request of an operation that is bounded by the lease. */
export interface LongCallRequest extends Omit<OperationRequest, 'deadlineAt'> {
  readonly signal: AbortSignal;
  /**
   * Current end of its lease, in milliseconds since the epoch. A suspended process continues before it learns of a lost
   * lease, and must not send requests then.
   */
  readonly validUntil: () => number;
  readonly progress: (progress: JsonObject) => void;
}

/** The same, for the transport to another process. */
export interface LongCall extends LongCallRequest {
  /** It begins before that or never, milliseconds since the epoch. */
  readonly beginBy: number;
}
