// What the gateway does beside the rules that every store runs: methods with handlers, bindings that come and go, deprecation, faults
// of stores, limits, and what is no HTTP.
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RateLimit } from '../../../../adapters/ocm/gateway/server/rate.ts';
import type { Collection } from '../../../../adapters/ocm/gateway/store/collections.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import type {
  Fault,
  MethodCall,
  SearchField,
  Store,
  Table,
  Value,
} from '../../../../adapters/ocm/gateway/store/store.ts';
import { Workspace } from '../../../../adapters/ocm/model/mod.ts';
import { idsOf, json, type Reply } from './client.ts';
import { collectionAt, testModel } from './model.ts';
import { type Serving, type ServingOptions, serving } from './served.ts';
import { CLUSTERS } from './store.suite.ts';

const test = suite('model gateway');
const VERSIONS = '/api/clusters_mgmt/v1/versions';

async function withServing(
  store: Store,
  work: (served: Serving) => Promise<void>,
  options: ServingOptions = {},
): Promise<void> {
  const served = await serving(store, options);
  try {
    await work(served);
  } finally {
    await served.close();
  }
}

function refused(reply: Reply, status: number, reason: RegExp): void {
  assert.is(reply.status, status, reply.text);
  assert.is(reply.headers['content-type'], 'application/json');
  assert.match(String(json(reply)['reason']), reason);
}

/** A store whose tables answer writes with a fault. */
function faulty(fault: Fault): Store {
  const memory = memoryStore();
  return {
    ...memory,
    bind(collection: Collection): Table | undefined {
      const table = memory.bind(collection);
      if (table === undefined) return undefined;
      const answer = async (): Promise<Fault> => fault;
      return {
        serverOwned: new Set(),
        watch: (listener) => table.watch(listener),
        create: answer,
        update: answer,
        remove: answer,
      };
    },
  };
}

test('an action takes its fields from the body, with defaults, and answers its outputs in order', async () => {
  const calls: MethodCall[] = [];
  const store = memoryStore({
    methods: {
      [CLUSTERS]: {
        ScaleOut: async (call) => {
          calls.push(call);
          return { kind: 'done', output: { total: 3, cluster: { id: 'a' }, secret: 'x' } };
        },
        Hibernate: async () => ({ kind: 'done', output: {} }),
      },
    },
  });
  await withServing(store, async ({ client }) => {
    await client.post(CLUSTERS, { id: 'a' });
    const reply = await client.post(`${CLUSTERS}/a/scale_out`, { reason: 'load', unknown: 1, note: null });
    assert.equal([reply.status, reply.text], [200, '{"cluster":{"id":"a"},"total":3}']);
    assert.equal(
      calls.map(({ address, input }) => ({ address, input })),
      [{ address: { outer: [], id: 'a' }, input: { count: 1, reason: 'load' } }],
    );
    assert.is((await client.send('POST', `${CLUSTERS}/a/scale_out`)).status, 200);
    refused(await client.post(`${CLUSTERS}/a/scale_out`, { count: '1' }), 400, /'count'/);
    refused(await client.post(`${CLUSTERS}/a/scale_out`, [1]), 400, /must be an object/);
    refused(await client.post(`${CLUSTERS}/z/scale_out`, {}), 404, /Cluster 'z' not found/);
    refused(await client.get(`${CLUSTERS}/a/scale_out`), 405, /no method 'GET'/);
    const empty = await client.send('POST', `${CLUSTERS}/a/hibernate`);
    assert.equal([empty.status, empty.text], [200, '{}']);
  });
});

test('4: attributes of the server are compared as they are served', async () => {
  const owned = ['creation_timestamp', 'expiration_timestamp', 'region', 'aws', 'status'];
  const store = memoryStore({ serverOwned: { [CLUSTERS]: owned } });
  const value = {
    creation_timestamp: '2026-03-10T16:45:13.300000Z',
    expiration_timestamp: '2026-03-10T16:45:13+01:00',
    region: { id: 'r', href: '/regions/r' },
    aws: { account_id: null, sts: { operator_iam_roles: [{ name: 'n', unknown: 1 }] } },
    status: { phase: 'Up', percent: null },
  };
  store.put(collectionAt(testModel(), CLUSTERS), { outer: [], id: 'a' }, value);
  await withServing(store, async ({ client, api }) => {
    const read = await client.get(`${CLUSTERS}/a`);
    assert.match(read.text, '"2026-03-10T15:45:13Z"');
    const back = await client.send('PATCH', `${CLUSTERS}/a`, { body: read.text });
    assert.equal([back.status, back.text], [200, read.text]);
    const stored = api.served.table(collectionAt(testModel(), CLUSTERS))?.index.get({ outer: [], id: 'a' })?.value;
    assert.equal(stored, value);
    for (const body of [{ creation_timestamp: '2026-03-10T16:45:13.4Z' }, { region: { id: 's' } }, { aws: null }]) {
      assert.is((await client.patch(`${CLUSTERS}/a`, body)).status, 400, JSON.stringify(body));
    }
  });
});

test('an action may answer 204, where its documentation says so', async () => {
  const store = memoryStore({
    methods: { [CLUSTERS]: { Hibernate: async () => ({ kind: 'done', output: {}, isEmpty: true }) } },
  });
  await withServing(store, async ({ client }) => {
    await client.post(CLUSTERS, { id: 'a' });
    const { status, text, headers } = await client.send('POST', `${CLUSTERS}/a/hibernate`);
    assert.equal([status, text, headers['content-type']], [204, '', undefined]);
  });
});

test('Post takes its one input as the body and answers its one output with 201', async () => {
  const path = '/api/accounts_mgmt/v1/token_authorizations';
  const store = memoryStore({
    methods: {
      [path]: {
        Post: async ({ input }) => ({ kind: 'done', output: { response: { username: JSON.stringify(input) } } }),
      },
    },
  });
  await withServing(store, async ({ client }) => {
    const reply = await client.post(path, { token: 't', other: 1 });
    assert.equal([reply.status, json(reply)], [201, { username: '{"request":{"token":"t"}}' }]);
    refused(await client.send('POST', path), 400, /body is missing/);
    refused(await client.post(path, { token: 1 }), 400, /'token'/);
  });
});

test('what is not bound answers 501, until it is', async () => {
  const store = memoryStore({ unbound: new Set([CLUSTERS]) });
  await withServing(store, async ({ client }) => {
    for (const reply of [
      await client.get(CLUSTERS),
      await client.post(CLUSTERS, {}),
      await client.get(`${CLUSTERS}/a`),
      await client.delete(`${CLUSTERS}/a`),
    ]) {
      refused(reply, 501, /^Nothing serves '/);
      assert.is(json(reply)['kind'], 'Error');
    }
    refused(await client.send('POST', '/api/accounts_mgmt/v1/accounts', { body: '{}' }), 501, /Nothing serves/);
    store.setBound(CLUSTERS, true);
    assert.is((await client.post(CLUSTERS, { id: 'a' })).status, 201);
    store.setBound(CLUSTERS, false);
    refused(await client.get(`${CLUSTERS}/a`), 501, /Nothing serves/);
  });
});

test('another model is served from the next request on, and objects stay', async () => {
  const model = testModel();
  await withServing(memoryStore(), async ({ client, api }) => {
    await client.post(CLUSTERS, { id: 'a' });
    api.serve({ services: model.services.filter(({ name }) => name.snake === 'accounts_mgmt') });
    refused(await client.get(`${CLUSTERS}/a`), 404, /no such path/);
    api.serve(testModel());
    assert.is((await client.get(`${CLUSTERS}/a`)).status, 200);
  });
});

test('a table whose objects are not known yet answers 503', async () => {
  const memory = memoryStore();
  const silent: Store = {
    ...memory,
    bind: (collection) => {
      const table = memory.bind(collection);
      return table && { ...stubOf(table), watch: () => () => undefined };
    },
  };
  await withServing(silent, async ({ client }) => {
    const reply = await client.get(CLUSTERS);
    refused(reply, 503, /being read/);
    assert.is(reply.headers['retry-after'], '1');
  });
});

function stubOf(table: Table): Table {
  return {
    serverOwned: table.serverOwned,
    watch: (listener) => table.watch(listener),
    create: (request) => table.create(request),
    update: (request) => table.update(request),
    remove: (request) => table.remove(request),
  };
}

test('5: where a store does not know whether a caller may read, requests are answered 503', async () => {
  const memory = memoryStore();
  let isAway = false;
  const store: Store = {
    ...memory,
    bind(collection) {
      const table = memory.bind(collection);
      const answer = async (): Promise<Fault | true> => (isAway ? { kind: 'unavailable', retryAfterMs: 2_500 } : true);
      return table && { ...stubOf(table), mayRead: answer };
    },
  };
  await withServing(store, async ({ client, defects }) => {
    const providers = '/api/clusters_mgmt/v1/cloud_providers';
    await client.post(providers, { id: 'aws' });
    await client.post(CLUSTERS, { id: 'a' });
    isAway = true;
    for (const reply of [
      await client.get(CLUSTERS),
      await client.get(`${CLUSTERS}/a`),
      await client.get(`${CLUSTERS}/a/machine_pools`),
      await client.post(CLUSTERS, { id: 'b', cloud_provider: { id: 'aws' } }),
      await client.patch(`${CLUSTERS}/a`, {}),
      await client.delete(`${CLUSTERS}/a`),
    ]) {
      refused(reply, 503, /try again/);
      assert.is(reply.headers['retry-after'], '3');
    }
    assert.equal(defects, []);
  });
});

test('faults of a store have their statuses', async () => {
  for (const [fault, status, reason] of [
    [{ kind: 'conflict', reason: 'It changed meanwhile' }, 409, /^It changed meanwhile$/],
    [{ kind: 'invalid', reason: 'No' }, 400, /^No$/],
    [{ kind: 'forbidden', reason: 'You may not' }, 403, /^You may not$/],
    [{ kind: 'unavailable', retryAfterMs: 2_500 }, 503, /try again/],
    [{ kind: 'unknown' }, 500, /^The server does not know whether this changed Cluster 'a'/],
  ] as const) {
    await withServing(faulty(fault), async ({ client }) => {
      const reply = await client.post(CLUSTERS, { id: 'a' });
      refused(reply, status, reason);
      assert.is(reply.headers['retry-after'], status === 503 ? '3' : undefined);
    });
  }
});

test('what fails unexpectedly says nothing of why (OCM-API-2)', async () => {
  const store = memoryStore({
    methods: {
      [CLUSTERS]: {
        Hibernate: async () => {
          throw new Error('secret of namespace team-b at 10.0.0.1');
        },
      },
    },
  });
  await withServing(store, async ({ client, defects }) => {
    await client.post(CLUSTERS, { id: 'a' });
    const reply = await client.post(`${CLUSTERS}/a/hibernate`, {});
    refused(reply, 500, /^The server failed to answer the request$/);
    assert.not.match(reply.text, /secret|team-b|10\.0/);
    assert.is(defects.length, 1);
  });
});

test('what a caller may not read is not found, listed or linked to', async () => {
  const memory = memoryStore();
  const store: Store = {
    ...memory,
    bind: (collection) => {
      const table = memory.bind(collection);
      return table && { ...stubOf(table), mayRead: async (_, { id }) => id !== 'hidden' };
    },
  };
  const model = testModel();
  await withServing(store, async ({ client }) => {
    memory.put(collectionAt(model, CLUSTERS), { outer: [], id: 'hidden' }, { name: 'x' });
    memory.put(collectionAt(model, '/api/clusters_mgmt/v1/cloud_providers'), { outer: [], id: 'hidden' }, {});
    const missing = await client.get(`${CLUSTERS}/nothing`);
    for (const path of [`${CLUSTERS}/hidden`, `${CLUSTERS}/hidden/machine_pools`, `${CLUSTERS}/hidden/status`]) {
      refused(await client.get(path), 404, /^Cluster 'hidden' not found$/);
    }
    refused(await client.patch(`${CLUSTERS}/hidden`, {}), 404, /not found/);
    refused(await client.delete(`${CLUSTERS}/hidden`), 404, /not found/);
    refused(await client.post(CLUSTERS, { cloud_provider: { id: 'hidden' } }), 400, /does not exist/);
    assert.is(
      missing.text.replaceAll('nothing', 'hidden').split('"operation_id"')[0],
      (await client.get(`${CLUSTERS}/hidden`)).text.split('"operation_id"')[0],
    );
  });
});

test('8: what is deprecated says so, and is gone after its sunset', async () => {
  const before = Date.parse('2031-01-30T00:00:00Z');
  await withServing(
    memoryStore(),
    async ({ client }) => {
      const { headers } = await client.get(VERSIONS);
      assert.is(headers['deprecation'], '2031-01-31T00:00:00Z');
      assert.is(headers['x-ocm-deprecation-message'], 'Use the release service.');
      const ordered = await client.get(`${VERSIONS}?order=id`);
      assert.is(ordered.headers['x-ocm-deprecation-message'], "Use the release service. 'order' is deprecated");
      const cluster = await client.post(CLUSTERS, { id: 'a', channel_group: 'stable' });
      assert.is(cluster.headers['x-ocm-field-deprecation'], '{"channel_group":"Use channel."}');
      assert.is(
        (await client.get(`${CLUSTERS}/a`)).headers['x-ocm-field-deprecation'],
        '{"channel_group":"Use channel."}',
      );
      assert.is((await client.get(CLUSTERS)).headers['x-ocm-deprecation-message'], undefined);
    },
    { now: () => before },
  );
  await withServing(memoryStore(), async ({ client }) => refused(await client.get(VERSIONS), 410, /served no more/), {
    now: () => before + 86_400_000,
  });
});

test('8: deprecated fields are named as far as there is room in a header', async () => {
  const attributes = Array.from(
    { length: 60 },
    (_, n) => `@deprecated(message = "Use nothing of ${'é'.repeat(9)}.") Old${n} String`,
  );
  const workspace = new Workspace();
  workspace.set(
    'm/old_mgmt/v1/old.model',
    `class Thing { ${attributes.join(' ')} Parts []Part }
struct Part { @deprecated(message = "Gone.") Size Integer }
resource Root { locator Thing { target Thing } }
resource Thing { method Get { out Body Thing } }`,
  );
  const model = workspace.model();
  const store = memoryStore();
  await withServing(
    store,
    async ({ client }) => {
      const path = '/api/old_mgmt/v1/thing';
      const put = (value: Value) => store.put(collectionAt(model, path), { outer: [], id: '' }, value);
      put(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`old_${n}`, 'x'])));
      const notice = String((await client.get(path)).headers['x-ocm-field-deprecation']);
      assert.ok(notice.length > 500 && notice.length <= 1_000, String(notice.length));
      assert.ok(Object.values(JSON.parse(notice)).every((each) => String(each).endsWith('éé.')));
      put({ parts: [{}, { size: 1 }] });
      assert.is((await client.get(path)).headers['x-ocm-field-deprecation'], '{"parts.size":"Gone."}');
    },
    { model },
  );
});

test('3.1: a store declares fields that are in searches only', async () => {
  const read: SearchField['read'] = ({ value }) => String(value['openshift_version'] ?? '').split('.')[0];
  const store = memoryStore({
    searchFields: {
      [CLUSTERS]: {
        version_raw_id_prefix: { kind: 'text', read },
        'organization.id': { kind: 'number', read: () => 7 },
      },
    },
  });
  await withServing(store, async ({ client }) => {
    for (const [id, version] of [
      ['a', '4.16.3'],
      ['b', '5.0.0'],
    ])
      await client.post(CLUSTERS, { id, openshift_version: version });
    const found = await client.search(CLUSTERS, { search: "version_raw_id_prefix = '5' and organization.id > 6" });
    assert.equal(idsOf(found), ['b']);
    assert.equal(idsOf(await client.search(CLUSTERS, { order: 'version_raw_id_prefix desc' })), ['b', 'a']);
    refused(await client.search(CLUSTERS, { fields: 'version_raw_id_prefix' }), 400, /not a valid field name/);
    refused(await client.search(CLUSTERS, { search: "organization.id = 'x'" }), 400, /is not a number/);
  });
});

test('requests beyond the rate are answered with 429 and when to come again', async () => {
  let now = 0;
  const rate = new RateLimit({ perSecond: 1, burst: 2, now: () => now });
  await withServing(
    memoryStore(),
    async ({ client }) => {
      const statuses = [await client.get(CLUSTERS), await client.get(CLUSTERS), await client.get(CLUSTERS)];
      assert.equal(
        statuses.map(({ status }) => status),
        [200, 200, 429],
      );
      assert.is(statuses[2]?.headers['retry-after'], '1');
      assert.is((await client.get('/api')).status, 200);
      now += 1_000;
      assert.is((await client.get(CLUSTERS)).status, 200);
    },
    { rate },
  );
});

test('a page of a web site gets nothing without authentication (OCM-NONE-1)', async () => {
  await withServing(memoryStore(), async ({ client, port }) => {
    for (const headers of [
      { Host: 'evil.example' },
      { Host: `evil.example:${port}` },
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      refused(await client.get(CLUSTERS, headers), 403, /other sites/);
    }
    for (const headers of [{ Host: `localhost:${port}` }, { Host: '[::1]' }, { 'Sec-Fetch-Site': 'none' }]) {
      assert.is((await client.get(CLUSTERS, headers)).status, 200);
    }
  });
});

test('answers are counted by service, method and status', async () => {
  await withServing(memoryStore(), async ({ client, answered }) => {
    await client.get(`${CLUSTERS}/x`);
    await client.send('PROPFIND', '/x');
    const shown = answered.map(({ service, version, path, verb, status }) => ({
      service,
      version,
      path,
      verb,
      status,
    }));
    assert.equal(shown, [
      { service: 'clusters_mgmt', version: 'v1', path: `${CLUSTERS}/{cluster_id}`, verb: 'GET', status: 404 },
      { service: undefined, version: undefined, path: undefined, verb: 'other', status: 405 },
    ]);
  });
});

/** Sends text as it is, and gives all that comes back until the connection ends. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let reply = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    reply += data;
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return reply;
}

test('what is no request is answered with an error object, too (OCM-HTTP-1)', async () => {
  await withServing(memoryStore(), async ({ port, client }) => {
    for (const [text, status] of [
      ['nonsense\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
      [`GET ${CLUSTERS} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400],
      [`POST ${CLUSTERS} HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`, 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
      [`GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
      ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ] as const) {
      const reply = await raw(port, text);
      assert.ok(reply.startsWith(`HTTP/1.1 ${status} `), reply);
      assert.match(reply, /Content-Type: application\/json\r\n/);
      assert.match(reply, /Vary: Authorization/);
      assert.match(reply, /X-Operation-ID: operation-/);
      assert.is(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4)).id, String(status));
    }
    const mixed = await raw(port, `GET ${CLUSTERS} HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n`);
    assert.ok(!mixed.includes('400'), mixed);
    assert.is((await client.get(CLUSTERS, { Expect: 'the-impossible' })).status, 200);
  });
});

test('what arrived before the end is answered, and nothing new (OCM-HTTP-3)', async () => {
  let finish = (): void => undefined;
  const entered = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const store = memoryStore({
    methods: {
      [CLUSTERS]: {
        Hibernate: async () => {
          finish();
          await left;
          return { kind: 'done', output: {} };
        },
      },
    },
  });
  const served = await serving(store);
  await served.client.post(CLUSTERS, { id: 'a' });
  const pending = served.client.post(`${CLUSTERS}/a/hibernate`, {});
  await entered;
  const closed = served.close();
  leave();
  const reply = await pending;
  assert.equal([reply.status, reply.headers.connection], [200, 'close']);
  await closed;
  try {
    await served.client.get(CLUSTERS);
    assert.unreachable();
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
  }
});

test('3: the largest page has 65500 objects, whatever size is asked for, and the next one has the others', async () => {
  const store = memoryStore();
  const versions = collectionAt(testModel(), VERSIONS);
  for (let n = 0; n < 65_502; n += 1) store.put(versions, { outer: [], id: `v${n}` }, {});
  await withServing(store, async ({ client }) => {
    for (const size of ['-1', '65501', '100000000']) {
      const pages = await Promise.all(['1', '2'].map((page) => client.search(VERSIONS, { size, page, fields: 'id' })));
      assert.equal(
        pages.map((reply) => [json(reply)['size'], json(reply)['total']]),
        [
          [65_500, 65_502],
          [2, 65_502],
        ],
        size,
      );
    }
  });
});

test('1: members that the model does not have get nowhere, at any depth, by Add and by Update (OCM-DECODE-1)', async () => {
  const clusters = collectionAt(testModel(), CLUSTERS);
  await withServing(memoryStore(), async ({ client, api }) => {
    const value = (): unknown => api.served.table(clusters)?.index.get({ outer: [], id: 'a' })?.value;
    const body = { color: 'red', nodes: { compute: 1, speed: 2 }, ['__proto__']: { name: 'x' } };
    assert.is((await client.post(CLUSTERS, { id: 'a', ...body })).status, 201);
    assert.equal(value(), { nodes: { compute: 1 } });
    const edit = { nodes: { compute: 3, speed: 4 }, size: 'large' };
    assert.is((await client.patch(`${CLUSTERS}/a`, edit)).status, 200);
    assert.equal(value(), { nodes: { compute: 3 } });
  });
});

test.run();
