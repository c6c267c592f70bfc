// Server-side apply: a configuration laid over the live object, decided by who owns what.
//
// Invariants:
//   KSIM-APPLYING-1. A field that an applier set and does not apply any more is removed, unless another manager owns it too.
//   KSIM-APPLYING-2. An applier takes a field that another manager owns with another value only by force.

import { isMap, same } from '../../../text/json.ts';
import { badRequest, plainFailure } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { compare, fieldSetOf, fittedTo, outside, withNamedFields } from './comparison.ts';
import { conflictError } from './conflicts.ts';
import { difference, EMPTY_SET, type FieldSet, intersection, isEmptySet, union, withoutRoots } from './field-sets.ts';
import { typeProblem } from './fitting.ts';
import { allowedByLastApplied, renewLastApplied } from './last-applied.ts';
import {
  capped,
  type Entry,
  hasPaths,
  identityOf,
  setEntries,
  storedEntries,
  type Writer,
  withoutManaged,
} from './managers.ts';
import { merge, removed } from './merging.ts';
import { reduced, type Taking, takings, UNOWNED, updated } from './ownership.ts';

/**
 * Server-side apply: the live object with the configuration laid over it, and with the ownership that results.
 *
 * @param live  what is stored; undefined when the apply creates the object
 * @throws {ApiError} 409 another manager owns a field that would change, and `force` is off; 400, 500 the configuration
 *   does not fit the schema
 */
export function applyConfiguration(
  live: KubeObject | undefined,
  applied: KubeObject,
  writer: Writer,
  { force }: { readonly force: boolean },
): KubeObject {
  checkConfiguration(applied, writer);
  const before: KubeObject =
    live === undefined ? { apiVersion: applied.apiVersion, kind: applied.kind, metadata: {} } : withoutManaged(live);
  const entries = trackedEntries(live, before, writer);
  const { manager, apiVersion, subresource, schema, ignored } = writer;
  const identity = identityOf({ manager, operation: 'Apply', apiVersion, subresource });
  const last = entries.find((entry) => identityOf(entry) === identity);
  const others = entries.filter((entry) => entry !== last);
  const set = withoutRoots(fieldSetOf(schema, applied), ignored);
  const merged = merge(schema, before, applied) as KubeObject;
  const isShrunk = last !== undefined && !isEmptySet(difference(last.set, set));
  const after = isShrunk || last?.apiVersion !== apiVersion ? pruned(merged, last, others, set, writer) : merged;
  const change = outside(compare(schema, before, after), ignored);
  const found = takings(writer, before, after, change, others);
  checkConflicts(found, live, writer, force); // KSIM-APPLYING-2
  const kept = found.map(reduced).filter(hasPaths);
  // An apply that changes nothing of the object does not count as one in time.
  const time = same(before, after) ? (last?.time ?? '') : writer.time;
  const own: Entry = {
    manager,
    operation: 'Apply',
    apiVersion,
    subresource,
    time,
    set: difference(set, UNOWNED),
    stored: undefined,
  };
  const object: KubeObject = { ...after, metadata: { ...after.metadata } };
  setEntries(object, capped(hasPaths(own) ? [...kept, own] : kept));
  if (manager === 'kubectl') renewLastApplied(object, applied);
  return object;
}

function checkConfiguration(applied: KubeObject, { schema }: Writer): void {
  const metadata: unknown = applied.metadata;
  if (isMap(metadata) && metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) {
    if (Array.isArray(metadata['managedFields'])) throw badRequest('metadata.managedFields must be nil');
  }
  const problem = typeProblem(schema, applied);
  if (problem !== undefined) throw plainFailure(`failed to create typed patch object (${shown(applied)}): ${problem}`);
}

/** `namespace/name; group/version, Kind=kind`. */
export function shown({ apiVersion, kind, metadata }: KubeObject): string {
  const { name = '', namespace = '' } = isMap(metadata) ? metadata : {};
  return `${namespace}/${name}; ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** The owners of a live object; fields without an owner belong to `before-first-apply` when tracking begins. */
function trackedEntries(live: KubeObject | undefined, before: KubeObject, writer: Writer): Entry[] {
  if (live === undefined) return [];
  const entries = storedEntries(live.metadata.managedFields);
  if (entries.length > 0) return entries;
  const blank = writer.blank as KubeObject;
  const change = outside(compare(writer.schema, blank, before), writer.ignored);
  return updated({ ...writer, manager: 'before-first-apply' }, blank, before, change, []);
}

/** KSIM-APPLYING-1: takes out what was in `last`, is in no other set, and what then hangs in the air. */
function pruned(
  merged: KubeObject,
  last: Entry | undefined,
  others: readonly Entry[],
  set: FieldSet,
  writer: Writer,
): KubeObject {
  if (last === undefined) return merged;
  const schemaOf = (apiVersion: string) =>
    apiVersion === writer.apiVersion ? writer.schema : writer.version(apiVersion)?.schema;
  const schema = schemaOf(last.apiVersion);
  if (schema === undefined) return merged;
  const wanted = withNamedFields(schema, fittedTo(schema, last.set));
  const present = withNamedFields(schema, fieldSetOf(schema, merged));
  let without = removed(schema, merged, wanted);
  const owned = new Map<string, FieldSet>([[writer.apiVersion, set]]);
  for (const entry of others) {
    const form = schemaOf(entry.apiVersion);
    if (form === undefined) continue;
    owned.set(entry.apiVersion, union(owned.get(entry.apiVersion) ?? EMPTY_SET, fittedTo(form, entry.set)));
  }
  // Fields that others own come back, those of the version that was applied last first.
  const versions = [...owned.keys()].sort((left, right) =>
    left === last.apiVersion ? -1 : right === last.apiVersion ? 1 : left < right ? -1 : 1,
  );
  for (const apiVersion of versions) {
    const form = schemaOf(apiVersion) ?? schema;
    const left = withNamedFields(form, fieldSetOf(form, without));
    const claimed = withNamedFields(form, owned.get(apiVersion) ?? EMPTY_SET);
    const all = form === schema ? present : withNamedFields(form, fieldSetOf(form, merged));
    without = removed(form, merged, difference(all, union(left, claimed)));
  }
  const left = withNamedFields(schema, fieldSetOf(schema, without));
  return removed(schema, merged, intersection(difference(present, left), wanted)) as KubeObject;
}

function checkConflicts(found: readonly Taking[], live: KubeObject | undefined, writer: Writer, force: boolean): void {
  const conflicts = found.filter(({ taken }) => !isEmptySet(taken));
  if (conflicts.length === 0 || force) return;
  if (writer.manager !== 'kubectl' || live === undefined) throw conflictError(conflicts);
  // kubectl may take over what its own client-side apply set before.
  const allowed = allowedByLastApplied(live, writer);
  const rest = conflicts
    .map((conflict) => ({ ...conflict, taken: difference(conflict.taken, allowed) }))
    .filter(({ taken }) => !isEmptySet(taken));
  if (rest.length > 0) throw conflictError(rest);
}
