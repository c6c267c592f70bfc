// What may wait before it is published, on a clock that the test moves.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Coalescer, LIMIT_MS, QUIET_MS } from '../../../actors/mailbox/coalescer.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';

const test = suite('later');

function scene() {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const said: string[] = [];
  const later = new Coalescer<string>({ clock, publish: (value) => void said.push(value) });
  return { time, later, said };
}

test('the last of several is published after a quiet time, and once (COALESCER-1)', async () => {
  const { time, later, said } = scene();
  later.put('a', 'a1');
  await time.advance(900);
  later.put('a', 'a2');
  await time.advance(900);
  assert.equal(said, []);
  await time.advance(200);
  assert.equal(said, ['a2']);
  await time.advance(60_000);
  assert.equal(said, ['a2']);
  assert.is(later.size, 0);
});

test('what is replaced again and again is published all the same (COALESCER-1)', async () => {
  const { time, later, said } = scene();
  const COUNT = (1.5 * LIMIT_MS) / 500;
  for (let count = 1; count <= COUNT; count++) {
    later.put('a', `a${count}`);
    await time.advance(500);
  }
  assert.is(said.length, 1);
  await time.advance(QUIET_MS);
  assert.is(said.at(-1), `a${COUNT}`);
});

test('while others are busy it waits: what happens is likely to be replaced', async () => {
  const { time, later, said } = scene();
  later.put('a', 'a1');
  await time.advance(600);
  later.put('b', 'b1');
  await time.advance(900);
  assert.equal(said, []);
  await time.advance(200);
  assert.equal(said, ['a1', 'b1']);
});

test('what was dropped is not published, nor what waits at the end (COALESCER-2)', async () => {
  const { time, later, said } = scene();
  later.put('a', 'a1');
  later.drop('a');
  await time.advance(10_000);
  later.put('b', 'b1');
  later.clear();
  later.flush();
  await time.advance(10_000);
  assert.equal(said, []);
});

test('all that waits can be published at once', async () => {
  const { time, later, said } = scene();
  later.put('a', 'a1');
  later.put('b', 'b1');
  later.flush();
  assert.equal(said, ['a1', 'b1']);
  await time.advance(10_000);
  assert.equal(said, ['a1', 'b1']);
});

test.run();
