// Usage of `troupe scaffold`.
import type { CommandUsage } from '../command.ts';
import { COMMON } from '../options.ts';

/** Usage text of each form of `scaffold`. */
export const SCAFFOLDED = {
  adapter: 'write a package with an adapter that runs: one kind, its client, a simulator and tests',
  kind: 'write a new kind of an adapter that comes with Troupe; only in a checkout of the sources',
} as const;

export const scaffold = {
  name: 'scaffold',
  forms: ['adapter <name> <Kind>', '<realm> <Kind>'],
  about: `${SCAFFOLDED.adapter}; or ${SCAFFOLDED.kind}; exit status: 0 done, 2 error`,
  options: COMMON,
  examples: ['scaffold adapter powerdns Zone', 'scaffold openstack AddressGroup'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
