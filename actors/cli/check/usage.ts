// Usage of `troupe check`.
import type { CommandUsage } from '../command.ts';
import { COMMON } from '../options.ts';

export const check = {
  name: 'check',
  about:
    'the contracts of adapters by the rules of contracts, and whether their parts go together; of those of --adapters, or of all without; ends with 0, or 1 if something is wrong',
  options: COMMON,
  examples: ['check --adapters ./src/mod.ts'],
  adapterFlags: ['process'],
  load: async () => ({ run: (await import('./check.ts')).check }),
} as const satisfies CommandUsage;
