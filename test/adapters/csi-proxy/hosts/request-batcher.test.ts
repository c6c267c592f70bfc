// Questions that are asked together.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RequestBatcher } from '../../../../adapters/csi-proxy/hosts/request-batcher.ts';

const test = suite('gathered questions');

function start(most: number) {
  const asked: { readonly items: readonly number[]; readonly end: PromiseWithResolvers<readonly string[]> }[] = [];
  const gathered = new RequestBatcher<number, string>({
    ask: (items) => {
      const end = Promise.withResolvers<readonly string[]>();
      asked.push({ items, end });
      return end.promise;
    },
    most,
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const answer = async (index: number): Promise<void> => {
    asked[index]?.end.resolve(asked[index].items.map((item) => `answer ${item}`));
    await settled();
  };
  return { gathered, asked, answer, items: () => asked.map(({ items }) => items), settled };
}

test('the first is asked at once, what comes meanwhile together, and never too many', async () => {
  const { gathered, answer, items } = start(3);
  const answers = [1, 2, 3, 4, 5].map((item) => gathered.ask(item));
  assert.equal(items(), [[1]]);
  await answer(0);
  assert.equal(items(), [[1], [2, 3, 4]]);
  await answer(1);
  await answer(2);
  assert.equal(items(), [[1], [2, 3, 4], [5]]);
  assert.equal(await Promise.all(answers), ['answer 1', 'answer 2', 'answer 3', 'answer 4', 'answer 5']);
  const late = gathered.ask(6);
  await answer(3);
  assert.is(await late, 'answer 6');
});

test('a failure is told to those who were asked for together, and the others go on', async () => {
  const { gathered, asked, answer, settled } = start(2);
  const results = Promise.allSettled([1, 2, 3, 4].map((item) => gathered.ask(item)));
  asked[0]?.end.reject(new Error('broken'));
  await settled();
  asked[1]?.end.resolve(['too few']);
  await settled();
  await answer(2);
  assert.equal(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected', 'fulfilled'],
  );
});

test.run();
