// The owners of fields: `metadata.managedFields`, kept up on every write.
//
// Invariants:
//   KSIM-OWNERSHIP-3. A write that changes nothing changes no owner and no time.

import { isList, isMap, listOf, same, sameFields } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { type Comparison, compare, fittedTo, isSameObject, outside } from './comparison.ts';
import { difference, EMPTY_SET, type FieldSet, intersection, isEmptySet, union } from './field-sets.ts';
import {
  capped,
  type Entry,
  hasPaths,
  identityOf,
  isResetOf,
  sentEntries,
  setEntries,
  storedEntries,
  type Writer,
  withoutManaged,
} from './managers.ts';

/** Fields that every object has in any case, and that have no owner. */
export const UNOWNED: FieldSet = {
  'f:apiVersion': EMPTY_SET,
  'f:kind': EMPTY_SET,
  'f:metadata': {
    '.': EMPTY_SET,
    'f:name': EMPTY_SET,
    'f:namespace': EMPTY_SET,
    'f:creationTimestamp': EMPTY_SET,
    'f:selfLink': EMPTY_SET,
    'f:uid': EMPTY_SET,
    'f:clusterName': EMPTY_SET,
    'f:generation': EMPTY_SET,
    'f:managedFields': EMPTY_SET,
    'f:resourceVersion': EMPTY_SET,
  },
};

/** Fields that a change takes from others. */
export interface Taking {
  readonly entry: Entry;
  /** Paths of the entry that were given another value. */
  readonly taken: FieldSet;
  /** The fields that it keeps. */
  readonly rest: FieldSet;
}

/**
 * Fields that a change takes from each of `others`, seen in the version each wrote in. Entries of versions that are served no
 * more are left out.
 */
export function takings(
  { schema, apiVersion, version }: Writer,
  before: KubeObject,
  after: KubeObject,
  change: Comparison,
  others: readonly Entry[],
): Taking[] {
  const changes = new Map<string, Comparison>([[apiVersion, change]]);
  const given = union(change.modified, change.added);
  const found: Taking[] = [];
  for (const entry of others) {
    const form = entry.apiVersion === apiVersion ? { schema, see: undefined } : version(entry.apiVersion);
    if (form === undefined) continue;
    let seen = changes.get(entry.apiVersion);
    if (seen === undefined && form.see !== undefined) {
      seen = compare(form.schema, form.see(before), form.see(after));
      changes.set(entry.apiVersion, seen);
    }
    if (seen === undefined) continue;
    const set = fittedTo(form.schema, entry.set);
    const taken = intersection(set, seen === change ? given : union(seen.modified, seen.added));
    found.push({ entry, taken, rest: difference(difference(set, taken), seen.removed) });
  }
  return found;
}

/** The entry with less, or the same. */
export const reduced = ({ entry, rest }: Taking): Entry =>
  rest === entry.set ? entry : { ...entry, set: rest, stored: undefined };

/**
 * Records a plain write (create, update, patch): the writer owns what it changed, and owners of removed fields lose
 * them. Changes `next.metadata.managedFields` only.
 *
 * @param live  what is stored, undefined on creation
 * @param next  the object as the client wants it; the client may have changed its managedFields, and an empty list
 *   resets them
 */
export function recordUpdate(live: KubeObject | undefined, next: KubeObject, writer: Writer): void {
  const current = live?.metadata.managedFields;
  const sent = next.metadata.managedFields;
  let entries = entriesFor(writer, current, sent);
  if (live !== undefined && entries !== undefined && entries.length === 0) {
    // No fields were ever tracked (or they were reset): tracking begins with the first apply.
    delete next.metadata.managedFields;
    return;
  }
  const before = live === undefined ? (writer.blank as KubeObject) : withoutManaged(live);
  const after = withoutManaged(next);
  const change = outside(compare(writer.schema, before, after), writer.ignored);
  const isKept = entries === undefined;
  entries ??= storedEntries(current);
  const isServed = ({ apiVersion }: Entry): boolean =>
    apiVersion === writer.apiVersion || writer.version(apiVersion) !== undefined;
  if (isKept && isSameObject(change) && entries.every(isServed)) {
    if (current === undefined) delete next.metadata.managedFields;
    else next.metadata.managedFields = current; // KSIM-OWNERSHIP-3
    return;
  }
  setEntries(next, capped(updated(writer, before, after, change, entries)));
}

/** The entries to start from: the stored ones (undefined), or those that the client sent. */
function entriesFor({ subresource }: Writer, current: unknown, sent: unknown): Entry[] | undefined {
  const isEmpty = listOf(current).length === 0;
  if (subresource === '' && isList(sent) && sent !== current) {
    if (isResetOf(sent)) return [];
    const entries = sentEntries(sent);
    if (entries !== undefined && entries.length > 0) return entries;
  }
  return isEmpty ? [] : undefined;
}

/** The entries after a plain write. */
export function updated(
  writer: Writer,
  before: KubeObject,
  after: KubeObject,
  change: Comparison,
  entries: readonly Entry[],
): Entry[] {
  const result = takings(writer, before, after, change, entries).map(reduced).filter(hasPaths);
  const grown = difference(union(change.modified, change.added), UNOWNED);
  if (isEmptySet(grown)) return result;
  const { manager, apiVersion, subresource, time } = writer;
  const own: Entry = { manager, operation: 'Update', apiVersion, subresource, time, set: grown, stored: undefined };
  const identity = identityOf(own);
  const isOwn = (entry: Entry): boolean => identityOf(entry) === identity;
  const at = result.findIndex(isOwn);
  const set = union(grown, result[at]?.set ?? EMPTY_SET);
  const known = entries.find(isOwn);
  // Mostly a writer writes what it wrote before, and only the time is another.
  const stored = known?.stored?.['time'] !== undefined && same(known.set, set) ? { ...known.stored, time } : undefined;
  result.splice(at < 0 ? result.length : at, 1, { ...own, set, stored });
  return result;
}

/** KSIM-OWNERSHIP-3: whether two versions of an object are the same but for when its owners last wrote. */
export function sameButTimes(left: KubeObject, right: KubeObject): boolean {
  const isSame =
    sameFields(left, right, (key) => key === 'metadata') &&
    sameFields(left.metadata, right.metadata, (key) => key === 'managedFields');
  if (!isSame) return false;
  const [mine, other] = [left.metadata.managedFields, right.metadata.managedFields].map(listOf);
  if (mine === undefined || other === undefined || mine.length !== other.length) return false;
  const rest = other.map(withoutTime);
  return mine.map(withoutTime).every((entry) => rest.some((one) => same(entry, one)));
}

const withoutTime = (entry: unknown): unknown => (isMap(entry) ? { ...entry, time: undefined } : entry);
