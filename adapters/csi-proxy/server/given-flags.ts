// The flags of a command line, with one dash or two, in the order in which they were given.
import { parseArgs } from 'node:util';
import { TerminalError } from '../../../bus/errors.ts';
import { hint } from '../../text/nearest.ts';
import { FLAGS, type Flag } from './flag-table.ts';

/** All throw TerminalErrors that name the flag, the rule, and what it got. */
export class GivenFlags {
  readonly #given: readonly (readonly [Flag, string])[];

  constructor(args: readonly string[]) {
    this.#given = parse(args);
  }

  inOrder(): readonly (readonly [Flag, string])[] {
    return this.#given;
  }

  last(flag: Flag): string | undefined {
    return this.#given.findLast(([name]) => name === flag)?.[1];
  }

  all(flag: Flag): string[] {
    return this.#given.flatMap(([name, value]) => (name === flag ? [value] : []));
  }

  isOn(flag: Flag, fallback: 'on' | 'off'): boolean {
    const value = this.last(flag) ?? (fallback === 'on' ? 'true' : 'false');
    if (/^(?:1|t|true)$/i.test(value)) return true;
    if (/^(?:0|f|false)$/i.test(value)) return false;
    throw new TerminalError(`--${flag} must be true or false; got '${value}'`);
  }

  whole(flag: Flag, least: number): number | undefined {
    const value = this.last(flag);
    return value === undefined ? undefined : wholeNumber(flag, value, least);
  }
}

export function wholeNumber(flag: Flag, value: string, least: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least) return number;
  throw new TerminalError(`--${flag} must be a whole number, at least ${least}; got '${value}'`);
}

function parse(args: readonly string[]): [Flag, string][] {
  const { tokens } = parseArgs({
    // One dash is as good as two.
    args: args.map((arg) => arg.replace(/^-(?=[a-z])/i, '--')),
    options: FLAGS,
    strict: false,
    tokens: true,
  });
  return tokens.map((token) => {
    if (token.kind !== 'option') throw new TerminalError(`'serve' takes flags only; got '${args[token.index] ?? ''}'`);
    const { name, rawName, value } = token;
    if (!isFlag(name)) {
      const meant = hint(
        `--${name}`,
        Object.keys(FLAGS).map((flag) => `--${flag}`),
      );
      throw new TerminalError(`there is no flag ${rawName}${meant || '; --help lists them'}`);
    }
    if (value === undefined && FLAGS[name].type === 'string') throw new TerminalError(`${rawName} needs a value`);
    return [name, value ?? 'true'];
  });
}

function isFlag(name: string): name is Flag {
  return Object.hasOwn(FLAGS, name);
}
