// Usage of `troupe scaffold`.
import type { CommandUsage } from '../command.ts';
import { COMMON } from '../options.ts';

export const scaffold = {
  name: 'scaffold',
  forms: ['adapter <name> <Kind>', '<realm> <Kind>'],
  about:
    'writes a package with an adapter that runs: one kind, its client, a simulator and tests; or, in a checkout of the sources, a new kind of an adapter that comes with Troupe',
  options: COMMON,
  examples: ['scaffold adapter powerdns Zone', 'scaffold openstack AddressGroup'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
