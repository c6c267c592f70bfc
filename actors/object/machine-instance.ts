// State machines at work: what they took in and where that led is reported, what they throw is reported too, and their timers are counted.

import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
} from 'xstate';
import type { Clock, Timer } from '../../bus/mod.ts';
import { type Claims, type GuardContext, type GuardView, needsGuarding } from '../../machines/deletion-guard.ts';
import { stateOf, Tag } from '../../machines/lifecycle.ts';
import type { MachineState, ObjectContext } from './object-context.ts';

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
  setTimeout(run: () => void, delayMs: number): Timer | undefined;
  clearTimeout(timer: Timer | undefined): void;
}

export function chartClock(clock: Clock): MachineClock {
  const timers = new Set<Timer>();
  return {
    get armed() {
      return timers.size;
    },
    setTimeout(run, delayMs) {
      // Never: XState asks for it all the same.
      if (delayMs === Number.POSITIVE_INFINITY) return undefined;
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        run();
      }, delayMs);
      timers.add(timer);
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
        // It wakes because of what it was told.
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
