// Usage of `troupe version`.
import { TROUPE_VERSION } from '../../base/version.ts';
import { type CommandUsage, print } from '../command.ts';
import { COMMON } from '../options.ts';

export const version = {
  name: 'version',
  about: 'the version of this program; exit status: 0',
  options: COMMON,
  examples: ['version'],
  load: async () => ({ run: ({ out }) => print(out, `${TROUPE_VERSION}\n`) }),
} as const satisfies CommandUsage;
