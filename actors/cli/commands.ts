// Entry of every call of `troupe`: parses the arguments, runs the command and returns its exit code.
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import type { Adapter, ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { TerminalError, TroupeError, toErrorData } from '../../bus/errors.ts';
import { plainLines } from '../base/printable.ts';
import { TROUPE_VERSION } from '../base/version.ts';
import type { ModelPlace } from '../process/load-models.ts';
import { isSystemError, leaveWithReader, stopSignal } from '../process/process.ts';
import { Ink } from './colors.ts';
import { type CommandUsage, type OwnOptions, print } from './command.ts';
import { asksForHelp, helpText, noCommand, type Program, parsed } from './command-line.ts';
import type { CompletedTool } from './completion/complete.ts';
import { COMPLETE } from './completion/protocol.ts';
import { invocationDirectory } from './invocation-directory.ts';
import { NOWHERE } from './model/gateway-options.ts';
import { SMALL_MODEL } from './small-model.ts';
import type { CommandName } from './usage.ts';

/** Commands with commands of their own, which are loaded, as all are, only when they are asked for. */
const TOOLS: Readonly<Record<string, CompletedTool & { load(): Promise<ToolModule> }>> = {
  bus: {
    name: 'bus',
    forms: ['<command>'],
    about: "keys and certificates for NATS; 'troupe bus help' lists the commands",
    options: {},
    examples: [],
    load: () => import('./bus/bus.ts'),
    usages: () => import('./bus/usage.ts'),
  },
  'csi-proxy': {
    name: 'csi-proxy',
    forms: ['<command>'],
    about: "API groups for Windows nodes; 'troupe csi-proxy help' lists the commands",
    options: {},
    examples: [],
    load: () => import('./csi-proxy/csi-proxy.ts'),
    usages: () => import('./csi-proxy/usage.ts'),
  },
  model: {
    name: 'model',
    forms: ['<command>'],
    about: "the cluster manager's model language; 'troupe model help' lists its commands",
    options: {},
    examples: [],
    load: () => import('./model/model.ts'),
    usages: () => import('./model/usage.ts'),
  },
};

interface ToolModule {
  /** @returns the exit code */
  main(args: readonly string[], env: NodeJS.ProcessEnv, program: Program): Promise<number>;
}

/** Arguments that are understood. */
interface Understood {
  readonly command: CommandName;
  readonly own: OwnOptions;
  readonly options: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  readonly adapters: readonly Adapter[];
  /** See `CommandCall`. */
  readonly models: ModelPlace | undefined;
}

/**
 * Runs a command and returns the exit code: 0, 1 for an answer that is a problem, or a defect, 2 for an error, 130 for a demo
 * that was interrupted.
 *
 * @param program  what the user typed before `args`
 */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv, program: Program): Promise<number> {
  const folder = invocationDirectory(env, process.cwd());
  // mutant: callers-folder drop
  if (folder !== undefined) process.chdir(folder);
  // `help model check` is `model check --help`.
  const asked = args[0] === 'help' && args[1] !== undefined ? [...args.slice(1), '--help'] : args;
  const [first = '', ...others] = asked;
  const tool = Object.hasOwn(TOOLS, first) ? TOOLS[first] : undefined;
  if (tool !== undefined) return (await tool.load()).main(others, env, program);
  if (first === COMPLETE)
    return (await import('./completion/complete.ts')).complete(others, env, process.stdout, Object.values(TOOLS));
  let call: Understood | string;
  try {
    call = await understood(asked, env, program);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    process.stderr.write(`troupe: ${plainLines(error.message)}\n`);
    return 2;
  }
  if (typeof call === 'string') {
    process.stdout.on('error', leaveWithReader);
    return print(process.stdout, call);
  }
  return await carriedOut(call, env);
}

/** @returns a text if one was asked for @throws {TroupeError} the call makes no sense */
async function understood(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  program: Program,
): Promise<Understood | string> {
  const [
    { adaptersOf, modelPlaceOf, moreAdaptersIn, withModels },
    { allOptions, isCommand, USAGES, usageOf, usageText },
  ] = await Promise.all([import('../process/adapters.ts'), import('./usage.ts')]);
  const loosely = (adapters: readonly Adapter[]) => {
    const options = {
      ...allOptions(adapters),
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  };
  // Other options are known when the adapters are loaded.
  const { values: said } = loosely([]);
  const named = (option: string): string | undefined => {
    const names = [said[option] ?? []].flat().filter((name) => typeof name === 'string');
    return names.length === 0 ? undefined : names.join();
  };
  const inEnv = moreAdaptersIn(env);
  const isOnly = said['only-adapters'] === true || env['TROUPE_ONLY_ADAPTERS'] === 'true';
  const more = {
    adapters: named('adapters') ?? inEnv.adapters,
    models: named('models') ?? inEnv.models,
    bindings: named('model-bindings') ?? inEnv.bindings,
    writesAs: named('ocm-writes-as') ?? inEnv.writesAs,
    ...(isOnly && { builtIn: [] }),
  };
  const given = await adaptersOf(more, process.cwd());
  const { values, tokens } = loosely(given);
  if (values['version'] === true) return `${TROUPE_VERSION}\n`;
  const [name] = tokens.filter((token) => token.kind === 'positional');
  const command = name?.value;
  if (command === 'help' || (command === undefined && asksForHelp(args))) {
    return usageText(given, Object.values(TOOLS), program);
  }
  if (!isCommand(command)) {
    // The argument after an unknown option looks like a command.
    // mutant: command-after-no-option drop
    parsed({ name: 'troupe', options: allOptions(given) }, args.slice(0, name?.index));
    throw noCommand(command, [...Object.keys(USAGES), ...Object.keys(TOOLS)], program);
  }
  const { hasSmallModel }: CommandUsage = USAGES[command];
  const isServed = (named('ocm-bind-address') ?? env['TROUPE_OCM_BIND_ADDRESS']) !== NOWHERE;
  const models = modelPlaceOf(more) ?? (hasSmallModel && isServed && !isOnly ? SMALL_MODEL : undefined);
  const adapters = models === SMALL_MODEL ? await withModels(given, models, more.writesAs) : given;
  const usage = usageOf(command, adapters);
  if (asksForHelp(args)) return helpText(usage, program);
  const own = parsed(usage, args.toSpliced(name?.index ?? 0, 1));
  const options = Object.entries(own.values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const [extra] = own.positionals;
  if (usage.forms === undefined && extra !== undefined) {
    throw new TerminalError(`'${command}' goes without '${extra}'; '${program} help' lists the commands`);
  }
  return {
    command,
    own: own.values as OwnOptions,
    options: Object.fromEntries(options),
    names: own.positionals,
    adapters,
    models,
  };
}

async function carriedOut(understood: Understood, env: NodeJS.ProcessEnv): Promise<number> {
  const { command, own, options, names, adapters, models } = understood;
  const { USAGES } = await import('./usage.ts');
  const usage: CommandUsage = USAGES[command];
  let log: Logger | undefined;
  try {
    const [{ configure }, { readConfig }, { systemClock }, { openLog }, { reminderOn }] = await Promise.all([
      import('../process/adapters.ts'),
      import('../base/config.ts'),
      import('../base/clock.ts'),
      import('../base/log.ts'),
      import('./reminder.ts'),
    ]);
    const purpose = usage.isDevelopment ? 'development' : undefined;
    const config = readConfig(env, { ...options, namespace: own.namespace?.join() }, adapters, purpose);
    const clock = systemClock();
    const reminder = reminderOn(process.stderr, clock);
    log = openLog({ level: config.logLevel, readable: process.stderr.isTTY, destination: reminder.log });
    // Commands that start processes must end them, so only the others exit when their reader closes the pipe.
    if (command !== 'run' && !usage.isDevelopment) process.stdout.on('error', leaveWithReader);
    const isTerminal = process.stdout.isTTY && env['TERM'] !== 'dumb';
    const { run } = await usage.load();
    return await run({
      command,
      config,
      adapters,
      configured: (): readonly ConfiguredAdapter[] =>
        adapters.map((adapter) => configure(adapter, env, options, purpose)),
      env,
      options,
      own,
      names,
      folder: options['data'] ?? '.troupe',
      clock,
      log,
      reminder,
      models,
      gateway: async (purpose) => {
        if (models === undefined && options['ocm-bind-address'] === undefined && !env['TROUPE_OCM_BIND_ADDRESS']) {
          return undefined;
        }
        const isNamed = options['roles'] !== undefined || Boolean(env['TROUPE_ROLES']);
        const { gatewayOf } = await import('./model/gateway.ts');
        return gatewayOf({ env, options, models, roles: config.roles, isNamed, purpose });
      },
      out: process.stdout,
      err: process.stderr,
      isTerminal,
      ink: isTerminal && !env['NO_COLOR'] ? Ink.Color : Ink.Plain,
      stopSignal,
    });
  } catch (error) {
    // Expected errors are one line; any other is a defect, printed with its stack.
    if (error instanceof TroupeError || (isSystemError(error) && command !== 'run'))
      process.stderr.write(`troupe: ${plainLines(error.message)}\n`);
    else if (log !== undefined) log.fatal({ err: error }, 'a defect ended the process');
    else process.stderr.write(`troupe: ${plainLines(toErrorData(error).message)}\n`);
    return error instanceof TroupeError || isSystemError(error) || usage.isQuery ? 2 : 1;
  }
}
