// Time limits on a clock that goes when it is told to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TimeLimits } from '../../../../adapters/csi-proxy/server/time-limits.ts';
import type { Clock } from '../../../../bus/time.ts';

const test = suite('csi-proxy time limits');

function world() {
  let now = 0;
  let lastId = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  const clock: Clock = {
    now: () => now,
    steady: () => now,
    setTimeout(run, delayMs) {
      lastId += 1;
      timers.set(lastId, { at: now + delayMs, run });
      return { id: lastId };
    },
    clearTimeout: ({ id }) => void timers.delete(id),
    sleep: () => Promise.resolve(),
    random: () => 0,
  };
  const goTo = (at: number): void => {
    for (;;) {
      const [next] = [...timers].filter(([, timer]) => timer.at <= at).sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined) break;
      timers.delete(next[0]);
      now = next[1].at;
      next[1].run();
    }
    now = at;
  };
  return { limits: new TimeLimits(clock), timers, goTo };
}

test('each is given up at its own limit, and one that was let be is not', () => {
  const { limits, goTo } = world();
  const given: string[] = [];
  const start = (name: string, limitMs: number) => limits.start(limitMs, () => given.push(name));
  start('first', 100);
  goTo(40);
  const letBe = start('let be', 100);
  start('long', 1_000);
  goTo(50);
  start('second', 100);
  letBe();
  goTo(99);
  assert.equal(given, []);
  goTo(100);
  assert.equal(given, ['first']);
  goTo(149);
  assert.equal(given, ['first']);
  goTo(150);
  assert.equal(given, ['first', 'second']);
  goTo(1_040);
  assert.equal(given, ['first', 'second', 'long']);
});

test('one timer watches all of one limit, none is left when nothing runs, or when it is closed', () => {
  const { limits, timers, goTo } = world();
  const each = Array.from({ length: 100 }, () => limits.start(100, assert.unreachable));
  assert.is(timers.size, 1);
  for (const letBe of each) letBe();
  goTo(1_000);
  assert.is(timers.size, 0);
  limits.start(100, assert.unreachable);
  limits.close();
  assert.is(timers.size, 0);
});

test.run();
