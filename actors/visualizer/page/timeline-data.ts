// Activities of a landscape, parted by quiet, and the bars of each object. Pure.
import type { Step } from '../wire.ts';
import { StatusColor } from './tones.ts';

/** Quiet time that parts two activities, in milliseconds. */
const QUIET_MS = 30_000;

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Bar extends Span {
  readonly kind: 'waits' | 'works' | 'fails';
  readonly state: string;
}

const RESTING: ReadonlySet<StatusColor> = new Set([
  StatusColor.Available,
  StatusColor.Unavailable,
  StatusColor.Failing,
  StatusColor.Failed,
]);

/**
 * Steps of one object without routine: steps that left an idle state automatically, for a poll or another attempt,
 * and returned to it.
 */
export function withoutRoutine(steps: readonly Step[]): readonly Step[] {
  const kept: Step[] = [];
  const [first] = steps;
  // An object that existed before the first known step was idle, unless its lifecycle began with that.
  const isNew = first === undefined || first.from === '' || first.cause === 'lifecycle.started';
  let rest: Step | undefined = isNew ? undefined : { ...first, to: first.from, tone: StatusColor.Available };
  let away: Step[] = [];
  for (const step of steps) {
    if (step === first && !isNew && RESTING.has(step.tone) && step.to !== '' && step.cause !== 'object.changed') {
      // It was in the middle of something, and whether that was routine is not known.
      rest = step;
      continue;
    }
    if (rest !== undefined && (away.length > 0 || step.to !== '')) {
      if (away.length === 0 && step.cause === 'object.changed') {
        // The spec changed: no routine.
        kept.push(step);
        rest = RESTING.has(step.tone) && step.to !== '' ? step : undefined;
        continue;
      }
      away.push(step);
      const isBack =
        step.tone === rest.tone && step.to !== '' && (step.tone !== StatusColor.Failed || step.to === rest.to);
      if (isBack) away = [];
      else if (RESTING.has(step.tone) || step.to === '') {
        kept.push(...away);
        away = [];
        rest = step.to === '' ? undefined : step;
      }
      continue;
    }
    kept.push(step);
    rest = RESTING.has(step.tone) && step.to !== '' ? step : undefined;
  }
  return [...kept, ...away.filter(({ tone }) => tone !== StatusColor.Busy)];
}

/** Activities without a long pause, one after another. @param steps  oldest first */
export function activitiesOf(steps: readonly Pick<Step, 'at'>[]): readonly Span[] {
  const found: { from: number; to: number }[] = [];
  for (const { at } of steps) {
    const last = found.at(-1);
    if (last !== undefined && at - last.to < QUIET_MS) last.to = Math.max(last.to, at);
    else found.push({ from: at, to: at });
  }
  return found;
}

const WAITS: ReadonlySet<StatusColor> = new Set([StatusColor.Waiting, StatusColor.Unseen, StatusColor.Held]);
const FAILS: ReadonlySet<StatusColor> = new Set([StatusColor.Failing, StatusColor.Failed, StatusColor.Quarantined]);

/** Bars of an object until it settles. */
export function barsOf(steps: readonly Step[], { from, to }: Span): readonly Bar[] {
  return steps.flatMap((step, index): Bar[] => {
    const end = Math.min(steps[index + 1]?.at ?? to, to);
    if (step.to === '' || step.tone === StatusColor.Available || end <= from || step.at >= to) return [];
    const kind = WAITS.has(step.tone) ? 'waits' : FAILS.has(step.tone) ? 'fails' : 'works';
    return [{ kind, state: step.to, from: Math.max(step.at, from), to: end }];
  });
}

/** When an object was available, or gone, for the last time in the span. */
export function readyAt(steps: readonly Step[], { from, to }: Span): number | undefined {
  const own = steps.filter(({ at }) => at >= from && at <= to);
  return own.findLast(
    (step, index) => step.to === '' || (step.tone === StatusColor.Available && own[index - 1]?.tone !== step.tone),
  )?.at;
}

/**
 * Critical path of keys, from the first to the last: the object that was ready last, the one whose answer let it continue, and so on. The first
 * that began is at the front.
 */
export function criticalPath(
  keys: readonly string[],
  stepsOf: (key: string) => readonly Step[],
  span: Span,
): readonly string[] {
  let [key, before] = [undefined as string | undefined, 0];
  // The path leads to objects that became available, if there are any: deleted ones delayed nothing.
  const isGone = (each: string): boolean => stepsOf(each).findLast(({ at }) => at <= span.to)?.to === '';
  const left = keys.filter((each) => !isGone(each) && readyAt(stepsOf(each), span) !== undefined);
  for (const each of left.length > 0 ? left : keys) {
    const at = readyAt(stepsOf(each), span);
    if (at !== undefined && at > before) [key, before] = [each, at];
  }
  const way: string[] = [];
  while (key !== undefined && !way.includes(key)) {
    way.unshift(key);
    const limit = before;
    const released: Step | undefined = stepsOf(key).findLast(
      ({ at, by }) => at >= span.from && at <= limit && by !== undefined,
    );
    before = released?.at ?? 0;
    key = released?.by;
  }
  return way;
}

/** Number of steps in each of several equal parts of a span. @param steps  oldest first */
export function bucketsOf(steps: readonly Pick<Step, 'at'>[], { from, to }: Span, count: number): readonly number[] {
  const buckets = new Array<number>(count).fill(0);
  for (let index = firstFrom(steps, from); index < steps.length; index++) {
    const at = steps[index]?.at ?? to;
    if (at > to) break;
    const place = Math.min(count - 1, Math.floor(((at - from) / (to - from)) * count));
    buckets[place] = (buckets[place] ?? 0) + 1;
  }
  return buckets;
}

/** Position of the first that is not before a moment. */
export function firstFrom(steps: readonly Pick<Step, 'at'>[], at: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const TICKS = [
  10, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000,
];

/** Round distances from the start of a span. */
export function ticksOf({ from, to }: Span, most: number): readonly number[] {
  const step = TICKS.find((each) => (to - from) / each <= most) ?? 86_400_000;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => index * step);
}
