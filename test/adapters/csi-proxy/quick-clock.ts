// A clock whose time passes only while somebody sleeps, and then at once.
import { mulberry32 } from '../../../actors/base/clock.ts';
import type { Clock } from '../../../bus/mod.ts';

export function quickClock(): Clock {
  let now = 0;
  let lastId = 0;
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    steady: () => now,
    setTimeout(run, delayMs) {
      timers.set(++lastId, { at: now + delayMs, run });
      return { id: lastId };
    },
    clearTimeout: ({ id }) => void timers.delete(id),
    async sleep(delayMs) {
      now += delayMs;
      for (const [id, { at, run }] of timers) {
        if (at > now) continue;
        timers.delete(id);
        run();
      }
    },
    random: mulberry32(1),
  };
}
