// One object's trouble is nobody else's (I11): kinds whose code throws, on a host under simulated time.
import { Writable } from 'node:stream';
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registry } from '../../../actors/object/registry.ts';
import { type HostDeps, ShardHost } from '../../../actors/sharding/shard-host.ts';
import { manageShards } from '../../../actors/sharding/shard-manager.ts';
import { type ActorSubject, type Address, type JsonObject, memoryBroker, type TraceEvent } from '../../../bus/mod.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { Kind } from '../../../machines/kind.ts';
import type { UserEvent } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('quarantine');

/** What of a kind runs outside of an effect of its statechart. */
const CODE = ['references', 'standing', 'view', 'saying', 'status'] as const;
type Code = (typeof CODE)[number];

const observation: Observation = { id: 'id', attributes: {}, resource: {}, available: true };

const address = (plural: string, name: string): Address => ({ realm: 'test', plural, namespace: 'ns', name });

function object(kind: string, name: string, version: number, generation: number, status: JsonObject = {}): KubeObject {
  const metadata = {
    name,
    namespace: 'ns',
    uid: `uid-${name}`,
    resourceVersion: `${version}`,
    generation,
    finalizers: kind === 'Base' ? ['own/base', 'own/thing'] : ['own/thing'],
  };
  return { apiVersion: 'example.org/v1', kind, metadata, spec: {}, status: { id: `id-${name}`, ...status } };
}

/** Things that refer to one base, all settled, and a host of them. `faults` names code that throws, by object. */
async function start() {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const broker = memoryBroker({ clock, shards: 1, leaseMs: 15_000, latencyMs: () => 1 });
  const bus = broker.connect();
  const faults = new Map<string, Code>();
  /** Things that refer to nothing any more. */
  const alone = new Set<string>();
  const ran: string[] = [];
  const fails = (code: Code, { metadata: { name } }: KubeObject): void => {
    ran.push(`${code} ${name}`);
    if (faults.get(name) === code) throw new TypeError(`${code} cannot read the spec of ${name}`);
  };
  const kindOf = (kind: string): Kind => {
    const simple = simpleKind({
      realm: 'test',
      kind,
      plural: `${kind.toLowerCase()}s`,
      references(asked) {
        fails('references', asked);
        return kind === 'Base' || alone.has(asked.metadata.name)
          ? []
          : [{ kind: 'Base', name: 'base', finalizers: ['own/thing'], neededFor: 'create', fixed: true }];
      },
      isSettled: (asked) => asked.status?.['at'] === asked.metadata.generation,
      isAvailable: (asked) => asked.status?.['available'] === true,
      status(standing, asked) {
        fails('status', asked);
        return standing.error === undefined
          ? { at: standing.generation, available: true }
          : { ...asked.status, error: standing.error.message };
      },
      operations: {
        find: async () => ({ matches: [], exact: true }),
        import: async () => undefined,
        create: async () => observation,
        observe: async ({ object: { metadata } }) => ({ ...observation, id: `id-${metadata.name}` }),
        update: async () => ({ changed: false }),
        remove: async () => undefined,
      },
    });
    const { life } = simple;
    return {
      ...simple,
      publicState(asked, isAvailable) {
        fails('standing', asked);
        return simple.publicState(asked, isAvailable);
      },
      life: {
        ...life,
        view(asked, now) {
          fails('view', asked);
          return life.view(asked, now);
        },
        statusKey(snapshot) {
          const [, , , name = ''] = String(snapshot.context.key).split('.');
          fails('saying', { metadata: { name } } as KubeObject);
          return life.statusKey(snapshot);
        },
      },
    };
  };
  let version = 10;
  const there = new Map<string, KubeObject>();
  const store = (kind: string, name: string, generation: number, status: JsonObject): KubeObject => {
    const stored = object(kind, name, ++version, generation, status);
    there.set(name, stored);
    return stored;
  };
  const settled = { at: 1, available: true };
  for (const name of ['good', 'bad', 'better']) store('Thing', name, 1, settled);
  store('Base', 'base', 1, settled);
  const objects = {
    list: async ({ kind }: { kind: string }) => ({
      items: [...there.values()].filter((each) => each.kind === kind),
      resourceVersion: `${version}`,
      serverTime: 0,
    }),
    get: async (_: unknown, __: string, name: string) => there.get(name),
    applyStatus: async (_: unknown, { kind, metadata }: KubeObject, ___: string, status: JsonObject) =>
      store(kind, metadata.name, metadata.generation ?? 0, { id: `id-${metadata.name}`, ...status }),
  } as unknown as HostDeps['objects'];
  const lines: JsonObject[] = [];
  const log = pino(
    { level: 'warn', base: null, timestamp: false },
    new Writable({
      write(line, _, done) {
        lines.push(JSON.parse(String(line)) as JsonObject);
        done();
      },
    }),
  );
  const reported: (UserEvent & { readonly of: string })[] = [];
  const host = new ShardHost({
    bus,
    objects,
    registry: registry([kindOf('Base'), kindOf('Thing')], []),
    namespaces: undefined,
    clock,
    log,
    callMs: 1_000,
    lateEffectMs: 30_000,
    report: ({ metadata }, occurrence) => void reported.push({ ...occurrence, of: metadata.name }),
  });
  const traced: TraceEvent[] = [];
  await bus.trace.subscribe((event) => void traced.push(event));
  const stop = new AbortController();
  let holding = Promise.resolve();
  return {
    time,
    host,
    faults,
    alone,
    ran,
    lines,
    reported,
    traced,
    there,
    /** A user edits it, and the watch tells of it. */
    async edit(name: string, generation: number, { deleted = false }: { readonly deleted?: boolean } = {}) {
      const { kind, status = {} } = there.get(name) as KubeObject;
      const edited = store(kind, name, generation, status);
      if (deleted) Object.assign(edited.metadata, { deletionTimestamp: '2030-01-01T00:00:00Z' });
      const to = address(`${kind.toLowerCase()}s`, name);
      const telling = bus.mailbox.publish({ to, topic: 'object' }, { object: edited } as never, undefined);
      await time.advance(200);
      await telling;
    },
    async last(subject: ActorSubject): Promise<JsonObject | undefined> {
      const reading = bus.mailbox.last(subject);
      await time.advance(5);
      return (await reading)?.payload;
    },
    async begin() {
      holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
      await time.advance(500);
    },
    async end() {
      stop.abort();
      await time.advance(15_000);
      await holding;
      await bus.close();
    },
  };
}

const countByState = (host: ShardHost): Record<string, number> => Object.fromEntries(host.countByState());
const claimOf = (name: string): ActorSubject => ({
  to: address('bases', 'base'),
  topic: 'claim',
  from: address('things', name),
});
const answerTo = (name: string): ActorSubject => ({
  to: address('things', name),
  topic: 'ready',
  from: address('bases', 'base'),
});

for (const code of CODE.filter((each) => each !== 'status' && each !== 'standing')) {
  test(`a takeover goes on without an object whose ${code} throws (I11)`, async () => {
    const { faults, host, begin, end } = await start();
    faults.set('bad', code);
    await begin();
    assert.equal(countByState(host), { 'idle.available': 3, quarantined: 1 });
    await end();
  });
}

for (const code of CODE) {
  test(`${code} that throws while the object lives stops that object alone, until it is mended (I11)`, async () => {
    const { faults, host, time, edit, begin, end } = await start();
    await begin();
    assert.equal(countByState(host), { 'idle.available': 4 });
    const name = code === 'standing' ? 'base' : 'bad';
    faults.set(name, code);
    await edit(name, 2);
    assert.is(countByState(host)['quarantined'], 1);
    await edit('good', 2);
    await time.advance(1_000);
    assert.equal(countByState(host), { 'idle.available': 3, quarantined: 1 });
    faults.clear();
    await time.advance(10_000);
    assert.equal(countByState(host), { 'idle.available': 4 });
    await end();
  });
}

test('an object that was edited is tried again at once, however often it failed before', async () => {
  const { faults, host, time, edit, begin, end } = await start();
  faults.set('bad', 'view');
  await begin();
  await time.advance(3_600_000);
  faults.clear();
  assert.is(countByState(host)['quarantined'], 1);
  await edit('bad', 2);
  await time.advance(1_000);
  assert.equal(countByState(host), { 'idle.available': 4 });
  await end();
});

test('it is tried again with longer and longer pauses, up to ten minutes', async () => {
  const { faults, ran, time, begin, end } = await start();
  faults.set('bad', 'view');
  await begin();
  const tries = (): number => ran.filter((each) => each === 'view bad').length;
  assert.is(tries(), 1);
  await time.advance(15_000);
  assert.is(tries(), 5); // after at most 1, 3, 7, 15 s
  await time.advance(3_600_000);
  const before = tries();
  await time.advance(3_600_000);
  assert.ok(tries() - before >= 6 && tries() - before <= 8, `${tries() - before} in an hour`);
  await end();
});

test('what is held is told once: by a line, an event, the trace and the status', async () => {
  const { faults, lines, reported, traced, there, time, begin, end } = await start();
  faults.set('bad', 'view');
  await begin();
  await time.advance(60_000);
  const [line, ...others] = lines;
  assert.equal(others, []);
  assert.is(line?.['name'], 'bad');
  assert.match(String((line?.['err'] as JsonObject | undefined)?.['stack']), /TypeError: view cannot read.*\n *at /);
  assert.is(reported[0]?.of, 'bad');
  assert.is(reported[0]?.type, 'Warning');
  assert.match(reported[0]?.message ?? '', /view cannot read the spec of bad/);
  const event = traced.find(({ type }) => type === 'quarantined');
  assert.is(event?.actor.name, 'bad');
  assert.is(event?.data['error'], 'view cannot read the spec of bad');
  assert.match(String(there.get('bad')?.status?.['error']), /view cannot read the spec of bad/);
  await end();
});

test('what an object has claimed, and what it answered, stands while it is held', async () => {
  const { faults, edit, last, begin, time, end } = await start();
  await begin();
  await time.advance(1_000);
  const [claim, answer] = [await last(claimOf('bad')), await last(answerTo('good'))];
  assert.is(claim?.['ended'], false);
  assert.is(answer?.['readiness'], 'ready');
  faults.set('bad', 'references').set('base', 'standing');
  await edit('bad', 2);
  await edit('base', 2);
  await time.advance(30_000);
  assert.equal(await last(claimOf('bad')), claim);
  assert.equal(await last(answerTo('good')), answer);
  await end();
});

test('what is no longer referred to since it was held is let go of when it goes on', async () => {
  const { faults, alone, edit, last, begin, time, end } = await start();
  await begin();
  faults.set('bad', 'view');
  await edit('bad', 2);
  alone.add('bad');
  assert.is((await last(claimOf('bad')))?.['ended'], false);
  faults.clear();
  await edit('bad', 3);
  await time.advance(5_000);
  assert.is.not((await last(claimOf('bad')))?.['ended'], false);
  await end();
});

test('whoever claims what is held waits, and hears of it when it is well', async () => {
  const { faults, host, last, begin, time, end } = await start();
  faults.set('base', 'view');
  await begin();
  await time.advance(1_000);
  assert.is(await last(answerTo('good')), undefined);
  faults.clear();
  await time.advance(10_000);
  assert.is((await last(answerTo('good')))?.['readiness'], 'ready');
  assert.equal(countByState(host), { 'idle.available': 4 });
  await end();
});

test('an object that goes while it is held is forgotten, and its claims end', async () => {
  const { faults, host, there, last, begin, time, end } = await start();
  faults.set('bad', 'view');
  await begin();
  await time.advance(1_000);
  there.delete('bad');
  // Nobody tells of it but the list of all that is there (SHARD-HOST-5).
  await time.advance(120_000);
  assert.equal(countByState(host), { 'idle.available': 3 });
  assert.is(await last(claimOf('bad')), undefined);
  await end();
});

test.run();
