import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/clock.ts';
import { registry } from '../../actors/registry.ts';
import { watchCluster } from '../../actors/watcher.ts';
import { memoryBroker, TransientError } from '../../bus/mod.ts';

const test = suite('watcher');

test('a term that could not begin does not keep the next from beginning', async () => {
  const clock = systemClock();
  const bus = memoryBroker({ clock }).connect();
  const second = Promise.withResolvers<void>();
  let terms = 0;
  const { subscribe } = bus.mailbox;
  bus.mailbox.subscribe = async (filter, handlers) => {
    terms += 1;
    if (terms === 1) throw new TransientError('the bus is away');
    second.resolve();
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
    { bus, client, objects: {} as never, registry: known, namespaces: undefined, clock, log, pod: 'a' },
    stop.signal,
  );
  const deadline = new AbortController();
  const late = clock.sleep(5_000, deadline.signal).then(() => 'late');
  assert.is(await Promise.race([second.promise, late]), undefined);
  deadline.abort();
  stop.abort();
  await running;
  await bus.close();
});

test.run();
