// Context and events of the lifecycle of an object that shows a part of a node, and the guards of its state machine.
import { growingPauseMs } from '../backoff.ts';
import { type Dependency, isUsable, type LifecycleEvent, type LifecycleInput, Readiness } from '../lifecycle.ts';
import type { ErrorData, JsonObject } from '../object.ts';

/** An object that shows something of a node, reduced to what the chart decides by. */
export interface ObservedView {
  readonly generation: number;
  readonly deleting: boolean;
  /** Fingerprint of the status, of any writer. */
  readonly says: string;
}

/** When the node's last transition began or ended, as its own system tells it; null: there was none. */
export type Transition = string | null;

export interface ObservedContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: ObservedView;
  readonly dependencies: readonly Dependency[];
  /** Fingerprint of the last reading's inputs: a change makes it be repeated. */
  readonly basis: string;
  /** Data that was read and is not in the status yet. */
  readonly reading: JsonObject | undefined;
  /** When that was asked for, milliseconds since the epoch. */
  readonly readAt: number;
  /** `ObservedView.says` after the last write. */
  readonly said: string;
  /** The last transition of which it is known that it was read after; undefined: it was not looked at. */
  readonly seen: Transition | undefined;
  /** Polling interval of the node while the object is idle, in milliseconds. */
  readonly pollAfterMs: number;
  /** Time after which it is read again without a reported change, in milliseconds. */
  readonly rereadAfterMs: number;
  /** Number of times that a related object was missing. */
  readonly lacks: number;
  /** Attempts in a row that failed, and writes in a row that lost a race. */
  readonly failures: number;
  readonly races: number;
  readonly error: ErrorData | undefined;
}

export type ObservedInput = LifecycleInput<ObservedView>;
export type ObservedEvent = LifecycleEvent<ObservedView>;

export interface EffectInput {
  readonly key: string;
}
export interface ReadOutput {
  readonly reading: JsonObject;
  /** When it was asked for, milliseconds since the epoch. */
  readonly at: number;
}
/** Input of the effects after a reading. */
export interface ReadingInput extends EffectInput {
  readonly reading: JsonObject;
}
export interface FurnishOutput {
  /** Messages of what is not there yet. */
  readonly waiting: readonly string[];
}
/** Of `ObservedContext`. */
export interface StoreOutput {
  readonly pollAfterMs: number;
  readonly rereadAfterMs: number;
}
export interface WatchInput extends EffectInput {
  readonly seen: Transition | undefined;
  readonly readAt: number;
  readonly pollAfterMs: number;
}
export interface WatchOutput {
  /** The transition that is over now. */
  readonly seen: Transition;
}

type Heard = Pick<ObservedContext, 'dependencies'>;

/** Whose node it is. */
export function hostIn({ dependencies }: Heard): Dependency | undefined {
  return dependencies.find(({ neededFor }) => neededFor === 'always');
}

/** Current facts about dependencies. After a change of the node, its earlier state is dropped. */
export function heard(
  context: Pick<ObservedContext, 'dependencies' | 'seen'>,
  dependencies: readonly Dependency[],
): Pick<ObservedContext, 'dependencies' | 'seen'> {
  const nodeOf = (each: Heard): string | undefined => hostIn(each)?.answer?.externalId;
  return { dependencies, seen: nodeOf(context) === nodeOf({ dependencies }) ? context.seen : undefined };
}

/** There is a node, and it may be asked for. */
export function isServed(context: Heard): boolean {
  const host = hostIn(context);
  return host !== undefined && isUsable(host, []) && host.answer?.externalId !== undefined;
}

/**
 * Inputs of a reading. Changes of its host show in the node: without a transition only the vendor may be new, which an
 * inspection finds.
 */
export function basisOf(context: Pick<ObservedContext, 'object' | 'dependencies'>): string {
  const { externalId, attributes } = hostIn(context)?.answer ?? {};
  const { vendor, model } = (attributes ?? {}) as { vendor?: string; model?: string };
  return JSON.stringify([context.object.generation, externalId, vendor, model]);
}

/** A related object existed, and does not any more. */
export function isRobbed({ dependencies }: Heard, now: readonly Dependency[]): boolean {
  return now.some(({ kind, name, neededFor, answer }) => {
    const before = dependencies.find((each) => each.kind === kind && each.name === name)?.answer;
    return (
      neededFor === 'never' &&
      answer?.readiness === Readiness.Absent &&
      before !== undefined &&
      before.readiness !== Readiness.Absent
    );
  });
}

/** Pause before a watch that ended on its own is restarted, in milliseconds. */
export const WATCH_PAUSE_MS = 30_000;

/** Between two attempts, in milliseconds. */
export interface FailurePauses {
  readonly firstMs: number;
  readonly limitMs: number;
}

/** Pause before a retry, in milliseconds: longest for a request that is impossible in the current state. */
export function failurePauseMs(
  { failures, error }: Pick<ObservedContext, 'failures' | 'error'>,
  { firstMs, limitMs }: FailurePauses,
): number {
  return growingPauseMs(failures, { firstMs: error?.code === 'terminal' ? limitMs : firstMs, limitMs }, error);
}
