// A search becomes a tree of tests of objects. Some of its leaves say which entries of an index have what passes them.
import { refuse } from '../envelope/faults.ts';
import type { StoredObject } from '../store/store.ts';
import { constantKey, type Key, valueKey } from './constants.ts';
import { type Field, type FieldScope, fieldOf } from './fields.ts';
import { parseSearch } from './parser.ts';
import type { Bound } from './sorted.ts';
import type { Spending } from './spending.ts';
import type { Calculation, Condition, Constant, FieldReference, Operand, Relation, Term } from './syntax.ts';
import {
  betweenTest,
  compared,
  holds,
  inTest,
  likeTest,
  nullTest,
  relationTest,
  type Test,
  type Truth,
} from './tests.ts';

/** Objects that pass a leaf, from an index. */
export type Access =
  /** Those whose field has one of the values. `absent`: those without a value, too. */
  | { readonly form: 'lookup'; readonly field: Field; readonly keys: readonly Key[]; readonly absent: boolean }
  /** Those whose field has a value within the bounds. */
  | {
      readonly form: 'range';
      readonly field: Field;
      readonly low: Bound | undefined;
      readonly high: Bound | undefined;
    };

/** Work for each object, by which parts are put in order: what costs little comes first. */
const Cost = { Lookup: 0, Range: 1, Test: 2, Expression: 3 } as const;

export interface Leaf {
  readonly form: 'leaf';
  /** Equal for leaves of one scope that are the same. */
  readonly key: string;
  readonly test: Test;
  readonly access: Access | undefined;
  readonly cost: number;
}

export type SearchNode =
  | Leaf
  /** The parts are in the order of their costs. */
  | { readonly form: 'and' | 'or'; readonly parts: readonly SearchNode[]; readonly cost: number }
  | { readonly form: 'not'; readonly part: SearchNode; readonly cost: number };

export interface CompiledSearch {
  readonly root: SearchNode;
  readonly scope: FieldScope;
}

/** A leaf without its key. */
interface Tested {
  readonly test: Test;
  readonly access?: Access | undefined;
  readonly cost?: number;
}

/**
 * @returns undefined for a search that is empty or blank
 * @throws {RefusedRequest} 400: it cannot be parsed, names a field that is none, or compares what cannot be compared
 */
export function compileSearch(search: string, scope: FieldScope): CompiledSearch | undefined {
  const condition = parseSearch(search);
  if (condition === undefined) return undefined;
  return { root: new Compiler(scope).node(condition), scope };
}

/** Objects whose field has a value. */
export function equals(field: Field, value: Key, scope: FieldScope): CompiledSearch {
  const tested = { test: relationTest(field, '=', value), access: lookup(field, [value]) };
  return { root: leafOf(JSON.stringify([field.key, value]), tested), scope };
}

/** The truth of a search for one object. */
export function truthOf(node: SearchNode, object: StoredObject, spending: Spending): Truth {
  if (node.form === 'leaf') {
    spending.spend(1);
    return node.test(object, spending);
  }
  if (node.form === 'not') {
    const truth = truthOf(node.part, object, spending);
    return truth === undefined ? undefined : !truth;
  }
  const decides = node.form === 'or';
  let truth: Truth = !decides;
  for (const part of node.parts) {
    const one = truthOf(part, object, spending);
    if (one === decides) return decides;
    if (one === undefined) truth = undefined;
  }
  return truth;
}

class Compiler {
  readonly #scope: FieldScope;

  constructor(scope: FieldScope) {
    this.#scope = scope;
  }

  node(condition: Condition): SearchNode {
    if ('parts' in condition) {
      const parts = condition.parts.map((each) => this.node(each)).sort((a, b) => a.cost - b.cost);
      return { form: condition.form, parts, cost: parts.at(-1)?.cost ?? 0 };
    }
    if (condition.form === 'not') {
      const part = this.node(condition.part);
      return { form: 'not', part, cost: part.cost };
    }
    // Places in the search are no part of what a leaf is.
    const key = JSON.stringify(condition, (name, value: unknown) => (name === 'at' ? undefined : value));
    return leafOf(key, this.#tested(condition));
  }

  #tested(condition: Exclude<Condition, { form: 'or' | 'and' | 'not' }>): Tested {
    if (condition.form === 'compare') return this.#compare(condition);
    if (condition.form !== 'null') return this.#values(condition);
    if (condition.term.form === 'field') return { test: nullTest(this.#field(condition.term), condition.negated) };
    const number = this.#number(condition.term);
    return { test: (object) => (number(object) === undefined) !== condition.negated };
  }

  #compare({ left, relation, right }: Condition & { form: 'compare' }): Tested {
    const other = this.#operand(right);
    if (left.form === 'field' && other.form === 'constant') {
      const field = this.#field(left);
      // An expression on something other than a text is refused where it is compiled.
      const isExpression = relation === '~=' || relation === '~!';
      const key = isExpression ? other.text : constantKey(other, field.kind, field.path);
      const isOrder = !isExpression && relation !== '=' && relation !== '!=';
      if (isOrder && field.kind === 'boolean')
        refuse(400, `The field '${field.path}' is a boolean, which has no order`);
      return {
        test: relationTest(field, relation, key),
        access: relation === '=' ? lookup(field, [key]) : isOrder ? rangeOf(field, relation, key) : undefined,
        ...(isExpression && { cost: Cost.Expression }),
      };
    }
    if (relation === '~=' || relation === '~!') refuse(400, `'${relation}' takes a text on its right`);
    if (left.form === 'field' && other.form === 'field') return this.#compareFields(left, relation, other);
    const [a, b] = [this.#number(left), this.#number(other)];
    const test: Test = (object) => {
      const [x, y] = [a(object), b(object)];
      return x === undefined || y === undefined ? undefined : holds(relation, x - y);
    };
    return { test };
  }

  #compareFields(left: FieldReference, relation: '=' | '!=' | '<' | '<=' | '>' | '>=', right: FieldReference): Tested {
    const [a, b] = [this.#field(left), this.#field(right)];
    if (a.kind === 'whole' || b.kind === 'whole' || (a.kind !== b.kind && a.kind !== 'any' && b.kind !== 'any')) {
      refuse(400, `The fields '${a.path}' and '${b.path}' cannot be compared`);
    }
    const test: Test = (object, spending) => {
      let truth: Truth = false;
      // An absent field has one value, which is unknown.
      const [lefts, rights] = [keysOf(a, object), keysOf(b, object)];
      for (const x of lefts) {
        for (const y of rights) {
          const one = x === undefined || y === undefined ? undefined : holds(relation, compared(x, y, spending));
          if (one === true) return true;
          if (one === undefined) truth = undefined;
        }
      }
      return truth;
    };
    return { test };
  }

  #values(condition: Condition & { form: 'like' | 'in' | 'between' }): Tested {
    const { term, negated } = condition;
    const field = term.form === 'field' ? this.#field(term) : this.#calculated(term);
    const isIndexed = term.form === 'field' && !negated;
    const key = (constant: Constant): Key => constantKey(constant, field.kind, field.path);
    if (condition.form === 'like') {
      const { ignoreCase } = condition;
      return { test: likeTest(field, { pattern: condition.pattern.text, ignoreCase, negated }) };
    }
    if (condition.form === 'in') {
      const keys = condition.values.map(key);
      return { test: inTest(field, keys, negated), access: isIndexed ? lookup(field, keys) : undefined };
    }
    if (field.kind === 'boolean') refuse(400, `The field '${field.path}' is a boolean, which has no order`);
    const [low, high] = [key(condition.low), key(condition.high)];
    const bounds = [low, high].map((each) => ({ key: each, isInclusive: true }));
    return {
      test: betweenTest(field, low, high, negated),
      access: isIndexed ? inOrder(field, bounds[0], bounds[1]) : undefined,
    };
  }

  /** A word on the right of a relation is a text unless it is a field. */
  #operand(operand: Operand): Operand {
    if (operand.form !== 'field' || !operand.isBare || fieldOf(operand.parts, this.#scope) !== undefined)
      return operand;
    return { form: 'constant', type: 'text', text: operand.parts[0] ?? '', at: operand.at };
  }

  #field({ parts }: FieldReference): Field {
    return fieldOf(parts, this.#scope) ?? refuse(400, `'${parts.join('.').slice(0, 200)}' is not a valid field name`);
  }

  #calculated(term: Calculation): Field {
    const one = this.#number(term);
    const all: Field['all'] = (object) => {
      const value = one(object);
      return value === undefined ? [] : [value];
    };
    return { kind: 'number', path: 'a calculation', key: JSON.stringify(term), isMany: false, one, all };
  }

  /** @returns undefined where a part is absent, or a division is by zero */
  #number(operand: Term | Constant): (object: StoredObject) => number | undefined {
    if (operand.form === 'constant') {
      const key = Number(constantKey(operand, 'number', 'a calculation'));
      return () => key;
    }
    if (operand.form === 'field') {
      const field = this.#field(operand);
      if (field.kind !== 'number')
        refuse(400, `The field '${field.path}' is not a number, so nothing can be calculated with it`);
      if (field.isMany)
        refuse(400, `The field '${field.path}' may have several values, so nothing can be calculated with it`);
      return (object) => {
        const value = field.one(object);
        return typeof value === 'number' ? value : undefined;
      };
    }
    const [left, right] = [this.#number(operand.left), this.#number(operand.right)];
    return (object) => {
      const [a, b] = [left(object), right(object)];
      return a === undefined || b === undefined ? undefined : calculated(operand.operator, a, b);
    };
  }
}

function calculated(operator: Calculation['operator'], a: number, b: number): number | undefined {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0 ? undefined : a / b;
    case '%':
      return b === 0 ? undefined : a % b;
  }
}

function leafOf(key: string, { test, access, cost }: Tested): Leaf {
  const accessCost = access === undefined ? Cost.Test : access.form === 'lookup' ? Cost.Lookup : Cost.Range;
  return { form: 'leaf', key, test, access, cost: cost ?? accessCost };
}

function lookup(field: Field, keys: readonly Key[]): Access | undefined {
  if (field.isMany || field.kind === 'any') return undefined;
  return { form: 'lookup', field, keys, absent: field.kind === 'text' && keys.includes('') };
}

function rangeOf(field: Field, relation: Relation, key: Key): Access | undefined {
  const bound = { key, isInclusive: relation === '<=' || relation === '>=' };
  return relation.startsWith('<') ? inOrder(field, undefined, bound) : inOrder(field, bound, undefined);
}

/** Values of any type have no order among each other. */
function inOrder(field: Field, low: Bound | undefined, high: Bound | undefined): Access | undefined {
  return field.isMany || field.kind === 'any' ? undefined : { form: 'range', field, low, high };
}

function keysOf(field: Field, object: StoredObject): readonly (Key | undefined)[] {
  const values = field.isMany ? field.all(object) : [field.one(object)];
  return values.length === 0 ? [undefined] : values.map((value) => valueKey(value, field.kind));
}
