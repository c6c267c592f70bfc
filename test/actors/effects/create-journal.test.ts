// What is under way is listed before it is sent, and known to whoever hosts the shard next (P13).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CLOCK_SKEW_MS, CreateJournal } from '../../../actors/effects/create-journal.ts';
import type { ObjectActor } from '../../../actors/object/object-actor.ts';
import type { Incarnation } from '../../../actors/object/object-context.ts';
import {
  type JsonObject,
  type MemoryBroker,
  type MemoryBus,
  memoryBroker,
  TerminalError,
  TransientError,
  UnknownOutcomeError,
} from '../../../bus/mod.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('createJournal');

const kind = simpleKind({ realm: 'test', kind: 'Thing', plural: 'things' });
const subject = { topic: 'creates', shard: 0 } as const;
const CALL_MS = 10_000;
const LATE_MS = 30_000;
/** A message takes so long each way, in milliseconds. */
const LATENCY_MS = 5;

interface Scene {
  readonly time: SimulatedTime;
  readonly clock: ProcessClock;
  readonly broker: MemoryBroker;
  readonly bus: MemoryBus;
  readonly createJournal: CreateJournal;
  /** Lists that were published, oldest first. */
  readonly published: readonly (readonly string[])[];
  readonly troubles: readonly string[];
  /** When the lease ends, as the process knows it, and whether it is held, as the bus does. */
  endsAt: number;
  isHeld: boolean;
  /** Who lives in the shard. */
  readonly actors: Map<string, Pick<ObjectActor, 'incarnation'>>;
  /** What the bus lists. */
  listed(): Promise<JsonObject | undefined>;
  /** Another host of the shard, as soon as it has read what is there. */
  successor(actors?: Iterable<Pick<ObjectActor, 'key' | 'incarnation'>>): Promise<CreateJournal>;
}

function open(): Scene {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const broker = memoryBroker({ clock, shards: 1 });
  const bus = broker.connect({ clock, latencyMs: () => LATENCY_MS });
  const published: (readonly string[])[] = [];
  const troubles: string[] = [];
  broker.onMail((change) => {
    if (change.kind === 'stored') published.push(Object.keys(change.mail.payload['inDoubtUntil'] ?? {}));
  });
  let hosts = 0;
  const host = (): CreateJournal => {
    const own = ++hosts;
    return new CreateJournal({
      shard: 0,
      lease: {
        name: 'shard.0',
        endsAt: () => scene.endsAt,
        lost: new Promise(() => undefined),
        confirm: async () => scene.isHeld && own === hosts,
        release: async () => undefined,
      },
      mailbox: bus.mailbox,
      clock,
      callMs: CALL_MS,
      lateEffectMs: LATE_MS,
      actor: (key) => scene.actors.get(key),
      onTrouble: (message) => troubles.push(message),
    });
  };
  const last = (): ReturnType<typeof bus.mailbox.last> => resolved(time, bus.mailbox.last(subject));
  const scene: Scene = {
    time,
    clock,
    broker,
    bus,
    published,
    troubles,
    endsAt: Number.POSITIVE_INFINITY,
    isHeld: true,
    actors: new Map(),
    get createJournal() {
      return first;
    },
    listed: async () => (await last())?.payload['inDoubtUntil'] as JsonObject | undefined,
    async successor(actors = []) {
      const next = host();
      const mail = await last();
      if (mail !== undefined) next.heard(mail.payload, mail.sequence);
      next.begin(actors);
      return next;
    },
  };
  const first = host();
  return scene;
}

/** A host that has begun with nothing, and has said so. */
async function begun(): Promise<Scene> {
  const scene = open();
  scene.createJournal.begin([]);
  while (scene.published.length === 0) await scene.time.advance(1);
  await scene.time.advance(100);
  return scene;
}

/** What a promise comes to, in simulated time. */
async function resolved<Value>(time: SimulatedTime, promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  while (!isSettled) await time.advance(1);
  return promise;
}

test('a call is made when the bus has acknowledged a list that names it, and not before (CREATE-JOURNAL-1)', async () => {
  const { time, clock, createJournal, published } = await begun();
  const sentAt: number[] = [];
  const beganAt = clock.now();
  const running = createJournal.run('a', beganAt + 40_000, async () => {
    assert.ok(published.at(-1)?.includes('a'), 'listed before it is sent');
    sentAt.push(clock.now() - beganAt);
    return 'made';
  });
  assert.is(await resolved(time, running), 'made');
  assert.equal(sentAt, [2 * LATENCY_MS]);
});

test('what begins at once goes out in one list, and what begins meanwhile in the next (CREATE-JOURNAL-5)', async () => {
  const { time, clock, createJournal, published } = await begun();
  const before = published.length;
  const add = (...names: string[]): Promise<unknown> =>
    Promise.all(names.map((name) => createJournal.add(name, clock.now() + 40_000)));
  const first = add('a', 'b', 'c');
  await time.advance(1);
  const second = add('d', 'e');
  await resolved(time, first);
  assert.equal(published.slice(before), [['a', 'b', 'c']]);
  await resolved(time, second);
  assert.equal(published.slice(before), [
    ['a', 'b', 'c'],
    ['a', 'b', 'c', 'd', 'e'],
  ]);
});

test('what was answered for is taken off with the next list, or after a while (CREATE-JOURNAL-2, CREATE-JOURNAL-5)', async () => {
  const { time, clock, createJournal, published, listed } = await begun();
  const run = (key: string): Promise<unknown> =>
    resolved(
      time,
      createJournal.run(key, clock.now() + 40_000, async () => undefined),
    );
  await run('a');
  const before = published.length;
  await run('b');
  assert.equal(published.slice(before), [['b']], 'one message a create');
  await time.advance(5_000);
  assert.equal(await listed(), {});
  assert.is(published.length, before + 2);
  await time.advance(600_000);
  assert.is(published.length, before + 2, 'and nothing more is said');
});

test('whoever asked hears until when it may yet be done, however the call ended (CREATE-JOURNAL-2, P13)', async () => {
  for (const error of [new UnknownOutcomeError('no answer'), new TypeError('the adapter broke down')]) {
    const { time, clock, createJournal } = await begun();
    const inDoubtUntil = clock.now() + 40_000;
    const ended = createJournal
      .run('a', inDoubtUntil, async () => {
        throw error;
      })
      .then(
        () => undefined,
        (thrown: TransientError) => thrown,
      );
    const thrown = await resolved(time, ended);
    assert.equal([thrown?.code, thrown?.message, thrown?.inDoubtUntil], ['transient', error.message, inDoubtUntil]);
  }
});

test('a refusal takes it off, and what proves nothing keeps it there until it can land no more (CREATE-JOURNAL-2)', async () => {
  for (const [error, isKept] of [
    [new TransientError('the cloud is busy'), false],
    [new TerminalError('no'), false],
    [new TransientError('no answer', { inDoubtUntil: 1 }), true],
    [new UnknownOutcomeError('no answer'), true],
    [new TypeError('the adapter broke down'), true],
  ] as const) {
    const { time, clock, createJournal, listed } = await begun();
    const inDoubtUntil = clock.now() + 40_000;
    const ended = createJournal.run('a', inDoubtUntil, async () => {
      throw error;
    });
    const failed = ended.catch((thrown: unknown) => thrown as TransientError);
    const thrown = (await resolved(time, failed)) as TransientError;
    // The life that sent it is told what whoever comes next reads (I4).
    assert.is(thrown.cause ?? thrown, error);
    assert.is(thrown.inDoubtUntil, isKept ? ((error as TransientError).inDoubtUntil ?? inDoubtUntil) : undefined);
    assert.is(createJournal.at('a'), isKept ? inDoubtUntil : 0, error.message);
    await time.advance(5_000);
    assert.equal(await listed(), isKept ? { a: inDoubtUntil } : {}, error.message);
    await time.advance(40_000);
    assert.equal(await listed(), {}, error.message);
  }
});

test('a call that is refused leaves what an earlier one of the same actor left', async () => {
  const { time, clock, createJournal } = await begun();
  const inDoubtUntil = clock.now() + 40_000;
  const fail = (error: Error) => async (): Promise<never> => {
    throw error;
  };
  const lost = createJournal.run('a', inDoubtUntil, fail(new UnknownOutcomeError('no answer'))).catch(() => undefined);
  await resolved(time, lost);
  const refused = createJournal.run('a', inDoubtUntil + 10, fail(new TerminalError('no'))).catch(() => undefined);
  await resolved(time, refused);
  assert.is(createJournal.at('a'), inDoubtUntil);
});

test('a call that is answered leaves what nobody answered before: it may still land (CREATE-JOURNAL-2)', async () => {
  const { time, clock, createJournal } = await begun();
  const inDoubtUntil = clock.now() + 40_000;
  const outcomeUnknown = async (): Promise<never> => {
    throw new UnknownOutcomeError('no answer');
  };
  await resolved(
    time,
    createJournal.run('a', inDoubtUntil, outcomeUnknown).catch(() => undefined),
  );
  await resolved(
    time,
    createJournal.run('a', inDoubtUntil + 10, async () => 'done'),
  );
  assert.is(createJournal.at('a'), inDoubtUntil);
});

test('whoever says that it may be done later is believed', async () => {
  const { time, clock, createJournal, listed } = await begun();
  const inDoubtUntil = clock.now() + 90_000;
  const ended = createJournal.run('a', clock.now() + 40_000, async () => {
    throw new TransientError('no answer', { inDoubtUntil });
  });
  await resolved(
    time,
    ended.catch(() => undefined),
  ); // as above
  await time.advance(5_000);
  assert.equal(await listed(), { a: inDoubtUntil });
});

test('a successor knows what is listed, and until when, and leaves it to its own successor (CREATE-JOURNAL-3)', async () => {
  const scene = await begun();
  const { time, clock, createJournal } = scene;
  const inDoubtUntil = clock.now() + 25_000;
  await resolved(time, createJournal.add('a', inDoubtUntil));
  await time.advance(5_000);
  const next = await scene.successor();
  assert.is(next.at('a'), inDoubtUntil + CLOCK_SKEW_MS);
  assert.is(next.at('b'), 0);
  await resolved(time, next.add('b', clock.now() + 40_000));
  const third = await scene.successor();
  assert.ok(third.at('a') >= inDoubtUntil && third.at('b') > 0);
  await time.advance(60_000);
  assert.equal(await scene.listed(), {});
});

test('a clock that is far ahead makes nobody wait longer than what is listed had left (CREATE-JOURNAL-3)', async () => {
  const { time, clock, bus, successor } = open();
  const ahead = clock.now() + 86_400_000;
  const list = { inDoubtUntil: { a: ahead + 40_000 }, writtenAt: ahead };
  await resolved(time, bus.mailbox.publish(subject, list, 0));
  assert.is((await successor()).at('a'), clock.now() + 40_000);
});

test('what takes longer to land than any call is waited for as long (CREATE-JOURNAL-3, P13)', async () => {
  const scene = await begun();
  const { time, clock, createJournal } = scene;
  const inDoubtUntil = clock.now() + 600_000;
  await resolved(time, createJournal.add('a', inDoubtUntil));
  await time.advance(60_000);
  assert.ok((await scene.successor()).at('a') >= inDoubtUntil);
});

/** An object as the host knows it. */
function actorOf(
  key: string,
  changes: { readonly owned?: false; readonly id?: string; readonly unmanaged?: true },
  ofKind = kind,
) {
  const { owned, id, unmanaged } = changes;
  const metadata = { name: key, uid: key, resourceVersion: '1', finalizers: owned === false ? [] : ['own/thing'] };
  const object = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata,
    spec: unmanaged ? { managementPolicy: 'unmanaged' } : {},
    status: id === undefined ? {} : { id },
  };
  const incarnation: Incarnation = { uid: key, kind: ofKind, object };
  return { key, incarnation: () => incarnation };
}

test('without a list in this epoch whatever has its finalizer and no id may have begun, for later hosts too (CREATE-JOURNAL-3)', async () => {
  for (const unreadable of [
    undefined,
    { inDoubtUntil: 7, writtenAt: 1 },
    { inDoubtUntil: { a: 'soon' }, writtenAt: 1 },
    { inDoubtUntil: {} },
    { inDoubtUntil: { a: 1 }, intents: { a: 'x' }, writtenAt: 1 },
    {},
  ]) {
    const scene = open();
    const { time, clock, bus } = scene;
    if (unreadable !== undefined) await resolved(time, bus.mailbox.publish(subject, unreadable as JsonObject, 0));
    const actors = [
      actorOf('suspect', {}),
      actorOf('held', {}, { ...kind, life: { ...kind.life, inDoubtForMs: 600_000 } }),
      actorOf('new', { owned: false }),
      actorOf('recorded', { id: 'id-1' }),
      actorOf('imported', { unmanaged: true }),
      { key: 'gone', incarnation: () => undefined },
    ];
    const host = await scene.successor(actors);
    const before = scene.published.length;
    const latest = clock.now() + CALL_MS + LATE_MS;
    assert.equal(
      actors.map(({ key }) => host.at(key)),
      [latest, clock.now() + 600_000, 0, 0, 0, 0],
    );
    while (scene.published.length === before) await time.advance(1);
    await time.advance(100);
    // The list says it now, whatever the objects say.
    const next = await scene.successor([actorOf('other', {})]);
    assert.ok(next.at('suspect') >= latest);
    assert.is(next.at('other'), 0);
  }
});

test('a list that may have been rolled back unnoticed is not taken for whole (CREATE-JOURNAL-3, SHARD-MANAGER-2)', async () => {
  for (const isWitnessed of [false, true]) {
    const scene = open();
    const { time, clock, bus } = scene;
    const from = clock.now();
    if (!isWitnessed) await time.advance(20);
    const list = { inDoubtUntil: { listed: from + 500_000 }, writtenAt: isWitnessed ? from : from - 1 };
    await resolved(time, bus.mailbox.publish(subject, list, 0));
    await resolved(time, bus.mailbox.forgetSeeded(from));
    const host = await scene.successor([actorOf('listed', {}), actorOf('unlisted', {})]);
    assert.is(host.at('unlisted'), isWitnessed ? 0 : clock.now() + CALL_MS + LATE_MS);
    assert.ok(host.at('listed') > clock.now() + 400_000);
  }
});

test('a shard that is given up leaves what may still land, and nothing else; nothing more is sent', async () => {
  const scene = await begun();
  const { time, clock, createJournal, listed } = scene;
  const inDoubtUntil = clock.now() + 40_000;
  const answer = Promise.withResolvers<void>();
  const answered = createJournal.run('answered', inDoubtUntil, () => answer.promise);
  const lost = createJournal.run('lost', inDoubtUntil, async () => {
    throw new UnknownOutcomeError('no answer');
  });
  await resolved(
    time,
    lost.catch(() => undefined),
  ); // it is kept
  let isSent = false;
  const unsent = createJournal.run('unsent', inDoubtUntil, async () => {
    isSent = true;
  });
  await time.advance(1);
  const closing = createJournal.close();
  await time.advance(1_000);
  assert.equal(Object.keys((await listed()) ?? {}).sort(), ['answered', 'lost', 'unsent'], 'it waits for the call');
  answer.resolve();
  await resolved(time, closing);
  await answered;
  assert.instance(await unsent.catch((error: unknown) => error), TransientError);
  assert.not.ok(isSent);
  assert.equal(await listed(), { lost: inDoubtUntil });
  assert.instance(await createJournal.add('late', inDoubtUntil).catch((error: unknown) => error), TransientError);
});

test('nothing is listed, and nothing sent, after the end of the lease (CREATE-JOURNAL-4)', async () => {
  const scene = await begun();
  const { time, clock, createJournal, published, troubles } = scene;
  const before = published.length;
  scene.endsAt = clock.now();
  const sent: string[] = [];
  const running = createJournal.run('a', clock.now() + 40_000, async () => void sent.push('a'));
  running.catch(() => undefined); // looked at below
  await time.advance(5_000);
  await resolved(time, createJournal.close());
  assert.instance(await running.catch((error: unknown) => error), TransientError);
  assert.equal(sent, []);
  assert.is(published.length, before);
  assert.is(troubles.length, 2);
});

test('what nobody can read is overwritten, and counts for nothing (CREATE-JOURNAL-4, P9)', async () => {
  const scene = await begun();
  const { time, clock, bus, createJournal, listed } = scene;
  await resolved(time, bus.mailbox.publish(subject, { inDoubtUntil: { theirs: clock.now() + 40_000 } }, undefined));
  const inDoubtUntil = clock.now() + 40_000;
  await resolved(time, createJournal.add('ours', inDoubtUntil));
  assert.equal(await listed(), { ours: inDoubtUntil });
});

test('what a predecessor had on its way and arrives when nothing is begun any more is replaced, not left (CREATE-JOURNAL-4)', async () => {
  const scene = await begun();
  const { bus, time, createJournal } = scene;
  await resolved(time, bus.mailbox.publish(subject, { inDoubtUntil: { theirs: 1 }, writtenAt: 0 }, undefined));
  const mail = await resolved(time, bus.mailbox.last(subject));
  createJournal.heard(mail?.payload ?? {}, mail?.sequence ?? 0);
  await new Promise((resolve) => setImmediate(resolve));
  await time.advance(60_000);
  assert.equal(await scene.listed(), {});
  assert.is(scene.published.length, 3, 'said once, and not again');
});

test('33.B5: who believes in a lease that has ended replaces no list of its successor, and sends nothing (CREATE-JOURNAL-4, P13)', async () => {
  const scene = await begun();
  const { time, clock, bus, createJournal, listed } = scene;
  // The machine was suspended: the clock here has not moved, and somebody else has the lease.
  scene.isHeld = false;
  const list = { inDoubtUntil: { theirs: clock.now() + 40_000 }, writtenAt: clock.now() };
  await resolved(time, bus.mailbox.publish(subject, list, undefined));
  const sent: string[] = [];
  const running = createJournal.run('a', clock.now() + 40_000, async () => void sent.push('a'));
  running.catch(() => undefined); // looked at below
  await time.advance(5_000);
  assert.equal(await listed(), list.inDoubtUntil);
  await resolved(time, createJournal.close());
  assert.instance(await running.catch((error: unknown) => error), TransientError);
  assert.equal(sent, []);
  assert.equal(await listed(), list.inDoubtUntil);
});

test('33.B5: nor does it when it hears of that list, however long it believes so (CREATE-JOURNAL-4)', async () => {
  const scene = await begun();
  const { time, clock, bus, createJournal, listed } = scene;
  scene.isHeld = false;
  const list = { inDoubtUntil: { theirs: clock.now() + 400_000 }, writtenAt: clock.now() };
  await resolved(time, bus.mailbox.publish(subject, list, undefined));
  const mail = await resolved(time, bus.mailbox.last(subject));
  createJournal.heard(mail?.payload ?? {}, mail?.sequence ?? 0);
  await time.advance(60_000);
  assert.equal(await listed(), list.inDoubtUntil);
});

for (const isHeard of [false, true])
  test(`33.B5: what a predecessor listed late is waited for, ${isHeard ? 'heard of before' : 'found when it is begun'} (CREATE-JOURNAL-4, I4)`, async () => {
    const scene = await begun();
    const { time, clock, bus, createJournal, listed } = scene;
    const inDoubtUntil = clock.now() + 40_000;
    const list = { inDoubtUntil: { a: inDoubtUntil }, intents: { a: [{ name: 'x' }] }, writtenAt: clock.now() };
    await resolved(time, bus.mailbox.publish(subject, list, undefined));
    const mail = await resolved(time, bus.mailbox.last(subject));
    if (isHeard) createJournal.heard(mail?.payload ?? {}, mail?.sequence ?? 0);
    await time.advance(100);
    const sent: string[] = [];
    const refused = await resolved(
      time,
      createJournal.run('a', inDoubtUntil, async () => void sent.push('a')).catch((error: unknown) => error),
    );
    assert.equal(sent, []);
    assert.instance(refused, TransientError);
    assert.ok(((refused as TransientError).inDoubtUntil ?? 0) >= inDoubtUntil - 100);
    assert.ok(createJournal.at('a') >= inDoubtUntil - 100);
    assert.equal(createJournal.intents('a'), [{ name: 'x' }]);
    assert.equal(Object.keys((await listed()) ?? {}), ['a']);
    await resolved(
      time,
      createJournal.run('b', clock.now() + 40_000, async () => 'made'),
    );
    await time.advance(60_000);
    assert.is(
      await resolved(
        time,
        createJournal.run('a', clock.now() + 40_000, async () => 'made'),
      ),
      'made',
    );
  });

test('a list whose acknowledgement was lost is known as the own one (CREATE-JOURNAL-4)', async () => {
  const { time, clock, bus, createJournal } = await begun();
  const { publish } = bus.mailbox;
  let isLost = true;
  bus.mailbox.publish = async (...what) => {
    const publication = await publish.apply(bus.mailbox, what);
    if (!isLost) return publication;
    isLost = false;
    throw new TransientError('the answer was lost');
  };
  assert.is(
    await resolved(
      time,
      createJournal.run('a', clock.now() + 40_000, async () => 'made'),
    ),
    'made',
  );
});

test('a bus that is away holds up what would begin, and one line says so', async () => {
  const { time, clock, bus, createJournal, troubles } = await begun();
  bus.cut();
  let isSent = false;
  const running = createJournal.run('a', clock.now() + 40_000, async () => {
    isSent = true;
  });
  while (troubles.length === 0) await time.advance(1);
  await time.advance(3_000);
  assert.not.ok(isSent);
  assert.is(troubles.length, 1);
  bus.heal();
  await resolved(time, running);
  assert.ok(isSent);
});

test('under another epoch nothing is said of what was begun under this one (P11)', async () => {
  const { time, clock, broker, createJournal, listed } = await begun();
  await resolved(time, createJournal.add('a', clock.now() + 40_000));
  broker.wipeMail();
  await time.advance(100);
  const refused = createJournal.add('b', clock.now() + 40_000).catch(() => 'refused');
  await time.advance(5_000);
  await resolved(time, createJournal.close());
  assert.is(await refused, 'refused');
  assert.is(await listed(), undefined);
});

// --- intents: by what is known again what was asked for (CREATE-JOURNAL-6) ---

const LOST = async (): Promise<never> => {
  throw new UnknownOutcomeError('no answer');
};

/** An object that may have asked for something; `record` records what came of it. */
function inhabited(scene: Scene, key: string): () => void {
  scene.actors.set(key, actorOf(key, {}));
  return () => void scene.actors.set(key, actorOf(key, { id: 'id-1' }));
}

test('an intent is kept, answered or not, until what came of it is recorded', async () => {
  const scene = await begun();
  const { time, clock, createJournal, listed } = scene;
  const record = { a: inhabited(scene, 'a'), b: inhabited(scene, 'b') };
  const inDoubtUntil = clock.now() + 40_000;
  await resolved(
    time,
    createJournal.run('a', inDoubtUntil, async () => 'made', { name: 'a' }),
  );
  await resolved(
    time,
    createJournal.run('b', inDoubtUntil, LOST, { name: 'b' }).catch(() => undefined),
  );
  assert.is(createJournal.at('a'), 0);
  assert.equal([createJournal.intents('a'), createJournal.intents('b')], [[{ name: 'a' }], [{ name: 'b' }]]);
  await time.advance(LATE_MS);
  const next = await scene.successor();
  assert.equal([next.intents('a'), next.intents('b')], [[{ name: 'a' }], [{ name: 'b' }]]);
  await time.advance(2 * LATE_MS);
  const last = await scene.successor();
  assert.equal([last.intents('a'), last.intents('b')], [[{ name: 'a' }], [{ name: 'b' }]]);
  for (const each of Object.values(record)) each();
  await time.advance(2 * LATE_MS);
  assert.equal(await listed(), {});
});

test('an intent is over when its call was refused, or when something else is begun after it has landed', async () => {
  const scene = await begun();
  const { time, clock, createJournal } = scene;
  inhabited(scene, 'a');
  const run = (call: () => Promise<unknown>, intent: JsonObject): Promise<unknown> =>
    resolved(
      time,
      createJournal.run('a', clock.now() + 40_000, call, intent).catch(() => undefined),
    );
  await run(LOST, { name: 'first' });
  await run(
    async () => {
      throw new TerminalError('no');
    },
    { name: 'refused' },
  );
  assert.equal(createJournal.intents('a'), [{ name: 'first' }]);
  const confused = async (): Promise<never> => {
    throw new TransientError('answered 500');
  };
  await run(confused, { name: 'second' });
  assert.equal(createJournal.intents('a'), [{ name: 'first' }, { name: 'second' }], 'either may be there, or come');
  await time.advance(80_000);
  await run(LOST, { name: 'third' });
  assert.equal(createJournal.intents('a'), [{ name: 'third' }]);
  createJournal.discardIntents('a');
  assert.equal(createJournal.intents('a'), []);
  assert.ok(createJournal.at('a') > clock.now(), 'it may still land');
});

test('no more intents are kept than one message takes, whoever has them', async () => {
  const scene = await begun();
  const { time, clock, createJournal, bus } = scene;
  const what = 'x'.repeat(1_000);
  const keys = Array.from({ length: 600 }, (_, index) => `k${index}`);
  for (const key of keys) inhabited(scene, key);
  await resolved(
    time,
    Promise.all(keys.map((key) => createJournal.run(key, clock.now() + 40_000, LOST, { what }).catch(() => undefined))),
  );
  assert.is(keys.filter((key) => createJournal.intents(key).length > 0).length, 512);
  assert.ok(keys.every((key) => createJournal.at(key) > clock.now()));
  const mail = await resolved(time, bus.mailbox.last(subject));
  assert.ok(JSON.stringify(mail?.payload).length < 600_000);
});

test('an intent that is too long for the list is not kept', async () => {
  const scene = await begun();
  const { time, clock, createJournal } = scene;
  inhabited(scene, 'a');
  await resolved(
    time,
    createJournal.run('a', clock.now() + 40_000, LOST, { name: 'x'.repeat(1_024) }).catch(() => undefined),
  );
  assert.equal(createJournal.intents('a'), []);
});

test('lists that the bus did not take are forgotten, but for the last ones', async () => {
  const scene = await begun();
  const { time, bus, createJournal } = scene;
  const { publish } = bus.mailbox;
  let refusals = 0;
  bus.mailbox.publish = async () => {
    refusals += 1;
    throw new TransientError('nats refused the publication: insufficient resources (10023)');
  };
  const call = createJournal.run('a', scene.clock.now() + 3_600_000, async () => 'made');
  for (let step = 0; step < 600; step++) await time.advance(100);
  assert.ok(refusals > 100, `${refusals} refusals`);
  assert.ok(createJournal.unknownLists <= 8, `${createJournal.unknownLists} are remembered`);
  bus.mailbox.publish = publish;
  assert.is(await resolved(time, call), 'made');
  assert.is(createJournal.unknownLists, 0);
});

test.run();
