// The commands of `troupe`, their options, and what they do.

import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import type { Adapter, ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { TerminalError, TroupeError, toErrorData } from '../../bus/errors.ts';
import { plainLines } from '../base/printable.ts';
import { TROUPE_VERSION } from '../base/version.ts';
import type { ModelPlace } from '../process/load-models.ts';
import { leaveWithReader, stopSignal } from '../process/process.ts';
import type { StartGateway } from '../process/run.ts';
import { asksForHelp, helpText, noCommand, type Program, parsed } from './command-line.ts';
import type { CompletedTool } from './completion/complete.ts';
import { COMPLETE } from './completion/protocol.ts';
import type { Ink } from './demo/view.ts';
import { invocationDirectory } from './invocation-directory.ts';
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

/** Options that the commands below use; the others belong to the configuration. */
interface Reported {
  readonly keep?: boolean;
  readonly verbose?: boolean;
  readonly namespaced?: boolean;
  readonly 'all-namespaces'?: boolean;
  readonly 'no-open'?: boolean;
  readonly apply?: boolean;
  readonly data?: string;
  readonly namespace?: readonly string[];
  readonly output?: string;
  readonly since?: string;
  readonly type?: readonly string[];
  readonly watch?: boolean;
  readonly inspect?: string;
  readonly generation?: string;
  readonly otlp?: boolean;
  readonly 'per-second'?: string;
  readonly 'dry-run'?: boolean;
  readonly to?: string;
  readonly write?: boolean;
}

interface Call {
  readonly command: CommandName;
  readonly reported: Reported;
  readonly options: Readonly<Record<string, string>>;
  readonly rest: readonly string[];
  readonly adapters: readonly Adapter[];
  /** Undefined: no model was named. */
  readonly models: ModelPlace | undefined;
}

/**
 * Runs a command and returns the exit code: 0, 1 for a failure, 2 for a call that makes no sense, 130 for a demo cut short.
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
  let call: Call | string;
  try {
    call = await understood(asked, env, program);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    process.stderr.write(`troupe: ${plainLines(error.message)}\n`);
    return 2;
  }
  if (typeof call === 'string') return print(call);
  return await carriedOut(call, env);
}

/** @returns a text if one was asked for @throws {TroupeError} the call makes no sense */
async function understood(args: readonly string[], env: NodeJS.ProcessEnv, program: Program): Promise<Call | string> {
  const [{ adaptersOf, modelPlaceOf, moreAdaptersIn }, { allOptions, isCommand, USAGES, usageOf, usageText }] =
    await Promise.all([import('../process/adapters.ts'), import('./usage.ts')]);
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
  const adapters = await adaptersOf(more, process.cwd());
  const { values, tokens } = loosely(adapters);
  if (values['version'] === true) return `${TROUPE_VERSION}\n`;
  const [name] = tokens.filter((token) => token.kind === 'positional');
  const command = name?.value;
  if (command === 'help' || (command === undefined && asksForHelp(args))) {
    return usageText(adapters, Object.values(TOOLS), program);
  }
  if (!isCommand(command)) {
    // The argument after an unknown option looks like a command.
    // mutant: command-after-no-option drop
    parsed({ name: 'troupe', options: allOptions(adapters) }, args.slice(0, name?.index));
    throw noCommand(command, [...Object.keys(USAGES), ...Object.keys(TOOLS)], program);
  }
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
    reported: own.values as Reported,
    options: Object.fromEntries(options),
    rest: own.positionals,
    adapters,
    models: modelPlaceOf(more),
  };
}

async function carriedOut(
  { command, reported, options, rest, adapters, models }: Call,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { keep = false, apply = false, data = '.troupe', namespace, output } = reported;
  let log: Logger | undefined;
  try {
    const [{ configure }, { readConfig }, { systemClock }, { openLog }] = await Promise.all([
      import('../process/adapters.ts'),
      import('../base/config.ts'),
      import('../base/clock.ts'),
      import('../base/log.ts'),
    ]);
    const purpose = command === 'dev' || command === 'demo' ? 'development' : undefined;
    const config = readConfig(env, { ...options, namespace: namespace?.join() }, adapters, purpose);
    const configured = (): readonly ConfiguredAdapter[] =>
      adapters.map((adapter) => configure(adapter, env, options, purpose));
    const gatewayFor = async (purpose: 'development' | undefined): Promise<StartGateway | undefined> => {
      const isNamed = options['roles'] !== undefined || Boolean(env['TROUPE_ROLES']);
      if (models === undefined && options['ocm-bind-address'] === undefined && !env['TROUPE_OCM_BIND_ADDRESS']) {
        return undefined;
      }
      const { gatewayOf } = await import('./model/gateway.ts');
      return gatewayOf({ env, options, models, roles: config.roles, isNamed, purpose });
    };
    const clock = systemClock();
    const { reminderOn } = await import('./reminder.ts');
    const reminder = reminderOn(process.stderr, clock);
    log = openLog({ level: config.logLevel, readable: process.stderr.isTTY, destination: reminder.log });
    switch (command) {
      case 'run': {
        const { run } = await import('../process/run.ts');
        const gateway = await gatewayFor(undefined);
        return await run({ config, adapters: configured(), clock, log, signal: stopSignal(), gateway });
      }
      case 'dev': {
        const { dev } = await import('./dev.ts');
        const { verbose: isVerbose = false } = reported;
        const signal = stopSignal();
        const gateway = await gatewayFor('development');
        try {
          const given = { config, adapters, env, options, clock, log, signal, gateway };
          return await dev({ ...given, folder: data, isVerbose, reminder });
        } finally {
          reminder.close();
        }
      }
      case 'demo': {
        const [{ demo }, { Ink }] = await Promise.all([import('./demo/demo.ts'), import('./demo/view.ts')]);
        return await demo({
          config,
          adapters,
          env,
          options,
          clock,
          signal: stopSignal(),
          folder: data,
          keep,
          cloudsFile: env['OS_CLIENT_CONFIG_FILE'],
          cloudName: env['OS_CLOUD'],
          out: process.stdout,
          terminal: process.stdout.isTTY && env['TERM'] !== 'dumb',
          ink: env['NO_COLOR'] ? Ink.Plain : Ink.Color,
        });
      }
      case 'crds': {
        const [{ applyCrds, printCrds }, { definedContracts }] = await Promise.all([
          import('./crds.ts'),
          import('../process/adapters.ts'),
        ]);
        process.stdout.on('error', leaveWithReader);
        const defined = await Promise.all(adapters.map((adapter) => definedContracts(adapter, env, options)));
        const contracts = defined.flat();
        return await (apply ? applyCrds : printCrds)({ config, clock, contracts, names: rest, out: process.stdout });
      }
      case 'migrate': {
        const [{ migrate }, { wholeNumber }] = await Promise.all([
          import('./migrate/migrate.ts'),
          import('../../adapters/api/settings.ts'),
        ]);
        process.stdout.on('error', leaveWithReader);
        const rate = { name: '--per-second', value: reported['per-second'] };
        return await migrate({
          config,
          adapters,
          clock,
          names: rest,
          // A pod's namespaces are not meant.
          namespaces: namespace === undefined ? undefined : config.namespaces,
          perSecond: wholeNumber(rate, { fallback: 50, least: 1, unit: 'objects' }),
          isDry: reported['dry-run'] ?? false,
          signal: stopSignal(),
          out: process.stdout,
          notes: process.stderr,
          isTerminal: process.stderr.isTTY && env['TERM'] !== 'dumb',
        });
      }
      case 'convert': {
        const [{ convert }, { readFile, writeFile }] = await Promise.all([
          import('./convert.ts'),
          import('node:fs/promises'),
        ]);
        process.stdout.on('error', leaveWithReader);
        const { to: version, write: isInPlace = false } = reported;
        const [input, out, notes] = [process.stdin, process.stdout, process.stderr];
        return await convert({ adapters, names: rest, version, isInPlace, readFile, writeFile, input, out, notes });
      }
      case 'why': {
        const [{ why }, { openBusOfCluster }] = await Promise.all([import('./why/why.ts'), import('./bus-reader.ts')]);
        process.stdout.on('error', leaveWithReader);
        if ((namespace?.length ?? 0) > 1) throw new TerminalError("'why' looks into one namespace");
        return await why({
          config,
          adapters: configured(),
          clock,
          names: rest,
          namespace: namespace?.[0],
          isEverywhere: reported['all-namespaces'] ?? false,
          output,
          openBus: () => openBusOfCluster(config, clock, data),
          shards: config.shards,
          home: env['HOME'],
          out: process.stdout,
          ink: await inkOf(env),
        });
      }
      case 'events': {
        const [{ events }, { clusterOf, isThere, refuseAbsent }, { openBusReader }] = await Promise.all([
          import('./events/events.ts'),
          import('./events/presence.ts'),
          import('./bus-reader.ts'),
        ]);
        process.stdout.on('error', leaveWithReader);
        const { since = '1h', type, watch = false, inspect } = reported;
        const looked = { config: clusterOf(config, data), adapters: configured(), clock, home: env['HOME'] };
        return await events({
          adapters: configured(),
          clock,
          openBus: () => openBusReader(config, clock, data),
          isThere: (address) => isThere(looked, address),
          refuseAbsent: (namespaces) => refuseAbsent(looked, namespaces),
          prefix: config.natsPrefix,
          names: rest,
          namespaces: namespace,
          since,
          types: type,
          isWatched: watch,
          inspect,
          output,
          signal: stopSignal(),
          out: process.stdout,
          notes: process.stderr,
          ink: await inkOf(env),
        });
      }
      case 'trace': {
        const [{ trace }, { openBusReader }] = await Promise.all([
          import('./trace/trace.ts'),
          import('./bus-reader.ts'),
        ]);
        process.stdout.on('error', leaveWithReader);
        if ((namespace?.length ?? 0) > 1) throw new TerminalError("'trace' looks into one namespace");
        return await trace({
          config,
          adapters: configured(),
          clock,
          openBus: () => openBusReader(config, clock, data),
          names: rest,
          namespace: namespace?.[0],
          generation: reported.generation,
          isExported: reported.otlp ?? false,
          output,
          home: env['HOME'],
          out: process.stdout,
          notes: process.stderr,
          ink: await inkOf(env),
        });
      }
      case 'doctor': {
        const [{ doctor }, { definedContracts }] = await Promise.all([
          import('./doctor/doctor.ts'),
          import('../process/adapters.ts'),
        ]);
        process.stdout.on('error', leaveWithReader);
        const asDefined = async (adapter: Adapter): Promise<Adapter & ConfiguredAdapter> => ({
          ...adapter,
          ...configure(adapter, env, options),
          contracts: await definedContracts(adapter, env, options),
        });
        return await doctor({
          config,
          adapters: await Promise.all(adapters.map(asDefined)),
          clock,
          output,
          folder: data,
          home: env['HOME'],
          nodeVersion: process.versions.node,
          out: process.stdout,
          ink: await inkOf(env),
        });
      }
      case 'get':
      case 'tree':
      case 'graph':
      case 'top':
      case 'retry':
      case 'pause':
      case 'resume': {
        const { changeCommands, queryCommands } = await import('./query-commands.ts');
        process.stdout.on('error', leaveWithReader);
        if ((namespace?.length ?? 0) > 1) throw new TerminalError(`'${command}' looks into one namespace`);
        const { answer } = await { ...queryCommands, ...changeCommands }[command]();
        const isTerminal = process.stdout.isTTY && env['TERM'] !== 'dumb';
        return await answer({
          config,
          adapters: configured(),
          clock,
          names: rest,
          namespace: namespace?.[0],
          output,
          reported: { ...reported },
          home: env['HOME'],
          out: process.stdout,
          err: process.stderr,
          isTerminal,
          ink: await inkOf(env),
          stopSignal,
        });
      }
      case 'completion': {
        const { completionScript } = await import('./completion/completion.ts');
        return print(completionScript(rest));
      }
      case 'ui': {
        const { openInBrowser, ui } = await import('./ui/ui.ts');
        process.stdout.on('error', leaveWithReader);
        if ((namespace?.length ?? 0) > 1) throw new TerminalError("'ui' shows an object of one namespace");
        return await ui({
          adapters: configured(),
          clock,
          names: rest,
          namespace: namespace?.[0],
          folder: data,
          kubeconfig: config.kubeconfig,
          open: reported['no-open'] === true ? undefined : (url) => openInBrowser(url, process.platform),
          out: process.stdout,
          err: process.stderr,
        });
      }
      case 'machines': {
        const { machines } = await import('./machines/machines.ts');
        process.stdout.on('error', leaveWithReader);
        return await machines({ adapters: configured(), names: rest, output, out: process.stdout });
      }
      case 'check': {
        const { check } = await import('./check.ts');
        process.stdout.on('error', leaveWithReader);
        return await check({ adapters, env, out: process.stdout });
      }
      case 'rbac': {
        const { rbac } = await import('./rbac.ts');
        process.stdout.on('error', leaveWithReader);
        const namespaces = reported.namespaced === true ? (config.namespaces ?? []) : undefined;
        return rbac({ adapters, roles: [...config.roles], namespaces, out: process.stdout });
      }
      case 'version':
        return print(`${TROUPE_VERSION}\n`);
      case 'scaffold': {
        const { mkdir, readdir, readFile, writeFile } = await import('node:fs/promises');
        if (rest[0] === 'adapter') {
          const { scaffoldAdapter } = await import('./scaffold-adapter.ts');
          const folder = process.cwd();
          return await scaffoldAdapter(rest.slice(1), {
            folder,
            mkdir,
            readdir,
            readFile,
            writeFile,
            out: process.stdout,
          });
        }
        const { scaffold } = await import('./scaffold.ts');
        return await scaffold(rest, { adapters, mkdir, readFile, writeFile, out: process.stdout });
      }
    }
  } catch (error) {
    // Expected errors are one line; any other is a defect, printed with its stack.
    if (error instanceof TroupeError) process.stderr.write(`troupe: ${plainLines(error.message)}\n`);
    else if (log !== undefined) log.fatal({ err: error }, 'a defect ended the process');
    else process.stderr.write(`troupe: ${plainLines(toErrorData(error).message)}\n`);
    const { QUERY_COMMANDS } = await import('./usage.ts');
    return error instanceof TerminalError || QUERY_COMMANDS.includes(command) ? 2 : 1;
  }
}

async function inkOf(env: NodeJS.ProcessEnv): Promise<Ink> {
  const { Ink } = await import('./demo/view.ts');
  return process.stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? Ink.Color : Ink.Plain;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
