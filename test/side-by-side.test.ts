// Tests that run side by side are still told apart: each begins once, in order, and its failure is its own.
import { type Callback, suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { sideBySide } from './side-by-side.ts';

const test = suite('side by side');

/** A suite that is run by hand: what was added to it, in order. */
function scene(atOnce: number, count: number) {
  const turns: Callback[] = [];
  const begun: number[] = [];
  const bodies = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const add = ((_: string, body: Callback) => turns.push(body)) as unknown as Test;
  const beside = sideBySide(add, atOnce);
  for (const [index, { promise }] of bodies.entries()) {
    beside(`${index}`, () => {
      begun.push(index);
      return promise;
    });
  }
  const crumbs = { __suite__: '', __test__: '' };
  const turn = (index: number): Promise<void> => Promise.resolve(turns[index]?.(crumbs));
  return { begun, bodies, turn };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('nothing begins before its suite runs; so many at a time, in order, each once', async () => {
  const { begun, bodies, turn } = scene(2, 4);
  await soon();
  assert.equal(begun, []);
  const first = turn(0);
  assert.equal(begun, [0, 1]);
  bodies[1]?.resolve();
  await soon();
  assert.equal(begun, [0, 1, 2]);
  bodies[0]?.resolve();
  await first;
  await turn(1);
  assert.equal(begun, [0, 1, 2, 3]);
  for (const { resolve } of bodies) resolve();
  await Promise.all([turn(2), turn(3)]);
  assert.equal(begun, [0, 1, 2, 3]);
});

test('a test ends when its own body has, and fails with what that threw', async () => {
  const { bodies, turn } = scene(3, 3);
  let isOver = false;
  const first = turn(0).then(() => {
    isOver = true;
  });
  bodies[1]?.reject(new Error('the second one'));
  bodies[2]?.resolve();
  await soon();
  assert.not.ok(isOver);
  bodies[0]?.resolve();
  await first;
  assert.is(await turn(1).catch(({ message }: Error) => message), 'the second one');
  await turn(2);
});

test('a failure makes room for the next', async () => {
  const { begun, bodies, turn } = scene(1, 2);
  bodies[0]?.reject(new Error('the first one'));
  await turn(0).catch(() => undefined);
  bodies[1]?.resolve();
  await turn(1);
  assert.equal(begun, [0, 1]);
});

test.run();
