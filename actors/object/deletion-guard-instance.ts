// The guard of one object while it has something to do (`machines/deletion-guard.ts`).
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Clock } from '../../bus/mod.ts';
import { type Claims, type GuardContext, type GuardView, needsGuarding } from '../../machines/deletion-guard.ts';
import { stateOf, Tag } from '../../machines/lifecycle.ts';
import type { MachineState } from './lifecycle-instance.ts';
import { type Actor, chart, chartClock } from './machine-instance.ts';

export interface GuardChartDeps {
  readonly key: string;
  /** `deletionGuardMachine` with its effects. */
  readonly machine: AnyStateMachine;
  readonly clock: Clock;
  readonly onState: (state: MachineState) => void;
  /** There is nothing left to do; it has stopped. */
  readonly onDone: () => void;
  readonly onFault: (error: unknown) => void;
}

/** Done as soon as there is nothing to do. */
export class DeletionGuardInstance {
  readonly #actor: Actor;
  readonly #onDone: () => void;
  #stopped = false;

  constructor({ key, machine, clock, onState, onDone, onFault }: GuardChartDeps, object: GuardView, claims: Claims) {
    this.#onDone = onDone;
    this.#actor = chart({
      machine,
      clock: chartClock(clock),
      input: { key, object, claims },
      onStep: ({ type }, snapshot) => {
        if (this.#stopped) return;
        // Its first step is caused by the event that woke it.
        const cause = type === 'xstate.init' ? 'claims.changed' : type;
        onState({ state: stateOf(snapshot), tags: snapshot.tags, cause, reported: {} });
        if (isDone(snapshot)) queueMicrotask(() => this.#considerEnd());
      },
      onFault,
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
    this.#onDone();
  }
}

function isDone(snapshot: AnyMachineSnapshot): boolean {
  return snapshot.hasTag(Tag.Settled) && !needsGuarding(snapshot.context as GuardContext);
}
