import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FairSemaphore } from '../../../adapters/http/fair-semaphore.ts';

const test = suite('turns of calls');

function turnsOf(limit: number) {
  const turns = new FairSemaphore(limit);
  const entered: string[] = [];
  const come = async (key: string, name = key): Promise<void> => {
    await turns.enter(key);
    entered.push(name);
  };
  const leave = async (): Promise<void> => {
    turns.leave();
    await new Promise(setImmediate);
  };
  return { turns, entered, come, leave };
}

test('no more are in than may be, and a place that was left is taken again (HTTP-FAIR-SEMAPHORE-1)', async () => {
  const { entered, come, leave, turns } = turnsOf(2);
  for (const name of ['a', 'b', 'c']) void come('', name);
  await new Promise(setImmediate);
  assert.equal(entered, ['a', 'b']);
  await leave();
  assert.equal(entered, ['a', 'b', 'c']);
  await leave();
  assert.is(turns.enter(''), undefined);
});

test('a thousand of one key keep another waiting for one of them; each key keeps its order (HTTP-FAIR-SEMAPHORE-2)', async () => {
  const { entered, come, leave } = turnsOf(1);
  for (let n = 0; n < 1_000; n++) void come('crowd', `crowd ${n}`);
  void come('lone', 'lone 1');
  void come('lone', 'lone 2');
  for (let turn = 0; turn < 4; turn++) await leave();
  assert.equal(entered, ['crowd 0', 'crowd 1', 'lone 1', 'crowd 2', 'lone 2']);
});

test.run();
