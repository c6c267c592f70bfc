// Order of what waits for conversions.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConversionNeeded, oneAfterAnother } from '../../../../adapters/simulated/kubernetes/conversion/pending.ts';
import type { ConversionWebhook } from '../../../../adapters/simulated/kubernetes/resources/conversion.ts';

const test = suite('conversions, one after another');

test('a step is taken that comes when the one before has just been taken (KSIM-WATCH-1)', async () => {
  const taken: string[] = [];
  const fetched = Promise.withResolvers<void>();
  const webhook = { remembered: { fetch: () => fetched.promise } } as unknown as ConversionWebhook;
  const inTurn = oneAfterAnother(webhook, () => assert.unreachable());
  let isThere = false;
  inTurn(() => {
    if (!isThere) throw new ConversionNeeded([]);
    taken.push('first');
    // As soon as the work has ended, and before anybody hears of that.
    queueMicrotask(() => inTurn(() => taken.push('second')));
  });
  isThere = true;
  fetched.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(taken, ['first', 'second']);
});

test.run();
