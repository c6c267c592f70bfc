// Handling of drift, a difference from an unedited spec: it is repaired or, by option, only reported.
import { doneGenerationOf } from '../../../machines/external-resource/user-events.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Condition, DRIFTED } from '../status/conditions.ts';

export const Drift = { Repair: 'repair', Report: 'report' } as const;
export type Drift = (typeof Drift)[keyof typeof Drift];

/** Says it for one object. Any other value than `repair` reports: nothing is changed by a slip of the pen. */
export const DRIFT_ANNOTATION = 'troupe/drift';

/** @param byDefault  for objects that do not say */
export function driftOf({ metadata }: Pick<KubeObject, 'metadata'>, byDefault: Drift): Drift {
  const said = metadata.annotations?.[DRIFT_ANNOTATION];
  if (said === undefined) return byDefault;
  return said === Drift.Repair ? Drift.Repair : Drift.Report;
}

/**
 * The generation that the resource was brought up to, as the status has it. Where drift is reported a condition of its own keeps
 * that through failures: what failed to be read is not brought back when it is read again.
 */
export function appliedOf(object: Pick<KubeObject, 'status'>): number | undefined {
  const conditions = object.status?.['conditions'] as readonly Condition[] | undefined;
  const drifted = conditions?.find(({ type }) => type === DRIFTED);
  return drifted?.observedGeneration ?? doneGenerationOf(object);
}
