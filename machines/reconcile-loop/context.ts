// Context and events of the lifecycle of an object that is reconciled in attempts, and the guards of its state machine.
import { growingPauseMs } from '../backoff.ts';
import type { Dependency, LifecycleEvent, LifecycleInput } from '../lifecycle.ts';
import type { ErrorData, JsonObject } from '../object.ts';

/** An object, reduced to what the chart decides by. */
export interface ReconcileLoopView {
  readonly generation: number;
  readonly deleting: boolean;
  /** The own finalizer is stored. */
  readonly owned: boolean;
  /** Finalizers of others that the own one has to outlast. */
  readonly heldBy: readonly string[];
  /** The stored status says that there is nothing to do. */
  readonly settled: boolean;
  /** With `settled`: a pass that looked would say that it stands `available`. */
  readonly available?: boolean;
  /** Whatever else of the object, beside its status, another pass is worth while for: compared as it is. */
  readonly basis: string;
  /** Another value than before: the user wants it tried again. */
  readonly retry?: string;
}

/**
 * State of an idle object: dependents may use it, or it lacks a dependency; of a deleted one, that dependents still use
 * it. For display only.
 */
export type Standing = 'available' | 'awaitingDependencies' | 'inUse';

/** Outcome of an attempt. */
export type Verdict =
  /**
   * The object lacks its own finalizer, and the next step may leave something behind: it is stored, and another attempt
   * is made.
   */
  | { readonly next: 'guard' }
  /**
   * No action is needed until something changes. External changes may be unreported: the next check is due after
   * `lookAgainMs`, if any. `yielded`: uids of unused dependencies that are being deleted (P1).
   */
  | {
      readonly next: 'rest';
      readonly stands?: Standing;
      readonly lookAgainMs?: number;
      readonly withdrawnUids?: readonly string[];
    }
  /**
   * Another attempt is due after this time, or at the next change. `notes` are for that one, and end with this
   * lifecycle.
   */
  | { readonly next: 'pause'; readonly pauseMs: number; readonly notes?: JsonObject }
  /** Nothing of the deleted object is left. */
  | { readonly next: 'leave' };

export interface ReconcileLoopContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: ReconcileLoopView;
  readonly dependencies: readonly Dependency[];
  /**
   * Whether the own finalizer was stored in this lifecycle: something may have been created, even if the finalizer was
   * removed since.
   */
  readonly mayHaveMade: boolean;
  /** Inputs of the last attempt; undefined: there was none in this lifecycle. */
  readonly basis: string | undefined;
  /** The status said that there is nothing to do when the object came to rest. */
  readonly wasSettled: boolean;
  readonly notes: JsonObject;
  readonly pauseMs: number;
  /** Pause until the next check of an idle object; undefined: none is due. */
  readonly lookMs: number | undefined;
  readonly withdrawnUids: readonly string[];
  /** Number of changed attributes of dependents and of replaced dependencies. */
  readonly heard: number;
  /** Passes and last steps in a row that failed. */
  readonly attempts: number;
  /** Passes in a row whose writes lost a race. */
  readonly races: number;
  readonly error: ErrorData | undefined;
}

export type ReconcileLoopEvent = LifecycleEvent<ReconcileLoopView>;
export type ReconcileLoopInput = LifecycleInput<ReconcileLoopView>;

export interface EffectInput {
  readonly key: string;
}

export interface ReconcileAttemptInput extends EffectInput {
  readonly dependencies: readonly Dependency[];
  /** Notes of the last attempt. */
  readonly notes: JsonObject;
  /** As the view has them. */
  readonly owned: boolean;
  readonly heldBy: readonly string[];
}

const BACKOFF_FIRST_MS = 200;
const BACKOFF_LIMIT_MS = 120_000;

/** All that a pass goes by, as text. */
export function basisOf({
  object,
  dependencies,
  heard,
}: Pick<ReconcileLoopContext, 'object' | 'dependencies' | 'heard'>): string {
  const { generation, deleting, owned, basis } = object;
  const others = dependencies.map(({ kind, name, answer }) => [kind, name, answer]);
  return JSON.stringify([generation, deleting, owned, basis, others, heard]);
}

/** The inputs of the last attempt have changed; or another writer reverted its result. */
export function isStale(context: ReconcileLoopContext): boolean {
  const { basis, wasSettled, object } = context;
  return (basis !== undefined && basis !== basisOf(context)) || (wasSettled && !object.settled);
}

/** All dependencies have answered, even if they do not exist. */
export function isAnswered({ dependencies }: Pick<ReconcileLoopContext, 'dependencies'>): boolean {
  return dependencies.every(({ neededFor, answer }) => neededFor === 'never' || answer !== undefined);
}

/** The pause before what failed is tried again, in milliseconds, without jitter. */
export function backoffMs({ attempts, error }: Pick<ReconcileLoopContext, 'attempts' | 'error'>): number {
  return growingPauseMs(attempts, { firstMs: BACKOFF_FIRST_MS, limitMs: BACKOFF_LIMIT_MS }, error);
}
