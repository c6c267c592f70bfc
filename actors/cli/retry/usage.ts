// Usage of `troupe retry`.
import { asQuestion, type CommandUsage } from '../command.ts';
import { COMMON, PLACE } from '../options.ts';

export const retry = {
  name: 'retry',
  forms: ['<kind>/<name>'],
  about:
    "has an object tried again at once, whatever it waits for; takes the right to patch it, and changes its annotation 'troupe/retry' alone; exit status: 0 done, 2 error",
  options: { ...PLACE, ...COMMON },
  examples: ['retry network/app', 'retry baremetalhost/node-1 -n metal'],
  adapterFlags: ['process'],
  load: asQuestion(async () => (await import('./retry.ts')).retry),
} as const satisfies CommandUsage;
