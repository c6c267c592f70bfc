// The columns of tables: those of built-in kinds, and those that a CustomResourceDefinition asks for.

import { canonical, dig, isMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { compileJsonPath } from '../base/json-path.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Column } from '../resources/api.ts';

const plain = (name: string, description: string, cell: Column['cell'], priority = 0): Column => ({
  name,
  type: 'string',
  format: '',
  description,
  priority,
  cell,
});

/** An age as people read it: two units at most, the coarser the older. */
export function ageText(fromMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - fromMs) / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  if (days < 365 * 8) return days % 365 === 0 ? `${years}y` : `${years}y${days % 365}d`;
  return `${years}y`;
}

function ageOf(time: unknown, nowMs: number): string {
  const at = Date.parse(stringOf(time));
  return Number.isNaN(at) ? '<unknown>' : ageText(at, nowMs);
}

export const NAME_COLUMN: Column = {
  ...plain('Name', 'The name of the object, unique within its namespace.', ({ metadata }) => metadata.name ?? ''),
  format: 'name',
};

export const AGE_COLUMN = plain('Age', 'The time since the object was created.', ({ metadata }, nowMs) =>
  ageOf(metadata.creationTimestamp, nowMs),
);

const sizeOf = (object: KubeObject, ...fields: readonly string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(mapOf(object[field])).length, 0);

export const NAMESPACE_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  plain('Status', 'The status of the namespace', (object) => stringOf(dig(object, 'status', 'phase'))),
  AGE_COLUMN,
];

export const SECRET_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  plain('Type', 'The type of the secret.', (object) => stringOf(object['type'])),
  plain('Data', 'How many keys the data has.', (object) => sizeOf(object, 'data')),
  AGE_COLUMN,
];

export const CONFIG_MAP_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  plain('Data', 'How many keys the data has.', (object) => sizeOf(object, 'data', 'binaryData')),
  AGE_COLUMN,
];

export const SERVICE_ACCOUNT_COLUMNS: readonly Column[] = [NAME_COLUMN, AGE_COLUMN];

export const LEASE_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  plain('Holder', 'Holder of the lease.', (object) => stringOf(dig(object, 'spec', 'holderIdentity'))),
  AGE_COLUMN,
];

export const DEFINITION_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  {
    ...plain('Created At', 'When the object was created.', ({ metadata }) => metadata.creationTimestamp ?? null),
    type: 'date',
  },
];

/** Events are columns of their stored form, whichever group they are asked for in. */
const field =
  (...names: readonly string[]) =>
  (object: KubeObject): unknown => {
    for (const name of names) if (object[name] !== undefined && object[name] !== null) return object[name];
    return undefined;
  };
const involved = field('involvedObject', 'regarding');
const source = field('source', 'deprecatedSource');
const reporter = field('reportingComponent', 'reportingController');

function lastSeen(object: KubeObject, nowMs: number): string {
  const last = field('lastTimestamp', 'deprecatedLastTimestamp')(object) ?? dig(object, 'series', 'lastObservedTime');
  return ageOf(last ?? field('firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime')(object), nowMs);
}

function timesSeen(object: KubeObject): unknown {
  return dig(object, 'series', 'count') ?? field('count', 'deprecatedCount')(object) ?? 1;
}

export const EVENT_COLUMNS: readonly Column[] = [
  plain('Last Seen', 'When the event was last recorded.', lastSeen),
  plain('Type', 'Normal or Warning.', (object) => stringOf(object['type'])),
  plain('Reason', 'Why it happened, for programs.', (object) => stringOf(object['reason'])),
  plain('Object', 'What the event is about.', (object) => {
    const about = mapOf(involved(object));
    return `${stringOf(about['kind']).toLowerCase()}/${stringOf(about['name'])}`;
  }),
  plain('Subobject', 'The part it is about.', (object) => stringOf(dig(involved(object), 'fieldPath')), 1),
  plain(
    'Source',
    'Who reported it.',
    (object) => {
      const from = mapOf(source(object));
      const component = stringOf(from['component']) || stringOf(reporter(object));
      const instance = stringOf(from['host']) || stringOf(object['reportingInstance']);
      return instance === '' ? component : `${component}, ${instance}`;
    },
    1,
  ),
  plain('Message', 'What happened, for people.', (object) => stringOf(field('message', 'note')(object)).trim()),
  plain(
    'First Seen',
    'When the event was first recorded.',
    (object, nowMs) => ageOf(field('firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime')(object), nowMs),
    1,
  ),
  plain('Count', 'How often it happened.', timesSeen, 1),
  { ...NAME_COLUMN, priority: 1 },
];

/**
 * The columns of a custom resource.
 *
 * @param raw  `additionalPrinterColumns` of the version; without any, the age is shown
 */
export function customColumns(raw: unknown): Column[] {
  const asked = listOf(raw).filter(isMap);
  if (asked.length === 0) return [NAME_COLUMN, { ...AGE_COLUMN, type: 'date' }];
  return [
    NAME_COLUMN,
    ...asked.map((column): Column => {
      const type = stringOf(column['type']);
      const path = compileJsonPath(stringOf(column['jsonPath']));
      return {
        name: stringOf(column['name']),
        type,
        format: stringOf(column['format']),
        description:
          stringOf(column['description']) ||
          `Custom resource definition column (in JSONPath format): ${stringOf(column['jsonPath'])}`,
        priority: typeof column['priority'] === 'number' ? column['priority'] : 0,
        cell: (object, nowMs) => customCell(type, path(object), nowMs),
      };
    }),
  ];
}

/** The first of several values is shown; a value that does not fit its type is null. */
function customCell(type: string, values: readonly unknown[], nowMs: number): unknown {
  const [value] = values;
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return typeof value === 'object' && value !== null ? canonical(value) : String(value);
    case 'integer':
      return typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      const at = Date.parse(stringOf(value));
      return Number.isNaN(at) ? '<invalid>' : ageText(at, nowMs);
    }
    default:
      return null;
  }
}
