// Answers that no cloud gave: an object that has every attribute that is asked for, each of some type.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { chanceOf } from '../../api/contract/check/samples.ts';

export interface MadeUpAnswer {
  readonly attributes: JsonObject;
  /** Every string that was taken from it, and every name of a member that was asked for. */
  readonly answered: ReadonlySet<string>;
}

type Maker = (path: string, depth: number, answer: (path: string, depth: number) => JsonObject) => Json | undefined;

const SCALARS: readonly Maker[] = [
  (path) => `answer to ${path}`,
  (path) => chanceOf(path) % 97,
  (path) => chanceOf(path) % 2 === 0,
  () => '2026-02-03T04:05:06Z',
];
const EMPTY: readonly Maker[] = [() => null, () => undefined, () => [], () => ''];
const NESTED: readonly Maker[] = [
  (path) => [`answer to ${path}`],
  (path, depth, answer) => [answer(path, depth + 1)],
  (path, depth, answer) => answer(path, depth + 1),
];
/** Objects are in objects up to here. */
const DEPTH = 3;

/** Attribute for attribute, the same answer for the same round; one of the first rounds is empty in each way. */
export function answerOf(round: number): MadeUpAnswer {
  const answered = new Set<string>();
  const empty = EMPTY[round];
  const answer = (within: string, depth: number): JsonObject => {
    const member = (name: string): Json | undefined => {
      const path = `${within}/${name}`;
      const makers = empty !== undefined ? [empty] : [...SCALARS, ...EMPTY, ...(depth < DEPTH ? NESTED : [])];
      const value = makers[chanceOf(`${path} ${round}`) % makers.length]?.(path, depth, answer);
      for (const text of Array.isArray(value) ? value : [value]) if (typeof text === 'string') answered.add(text);
      return value;
    };
    const names = ['first', 'second'];
    return new Proxy<JsonObject>(
      {},
      {
        get: (_, name) => (typeof name === 'string' ? member(name) : undefined),
        has: () => true,
        ownKeys() {
          for (const name of names) answered.add(name);
          return names;
        },
        getOwnPropertyDescriptor: (_, name) => ({
          value: typeof name === 'string' ? member(name) : undefined,
          enumerable: true,
          configurable: true,
        }),
      },
    );
  };
  return { attributes: answer('', 0), answered };
}

/** The same object, of which some members are known. */
export function knowing(attributes: JsonObject, known: JsonObject): JsonObject {
  return new Proxy(attributes, {
    get: (target, name) => (typeof name === 'string' && name in known ? known[name] : Reflect.get(target, name)),
  });
}
