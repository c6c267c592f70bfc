// What is played of a seed.
import { hostPlanOf } from './host-plan.ts';
import { type Plan, planOf } from './plan.ts';
import { windowsPlanOf } from './windows-plan.ts';

/** What histories are made of: what they were made of first, or nothing but hosts, or nothing but the storage of Windows machines. */
export type Matter = 'all' | 'hosts' | 'windows';

/** Beside every so many histories there is one of another matter: all others stay what they are without. Odd, as processes share seeds in turn. */
const HOSTS_EVERY = 5;
const WINDOWS_EVERY = 11;

/** @param matter  `all`: those of others beside them */
export function plansOf(seed: number, matter: Matter): readonly Plan[] {
  if (matter !== 'all') return [planOfMatter(seed, matter)];
  return [
    planOf(seed),
    ...(seed % HOSTS_EVERY === 0 ? [hostPlanOf(seed)] : []),
    ...(seed % WINDOWS_EVERY === 0 ? [windowsPlanOf(seed)] : []),
  ];
}

export function planOfMatter(seed: number, matter: Matter): Plan {
  if (matter === 'windows') return windowsPlanOf(seed);
  return matter === 'hosts' ? hostPlanOf(seed) : planOf(seed);
}

export function matterOf({ machines, estate }: Plan): Matter {
  if (estate !== undefined) return 'windows';
  return machines === undefined ? 'all' : 'hosts';
}
