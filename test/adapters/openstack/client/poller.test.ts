// Whoever waits for a cloud shares what is read of it, hears only what is new, and leaves nothing behind.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Criterion, equalTo } from '../../../../adapters/openstack/base/criteria.ts';
import { KEYSTONE, NEUTRON } from '../../../../adapters/openstack/base/services.ts';
import { type Collection, lookUps } from '../../../../adapters/openstack/client/lookups.ts';
import { type Poller, poller } from '../../../../adapters/openstack/client/poller.ts';
import type { Answer, Call, Session } from '../../../../adapters/openstack/client/session.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { TerminalError, TransientError } from '../../../../bus/errors.ts';
import type { Observation, WatchUpdate } from '../../../../machines/external-resource/operations.ts';
import { ManualClock, type Outcome, outcome } from '../../../bus/manual-clock.ts';

const test = suite('poller');

const NETWORKS: Collection = { service: NEUTRON, collection: 'networks', member: 'network', members: 'networks' };
const PORTS: Collection = { service: NEUTRON, collection: 'ports', member: 'port', members: 'ports' };
const PROJECTS: Collection = { service: KEYSTONE, collection: 'projects', member: 'project', members: 'projects' };

/** A cloud whose requests are counted: those for one resource, for some, for all. */
class FakeCloud implements Session {
  readonly requests: string[] = [];
  readonly calls: Pick<Call, 'deadlineAt' | 'traceparent'>[] = [];
  readonly resources = new Map<string, JsonObject>();
  /** What a page left out, as something went from before it. */
  readonly overlooked = new Set<string>();
  failure: (path: string) => unknown = () => undefined;
  before: Promise<void> = Promise.resolve();

  constructor(ids: readonly string[]) {
    for (const id of ids) this.put(id, 'BUILD');
  }

  put(id: string, status: string): void {
    this.resources.set(id, { id, status, device_id: `of-${id}` });
  }

  async list({ path, query = [], ...call }: Omit<Call, 'method' | 'body'>): Promise<readonly JsonObject[]> {
    await this.#ask(query.length === 0 ? `all ${path}` : `${query.length} of ${path}`, path, call);
    const wanted = query.map(([, value]) => value);
    const all = [...this.resources.values()];
    if (query.length > 0)
      return all.filter(({ id, device_id: of }) => wanted.includes(`${id}`) || wanted.includes(`${of}`));
    return all.filter(({ id }) => !this.overlooked.has(`${id}`));
  }

  async call(call: Call): Promise<Answer> {
    await this.#ask(`one ${call.path}`, call.path, call);
    const [, collection = '', id = ''] = call.path.split('/');
    const found = this.resources.get(id);
    return found === undefined
      ? { status: 404, body: {} }
      : { status: 200, body: { [collection.slice(0, -1)]: found } };
  }

  async userId(): Promise<string> {
    return 'me';
  }

  async #ask(request: string, path: string, call: Pick<Call, 'deadlineAt' | 'traceparent'>): Promise<void> {
    this.requests.push(request);
    this.calls.push(call);
    await this.before;
    const failure = this.failure(path);
    if (failure !== undefined) throw failure;
  }
}

interface Watching {
  readonly reported: WatchUpdate[];
  readonly end: Outcome<never>;
  stop(): void;
}

interface Tenant {
  readonly clock: ManualClock;
  readonly polls: Poller;
  watch(cloud: Session, id: string, options?: WatchOptions): Watching;
}

interface WatchOptions {
  readonly of?: Collection;
  readonly criteria?: readonly Criterion[];
  readonly known?: Observation | undefined;
  readonly pollAfterMs?: number;
}

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);

function seen(resource: JsonObject | undefined): Observation | undefined {
  if (resource === undefined) return undefined;
  if (resource['status'] === 'NONSENSE') throw new TerminalError('nonsense');
  return { id: `${resource['id']}`, attributes: resource, resource: {}, available: resource['status'] === 'ACTIVE' };
}

const building = (id: string): Observation => seen({ status: 'BUILD', device_id: `of-${id}`, id }) as Observation;

function tenant(): Tenant {
  const clock = new ManualClock();
  const polls = poller({ clock, lookUps: lookUps({ clock }) });
  return {
    clock,
    polls,
    watch(
      cloud,
      id,
      { of = NETWORKS, criteria = [equalTo('id', id)], known = building(id), pollAfterMs = 1_000 } = {},
    ) {
      const reported: WatchUpdate[] = [];
      const { signal, ...controller } = abortable();
      const request = {
        signal,
        progress: (news: WatchUpdate) => void reported.push(news),
        observation: known,
        pollAfterMs,
      };
      return { reported, end: outcome(polls.watch(cloud, of, criteria, request, seen)), stop: controller.abort };
    },
  };
}

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

test('a single one is read by its path, once an interval; what is not new is not told (OS-POLLER-1)', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(['a']);
  const watching = watch(cloud, 'a');
  await clock.advance(3_600);
  assert.equal(cloud.requests, Array(3).fill('one /networks/a'));
  assert.equal(watching.reported, []);
  cloud.put('a', 'ACTIVE');
  await clock.advance(2_000);
  assert.equal(watching.reported, [{ observation: seen(cloud.resources.get('a')) }]);
  cloud.resources.delete('a');
  await clock.advance(3_000);
  assert.equal(watching.reported.slice(1), [{ gone: true }]);
  assert.not.ok(watching.end.settled);
  watching.stop();
});

test('what was there when nothing was known, and what was gone by then, is told', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(['a']);
  const polls = poller({ clock, lookUps: lookUps({ clock }) });
  const reported: WatchUpdate[] = [];
  const { signal, abort } = abortable();
  const request = { signal, progress: (news: WatchUpdate) => void reported.push(news), pollAfterMs: 1_000 };
  void outcome(polls.watch(cloud, NETWORKS, [equalTo('id', 'a')], request, seen));
  const missing = watch(cloud, 'b');
  await clock.advance(2_000);
  assert.equal([reported.length, missing.reported], [1, [{ gone: true }]]);
  abort();
  missing.stop();
});

test('300 who wait are one list an interval: their number grows with time alone (OS-POLLER-2)', async () => {
  const { clock, watch } = tenant();
  for (const count of [60, 300]) {
    const cloud = new FakeCloud(ids(count));
    const watching = ids(count).map((id) => watch(cloud, id));
    await clock.advance(9_000);
    assert.ok(cloud.requests.length >= 8 && cloud.requests.length <= 9, `${cloud.requests.length} for ${count}`);
    assert.ok(cloud.requests.every((request) => request === 'all /networks'));
    assert.ok(watching.every(({ reported }) => reported.length === 0));
    for (const id of ids(count)) cloud.put(id, 'ACTIVE');
    await clock.advance(1_000);
    assert.ok(watching.every(({ reported }) => reported.length === 1));
    for (const { stop } of watching) stop();
  }
});

test('up to fifty are one query by their ids; those who begin at different times look together', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(50));
  const watching: Watching[] = [];
  for (const id of ids(50)) {
    watching.push(watch(cloud, id));
    await clock.advance(7);
  }
  await clock.advance(5_000);
  assert.ok(cloud.requests.length <= 6, cloud.requests.join());
  assert.is(cloud.requests.at(-1), '50 of /networks');
  for (const { stop } of watching) stop();
});

test('interfaces of many routers are one query by these', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(20));
  const watching = ids(20).map((id) => watch(cloud, id, { of: PORTS, criteria: [equalTo('device_id', `of-${id}`)] }));
  await clock.advance(3_000);
  assert.ok(
    cloud.requests.length <= 3 && cloud.requests.every((request) => request === '20 of /ports'),
    `${cloud.requests}`,
  );
  assert.equal(
    watching.flatMap(({ reported }) => reported),
    [],
  );
  for (const { stop } of watching) stop();
});

test('of a service that takes one value a query, more than four are one list', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(5));
  const some = ids(4).map((id) => watch(cloud, id, { of: PROJECTS }));
  await clock.advance(1_000);
  assert.equal(
    cloud.requests.splice(0),
    ids(4).map((id) => `one /projects/${id}`),
  );
  const one = watch(cloud, 'n4', { of: PROJECTS });
  await clock.advance(2_000);
  assert.ok(cloud.requests.length <= 2 && cloud.requests.every((request) => request === 'all /projects'));
  for (const { stop } of [...some, one]) stop();
});

test('who waits long looks less often, and still together', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(300));
  const watching = ids(300).map((id) => watch(cloud, id));
  await clock.advance(10_000);
  const quick = cloud.requests.length;
  assert.ok(quick >= 9, `${quick} lists in ten seconds`);
  await clock.advance(300_000);
  const later = cloud.requests.length - quick;
  assert.ok(later >= 20 && later < 40, `${later} lists in five minutes`);
  for (const { stop } of watching) stop();
});

test('what a list of all lacks is asked for before it is told to be gone (OS-POLLER-3)', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(60));
  const watching = ids(60).map((id) => watch(cloud, id));
  cloud.overlooked.add('n7');
  cloud.resources.delete('n8');
  await clock.advance(1_000);
  assert.equal(cloud.requests, ['all /networks', '2 of /networks']);
  assert.equal(
    watching.map(({ reported }) => reported.length),
    ids(60).map((id) => (id === 'n8' ? 1 : 0)),
  );
  for (const { stop } of watching) stop();
});

test('a list that fails ends the watches that it served, tells none of them anything, and no others (OS-POLLER-4)', async () => {
  const { clock, watch } = tenant();
  for (const count of [1, 20, 60]) {
    const cloud = new FakeCloud([]);
    const failure = new TransientError('busy', { retryAfterMs: 5_000 });
    cloud.failure = (path) => (path.startsWith('/networks') ? failure : undefined);
    const broken = ids(count).map((id) => watch(cloud, id));
    cloud.put('p', 'BUILD');
    const port = watch(cloud, 'p', { of: PORTS });
    const elsewhere = watch(new FakeCloud(['n0']), 'n0');
    await clock.advance(1_000);
    for (const { end, reported } of broken) assert.equal([end.error, reported], [failure, []], `${count}`);
    assert.not.ok(port.end.settled || elsewhere.end.settled);
    const asked = cloud.requests.filter((request) => request.includes('networks')).length;
    await clock.advance(60_000);
    assert.is(cloud.requests.filter((request) => request.includes('networks')).length, asked, 'nobody waits any more');
    port.stop();
    elsewhere.stop();
  }
});

test('what cannot be judged ends its own watch alone', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(60));
  const watching = ids(60).map((id) => watch(cloud, id));
  cloud.put('n3', 'NONSENSE');
  await clock.advance(2_000);
  assert.instance(watching[3]?.end.error, TerminalError);
  assert.is(watching.filter(({ end }) => end.settled).length, 1);
  for (const { stop } of watching) stop();
});

test('nobody waits: no request and no timer is left (HTTP-POLL-ROUNDS-1)', async () => {
  const { clock, polls, watch } = tenant();
  const cloud = new FakeCloud(ids(3));
  const watching = ids(3).map((id) => watch(cloud, id));
  await clock.advance(1_000);
  const asked = cloud.requests.length;
  for (const { stop } of watching) stop();
  await clock.settle();
  for (const { end } of watching) assert.instance(end.error, TransientError);
  assert.is(clock.armed, 0);
  await clock.advance(60_000);
  assert.is(cloud.requests.length, asked);
  const ended = abortable();
  ended.abort();
  const late = { signal: ended.signal, progress: () => undefined, pollAfterMs: 1_000 };
  const never = outcome(polls.watch(cloud, NETWORKS, [equalTo('id', 'n0')], late, seen));
  const closed = watch(cloud, 'n0');
  polls.close();
  await clock.advance(60_000);
  assert.ok(never.error !== undefined && closed.end.error !== undefined);
  assert.is(cloud.requests.length, asked);
});

test('who stops while a list is under way hears nothing of it; who comes then waits for the next (OS-POLLER-1)', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(['a', 'b', 'c']);
  const { promise, resolve } = Promise.withResolvers<void>();
  cloud.before = promise;
  const first = watch(cloud, 'a');
  const second = watch(cloud, 'b');
  await clock.advance(1_000);
  assert.is(cloud.requests.length, 1);
  first.stop();
  const third = watch(cloud, 'c');
  for (const id of ['a', 'b', 'c']) cloud.put(id, 'ACTIVE');
  await clock.advance(5_000);
  assert.is(cloud.requests.length, 1, 'one list at a time');
  resolve();
  await clock.advance(1_000);
  assert.equal([first.reported.length, second.reported.length, third.reported.length], [0, 1, 1]);
  second.stop();
  third.stop();
});

test('a list that takes longer than an interval is not asked for again meanwhile (HTTP-POLL-ROUNDS-2)', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(120));
  const { promise, resolve } = Promise.withResolvers<void>();
  cloud.before = promise;
  const watching = ids(60).map((id) => watch(cloud, id));
  await clock.advance(1_000);
  watching.push(
    ...ids(120)
      .slice(60)
      .map((id) => watch(cloud, id)),
  );
  await clock.advance(5_000);
  assert.equal(cloud.requests, ['all /networks']);
  resolve();
  await clock.advance(2_000);
  assert.is(cloud.requests.length, 3);
  for (const { stop } of watching) stop();
});

test('every request ends by a deadline, and is in no trace of an object', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(ids(60));
  const watching = ids(60).map((id) => watch(cloud, id));
  await clock.advance(1_000);
  const { deadlineAt = 0, traceparent } = cloud.calls[0] ?? {};
  assert.is(traceparent, '');
  assert.ok(deadlineAt > clock.now() && deadlineAt <= clock.now() + 10_000);
  for (const { stop } of watching) stop();
});

test('a process that stood still asks for nothing before who lost its lease is told (HTTP-POLL-ROUNDS-3, P10)', async () => {
  const { clock, watch } = tenant();
  const cloud = new FakeCloud(['a', 'b']);
  const lost = watch(cloud, 'a');
  clock.setTimeout(() => lost.stop(), 10_000);
  await clock.standStill(20_000);
  assert.equal(cloud.requests, []);
  const held = watch(cloud, 'b');
  await clock.standStill(20_000);
  await clock.advance(1_000);
  assert.ok(cloud.requests.length > 0, 'who did not lose it is served');
  held.stop();
});

test.run();
