// The commands of csi-proxy.exe: those that a node needs, by their names, and `serve` where flags stand alone, as the
// original is started.

import { FLAGS } from '../../../adapters/csi-proxy/server/flag-table.ts';
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { stopSignal } from '../../process/process.ts';
import { asksForHelp, helpText, parsed, type Usage } from '../command-line.ts';
import { runTool, type Tool } from '../tool.ts';
import type { CsiProxyCommand } from './command.ts';
import { serve } from './serve.ts';
import { install, SERVICE_NAME, type ServiceCommandDeps, status, uninstall } from './service/commands.ts';
import { servicesHere } from './service/here.ts';
import { USAGES } from './usage.ts';

const SERVICE_USAGES = {
  install: {
    name: 'install',
    forms: ['[<flags of serve>]'],
    about: `makes this executable, where it lies, the service ${SERVICE_NAME}, with these flags: started with Windows, and again 10 s after a failure; for an administrator`,
    options: FLAGS,
    examples: [
      'install -v=4 -logtostderr=false -log_file=C:\\etc\\kubernetes\\logs\\csi-proxy.log',
      'install --group disk --group volume',
    ],
  },
  uninstall: {
    name: 'uninstall',
    about: `stops the service ${SERVICE_NAME}, which lets calls end that run, and removes it; for an administrator`,
    options: {},
    examples: ['uninstall'],
  },
  status: {
    name: 'status',
    about: `prints the state of the service ${SERVICE_NAME} and its command line; exits with 1 unless it runs`,
    options: {},
    examples: ['status'],
  },
} as const satisfies Readonly<Record<string, Usage>>;

const COMMANDS = {
  serve,
  // With its client, which a server has no use for.
  call: async (args, deps) => (await import('./call.ts')).call(args, deps),
  ls: async (args, deps) => (await import('./call.ts')).ls(args, deps),
  install: async (args, { out }) => install(args, await serviceDeps(out)),
  uninstall: async (args, { out }) => {
    parsed(SERVICE_USAGES.uninstall, args);
    return uninstall(await serviceDeps(out));
  },
  status: async (args, { out }) => {
    parsed(SERVICE_USAGES.status, args);
    return status(await serviceDeps(out));
  },
} as const satisfies Readonly<Record<string, CsiProxyCommand>>;
type CommandName = keyof typeof COMMANDS;

async function serviceDeps(out: NodeJS.WritableStream): Promise<ServiceCommandDeps> {
  const { manager } = await servicesHere();
  return { manager, clock: systemClock(), executable: process.execPath, out };
}

const PROGRAM = 'csi-proxy.exe';
const SERVE = named('serve', USAGES.serve);

const EXECUTABLE: Tool<CommandName> = {
  name: '',
  about: 'API groups for Windows nodes; without a command it serves',
  usages: {
    serve: SERVE,
    call: named('call', USAGES.call),
    ls: named('ls', USAGES.ls),
    ...SERVICE_USAGES,
  },
  notes: helpText(SERVE, PROGRAM),
  run: (name, args, env) => COMMANDS[name](args, { env, cwd: process.cwd(), stopSignal, out: process.stdout }),
  exitCode: (error) => (error instanceof TroupeError && !(error instanceof TerminalError) ? 1 : 2),
};

/** A command of `troupe csi-proxy` as it is called here. */
function named(name: string, usage: Usage): Usage {
  return { ...usage, name, examples: usage.examples.map((example) => example.replace(/^csi-proxy /, '')) };
}

/** @param given  what follows the name of the executable @returns the exit code */
export function main(given: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [first = ''] = given;
  const isServe = first === '' || (first.startsWith('-') && !asksForHelp([first]));
  return runTool(EXECUTABLE, isServe ? ['serve', ...given] : given, env, PROGRAM);
}
