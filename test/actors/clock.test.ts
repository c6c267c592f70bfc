import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32, systemClock } from '../../actors/clock.ts';

const test = suite('clock');

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
