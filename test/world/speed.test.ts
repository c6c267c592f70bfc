// Limits on waiting follow the speed of the machine.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Allowance, slowness } from './speed.ts';

const test = suite('chaos: limits on waiting');

/** How long it takes until an allowance is spent, looked at every `lookMs`. */
function spentAfter(limitMs: number, lookMs: number, slower: number): number {
  let now = 0;
  const allowance = new Allowance({ now: () => now }, limitMs, () => slower);
  while (!allowance.canPassivate()) now += lookMs;
  return now;
}

test('a machine that is three times as slow has three times the time', () => {
  assert.ok(Math.abs(spentAfter(1_000, 10, 1) - 1_000) <= 10);
  assert.ok(Math.abs(spentAfter(1_000, 10, 3) - 3_000) <= 10);
});

test('a machine that stood still has not used up its time', () => {
  assert.is(spentAfter(15_000, 3_600_000, 1), 2 * 3_600_000);
});

test('no machine is faster than the reference machine', () => {
  let now = 0;
  assert.is(slowness({ now: () => now }), 1);
  const late = {
    now() {
      now += 70;
      return now;
    },
  };
  assert.is(slowness(late), 2);
});

test.run();
