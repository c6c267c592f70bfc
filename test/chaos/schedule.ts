// What happens while a landscape changes: acts of users, and faults, several at a time.
import { TroupeError } from '../../bus/mod.ts';
import type { Fault, Run, Span } from './model.ts';
import { between, drawn } from './random.ts';

type Deps = Pick<Run, 'clock' | 'random' | 'report'>;

/** Acts for so many seconds. @param every  between two acts */
export async function acting(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  every: Span,
  seconds: number,
  act: () => Promise<void>,
): Promise<void> {
  const endsAt = clock.now() + seconds * 1_000;
  while (clock.now() < endsAt) {
    await act();
    await clock.sleep(between(random, every.least, every.most));
  }
}

/** Faults for so many seconds, several at a time but never two to the same. @returns how many */
export async function befall(
  { clock, random, report }: Deps,
  every: Span,
  seconds: number,
  deck: readonly Fault[],
): Promise<number> {
  const endsAt = clock.now() + seconds * 1_000;
  const struck = new Set<string>();
  const running = new Set<Promise<void>>();
  const defects: unknown[] = [];
  let count = 0;
  while (clock.now() < endsAt) {
    await clock.sleep(between(random, every.least, every.most));
    const free = deck.filter(({ to }) => !to.some((what) => struck.has(what)));
    const chosen = drawn(free, random);
    if (chosen === undefined) continue;
    count++;
    for (const what of chosen.to) struck.add(what);
    const playing = chosen
      .play()
      .catch((error: unknown) => {
        // Another fault may be in the way of this one.
        if (error instanceof TroupeError) report('chaos', `${chosen.name}, in vain: ${error.message}`);
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
