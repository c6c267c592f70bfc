// A search becomes a test of objects, and a plan: which index entries have all objects that can pass.
import { refuse } from '../envelope/faults.ts';
import type { StoredObject } from '../store/store.ts';
import { constantKey, type Key, valueKey } from './constants.ts';
import { type Field, type FieldScope, fieldOf } from './fields.ts';
import { parseSearch } from './parser.ts';
import type { Calculation, Condition, Constant, FieldReference, Operand, Term } from './syntax.ts';
import {
  betweenTest,
  compareKeys,
  holds,
  inTest,
  likeTest,
  nullTest,
  relationTest,
  type Test,
  type Truth,
} from './tests.ts';

/** A superset of the objects that pass. */
export type Plan =
  /** Those whose field has one of the values. `absent`: those without a value, too. */
  | { readonly form: 'lookup'; readonly field: Field; readonly keys: readonly Key[]; readonly absent: boolean }
  /** Those of any part. */
  | { readonly form: 'union'; readonly parts: readonly Plan[] }
  /** Those of the smallest part. */
  | { readonly form: 'smallest'; readonly parts: readonly Plan[] };

export interface CompiledSearch {
  readonly test: Test;
  readonly plan: Plan | undefined;
  /** Tests for each object. */
  readonly size: number;
}

interface Compiled {
  readonly test: Test;
  readonly plan?: Plan | undefined;
  readonly size: number;
}

/**
 * @returns undefined for a search that is empty or blank
 * @throws {RefusedRequest} 400: it cannot be parsed, names a field that is none, or compares what cannot be compared
 */
export function compileSearch(search: string, scope: FieldScope): CompiledSearch | undefined {
  const condition = parseSearch(search);
  if (condition === undefined) return undefined;
  const { test, plan, size } = new Compiler(scope).condition(condition);
  return { test, plan, size };
}

class Compiler {
  readonly #scope: FieldScope;

  constructor(scope: FieldScope) {
    this.#scope = scope;
  }

  condition(condition: Condition): Compiled {
    switch (condition.form) {
      case 'or':
        return this.#or(condition.parts.map((part) => this.condition(part)));
      case 'and':
        return this.#and(condition.parts.map((part) => this.condition(part)));
      case 'not': {
        const { test, size } = this.condition(condition.part);
        return { test: (object, spending) => not(test(object, spending)), size };
      }
      case 'null': {
        if (condition.term.form === 'field') {
          return { test: nullTest(this.#field(condition.term), condition.negated), size: 1 };
        }
        const number = this.#number(condition.term);
        return { test: (object) => (number(object) === undefined) !== condition.negated, size: 1 };
      }
      case 'compare':
        return this.#compare(condition);
      default:
        return this.#tested(condition);
    }
  }

  #or(parts: readonly Compiled[]): Compiled {
    const plans = parts.flatMap(({ plan }) => plan ?? []);
    const test: Test = (object, spending) => {
      let truth: Truth = false;
      for (const part of parts) {
        const one = part.test(object, spending);
        if (one === true) return true;
        if (one === undefined) truth = undefined;
      }
      return truth;
    };
    return {
      test,
      size: sum(parts),
      plan: plans.length === parts.length ? { form: 'union', parts: plans } : undefined,
    };
  }

  #and(parts: readonly Compiled[]): Compiled {
    const plans = parts.flatMap(({ plan }) => plan ?? []);
    const test: Test = (object, spending) => {
      let truth: Truth = true;
      for (const part of parts) {
        const one = part.test(object, spending);
        if (one === false) return false;
        if (one === undefined) truth = undefined;
      }
      return truth;
    };
    return { test, size: sum(parts), plan: plans.length === 0 ? undefined : { form: 'smallest', parts: plans } };
  }

  #compare({ left, relation, right }: Condition & { form: 'compare' }): Compiled {
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
        size: 1,
        plan: relation === '=' ? lookup(field, [key]) : undefined,
      };
    }
    if (relation === '~=' || relation === '~!') refuse(400, `'${relation}' takes a text on its right`);
    if (left.form === 'field' && other.form === 'field') return this.#compareFields(left, relation, other);
    const [a, b] = [this.#number(left), this.#number(other)];
    const test: Test = (object) => {
      const [x, y] = [a(object), b(object)];
      return x === undefined || y === undefined ? undefined : holds(relation, x - y);
    };
    return { test, size: 1 };
  }

  #compareFields(
    left: FieldReference,
    relation: '=' | '!=' | '<' | '<=' | '>' | '>=',
    right: FieldReference,
  ): Compiled {
    const [a, b] = [this.#field(left), this.#field(right)];
    if (a.kind === 'whole' || b.kind === 'whole' || (a.kind !== b.kind && a.kind !== 'any' && b.kind !== 'any')) {
      refuse(400, `The fields '${a.path}' and '${b.path}' cannot be compared`);
    }
    const test: Test = (object) => {
      let truth: Truth = false;
      // An absent field has one value, which is unknown.
      const [lefts, rights] = [keysOf(a, object), keysOf(b, object)];
      for (const x of lefts) {
        for (const y of rights) {
          const one = x === undefined || y === undefined ? undefined : holds(relation, compareKeys(x, y));
          if (one === true) return true;
          if (one === undefined) truth = undefined;
        }
      }
      return truth;
    };
    return { test, size: 1 };
  }

  #tested(condition: Condition & { form: 'like' | 'in' | 'between' }): Compiled {
    const { term, negated } = condition;
    const field = term.form === 'field' ? this.#field(term) : this.#calculated(term);
    const key = (constant: Constant): Key => constantKey(constant, field.kind, field.path);
    if (condition.form === 'like') {
      const { ignoreCase } = condition;
      return { test: likeTest(field, { pattern: condition.pattern.text, ignoreCase, negated }), size: 1 };
    }
    if (condition.form === 'in') {
      const keys = condition.values.map(key);
      return { test: inTest(field, keys, negated), size: 1, plan: negated ? undefined : lookup(field, keys) };
    }
    if (field.kind === 'boolean') refuse(400, `The field '${field.path}' is a boolean, which has no order`);
    return { test: betweenTest(field, key(condition.low), key(condition.high), negated), size: 1 };
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
    return { kind: 'number', path: 'a calculation', isMany: false, one, all };
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

function lookup(field: Field, keys: readonly Key[]): Plan | undefined {
  if (field.isMany || field.kind === 'date' || field.kind === 'any') return undefined;
  return { form: 'lookup', field, keys, absent: field.kind === 'text' && keys.includes('') };
}

function keysOf(field: Field, object: StoredObject): readonly (Key | undefined)[] {
  const values = field.isMany ? field.all(object) : [field.one(object)];
  return values.length === 0 ? [undefined] : values.map((value) => valueKey(value, field.kind));
}

function not(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

function sum(parts: readonly Compiled[]): number {
  return parts.reduce((total, { size }) => total + size, 0);
}
