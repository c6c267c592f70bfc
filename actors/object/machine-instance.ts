// State machines at work, of a lifecycle and of a deletion guard: what they took in and where that led is reported, what they throw is
// reported too, and their timers are counted.

import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
} from 'xstate';
import type { Clock, Timer } from '../../bus/mod.ts';
import { type Claims, type GuardContext, type GuardView, needsGuarding } from '../../machines/deletion-guard.ts';
import type { Kind } from '../../machines/kind.ts';
import { type Lifecycle, type Step, stateOf, Tag, type UserEvent } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { MachineState, ObjectContext } from './object-context.ts';
import { type StatusSubject, StatusWriter } from './status-writer.ts';

export interface Actor {
  start(): unknown;
  stop(): unknown;
  send(event: AnyEventObject): void;
  getSnapshot(): AnyMachineSnapshot;
}

export interface ChartDeps {
  readonly machine: AnyStateMachine;
  readonly clock: MachineClock;
  readonly input: object;
  readonly onStep: (cause: EventObject, snapshot: AnyMachineSnapshot) => void;
  /** Code of the machine, or of `onStep`, threw: the chart has ended. */
  readonly onFault: (error: unknown) => void;
}

/** An actor that is to be started. */
export function chart({ machine, clock, input, onStep, onFault }: ChartDeps): Actor {
  let cause: EventObject = { type: 'xstate.init' };
  // An inspector would be called for every child too, three times per step.
  const logic = Object.create(machine) as AnyStateMachine;
  logic.transition = (snapshot, event, scope) => {
    cause = event;
    return machine.transition(snapshot, event, scope);
  };
  const actor = createActor(logic, { clock: clock as never, input });
  actor.subscribe({
    next(snapshot) {
      try {
        onStep(cause, snapshot as AnyMachineSnapshot);
      } catch (error) {
        onFault(error);
      }
    },
    error(cause) {
      // XState stops an actor that failed, and not what it invoked.
      stopChildren(actor.getSnapshot());
      onFault(cause);
    },
  });
  return actor;
}

function stopChildren(snapshot: AnyMachineSnapshot): void {
  for (const child of Object.values(snapshot.children) as (
    | { _stop(): void; getSnapshot(): AnyMachineSnapshot }
    | undefined
  )[]) {
    if (child === undefined) continue;
    const inner = child.getSnapshot();
    if (inner.children !== undefined) stopChildren(inner);
    child._stop();
  }
}

/** The clock of one chart. */
export interface MachineClock {
  /** Timers that will fire. */
  readonly armed: number;
  /** When the one fires that was armed last; undefined: none will. Milliseconds since the epoch. */
  readonly lastDueAt: number | undefined;
  setTimeout(run: () => void, delayMs: number): Timer | undefined;
  clearTimeout(timer: Timer | undefined): void;
}

export function chartClock(clock: Clock): MachineClock {
  const timers = new Map<Timer, number>();
  return {
    get armed() {
      return timers.size;
    },
    get lastDueAt() {
      return [...timers.values()].at(-1);
    },
    setTimeout(run, delayMs) {
      // Never: XState asks for it all the same.
      if (delayMs === Number.POSITIVE_INFINITY) return undefined;
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        run();
      }, delayMs);
      timers.set(timer, clock.now() + delayMs);
      return timer;
    },
    clearTimeout(timer) {
      if (timer === undefined) return;
      timers.delete(timer);
      clock.clearTimeout(timer);
    },
  };
}

/** Told of what a guard does. */
export interface GuardListener {
  onGuardState(state: MachineState): void;
  /** There is nothing left to do; it has stopped. */
  onGuardDone(guard: DeletionGuardInstance): void;
  onFault(error: unknown): void;
}

/** Done as soon as there is nothing to do. */
export class DeletionGuardInstance {
  readonly #actor: Actor;
  readonly #listener: GuardListener;
  #stopped = false;

  constructor({ key, clock, host }: ObjectContext, listener: GuardListener, object: GuardView, claims: Claims) {
    this.#listener = listener;
    this.#actor = chart({
      machine: host.machines.guard,
      clock: chartClock(clock),
      input: { key, object, claims },
      onStep: ({ type }, snapshot) => {
        if (this.#stopped) return;
        // Its first step is caused by the event that woke it.
        const cause = type === 'xstate.init' ? 'claims.changed' : type;
        listener.onGuardState({ state: stateOf(snapshot), tags: snapshot.tags, cause, reported: {} });
        if (isDone(snapshot)) queueMicrotask(() => this.#considerEnd());
      },
      onFault: (error) => listener.onFault(error),
    });
  }

  start(): void {
    this.#actor.start();
  }

  /** Takes in how the object and the claims on it stand. */
  report(object: GuardView, claims: Claims): void {
    this.#actor.send({ type: 'object.changed', object });
    this.#actor.send({ type: 'claims.changed', claims });
  }

  stop(): void {
    this.#stopped = true;
    this.#actor.stop();
  }

  #considerEnd(): void {
    if (this.#stopped || !isDone(this.#actor.getSnapshot())) return;
    // mutant: guard-chart-stays drop
    this.stop();
    // mutant: guard-chart-stays drop
    this.#listener.onGuardDone(this);
  }
}

function isDone(snapshot: AnyMachineSnapshot): boolean {
  return snapshot.hasTag(Tag.Settled) && !needsGuarding(snapshot.context as GuardContext);
}

/** Listener of a lifecycle. */
export interface LifecycleListener {
  /** The object as its lifecycle sees it. */
  readonly held: KubeObject | undefined;
  /** It is in a state; called at each step. @returns whether it was in another one before */
  onState(state: MachineState): boolean;
  /** It settled, or there is nothing left to write: it may have nothing left to do. Not called within a step. */
  onQuiet(): void;
  /** Code of the kind threw: the machine has stopped. */
  onFault(error: unknown): void;
}

/** The state machine of one lifecycle while it is awake, with the writer of its status and the detector of its events. */
export class LifecycleInstance implements StatusSubject {
  readonly lifecycle: Lifecycle;
  readonly #context: ObjectContext;
  readonly #listener: LifecycleListener;
  readonly #actor: Actor;
  readonly #clock: MachineClock;
  readonly #status: StatusWriter;
  readonly #hear: ((step: Step) => UserEvent | undefined) | undefined;
  #seen: AnyMachineSnapshot | undefined;
  #viewText = '';
  #stopped = false;

  /** @param object  as its lifecycle sees it */
  constructor(context: ObjectContext, listener: LifecycleListener, { life }: Kind, object: KubeObject) {
    const { key, clock, host } = context;
    this.lifecycle = life;
    this.#context = context;
    this.#listener = listener;
    const at = clock.now();
    const view = life.view(object, at, context.holders(object));
    this.#viewText = JSON.stringify(view);
    this.#clock = chartClock(clock);
    this.#actor = chart({
      machine: host.machines.of(life),
      clock: this.#clock,
      input: {
        key,
        object: view,
        dependencies: context.dependencies(),
        at,
        inDoubtUntil: host.createJournal.at(key),
        isOwnershipDisputed: host.isOwnershipDisputed(key),
      },
      onStep: (cause, snapshot) => this.#onStep(cause, snapshot),
      onFault: (error) => listener.onFault(error),
    });
    this.#hear = life.userEvents?.(object);
    this.#status = new StatusWriter(context, this, object.metadata.uid);
  }

  get object(): KubeObject | undefined {
    return this.#listener.held;
  }

  get isUnanswered(): boolean {
    if (this.#context.object === undefined) return false;
    return this.#context.dependencies().some(({ neededFor, answer }) => neededFor !== 'never' && answer === undefined);
  }

  onWritten(): void {
    this.#listener.onQuiet();
  }

  start(): void {
    this.#actor.start();
    this.#actor.send({ type: 'lifecycle.started' });
  }

  stop(): void {
    this.#stopped = true;
    this.#actor.stop();
    this.#status.stop();
  }

  /** Whether dependents may use the external resource. */
  get isAvailable(): boolean {
    return this.#snapshot.hasTag(Tag.Available);
  }

  /**
   * Nothing is running, no timer is set, and all its knowledge is in the object and the mailbox (OBJECT-MACHINES-5).
   */
  get canPassivate(): boolean {
    const snapshot = this.#snapshot;
    // mutant: life-rests-with-timer &&.2 drop
    return (
      snapshot.hasTag(Tag.Settled) &&
      this.#clock.armed === 0 &&
      this.#status.isIdle &&
      this.lifecycle.canPassivate(snapshot, this.#context.clock.now())
    );
  }

  sendObject(object: KubeObject): void {
    const context = this.#context;
    const at = context.clock.now();
    const view = this.lifecycle.view(object, at, context.holders(object));
    this.#viewText = JSON.stringify(view);
    this.#actor.send({ type: 'object.changed', object: view, dependencies: context.dependencies(), at });
    // A settled lifecycle checks its status itself, also when it is passivated.
    // mutant: taken-status-not-said drop
    if (!this.#stopped && !this.#snapshot.hasTag(Tag.Settled)) this.#status.restore(this.#snapshot);
  }

  /** Unless the chart would see no difference. */
  tellIfNew(object: KubeObject): void {
    if (viewed(this.lifecycle, object, this.#context) !== this.#viewText) this.sendObject(object);
  }

  /** The object as it was seen last, for {@link viewed}. */
  get viewText(): string {
    return this.#viewText;
  }

  sendDependencies(): void {
    const { clock } = this.#context;
    this.#actor.send({ type: 'dependencies.changed', dependencies: this.#context.dependencies(), at: clock.now() });
  }

  sendOwnerReleased(): void {
    this.#actor.send({ type: 'owner.released' });
  }

  sendRelationsChanged(): void {
    this.#actor.send({ type: 'relations.changed', at: this.#context.clock.now() });
  }

  get #snapshot(): AnyMachineSnapshot {
    return this.#actor.getSnapshot();
  }

  #onStep(event: { readonly type: string }, snapshot: AnyMachineSnapshot): void {
    if (this.#stopped || event.type === 'xstate.init') return;
    const from = this.#seen;
    this.#seen = snapshot;
    const isSettled = snapshot.hasTag(Tag.Settled);
    const reported = this.lifecycle.stepDetails(snapshot);
    const { tags } = snapshot;
    // The pause after a failure begins with the state that is entered for it.
    const retryAt = snapshot.hasTag(Tag.Failing) ? this.#clock.lastDueAt : undefined;
    const isNew = this.#listener.onState({ state: stateOf(snapshot), tags, cause: event.type, reported, retryAt });
    // Dependents are notified before the status is written.
    this.#context.answerAll();
    const { object } = this;
    if (isNew) {
      const news = this.#hear?.({ cause: event, from, to: snapshot, object });
      if (news !== undefined && object !== undefined) this.#context.report(news);
      // A life that begins with a settled object has nothing to say yet.
      if (event.type !== 'lifecycle.started' || !isSettled) this.#status.enter();
    }
    if (object !== undefined) this.#status.consider(snapshot);
    if (isSettled) queueMicrotask(() => this.#listener.onQuiet());
  }
}

/** Object as a lifecycle sees it now, as text. */
export function viewed(life: Lifecycle, object: KubeObject, context: ObjectContext): string {
  return JSON.stringify(life.view(object, context.clock.now(), context.holders(object)));
}
