// What the life of an object that is looked after pass by pass knows and hears, and the questions its statechart decides by.
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
  /** Whatever else of the object, beside its status, another pass is worth while for: compared as it is. */
  readonly basis: string;
  /** Another value than before: the user wants it tried again. */
  readonly retry?: string;
}

/**
 * How an object stands that rests: others may use it, or it lacks what it refers to; of a deleted one, that others use it still. Shown,
 * and nothing else.
 */
export type Standing = 'available' | 'awaitingDependencies' | 'inUse';

/** What came of a pass. */
export type Verdict =
  /** Of an object without the own finalizer: what is next may leave something behind. It is stored, and another pass is made. */
  | { readonly next: 'guard' }
  /**
   * There is nothing to do until something changes. What is outside may change unheard: another look is due after
   * `lookAgainMs`, if any. `yielded`: uids of what it refers to and does not use, as that is being deleted (P1).
   */
  | {
      readonly next: 'rest';
      readonly stands?: Standing;
      readonly lookAgainMs?: number;
      readonly withdrawnUids?: readonly string[];
    }
  /** Another pass is due after so long, or when something changes. `notes` are for that one, and end with this life. */
  | { readonly next: 'pause'; readonly pauseMs: number; readonly notes?: JsonObject }
  /** Of a deleted object: nothing of it is left. */
  | { readonly next: 'leave' };

export interface ReconcileLoopContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: ReconcileLoopView;
  readonly dependencies: readonly Dependency[];
  /** The own finalizer was stored once in this life: something may have been made, whoever has taken it off since. */
  readonly mayHaveMade: boolean;
  /** What the last pass was made for; undefined: none was made in this life. */
  readonly basis: string | undefined;
  /** The status said that there is nothing to do when the object came to rest. */
  readonly wasSettled: boolean;
  readonly notes: JsonObject;
  readonly pauseMs: number;
  /** Until another look at what rests; undefined: none is due. */
  readonly lookMs: number | undefined;
  readonly withdrawnUids: readonly string[];
  /** How often those who refer to it have said something else, or what it refers to was made anew. */
  readonly heard: number;
  /** Passes and last steps in a row that failed. */
  readonly attempts: number;
  /** Passes in a row whose writes lost a race. */
  readonly races: number;
  readonly error: ErrorData | undefined;
}

export type UpkeepEvent = LifecycleEvent<ReconcileLoopView>;
export type ReconcileLoopInput = LifecycleInput<ReconcileLoopView>;

export interface EffectInput {
  readonly key: string;
}

export interface ReconcileAttemptInput extends EffectInput {
  readonly dependencies: readonly Dependency[];
  /** Of the pass before. */
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

/** What the last pass was made for is not how things are now; or somebody undid what it did. */
export function isStale(context: ReconcileLoopContext): boolean {
  const { basis, wasSettled, object } = context;
  return (basis !== undefined && basis !== basisOf(context)) || (wasSettled && !object.settled);
}

/** Everything that has to be heard of has been, be it that it does not exist. */
export function isAnswered({ dependencies }: Pick<ReconcileLoopContext, 'dependencies'>): boolean {
  return dependencies.every(({ neededFor, answer }) => neededFor === 'never' || answer !== undefined);
}

/** The pause before what failed is tried again, in milliseconds, without jitter. */
export function backoffMs({ attempts, error }: Pick<ReconcileLoopContext, 'attempts' | 'error'>): number {
  return growingPauseMs(attempts, { firstMs: BACKOFF_FIRST_MS, limitMs: BACKOFF_LIMIT_MS }, error);
}
