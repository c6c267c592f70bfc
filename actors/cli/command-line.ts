// Options of a command: one table parses them, makes the text of --help and suggests corrections for misspelled ones.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { hint } from '../../adapters/text/nearest.ts';
import { TerminalError } from '../../bus/errors.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: string | boolean;
  /** Placeholder for its value in texts: `FILE`, or `=false` for one that is written so. */
  readonly value?: string;
  /** Environment variable; the option takes precedence. */
  readonly variable?: string;
  /** Default value in the help text, if it is no `default`. */
  readonly fallback?: string;
  readonly help: string;
}
export type Options = Readonly<Record<string, Option>>;

export interface Usage {
  /** With the command that it is a part of: `model check`. */
  readonly name: string;
  /** Positional arguments, in each of their forms; none by default. */
  readonly forms?: readonly string[];
  readonly about: string;
  /** Description in whole sentences, laid out. */
  readonly details?: string;
  /** Options that people come for; the others stand below them. All unless told. */
  readonly own?: readonly string[];
  readonly options: Options;
  /** Options that the command takes and another command's help lists. */
  readonly unlisted?: readonly string[];
  /** More paragraphs, laid out. */
  readonly notes?: string;
  /** Examples of arguments after `troupe`. */
  readonly examples: readonly string[];
}

/** `troupe`, or `kubectl troupe` where kubectl runs it. */
export type Program = string;

/** Column where explanations begin, and the maximum line length, in characters. */
const COLUMN = 36;
const WIDTH = 120;

const HELP = { help: { type: 'boolean', short: 'h', help: 'this text' } } as const satisfies Options;

/** Whether a command was called with --help, which takes precedence over all other arguments. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).some((arg) => /^(?:-h|--?help)$/.test(arg));
}

export function helpText(
  { name, forms = [''], about, details, own, options, unlisted = [], notes, examples }: Usage,
  program: Program,
): string {
  const isOwn = (option: string): boolean => own?.includes(option) ?? true;
  const all = Object.entries(options).filter(([option]) => !unlisted.includes(option));
  const first = Object.fromEntries(all.filter(([option]) => isOwn(option)));
  const others = Object.fromEntries(all.filter(([option]) => !isOwn(option)));
  return [
    forms.map((form) => `${program} ${name} ${form}`.trimEnd()).join('\n'),
    wrapped(about, '  '),
    ...(details === undefined ? [] : [wrapped(details, '  ')]),
    `Options:\n${optionLines({ ...first, ...HELP })}`,
    ...(own === undefined ? [] : [`More options, as 'run' has them:\n${optionLines(others)}`]),
    ...(unlisted.length === 0
      ? []
      : [
          wrapped(
            `Options of adapters, which '${program} run --help' lists, are accepted too: some of them add kinds.`,
            '',
          ),
        ]),
    ...(notes === undefined ? [] : [notes.trimEnd()]),
    `Examples:\n${examples.map((example) => `  ${program} ${example}`).join('\n')}`,
  ]
    .map((part) => `${part.trimEnd()}\n`)
    .join('\n');
}

/** Commands and what they are about, one below the other. */
export function commandLines(usages: readonly Usage[], program: Program): string {
  return usages
    .map(({ name, forms = [''], about }) => line(`${program} ${name} ${forms[0] ?? ''}`.trimEnd(), about))
    .join('');
}

export function optionLines(options: Options): string {
  return Object.entries(options)
    .map(([name, { short, value = '', variable, default: byDefault, fallback, help }]) => {
      const written = `${short === undefined ? '' : `-${short}, `}--${name}`;
      const held = fallback ?? (typeof byDefault === 'string' ? byDefault : undefined);
      const origin = [variable, held].filter((part) => part !== undefined).join(', ');
      return line(
        `${written}${value === '' || value.startsWith('=') ? '' : ' '}${value}`,
        origin === '' ? help : `${origin}: ${help}`,
      );
    })
    .join('');
}

type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O & NonNullable<ParseArgsConfig['options']>; allowPositionals: true; args: string[] }>
>;

/** @throws {TerminalError} an option that is none, or without its value */
export function parsed<const O extends Options>(
  { name, options }: Pick<Usage, 'name'> & { readonly options: O },
  args: readonly string[],
): Parsed<O> {
  const config = {
    args: [...args],
    options: options as O & NonNullable<ParseArgsConfig['options']>,
    allowPositionals: true,
  } as const;
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) throw noOption(name, token.rawName, options);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    throw new TerminalError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function noOption(name: string, written: string, options: Options): TerminalError {
  const known = Object.entries({ ...options, ...HELP }).flatMap(([long, { short }]) => [
    `--${long}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
  const meant = written.startsWith('--') ? hint(written, known) : '';
  return new TerminalError(`'${name}' has no option '${written}'${meant || '; --help lists them'}`);
}

/**
 * @param asked  undefined: none was
 * @param of  what has commands: `troupe`, `troupe model`
 * @returns why a command is none
 */
export function noCommand(asked: string | undefined, names: readonly string[], of: string): TerminalError {
  const lists = `'${of} help' lists the commands`;
  if (asked === undefined) return new TerminalError(`a command is missing; ${lists}`);
  const meant = hint(asked, names);
  return new TerminalError(`there is no command '${asked}'${meant === '' ? `; ${lists}` : `${meant} ${lists}`}`);
}

/** A text that is too long for the column gets a line of its own. */
function line(what: string, explanation: string): string {
  const begun = `  ${what}`;
  const text = wrapped(explanation, ' '.repeat(COLUMN));
  return begun.length < COLUMN ? `${begun}${text.slice(begun.length)}\n` : `${begun}\n${text}\n`;
}

function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(/\s+/)) {
    if (current !== '' && indent.length + current.length + 1 + word.length > WIDTH) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current].map((each) => `${indent}${each}`).join('\n');
}
