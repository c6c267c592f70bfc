// What is particular to NATS: the words on the wire, and what others may do to the server meanwhile.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { TerminalError, TransientError } from '../../bus/errors.ts';
import { natsBus } from '../../bus/nats-bus.ts';
import { mailboxSubject, shardOf } from '../../bus/subjects.ts';
import {
  address,
  clock,
  each,
  eventually,
  everything,
  type Harness,
  object,
  read,
  rejection,
  store,
  until,
  within,
} from './harness.ts';
import { LEASE_MS, type NatsDeployment } from './nats.harness.ts';

export interface NatsHarness extends Harness {
  open(): Promise<NatsDeployment>;
}
type Body = (deployment: NatsDeployment, admin: NatsConnection) => Promise<void>;

/** A deployment, and a connection past our own code. */
export function on(harness: NatsHarness, body: Body): () => Promise<void> {
  return async () => {
    const deployment = await harness.open();
    const { host, username, password } = new URL(deployment.url);
    const admin = await connect({ servers: host, user: username, pass: password });
    try {
      await body(deployment, admin);
    } finally {
      await admin.close();
      await deployment.close();
    }
  };
}

export async function api(
  admin: NatsConnection,
  operation: string,
  request: object = {},
): Promise<Record<string, unknown>> {
  const message = await admin.request(`$JS.API.${operation}`, JSON.stringify(request), { timeout: 60_000 });
  return message.json();
}

/** What fills a server: by itself, so that others have theirs. */
export function deliverySuite(test: uvu.Test<Record<string, unknown>>, harness: NatsHarness): void {
  const called = (title: string): string => `${harness.name}: ${title}`;

  test(
    called('delivery in a shard that was empty when its reader came is as quick as in others, in a filled stream'),
    on(harness, async (deployment) => {
      const bus = await deployment.connect('a');
      const names = Array.from({ length: 30_000 }, (_, at) => `n${at}`);
      const shard = (name: string): number => shardOf(address(name), bus.mailbox.shards);
      const [empty, other] = [7, 8];
      const filled = names.filter((name) => shard(name) !== empty);
      await each(filled.length, 500, (at) => store(bus, filled[at] ?? '', 0));
      const heard: number[] = [];
      let replayed = 0;
      for (const each of [empty, other]) {
        const handlers = { onMail: () => heard.push(each), onReplayed: () => (replayed += 1) };
        await bus.mailbox.subscribe({ shards: [each] }, handlers);
      }
      await until('the replays', () => replayed === 2);
      // Of two that are sent together either may come first; a slow shard comes last, whichever is sent first.
      const overtaken = { [empty]: 0, [other]: 0 };
      for (let round = 0; round < 60; round += 1) {
        heard.length = 0;
        const sent = round % 2 === 0 ? [empty, other] : [other, empty];
        const name = (wanted: number): string => names.findLast((each) => shard(each) === wanted) ?? '';
        await Promise.all(sent.map((each) => store(bus, name(each), round)));
        await until('both deliveries', () => heard.length === 2);
        if (heard[0] !== sent[0]) overtaken[sent[0] as number] = (overtaken[sent[0] as number] ?? 0) + 1;
      }
      assert.ok((overtaken[empty] ?? 0) <= (overtaken[other] ?? 0) + 15, JSON.stringify(overtaken));
    }),
  );
}

export function natsSuite(test: uvu.Test<Record<string, unknown>>, harness: NatsHarness): void {
  const called = (title: string): string => `${harness.name}: ${title}`;

  test(
    called('a reader whose consumer was deleted goes on where it was'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a');
      for (let value = 0; value < 20; value += 1) await store(bus, `n${value}`, value);
      const reader = await read(bus, everything(bus));
      await until('the replay', () => reader.replayed === 1);
      const { consumers } = (await api(admin, 'CONSUMER.NAMES.TROUPE_MAIL')) as { consumers: string[] };
      assert.is(consumers.length, 1);
      await api(admin, `CONSUMER.DELETE.TROUPE_MAIL.${consumers[0]}`);
      await store(bus, 'n3', 100);
      await store(bus, 'n4', 101);
      await until('what came meanwhile', () => reader.newest('n4')?.payload['value'] === 101);
      assert.is(reader.mail.length, 22);
    }),
  );

  test(
    called('a process that is given much mail keeps its leases, and its requests are answered (BUS-5)'),
    on(harness, async (deployment) => {
      const [writer, holder] = [await deployment.connect('a'), await deployment.connect('b')];
      const value = 'x'.repeat(4_000);
      await each(500, 100, async (at) => {
        await writer.mailbox.publish(object(`n${at}`), { value }, 0);
      });
      const lease = await holder.leases.acquire('shard.1', 'b');
      deployment.throttle(holder, 100); // twenty seconds of mail
      const reader = await read(holder, everything(holder));
      await clock.sleep(1.5 * LEASE_MS);
      assert.is(reader.replayed, 0, 'there is mail on its way still');
      assert.ok((lease?.endsAt() ?? 0) > clock.now());
      await within('an answer', holder.mailbox.last(object('n0')));
    }),
  );

  test(
    called('a process that hears no mail says so, and gives its leases up (BUS-5)'),
    on(harness, async (deployment) => {
      const [deaf, other] = [await deployment.connect('a'), await deployment.connect('b')];
      const reported: string[] = [];
      deaf.onConnectivity(({ kind }) => reported.push(kind));
      const lease = await deaf.leases.acquire('shard.1', 'a');
      assert.is(await other.leases.acquire('shard.1', 'b'), undefined);
      const hear = deployment.deafen(deaf);
      await within('the loss', lease?.lost ?? Promise.resolve());
      assert.is((await deaf.mailbox.publish(object('n'), {}, 0)).kind, 'stored', 'it could still speak');
      assert.ok(
        await eventually(
          async () => (await other.leases.acquire('shard.1', 'b')) ?? Promise.reject(new TransientError('not yet')),
        ),
      );
      hear();
      await until('the connection', () => reported.at(-1) === 'connected');
      assert.equal(reported, ['disconnected', 'connected']);
    }),
  );

  test(
    called('closing a reader deletes its consumer'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a');
      const reader = await read(bus, everything(bus));
      await reader.close();
      let count = 1;
      const limit = clock.now() + 60_000;
      while (count > 0 && clock.now() < limit) {
        const { consumers } = (await api(admin, 'CONSUMER.NAMES.TROUPE_MAIL')) as { consumers: string[] | null };
        count = consumers?.length ?? 0;
      }
      assert.is(count, 0);
    }),
  );

  test(
    called('a stream that was emptied begins another epoch (BUS-4)'),
    on(harness, async (deployment, admin) => {
      const [a, b] = [await deployment.connect('a'), await deployment.connect('b')];
      await store(a, 'n', 1);
      const before = a.mailbox.epoch().id;
      await api(admin, 'STREAM.PURGE.TROUPE_MAIL');
      await until('another epoch', () => a.mailbox.epoch().id !== before && b.mailbox.epoch().id !== before);
      await until('the same epoch', () => a.mailbox.epoch().id === b.mailbox.epoch().id);
    }),
  );

  test(
    called('a roll-back is noticed even when others have written past it (BUS-4)'),
    on(harness, async (deployment) => {
      const a = await deployment.connect('a');
      for (let value = 0; value < 10; value += 1) await store(a, `a${value}`, value);
      const rollBack = await deployment.snapshot?.();
      const { id } = a.mailbox.epoch();
      for (let value = 10; value < 30; value += 1) await eventually(() => store(a, `a${value}`, value));
      const heal = await deployment.cut(a);
      await rollBack?.();
      const b = await deployment.connect('b');
      assert.is(b.mailbox.epoch().id, id, 'who has seen nothing cannot know');
      for (let value = 0; value < 60; value += 1) await store(b, `b${value}`, value);
      await heal();
      await until('another epoch', () => a.mailbox.epoch().id !== id && b.mailbox.epoch().id !== id);
      assert.is(await b.mailbox.last(object('b1')), undefined);
    }),
  );

  test(
    called('mail on the wire is one line of JSON, without an id'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a');
      const heard = admin.subscribe('troupe.mail.>', { max: 1 });
      await admin.flush();
      await bus.mailbox.publish(object('n'), { spec: { text: 'a\nb' } }, 0);
      for await (const message of heard) {
        assert.is(message.subject, mailboxSubject(object('n')));
        assert.is(message.string(), '{"spec":{"text":"a\\nb"}}');
        assert.not(message.headers?.has('Nats-Msg-Id'));
        assert.is(message.headers?.get('Troupe-Format'), '2');
        assert.not(message.headers?.has('traceparent'));
      }
    }),
  );

  test(
    called('mail that is too large is refused for good'),
    on(harness, async (deployment) => {
      const bus = await deployment.connect('a');
      const text = 'x'.repeat(5_000_000);
      assert.instance(await rejection(bus.mailbox.publish(object('n'), { text }, 0)), TerminalError);
      assert.is((await bus.mailbox.publish(object('n'), { text: '' }, 0)).kind, 'stored');
    }),
  );

  test(
    called('an event on the wire is a CloudEvent'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('pod-1');
      const heard = admin.subscribe('troupe.event.>', { max: 1 });
      await admin.flush();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      bus.trace.emit({ actor: address('a.b'), type: 'transition', traceparent, data: { to: 'ready' } });
      for await (const message of heard) {
        assert.is(message.subject, 'troupe.event.openstack.networks.default.a%2Eb.transition');
        assert.is(message.headers?.get('Content-Type'), 'application/cloudevents+json');
        const { id, time, ...rest } = message.json<Record<string, string>>();
        assert.match(id ?? '', /^pod-1-[0-9a-f]{16}$/);
        assert.match(time ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        assert.is(message.headers?.get('traceparent'), traceparent);
        assert.equal(rest, {
          specversion: '1.0',
          source: '/troupe/pod-1',
          type: 'troupe.transition',
          subject: 'openstack.networks.default.a%2Eb',
          traceparent,
          datacontenttype: 'application/json',
          data: { to: 'ready' },
        });
      }
    }),
  );

  test(
    called('what is no CloudEvent of ours is heard by nobody'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a');
      const heard: string[] = [];
      await bus.trace.subscribe(({ type, data }) => heard.push(`${type} ${JSON.stringify(data)}`));
      const subject = 'troupe.event.openstack.networks.default.n.transition';
      for (const text of ['{{', '[]', 'null', '{}', '{"data":{}}', '{"time":"never","data":{}}', '{"time":7}']) {
        admin.publish(subject, text);
      }
      admin.publish('troupe.event.n.transition', '{"time":"2026-01-01T00:00:00Z"}');
      await admin.flush();
      bus.trace.emit({ actor: address('n'), type: 'transition', data: { to: 'ready' } });
      await until('ours', () => heard.includes('transition {"to":"ready"}'));
      assert.equal(heard, ['transition {"to":"ready"}']);
    }),
  );

  test(
    called('a service shows itself, and refuses in the words of the services API'),
    on(harness, async (deployment, admin) => {
      const bus = await deployment.connect('a');
      const handle = async (): Promise<never> => {
        throw new TerminalError('a subnet\nwithout a range');
      };
      const endpoint = { subject: 'openstack.subnets.create', handle };
      await bus.services.serve('openstack', '1.2.3', 'OpenStack', [endpoint]);
      const info = (await admin.request('$SRV.INFO.openstack')).json<Record<string, unknown>>();
      assert.is(info['version'], '1.2.3');
      const [shown] = info['endpoints'] as Record<string, unknown>[];
      assert.is(shown?.['name'], 'openstack-subnets-create');
      assert.is(shown?.['subject'], 'troupe.openstack.subnets.create');
      const answer = await admin.request('troupe.openstack.subnets.create', '{}');
      assert.is(answer.headers?.get('Nats-Service-Error'), 'a subnet without a range');
      assert.is(answer.headers?.get('Nats-Service-Error-Code'), '400');
      assert.is(answer.json<{ code: string }>().code, 'terminal');
      const garbled = await admin.request('troupe.openstack.subnets.create', 'not JSON');
      assert.is(garbled.json<{ message: string }>().message, 'the request is no JSON object');
      const stats = (await admin.request('$SRV.STATS.openstack')).json<{ endpoints: Record<string, unknown>[] }>();
      const [counted] = stats.endpoints;
      assert.equal([counted?.['num_requests'], counted?.['num_errors']], [2, 2]);
      assert.is(counted?.['last_error'], 'the request is no JSON object');
      const ping = (await admin.request('$SRV.PING')).json<Record<string, string>>();
      assert.equal([ping['type'], ping['name']], ['io.nats.micro.v1.ping_response', 'openstack']);
      assert.is((await admin.request(`$SRV.PING.openstack.${ping['id']}`)).json<{ id: string }>().id, ping['id']);
    }),
  );

  test(
    called('what is held counts as a request of its service'),
    on(harness, async (deployment, admin) => {
      const [a, b] = [await deployment.connect('a'), await deployment.connect('b')];
      const endpoint = { subject: 'press.books.print', handle: async () => ({ bound: true }) };
      await a.services.serve('press', '1.0.0', 'books', [endpoint]);
      const { signal } = new AbortController();
      const [beginBy, validUntil] = [clock.now() + 60_000, () => clock.now() + LEASE_MS];
      const options = { signal, onProgress: () => undefined, beginBy, validUntil };
      assert.equal(await b.services.callLong(endpoint.subject, {}, options), { bound: true });
      const stats = (await admin.request('$SRV.STATS.press')).json<{ endpoints: Record<string, unknown>[] }>();
      const [counted] = stats.endpoints;
      assert.equal([counted?.['num_requests'], counted?.['num_errors']], [1, 0]);
      // Asked as any other, it is answered as any other.
      assert.equal((await admin.request('troupe.press.books.print', '{}')).json(), { bound: true });
    }),
  );

  test(
    called('in a deployment that may not be new, the first lease waits a lease time (BUS-5)'),
    on(harness, async (deployment) => {
      const startedAt = clock.now();
      const options = { firstLease: 'wait', leaseMs: 2 * LEASE_MS } as const;
      const [a, b] = [await deployment.connect('a', options), await deployment.connect('b', options)];
      const error = (await rejection(b.leases.acquire('x', 'b'))) as TransientError;
      assert.instance(error, TransientError);
      assert.ok((error.retryAfterMs ?? 0) > 0);
      let lease: unknown;
      while (lease === undefined && clock.now() < startedAt + 60_000) {
        try {
          lease = await a.leases.acquire('x', 'a');
        } catch (waiting) {
          assert.instance(waiting, TransientError);
          await clock.sleep(20);
        }
      }
      assert.ok(lease !== undefined && clock.now() - startedAt > 1.6 * LEASE_MS);
      assert.is(await (await deployment.connect('c')).leases.acquire('x', 'c'), undefined);
    }),
  );

  test(
    called('the bucket keeps the longest lease time in use (BUS-5)'),
    on(harness, async (deployment, admin) => {
      const maxAgeMs = async (): Promise<number> => {
        const { config } = (await api(admin, 'STREAM.INFO.KV_TROUPE_LEASES')) as { config: { max_age: number } };
        return config.max_age / 1_000_000;
      };
      const longMs = 4 * LEASE_MS;
      const long = await deployment.connect('a', { leaseMs: longMs });
      assert.is(await maxAgeMs(), longMs);
      const lease = await long.leases.acquire('x', 'a');
      assert.ok(lease !== undefined);
      const short = await deployment.connect('b', { leaseMs: LEASE_MS });
      assert.is(await maxAgeMs(), longMs, 'the holder of a long lease counts on it');
      await lease?.release();
      assert.ok((await short.leases.acquire('y', 'b')) !== undefined);
      assert.is(await maxAgeMs(), LEASE_MS);
      assert.ok((await long.leases.acquire('x', 'a')) !== undefined);
      assert.is(await maxAgeMs(), longMs);
    }),
  );

  test(
    called('a first connection that fails says what, where and what to do'),
    on(harness, async (deployment) => {
      const { port, host } = new URL(deployment.url);
      const options = { process: 'a', clock };
      const refused = await rejection(natsBus({ ...options, url: 'nats://127.0.0.1:1' }));
      assert.match(refused.message, /^cannot connect to nats at nats:\/\/127\.0\.0\.1:1: connection refused; check/);
      const door = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
      await once(door, 'listening');
      const shut = await rejection(
        natsBus({ ...options, url: `nats://127.0.0.1:${(door.address() as AddressInfo).port}` }),
      );
      assert.match(shut.message, 'connection refused; check that it runs there');
      door.close();
      const wrong = await rejection(natsBus({ ...options, url: `nats://troupe:wrong-secret@${host}` }));
      assert.match(wrong.message, `nats://127.0.0.1:${port}: it refuses us; check user and password`);
      assert.not.match(wrong.message, 'wrong-secret');
      const unknown = await rejection(natsBus({ ...options, url: 'nats://host.invalid' }));
      assert.match(unknown.message, 'the host is not known; check the address');
      const address = await rejection(natsBus({ ...options, url: 'http://x' }));
      assert.match(address.message, "must be like 'nats://host:4222'");
      const file = await rejection(natsBus({ ...options, url: deployment.url, credentialsFile: '/nowhere/x.creds' }));
      assert.match(file.message, 'check the files');
      const prefix = await rejection(natsBus({ ...options, url: deployment.url, prefix: 'a.b' }));
      assert.match(prefix.message, "got 'a.b'");
    }),
  );
}
