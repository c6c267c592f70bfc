// Requests that would cost much more than they look: each is answered, or refused, at little cost.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeValue } from '../../../../adapters/ocm/gateway/envelope/decode.ts';
import { queryValue } from '../../../../adapters/ocm/gateway/envelope/query.ts';
import { fieldOf } from '../../../../adapters/ocm/gateway/search/fields.ts';
import { projectionOf } from '../../../../adapters/ocm/gateway/search/projection.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import type { Store } from '../../../../adapters/ocm/gateway/store/store.ts';
import { BUILT_IN_TYPES, type Type } from '../../../../adapters/ocm/model/mod.ts';
import { json } from './client.ts';
import { type Serving, serving } from './served.ts';
import { CLUSTERS } from './store.suite.ts';
import { orderIn, reasonOf, SCOPE, THING } from './things.ts';

const test = suite('limits of a served model');
/** Processor time of this process, in milliseconds: several times as long is a loop over all pairs. Other processes do not count. */
const MOST_MS = 1_000;

async function withServing(work: (served: Serving) => Promise<void>, store: Store = memoryStore()): Promise<void> {
  const served = await serving(store);
  try {
    await work(served);
  } finally {
    await served.close();
  }
}

async function spends<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const spentMs = (user + system) / 1_000;
  assert.ok(spentMs < MOST_MS, `${what}: ${spentMs.toFixed(0)} ms`);
  return result;
}

test('1: slashes in a path cost time in proportion to their number, and those at the end are ignored', async () => {
  await withServing(async ({ api, client }) => {
    assert.is((await client.get(`/api${'/'.repeat(10_000)}`)).status, 200);
    const request = { verb: 'GET', headers: {}, address: '', signal: new AbortController().signal };
    const target = `/${'/'.repeat(65_000)}x`;
    const answer = await spends('slashes', () =>
      api.answer({ ...request, target, body: async () => undefined }, () => undefined),
    );
    assert.is(answer.status, 404);
  });
});

test('1: a number costs time in proportion to its digits', async () => {
  const float = BUILT_IN_TYPES.get('float') as Type;
  for (const [text, value] of [
    ['1', 1],
    ['-1.5', -1.5],
    ['+1.', 1],
    ['.5', 0.5],
    ['1e3', 1_000],
    ['1.5E-1', 0.15],
  ] as const) {
    assert.is(queryValue(float, text, 'load'), value, text);
  }
  for (const text of ['', '.', '1.5.', 'e1', '1e', '0x1', 'Infinity', ' 1', `${'1'.repeat(65_000)}x`]) {
    const reason = await spends('a number', () => reasonOf(() => queryValue(float, text, 'load')));
    assert.match(reason, /^The query parameter 'load' must be a number/);
  }
});

test('3.3: fields, orders and searches name no path that is deeper than a body', () => {
  const path = (parts: number): string => `extra${'.a'.repeat(parts - 1)}`;
  assert.ok(projectionOf(path(100), THING) !== undefined);
  assert.ok(fieldOf(path(100).split('.'), SCOPE) !== undefined);
  assert.ok(orderIn(path(100)) !== undefined);
  for (const parts of [101, 4_000]) {
    const invalid = /^'extra.*' is not a valid field name$/;
    assert.match(
      reasonOf(() => projectionOf(path(parts), THING)),
      invalid,
    );
    assert.match(
      reasonOf(() => orderIn(path(parts))),
      invalid,
    );
    assert.is(fieldOf(path(parts).split('.'), SCOPE), undefined);
  }
});

test('3.3: members of a projection are kept, also where one is in another', () => {
  const project = projectionOf('extra.a.b, extra.a, extra.a.c, extra.d.e, nodes', THING);
  const extra = { a: { b: 1, c: 2, x: 3 }, d: { e: 4, f: 5 }, g: 6 };
  assert.equal(project?.({ id: 'a', name: 'n', nodes: { compute: 1 }, extra }), {
    id: 'a',
    nodes: { compute: 1 },
    extra: { a: { b: 1, c: 2, x: 3 }, d: { e: 4 } },
  });
});

test('3: texts of parameters have a limit, in the query and in a body', async () => {
  await withServing(async ({ client }) => {
    for (const name of ['search', 'order', 'fields']) {
      const reply = await client.post(`${CLUSTERS}?method=get`, { [name]: 'a'.repeat(65_537) });
      assert.is(reply.status, 400, name);
      assert.match(String(json(reply)['reason']), `'${name}' has at most 65536 characters`);
    }
  });
});

test('4: an Update of a list has each object once, at most 1000, and ends with its connection', async () => {
  const connection = new AbortController();
  const memory = memoryStore();
  let updates = 0;
  const counted: Store = {
    ...memory,
    bind(collection) {
      const table = memory.bind(collection);
      if (table === undefined || !collection.path.endsWith('/ingresses')) return table;
      return {
        serverOwned: table.serverOwned,
        watch: (listener) => table.watch(listener),
        create: (request) => table.create(request),
        remove: (request) => table.remove(request),
        update(request) {
          if (++updates === 3) connection.abort();
          return table.update(request);
        },
      };
    },
  };
  await withServing(async ({ api, client }) => {
    await client.post(CLUSTERS, { id: 'a', name: 'a' });
    const path = `${CLUSTERS}/a/ingresses`;
    const ids = ['i', 'j', 'k', 'l'];
    for (const id of ids) assert.is((await client.post(path, { id })).status, 201);
    const twice = await client.patch(path, [{ id: 'i' }, { id: 'j' }, { id: 'i' }]);
    assert.is(twice.status, 400);
    assert.match(String(json(twice)['reason']), "'[2].id' is that of an earlier element");
    const many = await client.patch(
      path,
      Array.from({ length: 1_001 }, () => ({ id: 'i' })),
    );
    assert.is(many.status, 400);
    assert.match(String(json(many)['reason']), 'at most 1000 elements');
    assert.is(updates, 0);
    const body = ids.map((id) => ({ id, listening: 'internal' }));
    const request = { verb: 'PATCH', target: path, headers: {}, address: '', signal: connection.signal };
    const answer = await api.answer({ ...request, body: async () => body }, () => undefined);
    assert.is(answer.status, 503);
    assert.is(updates, 3);
  }, counted);
});

test('1: a long that is not exact is refused, in a body and in a query', () => {
  const long = BUILT_IN_TYPES.get('long') as Type;
  for (const text of ['9007199254740991', '-9007199254740991']) {
    assert.is(queryValue(long, text, 'depth'), Number(text));
    assert.is(decodeValue(long, JSON.parse(text), 'depth', 'absent'), Number(text));
  }
  for (const text of ['9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807', '1e400']) {
    assert.match(
      reasonOf(() => queryValue(long, text, 'depth')),
      /'depth' must be a whole number/,
    );
    assert.match(
      reasonOf(() => decodeValue(long, JSON.parse(text), 'depth', 'absent')),
      /'depth' must be a whole number of 53 bits/,
    );
  }
});

test('5: an answer that finds no memory repeats no write', async () => {
  const served = await serving(memoryStore(), { http: { unsentBytes: 0 } });
  try {
    const read = await served.client.get(CLUSTERS);
    assert.equal([read.status, read.headers['retry-after']], [503, '1']);
    const written = await served.client.post(CLUSTERS, { id: 'a' });
    assert.equal([written.status, written.headers['retry-after']], [500, undefined]);
  } finally {
    await served.close();
  }
});

test.run();
