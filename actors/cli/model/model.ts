// `troupe model <command>`: the cluster manager's model language. A command is loaded only when it is asked for.
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { leaveWithReader } from '../../process/process.ts';

const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** One command of the table below. */
export interface ModelCommand {
  /**
   * @param args  what follows the command's name
   * @returns the exit code: 0 all is well, 1 the model is not
   * @throws {TerminalError} the call makes no sense
   */
  run(args: readonly string[]): Promise<number>;
}

interface Entry {
  readonly usage: string;
  readonly about: string;
  load(): Promise<ModelCommand>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  check: {
    usage: 'check <dir>... [--watch] [-o json|sarif] [--warnings-as-errors]',
    about: 'says what is wrong with a model, and where; in JSON or SARIF on standard output, for programs',
    load: () => import('./check.ts'),
  },
  fmt: {
    usage: 'fmt <dir or file>... [--check] [--diff]',
    about: "lays model files out anew; --check only says which need it, --diff shows how; '-' is standard input",
    load: () => import('./fmt.ts'),
  },
  openapi: {
    usage: 'openapi <dir>... --output <out> [--watch|--check] [<option>...]',
    about:
      'writes <out>/<service>/<version>/openapi.json; options say more than the published documents do: ' +
      '--operation-ids, --required, --read-only, --method-get, --hints, --close-links',
    load: () => import('./openapi.ts'),
  },
  types: {
    usage: 'types <dir>... --output <out> [--watch|--check]',
    about: 'writes TypeScript types and a typed client to <out>/<service>/<version>.ts',
    load: () => import('./types.ts'),
  },
  docs: {
    usage: 'docs <dir>... --output <out> [--watch|--check]',
    about:
      'writes pages about all services, in Markdown and HTML; begin with <out>/index.md, or <out>/index.html to search',
    load: () => import('./docs.ts'),
  },
  lsp: {
    usage: 'lsp [<dir>...] [--stdio]',
    about: 'serves an editor over standard input and output; without <dir>, the models in its folders',
    load: () => import('./lsp.ts'),
  },
  diff: {
    usage: 'diff <old dir> <new dir> [-o json]',
    about: 'says which changes break clients, by rule, and where',
    load: () => import('./diff.ts'),
  },
};

/** Runs a command and returns the exit code: 0 all is well, 1 the model is wrong, 2 the call makes no sense. */
export async function main([name, ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const folder = callersFolder(env, process.cwd());
  if (folder !== undefined) process.chdir(folder);
  process.stdout.on('error', leaveWithReader);
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage());
    return 0;
  }
  try {
    const entry = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name ?? ''] : undefined;
    if (entry === undefined) {
      const problem = name === undefined ? 'a command is missing' : `there is no command '${name}'`;
      throw new TerminalError(`${problem}; 'troupe model help' lists the commands`);
    }
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(`troupe model ${entry.usage}\n\n${entry.about}\n`);
      return 0;
    }
    return await (await entry.load()).run(args);
  } catch (error) {
    // What is expected to go wrong is one line; anything else is a defect, and its stack tells where.
    const isExpected = error instanceof TroupeError;
    process.stderr.write(`troupe: ${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`);
    return 2;
  }
}

/**
 * `npm run troupe` runs in the folder of Troupe's package and hands over the one it was called in, from which paths are
 * meant. Scripts of other packages, and what such a script starts elsewhere, are where they want to be.
 *
 * @returns undefined where paths are meant from the folder that the process is in
 */
function callersFolder(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  const { INIT_CWD: folder, npm_lifecycle_event: script, npm_package_json: file } = env;
  const isOwn = script === 'troupe' && file !== undefined && resolve(file) === PACKAGE && dirname(PACKAGE) === cwd;
  return isOwn && folder !== undefined && isAbsolute(folder) && existsSync(folder) ? folder : undefined;
}

function usage(): string {
  const width = Math.max(...Object.values(COMMANDS).map((entry) => entry.usage.length));
  const lines = Object.values(COMMANDS).map((entry) => `  troupe model ${entry.usage.padEnd(width)}  ${entry.about}\n`);
  return (
    `The cluster manager's model language; <dir> holds <service>/<version>/*.model\n\n${lines.join('')}\n` +
    `With --check a generator writes nothing and ends with 1 when something is not up to date. What it wrote before for\n` +
    `the same model, and does not any more, it takes away: <out>/.troupe-model-<command>.json says what that is.\n`
  );
}
