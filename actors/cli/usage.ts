// The commands of `troupe`, with what adapters add to them, and what `troupe help` says.
import type { Adapter, Flag } from '../../adapters/api/adapter.ts';
import { TerminalError } from '../../bus/errors.ts';
import { knownRoles, rolesOfNodes } from '../base/config.ts';
import { TROUPE_VERSION } from '../base/version.ts';
import { check } from './check/usage.ts';
import type { CommandUsage } from './command.ts';
import { commandLines, type Option, type Options, optionLines, type Program, type Usage } from './command-line.ts';
import { completion } from './completion/usage.ts';
import { convert } from './convert/usage.ts';
import { crds } from './crds/usage.ts';
import { demo } from './demo/usage.ts';
import { dev } from './dev/usage.ts';
import { doctor } from './doctor/usage.ts';
import { events } from './events/usage.ts';
import { get } from './get/usage.ts';
import { graph } from './graph/usage.ts';
import { machines } from './machines/usage.ts';
import { migrate } from './migrate/usage.ts';
import { pause, resume } from './pause/usage.ts';
import { rbac } from './rbac/usage.ts';
import { retry } from './retry/usage.ts';
import { run } from './run/usage.ts';
import { SCAFFOLDED, scaffold } from './scaffold/usage.ts';
import { top } from './top/usage.ts';
import { trace } from './trace/usage.ts';
import { tree } from './tree/usage.ts';
import { ui } from './ui/usage.ts';
import { version } from './version/usage.ts';
import { why } from './why/usage.ts';

/** All commands, in the order of `troupe help`. */
export const USAGES = {
  run,
  dev,
  demo,
  crds,
  migrate,
  convert,
  why,
  events,
  trace,
  doctor,
  get,
  tree,
  graph,
  retry,
  pause,
  resume,
  top,
  completion,
  ui,
  machines,
  check,
  rbac,
  version,
  scaffold,
} as const satisfies Readonly<Record<string, CommandUsage>>;
export type CommandName = keyof typeof USAGES;

export function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(USAGES, name);
}

type KnownAdapter = Pick<Adapter, 'realm' | 'role' | 'route' | 'flags' | 'definitionFlags' | 'scaffold'>;

/**
 * The usage of a command with what adapters add to it.
 *
 * @throws {TerminalError} an adapter has a flag that is taken
 */
export function usageOf(name: CommandName, adapters: readonly KnownAdapter[]): Usage {
  const usage: CommandUsage = USAGES[name];
  const all: Record<string, Option> = { ...usage.options };
  if (all['roles'] !== undefined) {
    const unasked = usage.isDevelopment ? [] : rolesOfNodes(adapters);
    const but = unasked.length === 0 ? '' : ` but ${unasked.join()}`;
    const fallback = all['roles'].fallback?.replace('all', `all${but}`);
    all['roles'] = { ...all['roles'], value: knownRoles(adapters).join(), ...(fallback && { fallback }) };
  }
  const flags = flagsOf(adapters);
  for (const kind of usage.adapterFlags ?? []) Object.assign(all, flags[kind]);
  const unlisted = usage.adapterFlags?.includes('process') && !usage.callsExternal ? Object.keys(flags.process) : [];
  return { ...usage, options: all, unlisted };
}

/** All that some command takes: for finding the command among them. @throws {TerminalError} as `usageOf` */
export function allOptions(adapters: readonly KnownAdapter[]): Options {
  const all = Object.values(USAGES).map(({ options }): Options => options);
  const { options: ofRun } = usageOf('run', adapters);
  const { options: ofDemo } = usageOf('demo', adapters);
  return { ...Object.assign({}, ...all), ...ofDemo, ...ofRun, ...flagsOf(adapters).definitions };
}

/** Flags of all adapters, by purpose. */
interface AdapterFlags {
  readonly process: Options;
  readonly definitions: Options;
}

function flagsOf(adapters: readonly KnownAdapter[]): AdapterFlags {
  const names = ['help', 'version', ...Object.values(USAGES).flatMap(({ options }) => Object.keys(options))];
  const taken = new Map<string, Flag | undefined>(names.map((name) => [name, undefined]));
  const optionsOf = (realm: string, flags: readonly Flag[] = []): Options => {
    for (const flag of flags) {
      const { name } = flag;
      // Several adapters may have one and the same.
      if (taken.has(name) && taken.get(name) !== flag)
        throw new TerminalError(`adapter '${realm}' has a flag that is taken: '${name}'`);
      taken.set(name, flag);
    }
    return Object.fromEntries(flags.map(({ name, ...flag }): [string, Option] => [name, { type: 'string', ...flag }]));
  };
  const each = adapters.map(
    ({ realm, flags, definitionFlags }): AdapterFlags => ({
      process: optionsOf(realm, flags),
      definitions: optionsOf(realm, definitionFlags),
    }),
  );
  return {
    process: Object.assign({}, ...each.map(({ process }) => process)),
    definitions: Object.assign({}, ...each.map(({ definitions }) => definitions)),
  };
}

/** The text of `troupe help`. @throws {TerminalError} as `usageOf` */
export function usageText(adapters: readonly KnownAdapter[], tools: readonly Usage[], program: Program): string {
  const commands = Object.values(USAGES).flatMap((usage: Usage): Usage[] => {
    if (usage.name !== 'scaffold') return [usage];
    const able = adapters.filter(({ scaffold }) => scaffold !== undefined);
    const { forms: [ofAdapter = ''] = [] } = usage;
    return [
      { ...usage, forms: [ofAdapter], about: SCAFFOLDED.adapter },
      ...able.map(({ realm }) => ({ ...usage, forms: [`${realm} <Kind>`], about: SCAFFOLDED.kind })),
    ];
  });
  return `troupe ${TROUPE_VERSION}: Kubernetes objects as actors

${commandLines([...commands, ...tools], program)}
'${program} <command> --help' says which options a command takes, with examples. All of them, each with its variable:
${optionLines(allOptions(adapters))}`;
}
