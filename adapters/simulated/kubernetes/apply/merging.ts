// The merge of an applied configuration into a live object, and the removal of paths from an object.
import { isList, isMap, type JsonMap, listOf, mapOf, put } from '../../../text/json.ts';
import type { Schema } from '../schemas/schema.ts';
import { type FieldSet, isEmptySet, isMember } from './field-sets.ts';
import { byStep, childSchema, itemStep, Shape, shapeOf } from './typed.ts';

/**
 * The live object with an applied configuration laid over it. Shares parts with both.
 *
 * @returns undefined when nothing is there
 */
export function merge(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const shape = shapeOf(schema, applied);
  if (shape === Shape.List && schema !== undefined) {
    const [before, wanted] = [listOf(live), listOf(applied)];
    if (before.length === 0 && wanted.length === 0) return applied;
    return mergeItems(schema, before, wanted);
  }
  if (shape !== Shape.Map) return applied;
  const [before, wanted] = [mapOf(live), mapOf(applied)];
  if (Object.keys(before).length === 0 && Object.keys(wanted).length === 0) return applied;
  const result: JsonMap = { ...before };
  for (const key of Object.keys(wanted)) {
    const own = Object.hasOwn(before, key) ? before[key] : undefined;
    put(result, key, merge(childSchema(schema, key), own, wanted[key]));
  }
  return result;
}

/**
 * Items of both lists: each list's own order is kept as far as the other allows, and where they contradict the applied
 * one wins.
 */
function mergeItems(schema: Schema, live: readonly unknown[], applied: readonly unknown[]): unknown[] {
  const liveSteps = live.map((item) => itemStep(schema, item));
  const wantedSteps = applied.map((item) => itemStep(schema, item));
  const before = byStep(schema, live);
  const wanted = byStep(schema, applied);
  const shared = wantedSteps.filter((step) => before.has(step));
  const merged = new Set<string>();
  const result: unknown[] = [];
  let nextShared = 0;
  const takeWanted = (step: string, item: unknown): void => {
    merged.add(step);
    const known = before.get(step);
    // Items that cannot be distinguished are replaced as one.
    result.push(merge(schema.items, known?.length === 1 ? known[0] : undefined, item));
    if (shared[nextShared] === step) nextShared++;
  };
  let at = 0;
  let next = 0;
  while (at < live.length || next < applied.length) {
    const [step, other] = [liveSteps[at], wantedSteps[next]];
    if (step !== undefined && other !== undefined) {
      if (step === other) {
        takeWanted(other, applied[next++]);
        at++;
        continue;
      }
      if (wanted.has(step) && nextShared < shared.length && shared[nextShared] !== step) {
        at++; // it is handled with the applied one
        continue;
      }
    }
    if (step !== undefined) {
      if (!wanted.has(step)) {
        result.push(live[at++]);
        continue;
      }
      if (merged.has(step)) at++;
    }
    if (other !== undefined) takeWanted(other, applied[next++]);
  }
  return result;
}

/** The value without the paths of the set; what held nothing else becomes null. Shares parts with it. */
export function removed(schema: Schema | undefined, value: unknown, set: FieldSet): unknown {
  const shape = shapeOf(schema, value);
  if (shape === Shape.Scalar) return value;
  if (isList(value)) {
    if (shape === Shape.Whole || schema === undefined) return null;
    const kept: unknown[] = [];
    for (const item of value) {
      const node = set[itemStep(schema, item)];
      if (node === undefined) kept.push(item);
      else if (!isMember(node)) kept.push(removed(schema.items, item, node));
    }
    return kept.length === 0 ? null : kept;
  }
  if (!isMap(value) || shape === Shape.Whole) return null;
  const result: JsonMap = {};
  for (const key of Object.keys(value)) {
    const node = set[`f:${key}`];
    if (node === undefined) put(result, key, value[key]);
    else if (!isMember(node)) put(result, key, removed(childSchema(schema, key), value[key], node));
  }
  return isEmptySet(result as FieldSet) ? null : result;
}
