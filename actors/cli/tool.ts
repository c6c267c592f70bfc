// What `troupe <tool> <command>` is for every tool: its help, a command that is none, and what an error leaves behind.

import { TroupeError } from '../../bus/errors.ts';
import { plainLines } from '../base/printable.ts';
import { isSystemError, leaveWithReader } from '../process/process.ts';
import { asksForHelp, commandLines, helpText, noCommand, type Program, type Usage } from './command-line.ts';

/** Commands with commands of their own. */
export interface Tool<Name extends string> {
  /** Name after `troupe`. */
  readonly name: string;
  readonly about: string;
  readonly usages: Readonly<Record<Name, Usage>>;
  /** Text after the list of its commands. */
  readonly notes?: string;
  /** Loads a command and runs it; returns its exit code. */
  run(command: Name, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
  /** Exit code after an error of a command. */
  exitCode(error: unknown): number;
}

/** @returns the command's exit code */
export async function runTool<Name extends string>(
  { name: tool, about, usages, notes, run, exitCode }: Tool<Name>,
  [name = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  program: Program,
): Promise<number> {
  process.stdout.on('error', leaveWithReader);
  if (name === 'help' || asksForHelp([name])) {
    const lines = commandLines(Object.values<Usage>(usages), program);
    const more = notes === undefined ? '' : `\n${notes}`;
    process.stdout.write(`${about}\n\n${lines}\nEach command says more with --help.\n${more}`);
    return 0;
  }
  const isCommand = (text: string): text is Name => Object.hasOwn(usages, text);
  try {
    if (!isCommand(name)) throw noCommand(name || undefined, Object.keys(usages), `${program} ${tool}`);
    if (asksForHelp(args)) {
      process.stdout.write(helpText(usages[name], program));
      return 0;
    }
    return await run(name, args, env);
  } catch (error) {
    // Expected errors are one line; any other is a defect, printed with its stack.
    const isExpected = error instanceof TroupeError || isSystemError(error);
    const said = isExpected ? error.message : error instanceof Error ? error.stack : error;
    process.stderr.write(`troupe: ${plainLines(String(said))}\n`);
    return isSystemError(error) ? 2 : exitCode(error);
  }
}
