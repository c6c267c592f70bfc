// What happens to a landscape while it changes, and how long it is then left alone.
import { type Clock, TroupeError } from '../../bus/mod.ts';
import type { Misfortune, StandFaultDeps } from './stand-faults.ts';
import { drawn } from './user.ts';

/** Part of the time in which misfortunes befall the landscape while it changes, and while it goes. */
export const UP = 0.65;
export const DOWN = 0.12;
/** Between two misfortunes, and between two changes of the landscape, in milliseconds. */
const FAULTS_MS = { least: 300, most: 2_500 };
const CHANGES_MS = { least: 50, most: 600 };

/** Changes for so many seconds. @param deps.pauseMs  between two of them; short by default @returns how many */
export async function changing(
  { clock, random, pauseMs = CHANGES_MS }: Pick<StandFaultDeps, 'clock' | 'random'> & { pauseMs?: typeof CHANGES_MS },
  seconds: number,
  change: () => Promise<void>,
): Promise<number> {
  const endsAt = clock.now() + seconds * 1_000;
  let count = 0;
  while (clock.now() < endsAt) {
    await change();
    count++;
    await clock.sleep(pauseMs.least + random() * (pauseMs.most - pauseMs.least));
  }
  return count;
}

/**
 * Misfortunes for so many seconds, several at a time but never two to the same.
 *
 * @param deps.pauseMs  between two of them; short by default
 * @returns how many
 */
export async function befall(
  {
    clock,
    random,
    tell,
    pauseMs = FAULTS_MS,
  }: Pick<StandFaultDeps, 'clock' | 'random' | 'tell'> & { pauseMs?: typeof FAULTS_MS },
  deck: readonly Misfortune[],
  seconds: number,
): Promise<number> {
  const endsAt = clock.now() + seconds * 1_000;
  const struck = new Set<string>();
  const running = new Set<Promise<void>>();
  const defects: unknown[] = [];
  let count = 0;
  while (clock.now() < endsAt) {
    await clock.sleep(pauseMs.least + random() * (pauseMs.most - pauseMs.least));
    const free = deck.filter(({ to }) => !to.some((what) => struck.has(what)));
    const chosen = drawn(free, random);
    if (chosen === undefined) continue;
    count++;
    for (const what of chosen.to) struck.add(what);
    const playing = chosen
      .play()
      .catch((error: unknown) => {
        // Another misfortune may be in the way of this one.
        if (error instanceof TroupeError) tell('chaos', `${chosen.name}, in vain: ${error.message}`);
        else defects.push(error);
      })
      .finally(() => {
        for (const what of chosen.to) struck.delete(what);
        running.delete(playing);
      });
    running.add(playing);
  }
  await Promise.all(running);
  if (defects.length > 0) throw defects[0];
  return count;
}

/** Until nothing is wrong any more; after that time whatever is, is a violation. */
export async function within(
  clock: Clock,
  limitMs: number,
  violate: (what: string) => void,
  look: () => Promise<readonly string[]>,
): Promise<void> {
  const until = clock.now() + limitMs;
  for (;;) {
    const wrong = await look();
    if (wrong.length === 0) return;
    if (clock.now() > until) {
      for (const each of wrong) violate(`after ${limitMs / 1_000} s of quiet: ${each}`);
      return;
    }
    await clock.sleep(50);
  }
}
