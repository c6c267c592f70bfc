// How long another side may ask to be left alone, wherever it says so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { retryAfterMs } from '../../../adapters/text/retry-after.ts';
import { fromErrorData, TransientError, toErrorData, UnknownOutcomeError, WaitingError } from '../../../bus/errors.ts';

const test = suite('retry after');

const YEAR_SECONDS = 31_536_000;
const LIMIT_MS = 600_000;
const NOW = Date.UTC(2030, 0, 1);

test('33.B6: seconds and dates are heeded, and a year is ten minutes', () => {
  assert.is(retryAfterMs('7', NOW), 7_000);
  assert.is(retryAfterMs(['7', '8'], NOW), 7_000);
  assert.is(retryAfterMs(new Date(NOW + 30_000).toUTCString(), NOW), 30_000);
  assert.is(retryAfterMs(String(YEAR_SECONDS), NOW), LIMIT_MS);
  assert.is(retryAfterMs('9'.repeat(400), NOW), LIMIT_MS);
  assert.is(retryAfterMs(new Date(NOW + YEAR_SECONDS * 1_000).toUTCString(), NOW), LIMIT_MS);
  assert.is(retryAfterMs(new Date(NOW - 30_000).toUTCString(), NOW), 0);
  for (const nothing of [undefined, '', ' ', 'soon', []]) assert.is(retryAfterMs(nothing, NOW), undefined);
});

test('33.B6: nobody hears of a longer wait, whoever made the error, or sent it over the bus', () => {
  for (const asked of [YEAR_SECONDS * 1_000, Number.POSITIVE_INFINITY]) {
    for (const Kind of [TransientError, UnknownOutcomeError, WaitingError]) {
      const error = new Kind('later', { retryAfterMs: asked });
      assert.is(error.retryAfterMs, LIMIT_MS);
      assert.is(toErrorData(error).retryAfterMs, LIMIT_MS);
    }
    const heard = fromErrorData({ code: 'transient', message: 'later', retryAfterMs: asked });
    assert.is((heard as TransientError).retryAfterMs, LIMIT_MS);
  }
  assert.is(new TransientError('later', { retryAfterMs: Number.NaN }).retryAfterMs, 0);
  assert.is(new TransientError('later', { retryAfterMs: -1 }).retryAfterMs, 0);
  assert.is(new TransientError('later').retryAfterMs, undefined);
});

test.run();
