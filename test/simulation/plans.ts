// What is played of a seed.
import { hostPlanOf } from './host-plan.ts';
import { type Plan, planOf } from './plan.ts';

/** Beside every so many histories there is one of hosts: all others stay what they are without. Odd, as processes share seeds in turn. */
const HOSTS_EVERY = 5;

/** @param hosts  nothing but hosts */
export function plansOf(seed: number, { hosts }: { readonly hosts: boolean }): readonly Plan[] {
  if (hosts) return [hostPlanOf(seed)];
  return seed % HOSTS_EVERY === 0 ? [planOf(seed), hostPlanOf(seed)] : [planOf(seed)];
}
