// The lease of another controller, as it is seen from here: by what is observed, whatever the clocks say.
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { leaderAmong } from '../../../actors/diagnosis/legacy-leader.ts';
import { watchLegacyController } from '../../../actors/sharding/legacy-controller.ts';
import type { KubeClient, Objects } from '../../../adapters/kubernetes/mod.ts';
import { type JsonObject, TransientError } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';

const test = suite('legacyController');

const DURATION_MS = 15_000;
const PREDECESSOR = { name: 'Other', lease: 'other' };

/** A leader whose clock is so far from the one here, and what is seen of its lease. */
function scene({ skewMs = 0 }: { readonly skewMs?: number }) {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const state = { version: 1, isAway: false, isWatchSilent: false, lists: 0, spec: {} as JsonObject };
  const events: JsonObject[] = [];
  let wake = (): void => undefined;
  const lease = (): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'other', namespace: 'ns', uid: 'u', resourceVersion: `${state.version}` },
    spec: state.spec,
  });
  const write = (holderIdentity: string): void => {
    state.version++;
    const renewTime = new Date(clock.now() + skewMs).toISOString();
    state.spec = { holderIdentity, renewTime, leaseDurationSeconds: DURATION_MS / 1_000 };
    if (state.isWatchSilent) return;
    events.push({ type: 'MODIFIED', object: lease() as unknown as JsonObject });
    wake();
  };
  const objects = {
    async list() {
      state.lists++;
      if (state.isAway) throw new TransientError('the API server is away');
      return { items: [lease()], resourceVersion: `${state.version}`, serverTime: clock.now() + skewMs };
    },
  } as unknown as Objects;
  const client = {
    async *stream(_path: string, _accept: string, signal: AbortSignal) {
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        const next = events.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  } as unknown as KubeClient;
  const stop = new AbortController();
  write('leader');
  const deps = { client, objects, clock, log: pino({ level: 'silent' }), legacyController: PREDECESSOR };
  const followed = watchLegacyController(deps, stop.signal);
  let isGone = false;
  void followed.gone(stop.signal).then(() => {
    isGone = !stop.signal.aborted;
  });
  /** What was done before, and in that time, is done when this resolves. */
  const pass = async (durationMs: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    await time.advance(durationMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { pass, state, write, objects, stop, isGone: () => isGone };
}

/** The leader renews its lease as controllers do. */
async function renewing({ pass, write }: ReturnType<typeof scene>, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += 2_000) {
    write('leader');
    await pass(2_000);
  }
}

for (const skewMs of [-3_600_000, -16_000, 0, 16_000, 3_600_000])
  test(`33.B5: with its clock ${skewMs} ms ahead a leader leads as long as it renews, and no longer than its lease lasts (LEGACY-CONTROLLER-3)`, async () => {
    const other = scene({ skewMs });
    await renewing(other, 60_000);
    assert.is(other.isGone(), false);
    await other.pass(DURATION_MS - 2_100);
    assert.is(other.isGone(), false);
    await other.pass(2_200);
    assert.is(other.isGone(), true);
    other.stop.abort();
    await other.pass(1);
  });

test('33.B5: a leader that gives its lease back leads no more', async () => {
  const other = scene({});
  await other.pass(100);
  other.write('');
  await other.pass(100);
  assert.is(other.isGone(), true);
  other.stop.abort();
  await other.pass(1);
});

test('33.B5: renewals that a broken watch does not tell of are seen by who looks before it takes over (LEGACY-CONTROLLER-1, LEGACY-CONTROLLER-3)', async () => {
  const other = scene({});
  await other.pass(100);
  other.state.isWatchSilent = true;
  await renewing(other, 100_000);
  assert.is(other.isGone(), false);
  other.state.isAway = true;
  await other.pass(100_000);
  assert.is(other.isGone(), false, 'while nobody can tell');
  other.state.isAway = false;
  await other.pass(DURATION_MS + 3_000);
  assert.is(other.isGone(), true);
  other.stop.abort();
  await other.pass(1);
});

test('33.B5: who reads a lease once judges it by the clock of the server', async () => {
  const { objects, pass, stop } = scene({ skewMs: -3_600_000 });
  assert.is((await leaderAmong([PREDECESSOR], objects))?.holder, 'leader');
  await pass(DURATION_MS + 1);
  assert.is(await leaderAmong([PREDECESSOR], objects), undefined);
  stop.abort();
  await pass(1);
});

test.run();
