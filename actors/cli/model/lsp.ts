// `troupe model lsp`: the language server of the model language, over standard input and output.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { serve } from '../../../adapters/ocm/lsp/mod.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { systemClock } from '../../clock.ts';

/** Editors add these without being asked; the streams are the only transport there is. */
const OPTIONS = { stdio: { type: 'boolean' }, clientProcessId: { type: 'string' } } as const;

export async function run(args: readonly string[]): Promise<number> {
  const ended = once(process.stdin, 'close');
  serve({ input: process.stdin, output: process.stdout, roots: rootsOf(args), clock: systemClock() });
  await ended;
  return 0;
}

/** @throws {TerminalError} an unknown option */
function rootsOf(args: readonly string[]): string[] {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }).positionals;
  } catch (error) {
    throw new TerminalError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
