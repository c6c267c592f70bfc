import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32, systemClock, timeBy } from '../../../actors/base/clock.ts';
import { SLOWEST_PACE } from '../../../bus/mod.ts';

const test = suite('clock');

/** A clock whose machine says what the test says. */
function reported() {
  const machine = { wall: 1_000_000, even: 5_000 };
  const clock = systemClock({ wall: () => machine.wall, even: () => machine.even });
  const pass = (durationMs: number): void => {
    machine.wall += durationMs;
    machine.even += durationMs;
  };
  return { clock, machine, pass };
}

test('33.B5: who was suspended is at the same time as all others at once, and does not lag (CLOCK-2)', () => {
  const { clock, machine, pass } = reported();
  pass(1_000);
  assert.is(clock.now(), 1_001_000);
  machine.wall += 60_000; // the machine was suspended
  assert.is(clock.now(), 1_061_000);
  pass(500);
  assert.is(clock.now(), 1_061_500);
});

test('who stood still between two clocks that he read is not ahead of all others for it (CLOCK-2)', () => {
  let time = 0;
  let stopMs = 0;
  const { now } = timeBy({
    even: () => time,
    wall() {
      time += stopMs; // nobody ran for so long, and all clocks went on
      return 1_000_000 + time;
    },
  });
  for (const pauseMs of [0, 300, 0, 5_000, 0]) {
    stopMs = pauseMs;
    now();
    stopMs = 0;
    assert.is(now(), 1_000_000 + time);
  }
});

test('a clock that begins while its process stands still is at the time of all others (CLOCK-2)', () => {
  for (const stopped of [0, 1, 2, 3]) {
    let time = 0;
    let reading = 0;
    const { now } = timeBy({
      even: () => time,
      wall() {
        if (reading++ === stopped) time += 80; // less than is put right later
        return 1_000_000 + time;
      },
    });
    assert.is(now(), 1_000_000 + time, `it stopped at reading ${stopped}`);
  }
});

test('33.B5: a wall clock that is set back is caught up with, and time never goes back (CLOCK-1, CLOCK-2)', () => {
  const { clock, machine, pass } = reported();
  machine.wall -= 10_000;
  let before = clock.now();
  for (let second = 0; second < 110; second++) {
    pass(1_000);
    const now = clock.now();
    assert.ok(now - before >= 1_000 * SLOWEST_PACE - 0.001);
    before = now;
  }
  assert.ok(Math.abs(clock.now() - machine.wall) <= 1_000, 'as far ahead as one step at most');
});

test('steady time passes as the even clock does, also while a wall clock that was set back is caught up with (CLOCK-3)', () => {
  const { clock, machine, pass } = reported();
  const startedAt = clock.steady();
  machine.wall -= 60_000;
  for (let second = 0; second < 20; second++) {
    pass(1_000);
    clock.now();
  }
  assert.is(clock.steady() - startedAt, 20_000);
  machine.wall += 30_000; // the machine was suspended
  assert.is(clock.steady() - startedAt, 50_000);
  pass(1_000);
  assert.is(clock.steady() - startedAt, 51_000);
});

test('33.B5: between two readings of the wall clock time passes in fractions, evenly (CLOCK-1)', () => {
  const { clock, machine } = reported();
  machine.even += 0.25;
  assert.is(clock.now(), 1_000_000.25);
  machine.even += 40; // the wall clock lingers
  assert.is(clock.now(), 1_000_040.25);
});

test('a timer fires once, a cleared one never', async () => {
  const clock = systemClock();
  const fired: string[] = [];
  clock.setTimeout(() => fired.push('kept'), 1);
  clock.clearTimeout(clock.setTimeout(() => fired.push('cleared'), 1));
  await clock.sleep(20);
  assert.equal(fired, ['kept']);
});

test('neither Infinity nor a delay beyond what Node can count fires at once', async () => {
  const clock = systemClock();
  const fired: string[] = [];
  const timers = [Number.POSITIVE_INFINITY, 2 ** 40].map((delayMs) =>
    clock.setTimeout(() => fired.push(`${delayMs}`), delayMs),
  );
  await clock.sleep(20);
  for (const timer of timers) clock.clearTimeout(timer);
  assert.equal(fired, []);
});

test('what is overdue fires at once, and nobody is warned of it', async () => {
  const clock = systemClock();
  const warned: string[] = [];
  const listen = ({ name }: Error): void => void warned.push(name);
  process.on('warning', listen);
  await clock.sleep(-3_607.5);
  await clock.sleep(-0.01);
  await clock.sleep(20);
  process.off('warning', listen);
  assert.equal(warned, []);
});

test('a sleep ends with its signal', async () => {
  const clock = systemClock();
  const stop = new AbortController();
  const before = clock.now();
  const sleeping = clock.sleep(60_000, stop.signal);
  stop.abort();
  await sleeping;
  await clock.sleep(60_000, stop.signal);
  assert.ok(clock.now() - before < 1_000);
});

test('chance is the same for the same seed', () => {
  const [one, two] = [mulberry32(7), mulberry32(7)];
  const drawn = Array.from({ length: 100 }, one);
  assert.equal(drawn, Array.from({ length: 100 }, two));
  assert.ok(drawn.every((value) => value >= 0 && value < 1));
  assert.ok(new Set(drawn).size > 90);
});

test.run();
