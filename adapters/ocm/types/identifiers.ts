// Identifiers of TypeScript: made of names, and no two alike.
import type { Name } from '../model/mod.ts';

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Assigns unique identifiers: repeated ones get a suffix, which is stable for the same model. */
export class Identifiers {
  readonly #taken = new Set<string>();

  take(wanted: string, suffix = ''): string {
    let found = wanted;
    if (this.#taken.has(found)) found += suffix;
    for (let n = 2; this.#taken.has(found); n++) found = `${wanted}${suffix}${n}`;
    this.#taken.add(found);
    return found;
  }
}

/** `AWSShard` as `awsShard`. */
export function lowerCamel({ words }: Name): string {
  const [first = '', ...rest] = words;
  return first.toLowerCase() + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

export function upperSnake({ snake }: Name): string {
  return snake.toUpperCase();
}

/** The name of a member, in quotes where it has to be. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) && name !== '__proto__' ? name : literal(name);
}

/** The name of a method in an interface, where a bare `new` would be the object's construction. */
export function methodName(name: string): string {
  return name === 'new' ? literal(name) : memberName(name);
}

/** A string in single quotes. */
export function literal(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}
