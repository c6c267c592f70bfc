// Usage of `troupe check`.
import type { CommandUsage } from '../command.ts';
import { COMMON } from '../options.ts';

export const check = {
  name: 'check',
  about:
    'check the contracts of adapters and whether their parts fit together; of --adapters, or of all adapters without it; exit status: 0 all is well, 1 something is wrong, 2 error',
  options: COMMON,
  examples: ['check --adapters ./src/mod.ts'],
  adapterFlags: ['process'],
  load: async () => ({ run: (await import('./check.ts')).check }),
} as const satisfies CommandUsage;
