// What the runtime must know of a kind whose objects live in a foreign system. Types only.
import type { ErrorData, Json, JsonObject } from '../bus/bus.ts';

/** A Kubernetes object as the actors carry it: without managedFields and last-applied-configuration. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  /** Changes with the content, where that itself is not carried. To the second; undefined: the API server does not tell. */
  readonly contentVersion?: string;
}

/** A reference of an object to another one of its namespace. */
export interface Reference {
  /** Kind of the other, CamelCase; `Secret` for credentials. */
  readonly kind: string;
  readonly name: string;
  /** Finalizers that the other must carry while this object exists; empty: not guarded. */
  readonly finalizers: readonly string[];
  /**
   * When it must be ready: `always` for whatever is done outside (credentials), `create` until `status.id` is stored,
   * `import` until then, for unmanaged objects, `never` for an object of its own (`ManagedKind.owned`), which is only
   * followed.
   */
  readonly neededFor: 'always' | 'create' | 'import' | 'never';
  /** Whether the object has always referred to it: by a field that is required and cannot be changed. */
  readonly fixed?: boolean;
}

/** What is known of a dependency that exists. */
export interface KnownDependency {
  /** Its external id. */
  readonly id: string;
  /** It may be built on. What has been built already may need it longer. */
  readonly ready: boolean;
  /** What its kind makes known beyond the id (`ManagedKind.published`). */
  readonly attributes?: JsonObject;
}

/** A Kubernetes object that an object of the kind makes, follows and removes. */
export interface OwnedObject {
  /** CamelCase. */
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
}

/** An external resource as an adapter saw it. */
export interface Observation {
  readonly id: string;
  /** As the foreign system returned it; the next update step compares with it. */
  readonly attributes: JsonObject;
  /** What `status.resource` says of it; empty for a kind without one. */
  readonly resource: JsonObject;
  /** Meets the kind's criterion for Available=True. */
  readonly available: boolean;
  /** The foreign system is still at work: worth another look after so many milliseconds. */
  readonly pollAfterMs?: number;
}

/** What every operation is told. Plain data: it may travel over the bus. Holds no secret. */
export interface OperationRequest {
  readonly object: KubeObject;
  /** The references whose external id is known, by `<Kind>/<name>`. */
  readonly dependencies: Readonly<Record<string, KnownDependency>>;
  /**
   * Changes whenever the credentials secret may have changed, so that a cached session is checked. Undefined: unknown.
   */
  readonly credentialsVersion?: string;
  /** No external call may be running after this: milliseconds since the epoch. */
  readonly deadlineAt: number;
  /** Joins this call with its cause in traces; 32 hexadecimal digits. */
  readonly traceId: string;
}

/** What came of one update pass. */
export interface UpdateOutcome {
  /** Something was sent, so observe again. */
  readonly changed: boolean;
  /** Fields of the spec that were not as specified, and were sent. */
  readonly fields?: readonly string[];
  /** Messages of what a step waits for. Another pass is made when a dependency changes. */
  readonly waiting?: readonly string[];
  /** Another pass is worth while after so many milliseconds, whatever the observation says. */
  readonly pollAfterMs?: number;
}

/**
 * What an adapter does for the objects of its kinds. Each operation may be run twice; each throws TransientError or
 * TerminalError (bus/errors.ts), never a secret in its message.
 */
export interface ManagedOperations {
  /**
   * Looks for a resource that an earlier, interrupted create may have left behind. `exact` is false when a reference
   * was not known yet and the look-up left it out: no match then proves that there is none, a match proves nothing.
   */
  find(request: OperationRequest): Promise<{ readonly matches: readonly Observation[]; readonly exact: boolean }>;
  /** Finds what `spec.import` names; undefined: nothing matches the filter yet. @throws {TerminalError} no such id; several matches */
  import(request: OperationRequest): Promise<Observation | undefined>;
  create(request: OperationRequest): Promise<Observation>;
  /** Reads by id; undefined when it is gone. */
  observe(request: OperationRequest & { readonly id: string }): Promise<Observation | undefined>;
  /**
   * Runs the kind's update steps on what was observed.
   */
  update(request: OperationRequest & { readonly observation: Observation }): Promise<UpdateOutcome>;
  /** Asks for the deletion, once. A resource that is gone already is fine. */
  remove(request: OperationRequest & { readonly id: string }): Promise<void>;
}

/** A kind that others refer to and that has no life here: its objects are watched for existence, Available and status. */
export interface FollowedKind {
  readonly realm: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Whether the object, as stored, counts as ready for those who refer to it. */
  isAvailable(object: KubeObject): boolean;
  /** As `ManagedKind.published`. */
  published(object: KubeObject): JsonObject | undefined;
}

/** Where the life of an object stands, as far as its status is concerned. See `machines/managed.ts`. */
export interface LifeView {
  /** Of the object that this is said of; it may have been edited since. */
  readonly generation: number;
  /** The leaf state of the lifecycle region, e.g. `creating`, `deleting.guarded`. */
  readonly phase: string;
  readonly externalId: string | undefined;
  /** The last observation that succeeded in this life. */
  readonly observation: Pick<Observation, 'resource' | 'available'> | undefined;
  /** References that are needed now and are not ready, in the order of the contract. */
  readonly awaited: readonly { readonly kind: string; readonly name: string; readonly exists: boolean }[];
  /** Finalizers of others that hold a deleted object. */
  readonly heldBy: readonly string[];
  /** Messages of an update step that waits. */
  readonly waiting: readonly string[];
  /** Own objects that are being deleted before the resource, and are still there. */
  readonly disowning: readonly { readonly kind: string; readonly name: string }[];
  /** The error that the object is backing off from, or failed with. */
  readonly error: ErrorData | undefined;
  /** The external resource that `status.id` named was found gone, and is made anew. */
  readonly vanished: boolean;
}

/** A kind as data: what `actors/` needs to give its objects a life. */
export interface ManagedKind {
  readonly realm: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** The kind's own finalizer. */
  readonly finalizer: string;
  /** Field managers of server-side apply, by what they own. */
  readonly fieldManagers: {
    readonly finalizer: string;
    readonly status: string;
    /** Owns the guard finalizers that objects of this kind put on others. */
    readonly guards: string;
  };
  /** All references of an object, in the order in which they are reported. */
  references(object: KubeObject): readonly Reference[];
  /**
   * Whether nothing has to be done for an object as its status stands (contract, chapter 3). `resyncInMs`: when to
   * look again, undefined for never.
   */
  settled(
    object: KubeObject,
    now: number,
  ): { readonly settled: boolean; readonly failed: boolean; readonly resyncInMs?: number };
  /** The period after which an object that has just been brought up to date is looked at again; undefined for never. Jitter included. */
  resyncAfterMs(object: KubeObject, random: () => number): number | undefined;
  /** The whole `status` that this kind's status manager owns (not `status.id`). `stored` is what is there now. */
  status(view: LifeView, object: KubeObject, now: number): JsonObject;
  /** Whether the object, as stored, counts as ready for those who refer to it. */
  isAvailable(object: KubeObject): boolean;
  /** What those who refer to the object are told beyond its id. No secret. */
  published(object: KubeObject): JsonObject | undefined;
  /** The object that this one makes once its resource exists, and that goes before the resource does. */
  owned(object: KubeObject): OwnedObject | undefined;
  readonly operations: ManagedOperations;
}

export type { ErrorData, Json, JsonObject };
