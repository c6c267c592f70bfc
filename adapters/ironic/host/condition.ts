// The conditions of the kinds beside the host: standard Kubernetes conditions, brought up to date. Pure.
//
// Invariant: `lastTransitionTime` moves with `status` alone, not with reason, message or generation.
import type { Maybe } from './host-json.ts';

/** As the API server keeps it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export type Verdict = Pick<Condition, 'type' | 'status' | 'reason'> & { readonly message?: string };

/** The longest message that a condition holds. */
const MESSAGE_LENGTH = 32768;

/**
 * The conditions of a status after these verdicts: those judged replaced in place or appended, all others kept.
 *
 * @param options.stored  `status.conditions` as it is; null and absent are none
 * @param options.generation  `metadata.generation` that was judged
 * @param options.now  milliseconds since the epoch
 */
export function withConditions(
  verdicts: readonly Verdict[],
  {
    stored,
    generation,
    now,
  }: {
    readonly stored: Maybe<readonly Condition[]>;
    readonly generation: number | undefined;
    readonly now: number;
  },
): readonly Condition[] {
  const before = stored ?? [];
  const judged = verdicts.map(({ type, status, reason, message = '' }): Condition => {
    const known = conditionOf(before, type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : timeOf(now);
    return {
      type,
      status,
      reason,
      message: message.slice(0, MESSAGE_LENGTH),
      lastTransitionTime,
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  });
  const kept = before.map((condition) => conditionOf(judged, condition.type) ?? condition);
  return [...kept, ...judged.filter(({ type }) => conditionOf(before, type) === undefined)];
}

export function conditionOf(conditions: Maybe<readonly Condition[]>, wanted: string): Condition | undefined {
  return (conditions ?? []).find(({ type }) => type === wanted);
}

/** RFC 3339 in UTC, whole seconds: the API server keeps no more. */
export function timeOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
