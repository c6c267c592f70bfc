// `troupe csi-proxy <command>`: each command reads its own arguments, and is loaded only when it is asked for.
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { leaveWithReader, stopSignal } from '../../process/process.ts';
import { asksForHelp, commandLines, helpText, noCommand, type Program } from '../command-line.ts';
import type { CsiProxyCommand } from './command.ts';
import { type CommandName, USAGES } from './usage.ts';

const COMMANDS: Readonly<Record<CommandName, () => Promise<CsiProxyCommand>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  call: async () => (await import('./call.ts')).call,
  ls: async () => (await import('./call.ts')).ls,
  gen: async () => (await import('./gen.ts')).gen,
  check: async () => (await import('./check.ts')).check,
  record: async () => (await import('./record.ts')).record,
  diff: async () => (await import('./check.ts')).diff,
  status: async () => (await import('./check.ts')).status,
};

/** @returns the command's exit code; 2 for a call that makes no sense or cannot be answered, 1 for another failure */
export async function main(
  [name = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  program: Program,
): Promise<number> {
  process.stdout.on('error', leaveWithReader);
  if (name === 'help' || asksForHelp([name])) {
    const lines = commandLines(Object.values(USAGES), program);
    process.stdout.write(`API groups for Windows nodes\n\n${lines}\nEach command says more with --help.\n`);
    return 0;
  }
  try {
    if (!isCommand(name)) throw noCommand(name || undefined, Object.keys(USAGES), `${program} csi-proxy`);
    if (asksForHelp(args)) {
      process.stdout.write(helpText(USAGES[name], program));
      return 0;
    }
    const command = await COMMANDS[name]();
    return await command(args, { env, cwd: process.cwd(), stopSignal, out: process.stdout });
  } catch (error) {
    // What is expected to go wrong is one line; anything else is a defect, and its stack tells where.
    const isExpected = error instanceof TroupeError;
    process.stderr.write(`troupe: ${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`);
    // Of `check`, 1 is an answer.
    return isExpected && !(error instanceof TerminalError) ? 1 : 2;
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(USAGES, name);
}
