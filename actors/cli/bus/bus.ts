// `troupe bus <command>`: what is done to the bus by hand, or by a Job. A command is loaded only when it is asked for.
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { leaveWithReader } from '../../process/process.ts';
import { asksForHelp, commandLines, helpText, noCommand, type Program } from '../command-line.ts';
import { type CommandName, USAGES } from './usage.ts';

/** @returns the command's exit code; 2 for a call that makes no sense, 1 for another failure */
export async function main(
  [name = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  program: Program,
): Promise<number> {
  process.stdout.on('error', leaveWithReader);
  if (name === 'help' || asksForHelp([name])) {
    const lines = commandLines(Object.values(USAGES), program);
    process.stdout.write(`The bus and who may use it\n\n${lines}\nEach command says more with --help.\n`);
    return 0;
  }
  try {
    if (!isCommand(name)) throw noCommand(name || undefined, Object.keys(USAGES), `${program} bus`);
    if (asksForHelp(args)) {
      process.stdout.write(helpText(USAGES[name], program));
      return 0;
    }
    const { credentials } = await import('./credentials.ts');
    return await credentials(args, { env, cwd: process.cwd(), out: process.stdout });
  } catch (error) {
    // What is expected to go wrong is one line; anything else is a defect, and its stack tells where.
    const isExpected = error instanceof TroupeError;
    process.stderr.write(`troupe: ${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`);
    return error instanceof TerminalError ? 2 : 1;
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(USAGES, name);
}
