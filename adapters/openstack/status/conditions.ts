// Status of an object about its lifecycle. Pure.
//
// Invariants:
//   OS-CONDITIONS-1. `lastTransitionTime` changes only with status, reason or message of its condition.
//   OS-CONDITIONS-2. `lastSyncTime` exists only after full success, and changes only when another resync was due (I8).
//   OS-CONDITIONS-3. The last observed resource always stays through transient errors; it is removed when it is known
//       to be deleted.
//   OS-CONDITIONS-4. Work that is over with one call says nothing: the stored status stays until there is something new to say (I8).
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { ErrorCode } from '../../../bus/errors.ts';
import { ResourceTag } from '../../../machines/external-resource/context.ts';
import type { ResourceState } from '../../../machines/external-resource/lifecycle.ts';
import { relookPauseMs } from '../../../machines/external-resource/polling.ts';
import { doneGenerationOf, driftMessage } from '../../../machines/external-resource/user-events.ts';
import { type Holders, Tag } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { isJsonObject } from '../base/fields.ts';
import { resyncOf } from '../base/object-options.ts';
import { isEmpty } from '../base/observed-values.ts';
import { ownershipMessage } from './ownership-messages.ts';

export const Reason = {
  Success: 'Success',
  Progressing: 'Progressing',
  TransientError: 'TransientError',
  InvalidConfiguration: 'InvalidConfiguration',
  UnrecoverableError: 'UnrecoverableError',
} as const;
export type Reason = (typeof Reason)[keyof typeof Reason];

const TERMINAL: ReadonlySet<string> = new Set([Reason.InvalidConfiguration, Reason.UnrecoverableError]);

/** The type of the condition of objects whose drift is reported. */
export const DRIFTED = 'Drifted';

/** As the API server keeps it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The longest message that a condition holds. */
const MESSAGE_LENGTH = 32768;

/** The status that the status field manager owns. @param isNamed  the resource has a name that can be changed */
export function statusOf(
  view: ResourceState,
  object: KubeObject,
  now: number,
  defaultResyncMs: number,
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): JsonObject {
  const stored = storedStatus(object);
  const messages = messagesOf(view, isNamed);
  const observed = knownResource(view, stored);
  // Another controller may have written an equal value in another form.
  // mutant: same-in-other-words-written ?: -> observed
  const resource = saysSame(stored.resource, observed) ? stored.resource : observed;
  if (messages === undefined && view.error === undefined) {
    return owned({ conditions: stored.conditions, resource, lastSyncTime: stored.lastSyncTime });
  }
  const progressing = progressingOf(messages ?? [], view);
  const available = availableOf(view, stored, progressing);
  const { generation } = view;
  const conditions = [
    conditionOf('Available', available, { stored, generation, now }),
    conditionOf('Progressing', progressing, { stored, generation, now }),
    ...driftedOf(view, stored, now),
  ];
  const isSynced = progressing.reason === Reason.Success;
  const isNews = !isSame(stored, { conditions, resource }) || isDue(object, stored, now, defaultResyncMs);
  // mutant: status-each-look ?:.2 -> $2
  const lastSyncTime = isSynced ? (isNews ? timeOf(now) : stored.lastSyncTime) : undefined;
  return owned({ conditions, resource, lastSyncTime });
}

/** Whether nothing has to be done for an object as its status stands (a terminal error waits for the spec). */
export function settledOf(
  object: KubeObject,
  now: number,
  defaultResyncMs: number,
): { readonly settled: boolean; readonly failed: boolean; readonly resyncInMs?: number } {
  const stored = storedStatus(object);
  const progressing = conditionIn(stored, 'Progressing');
  const isCurrent = progressing?.status === 'False' && progressing.observedGeneration === object.metadata.generation;
  if (progressing === undefined || !isCurrent) return { settled: false, failed: false };
  const resync = resyncOf(object, defaultResyncMs);
  const periodMs = resync.kind === 'every' ? resync.periodMs : Number.POSITIVE_INFINITY;
  /** A failure that only the cloud can repair is polled even without a resync period. */
  const relookIn = (condition: Condition | undefined): number => {
    const since = Date.parse(condition?.lastTransitionTime ?? '');
    return Math.min(relookPauseMs(Number.isNaN(since) ? 0 : now - since), periodMs);
  };
  if (progressing.reason === Reason.UnrecoverableError)
    return { settled: true, failed: true, resyncInMs: relookIn(progressing) };
  if (TERMINAL.has(progressing.reason)) return { settled: true, failed: true };
  if (resync.kind === 'malformed') return { settled: false, failed: false };
  const available = conditionIn(stored, 'Available');
  const lastAt = Date.parse(stored.lastSyncTime ?? '');
  if (resync.kind === 'every' && Number.isNaN(lastAt)) return { settled: false, failed: false };
  const dueInMs = resync.kind === 'never' ? periodMs : Math.max(0, lastAt + periodMs - now);
  // An overdue but settled object does not take precedence over the other polls.
  const isUsable = available?.status === 'True';
  const resyncInMs = isUsable ? dueInMs : Math.min(dueInMs > 0 ? dueInMs : periodMs, relookIn(available));
  return { settled: true, failed: false, ...(Number.isFinite(resyncInMs) && { resyncInMs }) };
}

/** Whether the object counts as ready for those who refer to it. The generation is not compared. */
export function isAvailable(object: KubeObject): boolean {
  return conditionIn(storedStatus(object), 'Available')?.status === 'True';
}

/** RFC 3339 in UTC, whole seconds: the API server keeps no more. */
export function timeOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Reasons for waiting, in the order in which they arose; empty once all is done; undefined while a call is running. */
function messagesOf(standing: ResourceState, isNamed: boolean): readonly string[] | undefined {
  const { tags, awaited, heldBy, holders = {}, waiting, leaving, vanished, conflictingOwner } = standing;
  if (heldBy.length > 0) return heldBy.map((finalizer) => heldMessage(finalizer, holders[finalizer]));
  const references = awaited.map(
    ({ kind, name, exists }) => `Waiting for ${kind}/${name} to be ${exists ? 'ready' : 'created'}`,
  );
  if (leaving.length > 0) return leaving.map(({ kind, name }) => `Waiting for ${kind}/${name} to be deleted`);
  if (conflictingOwner !== undefined) return [ownershipMessage(conflictingOwner, isNamed)];
  // The reason for waiting is more precise, and a restarted process would write the same (I9).
  const messages = [...(vanished && references.length === 0 ? [VANISHED] : []), ...references, ...waiting];
  if (messages.length > 0) return messages;
  const awaits = WAITS.find(([tag]) => tags.has(tag));
  if (awaits !== undefined) return [awaits[1]];
  return isRead(standing) ? [] : undefined;
}

/** The contract's words, and for whom it waits, if that is known. */
function heldMessage(finalizer: string, { names, more }: Holders = { names: [], more: 0 }): string {
  const waiting = `Waiting for finalizer ${finalizer} to be removed`;
  // mutant: deletion-silent-of-holders if -> true
  if (names.length === 0) return waiting;
  return `${waiting} (held by ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

const VANISHED = 'OpenStack resource was deleted externally; will recreate on next reconcile';

/** Nothing matches the import. */
export const AWAITS_IMPORT = 'Waiting for OpenStack resource to be created externally';

/** Reasons for waiting for the cloud, by the tag of the state. */
const WAITS: readonly (readonly [string, string])[] = [
  [ResourceTag.Removing, 'Waiting for OpenStack resource to be deleted'],
  [ResourceTag.AwaitsImport, AWAITS_IMPORT],
  [ResourceTag.ContentTransfer, 'Starting image upload'],
  [ResourceTag.AwaitsReadiness, 'Waiting for OpenStack resource to be ready'],
  [ResourceTag.AwaitsChange, 'Resource status will be refreshed'],
];

/** The resource was looked at, and nothing is to be done. */
function isRead({ tags }: ResourceState): boolean {
  return tags.has(Tag.Settled) && !tags.has(Tag.Failing);
}

function progressingOf(
  messages: readonly string[],
  { error, statusNotes }: Pick<ResourceState, 'error' | 'statusNotes'>,
): Verdict {
  if (error?.code === ErrorCode.Terminal) {
    return { status: 'False', reason: error.reason ?? Reason.InvalidConfiguration, message: error.message };
  }
  if (error !== undefined) return { status: 'True', reason: Reason.TransientError, message: error.message };
  if (messages.length > 0) return { status: 'True', reason: Reason.Progressing, message: messages.join('\n') };
  const message = ['OpenStack resource is up to date', ...statusNotes].join('; ');
  return { status: 'False', reason: Reason.Success, message };
}

/**
 * Whether the resource has drifted, if drift is only reported. A failed read leaves the value as it was, with its
 * generation.
 */
function driftedOf(
  { reporting, left, generation, error }: ResourceState,
  stored: StoredStatus,
  now: number,
): readonly Condition[] {
  if (!reporting) return [];
  const known = conditionIn(stored, DRIFTED);
  if (left === undefined || error !== undefined) return known === undefined ? [] : [known];
  const verdict: Verdict =
    left.length === 0
      ? { status: 'False', reason: Reason.Success, message: 'OpenStack resource is as specified' }
      : { status: 'True', reason: DRIFTED, message: driftMessage(left) };
  return [conditionOf(DRIFTED, verdict, { stored, generation, now })];
}

function availableOf(view: ResourceState, stored: StoredStatus, progressing: Verdict): Verdict {
  const status = usability(view, stored);
  if (status === 'True') return { status, reason: Reason.Success, message: 'OpenStack resource is available' };
  return { ...progressing, status: view.error?.code === ErrorCode.Terminal ? 'False' : status };
}

function usability(standing: ResourceState, stored: StoredStatus): Condition['status'] {
  const { tags, observation, externalId } = standing;
  if (observation !== undefined) return observation.available ? 'True' : 'False';
  if (externalId === undefined) return 'False';
  // A deletion reads nothing that could change what was known before.
  const isKnown = isRead(standing) || tags.has(Tag.Deleting) || WAITS.some(([tag]) => tags.has(tag));
  const known = isKnown ? conditionIn(stored, 'Available')?.status : undefined;
  return known ?? 'Unknown';
}

function knownResource(
  { observation, vanished, externalId, error, tags }: ResourceState,
  stored: StoredStatus,
): Json | undefined {
  if (observation !== undefined) return observation.resource;
  // An object that is being deleted without an id may have lost it: its last observation is the only evidence of a
  // resource.
  const isUnknown = externalId === undefined && !tags.has(Tag.Deleting);
  const isGone = vanished || isUnknown || error?.reason === Reason.UnrecoverableError;
  return isGone ? undefined : stored.resource;
}

interface StoredStatus {
  readonly conditions?: readonly Condition[];
  readonly resource?: Json;
  readonly lastSyncTime?: string;
}

/** The status as the API server holds it, which has checked it against the contract. */
function storedStatus({ status }: KubeObject): StoredStatus {
  return (status ?? {}) as StoredStatus;
}

function conditionIn({ conditions = [] }: Pick<StoredStatus, 'conditions'>, wanted: string): Condition | undefined {
  return conditions.find(({ type }) => type === wanted);
}

export function conditionOf(
  type: string,
  { status, reason, message: whole }: Verdict,
  {
    stored,
    generation,
    now,
  }: { readonly stored: Pick<StoredStatus, 'conditions'>; readonly generation: number; readonly now: number },
): Condition {
  const message = whole.slice(0, MESSAGE_LENGTH);
  const before = conditionIn(stored, type);
  const isUnchanged = before?.status === status && before.reason === reason && before.message === message;
  const lastTransitionTime = isUnchanged ? before.lastTransitionTime : timeOf(now);
  return { type, status, reason, message, lastTransitionTime, observedGeneration: generation };
}

/** Whether a resync was due, or none was recorded. */
function isDue(object: KubeObject, { lastSyncTime }: StoredStatus, now: number, defaultResyncMs: number): boolean {
  if (lastSyncTime === undefined) return true;
  const resync = resyncOf(object, defaultResyncMs);
  return resync.kind === 'every' && now - Date.parse(lastSyncTime) >= resync.periodMs;
}

function isSame(
  stored: StoredStatus,
  { conditions, resource }: { readonly conditions: readonly Condition[]; readonly resource: Json | undefined },
): boolean {
  return (
    normal(stored.resource ?? null) === normal(resource ?? null) &&
    conditions.every((condition) => {
      const before = conditionIn(stored, condition.type);
      return before !== undefined && normal(before as unknown as Json) === normal(condition as unknown as Json);
    })
  );
}

/** Whether two statuses tell the same: what is empty is as what is missing, and a time without a fraction as any in that second. */
function saysSame(one: Json | undefined, other: Json | undefined): boolean {
  if (saysNothing(one) || saysNothing(other)) return saysNothing(one) && saysNothing(other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item: Json, index) => saysSame(item, other[index]));
  if (isJsonObject(one) && isJsonObject(other))
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => saysSame(one[name], other[name]));
  if (typeof one === 'string' && typeof other === 'string') {
    const [a, b] = [one, other].map((text) => INSTANT.exec(text)?.groups);
    const isRounded =
      a !== undefined && b !== undefined && (a['fraction'] === undefined || b['fraction'] === undefined);
    return one === other || (isRounded && a['second'] === b['second']);
  }
  return one === other;
}

const INSTANT = /^(?<second>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?<fraction>\.\d+)?Z$/;

function saysNothing(value: Json | undefined): boolean {
  return isEmpty(value) || (isJsonObject(value) && Object.values(value).every((member) => saysNothing(member)));
}

/** Equal texts for equal values, whatever the order of members. */
function normal(value: Json): string {
  return JSON.stringify(value, (_, part: Json) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}

/** Without what is undefined: left out of an apply, it vanishes. */
function owned({
  conditions,
  resource,
  lastSyncTime,
}: { readonly [K in keyof StoredStatus]: StoredStatus[K] | undefined }): JsonObject {
  return {
    ...(conditions === undefined ? {} : { conditions: conditions as unknown as Json }),
    ...(resource === undefined || Object.keys(resource as JsonObject).length === 0 ? {} : { resource }),
    ...(lastSyncTime === undefined ? {} : { lastSyncTime }),
  };
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
