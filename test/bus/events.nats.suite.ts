// Where events are kept on NATS: a stream of its own, as the last process to start wants it, and nobody's condition.
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { AbsentError } from '../../bus/errors.ts';
import type { NatsBusOptions } from '../../bus/nats-bus.ts';
import { address, object, rejection, until } from './harness.ts';
import { api, type NatsHarness, on } from './nats.suite.ts';

const STREAM = 'TROUPE_HISTORY';

export function natsEventsSuite(test: uvu.Test<Record<string, unknown>>, harness: NatsHarness): void {
  const called = (title: string): string => `${harness.name}: ${title}`;
  const limited = (maxAgeMs: number, maxBytes: number): Partial<NatsBusOptions> => ({ events: { maxAgeMs, maxBytes } });

  test(
    called('the stream of events has the limits of whoever started last, and what others set besides'),
    on(harness, async (deployment, admin) => {
      const config = async (): Promise<Record<string, unknown>> =>
        (await api(admin, `STREAM.INFO.${STREAM}`))['config'] as Record<string, unknown>;
      await deployment.connect('a', limited(60_000, 1_000_000));
      assert.is((await config())['max_age'], 60_000 * 1_000_000);
      assert.is((await config())['max_bytes'], 1_000_000);
      assert.equal((await config())['subjects'], ['troupe.event.>']);
      await api(admin, `STREAM.UPDATE.${STREAM}`, { ...(await config()), max_msg_size: 100_000 });
      await deployment.connect('b', limited(600_000, 2_000_000));
      assert.is((await config())['max_age'], 600_000 * 1_000_000);
      assert.is((await config())['max_bytes'], 2_000_000);
      assert.is((await config())['max_msg_size'], 100_000);
      await deployment.connect('c', limited(1_000, 2_000_000));
      assert.is(
        (await config())['max_age'],
        1_000 * 1_000_000,
        'also where it is shorter than the window of duplicates',
      );
    }),
  );

  test(
    called('events beyond their size go, the oldest first'),
    on(harness, async (deployment) => {
      const bus = await deployment.connect('a', limited(60_000, 100_000));
      const text = 'x'.repeat(1_000);
      for (let step = 0; step < 300; step += 1)
        bus.trace.emit({ actor: address('n'), type: 'step', data: { step, text } });
      const steps = async (): Promise<number[]> => {
        const read: number[] = [];
        for await (const { data } of bus.trace.history()) read.push(Number(data['step']));
        return read;
      };
      let read: number[] = [];
      while (read.at(-1) !== 299) read = await steps();
      assert.ok(read.length > 20 && read.length < 100, `${read.length} events`);
      assert.equal(
        read,
        read.map((_, at) => 300 - read.length + at),
      );
    }),
  );

  test(
    called('a stream that cannot be made is one warning, and no trouble'),
    on(harness, async (deployment, admin) => {
      await api(admin, 'STREAM.CREATE.OTHERS', {
        name: 'OTHERS',
        subjects: ['troupe.event.>'],
        storage: 'memory',
        retention: 'limits',
        num_replicas: 1,
      });
      const warnings: string[] = [];
      const bus = await deployment.connect('a', { onWarning: (message) => warnings.push(message) });
      assert.is(warnings.length, 1);
      assert.match(warnings[0] ?? '', `events are not kept in stream '${STREAM}': nats refused`);
      assert.is((await bus.mailbox.publish(object('n'), {}, 0)).kind, 'stored');
      bus.trace.emit({ actor: address('n'), type: 'step', data: {} });
      assert.instance(await rejection(bus.trace.history()[Symbol.asyncIterator]().next()), AbsentError);
    }),
  );

  test(
    called('whoever keeps no events makes no stream, and says so when asked for them'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a', { events: 'none' });
      const { error } = (await api(admin, `STREAM.INFO.${STREAM}`)) as { error?: { err_code: number } };
      assert.is(error?.err_code, 10_059);
      const refused = await rejection(bus.trace.history()[Symbol.asyncIterator]().next());
      assert.instance(refused, AbsentError);
      assert.match(refused.message, STREAM);
    }),
  );

  test(
    called('a server that comes back empty keeps events again'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a');
      const reported: string[] = [];
      bus.onConnectivity(({ kind }) => reported.push(kind));
      const heal = await deployment.cut(bus);
      await api(admin, `STREAM.DELETE.${STREAM}`);
      await heal();
      await until('the connection', () => reported.at(-1) === 'connected');
      let found = false;
      while (!found) found = !('error' in (await api(admin, `STREAM.INFO.${STREAM}`)));
    }),
  );

  test(
    called('a reader of the history leaves nothing on the server'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a');
      bus.trace.emit({ actor: address('n'), type: 'step', data: {} });
      for await (const _ of bus.trace.history()) break;
      let left = 1;
      while (left > 0) {
        const { consumers } = (await api(admin, `CONSUMER.NAMES.${STREAM}`)) as { consumers: string[] | null };
        left = consumers?.length ?? 0;
      }
    }),
  );
}
