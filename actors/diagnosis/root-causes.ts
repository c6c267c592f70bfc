// The words for root causes, and what an object says of itself. Pure.

import type { Resource } from '../../adapters/kubernetes/mod.ts';
import { joinedLines } from '../../adapters/text/without-end.ts';
import { TROUPE_PAUSE } from '../../machines/annotations.ts';
import type { Kind, Reference } from '../../machines/kind.ts';
import type { Hint, Pause } from '../../machines/lifecycle.ts';
import { isNeeded } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { availabilityOf, type Condition, progressOf } from '../base/conditions.ts';
import { type Cause, duration, type Finding, labelOf, Standing, type Verdict, Weight } from './findings.ts';
import type { Leader } from './legacy-leader.ts';

export const RUNNING = 'see that troupe runs and manages this kind and namespace';
const BY_ITSELF = `it continues automatically; if not, ${RUNNING}`;

/** @param namespace  where it was looked for; empty: it is in none */
export function missing(label: string, namespace: string, askedBy: string | undefined): Cause {
  if (askedBy !== undefined) {
    const advice = `create it, or correct the reference in ${askedBy}`;
    return { summary: `${label} does not exist`, advice, weight: Weight.Missing };
  }
  const place = namespace === '' ? '' : ` in namespace '${namespace}'`;
  const advice = namespace === '' ? 'create it' : 'look for it in another namespace, which -n names';
  return { summary: `${label} does not exist${place}`, advice, weight: Weight.Missing };
}

/** @param kinds  that the cluster has of the same group */
export function unknownKind(
  { kind, plural, group }: Pick<Resource, 'kind' | 'plural' | 'group'>,
  kinds: readonly string[],
  { isOurs, askedBy }: { readonly isOurs: boolean; readonly askedBy: string | undefined },
): Cause {
  const summary = `the cluster has no kind ${kind}: there is no CustomResourceDefinition ${plural}.${group}`;
  const install = isOurs ? "install it with 'troupe crds --apply'" : 'install it with the software that manages it';
  const correct = askedBy === undefined ? '' : `, or take the reference out of ${askedBy}`;
  const others =
    kinds.length === 0 ? `; it has none of ${group}` : `; of ${group} it has ${[...kinds].sort().join(', ')}`;
  return { summary, advice: `${install}${correct}${others}`, weight: Weight.Missing };
}

export function refused(
  label: string,
  { reason, message }: Pick<Condition, 'reason' | 'message'>,
  { what, todo }: Partial<Hint> = {},
): Cause {
  const advice = todo ?? helpFor(reason);
  const said = [label, reason, what, joinedLines(message)]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return { summary: said, advice, weight: Weight.Refused };
}

function helpFor(reason: string): string {
  return reason === 'UnrecoverableError'
    ? 'no change of its spec can help: look at it where it lives; it is read again with exponential backoff, and continues automatically once that is repaired'
    : 'correct its spec, or what it represents';
}

/** The code that serves it throws. @param defect  what it throws */
export function defective(label: string, defect: string): Cause {
  const summary = `${label}: the code that serves it fails: ${joinedLines(defect)}`;
  const advice = `neither its spec nor its cloud need be wrong: the log of troupe says where in the code; repair or update that, or edit ${label}, which has it tried at once`;
  return { summary, advice, weight: Weight.Refused };
}

/** The last step failed in a way that may pass. @param doing  what could not be done, with a blank before it */
export function retried(label: string, doing: string, { message }: Pick<Condition, 'message'>): Cause {
  const summary = [`${label}${doing}`, joinedLines(message)].filter((part) => part !== '').join(': ');
  return { summary, advice: 'it is tried again automatically, with exponential backoff', weight: Weight.Retried };
}

/** A person has to do something about it, though it is tried again. @param doing  as with `retried` */
export function advised(label: string, doing: string, { message }: Pick<Condition, 'message'>, advice: Hint): Cause {
  const { at, what, todo } = advice;
  const said = [at ?? `${label}${doing}`, what, joinedLines(message)]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return { summary: said, advice: todo, weight: Weight.Refused, ...(at !== undefined && { at }) };
}

/**
 * Cause: a client has Troupe do nothing for the object.
 *
 * @param reference  the object as commands name it, with its namespace: `baremetalhost/one -n metal`
 */
export function paused(label: string, { annotation, value }: Pause, reference: string): Cause {
  const isOwn = value === TROUPE_PAUSE;
  const owner = isOwn || value === '' ? '' : `, which '${value}' set`;
  return {
    summary: `${label} is paused by its annotation '${annotation}'${owner}`,
    advice: isOwn
      ? `run 'troupe resume ${reference}'`
      : 'the client that set the annotation must remove it; nothing is done for the object until then',
    weight: Weight.Held,
  };
}

/** @param id  id of the external resource, which would be deleted with it */
export function unappliedFields(label: string, fields: readonly string[], id: string | undefined): Cause {
  const summary = `${label} is not as its spec says: ${fields.join(', ')} cannot be set once the resource is made`;
  const loss = id === undefined ? '' : `, which deletes ${id} with all that it holds,`;
  const advice = `take it out of the spec; or delete ${label}${loss} and create it again`;
  return { summary, advice, weight: Weight.Refused };
}

/** Cause: a legacy controller manages the objects. */
export function led({ name, lease, holder }: Leader): Cause {
  const summary = `${name} leads: ${holder} holds the lease ${lease}, and Troupe touches nothing meanwhile`;
  const advice = `see that ${name} works, or scale its Deployment to zero and Troupe takes over`;
  return { summary, advice, weight: Weight.Led };
}

/** @param others  processes that host other objects */
export function unhosted(
  labels: readonly string[],
  { lease, bus, others }: { readonly lease: string; readonly bus: string; readonly others: readonly string[] },
): Cause {
  const [first, ...more] = labels;
  const whom = `${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
  const rest = others.length === 0 ? 'nor any other' : `others are held by ${others.join(', ')}`;
  const summary = `no process hosts ${whom}: no process holds the lease ${lease} on ${bus}, ${rest}`;
  const advice =
    others.length === 0
      ? "begin a process of troupe with the role 'actors' on this bus; the log of one that runs says why it holds none"
      : `it is taken over within a lease time; if not, the log of ${others.join(', ')} says why`;
  return { summary, advice, weight: Weight.Stalled };
}

/** @param message  of the attempt to reach it */
export function busAway(message: string): Cause {
  const summary = `the bus is away: ${joinedLines(message)}`;
  const advice =
    'see that nats-server runs there, and that the processes of troupe reach it: nothing continues without it';
  return { summary, advice, weight: Weight.Stalled };
}

/** Cause: no permission to read the hosting processes. */
export function busUntold(message: string): Cause {
  const summary = `whether a process hosts it is unknown: ${joinedLines(message)}`;
  return { summary, advice: 'name a bus and a login that may look, or none', weight: Weight.Passing };
}

export function unusable(label: string, object: KubeObject, id = 'its resource'): Cause {
  const state = statusOf(object);
  const what = state === undefined ? `${id} is not as it should be` : `${id} has status ${state}`;
  const summary = `${label} is as specified, and cannot be used: ${what}`;
  return { summary, advice: `look at ${id} where it lives`, weight: Weight.Foreign };
}

/** Cause outside of the references. @param advice  action, unless it resolves automatically */
export function foreign(
  label: string,
  object: KubeObject,
  message: string,
  { advice, sinceMs }: { readonly advice: Hint | undefined; readonly sinceMs?: number },
): Cause {
  const state = statusOf(object);
  const parts = [
    joinedLines(message),
    state === undefined ? '' : `status ${state}`,
    sinceMs === undefined ? '' : `for ${duration(sinceMs)}`,
  ];
  const reported = parts.filter((part) => part !== '').join(', ') || 'no reason is reported';
  if (advice === undefined) return { summary: `${label}: ${reported}`, advice: BY_ITSELF, weight: Weight.Foreign };
  const cause = advised(label, '', { message: reported }, advice);
  return advice.isPatient === true ? { ...cause, weight: Weight.Foreign } : cause;
}

export function elsewhere(label: string, object: KubeObject, plural: string): Cause {
  const message = progressOf(object)?.message;
  const summary = `${label} is not available${message ? `: ${joinedLines(message)}` : ''}`;
  return { summary, advice: `look at the controller of ${plural}`, weight: Weight.Foreign };
}

export function unseen(label: string, isNew: boolean, sinceMs: number | undefined): Cause {
  const when = isNew ? `since it was applied${forHow(sinceMs)}` : 'since its spec was changed';
  return { summary: `no process has looked at ${label} ${when}`, advice: RUNNING, weight: Weight.Unseen };
}

/**
 * Cause: an object that is not deleted refers to one that is. @param id id of the first one's external resource, if any
 */
export function holding(holder: string, id: string | undefined, held: string): Cause {
  // Nothing was built on it, so it lets go (P1).
  return id === undefined
    ? {
        summary: `${holder} still refers to ${held}`,
        advice: `nothing is built on it, so ${BY_ITSELF}`,
        weight: Weight.Passing,
      }
    : {
        summary: `${holder} still refers to ${held}, and is not deleted`,
        advice: `delete ${holder}, or wait until it is`,
        weight: Weight.Held,
      };
}

export function strange(label: string, finalizer: string): Cause {
  const summary = `${label} carries the finalizer ${finalizer}, which is none of troupe's`;
  return { summary, advice: 'the client that put it there has to remove it', weight: Weight.Held };
}

export function released(label: string, finalizer: string): Cause {
  const summary = `${label} carries the finalizer ${finalizer}, and no object refers to it any more`;
  return { summary, advice: BY_ITSELF, weight: Weight.Passing };
}

export function leaving(label: string): Cause {
  return { summary: `${label} is about to be removed`, advice: BY_ITSELF, weight: Weight.Passing };
}

export function cleaning(label: string, id: string | undefined, sinceMs: number | undefined): Cause {
  const doing = id === undefined ? 'is being cleaned up' : `waits until ${id} is deleted`;
  return { summary: `${label} ${doing}${forHow(sinceMs)}`, advice: BY_ITSELF, weight: Weight.Passing };
}

/** @param labels  each waits for the next, the last for the first */
export function circle(labels: readonly string[]): Cause {
  const summary =
    labels.length === 1
      ? `${labels[0]} waits for itself`
      : `${[...labels, labels[0]].join(' -> ')} wait for each other`;
  return { summary, advice: 'take one of the references out', weight: Weight.Held };
}

/** Part of a finding that every object has. @param id  id of its external resource */
export function saidBy(
  object: KubeObject,
  id: string | undefined,
): Pick<Finding, 'kind' | 'name' | 'available' | 'progressing' | 'id'> {
  const verdict = (condition: Condition | undefined): Verdict | undefined =>
    condition && { status: condition.status, reason: condition.reason, message: condition.message };
  const [available, progressing] = [verdict(availabilityOf(object)), verdict(progressOf(object))];
  return {
    kind: object.kind,
    name: object.metadata.name,
    ...(available !== undefined && { available }),
    ...(progressing !== undefined && { progressing }),
    ...(id !== undefined && { id }),
  };
}

/** State of an object without further explanation. */
export function objectStateOf(object: KubeObject): Standing {
  if (isDeleted(object)) return Standing.Deleting;
  return availabilityOf(object)?.status === 'False' ? Standing.Waiting : Standing.Available;
}

/** Whether an object has to wait for a reference: it is needed now, or the object says so itself. */
export function counts(reference: Reference, isBuilt: boolean, message = ''): boolean {
  const named = labelOf(reference).toLowerCase();
  const isNamed = message.toLowerCase().split(/\s+/).includes(named);
  return isNamed || isNeeded(reference, isBuilt);
}

export function isDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Id of the external resource. The lifecycle of its kind decides: some kinds have no `status.id`. */
export function idOf(object: KubeObject, kind: Pick<Kind, 'life'> | undefined): string | undefined {
  if (kind?.life.externalId !== undefined) return kind.life.externalId(object);
  const id = object.status?.['id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** State of the resource as the external system names it. */
function statusOf({ status }: KubeObject): string | undefined {
  const state = (status?.['resource'] as { readonly status?: unknown } | undefined)?.status;
  return typeof state === 'string' && state !== '' ? state : undefined;
}

function forHow(sinceMs: number | undefined): string {
  return sinceMs === undefined ? '' : `, for ${duration(sinceMs)}`;
}
