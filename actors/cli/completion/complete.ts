// What may stand where the cursor is: commands, options, values of options and kinds, by the tables that parse them.
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { adaptersOf, moreAdaptersIn } from '../../process/adapters.ts';
import type { Option, Options, Usage } from '../command-line.ts';
import { isCommand, USAGES, usageOf } from '../usage.ts';
import { Directive } from './protocol.ts';

/** A command with commands of its own. */
export interface CompletedTool extends Usage {
  usages(): Promise<{ readonly USAGES: Readonly<Record<string, Usage>> }>;
}

interface Candidate {
  readonly text: string;
  readonly about: string;
}

interface Completion {
  readonly candidates: readonly Candidate[];
  readonly directive: number;
}

/** What the value of an option stands for, if it is a file or a folder. */
const PATHS: ReadonlySet<string | undefined> = new Set(['FILE', 'FOLDER', 'FILE_OR_PACKAGE']);
/** A choice: `text|json`. */
const CHOICE = /^[\w-]+(\|[\w-]+)+$/;
const NOTHING: Completion = { candidates: [], directive: Directive.NoFiles };
const HELP: Option = { type: 'boolean', help: 'how it is used' };

/**
 * Writes the answer: a candidate a line, with what it is about behind a tab, and the directive.
 *
 * @param words  all behind the program; the last is being written, and may be empty
 * @returns 0
 */
export async function complete(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  out: NodeJS.WritableStream,
  tools: readonly CompletedTool[],
): Promise<number> {
  const { candidates, directive } = await completionOf(words, env, tools);
  const lines = candidates.map(({ text, about }) => (about === '' ? text : `${text}\t${summaryOf(about)}`));
  out.write(`${[...lines, `:${directive}`].join('\n')}\n`);
  return 0;
}

async function completionOf(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  tools: readonly CompletedTool[],
): Promise<Completion> {
  const adapters = await adaptersOf(moreAdaptersIn(env), process.cwd());
  const current = words.at(-1) ?? '';
  const commands: readonly Usage[] = [...Object.values<Usage>(USAGES), ...tools];
  const [first, ...others] = words.slice(0, -1);
  if (first === undefined || (first === 'help' && others.length === 0)) return among(namesOf(commands), current);
  const tool = tools.find(({ name }) => name === first);
  if (tool !== undefined) {
    const usages = Object.values((await tool.usages()).USAGES);
    const [command, ...rest] = others;
    if (command === undefined) return among(namesOf(usages), current);
    const usage = usages.find(({ name }) => name === `${tool.name} ${command}`);
    return usage === undefined ? NOTHING : within(usage, rest, current, adapters);
  }
  return isCommand(first) ? within(usageOf(first, adapters), others, current, adapters) : NOTHING;
}

/** @param said  behind the command, and before what is being written */
function within(usage: Usage, said: readonly string[], current: string, adapters: readonly Adapter[]): Completion {
  const options: Options = { ...usage.options, help: HELP };
  const last = said.at(-1);
  const open = last === undefined ? undefined : optionOf(options, last);
  if (open?.type === 'string') return valuesOf(open, current, '');
  const [, name, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  const assigned = name === undefined ? undefined : optionOf(options, name);
  if (assigned !== undefined) return valuesOf(assigned, value ?? '', `${name}=`);
  if (current.startsWith('-')) {
    const all = Object.entries(options).map(([long, { help }]) => ({ text: `--${long}`, about: help }));
    return among(all, current);
  }
  return operandOf(usage, current, adapters);
}

/** As it is written; one with its value in the same word is none that waits for it. */
function optionOf(options: Options, written: string): Option | undefined {
  return Object.entries(options).find(([long, { short }]) => [`--${long}`, `-${short}`].includes(written))?.[1];
}

function valuesOf({ value }: Option, current: string, before: string): Completion {
  if (PATHS.has(value)) return { candidates: [], directive: Directive.None };
  const choices = CHOICE.test(value ?? '') ? (value ?? '').split('|') : [];
  const { candidates } = among(
    choices.map((text) => ({ text, about: '' })),
    current,
  );
  return {
    candidates: candidates.map(({ text, about }) => ({ text: before + text, about })),
    directive: Directive.NoFiles,
  };
}

/** What the forms of a command say that it takes. */
function operandOf({ forms = [] }: Usage, current: string, adapters: readonly Adapter[]): Completion {
  const contracts = adapters.flatMap(({ contracts: own }) => own);
  const all = forms.flatMap((form): readonly Candidate[] => {
    if (CHOICE.test(form)) return form.split('|').map((text) => ({ text, about: '' }));
    if (form === '<realm>') return adapters.map(({ realm, role }) => ({ text: realm, about: `role ${role}` }));
    if (form.includes('<Kind>')) return contracts.map(({ kind, group }) => ({ text: kind, about: group }));
    if (!form.includes('<kind>')) return [];
    const end = form.startsWith('<kind>/') ? '/' : '';
    return contracts.flatMap(({ kind, group, shortNames = [] }) => [
      { text: `${kind.toLowerCase()}${end}`, about: group },
      ...shortNames.map((name) => ({ text: `${name}${end}`, about: kind })),
    ]);
  });
  const found = among(all, current);
  if (all.length === 0 && forms.length > 0 && forms.some((form) => /<file|<folder/i.test(form))) {
    return { candidates: [], directive: Directive.None };
  }
  const isHalf = found.candidates.some(({ text }) => text.endsWith('/'));
  return isHalf ? { ...found, directive: Directive.NoSpace | Directive.NoFiles } : found;
}

function namesOf(usages: readonly Usage[]): readonly Candidate[] {
  const named = usages.map(({ name, about }) => ({ text: name.split(' ').at(-1) ?? '', about }));
  return [...named, { text: 'help', about: 'all commands' }];
}

function among(all: readonly Candidate[], current: string): Completion {
  return { candidates: all.filter(({ text }) => text.startsWith(current)), directive: Directive.NoFiles };
}

/** As much of it as has room beside the candidate. */
function summaryOf(about: string): string {
  return about.split(/[;:,]/)[0] ?? '';
}
