// Outcomes of steps: the context after each of them, and what has changed since the spec was applied to the resource: drift, deletion,
// or the replacement of a dependency.
import type { Dependency } from '../lifecycle.ts';
import type { ErrorData } from '../object.ts';
import type { ResourceContext } from './context.ts';

/** The current spec was applied to the resource: differences are to be reported, and not repaired. */
export function isToReport({ object, applied }: Pick<ResourceContext, 'object' | 'applied'>): boolean {
  const { generation, reporting } = object;
  // mutant: reported-drift-hides-edit === -> $2 > 0
  return reporting !== undefined && Math.max(applied ?? 0, reporting.applied ?? 0) === generation;
}

/** All is done. What waits for something is not, so that the spec has not been brought there as a whole. */
export function noteSuccess({ waiting, applied, tried }: ResourceContext): Partial<ResourceContext> {
  const done = waiting.length > 0 ? applied : tried;
  return { error: undefined, attempts: 0, changes: 0, vanished: false, filling: undefined, applied: done };
}

/** A deleted resource is not created again if drift is only reported: the object waits for its user. */
export function noteLoss(): Pick<ResourceContext, 'error' | 'observation' | 'available'> {
  const error: ErrorData = {
    code: 'terminal',
    reason: 'UnrecoverableError',
    message: 'the resource was deleted outside of Kubernetes, and is not re-created, since drift is only reported',
    passing: true,
  };
  return { error, observation: undefined, available: false };
}

/** The ids that are known: what is built on them follows those, or says that it does not. */
export function idsOf(dependencies: readonly Dependency[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    dependencies.flatMap(({ kind, namespace, name, answer }) =>
      answer?.externalId === undefined ? [] : [[[kind, namespace, name].join('/'), answer.externalId]],
    ),
  );
}

/** Whether one of them has another id than the last update pass knew. */
export function isAnew({ passedOn, dependencies }: Pick<ResourceContext, 'passedOn' | 'dependencies'>): boolean {
  const known = idsOf(dependencies);
  return Object.entries(passedOn).some(([label, id]) => known[label] !== undefined && known[label] !== id);
}

/** The object only needed an observation, which was postponed for lack of a slot: nothing changes. */
export function isPostponed({ object, error }: Pick<ResourceContext, 'object' | 'error'>): boolean {
  // mutant: late-resync-tells return -> false
  return error?.unsent === true && object.settled !== 'no';
}

/** Context after a failure. */
export function failed(
  context: ResourceContext,
  error: ErrorData,
): Pick<ResourceContext, 'error' | 'attempts' | 'inDoubtUntil' | 'landsInMs' | 'available'> {
  // Only a failed read makes the state uncertain; other failures, and a late observation, do not.
  const isSure = context.observation !== undefined || isPostponed({ object: context.object, error });
  return {
    error,
    attempts: context.attempts + 1,
    // mutant: unanswered-create-forgotten : -> $1
    inDoubtUntil: Math.max(context.inDoubtUntil, error.inDoubtUntil ?? 0),
    landsInMs: undefined,
    available: context.available && isSure,
  };
}
