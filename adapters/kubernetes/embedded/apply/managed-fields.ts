// Who set which field: `metadata.managedFields`, kept up on every write, and server-side apply, which is decided by it.
//
// Invariants:
//   M1. A field that an applier set and applies no more vanishes, unless somebody else owns it too.
//   M2. An applier takes a field that another manager owns with another value only by force.
//   M3. A write that changes nothing changes no owner and no time.

import { copy, dig, isList, isMap, type JsonMap, type KubeObject, listOf, mapOf, same, stringOf } from '../json.ts';
import type { Schema } from '../schemas/schema.ts';
import { applyConflict, badRequest, plainFailure } from '../wire/api-error.ts';
import {
  difference,
  type FieldNode,
  type FieldSet,
  fromFieldsV1,
  intersection,
  paths,
  pathText,
  toFieldsV1,
  union,
  withoutRoots,
} from './field-sets.ts';
import { checkTyped, compare, fieldSetOf, merge, removeFields, TypedError, withNamedFields } from './typed.ts';

/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  /** `status`, or empty. */
  readonly subresource: string;
  /** Top-level fields that this endpoint does not write, hence never owns. */
  readonly ignored: readonly string[];
  /** What a new object of the kind has before anybody writes it. */
  readonly blank: JsonMap;
  /** As RFC 3339. */
  readonly time: string;
}

interface Entry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly set: FieldSet;
}

/** Most managers with operation Update; the oldest are merged into one beyond it. */
const MAX_UPDATE_MANAGERS = 10;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const named = (...names: readonly string[]): [string, FieldNode][] =>
  names.map((name) => [`f:${name}`, { member: true, children: undefined }]);

/** What every object has anyhow, and nobody owns. */
const UNOWNED: FieldSet = new Map<string, FieldNode>([
  ...named('apiVersion', 'kind'),
  [
    'f:metadata',
    {
      member: true,
      children: new Map(
        named(
          'name',
          'namespace',
          'creationTimestamp',
          'selfLink',
          'uid',
          'clusterName',
          'generation',
          'managedFields',
          'resourceVersion',
        ),
      ),
    },
  ],
]);

function decode(managedFields: unknown): Entry[] {
  return listOf(managedFields).map((raw) => {
    const entry = mapOf(raw);
    return {
      manager: stringOf(entry['manager']),
      operation: entry['operation'] === 'Apply' ? 'Apply' : 'Update',
      apiVersion: stringOf(entry['apiVersion']),
      subresource: stringOf(entry['subresource']),
      time: stringOf(entry['time']),
      set: fromFieldsV1(entry['fieldsV1']),
    };
  });
}

function encode(entries: readonly Entry[]): JsonMap[] {
  const rank = (entry: Entry): string =>
    [entry.operation, entry.time, entry.manager, entry.apiVersion, entry.subresource].join('\n');
  const ranked = entries.map((entry) => ({ entry, key: rank(entry) }));
  ranked.sort((left, right) => (left.key < right.key ? -1 : 1));
  return ranked.map(({ entry }) => ({
    manager: entry.manager,
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.time === '' ? {} : { time: entry.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(entry.set),
    ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
  }));
}

/** Whether two entries are of one writer. Appliers are the same whatever version they applied. */
function isSame(entry: Entry, operation: Entry['operation'], writer: Writer): boolean {
  return (
    entry.operation === operation &&
    entry.manager === writer.manager &&
    entry.subresource === writer.subresource &&
    (operation === 'Apply' || entry.apiVersion === writer.apiVersion)
  );
}

function withoutManaged(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function setManaged(object: KubeObject, entries: readonly Entry[]): void {
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = encode(entries);
}

/**
 * Records a plain write (create, update, patch): the writer owns what it changed, and owners of removed fields lose
 * them. Changes `next.metadata.managedFields` only.
 *
 * @param live  what is stored, undefined on creation
 * @param next  the object to be stored; a client may have changed its managedFields, and an empty list resets them
 */
export function recordUpdate(schema: Schema, live: KubeObject | undefined, next: KubeObject, writer: Writer): void {
  const sent = next.metadata.managedFields;
  const isReset = isList(sent) && (sent.length === 0 || (sent.length === 1 && same(sent[0], {})));
  const current = live?.metadata.managedFields;
  if (isReset && writer.subresource === '') {
    delete next.metadata.managedFields;
    if (live !== undefined) return;
  }
  const base = writer.subresource !== '' || !isList(sent) || sent.length === 0 ? current : sent;
  if (live !== undefined && listOf(base).length === 0) {
    // Nobody's fields were ever tracked (or they were reset): tracking begins with the first apply.
    delete next.metadata.managedFields;
    return;
  }
  const before = live === undefined ? writer.blank : withoutManaged(live);
  const change = compare(schema, before, withoutManaged(next));
  const added = withoutRoots(change.added, writer.ignored);
  const modified = withoutRoots(change.modified, writer.ignored);
  const removed = withoutRoots(change.removed, writer.ignored);
  const taken = union(added, modified);
  if (base === current && taken.size === 0 && removed.size === 0) {
    if (current === undefined) delete next.metadata.managedFields;
    else next.metadata.managedFields = current; // M3
    return;
  }
  const entries: Entry[] = [];
  let own: FieldSet = new Map();
  let ownTime = writer.time;
  for (const entry of decode(base)) {
    if (isSame(entry, 'Update', writer)) {
      own = entry.set;
      ownTime = entry.time;
    } else {
      const set = difference(difference(entry.set, taken), removed);
      if (set.size > 0) entries.push({ ...entry, set });
    }
  }
  const grown = difference(taken, UNOWNED);
  const set = union(difference(own, removed), grown);
  if (grown.size > 0) ownTime = writer.time;
  if (set.size > 0) {
    const { manager, apiVersion, subresource } = writer;
    entries.push({ manager, operation: 'Update', apiVersion, subresource, time: ownTime, set });
  }
  setManaged(next, capped(entries));
}

function capped(entries: readonly Entry[]): readonly Entry[] {
  const updates = entries.filter(({ operation }) => operation === 'Update');
  const surplus = updates.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return entries;
  updates.sort((left, right) => (left.time < right.time ? -1 : 1));
  const merged = updates.slice(0, surplus + 1);
  const last = merged.at(-1);
  if (last === undefined) return entries;
  const set = merged.reduce<FieldSet>((sum, entry) => union(sum, entry.set), new Map());
  const kept = entries.filter((entry) => !merged.includes(entry));
  return [...kept, { ...last, manager: 'ancient-changes', subresource: '', set }];
}

/**
 * Server-side apply: the live object with the configuration laid over it, and with the ownership that results.
 *
 * @param live  what is stored; undefined when the apply creates the object
 * @throws {ApiError} 409 another manager owns a field that would change, and `force` is off; 400, 500 the configuration
 *   does not fit the schema
 */
export function applyConfiguration(
  schema: Schema,
  live: KubeObject | undefined,
  applied: KubeObject,
  writer: Writer,
  options: { readonly force: boolean },
): KubeObject {
  if (applied.metadata.managedFields !== undefined && applied.metadata.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  try {
    checkTyped(schema, applied);
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    const { name = '', namespace = '' } = applied.metadata;
    const version = applied.apiVersion.includes('/') ? applied.apiVersion : `/${applied.apiVersion}`;
    const of = `${namespace}/${name}; ${version}, Kind=${applied.kind}`;
    throw plainFailure(`failed to create typed patch object (${of}): ${error.message}`);
  }
  const base: KubeObject =
    live === undefined ? { apiVersion: applied.apiVersion, kind: applied.kind, metadata: {} } : withoutManaged(live);
  const entries = trackedEntries(schema, live, writer);
  const last = entries.find((entry) => isSame(entry, 'Apply', writer));
  const others = entries.filter((entry) => entry !== last);
  const set = withoutRoots(fieldSetOf(schema, applied), writer.ignored);
  const merged = merge(schema, base, applied);
  const next =
    last === undefined ? merged : pruneOwned(schema, merged, last.set, [set, ...others.map((entry) => entry.set)]);
  const result = next as KubeObject;
  const change = compare(schema, base, result);
  const taken = withoutRoots(union(change.added, change.modified), writer.ignored);
  const removed = withoutRoots(change.removed, writer.ignored);
  const conflicts = others
    .map((entry) => ({ entry, set: intersection(entry.set, taken) }))
    .filter((conflict) => conflict.set.size > 0);
  if (conflicts.length > 0 && !options.force && !isMigration(schema, live, writer, conflicts)) {
    throw conflictError(conflicts); // M2
  }
  const kept = others
    .map((entry) => ({ ...entry, set: difference(difference(entry.set, taken), removed) }))
    .filter((entry) => entry.set.size > 0);
  const ownSet = difference(set, UNOWNED);
  const { manager, apiVersion, subresource, time } = writer;
  const own: Entry = { manager, operation: 'Apply', apiVersion, subresource, time, set: ownSet };
  const object = { ...result, metadata: { ...result.metadata } };
  setManaged(object, ownSet.size === 0 ? kept : [...kept, own]);
  if (live !== undefined) restoreTimes(live, object);
  if (manager === 'kubectl' && dig(object, 'metadata', 'annotations', LAST_APPLIED) !== undefined) {
    const configuration = copy(applied);
    if (configuration.metadata.annotations) delete configuration.metadata.annotations[LAST_APPLIED];
    const annotations = { ...object.metadata.annotations, [LAST_APPLIED]: `${JSON.stringify(configuration)}\n` };
    object.metadata.annotations = annotations;
  }
  return object;
}

/** The owners of a live object; what nobody owns yet belongs to `before-first-apply` when tracking begins. */
function trackedEntries(schema: Schema, live: KubeObject | undefined, writer: Writer): Entry[] {
  const entries = decode(live?.metadata.managedFields);
  if (entries.length > 0 || live === undefined) return entries;
  const set = difference(compare(schema, {}, withoutManaged(live)).added, UNOWNED);
  const { apiVersion, time } = writer;
  const subresource = '';
  return [
    {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion,
      subresource,
      time,
      set: withoutRoots(set, writer.ignored),
    },
  ];
}

/** M1: takes out what was in `last`, is in no other set, and what then hangs in the air. */
function pruneOwned(schema: Schema, merged: unknown, last: FieldSet, owned: readonly FieldSet[]): unknown {
  const present = withNamedFields(schema, fieldSetOf(schema, merged));
  const claimed = withNamedFields(
    schema,
    owned.reduce((sum, set) => union(sum, set), new Map()),
  );
  const gone = intersection(difference(withNamedFields(schema, last), claimed), present);
  return removeFields(schema, merged, shallowest(gone, claimed));
}

/** Without the removal of a node below which somebody claims something. */
function shallowest(gone: FieldSet, claimed: FieldSet): FieldSet {
  const result: FieldSet = new Map();
  for (const [step, node] of gone) {
    const claim = claimed.get(step);
    const member = node.member && claim === undefined;
    const children = node.children === undefined ? undefined : shallowest(node.children, claim?.children ?? new Map());
    result.set(step, { member, children });
  }
  return result;
}

interface Conflict {
  readonly entry: Entry;
  readonly set: FieldSet;
}

function conflictError(conflicts: readonly Conflict[]): Error {
  const shown = ({ manager, subresource, operation, apiVersion }: Entry): string =>
    `"${manager}"${subresource === '' ? '' : ` with subresource "${subresource}"`}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
  const found = conflicts
    .flatMap(({ entry, set }) => [...paths(set)].map((path) => ({ who: shown(entry), field: pathText(path) })))
    .sort((left, right) => (left.who < right.who ? -1 : left.who > right.who ? 1 : 0));
  const causes = found.map(({ who, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${who}`,
    field,
  }));
  const [first] = found;
  if (found.length === 1 && first !== undefined) {
    return applyConflict(`Apply failed with 1 conflict: conflict with ${first.who}: ${first.field}`, causes);
  }
  const lines: string[] = [];
  let last = '';
  for (const { who, field } of found) {
    if (who !== last) lines.push(`conflicts with ${who}:`);
    last = who;
    lines.push(`- ${field}`);
  }
  return applyConflict(`Apply failed with ${found.length} conflicts: ${lines.join('\n')}`, causes);
}

/** kubectl may take over what its own client-side apply set before. */
function isMigration(
  schema: Schema,
  live: KubeObject | undefined,
  writer: Writer,
  conflicts: readonly Conflict[],
): boolean {
  const text = live?.metadata.annotations?.[LAST_APPLIED];
  if (writer.manager !== 'kubectl' || text === undefined) return false;
  try {
    const mine = fieldSetOf(schema, JSON.parse(text));
    return conflicts.every(({ set }) => difference(set, mine).size === 0);
  } catch (error) {
    if (error instanceof SyntaxError) return false; // an annotation that somebody broke proves nothing
    throw error;
  }
}

/** M3: an apply that changed nothing but the time keeps the old times, so that nothing is written. */
function restoreTimes(live: KubeObject, next: KubeObject): void {
  const strip = (fields: unknown): unknown[] =>
    listOf(fields).map((entry) => (isMap(entry) ? { ...entry, time: undefined } : entry));
  if (!same(strip(live.metadata.managedFields), strip(next.metadata.managedFields))) return;
  if (live.metadata.managedFields !== undefined && same(withoutManaged(live), withoutManaged(next))) {
    next.metadata.managedFields = live.metadata.managedFields;
  }
}
