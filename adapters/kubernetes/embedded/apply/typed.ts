// Objects seen through their schema, for server-side apply: what an object sets, what changed between two, how an
// applied configuration merges into a live object, and how an object looks without some fields.
//
// Without a schema a value is taken by its shape: maps are merged field by field, lists are one value.

import { canonical, isList, isMap, type JsonMap, put, same } from '../json.ts';
import { fieldSchema, type Schema } from '../schemas/schema.ts';
import { ensureNode, type FieldSet } from './field-sets.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Thrown when an applied configuration does not fit the schema; the message names the path. */
export class TypedError extends Error {
  override name = 'TypedError';
}

const isGranularList = (schema: Schema | undefined): boolean =>
  schema !== undefined && schema.listType !== 'atomic' && !schema.intOrString;

const isLeaf = (schema: Schema | undefined, value: unknown): boolean =>
  isList(value) ? !isGranularList(schema) : !isMap(value) || schema?.atomicMap === true;

/** The step that names an item of a list of type set or map. */
function itemStep(schema: Schema, item: unknown): string {
  if (schema.listType === 'set' || !isMap(item)) return `v:${canonical(item)}`;
  const key: JsonMap = {};
  for (const name of [...schema.listKeys].sort()) {
    const value = item[name] ?? schema.items?.properties?.get(name)?.default;
    if (value !== undefined) key[name] = value;
  }
  return `k:${JSON.stringify(key)}`;
}

const childrenOf = (set: FieldSet, step: string): FieldSet => {
  const node = ensureNode(set, step);
  node.children ??= new Map();
  return node.children;
};

/** Drops the nodes on the way to a path that turned out to have nothing below. */
function trim(set: FieldSet): FieldSet {
  for (const [step, node] of set) {
    if (node.children !== undefined) {
      trim(node.children);
      if (node.children.size === 0) node.children = undefined;
    }
    if (!node.member && node.children === undefined) set.delete(step);
  }
  return set;
}

/** The paths that an applied configuration sets. */
export function fieldSetOf(schema: Schema | undefined, value: unknown): FieldSet {
  const set: FieldSet = new Map();
  collect(schema, value, set);
  return trim(set);
}

function collect(schema: Schema | undefined, value: unknown, set: FieldSet): void {
  if (isList(value) && schema !== undefined) {
    for (const item of value) {
      const step = itemStep(schema, item);
      ensureNode(set, step).member = true;
      if (!isLeaf(schema.items, item)) collect(schema.items, item, childrenOf(set, step));
    }
  } else if (isMap(value)) {
    for (const key of Object.keys(value)) {
      const step = `f:${key}`;
      const child = fieldSchema(schema, key);
      const field = value[key];
      if (isLeaf(child, field)) {
        ensureNode(set, step).member = true;
      } else {
        // Entries of maps are members themselves, fields of structures only when they hold nothing.
        const isEntry = !schema?.properties?.has(key);
        if (isEntry || (isMap(field) && Object.keys(field).length === 0)) ensureNode(set, step).member = true;
        collect(child, field, childrenOf(set, step));
      }
    }
  }
}

/** What a change from one object to another added, modified and removed. */
export function compare(schema: Schema | undefined, before: unknown, after: unknown): Comparison {
  const result: Comparison = { added: new Map(), modified: new Map(), removed: new Map() };
  compareInto(schema, before, after, result);
  trim(result.added);
  trim(result.modified);
  trim(result.removed);
  return result;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (isList(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0);

function compareInto(schema: Schema | undefined, before: unknown, after: unknown, into: Comparison): void {
  const pairs: [string, Schema | undefined, unknown, unknown][] = [];
  if (isList(before) || isList(after)) {
    if (schema === undefined) return;
    const [left, right] = [byStep(schema, before), byStep(schema, after)];
    for (const step of new Set([...left.keys(), ...right.keys()])) {
      pairs.push([step, schema.items, left.get(step), right.get(step)]);
    }
  } else {
    const left = isMap(before) ? before : {};
    const right = isMap(after) ? after : {};
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (left[key] === right[key] && left[key] !== undefined) continue;
      pairs.push([`f:${key}`, fieldSchema(schema, key), left[key], right[key]]);
    }
  }
  for (const [step, child, left, right] of pairs) {
    const leaf =
      (left === undefined || isLeaf(child, left) || isEmpty(left)) &&
      (right === undefined || isLeaf(child, right) || isEmpty(right));
    if (leaf || (left !== undefined && right !== undefined && isList(left) !== isList(right))) {
      if (left === undefined) ensureNode(into.added, step).member = true;
      else if (right === undefined) ensureNode(into.removed, step).member = true;
      else if (!same(left, right)) ensureNode(into.modified, step).member = true;
      continue;
    }
    compareInto(child, left, right, {
      added: childrenOf(into.added, step),
      modified: childrenOf(into.modified, step),
      removed: childrenOf(into.removed, step),
    });
    if (left === undefined) ensureNode(into.added, step).member = true;
    else if (right === undefined) ensureNode(into.removed, step).member = true;
  }
}

function byStep(schema: Schema, list: unknown): Map<string, unknown> {
  const items = new Map<string, unknown>();
  if (isList(list)) for (const item of list) items.set(itemStep(schema, item), item);
  return items;
}

/**
 * Checks that an applied configuration fits the schema: known fields only, no item twice in a set or a map.
 *
 * @throws {TypedError} `.spec.foo: field not declared in schema`
 */
export function checkTyped(schema: Schema | undefined, value: unknown, path = ''): void {
  if (schema === undefined || value === null || value === undefined) return;
  if (isList(value)) {
    if (schema.type !== '' && schema.type !== 'array')
      throw new TypedError(`${path}: expected ${wanted(schema)}, got list`);
    const steps = new Set<string>();
    for (const [index, item] of value.entries()) {
      if (isGranularList(schema)) {
        const step = itemStep(schema, item);
        checkKeys(schema, item, `${path}`, index);
        if (steps.has(step)) {
          const shown = step.startsWith('k:') ? keyText(step) : `[=${step.slice(2)}]`;
          throw new TypedError(`${path}: duplicate entries for key ${shown}`);
        }
        steps.add(step);
      }
      checkTyped(schema.items, item, `${path}[${index}]`);
    }
  } else if (isMap(value)) {
    if (schema.type !== '' && schema.type !== 'object')
      throw new TypedError(`${path}: expected ${wanted(schema)}, got map`);
    for (const key of Object.keys(value)) {
      const child = fieldSchema(schema, key);
      if (child === undefined && !schema.preserve && !schema.anyAdditional && !schema.embedded) {
        throw new TypedError(`${path}.${key}: field not declared in schema`);
      }
      checkTyped(child, value[key], `${path}.${key}`);
    }
  } else {
    checkScalar(schema, value, path);
  }
}

function checkScalar(schema: Schema, value: unknown, path: string): void {
  const { type } = schema;
  if (schema.intOrString || type === '') return;
  const kind = typeof value;
  const fits =
    type === 'string'
      ? kind === 'string'
      : type === 'boolean'
        ? kind === 'boolean'
        : type !== 'array' && type !== 'object' && kind === 'number';
  if (fits) return;
  const goType = kind === 'boolean' ? 'bool' : kind;
  const got =
    type === 'string'
      ? `&value.valueUnstructured{Value:${JSON.stringify(value)}}`
      : type === 'integer' || type === 'number'
        ? goType
        : String(value);
  throw new TypedError(`${path}: expected ${wanted(schema)}, got ${got}`);
}

function wanted({ type }: Schema): string {
  if (type === 'object') return 'map';
  if (type === 'array') return 'list';
  return type === 'integer' || type === 'number' ? 'numeric (int or float)' : type;
}

function keyText(step: string): string {
  const key = JSON.parse(step.slice(2)) as JsonMap;
  return `[${Object.keys(key)
    .map((name) => `${name}=${JSON.stringify(key[name])}`)
    .join(',')}]`;
}

function checkKeys(schema: Schema, item: unknown, path: string, index: number): void {
  if (schema.listType !== 'map') return;
  const keys = isMap(item) ? item : {};
  const isGiven = (name: string): boolean =>
    keys[name] !== undefined || schema.items?.properties?.get(name)?.hasDefault === true;
  if (!schema.listKeys.some(isGiven)) {
    const names = schema.listKeys.map((name) => JSON.stringify(name)).join(', ');
    const why = `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
    throw new TypedError(`${path}: element ${index}: ${why}`);
  }
}

/** The live object with an applied configuration laid over it. Shares parts with both. */
export function merge(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  if (live === undefined || live === null || applied === null) return applied;
  if (isList(live) && isList(applied)) {
    return isGranularList(schema) && schema !== undefined ? mergeLists(schema, live, applied) : applied;
  }
  if (!isMap(live) || !isMap(applied) || schema?.atomicMap === true) return applied;
  const result: JsonMap = { ...live };
  for (const key of Object.keys(applied)) put(result, key, merge(fieldSchema(schema, key), live[key], applied[key]));
  return result;
}

/** The applied order rules; items that are only live stay behind the live item they followed. */
function mergeLists(schema: Schema, live: readonly unknown[], applied: readonly unknown[]): unknown[] {
  const before = byStep(schema, live);
  const wantedItems = byStep(schema, applied);
  const result: unknown[] = [];
  let next = 0;
  const liveSteps = live.map((item) => itemStep(schema, item));
  const takeLiveOnly = (): void => {
    while (next < live.length && !wantedItems.has(liveSteps[next] ?? '')) result.push(live[next++]);
  };
  takeLiveOnly();
  for (const item of applied) {
    const step = itemStep(schema, item);
    result.push(merge(schema.items, before.get(step), item));
    if (liveSteps[next] === step) {
      next++;
      takeLiveOnly();
    }
  }
  for (; next < live.length; next++) if (!wantedItems.has(liveSteps[next] ?? '')) result.push(live[next]);
  return result;
}

/** The value without the paths of the set. What becomes empty by it vanishes. */
export function removeFields(schema: Schema | undefined, value: unknown, set: FieldSet): unknown {
  if (set.size === 0 || isLeaf(schema, value)) return value;
  if (isList(value) && schema !== undefined) {
    const kept: unknown[] = [];
    for (const item of value) {
      const node = set.get(itemStep(schema, item));
      if (node?.member) continue;
      kept.push(node?.children === undefined ? item : removeFields(schema.items, item, node.children));
    }
    return kept.length === 0 && value.length > 0 ? undefined : kept;
  }
  if (!isMap(value)) return value;
  const result: JsonMap = {};
  for (const key of Object.keys(value)) {
    const node = set.get(`f:${key}`);
    if (node?.member) continue;
    const field =
      node?.children === undefined ? value[key] : removeFields(fieldSchema(schema, key), value[key], node.children);
    if (field !== undefined) put(result, key, field);
  }
  return Object.keys(result).length === 0 && Object.keys(value).length > 0 ? undefined : result;
}

/** The set with the declared fields of structures that have members below made members too. */
export function withNamedFields(schema: Schema | undefined, set: FieldSet): FieldSet {
  const result: FieldSet = new Map();
  for (const [step, node] of set) {
    const isField = step.startsWith('f:');
    const child = isField ? fieldSchema(schema, step.slice(2)) : schema?.items;
    const named = isField && schema?.properties?.has(step.slice(2)) === true;
    result.set(step, {
      member: node.member || (named && node.children !== undefined),
      children: node.children === undefined ? undefined : withNamedFields(child, node.children),
    });
  }
  return result;
}
