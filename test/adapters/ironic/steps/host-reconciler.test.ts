// Of many hosts at once as many are served as there are turns: each to its end, and the others in a while, which is no failure.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConcurrencyLimiter } from '../../../../adapters/http/concurrency-limiter.ts';
import type { IronicClient } from '../../../../adapters/ironic/client/client.ts';
import { NodeCache } from '../../../../adapters/ironic/client/node-cache.ts';
import { type HostRequest, passes } from '../../../../adapters/ironic/steps/host-reconciler.ts';
import { TransientError } from '../../../../bus/errors.ts';
import type { Outcome } from '../../../../machines/bare-metal-host/outcome.ts';
import { ManualClock } from '../../../bus/manual-clock.ts';

const test = suite('turns of passes');
const UUID = '00000000-0000-4000-8000-00000000000a';
const CALL_MS = 4_000;
/** Until when a pass must have begun. */
const DEADLINE_MS = 3_000;

/** Each pass is one call, which takes its time. */
function scene(slots: number) {
  const clock = new ManualClock();
  let [underWay, most] = [0, 0];
  const call: IronicClient['call'] = async ({ path }) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await clock.sleep(CALL_MS);
    underWay -= 1;
    if (path.endsWith('~broken')) throw new TransientError('no answer');
    return { status: 200, body: { name: path.split('/').at(-1) ?? '', uuid: UUID } };
  };
  const turns = new ConcurrencyLimiter({ clock, slots, name: 'Ironic' });
  const all = passes({
    clock,
    ironic: { call } as IronicClient,
    sights: new NodeCache(clock),
    turns,
    options: { speed: 1 },
    listObjects: async () => [],
    readObject: async () => undefined,
  });
  const pass = async (name: string): Promise<Outcome['kind']> => {
    const metadata = { name, namespace: 'ns', uid: name, resourceVersion: '1', generation: 1 };
    const object = { apiVersion: '', kind: '', metadata, spec: {}, status: {} };
    const deadlineAt = clock.now() + DEADLINE_MS;
    const request: HostRequest = { object, dependencies: {}, deadlineAt, traceparent: '' };
    return all.outcome(await all.onNode(request, () => ({ step: 'done' })), request).kind;
  };
  return { clock, turns, pass, most: () => most };
}

test('who has no turn in time pauses; the others are done, so many at a time', async () => {
  const { clock, turns, pass, most } = scene(2);
  const all = Promise.all(Array.from({ length: 8 }, (_, index) => pass(`h${index}`)));
  await clock.advance(DEADLINE_MS + CALL_MS);
  assert.equal((await all).sort(), [...Array(2).fill('done'), ...Array(6).fill('pausing')]);
  assert.is(most(), 2);
  assert.equal(turns.load, { underWay: 0, waiting: 0, limit: 2 });
});

test('a pass that ends, or fails, leaves its turn to the next', async () => {
  const { clock, turns, pass } = scene(1);
  const first = pass('h1').catch((error: unknown) => error);
  await clock.advance(CALL_MS);
  const failure = pass('broken').catch((error: unknown) => error);
  await clock.advance(CALL_MS);
  const last = pass('h2');
  await clock.advance(CALL_MS);
  assert.equal([await first, await last], ['done', 'done']);
  assert.instance(await failure, TransientError);
  assert.is(turns.load.underWay, 0);
});

test.run();
