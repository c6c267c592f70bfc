// What every mailbox must do (BUS-1 to BUS-4).
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../bus/errors.ts';
import { type ActorSubject, type MailboxSubject, shardOf } from '../../bus/subjects.ts';
import { address, each, everything, type Harness, nameOf, object, on, read, rejection, store } from './harness.ts';

export function mailboxSuite(test: uvu.Test<Record<string, unknown>>, harness: Harness): void {
  const called = (title: string): string => `${harness.name}: ${title}`;

  test(
    called('a publication is stored only on the sequence it expects (BUS-2)'),
    on(harness, async ({ connect }) => {
      const { mailbox } = await connect('a');
      assert.equal(await mailbox.publish(object('n'), { value: 1 }, 7), { kind: 'stale' });
      const first = await mailbox.publish(object('n'), { value: 1 }, 0);
      assert.is(first.kind, 'stored');
      assert.equal(await mailbox.publish(object('n'), { value: 2 }, 0), { kind: 'stale' });
      const sequence = first.kind === 'stored' ? first.sequence : 0;
      const second = await mailbox.publish(object('n'), { value: 2 }, sequence);
      assert.is(second.kind, 'stored');
      assert.equal(await mailbox.publish(object('n'), { value: 3 }, sequence), { kind: 'stale' });
      assert.is((await mailbox.publish(object('n'), { value: 4 }, undefined)).kind, 'stored');
      assert.equal((await mailbox.last(object('n')))?.payload, { value: 4 });
    }),
  );

  test(
    called('of publications that expect the same, one is stored (BUS-2)'),
    on(harness, async ({ connect }) => {
      const buses = [await connect('a'), await connect('b')];
      let expected = 0;
      for (let round = 0; round < 20; round += 1) {
        const publications = await Promise.all(
          [0, 1, 2, 3, 4, 5].map((value) => buses[value % 2]?.mailbox.publish(object('n'), { round, value }, expected)),
        );
        const stored = publications.filter((publication) => publication?.kind === 'stored');
        assert.is(stored.length, 1);
        expected = stored[0]?.kind === 'stored' ? stored[0].sequence : 0;
      }
    }),
  );

  test(
    called('the last value is found under any name, by any process'),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const to = { realm: 'core', plural: 'nodes', namespace: '', name: 'worker-1.example.com' };
      const subjects: ActorSubject[] = [
        { to, topic: 'object' },
        { to: { ...to, namespace: '_' }, topic: 'object' },
        { to, topic: 'claim', from: { ...to, plural: 'x.y', name: 'a b*>%' } },
        { to, topic: 'ready', from: { ...to, plural: 'x.y', name: 'Ünï' } },
      ];
      for (const [value, subject] of subjects.entries()) {
        assert.is(await b.mailbox.last(subject), undefined);
        await a.mailbox.publish(subject, { value }, 0);
        assert.equal((await b.mailbox.last(subject))?.payload, { value });
        assert.equal((await b.mailbox.last(subject))?.subject, subject);
      }
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      assert.equal(
        reader.mail.map(({ subject }) => subject),
        subjects,
      );
    }),
  );

  test(
    called('mail carries the trace of its cause: read, replayed and live; what is no trace is left out'),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      await a.mailbox.publish(object('replayed'), {}, 0, { traceparent });
      await a.mailbox.publish(object('malformed'), {}, 0, { traceparent: `${traceparent}\r\nNats-Msg-Id: 1` });
      assert.is((await b.mailbox.last(object('replayed')))?.traceparent, traceparent);
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      await a.mailbox.publish(object('live'), {}, 0, { traceparent });
      await a.mailbox.publish(object('untraced'), {}, 0);
      await until('the mail', () => reader.mail.length === 4);
      assert.equal(
        reader.mail.map((mail) => mail.traceparent),
        [traceparent, undefined, traceparent, undefined],
      );
      assert.not('traceparent' in (reader.newest('untraced') ?? {}));
    }),
  );

  test(
    called('people are shown all that lies in the mail to and from one actor, with when it came'),
    on(harness, async ({ connect, clock }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const [net, sub, other] = [address('a.b'), address('s', 'subnets'), address('a')];
      const began = clock.now();
      const subjects: ActorSubject[] = [
        { to: net, topic: 'object' },
        { to: net, topic: 'claim', from: sub },
        { to: sub, topic: 'ready', from: net },
      ];
      const strangers: ActorSubject[] = [
        { to: sub, topic: 'object' },
        { to: other, topic: 'object' },
        { to: other, topic: 'claim', from: sub },
        { to: sub, topic: 'ready', from: other },
      ];
      for (const [value, subject] of [...subjects, ...strangers].entries()) {
        await a.mailbox.publish(subject, { value }, undefined);
      }
      await a.mailbox.publish({ to: net, topic: 'object' }, { value: 'newer' }, undefined);
      const mail = await b.mailbox.readMessagesOf(net, 10);
      assert.equal(
        mail.map(({ subject, payload }) => [subject.topic, payload['value']]),
        [
          ['claim', 1],
          ['ready', 2],
          ['object', 'newer'],
        ],
      );
      assert.equal(mail.map(({ subject }) => subject).slice(0, 2), subjects.slice(1));
      for (const { storedAt } of mail) assert.ok(Math.abs(storedAt - began) < 60_000, `${storedAt}`);
      assert.equal(
        (await b.mailbox.readMessagesOf(net, 2)).map(({ payload }) => payload['value']),
        [2, 'newer'],
        'the newest',
      );
      assert.is((await b.mailbox.readMessagesOf(sub, 10)).length, 5);
      assert.equal(await b.mailbox.readMessagesOf(address('unknown'), 10), []);
    }),
  );

  test(
    called('a value is removed by its sequence, a newer one is not'),
    on(harness, async ({ connect }) => {
      const bus = await connect('a');
      const first = await store(bus, 'n', 1);
      const second = await store(bus, 'n', 2);
      await bus.mailbox.remove(first);
      assert.equal((await bus.mailbox.last(object('n')))?.payload, { value: 2 });
      await bus.mailbox.remove(second);
      await bus.mailbox.remove(second);
      assert.is(await bus.mailbox.last(object('n')), undefined);
      assert.is((await bus.mailbox.publish(object('n'), { value: 3 }, 0)).kind, 'stored');
    }),
  );

  test(
    called('a reader gets what is stored, then hears so, then what comes (BUS-1, BUS-3)'),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      for (let value = 0; value < 30; value += 1) await store(a, `n${value % 10}`, value);
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      assert.is(reader.replayedAfter, 10);
      for (let value = 30; value < 60; value += 1) await store(a, `n${value % 10}`, value);
      await until('the last value', () => reader.newest('n9')?.payload['value'] === 59);
      for (let name = 0; name < 10; name += 1) assert.equal(reader.newest(`n${name}`)?.payload, { value: 50 + name });
      assert.is(reader.replayed, 1);
    }),
  );

  test(
    called('a replay of nothing is complete'),
    on(harness, async ({ connect, until }) => {
      const bus = await connect('a');
      const reader = await read(bus, { shards: [3] });
      await until('the replay', () => reader.replayed === 1);
      const topics = await read(bus, { topic: 'claim' });
      await until('the replay', () => topics.replayed === 1);
      assert.is(reader.mail.length + topics.mail.length, 0);
    }),
  );

  test(
    called('a filter lets through its shards, or its topic, and nothing else'),
    on(harness, async ({ connect, until }) => {
      const bus = await connect('a');
      const names = Array.from({ length: 40 }, (_, at) => `n${at}`);
      const some = [...new Set(names.slice(0, 6).map((name) => shardOf(address(name), bus.mailbox.shards)))];
      const wanted = names.filter((name) => some.includes(shardOf(address(name), bus.mailbox.shards)));
      const readers = [await read(bus, { shards: some }), await read(bus, { topic: 'ready' })] as const;
      for (const name of names) {
        await store(bus, name, 1);
        await bus.mailbox.publish({ to: address(name), topic: 'ready', from: address('other') }, { value: 2 }, 0);
      }
      const late = [await read(bus, { shards: some }), await read(bus, { topic: 'ready' })] as const;
      for (const [byShard, byTopic] of [readers, late]) {
        await until('mail of the shards', () => byShard.mail.length >= 2 * wanted.length);
        await until('mail of the topic', () => byTopic.mail.length >= names.length);
        await until('the replay', () => byShard.replayed + byTopic.replayed === 2);
        assert.equal([...new Set(byShard.mail.map(nameOf))].sort(), [...wanted].sort());
        assert.is(byShard.mail.length, 2 * wanted.length);
        assert.equal([...new Set(byTopic.mail.map(({ subject }) => subject.topic))], ['ready']);
      }
    }),
  );

  test(
    called('what a host leaves to its shard is found by whoever reads the shard, and by nobody else (BUS-2, BUS-3)'),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const left = (shard: number): MailboxSubject => ({ topic: 'creates', shard });
      const shard = shardOf(address('n'), a.mailbox.shards);
      const other = (shard + 1) % a.mailbox.shards;
      for (const each of [shard, other]) {
        assert.is(await b.mailbox.last(left(each)), undefined);
        assert.is((await a.mailbox.publish(left(each), { of: each }, 0)).kind, 'stored');
        assert.equal(await b.mailbox.publish(left(each), { of: 'late' }, 0), { kind: 'stale' });
      }
      await store(a, 'n', 1);
      const found = await b.mailbox.last(left(shard));
      assert.equal([found?.subject, found?.payload], [left(shard), { of: shard }]);
      const live = [await read(b, { shards: [shard] }), await read(b, { topic: 'creates' })];
      await until('the replays', () => live.every(({ replayed }) => replayed === 1));
      await a.mailbox.publish(left(other), { of: 'other' }, undefined);
      await a.mailbox.publish(left(shard), { of: 'newer' }, found?.sequence);
      await until('what comes', () => live.every(({ mail }) => mail.at(-1)?.payload['of'] === 'newer'));
      const [ofShard, ofTopic] = live.map(({ mail }) => mail.map(({ subject, payload }) => [subject, payload]));
      const newer = [left(shard), { of: 'newer' }];
      assert.equal(ofShard, [[left(shard), { of: shard }], [object('n'), { value: 1 }], newer]);
      const others = [left(other), { of: 'other' }];
      assert.equal(ofTopic, [[left(shard), { of: shard }], [left(other), { of: other }], others, newer]);
    }),
  );

  test(
    called('a replay under overwriting and removing misses nothing (BUS-3)'),
    on(harness, async ({ connect, clock, until }) => {
      const [writer, bus] = [await connect('a'), await connect('b')];
      // `kept` are overwritten all the time and must be heard; `fleeting` come and go and must not hold up the replay.
      const kept = Array.from({ length: 1_500 }, (_, at) => `kept${at}`);
      const fleeting = Array.from({ length: 60 }, (_, at) => `fleeting${at}`);
      const any = (names: readonly string[]): string => names[Math.floor(clock.random() * names.length)] ?? '';
      await each(kept.length, 200, (at) => store(writer, kept[at] ?? '', 0));
      let running = true;
      const write = async (): Promise<void> => {
        for (let value = 1; running; value += 1) {
          if (value % 16 === 0) await clock.sleep(1); // a bus that takes no time would leave none for others
          await store(writer, any(kept), value);
          if (value % 4 === 0) await writer.mailbox.remove(await store(writer, any(fleeting), value));
        }
      };
      const writers = Array.from({ length: 8 }, write);
      try {
        for (let trial = 0; trial < 25; trial += 1) {
          const reader = await read(bus, everything(bus));
          await until('the replay', () => reader.replayed === 1);
          const heard = new Set(reader.mail.slice(0, reader.replayedAfter).map(nameOf));
          const missed = kept.filter((name) => !heard.has(name));
          assert.equal(missed, [], `trial ${trial}`);
          await reader.close();
        }
      } finally {
        running = false;
        await Promise.all(writers);
      }
    }),
  );

  test(
    called('thousands of subjects are stored and read'),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      await each(5_000, 200, (at) => store(a, `n${at}`, at));
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      assert.is(reader.replayedAfter, 5_000);
      await each(5_000, 200, (at) => store(a, `n${at}`, at + 1));
      await until('the second values', () => reader.mail.at(-1)?.sequence === 0 || reader.mail.length >= 10_000);
      for (let at = 0; at < 5_000; at += 1) assert.is(reader.newest(`n${at}`)?.payload['value'], at + 1);
    }),
  );

  test(
    called('a closed subscription hears nothing'),
    on(harness, async ({ connect, until }) => {
      const bus = await connect('a');
      const [closed, open] = [await read(bus, everything(bus)), await read(bus, everything(bus))];
      await store(bus, 'n', 1);
      await until('mail', () => open.mail.length === 1 && closed.mail.length === 1);
      await closed.close();
      await store(bus, 'n', 2);
      await until('mail', () => open.mail.length === 2);
      assert.is(closed.mail.length, 1);
    }),
  );

  test(
    called('the time of seeding is stored once for an epoch and told to all'),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      assert.equal(a.mailbox.epoch(), b.mailbox.epoch());
      assert.is(a.mailbox.epoch().seededAt, undefined);
      const reported: (number | undefined)[] = [];
      b.mailbox.watchEpoch(({ seededAt }) => reported.push(seededAt));
      await Promise.all([a.mailbox.markSeeded(1_000), a.mailbox.markSeeded(2_000)]);
      await a.mailbox.markSeeded(3_000);
      await until('the news', () => reported.length > 0);
      assert.is(reported[0], a.mailbox.epoch().seededAt);
      assert.ok([1_000, 2_000].includes(a.mailbox.epoch().seededAt ?? 0));
      assert.equal((await connect('c')).mailbox.epoch(), a.mailbox.epoch());
    }),
  );

  test(
    called('the time of seeding is forgotten for all, and may be stored again'),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      await a.mailbox.markSeeded(1_000);
      const { id } = a.mailbox.epoch();
      await until('the seeding', () => b.mailbox.epoch().seededAt === 1_000);
      await Promise.all([a.mailbox.forgetSeeded(5_000), b.mailbox.forgetSeeded(5_000)]);
      const forgotten = { id, seededAt: undefined, witnessedFrom: 5_000 };
      assert.equal(a.mailbox.epoch(), forgotten);
      assert.equal((await connect('c')).mailbox.epoch(), forgotten);
      await b.mailbox.markSeeded(2_000);
      await until('the other seeding', () => a.mailbox.epoch().seededAt === 2_000);
      assert.equal(a.mailbox.epoch(), { ...forgotten, seededAt: 2_000 });
    }),
  );

  test(
    called('mail that was lost while connected is noticed before any new value is read (BUS-4)'),
    on(harness, async ({ connect, wipeMail, clock, lateEffectMs, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      for (let value = 0; value < 5; value += 1) await store(a, `n${value}`, value);
      await a.mailbox.markSeeded(1_000);
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      await until('the seeding', () => b.mailbox.epoch().seededAt === 1_000);
      const before = a.mailbox.epoch().id;
      const startedAt = clock.now();
      await wipeMail();
      await until(
        'another epoch',
        () => a.mailbox.epoch().id !== before && b.mailbox.epoch().id !== before,
        3_000 + lateEffectMs,
      );
      assert.ok(clock.now() - startedAt < 3_000 + lateEffectMs);
      assert.equal(a.mailbox.epoch(), b.mailbox.epoch());
      assert.is(a.mailbox.epoch().seededAt, undefined);
      assert.is(await b.mailbox.last(object('n1')), undefined);
      await store(a, 'n1', 9);
      const anew = await read(b, everything(b));
      await until('the replay', () => anew.replayed === 1);
      assert.equal(
        anew.mail.map(({ payload }) => payload),
        [{ value: 9 }],
      );
      assert.is(reader.mail.length, 5, 'the reader of the old epoch has ended');
    }),
  );

  test(
    called(
      '33.B4: an epoch that is ended by somebody loses all mail, is noticed by all, and is ended once (P11, BUS-4)',
    ),
    on(harness, async ({ connect, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      await store(a, 'n', 1);
      await a.mailbox.markSeeded(1_000);
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      const before = a.mailbox.epoch().id;
      await a.mailbox.startAnew(before);
      const { id } = a.mailbox.epoch();
      assert.is.not(id, before);
      await until('the news', () => b.mailbox.epoch().id === id);
      assert.equal(b.mailbox.epoch(), { id, seededAt: undefined, witnessedFrom: undefined });
      assert.is(await b.mailbox.last(object('n')), undefined);
      // Who asks for it late ends no other epoch.
      await store(b, 'n', 2);
      await b.mailbox.startAnew(before);
      assert.is(b.mailbox.epoch().id, id);
      assert.equal((await a.mailbox.last(object('n')))?.payload, { value: 2 });
      assert.is(reader.mail.length, 1, 'the reader of the old epoch has ended');
    }),
  );

  test(
    called('what was begun before a loss is not carried over it'),
    on(harness, async ({ connect, wipeMail, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      await store(a, 'other', 0);
      const sequence = await store(a, 'n', 1);
      const before = a.mailbox.epoch().id;
      await wipeMail();
      let publication: unknown;
      try {
        publication = await a.mailbox.publish(object('n'), { value: 2 }, sequence);
        assert.equal(publication, { kind: 'stale' });
      } catch (error) {
        assert.instance(error, TransientError);
      }
      await until('another epoch', () => a.mailbox.epoch().id !== before && b.mailbox.epoch().id !== before);
      assert.is(await b.mailbox.last(object('n')), undefined);
    }),
  );

  test(
    called('while it is away everything rejects; then reading goes on where it was (BUS-1)'),
    on(harness, async ({ connect, cut, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const lines: string[] = [];
      b.onConnectivity(({ kind, detail }) => lines.push(`${kind}: ${detail}`));
      await store(a, 'n', 1);
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      const heal = await cut(b);
      await until('the news', () => lines.length === 1);
      for (const attempt of [
        b.mailbox.publish(object('n'), { value: 0 }, undefined),
        b.mailbox.last(object('n')),
        b.mailbox.remove(1),
        b.mailbox.subscribe(everything(b), { onMail: () => undefined, onReplayed: () => undefined }),
      ]) {
        assert.instance(await rejection(attempt), TransientError);
      }
      await store(a, 'n', 2);
      await store(a, 'n', 3);
      await store(a, 'm', 4);
      await heal();
      await until('what was missed', () => reader.newest('m') !== undefined);
      assert.equal(
        reader.mail.map(({ payload }) => payload['value']),
        [1, 3, 4],
      );
      await until('the news', () => lines.length === 2);
      assert.match(lines[0] ?? '', /^disconnected: disconnected from .*, reconnecting$/);
      assert.match(lines[1] ?? '', /^connected: connected again after \d+ s$/);
      await store(b, 'n', 5);
      await until('live mail', () => reader.newest('n')?.payload['value'] === 5);
      assert.is(reader.replayed, 1);
    }),
  );

  test(
    called('mail that was lost while away is noticed on return (BUS-4)'),
    on(harness, async ({ connect, cut, wipeMail, until }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      for (let value = 0; value < 5; value += 1) await store(a, `n${value}`, value);
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      const before = b.mailbox.epoch().id;
      const heal = await cut(b);
      await wipeMail();
      await until('another epoch', () => a.mailbox.epoch().id !== before);
      for (let value = 10; value < 30; value += 1) await store(a, `n${value}`, value);
      assert.is(b.mailbox.epoch().id, before);
      await heal();
      await until('another epoch', () => b.mailbox.epoch().id !== before);
      assert.is(b.mailbox.epoch().id, a.mailbox.epoch().id);
      assert.is(reader.mail.length, 5);
    }),
  );

  if (!harness.canInterrupt) return;

  test(
    called('an end of the broker without warning loses nothing that was stored'),
    on(harness, async ({ connect, interrupt, until, eventually }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      for (let value = 0; value < 100; value += 1) await store(a, `n${value % 50}`, value);
      const reader = await read(b, everything(b));
      await until('the replay', () => reader.replayed === 1);
      const { id } = a.mailbox.epoch();
      const resume = await interrupt?.();
      assert.instance(await rejection(a.mailbox.publish(object('n'), { value: 0 }, undefined)), TransientError);
      await resume?.();
      await eventually(() => store(a, 'n7', 1_000));
      await until('live mail', () => reader.newest('n7')?.payload['value'] === 1_000);
      assert.is(a.mailbox.epoch().id, id);
      assert.is(b.mailbox.epoch().id, id);
      assert.is(reader.mail.length, 51);
    }),
  );

  test(
    called('a mailbox that was rolled back is noticed, and nothing of it is read (BUS-4)'),
    on(harness, async ({ connect, snapshot, until, eventually }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      for (let value = 0; value < 10; value += 1) await store(a, `n${value}`, value);
      const rollBack = await snapshot?.();
      for (let value = 0; value < 20; value += 1) await eventually(() => store(a, `n${value}`, 100 + value));
      const reader = await eventually(() => read(b, everything(b)));
      await until('the replay', () => reader.replayed === 1);
      const { id } = a.mailbox.epoch();
      await rollBack?.();
      await until('another epoch', () => a.mailbox.epoch().id !== id && b.mailbox.epoch().id !== id);
      await until('the same epoch', () => a.mailbox.epoch().id === b.mailbox.epoch().id);
      const anew = await eventually(() => read(b, everything(b)));
      await until('the replay', () => anew.replayed === 1);
      assert.is(anew.mail.length, 0);
      assert.is(reader.mail.length, 20);
      assert.ok(reader.mail.every(({ payload }) => Number(payload['value']) >= 100));
    }),
  );
}
