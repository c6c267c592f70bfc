import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registry } from '../../../actors/object/registry.ts';
import { NO_LOCAL_ACTORS } from '../../../actors/sharding/local-delivery.ts';
import { noteOf } from '../../../actors/sharding/served-kinds.ts';
import { watchCluster } from '../../../actors/watch/watcher.ts';
import {
  type MailboxSubscription,
  type MemoryBroker,
  memoryBroker,
  TerminalError,
  TransientError,
  WATCH_LEASE,
} from '../../../bus/mod.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';
import { simulatedClock } from '../../world/clock.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('watcher');
const clock = simulatedClock();

/** Says 'late' unless a second term begins. @param first  what becomes of the first one's subscription */
async function secondTerm(first: (broker: MemoryBroker) => Promise<MailboxSubscription>): Promise<'late' | undefined> {
  const broker = memoryBroker({ clock });
  const bus = broker.connect();
  const second = Promise.withResolvers<undefined>();
  let terms = 0;
  const { subscribe } = bus.mailbox;
  bus.mailbox.subscribe = async (filter, handlers) => {
    terms += 1;
    if (terms === 1) return first(broker);
    second.resolve(undefined);
    return subscribe.call(bus.mailbox, filter, handlers);
  };
  const away = async (): Promise<never> => {
    throw new TransientError('the API server is away');
  };
  const stop = new AbortController();
  const known = registry([], []);
  const log = pino({ level: 'silent' });
  const client = { call: away, watch: away } as never;
  const running = watchCluster(
    {
      bus,
      client,
      objects: {} as never,
      registry: known,
      namespaces: undefined,
      here: NO_LOCAL_ACTORS,
      clock,
      log,
      pod: 'a',
      offer: { kinds: [] },
    },
    stop.signal,
  );
  const deadline = new AbortController();
  const late = clock.sleep(5_000, deadline.signal).then(() => 'late' as const);
  const outcome = await Promise.race([second.promise, late]);
  deadline.abort();
  stop.abort();
  if (outcome === undefined) await running;
  await bus.close();
  return outcome;
}

test('a term that could not begin does not keep the next from beginning', async () => {
  const outcome = await secondTerm(async () => {
    throw new TransientError('the bus is away');
  });
  assert.is(outcome, undefined);
});

test('a term whose mail is lost before it was read ends, and the next begins (P11)', async () => {
  const outcome = await secondTerm(async (broker) => {
    broker.wipeMail();
    return { close: async () => undefined };
  });
  assert.is(outcome, undefined);
});

test('33.E2: whoever watches less of what the pods serve does not lead, and gives way to a process that watches all (WATCHER-6)', async () => {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const broker = memoryBroker({ clock, latencyMs: () => 1 });
  const stop = new AbortController();
  const log = pino({ level: 'silent' });
  const away = async (): Promise<never> => {
    throw new TransientError('the API server is away');
  };
  const client = { call: away, watch: away } as never;
  const begin = (pod: string, kinds: readonly string[]): Promise<void> => {
    const offer = { kinds, watches: true };
    const bus = broker.connect();
    void bus.leases.acquire(`pod.${pod}`, pod, noteOf(offer));
    const base = {
      bus,
      client,
      objects: {} as never,
      registry: registry([], []),
      namespaces: undefined,
      here: NO_LOCAL_ACTORS,
    };
    return watchCluster({ ...base, clock, log, pod, offer }, stop.signal);
  };
  const leader = (): string | undefined => broker.leases().find(({ name }) => name === WATCH_LEASE)?.holder;
  const running = [begin('old', ['a.x'])];
  await time.advance(2_000);
  assert.is(leader(), 'old', 'there is nobody else');
  running.push(begin('new', ['a.x', 'b.x']));
  await time.advance(20_000);
  assert.is(leader(), 'new');
  running.push(begin('older', ['a.x']));
  await time.advance(20_000);
  assert.is(leader(), 'new');
  stop.abort();
  await time.advance(5_000);
  await Promise.all(running);
});

test('an object that is too large for the bus does not keep the epoch from being seeded (I11, WATCHER-3)', async () => {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const bus = memoryBroker({ clock, shards: 1, latencyMs: () => 1 }).connect();
  const { publish } = bus.mailbox;
  bus.mailbox.publish = async (...given) => {
    if (JSON.stringify(given[1]).includes('long')) throw new TerminalError('it is too large');
    return publish.apply(bus.mailbox, given);
  };
  const objectOf = (name: string, text: string) => ({
    apiVersion: 'a/v1',
    kind: 'Thing',
    spec: { text },
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '4', generation: 1 },
  });
  const items = [objectOf('small', 'short'), objectOf('large', 'long')];
  const client = {
    call: async () => ({ body: { metadata: { resourceVersion: '5' } } }),
    async *stream(_path: string, _accept: string, signal: AbortSignal) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  } as never;
  const objects = { list: async () => ({ items, resourceVersion: '5', serverTime: 7_000 }) } as never;
  const known = registry([simpleKind({ realm: 'a', kind: 'Thing', plural: 'things' })], []);
  const stop = new AbortController();
  const base = { bus, client, objects, registry: known, namespaces: undefined, here: NO_LOCAL_ACTORS, clock };
  void watchCluster({ ...base, log: pino({ level: 'silent' }), pod: 'a', offer: { kinds: [] } }, stop.signal);
  await time.advance(10_000);
  assert.is(bus.mailbox.epoch().seededAt, 7_000);
  stop.abort();
  await time.advance(2_000);
  bus.crash();
});

test.run();
