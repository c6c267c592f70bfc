// Completions at the cursor: commands, options, values of options and kinds, from the tables that parse them.
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { adaptersOf, moreAdaptersIn } from '../../process/adapters.ts';
import type { Option, Options, Usage } from '../command-line.ts';
import { isCommand, USAGES, usageOf } from '../usage.ts';
import { type Looked, lookInCluster } from './in-cluster.ts';
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

/** Option values that are files or directories. */
const PATHS: ReadonlySet<string | undefined> = new Set(['FILE', 'FOLDER', 'FILE_OR_PACKAGE']);
/** Commands that look at the `troupe dev` of the folder where no cluster is named. */
const OF_DEV: ReadonlySet<string> = new Set(['events', 'ui']);
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
  if (!isCommand(first)) return NOTHING;
  const usage = usageOf(first, adapters);
  return (await fromCluster(usage, others, current, adapters, env)) ?? within(usage, others, current, adapters);
}

/** Namespaces and names of objects, where these are meant. Undefined: something else is. */
async function fromCluster(
  { name, options, forms = [] }: Usage,
  said: readonly string[],
  current: string,
  adapters: readonly Adapter[],
  env: NodeJS.ProcessEnv,
): Promise<Completion | undefined> {
  if (options['namespace'] === undefined) return undefined;
  const { values, positionals, open } = readLoosely(options, said);
  const deps = { values, isOfDev: OF_DEV.has(name), adapters, env };
  const look = (asked: Looked): Promise<readonly string[]> => lookInCluster(asked, deps);
  const [, assigned] = /^--namespace=(.*)$/s.exec(current) ?? [];
  if (open === 'namespace' || (open === undefined && assigned !== undefined)) {
    const before = assigned === undefined ? '' : '--namespace=';
    const found = await look({ what: 'namespaces' });
    return among(
      found.map((name) => ({ text: before + name, about: '' })),
      current,
    );
  }
  if (open !== undefined || current.startsWith('-') || !forms.some((form) => form.includes('<kind>'))) return undefined;
  const [kind = '', begun] = current.split('/');
  const [before, ...more] = positionals;
  const isApart = before !== undefined && more.length === 0 && !before.includes('/');
  if (!isApart && (begun === undefined || before !== undefined)) return undefined;
  const found = await look({ what: 'names', kind: isApart ? before : kind });
  return among(
    found.map((name) => ({ text: isApart ? name : `${kind}/${name}`, about: '' })),
    current,
  );
}

interface ReadLoosely {
  readonly values: Readonly<Record<string, string>>;
  readonly positionals: readonly string[];
  /** The option whose value is being written. */
  readonly open: string | undefined;
}

/** Parses the arguments so far, and ignores invalid ones. */
function readLoosely(options: Options, said: readonly string[]): ReadLoosely {
  const values: Record<string, string> = {};
  const positionals: string[] = [];
  let open: string | undefined;
  for (const word of said) {
    if (open !== undefined) {
      values[open] = word;
      open = undefined;
      continue;
    }
    const [, assigned, value = ''] = /^--([\w-]+)=(.*)$/s.exec(word) ?? [];
    const [long, option] =
      Object.entries(options).find(([name, { short }]) => [`--${name}`, `-${short}`].includes(word)) ?? [];
    if (assigned !== undefined) values[assigned] = value;
    else if (option?.type === 'string') open = long;
    else if (!word.startsWith('-')) positionals.push(word);
  }
  return { values, positionals, open };
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

/** Positional arguments of a command's forms. */
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
  const found = among(withoutTwins(all), current);
  if (all.length === 0 && forms.length > 0 && forms.some((form) => /<file|<folder/i.test(form))) {
    return { candidates: [], directive: Directive.None };
  }
  const isHalf = found.candidates.some(({ text }) => text.endsWith('/'));
  return isHalf ? { ...found, directive: Directive.NoSpace | Directive.NoFiles } : found;
}

/** Each candidate once, and none with a slash that is there without it: a name may follow that, too. */
function withoutTwins(all: readonly Candidate[]): readonly Candidate[] {
  const byText = new Map(all.map((candidate) => [candidate.text, candidate]));
  return [...byText.values()].filter(({ text }) => !text.endsWith('/') || !byText.has(text.slice(0, -1)));
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
