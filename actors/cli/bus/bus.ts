// `troupe bus <command>`: what is done to the bus by hand, or by a Job. A command is loaded only when it is asked for.
import { TroupeError } from '../../../bus/errors.ts';
import type { Program } from '../command-line.ts';
import { runTool, type Tool } from '../tool.ts';
import { type CommandName, USAGES } from './usage.ts';

const BUS: Tool<CommandName> = {
  name: 'bus',
  about: 'The bus and its users',
  usages: USAGES,
  async run(_command, args, env) {
    const { credentials } = await import('./credentials.ts');
    return await credentials(args, { env, cwd: process.cwd(), out: process.stdout });
  },
  exitCode: (error) => (error instanceof TroupeError ? 2 : 1),
};

/** @returns the command's exit code; 2 for a call that makes no sense, 1 for another failure */
export function main(args: readonly string[], env: NodeJS.ProcessEnv, program: Program): Promise<number> {
  return runTool(BUS, args, env, program);
}
