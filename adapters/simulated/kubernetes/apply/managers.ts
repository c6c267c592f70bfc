// The entries of `metadata.managedFields`: who owns which paths, since when.

import { isList, isMap, type JsonMap, listOf, stringOf } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Schema } from '../schemas/schema.ts';
import { EMPTY_SET, type FieldSet, isEmptySet, ordered, parseFieldSet, union } from './field-sets.ts';

/** A version that an object can be seen in. */
export interface Version {
  readonly schema: Schema;
  /** The object of the writer's version in this one. */
  see(object: KubeObject): KubeObject;
}

/** The writer, and its operation. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  /** `status`, or empty. */
  readonly subresource: string;
  /** Top-level fields that this endpoint does not write, hence never owns. */
  readonly ignored: readonly string[];
  /** Fields of a new object of the kind before any write. */
  readonly blank: JsonMap;
  /** As RFC 3339. */
  readonly time: string;
  readonly schema: Schema;
  /** The other versions that entries may be in; undefined for those that are served no more. */
  version(apiVersion: string): Version | undefined;
}

export interface Entry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** Empty when it is not known. */
  readonly time: string;
  readonly set: FieldSet;
  /** As it is stored, as long as nothing of it changed. */
  readonly stored: JsonMap | undefined;
}

/** Most managers with operation Update; the oldest are merged into one beyond it. */
const MAX_UPDATE_MANAGERS = 10;

/** The entries that the server wrote. */
export function storedEntries(managedFields: unknown): Entry[] {
  return listOf(managedFields).filter(isMap).map(entryOf);
}

function entryOf(raw: JsonMap): Entry {
  return {
    manager: stringOf(raw['manager']),
    operation: raw['operation'] === 'Apply' ? 'Apply' : 'Update',
    apiVersion: stringOf(raw['apiVersion']),
    subresource: stringOf(raw['subresource']),
    time: stringOf(raw['time']),
    set: isMap(raw['fieldsV1']) ? (raw['fieldsV1'] as FieldSet) : EMPTY_SET,
    stored: raw,
  };
}

/** Entries that a client sent. @returns undefined when they are none: then those of the server stay */
export function sentEntries(managedFields: readonly unknown[]): Entry[] | undefined {
  const entries = new Map<string, Entry>();
  for (const raw of managedFields) {
    if (!isMap(raw)) return undefined;
    const entry = entryOf(raw);
    const set = parseFieldSet(raw['fieldsV1']);
    const isOperation = raw['operation'] === 'Apply' || raw['operation'] === 'Update';
    if (!isOperation || entry.apiVersion === '' || raw['fieldsType'] !== 'FieldsV1' || set === undefined) {
      return undefined;
    }
    entries.set(identityOf(entry), { ...entry, time: secondsOf(entry.time), set, stored: undefined });
  }
  return [...entries.values()];
}

function secondsOf(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '' : `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** The identity of a writer. Appliers are the same for any version that they applied. */
export function identityOf({
  manager,
  operation,
  apiVersion,
  subresource,
}: Omit<Entry, 'time' | 'set' | 'stored'>): string {
  return JSON.stringify([operation, manager, subresource, operation === 'Apply' ? '' : apiVersion]);
}

export const isResetOf = (sent: unknown): boolean =>
  isList(sent) && (sent.length === 0 || (sent.length === 1 && isMap(sent[0]) && Object.keys(sent[0]).length === 0));

/** Gives the object the entries, in the order and the form of the API. */
export function setEntries(object: KubeObject, entries: readonly Entry[]): void {
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = encodedEntries(entries);
}

export function encodedEntries(entries: readonly Entry[]): JsonMap[] {
  const rank = (entry: Entry): string =>
    [entry.operation, entry.time, entry.manager, entry.apiVersion, entry.subresource].join('\n');
  const ranked = entries.map((entry) => ({ entry, key: rank(entry) }));
  ranked.sort((left, right) => (left.key < right.key ? -1 : 1));
  return ranked.map(({ entry }) => entry.stored ?? encoded(entry));
}

function encoded({ manager, operation, apiVersion, subresource, time, set }: Entry): JsonMap {
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === '' ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: ordered(set),
    ...(subresource === '' ? {} : { subresource }),
  };
}

/** The entries with the oldest updates of each version in one, where there are too many. */
export function capped(entries: readonly Entry[]): readonly Entry[] {
  const updates = entries.filter(({ operation }) => operation === 'Update');
  let surplus = updates.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return entries;
  const rank = (entry: Entry): string => `${entry.time}\n${entry.manager}\n${entry.apiVersion}\n${entry.subresource}`;
  updates.sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
  const left = new Set(entries);
  const buckets = new Map<string, Entry>();
  for (const entry of updates) {
    if (surplus === 0) break;
    const first = buckets.get(entry.apiVersion);
    left.delete(entry);
    if (first === undefined) {
      left.add(entry);
      buckets.set(entry.apiVersion, entry);
      continue;
    }
    left.delete(first);
    const set = union(entry.set, first.set);
    const bucket: Entry = { ...entry, manager: 'ancient-changes', subresource: '', set, stored: undefined };
    left.add(bucket);
    buckets.set(entry.apiVersion, bucket);
    surplus--;
  }
  return [...left];
}

export function withoutManaged(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export const hasPaths = ({ set }: Entry): boolean => !isEmptySet(set);
