import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Window } from '../../bus/window.ts';

const test = suite('window');

test('so many at a time, in the order in which they came, and one that fails makes room too', async () => {
  const window = new Window(2);
  const begun: number[] = [];
  let most = 0;
  let underWay = 0;
  const run = (index: number): Promise<void> =>
    window.run(async () => {
      begun.push(index);
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      if (index % 3 === 0) throw new Error('failed');
    });
  for (let round = 0; round < 2; round++) {
    begun.length = 0;
    const ended = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => run(index)));
    assert.equal(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.is(ended.filter(({ status }) => status === 'rejected').length, 4);
    assert.is(most, 2);
  }
});

test.run();
