// What the life of an object that shows something of a node knows, hears and asks for, and the questions that its chart decides by.
import { growingPauseMs } from '../backoff.ts';
import { type Dependency, isUsable, type LifecycleEvent, type LifecycleInput, Readiness } from '../lifecycle.ts';
import type { ErrorData, JsonObject } from '../object.ts';

/** An object that shows something of a node, reduced to what the chart decides by. */
export interface ObservedView {
  readonly generation: number;
  readonly deleting: boolean;
  /** Changes with what the status says, whoever wrote it. */
  readonly says: string;
}

/** When the node's last transition began or ended, as its own system tells it; null: there was none. */
export type Transition = string | null;

export interface ObservedContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: ObservedView;
  readonly dependencies: readonly Dependency[];
  /** What the last reading was made for: with anything else it is made again. */
  readonly basis: string;
  /** What was read, until the status says it. */
  readonly reading: JsonObject | undefined;
  /** When that was asked for, milliseconds since the epoch. */
  readonly readAt: number;
  /** `ObservedView.says` when all was said. */
  readonly said: string;
  /** The last transition of which it is known that it was read after; undefined: it was not looked at. */
  readonly seen: Transition | undefined;
  /** So often the node is looked at while the object rests, in milliseconds. */
  readonly pollAfterMs: number;
  /** After so long it is read again though nobody has told of a reason, in milliseconds. */
  readonly rereadAfterMs: number;
  /** How often something that was made for what was read was not there yet. */
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
/** Of what is done with what was read. */
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

/** What is known of others now. Of another node, what was seen tells nothing. */
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
 * What a reading is made for. What its host comes to is seen at the node: without a transition there is nothing new to read, but
 * who made the machine, which an inspection finds out.
 */
export function basisOf(context: Pick<ObservedContext, 'object' | 'dependencies'>): string {
  const { externalId, attributes } = hostIn(context)?.answer ?? {};
  const { vendor, model } = (attributes ?? {}) as { vendor?: string; model?: string };
  return JSON.stringify([context.object.generation, externalId, vendor, model]);
}

/** What the object made for itself was there, and is not any more. */
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

/** Until a watch that ended by itself is begun again, in milliseconds. */
export const WATCH_PAUSE_MS = 30_000;

/** Between two attempts, in milliseconds. */
export interface FailurePauses {
  readonly firstMs: number;
  readonly limitMs: number;
}

/** Until it is tried again, in milliseconds: what cannot be done as it stands is tried least often. */
export function failurePauseMs(
  { failures, error }: Pick<ObservedContext, 'failures' | 'error'>,
  { firstMs, limitMs }: FailurePauses,
): number {
  return growingPauseMs(failures, { firstMs: error?.code === 'terminal' ? limitMs : firstMs, limitMs }, error);
}
