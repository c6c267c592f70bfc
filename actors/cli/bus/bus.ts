// `troupe bus <command>`: what is done to the bus by hand, or by a Job. Each command reads its own arguments.
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { leaveWithReader } from '../../process/process.ts';

const USAGE = `troupe bus: the bus and who may use it

  troupe bus credentials --folder FOLDER | --secrets [flags]
                                    makes keys, certificates and permissions for NATS, and replaces them step by step

Each command says more with --help.
`;

/** @returns the command's exit code; 2 for a call that makes no sense, 1 for another failure */
export async function main([name, ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  process.stdout.on('error', leaveWithReader);
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    if (name !== 'credentials') {
      const problem = name === undefined ? 'a command is missing' : `there is no command '${name}'`;
      throw new TerminalError(`${problem}; 'troupe bus help' lists the commands`);
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
