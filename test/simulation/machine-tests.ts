// Runs the tests of the machines, which are the arguments, and prints which transitions they took: lines after `TAKEN`.
import { pathToFileURL } from 'node:url';
import { noteTransitions } from './coverage.ts';
import { MODELS } from './plans.ts';

export const MARK = '\nTAKEN\n';

if (import.meta.main) {
  const taken = new Set<string>();
  noteTransitions(MODELS, taken);
  // Suites begin once all files are read.
  for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
  process.on('exit', () => process.stdout.write(`${MARK}${[...taken].join('\n')}`));
}
