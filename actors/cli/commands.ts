// The commands of `troupe`, their options, and what they do.
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import type { Adapter, ConfiguredAdapter } from '../../adapters/adapter.ts';
import { TerminalError, TroupeError, toErrorData } from '../../bus/errors.ts';
import { leaveWithReader, stopSignal } from '../process/process.ts';
import { TROUPE_VERSION } from '../process/version.ts';
import type { OPTIONS } from './usage.ts';

/** Commands with options of their own, which are loaded, as all are, only when they are asked for. */
const TOOLS: Readonly<Record<string, () => Promise<Tool>>> = {
  'csi-proxy': () => import('./csi-proxy/csi-proxy.ts'),
  model: () => import('./model/model.ts'),
};

interface Tool {
  /** @returns the exit code */
  main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
}

/** Runs a command and returns the exit code: 0, 1 for a failure, 2 for a call that makes no sense, 130 for a demo cut short. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [first = '', ...others] = args;
  const tool = Object.hasOwn(TOOLS, first) ? TOOLS[first] : undefined;
  if (tool !== undefined) return (await tool()).main(others, env);
  let adapters: readonly Adapter[];
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true; args: string[] }>>;
  let text: string;
  try {
    const [{ adaptersOf }, { OPTIONS, optionsWith, usageText }] = await Promise.all([
      import('../process/adapters.ts'),
      import('./usage.ts'),
    ]);
    // What else may be said is known when the adapters are.
    const { values } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: false });
    const named = values.adapters?.filter((name) => typeof name === 'string');
    adapters = await adaptersOf(named?.join() ?? env['TROUPE_ADAPTERS'], process.cwd());
    const options = optionsWith(adapters);
    text = usageText(adapters);
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (error instanceof TroupeError) {
      process.stderr.write(`troupe: ${error.message}\n`);
      return 2;
    }
    return usage(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = positionals;
  if (values.version === true) return print(`${TROUPE_VERSION}\n`);
  if (values.help === true || command === 'help') return print(text);
  const {
    keep = false,
    apply = false,
    help: _help,
    adapters: _adapters,
    version: _version,
    data = '.troupe',
    namespace,
    output,
    ...options
  } = values;
  let log: Logger | undefined;
  try {
    const [{ configure }, { readConfig }, { systemClock }, { openLog }] = await Promise.all([
      import('../process/adapters.ts'),
      import('../process/config.ts'),
      import('../clock.ts'),
      import('../telling/log.ts'),
    ]);
    const config = readConfig(env, { ...options, namespace: namespace?.join() }, adapters);
    const purpose = command === 'dev' || command === 'demo' ? 'development' : undefined;
    const configured = (): readonly ConfiguredAdapter[] =>
      adapters.map((adapter) => configure(adapter, env, options, purpose));
    const clock = systemClock();
    log = openLog({ level: config.logLevel, readable: process.stderr.isTTY });
    const [extra] = rest;
    if (extra !== undefined && ['run', 'dev', 'demo'].includes(command ?? '')) {
      return usage(`'${command}' goes without '${extra}'`);
    }
    switch (command) {
      case 'run': {
        const { run } = await import('../process/run.ts');
        return await run({ config, adapters: configured(), clock, log, signal: stopSignal() });
      }
      case 'dev': {
        const { dev } = await import('./dev.ts');
        return await dev({
          config,
          adapters: configured(),
          clock,
          log,
          signal: stopSignal(),
          folder: data,
          variable: (name) => env[name] || undefined,
        });
      }
      case 'demo': {
        const [{ demo }, { Ink }] = await Promise.all([import('./demo/demo.ts'), import('./demo/view.ts')]);
        return await demo({
          config,
          adapters: configured(),
          clock,
          signal: stopSignal(),
          folder: data,
          keep,
          cloudsFile: env['OS_CLIENT_CONFIG_FILE'],
          cloudName: env['OS_CLOUD'],
          out: process.stdout,
          terminal: process.stdout.isTTY && env['TERM'] !== 'dumb',
          ink: env['NO_COLOR'] ? Ink.Plain : Ink.Colour,
        });
      }
      case 'crds': {
        const { applyCrds, printCrds } = await import('./crds.ts');
        process.stdout.on('error', leaveWithReader);
        const contracts = adapters.flatMap((adapter) => adapter.contracts);
        return await (apply ? applyCrds : printCrds)({ config, clock, contracts, names: rest, out: process.stdout });
      }
      case 'why': {
        const [{ why }, { Ink }] = await Promise.all([import('./why/why.ts'), import('./demo/view.ts')]);
        process.stdout.on('error', leaveWithReader);
        if ((namespace?.length ?? 0) > 1) return usage("'why' looks into one namespace");
        return await why({
          config,
          adapters: configured(),
          clock,
          names: rest,
          namespace: namespace?.[0],
          output,
          home: env['HOME'],
          out: process.stdout,
          ink: process.stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? Ink.Colour : Ink.Plain,
        });
      }
      case 'scaffold': {
        const [{ scaffold }, { mkdir, readFile, writeFile }] = await Promise.all([
          import('./scaffold.ts'),
          import('node:fs/promises'),
        ]);
        return await scaffold(rest, { adapters, mkdir, readFile, writeFile, out: process.stdout });
      }
      case undefined:
        return usage('a command is missing');
      default:
        return usage(`there is no command '${command}'`);
    }
  } catch (error) {
    // What is expected to go wrong is one line; anything else is a defect, and its stack tells where.
    if (error instanceof TroupeError) process.stderr.write(`troupe: ${error.message}\n`);
    else if (log !== undefined) log.fatal({ err: error }, 'a defect ended the process');
    else process.stderr.write(`troupe: ${toErrorData(error).message}\n`);
    // For `why` 1 is an answer.
    return error instanceof TerminalError || command === 'why' ? 2 : 1;
  }
}

function usage(problem: string): number {
  process.stderr.write(`troupe: ${problem}; 'troupe help' lists the commands\n`);
  return 2;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
