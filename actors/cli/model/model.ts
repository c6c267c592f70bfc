// `troupe model <command>`: the cluster manager's model language. A command is loaded only when it is asked for.
import { TroupeError } from '../../../bus/errors.ts';
import { leaveWithReader } from '../../process/process.ts';
import { asksForHelp, commandLines, helpText, noCommand, type Program } from '../command-line.ts';
import { type CommandName, NOTES, USAGES } from './usage.ts';

/** One command of the table below. */
export interface ModelCommand {
  /**
   * @param args  what follows the command's name
   * @returns the exit code: 0 all is well, 1 the model is not
   * @throws {TerminalError} the call makes no sense
   */
  run(args: readonly string[]): Promise<number>;
}

const COMMANDS: Readonly<Record<CommandName, () => Promise<ModelCommand>>> = {
  check: () => import('./check.ts'),
  fmt: () => import('./fmt.ts'),
  openapi: () => import('./openapi.ts'),
  types: () => import('./types.ts'),
  docs: () => import('./docs.ts'),
  lsp: () => import('./lsp.ts'),
  diff: () => import('./diff.ts'),
};

/** Runs a command and returns the exit code: 0 all is well, 1 the model is wrong, 2 the call makes no sense. */
export async function main(
  [name = '', ...args]: readonly string[],
  _env: NodeJS.ProcessEnv,
  program: Program,
): Promise<number> {
  process.stdout.on('error', leaveWithReader);
  if (name === 'help' || asksForHelp([name])) {
    process.stdout.write(
      `The cluster manager's model language; <dir> holds <service>/<version>/*.model\n\n` +
        `${commandLines(Object.values(USAGES), program)}\nEach command says more with --help.\n\n${NOTES}`,
    );
    return 0;
  }
  try {
    if (!isCommand(name)) throw noCommand(name || undefined, Object.keys(USAGES), `${program} model`);
    if (asksForHelp(args)) {
      process.stdout.write(helpText(USAGES[name], program));
      return 0;
    }
    return await (await COMMANDS[name]()).run(args);
  } catch (error) {
    // What is expected to go wrong is one line; anything else is a defect, and its stack tells where.
    const isExpected = error instanceof TroupeError;
    process.stderr.write(`troupe: ${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`);
    return 2;
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(USAGES, name);
}
