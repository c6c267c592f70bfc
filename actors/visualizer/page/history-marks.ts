// Marks below the slider of the history. Pure.
import type { Step } from '../wire.ts';
import { firstFrom, type Span } from './timeline-data.ts';
import { StatusColor } from './tones.ts';

/** From the gravest to the least, for marks that lie on each other. */
export const MARKS = ['refused', 'failed', 'deleted', 'spec'] as const;
export type MarkKind = (typeof MARKS)[number];

export interface HistoryMark {
  readonly kind: MarkKind;
  /** Exactly when. */
  readonly at: number;
  readonly key: string;
  /** More that lie on it. */
  readonly more: number;
}

/** Marks nearer than that are one, in pixels. */
const NEAR = 7;

/** Marks of a span in a slider of a width in pixels. @param steps  oldest first @param before  the step of the same object before one */
export function marksOf(
  steps: readonly Step[],
  { from, to }: Span,
  width: number,
  before: (step: Step) => Step | undefined,
): readonly HistoryMark[] {
  const marks: { kind: MarkKind; at: number; key: string; more: number }[] = [];
  for (let index = firstFrom(steps, from); index < steps.length; index++) {
    const step = steps[index] as Step;
    if (step.at > to) break;
    const kind = kindOf(step, before);
    if (kind === undefined) continue;
    const last = marks.at(-1);
    if (last === undefined || ((step.at - last.at) / (to - from)) * width >= NEAR) {
      marks.push({ kind, at: step.at, key: step.key, more: 0 });
      continue;
    }
    last.more += 1;
    // The gravest of them is shown, and landed on.
    if (MARKS.indexOf(kind) < MARKS.indexOf(last.kind)) Object.assign(last, { kind, at: step.at, key: step.key });
  }
  return marks;
}

function kindOf(step: Step, before: (step: Step) => Step | undefined): MarkKind | undefined {
  if (step.to === '') return 'deleted';
  if (step.tone === StatusColor.Failed || step.tone === StatusColor.Quarantined) return 'refused';
  if (step.failure !== undefined) return 'failed';
  if (step.cause !== 'object.changed') return undefined;
  const tone = before(step)?.tone;
  // Work continues for the same spec whatever is written meanwhile.
  return tone === StatusColor.Available || tone === StatusColor.Failed || tone === StatusColor.Unavailable
    ? 'spec'
    : undefined;
}
