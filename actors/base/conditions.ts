// The conditions in the status of an object, as Kubernetes keeps them whatever the kind.
import type { KubeObject } from '../../machines/object.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** Reason that kinds without `Progressing` use for an invalid spec; any other reason may be temporary. */
const REFUSED = 'InvalidConfiguration';

/**
 * The condition `Progressing`: `False` where nothing is left to do, for the reason `Success` or another one. Of an object that says all in
 * one condition, `Ready`, what this comes to.
 */
export function progressOf(object: KubeObject): Condition | undefined {
  const ready = conditionOf(object, 'Ready');
  const reported = conditionOf(object, 'Progressing');
  // mutant: condition-unseen ||.2 -> $1 !== $2
  if (reported !== undefined || ready === undefined) return reported;
  if (ready.status === 'True') return { ...ready, status: 'False', reason: 'Success' };
  // mutant: waiting-shown-refused : -> $2
  return { ...ready, status: ready.reason === REFUSED ? 'False' : 'True' };
}

/** The condition `Available`, or `Ready` where that is all there is. */
export function availabilityOf(object: KubeObject): Condition | undefined {
  const reported = conditionOf(object, 'Available');
  return reported ?? (conditionOf(object, 'Progressing') === undefined ? conditionOf(object, 'Ready') : undefined);
}

export function conditionOf({ status }: KubeObject, wanted: string): Condition | undefined {
  // Status is never validated here: a list of conditions of any writer is read as one, anything else as none.
  const conditions = status?.['conditions'];
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly unknown[]).find(
    (condition): condition is Condition => (condition as Partial<Condition> | null)?.type === wanted,
  );
}
