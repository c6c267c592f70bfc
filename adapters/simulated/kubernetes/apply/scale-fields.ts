// Who owns the number of replicas: the entries of `managedFields` of an object as those of its Scale, and back.
//
// Entries of one manager, operation, version and subresource are one entry, the last of them, as they are for the API
// server. What comes back from a Scale has no time, and is of the version of the request.

import type { JsonMap } from '../../../text/json.ts';
import type { ScalePaths } from '../api.ts';
import { difference, EMPTY_SET, type FieldSet, isEmptySet, isMember } from './field-sets.ts';
import { type Entry, encodedEntries, identityOf, storedEntries } from './managers.ts';

const SCALE_VERSION = 'autoscaling/v1';

const byKey = (managedFields: unknown): Map<string, Entry> =>
  new Map(storedEntries(managedFields).map((entry) => [identityOf(entry), entry]));

/** The set with one path in it. */
function setOf(path: string): FieldSet {
  const [step = '', ...rest] = path.replace(/^\./, '').split('.');
  return { [`f:${step}`]: rest.length === 0 ? EMPTY_SET : setOf(rest.join('.')) };
}

function has(set: FieldSet, path: string): boolean {
  const [step = '', ...rest] = path.replace(/^\./, '').split('.');
  const node = set[`f:${step}`];
  if (node === undefined) return false;
  return rest.length === 0 ? isMember(node) : has(node, rest.join('.'));
}

/** The entries of an object that own its number of replicas, as entries of its Scale. */
export function toScale(managedFields: unknown, { byVersion }: ScalePaths): JsonMap[] {
  const owners = [...byKey(managedFields).values()].filter(({ apiVersion, set }) => {
    const path = byVersion.get(apiVersion) ?? '';
    return path !== '' && has(set, path);
  });
  const set = setOf('spec.replicas');
  return encodedEntries(owners.map((entry) => ({ ...entry, apiVersion: SCALE_VERSION, set, stored: undefined })));
}

/**
 * The entries of an object after its Scale was written.
 *
 * @param own  the entries of the object before
 * @param scale  the entries of the Scale after
 */
export function fromScale(
  own: unknown,
  scale: unknown,
  apiVersion: string,
  { specReplicas, byVersion }: ScalePaths,
): JsonMap[] {
  const owners = byKey(scale);
  const result = new Map<string, Entry>();
  for (const [key, entry] of byKey(own)) {
    const path = byVersion.get(entry.apiVersion);
    if (path === undefined) continue; // of a version that the definition has no more
    if (path === '' || !has(entry.set, path)) {
      result.set(key, entry);
    } else if (owners.delete(key)) {
      result.set(key, entry);
    } else {
      const set = difference(entry.set, setOf(path));
      if (!isEmptySet(set)) result.set(key, { ...entry, set, stored: undefined });
    }
  }
  for (const [key, entry] of owners) {
    if (!has(entry.set, 'spec.replicas')) continue;
    const time = result.get(key)?.time ?? '';
    result.set(key, { ...entry, apiVersion, time, set: setOf(specReplicas), stored: undefined });
  }
  return encodedEntries([...result.values()]);
}
