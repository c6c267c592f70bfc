// Who may write a status now, and who waits.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusThrottle } from '../../../actors/object/status-writer.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';

const test = suite('status turns');

function start() {
  const time = new SimulatedTime();
  const turns = new StatusThrottle({ clock: new ProcessClock(time, 1) });
  const admitted: string[] = [];
  const ends: (() => void)[] = [];
  const wait = (name: string): void =>
    void turns.turn(new AbortController().signal).then((end) => {
      admitted.push(name);
      if (end !== undefined) ends.push(end);
    });
  return { time, turns, admitted, ends, wait };
}

const turned = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an urgent write does not wait behind patient ones, however many have their turns (STATUS-WRITER-3)', async () => {
  const { time, turns, admitted, wait } = start();
  for (let index = 0; index < 20; index++) wait(`${index}`);
  await time.advance(60_000);
  assert.equal(admitted, ['0', '1', '2', '3'], 'none of them ends');
  let written = false;
  void turns.unthrottled(async () => {
    written = true;
  });
  assert.ok(written, 'in the same turn of the event loop');
});

test('whoever is patient waits half a second, and while something is written, ten (STATUS-WRITER-1, STATUS-WRITER-2)', async () => {
  const { time, turns, admitted, wait } = start();
  wait('early');
  await time.advance(499);
  assert.equal(admitted, []);
  await time.advance(1);
  assert.equal(admitted, ['early']);
  const write = Promise.withResolvers<void>();
  void turns.unthrottled(() => write.promise);
  wait('held up');
  await time.advance(9_999);
  assert.equal(admitted, ['early']);
  await time.advance(1);
  assert.equal(admitted, ['early', 'held up']);
  wait('let go');
  await time.advance(1_000);
  assert.is(admitted.length, 2);
  write.resolve();
  await turned();
  await time.advance(1);
  assert.equal(admitted, ['early', 'held up', 'let go']);
});

test('at most four at a time, first come, first served (STATUS-WRITER-3)', async () => {
  const { time, admitted, ends, wait } = start();
  for (let index = 0; index < 6; index++) wait(`${index}`);
  await time.advance(500);
  assert.equal(admitted, ['0', '1', '2', '3']);
  ends[0]?.();
  await turned();
  assert.equal(admitted, ['0', '1', '2', '3', '4']);
});

test('who gives up while waiting takes nobody’s turn', async () => {
  const { time, turns, admitted, wait } = start();
  const stop = new AbortController();
  const given = Array.from({ length: 4 }, () => turns.turn(stop.signal));
  stop.abort();
  assert.equal(await Promise.all(given), [undefined, undefined, undefined, undefined]);
  wait('next');
  await time.advance(500);
  assert.equal(admitted, ['next']);
});

test.run();
