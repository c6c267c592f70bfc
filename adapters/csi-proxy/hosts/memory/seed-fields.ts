// Reader of plain data, field by field: each value is checked, each error has its position, and an unknown field is an
// error too.
import { TerminalError } from '../../../../bus/errors.ts';
import { hint } from '../../../text/nearest.ts';

export class SeedFields {
  readonly #at: string;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #asked = new Set<string>();

  /** @param at  where the value stands, such as `disks[0]`; empty: it is all there is */
  constructor(value: unknown, at: string) {
    this.#at = at;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(at || 'the machine', 'an object');
    this.#values = value as Record<string, unknown>;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined || typeof value === 'string') return value;
    refuse(this.#place(name), 'a text', value);
  }

  requiredText(name: string): string {
    return this.text(name) ?? refuse(this.#place(name), 'there');
  }

  /** A whole number. */
  number(name: string, least: number): number | undefined {
    const value = this.#value(name);
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) return value as number;
    refuse(this.#place(name), `a whole number, at least ${least}`, value);
  }

  choice<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#value(name);
    const chosen = choices.find((choice) => choice === value);
    if (value === undefined || chosen !== undefined) return chosen;
    refuse(this.#place(name), `one of ${choices.join(', ')}`, value);
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((value, index) => {
      if (typeof value === 'string') return value;
      return refuse(`${this.#place(name)}[${index}]`, 'a text', value);
    });
  }

  each<T>(name: string, read: (fields: SeedFields) => T): readonly T[] {
    return this.#list(name).map((value, index) => readAll(value, `${this.#place(name)}[${index}]`, read));
  }

  one<T>(name: string, read: (fields: SeedFields) => T): T | undefined {
    const value = this.#value(name);
    return value === undefined ? undefined : readAll(value, this.#place(name), read);
  }

  /** @throws {TerminalError} a field that was not asked for */
  end(): void {
    for (const name of Object.keys(this.#values)) {
      if (this.#asked.has(name)) continue;
      const known = [...this.#asked];
      const meant = hint(name, known) || `; there is: ${known.join(', ')}`;
      throw new TerminalError(`${this.#at || 'the machine'} has no '${name}'${meant}`);
    }
  }

  #list(name: string): readonly unknown[] {
    const value = this.#value(name) ?? [];
    return Array.isArray(value) ? value : refuse(this.#place(name), 'a list', value);
  }

  #value(name: string): unknown {
    this.#asked.add(name);
    return this.#values[name] ?? undefined;
  }

  #place(name: string): string {
    return this.#at === '' ? name : `${this.#at}.${name}`;
  }
}

/** Reads an object, and nothing of it may be left. */
export function readAll<T>(value: unknown, at: string, read: (fields: SeedFields) => T): T {
  const fields = new SeedFields(value, at);
  const result = read(fields);
  fields.end();
  return result;
}

function refuse(what: string, rule: string, ...got: readonly unknown[]): never {
  const end = got.length === 0 ? '' : `; got ${JSON.stringify(got[0])}`;
  throw new TerminalError(`${what} must be ${rule}${end}`);
}
