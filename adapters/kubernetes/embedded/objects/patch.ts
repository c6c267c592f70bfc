// The patches that change an object as it is: JSON patch, JSON merge patch and the strategic merge patch of the
// built-in kinds.
import { applyPatch as applyJsonPatch, type Operation } from 'rfc6902';
import { canonical, copy, isList, isMap, type JsonMap, listOf, put, same, stringOf } from '../json.ts';
import { badRequest, tooLarge, unprocessable } from '../wire/api-error.ts';

/** Limit of the API for one JSON patch. */
const MAX_OPERATIONS = 10_000;

/**
 * Applies a JSON patch to a copy.
 *
 * @throws {ApiError} 400 it is no patch, 422 it does not fit the object
 */
export function jsonPatch(object: unknown, patch: unknown): unknown {
  if (!isList(patch) || !patch.every(isMap)) {
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  }
  if (patch.length > MAX_OPERATIONS) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
  }
  const target = copy(object);
  for (const operation of patch) apply(target, operation);
  return target;
}

function apply(target: unknown, operation: JsonMap): void {
  const [kind, path, from] = [stringOf(operation['op']), stringOf(operation['path']), stringOf(operation['from'])];
  switch (kind) {
    case 'test': {
      // A test for null holds for what is absent, too.
      if (!same(at(target, path) ?? null, operation['value'] ?? null)) throw unprocessable();
      return;
    }
    case 'replace':
    case 'copy': {
      // Absent keys of maps may be replaced, and are copied as null.
      const change = kind === 'replace' ? operation['value'] : (at(target, from) ?? null);
      const parent = at(target, path.slice(0, path.lastIndexOf('/')));
      const last = unescaped(path.slice(path.lastIndexOf('/') + 1));
      if (isMap(parent) && path !== '') {
        put(parent, last, copy(change));
        return;
      }
      break;
    }
    case 'add':
    case 'remove':
    case 'move':
      break;
    default:
      throw unprocessable();
  }
  const [problem] = applyJsonPatch(target, [copy(operation) as unknown as Operation]);
  if (problem !== null && problem !== undefined) throw unprocessable();
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

function at(document: unknown, pointer: string): unknown {
  let found = document;
  for (const token of pointer.split('/').slice(1)) {
    const key = unescaped(token);
    if (isList(found)) found = found[Number(key)];
    else if (isMap(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

/** RFC 7386. Shares parts with both; changes neither. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: JsonMap = isMap(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) delete result[key];
    else put(result, key, mergePatch(result[key], patch[key]));
  }
  return result;
}

/** The lists of built-in kinds that a strategic merge patch merges, by path, and what identifies their items. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  'metadata.ownerReferences': 'uid',
  'metadata.finalizers': '',
  imagePullSecrets: 'name',
  secrets: 'name',
  'status.conditions': 'type',
};

/**
 * Applies a strategic merge patch: maps merge, null removes, the known lists merge by their keys; the directives
 * `$patch`, `$retainKeys`, `$setElementOrder/...` and `$deleteFromPrimitiveList/...` are honoured.
 *
 * @throws {ApiError} 400, 422 it is no patch
 */
export function strategicMergePatch(target: unknown, patch: unknown, path = ''): unknown {
  if (!isMap(patch)) return patch;
  const directive = patch['$patch'];
  if (directive === 'replace') {
    const { $patch: _, ...rest } = patch;
    return rest;
  }
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') {
    throw badRequest(`invalid patch: Unknown patch type found: ${String(directive)}`);
  }
  const result: JsonMap = isMap(target) ? { ...target } : {};
  const retained = patch['$retainKeys'];
  if (isList(retained)) for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key];
  const order = new Map<string, readonly unknown[]>();
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (key === '$patch' || key === '$retainKeys') continue;
    if (key.startsWith('$setElementOrder/')) {
      order.set(key.slice('$setElementOrder/'.length), listOf(value));
    } else if (key.startsWith('$deleteFromPrimitiveList/')) {
      const name = key.slice('$deleteFromPrimitiveList/'.length);
      const gone = new Set(listOf(value).map(canonical));
      if (isList(result[name])) result[name] = listOf(result[name]).filter((item) => !gone.has(canonical(item)));
    } else if (value === null) {
      delete result[key];
    } else {
      const below = path === '' ? key : `${path}.${key}`;
      const mergeKey = MERGE_KEYS[below];
      const next =
        isList(value) && mergeKey !== undefined
          ? mergeItems(listOf(result[key]), value, mergeKey, below)
          : strategicMergePatch(result[key], value, below);
      put(result, key, next);
    }
  }
  for (const [key, wanted] of order) {
    const below = path === '' ? key : `${path}.${key}`;
    if (isList(result[key])) result[key] = ordered(listOf(result[key]), wanted, MERGE_KEYS[below] ?? '');
  }
  return result;
}

const identity = (item: unknown, key: string): string => canonical(key === '' || !isMap(item) ? item : item[key]);

function mergeItems(target: readonly unknown[], patch: readonly unknown[], key: string, path: string): unknown[] {
  if (patch.some((item) => isMap(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !(isMap(item) && item['$patch'] === 'replace'));
  }
  const result = [...target];
  for (const item of patch) {
    const id = identity(item, key);
    const index = result.findIndex((other) => identity(other, key) === id);
    if (isMap(item) && item['$patch'] === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index < 0) {
      result.push(strategicMergePatch(undefined, item, path));
    } else if (isMap(item)) {
      result[index] = strategicMergePatch(result[index], item, path);
    }
  }
  return result;
}

function ordered(items: readonly unknown[], wanted: readonly unknown[], key: string): unknown[] {
  const rank = new Map(wanted.map((item, index) => [identity(item, key), index]));
  const known = items.filter((item) => rank.has(identity(item, key)));
  known.sort((left, right) => (rank.get(identity(left, key)) ?? 0) - (rank.get(identity(right, key)) ?? 0));
  let next = 0;
  return items.map((item) => (rank.has(identity(item, key)) ? known[next++] : item));
}
