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

export function conditionOf({ status }: KubeObject, wanted: string): Condition | undefined {
  // Status is never validated here: whoever wrote it, a list of conditions is read as one, anything else as none.
  const conditions = status?.['conditions'];
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly unknown[]).find(
    (condition): condition is Condition => (condition as Partial<Condition> | null)?.type === wanted,
  );
}
