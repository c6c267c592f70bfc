// Machines that are faster than real ones are looked at sooner, and what failed is tried again sooner.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor } from 'xstate';
import { hostEffects } from '../../../../adapters/ironic/kinds/host-effects.ts';
import type { HostContext, WatchInput } from '../../../../machines/bare-metal-host/context.ts';
import type { LifecyclePorts } from '../../../../machines/lifecycle.ts';

const test = suite('speed of hosts');
const MINUTE_MS = 60_000;

interface Played {
  /** Milliseconds of a delay of the chart. */
  pauseMs(delay: string, context?: object): number;
  /** Between two looks at a node, as the operation is told. */
  looksMs(pollAfterMs: number | undefined): number | undefined;
}

function played(speed: number): Played {
  let held: number | undefined;
  const ports = {
    random: () => 0,
    callLong: async (_name: string, { extra }: { readonly extra: { readonly pollAfterMs: number } }) => {
      held = extra.pollAfterMs;
    },
  };
  const { delays = {}, actors = {} } = hostEffects(() => ports as unknown as LifecyclePorts, { speed }).implementations;
  return {
    pauseMs: (delay, context = {}) =>
      (delays[delay] as unknown as (given: { readonly context: HostContext }) => number)({
        context: { key: 'one', ...context } as HostContext,
      }),
    looksMs(pollAfterMs) {
      const input = { key: 'one', node: undefined, pollAfterMs } as unknown as WatchInput;
      const actor = createActor(actors['watch'] as Parameters<typeof createActor>[0], { input } as never);
      actor.subscribe({ error: () => undefined }); // a watch ends with its failure only
      actor.start();
      return held;
    },
  };
}

test('what failed, or waits for room, is tried so many times as soon', () => {
  for (const speed of [1, 10]) {
    const { pauseMs } = played(speed);
    assert.is(pauseMs('backoff', { status: { errorCount: 1 } }), (2 * MINUTE_MS) / speed);
    assert.is(pauseMs('capacityPause'), (2 * MINUTE_MS) / speed);
    assert.is(pauseMs('retryPause', { retries: 1, error: { retryAfterMs: 30_000 } }), 30_000 / speed);
  }
});

test('what failed again and again is tried ever later at any speed', () => {
  assert.is(played(10).pauseMs('retryPause', { retries: 15 }), 81_920);
});

test('a host at rest is looked at so many times as often, one that is worked on as its operation says', () => {
  assert.is(played(1).looksMs(undefined), 60_000);
  assert.is(played(10).looksMs(undefined), 6_000);
  assert.is(played(10).looksMs(300), 300);
  assert.is(played(10).looksMs(30_000), 30_000, 'the speed has made it already');
});

test.run();
