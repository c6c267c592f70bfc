// `troupe csi-proxy <command>`: each command reads its own arguments, and is loaded only when it is asked for.
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { leaveWithReader, stopSignal } from '../../process/process.ts';
import type { CsiProxyCommand } from './command.ts';

const COMMANDS: Readonly<Record<string, () => Promise<CsiProxyCommand>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  call: async () => (await import('./call.ts')).call,
  ls: async () => (await import('./call.ts')).ls,
  gen: async () => (await import('./gen.ts')).gen,
  check: async () => (await import('./check.ts')).check,
  record: async () => (await import('./record.ts')).record,
  diff: async () => (await import('./check.ts')).diff,
  status: async () => (await import('./check.ts')).status,
};

const USAGE = `troupe csi-proxy: API groups for Windows nodes

  troupe csi-proxy serve [flags]    answers the calls of csi-proxy's clients, on a pipe for each version of each group
  troupe csi-proxy call <group> <method> [<json>]
                                    makes one call and prints the answer as JSON
  troupe csi-proxy ls [-o json]     lists the versions that this node serves
  troupe csi-proxy gen [<folder>...] [--check]
                                    generates servers, clients and conversions from protos; new-group and new-version
                                    behind it start one
  troupe csi-proxy check <old> <new> [-o json]
                                    compares two API trees, folders or revisions of git, by the compatibility rules and
                                    the deprecation policy; ends with 0, 1 if something breaks, 2 if that cannot be told
  troupe csi-proxy record [<group> [<version>]] [--check]
                                    makes the recorded calls of versions, and writes what is answered for 'check' to hold
                                    later servers against
  troupe csi-proxy status [<tree>] [-o json]
                                    lists what is deprecated, and when it may go
  troupe csi-proxy diff <group> <older> <newer> [-o json]
                                    shows where two versions of a group differ, and what is converted by hand

Each command says more with --help.
`;

/** @returns the command's exit code; 2 for a call that makes no sense or cannot be answered, 1 for another failure */
export async function main([name, ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  process.stdout.on('error', leaveWithReader);
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    const load = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name ?? ''] : undefined;
    if (load === undefined) {
      const problem = name === undefined ? 'a command is missing' : `there is no command '${name}'`;
      throw new TerminalError(`${problem}; 'troupe csi-proxy help' lists the commands`);
    }
    const command = await load();
    return await command(args, { env, cwd: process.cwd(), stopSignal, out: process.stdout });
  } catch (error) {
    // What is expected to go wrong is one line; anything else is a defect, and its stack tells where.
    const isExpected = error instanceof TroupeError;
    process.stderr.write(`troupe: ${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`);
    // Of `check`, 1 is an answer.
    return isExpected && !(error instanceof TerminalError) ? 1 : 2;
  }
}
