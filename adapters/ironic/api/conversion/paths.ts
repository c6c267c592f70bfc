// JSON data read and changed by paths. What is given is never touched: a change makes copies along its path, and shares
// all the rest.
import { isMap, type JsonMap } from '../../json-values.ts';

/** Keys from the root down; `EACH` means every element of a list. */
export type Path = readonly string[];

export const EACH = '[]';

/** Whether there is nothing: an absent field and `null` mean the same, as to clients whose types have no third. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** Value at the path; undefined if there is none. The path has no `EACH`. */
export function valueAt(tree: unknown, path: Path): unknown {
  let found = tree;
  for (const key of path) found = isMap(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

/**
 * The tree with something else at the path. Nothing happens where the path leads nowhere: parents are not made.
 *
 * @param change  hears what is there, undefined for nothing; a field that it makes undefined is no more
 */
export function changedAt<Tree>(tree: Tree, path: Path, change: (value: unknown) => unknown): Tree {
  return changed(tree, path, change) as Tree;
}

function changed(tree: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(tree);
  if (key === EACH) return Array.isArray(tree) ? tree.map((item) => changed(item, rest, change)) : tree;
  if (!isMap(tree)) return tree;
  const before = Object.hasOwn(tree, key) ? tree[key] : undefined;
  const after = changed(before, rest, change);
  if (after === before) return tree;
  return after === undefined ? without(tree, key) : { ...tree, [key]: after };
}

/** The map without a key. */
export function without(map: JsonMap, key: string): JsonMap {
  const { [key]: _, ...others } = map;
  return others;
}

/** The tree with what another has at the path, or has not. */
export const restoredAt = (tree: JsonMap, path: Path, from: JsonMap): JsonMap =>
  changedAt(tree, path, () => valueAt(from, path));

/** Whether two pieces of JSON data are the same; the order of keys does not matter. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isMap(one) || !isMap(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]));
}

/** JSON with sorted keys: the same data gives the same text. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value === 'bigint') return value.toString();
  if (!isMap(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`);
  return `{${fields.join(',')}}`;
}
