// Reading a stream without a consumer, in batches and, as of servers before 2.11, message by message.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connection, connectNats } from '../../bus/connection.ts';
import { leaseKey } from '../../bus/lease-names.ts';
import { createStream, publishMessage, streamInfo } from '../../bus/nats-api.ts';
import { type Kept, keptMessages } from '../../bus/nats-direct-reads.ts';
import { NatsLeases } from '../../bus/nats-leases.ts';
import { startNatsServer } from '../../bus/nats-server.ts';
import { findNatsServer } from '../world/environments.ts';
import { clock } from './harness.ts';

const found = await findNatsServer();
const program = 'program' in found ? found.program : '';
const test = suite('direct reads');

const CONFIG = {
  name: 'KEPT',
  description: '',
  subjects: ['kept.>'],
  storage: 'memory',
  retention: 'limits',
  discard: 'old',
  max_msgs_per_subject: -1,
  max_age: 0,
  duplicate_window: 0,
  num_replicas: 1,
  allow_direct: true,
} as const;

/** A message as it is compared. */
interface Read {
  readonly subject: string;
  readonly step: number;
  readonly sequence: number;
  readonly keptAt: number;
}

interface Scene {
  /** Two connections: the second reads message by message. */
  readonly readers: readonly Connection[];
  publish(subject: string, step: number): Promise<void>;
  read(reader: Connection, which: Omit<Kept, 'info'>): Promise<readonly Read[]>;
}

function on(body: (scene: Scene) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-reads-'));
    const server = await startNatsServer({
      clock,
      path: '',
      onProgress: () => undefined,
      program,
      cacheFolder: folder,
      fetch: globalThis.fetch,
      folder,
    });
    const connected = (): Promise<Connection> =>
      connectNats({ url: server.url, name: 'test', inboxPrefix: '_INBOX', onRefusal: () => undefined, clock });
    const [one, other] = [await connected(), await connected()];
    Object.assign(other, { isAtLeast: () => false });
    try {
      await createStream(one, CONFIG);
      await body({
        readers: [one, other],
        async publish(subject, step) {
          assert.is((await publishMessage(one, subject, { step })).kind, 'stored');
        },
        async read(reader, which) {
          const info = await streamInfo(reader, CONFIG.name);
          assert.ok(info);
          return Array.fromAsync(keptMessages(reader, { info, ...which }), ({ subject, data, sequence, keptAt }) => {
            const { step } = JSON.parse(new TextDecoder().decode(data));
            return { subject, step, sequence, keptAt };
          });
        },
      });
    } finally {
      await Promise.all([one.close(), other.close()]);
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
}

const steps = (messages: readonly Read[]): number[] => messages.map(({ step }) => step);

test(
  'both ways read the same: by filter, and from a time on, across more than one batch',
  on(async ({ readers, publish, read }) => {
    // What one connection sends is stored in its order.
    for (let first = 0; first < 1_100; first += 100) {
      const steps = Array.from({ length: 100 }, (_, at) => first + at);
      await Promise.all(steps.map((step) => publish(step % 3 === 0 ? 'kept.third' : 'kept.other', step)));
      await clock.sleep(2);
    }
    const [reader = assert.unreachable() as never] = readers;
    const all = await read(reader, { filter: 'kept.>' });
    assert.is(all.length, 1_100);
    const since = Math.ceil(all[700]?.keptAt ?? 0);
    const later = all.filter(({ keptAt }) => keptAt >= since);
    assert.ok(later.length > 0 && later.length < 500);
    for (const each of readers) {
      assert.equal(await read(each, { filter: 'kept.>' }), all);
      assert.equal(
        steps(await read(each, { filter: 'kept.third' })),
        steps(all).filter((step) => step % 3 === 0),
      );
      assert.equal(await read(each, { filter: 'kept.>', since }), later);
      assert.equal(await read(each, { filter: 'kept.>', since: clock.now() + 60_000 }), []);
      assert.equal(await read(each, { filter: 'kept.nothing', since: 0 }), []);
    }
  }),
);

test(
  'an empty stream has nothing, and what comes while it is read is not read',
  on(async ({ readers, publish }) => {
    for (const reader of readers) {
      const empty = await streamInfo(reader, CONFIG.name);
      assert.ok(empty);
      assert.equal(await Array.fromAsync(keptMessages(reader, { info: empty, filter: 'kept.>' })), []);
    }
    for (const step of [0, 1, 2]) await publish('kept.a', step);
    for (const reader of readers) {
      const info = await streamInfo(reader, CONFIG.name);
      assert.ok(info);
      let read = 0;
      for await (const _ of keptMessages(reader, { info, filter: 'kept.>' })) {
        if (read === 0) await publish('kept.a', 3);
        read += 1;
      }
      assert.is(read, info.lastSequence);
    }
  }),
);

test(
  '33.B8: a lease that is renewed while the leases are listed is told as held',
  on(async ({ readers }) => {
    const [writer = assert.unreachable() as never] = readers;
    const options = {
      isOfUse: () => true,
      bucket: 'L',
      leaseMs: 60_000,
      replicas: 1,
      firstLease: 'immediate',
    } as const;
    const holder = new NatsLeases({ ...options, connection: writer });
    await holder.open();
    const names = Array.from({ length: 40 }, (_, at) => `shard-${at}`);
    for (const name of names) assert.ok(await holder.acquire(name, 'a'));
    /** As each holder does every fifth of a lease. */
    const renewAll = async (): Promise<void> => {
      for (const name of names) {
        const record = { name, holder: 'a', token: 't', leaseMs: 60_000 };
        await publishMessage(writer, `$KV.L.${leaseKey(name)}`, record);
      }
    };
    for (const reader of readers) {
      // What comes back from the server is older than the renewals, whatever was asked.
      const slow: Connection = Object.create(reader, {
        request: {
          value: async (...args: Parameters<Connection['request']>) => {
            const answer = await reader.request(...args);
            if (args[0].startsWith('$JS.API.STREAM.INFO')) await renewAll();
            return answer;
          },
        },
        newInbox: { value: () => reader.newInbox() },
        listen: { value: (...args: Parameters<Connection['listen']>) => reader.listen(...args) },
        send: { value: (...args: Parameters<Connection['send']>) => reader.send(...args) },
        clock: { value: reader.clock },
        connectivity: { value: reader.connectivity },
        away: { value: () => reader.away() },
        isAtLeast: { value: (...args: Parameters<Connection['isAtLeast']>) => reader.isAtLeast(...args) },
      });
      const leases = await new NatsLeases({ ...options, connection: slow, role: 'reader' }).list();
      assert.equal(leases.map(({ name }) => name).sort(), [...names].sort());
    }
    await holder.close();
  }),
);

if ('refusal' in found) console.log(`skipped: ${found.refusal}`);
else test.run();
