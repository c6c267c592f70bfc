// Running state machine: its events and transitions are reported, its exceptions caught, its timers counted.
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
} from 'xstate';
import type { Clock, Timer } from '../../bus/mod.ts';

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
