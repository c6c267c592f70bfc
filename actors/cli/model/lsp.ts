// `troupe model lsp`: the language server of the model language, over standard input and output.
import { once } from 'node:events';
import { serve } from '../../../adapters/ocm/lsp/mod.ts';
import { systemClock } from '../../base/clock.ts';
import { parsed } from '../command-line.ts';
import { USAGES } from './usage.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals: roots } = parsed(USAGES.lsp, args);
  const ended = once(process.stdin, 'close');
  serve({ input: process.stdin, output: process.stdout, roots, clock: systemClock() });
  await ended;
  return 0;
}
