// Object context: the handle for one object. The host makes it once, and all that works for the object shares it: its state
// machines, the writer of its status and the ports of its lifecycle. It knows who the object is, logs, and emits its trace events.
import type { Logger } from 'pino';
import type { AnyStateMachine } from 'xstate';
import { type Objects, type Resource, SECRETS } from '../../adapters/kubernetes/mod.ts';
import {
  type Address,
  addressKey,
  type Clock,
  type JsonObject,
  type Mailbox,
  type Trace,
  traceparentOf,
} from '../../bus/mod.ts';
import type { Claims } from '../../machines/deletion-guard.ts';
import type { Kind } from '../../machines/kind.ts';
import {
  type Dependency,
  type HoldersByFinalizer,
  type Lifecycle,
  type StepDetails,
  Tag,
  type UserEvent,
} from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { changeTraceparent, stepTraceparent, traceIdOf } from '../base/change-trace.ts';
import type { Outbox } from '../mailbox/outbox.ts';
import type { AnswerSink } from './answers.ts';
import type { Registry } from './registry.ts';

/** Services of a shard for its objects, the same for all of them. */
export interface ObjectHost {
  readonly registry: Registry;
  /** State machines with their effects. */
  readonly machines: Machines;
  readonly objects: Objects;
  readonly mailbox: Mailbox;
  readonly trace: Trace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly throttle: WriteThrottle;
  /** Publishes the claims of its objects. */
  readonly outbox: Outbox;
  /** Brings the answers of its objects to their claimants. */
  readonly answers: AnswerSink;
  /** Aborted when the lease on the shard is lost, or given up. */
  readonly leaseSignal: AbortSignal;
  readonly createJournal: JournalOfCreates;
  /** Calls and writes that are under way for its objects. */
  readonly calls: OngoingCalls;
  /** When the lease on the shard ends, in milliseconds since the epoch. */
  leaseEndsAt(): number;
  /** Whether the actor of the object still acts here: it was not replaced, and the lease on the shard has not ended. */
  hosts(object: ObjectContext): boolean;
  /** Whether another object had recorded the same external id when the shard was taken over. */
  isOwnershipDisputed(key: string): boolean;
  /** The owner of the external resource was found out. */
  settleDispute(key: string): void;
  /** Runs code that may throw and has no caller that could handle it: the object is quarantined (I11). @returns undefined if it threw */
  supervise<Result>(object: ObjectContext, act: () => Result): Result | undefined;
  /** Reads the object again, and retries until the API server has answered. */
  reread(object: ObjectContext): void;
  /** The incarnation that the API server has, if any; undefined: the object is not hosted here any more. Never rejects. */
  currentIncarnation(object: ObjectContext): Promise<{ readonly uid: string | undefined } | undefined>;
  /** Reports to the users of an object what happened. */
  report(object: KubeObject, event: UserEvent): void;
}

/** State machines with their effects, shared by all objects of a host. */
export interface Machines {
  readonly guard: AnyStateMachine;
  of(lifecycle: Lifecycle): AnyStateMachine;
}

/** The create journal of a shard (`actors/effects/create-journal.ts`). */
export interface JournalOfCreates {
  /** Time until which a request that was sent for an object may still take effect, in milliseconds since the epoch (P13). */
  at(key: string): number;
  /** Sends a request when the bus has acknowledged that it is listed. */
  run<Output>(key: string, inDoubtUntil: number, send: () => Promise<Output>, intent?: JsonObject): Promise<Output>;
  /** Intents of the requests that an object sent and has not recorded, each with the uid of its incarnation. */
  intents(key: string): readonly JsonObject[];
  discardIntents(key: string): void;
}

/** Calls and writes that are under way (`actors/sharding/shard.ts`). */
export interface OngoingCalls {
  add(key: string, call: Promise<unknown>): void;
  addWrite(key: string, write: Promise<unknown>): void;
}

/** Says when a status may be written (`StatusThrottle`). */
export interface WriteThrottle {
  /** Runs a write that does not wait. */
  unthrottled<Output>(write: () => Promise<Output>): Promise<Output>;
  /** Waits for a place. @returns the function that frees it; undefined when `signal` was aborted first */
  turn(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** State of a machine, as seen from outside. */
export interface MachineState {
  /** The leaf that it is in, for people. */
  readonly state: string;
  readonly tags: ReadonlySet<string>;
  /** The event that led there. */
  readonly cause: string;
  readonly reported: StepDetails;
  /** Time of the next attempt after a failure, milliseconds since the epoch; undefined: no failure, or not known. */
  readonly retryAt?: number | undefined;
}

/** All that the trace context of an object's own step depends on, and the step. */
interface OwnStep {
  readonly uid: string;
  readonly generation: number | undefined;
  readonly contentVersion: string | undefined;
  readonly traceparent: string;
}

/** One incarnation of an object. */
export interface Incarnation {
  readonly uid: string;
  readonly kind: Kind | undefined;
  readonly object: KubeObject;
}

/** The most different warnings in a row that are logged: a message may differ each time. */
const WARNINGS = 10;

export abstract class ObjectContext {
  readonly host: ObjectHost;
  readonly address: Address;
  /** The address as one string. */
  readonly key: string;
  readonly resource: Resource;
  /** Undefined: the object is only guarded. */
  readonly kind: Kind | undefined;
  /** Undefined while the object is idle: ten thousand of them need no logger each. */
  #ownLog: Logger | undefined;
  /** Undefined while the object is idle. */
  #ownStep: OwnStep | undefined;
  #isSettled = true;
  /** Step of another object whose answer is being handled. */
  #link: string | undefined;
  /** Attempts that failed in a row, and when the first did: until all is well again. */
  #failures: { readonly count: number; readonly since: number } | undefined;
  /** Warnings that were logged since the object was well; undefined: none. */
  #warnings: Set<string> | undefined;

  constructor(host: ObjectHost, address: Address) {
    this.host = host;
    this.address = address;
    this.key = addressKey(address);
    this.resource = host.registry.resource(address) ?? { ...SECRETS, ...address, kind: address.plural };
    this.kind = host.registry.kind(address);
  }

  /** The object as it is known now; undefined: it does not exist. */
  abstract get object(): KubeObject | undefined;

  /** The object with what an effect needs to know beside it; undefined: it does not exist. */
  abstract incarnation(): Incarnation | undefined;

  /** References of the object, and how their actors answered. */
  abstract dependencies(): readonly Dependency[];

  /** Claims on the object, as its deletion guard sees them. */
  abstract claimed(): Claims;

  /** Objects that hold it, if it is deleted. */
  abstract holders(object: KubeObject): HoldersByFinalizer | undefined;

  /** Writes the object as `run` does; its actor knows the answer when this resolves. */
  abstract write(run: (object: KubeObject) => Promise<KubeObject>): Promise<void>;

  /** Reads the object again. */
  abstract refresh(): Promise<void>;

  /** Writes what `manager` states in the status of the incarnation `uid`. Throws as `Objects.applyStatus`. */
  abstract writeStatus(uid: string, manager: string, status: JsonObject): Promise<void>;

  /** Stops acting, in the middle of whatever is being done. @param cause  for people */
  abstract suspend(cause: string): void;

  /** Ends everything at once and silently: the shard is another's now. */
  abstract stop(): void;

  /** The object is idle: computed inputs of its state machine are not kept. */
  abstract onPassivated(): void;

  /** Answers the claimants, if their answers may have changed. */
  abstract answerAll(): void;

  get clock(): Clock {
    return this.host.clock;
  }

  get log(): Logger {
    this.#ownLog ??= this.host.log.child({ ...this.address });
    return this.#ownLog;
  }

  /** Runs code that may throw and has no caller that could handle it (I11). @returns undefined if it threw */
  supervise<Result>(act: () => Result): Result | undefined {
    return this.host.supervise(this, act);
  }

  /** Trace context of what the object does for `cause`, or for its own last change. */
  step(cause?: string): string {
    const { object } = this;
    if (object === undefined || cause !== undefined) {
      const who = object?.metadata.uid ?? this.key;
      return stepTraceparent(cause ?? traceparentOf(who), who);
    }
    const { uid, generation } = object.metadata;
    const { contentVersion } = object;
    const own = this.#ownStep;
    if (own?.uid === uid && own.generation === generation && own.contentVersion === contentVersion)
      return own.traceparent;
    const traceparent = stepTraceparent(changeTraceparent(object), uid);
    if (!this.#isSettled) this.#ownStep = { uid, generation, contentVersion, traceparent };
    return traceparent;
  }

  /** Runs `run` as a consequence of another object's step: its transitions link to it, unless both belong to one change. */
  linked(traceparent: string | undefined, run: () => void): void {
    if (traceIdOf(traceparent) !== traceIdOf(this.step())) this.#link = traceparent;
    try {
      run();
    } finally {
      this.#link = undefined;
    }
  }

  /** Emits a trace event of the object. */
  emit(type: string, data: JsonObject): void {
    const uid = this.object?.metadata.uid ?? '';
    this.host.trace.emit({ actor: this.address, type, traceparent: this.step(), data: { uid, ...data } });
  }

  /** Reports to the users of the object what happened. A warning is logged once until the object is well again. */
  report(event: UserEvent): void {
    const { type, reason, message } = event;
    const warnings = this.#warnings ?? new Set();
    const news = `${reason} ${message}`;
    // mutant: each-failure-warns ||.2 drop
    if (!(type !== 'Warning' || warnings.has(news) || warnings.size >= WARNINGS)) {
      this.#warnings = warnings.add(news);
      this.log.warn({ reason, error: message, traceId: traceIdOf(this.step()) }, 'object failed');
      this.#forget();
    }
    if (this.object !== undefined) this.host.report(this.object, event);
  }

  /** Logs a transition of the lifecycle, and emits it. */
  reportTransition(
    from: string,
    { state: to, tags, cause, reported: { error, externalId }, retryAt }: MachineState,
  ): void {
    const traceId = traceIdOf(this.step());
    this.log.info({ from, to, cause, traceId, ...(error !== undefined && { error: error.message }) }, 'state changed');
    const id = externalId !== undefined && { externalId };
    const links = this.#link !== undefined && { links: [this.#link] };
    const hasFailed = error !== undefined && isFailure(tags, cause);
    const failure = hasFailed && { failure: error.fault ?? error.code };
    this.#isSettled = tags.has(Tag.Settled);
    if (hasFailed) {
      const { count = 0, since = this.clock.now() } = this.#failures ?? {};
      this.#failures = { count: count + 1, since };
    } else if (this.#isSettled && !tags.has(Tag.Failing)) this.#failures = undefined;
    const attempts = this.#failures && { attempts: this.#failures.count, failingSince: this.#failures.since };
    const retry = retryAt !== undefined && { retryAt };
    this.emit('transition', { from, to, cause, tags: [...tags], ...id, ...links, ...failure, ...attempts, ...retry });
    if (this.#isSettled && !tags.has(Tag.Failing)) this.#warnings = undefined;
    this.#forget();
  }

  #forget(): void {
    if (!this.#isSettled) return;
    this.#ownLog = undefined;
    this.#ownStep = undefined;
  }
}

/** An attempt failed just now: a lifecycle that starts with a failure has not failed again. */
function isFailure(tags: ReadonlySet<string>, cause: string): boolean {
  const isFound = tags.has(Tag.Terminal) && cause.startsWith('xstate.done.');
  return tags.has(Tag.Failing) && (isFound || cause.startsWith('xstate.error.'));
}
