import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import type { KubeObject } from '../../../../adapters/simulated/kubernetes/base/kube-object.ts';
import { expireEvents } from '../../../../adapters/simulated/kubernetes/controllers/expiry.ts';
import { timeText } from '../../../../adapters/simulated/kubernetes/resources/api.ts';
import type { Journal } from '../../../../adapters/simulated/kubernetes/storage/settlement.ts';
import { memoryStore } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import type { Clock } from '../../../../bus/time.ts';

const test = suite('embedded api server: expiry of events');

const HOUR_MS = 3_600_000;

/** A clock that moves when told to, with at most one timer. */
function handClock(): Clock & { advance(ms: number): void; waiting(): boolean } {
  let now = 1_000_000;
  let timer: { run: () => void; at: number } | undefined;
  return {
    ...systemClock(),
    now: () => now,
    setTimeout(run, delayMs) {
      assert.is(timer, undefined, 'a second timer');
      timer = { run, at: now + delayMs };
      return { id: 1 };
    },
    clearTimeout() {
      timer = undefined;
    },
    waiting: () => timer !== undefined,
    advance(ms) {
      const until = now + ms;
      while (timer !== undefined && timer.at <= until) {
        const { run, at } = timer;
        timer = undefined;
        now = at;
        run();
      }
      now = until;
    },
  };
}

const event = (name: string, createdAt?: number, writtenAt?: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {
    name,
    namespace: 'default',
    ...(createdAt === undefined ? {} : { creationTimestamp: timeText(createdAt) }),
    ...(writtenAt === undefined ? {} : { managedFields: [{ manager: 'tester', time: timeText(writtenAt) }] }),
  },
});

function start(journal?: Journal) {
  const clock = handClock();
  const closing = new AbortController();
  const remembered = { changes: 100, characters: 100_000 };
  const store = memoryStore({ remembered, ...(journal === undefined ? {} : { journal }) });
  const events = store.collection('/events');
  const deleted: string[] = [];
  events.listen(({ type, stored }) => {
    if (type === 'DELETED') deleted.push(stored.metadata.name ?? '');
  });
  const left = (): string[] => events.list(undefined, '').map(({ metadata }) => metadata.name ?? '');
  const begin = (): void => expireEvents({ store, clock, closing: closing.signal });
  return { clock, closing, store, events, deleted, left, begin };
}

test('an event goes an hour after its last write, and watches hear of it (KSIM-EXPIRY-1)', () => {
  const { clock, events, deleted, left, begin } = start();
  begin();
  events.put(event('a'));
  clock.advance(HOUR_MS / 2);
  events.put(event('b'));
  events.put(event('c'));
  clock.advance(HOUR_MS / 2 - 1);
  events.put(event('b'));
  assert.equal(left(), ['a', 'b', 'c']);
  clock.advance(1);
  assert.equal(left(), ['b', 'c']);
  clock.advance(HOUR_MS / 2);
  assert.equal(left(), ['b']);
  clock.advance(HOUR_MS);
  assert.equal(left(), []);
  assert.equal(deleted, ['a', 'c', 'b']);
  assert.not(clock.waiting(), 'nothing is left to wait for');
});

test('an event that was deleted is not waited for', () => {
  const { clock, events, left, begin } = start();
  begin();
  events.put(event('a'));
  events.remove('default', 'a');
  events.put(event('b'));
  clock.advance(HOUR_MS - 1);
  assert.equal(left(), ['b']);
  clock.advance(1);
  assert.equal(left(), []);
});

test('after a restart events have what is left of their hour (KSIM-EXPIRY-2)', () => {
  const { clock, events, left, begin } = start();
  clock.advance(2 * HOUR_MS - 1_000_000);
  const [now, minute] = [clock.now(), 60_000];
  events.put(event('a-old', now - HOUR_MS - minute));
  events.put(event('b-changed', now - HOUR_MS - minute, now - 30 * minute));
  events.put(event('c-young', now - 59 * minute));
  begin();
  clock.advance(0);
  assert.equal(left(), ['b-changed', 'c-young']);
  clock.advance(minute + 999);
  assert.equal(left(), ['b-changed']);
  clock.advance(29 * minute);
  assert.equal(left(), []);
});

test('an end that could not be kept comes again', async () => {
  let isFull = false;
  let writes = 0;
  const { clock, store, events, deleted, left, begin } = start({
    async write() {
      writes++;
      if (isFull) throw new Error('full');
    },
    pause: () => Promise.resolve(),
  });
  begin();
  events.put(event('a', clock.now()));
  assert.is(await store.settled(), undefined);
  isFull = true;
  clock.advance(HOUR_MS);
  assert.equal(left(), []);
  assert.is((await store.settled())?.message, 'full');
  assert.equal(left(), ['a'], 'as the journal has it');
  isFull = false;
  clock.advance(999);
  assert.equal(left(), []);
  assert.is(await store.settled(), undefined);
  assert.equal(deleted, ['a'], 'watches hear of it once');
  assert.is(writes, 3);
});

test('nothing is waited for when the server closes', () => {
  const { clock, closing, events, begin } = start();
  begin();
  events.put(event('a'));
  assert.ok(clock.waiting());
  closing.abort();
  assert.not(clock.waiting());
});

test.run();
