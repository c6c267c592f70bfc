// The conditions that objects of most adapters have: Available and Progressing, as `kubectl wait` and `troupe why` read them.
//
// Invariant: `lastTransitionTime` moves only with status, reason or message of its condition.
import type { JsonObject } from '../../../bus/json.ts';
import { ResourceTag } from '../../../machines/external-resource/context.ts';
import type { ResourceState } from '../../../machines/external-resource/lifecycle.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { integer, list, object, required, type Schema, type Shape, string } from '../contract/contract.ts';

/** Reasons of `Progressing`. */
export const ConditionReason = {
  /** It is as specified. */
  Success: 'Success',
  /** Something is under way, or waited for. */
  Progressing: 'Progressing',
  /** The last attempt failed, and is repeated. */
  TransientError: 'TransientError',
  /** The request was rejected, and is not retried before the spec or a dependency changes. */
  InvalidConfiguration: 'InvalidConfiguration',
} as const;
export type ConditionReason = (typeof ConditionReason)[keyof typeof ConditionReason];

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The longest message that a condition holds. */
const MESSAGE_LENGTH = 32_768;

const condition = object('One aspect of the state of the object.', {
  type: required(string('type is the name of the aspect.', { minLength: 1, maxLength: 316 })),
  status: required(string('status is the answer.', { enum: ['True', 'False', 'Unknown'] })),
  observedGeneration: integer('observedGeneration is the generation that the answer is about.', {
    format: 'int64',
    minimum: 0,
  }),
  lastTransitionTime: required(
    string('lastTransitionTime is since when the answer has been the same.', { format: 'date-time' }),
  ),
  reason: required(
    string('reason is the cause of the answer, in one CamelCase word.', { minLength: 1, maxLength: 1_024 }),
  ),
  message: required(string('message is for people.', { maxLength: MESSAGE_LENGTH })),
});

/**
 * The schema of a status with conditions, an id, and what is observed of the resource.
 *
 * @param resource  fields of `status.resource`; `Observation.resource` fills them
 * @example status: standardStatus({ serial: integer('serial of the zone.', { format: 'int64' }) })
 */
export function standardStatus(resource: Shape = {}): Schema {
  return object('status is what is known of the resource.', {
    conditions: list(
      'conditions tell where the object stands. Available is True while the resource can be used. Progressing is False once nothing is left to do, and after an error that only a change can clear.',
      condition,
      { type: 'map', keys: ['type'], maxItems: 16 },
    ),
    id: string('id is what the resource is called outside.', { maxLength: 1_024 }),
    ...(Object.keys(resource).length > 0 && { resource: object('resource is what was last seen of it.', resource) }),
  });
}

/** Columns of `kubectl get` that go with {@link standardStatus}. */
export const standardColumns = [
  { name: 'ID', description: 'what the resource is called outside', jsonPath: '.status.id' },
  {
    name: 'Available',
    description: 'whether it can be used',
    jsonPath: ".status.conditions[?(@.type=='Available')].status",
  },
  {
    name: 'Message',
    description: 'what it waits for, or what is wrong',
    jsonPath: ".status.conditions[?(@.type=='Progressing')].message",
  },
] as const;

/**
 * Whether nothing is left to do for the object as its status stands: it is as specified, or was refused as it is.
 *
 * @returns undefined: something is left to do
 * @example isSettled(object) === 'available'
 */
export function isSettled(object: KubeObject): 'available' | 'unavailable' | 'failed' | undefined {
  const progressing = conditionOf(object, 'Progressing');
  const isCurrent = progressing?.observedGeneration === object.metadata.generation;
  if (progressing?.status !== 'False' || !isCurrent) return undefined;
  if (progressing.reason !== ConditionReason.Success) return 'failed';
  return isAvailable(object) ? 'available' : 'unavailable';
}

/** Whether dependents may use the external resource, as the status says. */
export function isAvailable(object: KubeObject): boolean {
  return conditionOf(object, 'Available')?.status === 'True';
}

/**
 * The conditions for the state of the lifecycle. Undefined: a call is running, and nothing changed.
 *
 * @param standing  as `externalResourceLife` gives it to `status`
 * @param now  milliseconds since the epoch
 * @example const conditions = standardConditions(standing, object, clock.now());
 */
export function standardConditions(
  standing: ResourceState,
  object: KubeObject,
  now: number,
): readonly JsonObject[] | undefined {
  const progressing = progressingOf(standing);
  if (progressing === undefined) return undefined;
  const available = availableOf(standing, object, progressing);
  return [
    stored(object, 'Available', available, standing.generation, now),
    stored(object, 'Progressing', progressing, standing.generation, now),
  ];
}

function progressingOf(standing: ResourceState): Verdict | undefined {
  const { tags, error } = standing;
  if (error !== undefined) {
    if (error.waiting === true) return yes(ConditionReason.Progressing, error.message);
    if (error.code === 'terminal' || tags.has(Tag.Terminal))
      return no(error.reason ?? ConditionReason.InvalidConfiguration, error.message);
    return yes(ConditionReason.TransientError, error.message);
  }
  const waits = waitsOf(standing);
  if (waits.length > 0) return yes(ConditionReason.Progressing, waits.join('; '));
  if (!tags.has(Tag.Settled) || tags.has(Tag.Failing)) return undefined;
  return no(ConditionReason.Success, ['It is as specified', ...standing.statusNotes].join('; '));
}

function waitsOf({
  tags,
  awaited,
  heldBy,
  holders = {},
  leaving,
  waiting,
  conflictingOwner,
}: ResourceState): readonly string[] {
  if (heldBy.length > 0) {
    return heldBy.map((finalizer) => {
      const { names = [], more = 0 } = holders[finalizer] ?? {};
      const who = names.length === 0 ? '' : ` (held by ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
      return `Waiting for finalizer ${finalizer} to be removed${who}`;
    });
  }
  if (conflictingOwner !== undefined)
    return [`Waiting for ${conflictingOwner.kind}/${conflictingOwner.name}, which has the resource, to be deleted`];
  const all = [
    ...awaited.map(({ kind, name, exists }) => `Waiting for ${kind}/${name} to be ${exists ? 'ready' : 'created'}`),
    ...leaving.map(({ kind, name }) => `Waiting for ${kind}/${name} to be deleted`),
    ...waiting,
  ];
  if (all.length > 0) return all;
  if (tags.has(ResourceTag.Removing)) return ['Waiting for the resource to be deleted'];
  if (tags.has(ResourceTag.AwaitsReadiness)) return ['Waiting for the resource to be ready'];
  if (tags.has(ResourceTag.AwaitsImport)) return ['Waiting for the resource to be created externally'];
  return [];
}

function availableOf(
  { tags, observation, externalId }: ResourceState,
  object: KubeObject,
  progressing: Verdict,
): Verdict {
  const why = { reason: progressing.reason, message: progressing.message };
  if (externalId === undefined) return { status: 'False', ...why };
  // Values that were not read stay; after a failure they are unknown.
  const isThere = observation?.available ?? isAvailable(object);
  if (tags.has(Tag.Failing)) return { status: isThere && !tags.has(Tag.Terminal) ? 'Unknown' : 'False', ...why };
  return isThere
    ? { status: 'True', reason: ConditionReason.Success, message: 'It can be used' }
    : { status: 'False', ...why };
}

const yes = (reason: string, message: string): Verdict => ({ status: 'True', reason, message });
const no = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });

function stored(
  object: KubeObject,
  type: string,
  verdict: Verdict,
  observedGeneration: number,
  now: number,
): JsonObject {
  const message = verdict.message.slice(0, MESSAGE_LENGTH);
  const before = conditionOf(object, type);
  const isSame = before?.status === verdict.status && before.reason === verdict.reason && before.message === message;
  const since = isSame ? before.lastTransitionTime : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  return { ...verdict, type, message, observedGeneration, lastTransitionTime: since };
}

function conditionOf({ status }: KubeObject, type: string): Condition | undefined {
  const all = status?.['conditions'];
  if (!Array.isArray(all)) return undefined;
  return (all as readonly (Condition | null)[]).find((each) => each?.type === type) ?? undefined;
}
