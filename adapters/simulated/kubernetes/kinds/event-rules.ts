// Rules for an Event, in either spelling. Those of the newer one are checked more closely, and are almost
// immutable.

import { dig, isMap, same, stringOf } from '../../../text/json.ts';
import { keyProblems } from '../../../text/names.ts';
import { type FieldError, invalidValue, required } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { toCoreEvent } from './events.ts';

const MAX_LENGTH = 128;
const MAX_NOTE_LENGTH = 1024;

/** For the spelling of core/v1. */
export function coreEventErrors(next: KubeObject): FieldError[] {
  return commonErrors(next, 'reportingComponent');
}

/** For the spelling of events.k8s.io/v1; the messages are about the fields of core/v1 all the same. */
export function eventErrors(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const event = toCoreEvent(next);
  const errors = commonErrors(event, 'reportingController');
  if (old === undefined) return [...errors, ...seriesErrors(event), ...newEventErrors(event)];
  const before = toCoreEvent(old);
  const series = same(event['series'], before['series']) ? [] : seriesErrors(event);
  return [...errors, ...series, ...IMMUTABLE.flatMap((field) => immutableError(field, event, before))];
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== 0;

function commonErrors(event: KubeObject, reporter: string): FieldError[] {
  const involved = stringOf(dig(event, 'involvedObject', 'namespace'));
  const { namespace = '' } = event.metadata;
  const isNew = isSet(event['eventTime']);
  const free = isNew ? ['default', 'kube-system'] : ['default'];
  const isPlaced = involved === '' ? free.includes(namespace) : isNew || involved === namespace;
  const errors = isPlaced ? [] : [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')];
  if (!isNew) return errors;
  const controller = stringOf(event['reportingComponent']);
  if (controller === '') errors.push(required(reporter));
  errors.push(...keyProblems(controller).map((why) => invalidValue(reporter, controller, why)));
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const value = stringOf(event[field]);
    if (value === '') errors.push(required(field));
    errors.push(...tooManyCharacters(field, value, MAX_LENGTH));
  }
  return [...errors, ...tooManyCharacters('message', stringOf(event['message']), MAX_NOTE_LENGTH)];
}

const tooManyCharacters = (field: string, value: string, max: number): FieldError[] =>
  Buffer.byteLength(value) > max ? [invalidValue(field, '', `can have at most ${max} characters`)] : [];

function seriesErrors({ series }: KubeObject): FieldError[] {
  if (!isMap(series)) return [];
  const errors: FieldError[] = [];
  if (Number(series['count'] ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  if (!isSet(series['lastObservedTime'])) errors.push(required('series.lastObservedTime'));
  return errors;
}

function newEventErrors(event: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  if (!isSet(event['eventTime'])) errors.push(required('eventTime'));
  const type = stringOf(event['type']);
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalidValue('type', '', `has invalid value: ${type}`));
  const source = isSet(dig(event, 'source', 'component')) || isSet(dig(event, 'source', 'host'));
  for (const [field, isGiven] of [
    ...['firstTimestamp', 'lastTimestamp', 'count'].map((one) => [one, isSet(event[one])] as const),
    ['source', source] as const,
  ]) {
    if (isGiven) errors.push(invalidValue(field, '', 'needs to be unset'));
  }
  return errors;
}

const IMMUTABLE = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
] as const;

function immutableError(field: (typeof IMMUTABLE)[number], event: KubeObject, before: KubeObject): FieldError[] {
  const key = field === 'reportingController' ? 'reportingComponent' : field;
  const [after, was] = [event[key], before[key]];
  if (same(after ?? '', was ?? '')) return [];
  const why = 'field is immutable';
  if (!isMap(after)) return [invalidValue(field, after ?? '', why)];
  return [{ type: 'FieldValueInvalid', field, body: `Invalid value: ${declared(field, after)}: ${why}` }];
}

/** A structure with all its fields, under the names that messages give them. */
function declared(field: string, value: Record<string, unknown>): string {
  const names =
    field === 'source'
      ? ['component', 'host']
      : ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
  const shown: Readonly<Record<string, string>> = { uid: 'UID', apiVersion: 'APIVersion' };
  const fields = names.map((name) => [
    shown[name] ?? `${name[0]?.toUpperCase()}${name.slice(1)}`,
    stringOf(value[name]),
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}
