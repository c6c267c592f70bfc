// The guard of one object while it has something to do (`machines/deletion-guard.ts`).
import type { AnyMachineSnapshot } from 'xstate';
import { type Claims, type GuardContext, type GuardView, needsGuarding } from '../../machines/deletion-guard.ts';
import { stateOf, Tag } from '../../machines/lifecycle.ts';
import { type Actor, chart, chartClock, type MachineState } from './machine-instance.ts';
import type { ObjectContext } from './object-context.ts';

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
