// The tests of a search as functions of one object. Three results: true, false, and undefined for unknown, which an absent
// value gives.
import { RE2JS } from 're2js';
import { refuse } from '../envelope/faults.ts';
import type { StoredObject } from '../store/store.ts';
import { compareText } from './compare.ts';
import { type Key, valueKey } from './constants.ts';
import type { Field } from './fields.ts';
import { likeMatcher } from './like.ts';
import type { Spending } from './spending.ts';
import type { Relation } from './syntax.ts';

export type Truth = boolean | undefined;

export type Test = (object: StoredObject, spending: Spending) => Truth;

const LONGEST_PATTERN = 512;
/** Steps of a regular expression for each character and each piece of the pattern, about. */
const EXPRESSION_STEPS = 4;

/** Whether an object has a value at all. */
export function nullTest(field: Field, negated: boolean): Test {
  if (!field.isMany) return (object) => (field.one(object) === undefined) !== negated;
  return (object, spending) => {
    const values = field.all(object);
    spending.spend(values.length);
    return (values.length === 0) !== negated;
  };
}

/** A test of each value: true where it is for some. Nothing to test is unknown, but that an absent text equals ''. */
function valueTest(field: Field, check: (key: Key, spending: Spending) => boolean, ofEmptyText: Truth): Test {
  const { kind } = field;
  const absent: Truth = kind === 'text' ? ofEmptyText : undefined;
  if (!field.isMany) {
    return (object, spending) => {
      const key = valueKey(field.one(object), kind);
      return key === undefined ? absent : check(key, spending);
    };
  }
  return (object, spending) => {
    const values = field.all(object);
    // mutant: gateway-lists-for-nothing drop
    spending.spend(values.length);
    const keys = values.map((value) => valueKey(value, kind));
    if (keys.length === 0) return kind === 'boolean' ? check(false, spending) : absent;
    let truth: Truth = false;
    for (const key of keys) {
      const one: Truth = key === undefined ? absent : check(key, spending);
      if (one === true) return true;
      if (one === undefined) truth = undefined;
    }
    return truth;
  };
}

/** @throws {RefusedRequest} 400: such values have no order, or are no texts */
export function relationTest(field: Field, relation: Relation, key: Key): Test {
  if (relation === '~=' || relation === '~!') return expressionTest(field, relation, key);
  if (relation === '=') return valueTest(field, (value) => value === key, key === '' ? true : undefined);
  if (relation === '!=') return valueTest(field, (value) => value !== key, key === '' ? false : undefined);
  return valueTest(field, (value, spending) => holds(relation, compared(value, key, spending)), undefined);
}

/** @returns NaN where they cannot be compared */
export function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return typeof a === 'boolean' && typeof b === 'boolean' ? Number(a) - Number(b) : Number.NaN;
}

/** `compareKeys`, spent: texts are compared up to the first difference. */
export function compared(a: Key, b: Key, spending: Spending): number {
  const isText = typeof a === 'string' && typeof b === 'string';
  // mutant: gateway-pairs-for-nothing drop
  spending.spend(isText ? Math.min(a.length, b.length) + 1 : 1);
  return compareKeys(a, b);
}

export function holds(relation: Relation, order: number): boolean {
  switch (relation) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '=':
      return order === 0;
    default:
      return order !== 0;
  }
}

export function inTest(field: Field, keys: readonly Key[], negated: boolean): Test {
  const set: ReadonlySet<Key> = new Set(keys);
  return valueTest(field, (value) => set.has(value) !== negated, set.has('') ? !negated : undefined);
}

export function betweenTest(field: Field, low: Key, high: Key, negated: boolean): Test {
  return valueTest(
    field,
    (value, spending) => (compared(value, low, spending) >= 0 && compared(value, high, spending) <= 0) !== negated,
    undefined,
  );
}

/** @throws {RefusedRequest} 400: it is no text */
export function likeTest(
  field: Field,
  {
    pattern,
    ignoreCase,
    negated,
  }: { readonly pattern: string; readonly ignoreCase: boolean; readonly negated: boolean },
): Test {
  requireText(field, ignoreCase ? 'ilike' : 'like');
  if (pattern.length > LONGEST_PATTERN) refuse(400, `A pattern of 'like' has at most ${LONGEST_PATTERN} characters`);
  const matches = likeMatcher(pattern, { ignoreCase });
  return valueTest(
    field,
    (value, spending) => {
      const text = String(value);
      spending.spend(text.length);
      return matches(text, spending) !== negated;
    },
    undefined,
  );
}

function expressionTest(field: Field, relation: Relation, key: Key): Test {
  requireText(field, relation);
  const pattern = String(key);
  const expression = expressionOf(pattern);
  return valueTest(
    field,
    (value, spending) => {
      const text = String(value);
      // mutant: gateway-expression-time drop
      spending.spend((text.length + 1) * (pattern.length + 1) * EXPRESSION_STEPS);
      return expression.matcher(text).find() === (relation === '~=');
    },
    undefined,
  );
}

function expressionOf(pattern: string): RE2JS {
  if (pattern.length > LONGEST_PATTERN) refuse(400, `A regular expression has at most ${LONGEST_PATTERN} characters`);
  try {
    return RE2JS.compile(pattern);
  } catch {
    return refuse(400, `Failed to parse search query: '${pattern}' is not a regular expression`);
  }
}

function requireText({ kind, path }: Field, operator: string): void {
  if (kind !== 'text' && kind !== 'any') refuse(400, `'${operator}' is for texts, and the field '${path}' is none`);
}
