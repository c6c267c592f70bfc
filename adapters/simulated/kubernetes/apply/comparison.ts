// Paths that an object sets, and paths that a change from one object to another added, modified and removed.
import { isMap, listOf, mapOf, same } from '../../../text/json.ts';
import type { Schema } from '../schemas/schema.ts';
import { EMPTY_SET, type FieldSet, insert, isEmptySet, isMember, withoutRoots } from './field-sets.ts';
import { byStep, childSchema, isDeclared, Shape, shapeOf } from './typed.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** The paths that a value sets. */
export function fieldSetOf(schema: Schema | undefined, value: unknown): FieldSet {
  const set: FieldSet = {};
  collect(schema, value, [], set);
  return set;
}

function collect(schema: Schema | undefined, value: unknown, path: readonly string[], set: FieldSet): void {
  const shape = shapeOf(schema, value);
  if (shape === Shape.Scalar || shape === Shape.Whole) {
    insert(set, path);
  } else if (shape === Shape.List && schema !== undefined) {
    for (const [step, items] of byStep(schema, listOf(value))) {
      const below = [...path, step];
      // Items that cannot be distinguished are owned as one.
      if (items.length === 1) collect(schema.items, items[0], below, set);
      insert(set, below);
    }
  } else if (isMap(value)) {
    for (const key of Object.keys(value)) {
      const field = value[key];
      const below = [...path, `f:${key}`];
      collect(childSchema(schema, key), field, below, set);
      // Entries of maps are members themselves, fields of structures only when they hold nothing.
      if (field === null || isEmptyMap(field) || !isDeclared(schema, key)) insert(set, below);
    }
  }
}

function isEmptyMap(value: unknown): boolean {
  if (!isMap(value)) return false;
  for (const _ in value) return false;
  return true;
}

/** The changes from one object to another. Parts that both share are not compared. */
export function compare(schema: Schema | undefined, before: unknown, after: unknown): Comparison {
  const result: Comparison = { added: {}, modified: {}, removed: {} };
  walk(schema, before, after, [], result);
  return result;
}

function walk(schema: Schema | undefined, before: unknown, after: unknown, path: string[], into: Comparison): void {
  if (before === after) return;
  const left = shapeOf(schema, before);
  const right = shapeOf(schema, after);
  let isLeaf: boolean;
  if (after === undefined) {
    isLeaf = visit(left, schema, before, after, path, into);
  } else {
    // A value of another shape: what the old one held is removed, and the new one is seen as it is.
    if (before !== undefined && left !== right) visit(left, schema, before, after, path, into);
    isLeaf = visit(right, schema, before, after, path, into);
  }
  if (isLeaf) return;
  if (before === undefined) insert(into.added, path);
  else if (after === undefined) insert(into.removed, path);
}

/** @returns whether it was one value */
function visit(
  shape: Shape,
  schema: Schema | undefined,
  before: unknown,
  after: unknown,
  path: string[],
  into: Comparison,
): boolean {
  const isWhole =
    shape === Shape.Map
      ? isEmptyMap(mapOf(before)) && isEmptyMap(mapOf(after))
      : shape !== Shape.List || (listOf(before).length === 0 && listOf(after).length === 0);
  if (isWhole) {
    if (before === undefined) insert(into.added, path);
    else if (after === undefined) insert(into.removed, path);
    else if (!same(before, after)) insert(into.modified, path);
    return true;
  }
  if (shape === Shape.Map) walkFields(schema, mapOf(before), mapOf(after), path, into);
  else if (schema !== undefined) walkItems(schema, listOf(before), listOf(after), path, into);
  return false;
}

type Fields = Readonly<Record<string, unknown>>;

function walkFields(schema: Schema | undefined, before: Fields, after: Fields, path: string[], into: Comparison): void {
  const step = (key: string): void => {
    if (before[key] === after[key] && Object.hasOwn(before, key)) return;
    path.push(`f:${key}`);
    walk(childSchema(schema, key), own(before, key), own(after, key), path, into);
    path.pop();
  };
  for (const key in before) step(key);
  for (const key in after) if (!Object.hasOwn(before, key)) step(key);
}

const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function walkItems(
  schema: Schema,
  before: readonly unknown[],
  after: readonly unknown[],
  path: string[],
  into: Comparison,
): void {
  const [left, right] = [byStep(schema, before), byStep(schema, after)];
  const visitStep = (step: string): void => {
    const [mine, other] = [left.get(step) ?? NOTHING, right.get(step) ?? NOTHING];
    path.push(step);
    if (mine.length <= 1 && other.length <= 1) walk(schema.items, mine[0], other[0], path, into);
    else walkRepeated(schema, mine, other, path, into);
    path.pop();
  };
  for (const step of left.keys()) visitStep(step);
  for (const step of right.keys()) if (!left.has(step)) visitStep(step);
}

const NOTHING: readonly unknown[] = [];

/** Items that cannot be distinguished change as one. */
function walkRepeated(
  schema: Schema,
  mine: readonly unknown[],
  other: readonly unknown[],
  path: string[],
  into: Comparison,
): void {
  if (mine.length >= 2 && other.length >= 2) {
    if (!same(mine, other)) insert(into.modified, path);
  } else if (mine.length >= 2) {
    if (other.length > 0) walk(schema.items, undefined, other[0], path, into);
    insert(into.removed, path);
  } else {
    if (mine.length > 0) walk(schema.items, mine[0], undefined, path, into);
    insert(into.added, path);
  }
}

export const isSameObject = ({ added, modified, removed }: Comparison): boolean =>
  isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);

/** The comparison without the given fields of the root. */
export function outside({ added, modified, removed }: Comparison, roots: readonly string[]): Comparison {
  return {
    added: withoutRoots(added, roots),
    modified: withoutRoots(modified, roots),
    removed: withoutRoots(removed, roots),
  };
}

/** The set with the declared fields of structures that have members below made members too. */
export function withNamedFields(schema: Schema | undefined, set: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const step of Object.keys(set)) {
    const node = set[step] ?? EMPTY_SET;
    if (step === '.' || isEmptySet(node)) {
      result[step] = node;
      continue;
    }
    const isField = step.startsWith('f:');
    const child = isField ? childSchema(schema, step.slice(2)) : schema?.items;
    const below = withNamedFields(child, node);
    const isNamed = isField && isDeclared(schema, step.slice(2));
    result[step] = isNamed && !isMember(below) ? { '.': EMPTY_SET, ...below } : below;
  }
  return result;
}

/** The value of an owner where the schema made one value of several: that value as such. */
export function fittedTo(schema: Schema | undefined, set: FieldSet): FieldSet {
  if (schema === undefined) return set;
  let result: Record<string, FieldSet> | undefined;
  for (const step in set) {
    const node = set[step] ?? EMPTY_SET;
    if (step === '.' || isEmptySet(node)) continue;
    const child = step.startsWith('f:') ? childSchema(schema, step.slice(2)) : schema.items;
    if (child === undefined) continue;
    const isWhole = child.type === 'object' ? child.atomicMap : child.type === 'array' && child.listType === 'atomic';
    const fitting = isWhole ? EMPTY_SET : fittedTo(child, node);
    if (fitting === node) continue;
    result ??= { ...set };
    result[step] = fitting;
  }
  return result ?? set;
}
