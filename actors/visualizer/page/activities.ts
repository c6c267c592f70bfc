// What happened, parted by quiet.
import type { Step } from '../wire.ts';

/** What is quiet for so long parts one activity from the next, in milliseconds. */
const QUIET_MS = 30_000;

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What happened without a long pause, one after another. */
export function activitiesOf(steps: readonly Step[]): readonly Span[] {
  const found: { from: number; to: number }[] = [];
  for (const { at } of steps) {
    const last = found.at(-1);
    if (last !== undefined && at - last.to < QUIET_MS) last.to = Math.max(last.to, at);
    else found.push({ from: at, to: at });
  }
  return found;
}
