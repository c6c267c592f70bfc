// How long the chart waits before it tries again.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backoffMs } from '../../../machines/external-resource/context.ts';
import { transient } from './fixtures.ts';

const test = suite('back-off of external resources');

/** The longest that the runtime makes of a pause, to part those that failed together. */
const JITTER = 1.25;

test('a spec that is refused as it is backs off up to ten minutes, anything else for two', () => {
  const longest = (error: Parameters<typeof backoffMs>[0]['error']): number =>
    Math.max(...Array.from({ length: 40 }, (_, attempts) => backoffMs({ attempts, error })));
  assert.is(longest({ ...transient, fault: 'spec' }) * JITTER, 600_000);
  assert.is(longest({ ...transient, fault: 'unreachable' }), 120_000);
  assert.is(longest(undefined), 120_000);
  assert.is(backoffMs({ attempts: 1, error: { ...transient, fault: 'spec' } }), 100);
});

test('room is looked for rarely from the beginning, and every ten minutes at last', () => {
  const pauses = [1, 2, 3, 4, 30].map((attempts) => backoffMs({ attempts, error: { ...transient, fault: 'quota' } }));
  assert.equal(pauses, [5_000, 10_000, 20_000, 40_000, 480_000]);
});

test('what the other side asks for is waited for in any case', () => {
  assert.is(backoffMs({ attempts: 1, error: { ...transient, fault: 'spec', retryAfterMs: 700_000 } }), 700_000);
});

test('a create that may yet land is looked for when it must have', () => {
  assert.is(backoffMs({ attempts: 30, error: { ...transient, fault: 'spec' }, landsInMs: 3_000 }), 3_000);
});

test.run();
