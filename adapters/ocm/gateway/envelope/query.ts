// Parameters of a query, by their types.
import type { Parameter, Type } from '../../model/mod.ts';
import type { Value } from '../store/store.ts';
import { utcDate } from './dates.ts';
import { isInteger } from './decode.ts';
import { refuse } from './faults.ts';

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);
const INTEGER = /^-?\d+$/;
/** Digits are in one place each: two in a row would try all ways to share them. */
// mutant: gateway-number-by-guessing / -> /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![^])/
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The query of a request; names outside of the model are ignored. */
export class Query {
  readonly #parameters: URLSearchParams;

  /** @param text  what follows the `?` */
  constructor(text: string) {
    this.#parameters = new URLSearchParams(text);
  }

  /** @throws {RefusedRequest} 400: given more than once */
  text(name: string): string | undefined {
    const all = this.#parameters.getAll(name);
    // mutant: gateway-repeated if -> false
    if (all.length > 1) refuse(400, `The query parameter '${name}' is given ${all.length} times`);
    return all[0];
  }

  /**
   * The parameters of a method by wire name, with their defaults.
   *
   * @throws {RefusedRequest} 400: one is given more than once, or does not fit its type
   */
  values(parameters: readonly Parameter[]): Value {
    return Object.fromEntries(
      parameters.flatMap((parameter): [string, unknown][] => {
        const { queryName, wireName, type, default: initial } = parameter;
        const text = this.text(queryName);
        const value = text === undefined ? initial : queryValue(type, text, queryName);
        return value === undefined ? [] : [[wireName, value]];
      }),
    );
  }
}

/** @throws {RefusedRequest} 400 naming the parameter */
export function queryValue(type: Type, text: string, name: string): unknown {
  switch (type.kind) {
    case 'boolean':
      // mutant: gateway-any-boolean return -> TRUE.has(text)
      return TRUE.has(text) || (!FALSE.has(text) && wrong(name, text, 'a boolean'));
    case 'integer':
    case 'long': {
      // mutant: gateway-any-integer ?:.1 -> true
      const value = INTEGER.test(text) ? Number(text) : Number.NaN;
      return isInteger(value, type.kind) ? value + 0 : wrong(name, text, 'a whole number');
    }
    case 'float': {
      const value = FLOAT.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(value) ? value : wrong(name, text, 'a number');
    }
    case 'date':
      return utcDate(text) ?? wrong(name, text, 'a date in the form of RFC 3339');
    case 'enum': {
      const isKnown = type.values.some(({ wireName }) => wireName === text);
      return isKnown
        ? text
        : wrong(name, text, `one of ${type.values.map(({ wireName }) => `'${wireName}'`).join(', ')}`);
    }
    default:
      return text;
  }
}

const SHOWN = 100;

function wrong(name: string, text: string, expected: string): never {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
  return refuse(400, `The query parameter '${name}' must be ${expected}, and not '${shown}'`);
}
