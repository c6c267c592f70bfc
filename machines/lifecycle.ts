// Lifecycle: a state machine and its related functions. The runtime knows every lifecycle only by this type and the
// tags of its states; a state's name has no meaning outside of its file.
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { ErrorData, JsonObject, KubeObject } from './object.ts';
import { type Dependency, type DependencyAnswer, type PortsOf, Readiness, type UserEvent } from './ports.ts';
import type { Claimant, KnownDependencies, OperationRequest, Reference } from './request.ts';

export type {
  CompletedLookup,
  Dependency,
  DependencyAnswer,
  LabelPatch,
  LifecyclePorts,
  LongCall,
  LongCallOptions,
  LongCallRequest,
  Measurement,
  ObjectVersion,
  PortsOf,
  ResourceOwner,
  UserEvent,
} from './ports.ts';
export { Readiness } from './ports.ts';

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

/** Annotation that pauses an object: nothing is done for it until the annotation is removed. */
export interface Pause {
  readonly annotation: string;
  /** Value of the annotation, which names the client that paused the object; may be empty. */
  readonly value: string;
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
  /** Annotation by which a client paused the object; undefined: it is not paused. */
  pausedBy?(object: KubeObject): Pause | undefined;
  /** Fields of the spec of which nothing comes though the object is up to date, as its status tells. */
  unappliedFields?(object: KubeObject, known: KnownDependencies): readonly string[];
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
