// The strategic merge patch of the built-in kinds: maps merge, null removes, some lists merge by the key of their items;
// the directives `$patch`, `$retainKeys`, `$setElementOrder/...` and `$deleteFromPrimitiveList/...` are honored.

import { canonical, isList, isMap, type JsonMap, put, same } from '../../../text/json.ts';
import { childSchema } from '../apply/typed.ts';
import { badRequest, plainFailure } from '../base/api-error.ts';
import { goText, goType } from '../base/go-values.ts';
import type { Schema } from '../schemas/schema.ts';

const ORDER = '$setElementOrder';
const DELETE = '$deleteFromPrimitiveList';
const RETAIN = '$retainKeys';

/** The lists of built-in kinds that are merged, by path, and what identifies their items; empty for values. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  'metadata.ownerReferences': 'uid',
  'metadata.finalizers': '',
  secrets: 'name',
  'status.conditions': 'type',
};

/**
 * The target with the patch applied. Shares parts with both; changes neither.
 *
 * @throws {ApiError} 400, 500 the patch contradicts itself
 */
export function strategicPatch(target: JsonMap, patch: JsonMap, path = ''): JsonMap {
  const directive = patch['$patch'];
  if (directive === 'replace') {
    const { $patch: _, ...rest } = patch;
    return rest;
  }
  if (directive === 'delete') return {};
  if ('$patch' in patch) throw badDirective(directive, patch);
  const result: JsonMap = { ...target };
  retainKeys(result, patch);
  const done = new Set([RETAIN]);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(ORDER)) continue;
    const name = fieldOf(key, ORDER, 'setElementOrder list');
    orderItems(result, name, patch, listIn(patch[key]), path);
    done.add(key).add(name);
  }
  for (const key of Object.keys(patch)) if (!done.has(key)) mergeField(result, key, patch[key], path);
  return result;
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

const badDirective = (directive: unknown, patch: JsonMap): Error => {
  const shown =
    typeof directive === 'string'
      ? directive
      : `%!s(${typeof directive === 'number' ? 'int64' : typeof directive}=${goText(directive)})`;
  return plainFailure(`unknown patch type: ${shown} in map: ${goText(patch)}`);
};

/** `finalizers` of `$setElementOrder/finalizers`. */
function fieldOf(key: string, directive: string, what: string): string {
  if (!key.startsWith(`${directive}/`)) throw badRequest(`invalid patch format of ${what}`);
  return key.slice(directive.length + 1);
}

function listIn(value: unknown): readonly unknown[] {
  if (isList(value)) return value;
  const type = isMap(value) ? 'map[string]interface {}' : typeof value;
  throw plainFailure(`expected a []interface {}, but received a ${type}`);
}

function retainKeys(result: JsonMap, patch: JsonMap): void {
  if (!(RETAIN in patch)) return;
  const retained = patch[RETAIN];
  const isCovered = (key: string): boolean =>
    key === RETAIN ||
    patch[key] === null ||
    key.startsWith(ORDER) ||
    key.startsWith(DELETE) ||
    (isList(retained) && retained.includes(key));
  if (!isList(retained) || !Object.keys(patch).every(isCovered)) {
    throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key];
}

function mergeField(result: JsonMap, key: string, value: unknown, path: string): void {
  if (key.startsWith(DELETE)) {
    const name = fieldOf(key, DELETE, 'primitive list');
    const list = result[name];
    if (!isList(list) || !isList(value)) return;
    const gone = new Set(value.map(canonical));
    result[name] = list.filter((item) => !gone.has(canonical(item)));
    return;
  }
  const old = result[key];
  if (value === null) {
    delete result[key];
  } else if (isMap(old) && isMap(value)) {
    put(result, key, strategicPatch(old, value, below(path, key)));
  } else if (isList(old) && isList(value)) {
    const mergeKey = MERGE_KEYS[below(path, key)];
    put(result, key, mergeKey === undefined ? value : mergeItems(old, value, mergeKey, below(path, key)));
  } else {
    const kept = withoutDirectives(value);
    if (kept === undefined) delete result[key];
    else put(result, key, kept);
  }
}

/** A value that is new: without nulls, and without what carries a directive. */
function withoutDirectives(value: unknown): unknown {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isMap(value)) return value;
  if ('$patch' in value) return undefined;
  const result: JsonMap = {};
  for (const key of Object.keys(value)) {
    const kept = value[key] === null ? undefined : withoutDirectives(value[key]);
    if (kept !== undefined) put(result, key, kept);
  }
  return result;
}

/** Merges the list of the patch and brings the result into the order that the patch asks for. */
function orderItems(result: JsonMap, name: string, patch: JsonMap, wanted: readonly unknown[], path: string): void {
  const key = MERGE_KEYS[below(path, name)] ?? '';
  const old = result[name] === undefined ? undefined : listIn(result[name]);
  const sent = patch[name] === undefined ? undefined : listIn(patch[name]);
  checkOrder(sent ?? [], wanted, key);
  let merged: readonly unknown[];
  if (old !== undefined && sent !== undefined) {
    merged = below(path, name) in MERGE_KEYS ? mergeItems(old, sent, key, below(path, name)) : sent;
  } else if (sent !== undefined) {
    merged = listIn(withoutDirectives(sent));
  } else if (old !== undefined) {
    merged = old;
  } else {
    return;
  }
  put(result, name, inOrder(merged, wanted, old ?? [], key));
}

function checkOrder(sent: readonly unknown[], wanted: readonly unknown[], key: string): void {
  const items = sent.filter((item) => !(isMap(item) && item['$patch'] === 'delete'));
  let found = 0;
  for (const item of wanted) if (found < items.length && isItem(items[found], item, key)) found++;
  if (found < items.length) {
    throw plainFailure(`The order in patch list:\n${goText(sent)}\n doesn't match ${ORDER} list:\n${goText(wanted)}\n`);
  }
}

const identity = (item: unknown, key: string): unknown => (key === '' || !isMap(item) ? item : item[key]);

const isItem = (left: unknown, right: unknown, key: string): boolean => same(identity(left, key), identity(right, key));

/** Items of the patch in its order; the others where they were, as far as that does not contradict. */
function inOrder(
  merged: readonly unknown[],
  wanted: readonly unknown[],
  before: readonly unknown[],
  key: string,
): unknown[] {
  const rankIn = (list: readonly unknown[], item: unknown): number => list.findIndex((one) => isItem(one, item, key));
  const byRank = (list: readonly unknown[]) => (left: unknown, right: unknown) =>
    rankIn(list, left) - rankIn(list, right);
  const asked = merged.filter((item) => rankIn(wanted, item) >= 0).sort(byRank(wanted));
  const others = merged.filter((item) => rankIn(wanted, item) < 0).sort(byRank(before));
  const result: unknown[] = [];
  while (asked.length > 0 && others.length > 0) {
    const [mine, other] = [rankIn(before, others[0]), rankIn(before, asked[0])];
    result.push(mine >= 0 && other >= 0 && mine < other ? others.shift() : asked.shift());
  }
  return [...result, ...asked, ...others];
}

function mergeItems(target: readonly unknown[], patch: readonly unknown[], key: string, path: string): unknown[] {
  if (target.length === 0 && patch.length === 0) return [];
  const kinds = new Set([...target, ...patch].map((item) => (isMap(item) ? 'map' : typeof item)));
  if (kinds.size > 1) {
    throw plainFailure(`list element types are not identical: [${goText(target)} ${goText(patch)}]`);
  }
  if (!kinds.has('map')) return inOrder(distinct([...target, ...patch]), patch, target, key);
  const items = patch.filter(isMap);
  let left = [...target];
  let isReplaced = false;
  const merging: JsonMap[] = [];
  for (const item of items) {
    const directive = item['$patch'];
    if (!('$patch' in item)) merging.push(item);
    else if (directive === 'replace') isReplaced = true;
    else if (directive === 'delete') left = left.filter((one) => !isItem(one, { [key]: keyIn(item, key) }, key));
    else if (directive === 'merge') throw plainFailure('merging lists cannot yet be specified in the patch');
    else throw badDirective(directive, item);
  }
  if (isReplaced) return merging;
  const merged = [...left];
  for (const item of merging) {
    keyIn(item, key);
    const at = merged.findIndex((one) => isItem(one, item, key));
    const old = merged[at];
    if (isMap(old)) merged[at] = strategicPatch(old, item, path);
    else merged.push(item);
  }
  return inOrder(merged, merging, left, key);
}

const distinct = (items: readonly unknown[]): unknown[] => [
  ...new Map(items.map((item) => [canonical(item), item])).values(),
];

function keyIn(item: JsonMap, key: string): unknown {
  if (item[key] === undefined) {
    throw plainFailure(`map: ${goText(item)} does not contain declared merge key: ${key}`);
  }
  return item[key];
}

/** Why a patched object cannot become one of its kind: the first value of another type than its field's. */
export function conversionProblem(schema: Schema | undefined, value: unknown): string | undefined {
  if (schema === undefined || value === null || value === undefined) return undefined;
  const type = goType(value);
  const kind = isList(value) ? 'slice' : isMap(value) ? 'map' : type;
  switch (schema.type) {
    case 'object':
      if (!isMap(value)) {
        return schema.properties === undefined
          ? `cannot restore map from ${kind}`
          : `cannot restore struct from: ${kind}`;
      }
      for (const key of Object.keys(value).sort()) {
        const problem = conversionProblem(childSchema(schema, key), value[key]);
        if (problem !== undefined) return problem;
      }
      return undefined;
    case 'array':
      if (!isList(value)) return `cannot restore slice from ${kind}`;
      for (const item of value) {
        const problem = conversionProblem(schema.items, item);
        if (problem !== undefined) return problem;
      }
      return undefined;
    case 'string':
      return typeof value === 'string' ? undefined : `cannot convert ${type} to string`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'unrecognized type: bool';
    default:
      return undefined;
  }
}
