// What is left of objects that came and went: nothing. The same for a million, by its memory: `npm run bench -- churn`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { churningHost } from '../../bench/churn.ts';

const test = suite('churn');

test('nothing is remembered of objects that came and went, nor of what they said and were told (OUTBOX-6)', async () => {
  const { host, pass, close } = await churningHost();
  try {
    const before = host.remembered;
    for (const turn of [1, 2, 3]) {
      await pass(Array.from({ length: 50 }, (_, index) => `thing-${turn}-${index}`));
      assert.is(host.remembered, before, `after ${turn} times 50`);
    }
  } finally {
    await close();
  }
});

test.run();
