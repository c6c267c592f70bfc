// Lifecycle: a state machine and its related functions. The runtime knows every lifecycle only by this type and the
// tags of its states; a state's name has no meaning outside of its file.
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { ErrorData, JsonObject, KubeObject } from './object.ts';
import type { Child, Claimant, KnownDependencies, OperationRequest, Reference } from './request.ts';

/** Tags of states, for observers of a lifecycle. A state may also carry tags of its own. */
export const Tag = {
  /** No action is needed until something changes; such a lifecycle may be passivated. */
  Settled: 'settled',
  /** Waits for dependencies, or for a working external system: reported when it lasts. */
  Waiting: 'waiting',
  /** It waits for what the object refers to. */
  AwaitsDependencies: 'awaits.dependencies',
  /** The last step failed, and this is where that led. */
  Failing: 'failing',
  /** With `Failing`: no retry until something is changed; polls may continue. */
  Terminal: 'terminal',
  /** Over with one call or one write: nothing that a status tells. */
  Busy: 'busy',
  /** The user deleted the object. */
  Deleting: 'deleting',
  /** Others hold it, so that it may not go yet. */
  Held: 'held',
  /** Dependents may use the external resource. */
  Available: 'available',
} as const;
export type Tag = (typeof Tag)[keyof typeof Tag];

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

/** Input of a state machine at its start. */
export interface LifecycleInput<View = unknown> {
  /** Address of the object, as one string: whom its effects act for. */
  readonly key: string;
  readonly object: View;
  readonly dependencies: readonly Dependency[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /**
   * Time until which a request of an earlier lifecycle without a response may still take effect (P13); 0 if there is
   * none.
   */
  readonly inDoubtUntil: number;
  /** Another object has recorded the same external id: whose it is has to be found out. */
  readonly isOwnershipDisputed: boolean;
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

/**
 * Events of every state machine. The first is `lifecycle.started`: XState starts the effects of an initial state before
 * its entry actions.
 */
export type LifecycleEvent<View = unknown> =
  | { readonly type: 'lifecycle.started' }
  | ObjectChanged<View>
  | {
      readonly type: 'dependencies.changed';
      readonly dependencies: readonly Dependency[];
      readonly at: number;
    }
  /**
   * A dependency has another external id, since its resource was replaced, or denies what the status shows; or a dependent changed its attributes.
   */
  | { readonly type: 'relations.changed'; readonly at: number }
  /** The watched owner (`LifecyclePorts.watchOwner`) is deleted, or has another resource by now. */
  | { readonly type: 'owner.released' };

/** Event of a changed object, with its dependencies as they are now. */
export interface ObjectChanged<View = unknown> {
  readonly type: 'object.changed';
  readonly object: View;
  readonly dependencies: readonly Dependency[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Part of the status that one field manager owns. */
export interface StatusPart {
  /** Field manager. */
  readonly manager: string;
  /** All that it says. */
  readonly status: JsonObject;
  /** Stored value, for the decision whether a write is needed. */
  readonly stored: JsonObject;
}

/** Details of a step in the trace, beside states and cause. */
export interface StepDetails {
  readonly error?: ErrorData | undefined;
  /** External id that the step learned. */
  readonly externalId?: string | undefined;
}

/** Holders of a deleted object, under one finalizer. */
export interface Holders {
  /** Some of them, as `<Kind>/<name>`. */
  readonly names: readonly string[];
  /** Number of further ones. */
  readonly more: number;
}

/** Holders of a deleted object, by finalizer. */
export type HoldersByFinalizer = Readonly<Record<string, Holders>>;

/** Something that happened to an object, for its users. */
export interface UserEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** Action that a user can take about a message of an object. */
export interface Hint {
  /** Where, for people, if not at the object itself: `Secret/clouds`. */
  readonly at?: string;
  /** Description of the problem, if the message itself lacks it. */
  readonly what?: string;
  /** Action for the user. */
  readonly todo: string;
  /** It waits for others in the external system: there is no problem. */
  readonly isPatient?: true;
}

/** Summary of an object by its status alone, without its state machine. */
export interface StatusSummary {
  /** Tags of the state that its machine would reach. */
  readonly tags: readonly Tag[];
  /** Message of the object, for people; empty if there is none. */
  readonly message: string;
}

/** One step of a state machine, for reports. */
export interface Step {
  /** The event that it was; `output` and `error` are those of an effect that ended. */
  readonly cause: { readonly type: string; readonly output?: unknown; readonly error?: unknown };
  /** Undefined at the beginning. */
  readonly from: AnyMachineSnapshot | undefined;
  /** State after the step. */
  readonly to: AnyMachineSnapshot;
  /** Current object, as far as known; undefined if it is deleted. */
  readonly object?: KubeObject | undefined;
}

/** State machine of a kind with its related functions: what the runtime knows of it. */
export interface Lifecycle {
  /** The state machine, without its effects. */
  readonly machine: AnyStateMachine;
  /** The machine with all its effects; made once a process, for all its actors. An effect asks for the ports of its object. */
  provide(portsOf: PortsOf): AnyStateMachine;
  /**
   * Input of the machine's decisions. `object.metadata.finalizers` are those that still hold it: free ones of ours are
   * left out.
   *
   * @param now  milliseconds since the epoch
   * @param holders  of a deleted object, by finalizer
   */
  view(object: KubeObject, now: number, holders?: HoldersByFinalizer): unknown;
  /** Changes whenever there is something new to say; undefined: there is nothing to say in this state. Cheap. */
  statusKey(snapshot: AnyMachineSnapshot): string | undefined;
  /** Status parts, rendered at the write. `object` is the one of that time. */
  status(snapshot: AnyMachineSnapshot, object: KubeObject, now: number): readonly StatusPart[];
  /**
   * External id that the object has recorded and owns exclusively; undefined if there is none. A lifecycle without it
   * lets objects share a resource.
   */
  recorded?(object: KubeObject): string | undefined;
  /** Objects of one namespace may have the same: it is that of all of them, and goes with the last. */
  readonly shares?: boolean;
  /** External id in the status of the object, set by any writer; `status.id` by default. */
  externalId?(object: KubeObject): string | undefined;
  /** Whether an earlier lifecycle may have sent a request that must not be repeated, without a record in the object. */
  mayHaveUnrecordedCreate(object: KubeObject): boolean;
  /**
   * Idempotency key of `callOnce`: identifies its result even if the spec is edited before the next lookup
   * (`LifecyclePorts.intents`). At most 1,024 characters of JSON are kept. No secret.
   */
  intent?(request: Pick<OperationRequest, 'object' | 'dependencies'>): JsonObject | undefined;
  /** Largest `inDoubtForMs` of its `callLong` requests. A lifecycle without a journal waits for that. */
  readonly inDoubtForMs?: number;
  /** Status after a failure of the lifecycle's own code. It must not use code that may have failed. */
  failureStatus(object: KubeObject, error: ErrorData, now: number): readonly StatusPart[];
  /** Whether all its knowledge is in the object and the mailbox, so that it may be passivated in a settled state. */
  canPassivate(snapshot: AnyMachineSnapshot, now: number): boolean;
  /**
   * Whether a changed answer of a dependency activates a passivated lifecycle; never by default. A changed external id
   * is reported to every lifecycle (`relations.changed`).
   */
  wakesOn?(before: DependencyAnswer | undefined, now: DependencyAnswer): boolean;
  /**
   * Whether the status of the object already reflects the attributes of a dependent (`Reference.attributes`): the first
   * message of a dependent activates it only if not, since at a start all dependents send one. Never by default.
   */
  isReflected?(object: KubeObject, claimant: Claimant): boolean;
  /**
   * Whether the status shows that the resource was built on another one than that of this dependency now. Checked at
   * the dependency's first answer: a passivated lifecycle is notified then, as if of the change (`relations.changed`).
   */
  isBuiltOnReplaced?(object: KubeObject, dependency: Pick<Reference, 'kind' | 'name'>, externalId: string): boolean;
  /**
   * Whether the status shows a use of this dependency that the published attributes of the dependency deny. Checked when
   * these change, and at the first answer: a passivated lifecycle is notified then, too (`relations.changed`).
   */
  isContradicted?(
    object: KubeObject,
    dependency: Pick<Reference, 'kind' | 'name'>,
    answer: Pick<DependencyAnswer, 'externalId' | 'attributes'>,
  ): boolean;
  stepDetails(snapshot: AnyMachineSnapshot): StepDetails;
  /** Detector of user events in one lifecycle. */
  userEvents?(object: KubeObject): (step: Step) => UserEvent | undefined;
  /** Hint for users about a message of such an object. @param known  its dependencies, if known */
  hintFor?(object: KubeObject, message: string, known?: KnownDependencies): Hint | undefined;
  /**
   * Summary of the object by its status; undefined if the current generation was not processed. Without it the status
   * has a condition `Progressing` with the reasons of the OpenStack resource controller, or only the condition `Ready`.
   */
  summarize?(object: KubeObject): StatusSummary | undefined;
  /** Fields of the spec of which nothing comes though the object is up to date, as its status tells. */
  unappliedFields?(object: KubeObject, known: KnownDependencies): readonly string[];
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
   */
  removeChildren(more?: readonly Pick<Child, 'kind' | 'name' | 'namespace'>[]): Promise<{ readonly gone: boolean }>;
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

/** Leaf of the current state, for people: `building.creating`. Of several regions the first is the lifecycle itself. */
export function stateOf({ value, machine }: AnyMachineSnapshot): string {
  const isParallel = machine.root.type === 'parallel' && typeof value === 'object';
  return leafOf(isParallel ? Object.values(value as object)[0] : value);
}

function leafOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, inner] = Object.entries(value as Record<string, unknown>)[0] ?? ['', ''];
  return `${name}.${leafOf(inner)}`;
}

/**
 * Whether a reference must be ready now.
 *
 * @param isBuilt  the external resource exists, and is recorded
 * @example dependencies.filter((each) => isNeeded(each, false) && !isUsable(each, []))
 */
export function isNeeded({ neededFor }: Pick<Reference, 'neededFor'>, isBuilt: boolean): boolean {
  return neededFor === 'always' || ((neededFor === 'create' || neededFor === 'import') && !isBuilt);
}

/**
 * Whether a dependency may be used in its state; one that the object withdrew from may not.
 *
 * @example dependencies.every((each) => isUsable(each, []))
 */
export function isUsable({ answer }: Dependency, withdrawnUids: readonly string[]): boolean {
  return answer?.readiness === Readiness.Ready && !withdrawnUids.includes(answer.uid);
}

/** Whether a dependency is being deleted and can still be used. @example dependencies.some(isServing) */
export function isServing({ answer }: Dependency): boolean {
  return answer?.readiness === Readiness.Deleting && (answer.externalId !== undefined || answer.version !== undefined);
}
