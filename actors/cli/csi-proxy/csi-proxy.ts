// `troupe csi-proxy <command>`: each command reads its own arguments, and is loaded only when it is asked for.
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { stopSignal } from '../../process/process.ts';
import type { Program } from '../command-line.ts';
import { runTool, type Tool } from '../tool.ts';
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

const CSI_PROXY: Tool<CommandName> = {
  name: 'csi-proxy',
  about: 'API groups for Windows nodes',
  usages: USAGES,
  async run(name, args, env) {
    const command = await COMMANDS[name]();
    return await command(args, { env, cwd: process.cwd(), stopSignal, out: process.stdout });
  },
  // Of `check`, 1 is an answer.
  exitCode: (error) => (error instanceof TroupeError && !(error instanceof TerminalError) ? 1 : 2),
};

/** @returns the command's exit code; 2 for a call that makes no sense or cannot be answered, 1 for another failure */
export function main(args: readonly string[], env: NodeJS.ProcessEnv, program: Program): Promise<number> {
  return runTool(CSI_PROXY, args, env, program);
}
