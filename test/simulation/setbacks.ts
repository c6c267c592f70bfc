// What befalls a deployment now and then in years: the API server is restored from a backup, something before it answers 404 in its place, the
// machine of a process is paused, the power of all of Troupe fails. Drawn apart from the rest of a plan, which stays as it was.
import { mulberry32 } from '../../actors/base/clock.ts';
import { drawFrom } from './draw.ts';
import type { Misfortune } from './misfortunes.ts';
import type { Deed, StepOf } from './model.ts';

/** Histories before this seed are as they were when they got their names. */
const FIRST_WITH_POWER_CUTS = 2_250_000;

/** One history of six has one of them, one of six another, and so on; a backup is restored once at most. */
export function setbacksOf(
  seed: number,
  { steps, pods }: { readonly steps: readonly StepOf<Deed>[]; readonly pods: number },
): StepOf<Misfortune>[] {
  const draw = drawFrom(mulberry32(seed ^ 0x5e7bac));
  const begun = steps.map(({ atMs }) => atMs);
  const when = (): number => draw.pick(begun) + draw.below(1_500);
  const setbacks: StepOf<Misfortune>[] = [];
  const [isRestored, isLiedTo, isSuspended] = [draw.chance(1 / 6), draw.chance(1 / 6), draw.chance(1 / 6)];
  if (isRestored) setbacks.push({ atMs: when(), what: 'restoreBackup' });
  if (isLiedTo)
    for (let index = draw.below(3); index >= 0; index--)
      setbacks.push({ atMs: when(), what: 'lieKube', forMs: 500 + draw.below(10_000) });
  if (isSuspended)
    for (let index = draw.below(2); index >= 0; index--)
      setbacks.push({ atMs: when(), what: 'suspend', pod: draw.below(pods), forMs: 14_000 + draw.below(60_000) });
  if (seed >= FIRST_WITH_POWER_CUTS && draw.chance(1 / 6))
    setbacks.push({
      atMs: when(),
      what: 'powerCut',
      byMs: 200 + draw.below(20_000),
      forMs: 20_000 + draw.below(20_000),
    });
  return setbacks;
}
