// Look-ups that happen together are few list requests, and each still gets what it asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Criterion, equalTo, TagKey, tagsLike } from '../../../../adapters/openstack/base/criteria.ts';
import { KEYSTONE, NEUTRON } from '../../../../adapters/openstack/base/services.ts';
import { type LookUps, lookUps } from '../../../../adapters/openstack/client/lookups.ts';
import type { Answer, Call, Session } from '../../../../adapters/openstack/client/session.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { TransientError } from '../../../../bus/errors.ts';
import { simulatedClock } from '../../../world/clock.ts';

const test = suite('look-ups');

const clock = simulatedClock({ seed: 1 });

const NETWORKS = { service: NEUTRON, collection: 'networks', member: 'network', members: 'networks' };
const PROJECTS = { service: KEYSTONE, collection: 'projects', member: 'project', members: 'projects' };
const DEADLINE_MS = 5_000;

/** A session that knows resources and answers every list with all of them, when the test says so. */
class FakeSession implements Session {
  readonly lists: (readonly (readonly [string, string])[])[] = [];
  readonly deadlines: number[] = [];
  /** Paths of resources that were read one by one. */
  readonly reads: string[] = [];
  readonly resources: JsonObject[];
  readonly body: JsonObject;
  /** What a list waits for; replaced by a test that holds lists back. */
  before: Promise<void> = Promise.resolve();
  failure: unknown;

  constructor(resources: readonly JsonObject[], body: JsonObject = {}) {
    this.resources = [...resources];
    this.body = body;
  }

  async list({ query = [], deadlineAt }: Omit<Call, 'method' | 'body'>): Promise<readonly JsonObject[]> {
    this.lists.push(query);
    this.deadlines.push(deadlineAt);
    await this.before;
    if (this.failure !== undefined) throw this.failure;
    return [...this.resources];
  }

  async call(call: Call): Promise<Answer> {
    const id = /^\/networks\/(.+)$/.exec(call.path)?.[1];
    if (id !== undefined) {
      this.reads.push(call.path);
      const network = this.resources.find((resource) => resource['id'] === id);
      return network === undefined ? { status: 404, body: {} } : { status: 200, body: { network } };
    }
    return { status: 200, body: { ...this.body, projects: await this.list(call) } };
  }

  async userId(): Promise<string> {
    return 'me';
  }
}

function start(): {
  readonly ask: (session: Session, of: typeof NETWORKS, ...criteria: Criterion[]) => Promise<readonly JsonObject[]>;
  readonly looks: LookUps;
} {
  const looks = lookUps({ clock });
  const ask = (session: Session, of: typeof NETWORKS, ...criteria: Criterion[]): Promise<readonly JsonObject[]> =>
    looks.find(session, of, criteria, { deadlineAt: clock.now() + DEADLINE_MS, traceparent: 't' });
  return { ask, looks };
}

const named = (name: string): JsonObject => ({ id: `id-${name}`, name });
const range = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);

test('names of one turn are one list of a service that takes several', async () => {
  const { ask } = start();
  const session = new FakeSession(range(40).map(named));
  const found = await Promise.all(range(40).map((name) => ask(session, NETWORKS, equalTo('name', name))));
  assert.is(session.lists.length, 1);
  assert.equal(
    session.lists[0],
    range(40).map((name) => ['name', name]),
  );
  assert.equal(
    found,
    range(40).map((name) => [named(name)]),
  );
});

test('a resource is read by its path; several of one turn are one list of a service that takes several ids', async () => {
  const { looks } = start();
  const session = new FakeSession(['0', '1', '2'].map(named));
  const read = (id: string): Promise<JsonObject | undefined> =>
    looks.read(session, NETWORKS, id, { deadlineAt: clock.now() + DEADLINE_MS, traceparent: 't' });
  assert.equal(await read('id-1'), named('1'));
  assert.equal([session.lists, session.reads], [[], ['/networks/id-1']]);
  assert.equal(await Promise.all(['id-0', 'id-2', 'gone'].map(read)), [named('0'), named('2'), undefined]);
  assert.equal(session.lists, [['id-0', 'id-2', 'gone'].map((id) => ['id', id])]);
});

test('many names are several lists, and so are long ones', async () => {
  const { ask } = start();
  const session = new FakeSession([]);
  await Promise.all(range(120).map((name) => ask(session, NETWORKS, equalTo('name', name))));
  assert.equal(
    session.lists.map(({ length }) => length),
    [50, 50, 20],
  );
  session.lists.length = 0;
  await Promise.all(range(50).map((name) => ask(session, NETWORKS, equalTo('name', name.padEnd(240, 'ä')))));
  assert.ok(session.lists.length > 5);
  for (const query of session.lists)
    assert.ok(query.map(([, value]) => encodeURIComponent(value)).join('&name=').length < 8_000);
});

test('what all look-ups agree on is asked of the service, the rest of its results (OS-LOOKUPS-2)', async () => {
  const { ask } = start();
  const resources = [
    { id: '1', name: 'a', ip_version: 4, project_id: 'p' },
    { id: '2', name: 'a', ip_version: 4, project_id: 'q' },
    { id: '3', name: 'b', ip_version: 4, project_id: 'p' },
  ];
  const session = new FakeSession(resources);
  const found = await Promise.all(
    (
      [
        ['a', 'p'],
        ['a', 'q'],
        ['b', 'q'],
      ] as const
    ).map(([name, project]) =>
      ask(session, NETWORKS, equalTo('name', name), equalTo('ip_version', 4), equalTo('project_id', project)),
    ),
  );
  assert.equal(session.lists, [
    [
      ['name', 'a'],
      ['name', 'b'],
      ['ip_version', '4'],
    ],
  ]);
  assert.equal(found, [[resources[0]], [resources[1]], []]);
});

test('a result is compared exactly, however loosely the service compares', async () => {
  const { ask } = start();
  const session = new FakeSession([
    named('Web'),
    named('webs'),
    { id: '4', name: 'web', tags: ['a'] },
    { id: '5', name: 'web', tags: ['a', 'b'] },
  ]);
  assert.equal(await ask(session, NETWORKS, equalTo('name', 'web'), tagsLike(TagKey.All, ['b', 'a'])), [
    { id: '5', name: 'web', tags: ['a', 'b'] },
  ]);
  assert.equal(session.lists, [
    [
      ['name', 'web'],
      ['tags', 'b,a'],
    ],
  ]);
});

test('look-ups that arrive during a list wait for the next one (OS-LOOKUPS-1)', async () => {
  const { ask } = start();
  const session = new FakeSession([]);
  const { promise, resolve } = Promise.withResolvers<void>();
  session.before = promise;
  const first = ask(session, NETWORKS, equalTo('name', 'a'));
  while (session.lists.length === 0) await clock.sleep(1);
  const others = ['b', 'c'].map((name) => ask(session, NETWORKS, equalTo('name', name)));
  session.resources.push(named('b'));
  resolve();
  await first;
  assert.equal(await Promise.all(others), [[named('b')], []]);
  assert.equal(
    session.lists.map((query) => query.map(([, value]) => value)),
    [['a'], ['b', 'c']],
  );
});

test('up to four different look-ups of a service that takes one name are exact queries', async () => {
  const { ask } = start();
  const session = new FakeSession(range(9).map(named));
  const found = await Promise.all(
    ['n1', 'n2', 'n3', 'n4', 'n4'].map((name) => ask(session, PROJECTS, equalTo('name', name))),
  );
  assert.equal(
    session.lists,
    ['n1', 'n2', 'n3', 'n4'].map((name) => [['name', name]]),
  );
  assert.equal(found.at(-1), [named('n4')]);
});

test('more of them are one list, by what they agree on', async () => {
  const { ask } = start();
  const session = new FakeSession(range(9).map((name) => ({ ...named(name), domain_id: 'd' })));
  const found = await Promise.all(
    range(9).map((name) => ask(session, PROJECTS, equalTo('name', name), equalTo('domain_id', 'd'))),
  );
  assert.equal(session.lists, [[['domain_id', 'd']]]);
  assert.equal(
    found.map((results) => results.length),
    Array(9).fill(1),
  );
});

for (const [title, body] of [
  ['was cut', { truncated: true }],
  ['has another page', { links: { next: 'http://cloud/v3/projects?marker=x' } }],
] as const) {
  test(`a list that ${title} proves nothing: exact queries follow (OS-LOOKUPS-3)`, async () => {
    const { ask } = start();
    const session = new FakeSession(range(6).map(named), body);
    const found = await Promise.all(range(6).map((name) => ask(session, PROJECTS, equalTo('name', name))));
    assert.is(session.lists.length, 7);
    assert.equal(
      found,
      range(6).map((name) => [named(name)]),
    );
  });
}

test('a list that fails fails its look-ups, and no others (OS-LOOKUPS-3)', async () => {
  const { ask } = start();
  const broken = new FakeSession([]);
  const sound = new FakeSession([]);
  broken.failure = new TransientError('busy');
  const results = await Promise.allSettled([
    ask(broken, NETWORKS, equalTo('name', 'a')),
    ask(broken, NETWORKS, equalTo('name', 'b')),
    ask(sound, NETWORKS, equalTo('name', 'a')),
  ]);
  assert.equal(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  );
  broken.failure = undefined;
  assert.equal(await ask(broken, NETWORKS, equalTo('name', 'a')), []);
});

test('an answer without the resource is no absence (OS-LOOKUPS-3)', async () => {
  const session: Session = {
    call: async () => ({ status: 200, body: {} }),
    list: async () => [],
    userId: async () => 'me',
  };
  const of = { service: NEUTRON, collection: 'networks', member: 'network', members: 'networks' };
  const call = { deadlineAt: clock.now() + 10_000, traceparent: '' };
  const reading = lookUps({ clock: clock }).read(session, of, 'id', call);
  assert.instance(await reading.catch((error: unknown) => error), TransientError);
});

test('a list ends by the earliest deadline that it serves; who is late gets none (OS-LOOKUPS-4)', async () => {
  const { looks } = start();
  const session = new FakeSession([]);
  const now = clock.now();
  const at = (name: string, deadlineAt: number): Promise<readonly JsonObject[]> =>
    looks.find(session, NETWORKS, [equalTo('name', name)], { deadlineAt, traceparent: 't' });
  const results = await Promise.allSettled([at('a', now + 9_000), at('b', now + 7_000), at('c', now - 1)]);
  assert.equal(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
  assert.equal(session.deadlines, [now + 7_000]);
  assert.equal(session.lists, [
    [
      ['name', 'a'],
      ['name', 'b'],
    ],
  ]);
});

test.run();
