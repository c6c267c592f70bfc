// What a life is: a statechart and what goes with it. The runtime knows every life by this, and by the tags of its states;
// no name of a state means anything outside of the file that makes it.
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { ErrorData, JsonObject, KubeObject } from './object.ts';
import type { Child, Claimant, KnownDependencies, OperationRequest, Reference } from './request.ts';

/** Tags of states, for whoever looks at a life from outside. A state may carry tags of its own beside them. */
export const Tag = {
  /** Nothing is to be done until something changes; such a life may rest. */
  Settled: 'settled',
  /** It waits for others, or for a foreign system that is at work: told when it lasts. */
  Waiting: 'waiting',
  /** It waits for what the object refers to. */
  AwaitsDependencies: 'awaits.dependencies',
  /** The last step failed, and this is where that led. */
  Failing: 'failing',
  /** With `Failing`: nothing is tried again until somebody changes something; a look may be. */
  Terminal: 'terminal',
  /** Over with one call or one write: nothing that a status tells. */
  Busy: 'busy',
  /** The user deleted the object. */
  Deleting: 'deleting',
  /** Others hold it, so that it may not go yet. */
  Held: 'held',
  /** Others may use what the object stands for. */
  Available: 'available',
} as const;
export type Tag = (typeof Tag)[keyof typeof Tag];

/** How a dependency stands, as its actor answers a claim. */
export const Readiness = { Pending: 'pending', Ready: 'ready', Deleting: 'deleting', Absent: 'absent' } as const;
export type Readiness = (typeof Readiness)[keyof typeof Readiness];

/** A reference of the object, and how the other stands. */
export interface Dependency extends Reference {
  /** What its actor answered last; undefined: nothing yet, so it does not exist as far as we know. */
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
  /** What its kind makes known of it beyond the id. */
  readonly attributes?: JsonObject;
}

/** What a chart is told when it begins. */
export interface LifecycleInput<View = unknown> {
  /** Address of the object, as one string: whom its effects act for. */
  readonly key: string;
  readonly object: View;
  readonly dependencies: readonly Dependency[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Until when what an earlier life asked for, and nobody answered, may still be done (P13); 0 for nothing. */
  readonly inDoubtUntil: number;
  /** Another object has recorded the same external id: whose it is has to be found out. */
  readonly isOwnershipDisputed: boolean;
}

/** What was looked for, and since when: of all who look for the same one at a time makes it, or takes what was found. */
export interface CompletedLookup {
  /** The same for all objects of the kind whose look-ups may find the same resource. */
  readonly name: string;
  /** When the look began, milliseconds since the epoch. */
  readonly at: number;
}

/** Another living object that has recorded an external resource. */
export interface ResourceOwner {
  readonly kind: string;
  /** Empty: it is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** What it has. */
  readonly externalId: string;
}

/** What every chart hears. It begins with `lifecycle.started`: XState starts the effects of an initial state before its entry actions. */
export type LifecycleEvent<View = unknown> =
  | { readonly type: 'lifecycle.started' }
  | ObjectChanged<View>
  | {
      readonly type: 'dependencies.changed';
      readonly dependencies: readonly Dependency[];
      readonly at: number;
    }
  /**
   * What the object was built on has another external id, as it was made anew; or somebody who refers to the object says
   * something else of that.
   */
  | { readonly type: 'relations.changed'; readonly at: number }
  /** Whom it follows (`LifecyclePorts.follow`) is gone, or has something else by now. */
  | { readonly type: 'owner.released' };

export interface ObjectChanged<View = unknown> {
  readonly type: 'object.changed';
  readonly object: View;
  readonly dependencies: readonly Dependency[];
  readonly at: number;
}

/** What one field manager says in the status. */
export interface StatusPart {
  readonly manager: string;
  /** All that it says. */
  readonly status: JsonObject;
  /** What is stored of it now, to tell whether there is anything to write. */
  readonly stored: JsonObject;
}

/** What is told of a step in the trace, beside states and cause. */
export interface StepDetails {
  readonly error?: ErrorData | undefined;
  readonly externalId?: string | undefined;
}

/** Who holds a deleted object, under one finalizer. */
export interface Holders {
  /** Some of them, as `<Kind>/<name>`. */
  readonly names: readonly string[];
  /** How many others there are. */
  readonly more: number;
}

export type HoldersByFinalizer = Readonly<Record<string, Holders>>;

/** Something that happened to an object, for its users. */
export interface UserEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** What a person can do about what an object says. */
export interface Hint {
  /** Where, for people, if not at the object itself: `Secret/clouds`. */
  readonly at?: string;
  /** What it is that is wrong, where the message itself does not say so. */
  readonly what?: string;
  readonly todo: string;
  /** It is waited for what others do in the foreign system: nothing is wrong. */
  readonly isPatient?: true;
}

/** How an object looks by its status alone, to whoever has heard nothing of its chart. */
export interface StatusSummary {
  /** Of the state that its chart would come to. */
  readonly tags: readonly Tag[];
  /** What it says of itself, for people; empty: nothing. */
  readonly message: string;
}

/** One step of a chart, as it is told of. */
export interface Step {
  /** The event that it was; `output` and `error` are those of an effect that ended. */
  readonly cause: { readonly type: string; readonly output?: unknown; readonly error?: unknown };
  /** Undefined at the beginning. */
  readonly from: AnyMachineSnapshot | undefined;
  readonly to: AnyMachineSnapshot;
  /** As it is known now; undefined: it is gone. */
  readonly object?: KubeObject | undefined;
}

export interface Lifecycle {
  readonly machine: AnyStateMachine;
  /** The machine with all its effects; made once a process, for all its actors. An effect asks for the ports of its object. */
  provide(portsOf: PortsOf): AnyStateMachine;
  /**
   * What the chart decides by. `object.metadata.finalizers` are those that still hold it: what is ours and free is left out.
   *
   * @param now  milliseconds since the epoch
   * @param holders  of a deleted object, by finalizer
   */
  view(object: KubeObject, now: number, holders?: HoldersByFinalizer): unknown;
  /** Changes whenever there is something new to say; undefined: there is nothing to say in this state. Cheap. */
  statusKey(snapshot: AnyMachineSnapshot): string | undefined;
  /** What is to be said, put into words when it is written. `object` is as it is then. */
  status(snapshot: AnyMachineSnapshot, object: KubeObject, now: number): readonly StatusPart[];
  /**
   * The external id that the object has recorded as its own, and that no other may have; undefined: none. A life without it lets
   * objects share what they stand for.
   */
  recorded?(object: KubeObject): string | undefined;
  /** Objects of one namespace may have the same: it is that of all of them, and goes with the last. */
  readonly shares?: boolean;
  /** The external id that the status of the object names, whoever wrote it; `status.id` unless the life says otherwise. */
  externalId?(object: KubeObject): string | undefined;
  /** Whether an earlier life may have asked for what must not be repeated, and nothing of it is recorded in the object. */
  mayHaveUnrecordedCreate(object: KubeObject): boolean;
  /**
   * By what that which `callOnce` asks for now is known again, whatever the object says by then: what a later look is told
   * (`LifecyclePorts.intents`). At most 1,024 characters of JSON are kept. No secret.
   */
  intent?(request: Pick<OperationRequest, 'object' | 'dependencies'>): JsonObject | undefined;
  /** Where `hold` is told of a `inDoubtForMs`: the longest that it is told of. Who comes without a list waits for that. */
  readonly inDoubtForMs?: number;
  /** What is to be said when the code that serves the life has failed. It must not need what may have failed. */
  failureStatus(object: KubeObject, error: ErrorData, now: number): readonly StatusPart[];
  /** Whether it knows nothing that the object and the mail do not say, so that it may rest where it settled. */
  canPassivate(snapshot: AnyMachineSnapshot, now: number): boolean;
  /**
   * Whether a life at rest is woken by what a dependency answers now; never unless stated. That it has another external id than
   * before is told to every life (`relations.changed`).
   */
  wakesOn?(before: DependencyAnswer | undefined, now: DependencyAnswer): boolean;
  /**
   * Whether the status of the object shows already what somebody who refers to it says of that (`Reference.attributes`): whoever
   * is heard of for the first time wakes it only if not, since at a start everybody is. Never unless stated.
   */
  isReflected?(object: KubeObject, claimant: Claimant): boolean;
  /**
   * Whether the object says of its resource that it was made of another one than this dependency stands for now. Asked when the
   * dependency is first heard of: a life at rest is told then, as if it had heard of the change (`relations.changed`).
   */
  isBuiltOnReplaced?(object: KubeObject, dependency: Pick<Reference, 'kind' | 'name'>, externalId: string): boolean;
  stepDetails(snapshot: AnyMachineSnapshot): StepDetails;
  /** Listens to one life, and says what of it is news to users. */
  userEvents?(object: KubeObject): (step: Step) => UserEvent | undefined;
  /** What a person can do about a message that such an object says. @param known  what it refers to, as far as it is known */
  hintFor?(object: KubeObject, message: string, known?: KnownDependencies): Hint | undefined;
  /**
   * How the object looks by its status; undefined: nobody has looked at it as it is now. Without it the
   * status has a condition `Progressing` with the reasons of the OpenStack resource controller, or says all in one, `Ready`.
   */
  summarize?(object: KubeObject): StatusSummary | undefined;
  /** Fields of the spec of which nothing comes though the object is up to date, as its status tells. */
  unappliedFields?(object: KubeObject, known: KnownDependencies): readonly string[];
}

/** Ports of the object with this key (`LifecycleInput.key`). */
export type PortsOf = (key: string) => LifecyclePorts;

/** What the runtime does for the effects of one object. All reject with `ErrorData`: `absent` if the object is not hosted here any more. */
export interface LifecyclePorts {
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** As it is known now. */
  object(): KubeObject;
  /** What it refers to, and how that stands as far as it is known now. */
  dependencies(): readonly Dependency[];
  /** Calls an operation of the kind's adapter; bounded by a deadline, which lies before the end of the lease (P10). */
  call(operation: string, extra?: object): Promise<unknown>;
  /**
   * Calls one that must not be made twice: it is listed, acknowledged, before it is sent, so that whoever comes next waits
   * until it has landed (P13).
   *
   * @param completedLookup  what it makes if nobody else does: `conflict` when somebody else may have made it, or makes it
   */
  callOnce(operation: string, extra?: object, completedLookup?: CompletedLookup): Promise<unknown>;
  /** What the object has asked for by `callOnce`, here or elsewhere, and not recorded (`Lifecycle.intent`), the latest last. */
  intents(): readonly JsonObject[];
  /** What came of these is found to be another object's: they are forgotten. */
  discardIntents(): void;
  /**
   * Calls one that takes as long as it takes. It is given a signal, which is aborted when the lease is lost or the life
   * ends, and a function that it tells its progress.
   */
  callLong(operation: string, options: LongCallOptions): Promise<unknown>;
  /** Stores the own finalizer. */
  addOwnFinalizer(): Promise<void>;
  /** Removes the own finalizer, and every guard on the object that is free by then. Its claims end with that. */
  removeOwnFinalizer(): Promise<void>;
  /** Publishes the claims as they should be now; level-triggered. `withdrawnUids`: uids that hold nothing any more (P1). */
  claim(withdrawnUids: readonly string[]): void;
  /**
   * Before whom the object gives way: another living object of its kind that has recorded `externalId` of the same foreign
   * system, or, where it has recorded nothing, that UUID anywhere. Of two that have, the older one comes first, and before both who has not got it from somebody else's hand.
   *
   * @param of.isIdFromOtherWriter  the object has its id from somebody else's hand
   * @param of.isMade  a create of the object made it
   * @param of.completedLookup  how it was found, unless it is recorded: `conflict` as above
   * @param of.isLeaving  the object goes: whoever shares the resource with it keeps that (`Lifecycle.shares`)
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
   * Makes the status say just this, whoever said what before: for a kind whose status is written by nobody else. `conflict` as
   * above.
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
  /** Puts an object that it refers to among its own owners, not as the controller, in place of whoever `manager` put there before. */
  setOwnerReference(manager: string, other: Pick<Reference, 'kind' | 'name' | 'namespace'>): Promise<void>;
  /** Something happened to the object that is news to its users, and that no step tells of (`Lifecycle.news`). */
  recordEvents(userEvents: readonly UserEvent[]): void;
  /** Counts for the metrics that the adapter declares (`Adapter.metrics`). */
  recordMetrics(measures: readonly Measurement[]): void;
  /** Removes annotations that the kind carries. `conflict` as above. */
  removeAnnotations(names: readonly string[]): Promise<void>;
  /**
   * Makes and corrects the children. @returns messages of what is waited for
   *
   * @param more  children that the object does not tell of (`Kind.children`): they go with their owner, as the API server sees to it
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
  /** Until the next moment of this rhythm, so that one look serves all who look. */
  alignToInterval(pauseMs: number): number;
  /** Resolves after so many milliseconds, or when it is aborted. */
  pause(delayMs: number, signal: AbortSignal): Promise<void>;
}

/** One more of a counter, or one more observation of a histogram. */
export interface Measurement {
  /** Of the metric, as it is declared; what nobody declared is not counted. */
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

/** What is put on an object that another refers to, beside guards. */
export interface LabelPatch {
  /** Field manager. The uid of the object that marks follows it, as several may mark one object; the API server takes 128 characters. */
  readonly manager: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isOwned: boolean;
}

export interface LongCallOptions {
  readonly extra?: object;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JsonObject) => void;
  /**
   * For what must not be made twice: by then it has landed, if ever, in milliseconds from when it was sent (P13). No longer
   * than the `inDoubtForMs` of the life.
   */
  readonly inDoubtForMs?: number;
}

/** What an operation that is bounded by the lease is told. */
export interface LongCallRequest extends Omit<OperationRequest, 'deadlineAt'> {
  readonly signal: AbortSignal;
  /**
   * When the lease ends that it is bounded by, as things stand: milliseconds since the epoch. A process that stood still goes on
   * before it hears that the lease is lost, and asks for nothing then.
   */
  readonly validUntil: () => number;
  readonly progress: (progress: JsonObject) => void;
}

/** The same, for whoever carries it to another process. */
export interface LongCall extends LongCallRequest {
  /** It begins before that or never, milliseconds since the epoch. */
  readonly beginBy: number;
}

/** The leaf that a chart is in, for people: `building.creating`. Of several regions the first is the life itself. */
export function stateOf({ value, machine }: AnyMachineSnapshot): string {
  const isParallel = machine.root.type === 'parallel' && typeof value === 'object';
  return leafOf(isParallel ? Object.values(value as object)[0] : value);
}

function leafOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, inner] = Object.entries(value as Record<string, unknown>)[0] ?? ['', ''];
  return `${name}.${leafOf(inner)}`;
}

/** Whether a reference has to be ready now. @param isBuilt  what the object stands for exists, and is recorded */
export function isNeeded({ neededFor }: Pick<Reference, 'neededFor'>, isBuilt: boolean): boolean {
  return neededFor === 'always' || ((neededFor === 'create' || neededFor === 'import') && !isBuilt);
}

/** Whether a dependency may be used as it stands; one that was yielded may not. */
export function isUsable({ answer }: Dependency, withdrawnUids: readonly string[]): boolean {
  return answer?.readiness === Readiness.Ready && !withdrawnUids.includes(answer.uid);
}

/** It is being deleted, and still there to be used. */
export function isServing({ answer }: Dependency): boolean {
  return answer?.readiness === Readiness.Deleting && (answer.externalId !== undefined || answer.version !== undefined);
}
