// What the public client sends, chapter 9 of the contract, as recorded exchanges: its requests as they are on the wire, and what it
// reads of the answers.
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issueToken } from '../../../../adapters/ocm/gateway/auth/issue.ts';
import { sharedToken } from '../../../../adapters/ocm/gateway/auth/shared-token.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { REFERENCE } from '../corpus.ts';
import { Client, itemsOf, type Json, json, type Reply } from './client.ts';
import { collectionAt, modelOf, testModel } from './model.ts';
import { serving } from './served.ts';
import { CLUSTERS } from './store.suite.ts';

const test = suite('public client of the model gateway');
const ACCOUNTS = '/api/accounts_mgmt/v1';

/** A server with 250 clusters, and a client that sends the headers of the public one. */
async function logged(work: (client: Client) => Promise<void>): Promise<void> {
  const token = issueToken({ name: 'ada', issuedAt: Date.parse('2030-01-01T00:00:00Z'), validForS: 0 });
  const [model, store] = [testModel(), memoryStore()];
  const served = await serving(store, { model, authenticator: sharedToken(token) });
  try {
    const put = (path: string, id: string, value: Json): void =>
      void store.put(collectionAt(model, path), { outer: [], id }, value);
    put(`${ACCOUNTS}/accounts`, 'acc', { username: 'ada', email: 'ada@example.com' });
    put(`${ACCOUNTS}/current_account`, '', { id: 'acc', username: 'ada' });
    put(`${ACCOUNTS}/subscriptions`, 'sub7', {
      display_name: 'c7',
      cluster_id: 'id7',
      status: 'Active',
      creator: { id: 'acc' },
    });
    for (let n = 0; n < 250; n++) {
      put(CLUSTERS, `id${n}`, {
        name: `c${n}`,
        state: n % 2 === 0 ? 'ready' : 'installing',
        api: { url: `https://c${n}` },
        ...(n === 7 && { subscription: { id: 'sub7' } }),
      });
    }
    put('/api/clusters_mgmt/v1/versions', 'openshift-v4.16.3', {
      enabled: true,
      raw_id: '4.16.3',
      channel_group: 'stable',
    });
    const headers = { 'User-Agent': 'OCM-CLI/1.0.0', Authorization: `Bearer ${token}` };
    await work(new Client(served.port, headers));
    assert.equal(served.defects, []);
  } finally {
    await served.close();
  }
}

/** How the client shows an error: it fails on one whose identifier is no text. */
function shownError(reply: Reply): string {
  const { id, code, operation_id: operation, reason } = json(reply);
  assert.type(id, 'string');
  return `status is ${reply.status}, identifier is '${id}', code is '${code}' and operation identifier is '${operation}': ${reason}`;
}

test('9: login takes a token of ours as it is: it sends no request for another one', () => {
  for (const validForS of [0, 60]) {
    const token = issueToken({ name: 'ada', issuedAt: Date.now(), validForS });
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    const [header, claims] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json);
    assert.is(header?.['alg'], 'HS256');
    assert.is(claims?.['typ'] ?? 'Bearer', 'Bearer');
    const { exp = 0 } = claims as { readonly exp?: number };
    assert.ok(exp === 0 || exp * 1_000 > Date.now());
  }
});

test('login, whoami', () =>
  logged(async (client) => {
    const { username, kind, id } = json(await client.get(`${ACCOUNTS}/current_account`));
    assert.equal({ username, kind, id }, { username: 'ada', kind: 'Account', id: 'acc' });
  }));

test('list clusters asks page after page until one is short', () =>
  logged(async (client) => {
    const names: unknown[] = [];
    for (let page = 1; ; page++) {
      const reply = await client.get(`${CLUSTERS}?page=${page}&search=&size=100`);
      assert.is(reply.status, 200);
      names.push(...itemsOf(reply).map(({ name }) => name));
      if (Number(json(reply)['size']) < 100) break;
      assert.ok(page < 10, 'the client would ask for ever');
    }
    assert.is(new Set(names).size, 250);
  }));

test('list clusters with a part of a name', () =>
  logged(async (client) => {
    const reply = await client.get(
      `${CLUSTERS}?page=1&search=name+like+%27%25c24%25%27+or+id+like+%27%25c24%25%27&size=100`,
    );
    assert.equal(
      itemsOf(reply)
        .map(({ name, api, state }) => [name, (api as Json)['url'], state])
        .sort()[0],
      ['c24', 'https://c24', 'ready'],
    );
    assert.is(json(reply)['total'], 11);
  }));

test('describe cluster by its name: subscription, cluster, account, and what may be missing', () =>
  logged(async (client) => {
    const search = (key: string): string =>
      encodeURIComponent(`(display_name = '${key}' or cluster_id = '${key}' or external_cluster_id = '${key}')`);
    const subscriptions = await client.get(`${ACCOUNTS}/subscriptions?search=${search('c7')}&size=1`);
    assert.equal([subscriptions.status, json(subscriptions)['total']], [200, 1]);
    const [found] = itemsOf(subscriptions);
    assert.equal([found?.['status'], found?.['cluster_id']], ['Active', 'id7']);
    const cluster = json(await client.get(`${CLUSTERS}/id7`));
    const link = cluster['subscription'] as Json;
    assert.is(link['href'], `${ACCOUNTS}/subscriptions/sub7`);
    const subscription = json(await client.get(`${ACCOUNTS}/subscriptions/${link['id']}?fetchLabels=true`));
    const account = json(await client.get(`${ACCOUNTS}/accounts/${(subscription['creator'] as Json)['id']}`));
    assert.is(account['email'], 'ada@example.com');
    assert.is((await client.get(`${CLUSTERS}/id7/provision_shard`)).status, 404);
    assert.is((await client.get(`${CLUSTERS}/id7/hypershift`)).status, 404);
    assert.is((await client.get("/api/osd_fleet_mgmt/v1/management_clusters?search=name%3D'x'")).status, 404);
  }));

test('9: columns of a cluster, of which those that are missing are left out', () =>
  logged(async (client) => {
    const links = { cloud_provider: { id: 'aws' }, region: { id: 'r1' } };
    assert.is((await client.post('/api/clusters_mgmt/v1/cloud_providers', { id: 'aws' })).status, 201);
    const made = await client.post(CLUSTERS, { id: 'full', name: 'full', openshift_version: '4.16.3', ...links });
    assert.is(made.status, 201, made.text);
    const full = json(await client.get(`${CLUSTERS}/full`));
    const idOf = (column: string): unknown => (full[column] as Json)['id'];
    assert.equal([full['openshift_version'], idOf('cloud_provider'), idOf('region')], ['4.16.3', 'aws', 'r1']);
    const bare = json(await client.get(`${CLUSTERS}/id9`));
    for (const column of ['openshift_version', 'product', 'hypershift', 'cloud_provider', 'region'])
      assert.is(bare[column], undefined, column);
  }));

test('9: describe cluster continues where the subscription or the account is not there, or the cluster has none', () =>
  logged(async (client) => {
    for (const path of [
      `${ACCOUNTS}/subscriptions/nothing?fetchLabels=true`,
      `${ACCOUNTS}/accounts/nothing`,
      `${CLUSTERS}/nothing`,
      `${CLUSTERS}/nothing/provision_shard`,
    ]) {
      const reply = await client.get(path);
      // 404 is tolerated and any 5xx asked for twice more; an answer without its type is an error of the client.
      assert.equal(
        [reply.status, reply.headers['content-type'], json(reply)['kind']],
        [404, 'application/json', 'Error'],
      );
    }
    const search = encodeURIComponent("id = 'nothing' or name = 'nothing' or external_id = 'nothing'");
    assert.is(json(await client.get(`${CLUSTERS}?search=${search}&size=1`))['total'], 0);
  }));

test('describe cluster without a subscription', () =>
  logged(async (client) => {
    const none = await client.get(
      `${ACCOUNTS}/subscriptions?search=%28display_name+%3D+%27c8%27+or+cluster_id+%3D+%27c8%27+or+external_cluster_id+%3D+%27c8%27%29&size=1`,
    );
    assert.equal([none.status, json(none)['total'], itemsOf(none)], [200, 0, []]);
    const clusters = await client.get(
      `${CLUSTERS}?search=id+%3D+%27c8%27+or+name+%3D+%27c8%27+or+external_id+%3D+%27c8%27&size=1`,
    );
    assert.equal([json(clusters)['total'], itemsOf(clusters)[0]?.['id']], [1, 'id8']);
  }));

test('cluster status, list versions, list machinepools', () =>
  logged(async (client) => {
    assert.is(json(await client.get(`${CLUSTERS}/id7`))['state'], 'installing');
    const subscriptions = await client.get(`${ACCOUNTS}/subscriptions?search=cluster_id+%3D+%27id7%27`);
    assert.is(json(subscriptions)['total'], 1);
    const versions = await client.get('/api/clusters_mgmt/v1/versions?search=enabled+%3D+%27true%27&page=1&size=100');
    assert.equal(
      itemsOf(versions).map(({ raw_id }) => raw_id),
      ['4.16.3'],
    );
    assert.equal(itemsOf(await client.get(`${CLUSTERS}/id7/machine_pools?page=1&size=100`)), []);
  }));

test('9: other collections of a cluster are listed as its machine pools are', () =>
  logged(async (client) => {
    for (const collection of ['machine_pools', 'ingresses']) {
      assert.ok((await client.post(`${CLUSTERS}/id7/${collection}`, { id: 'one' })).status < 300);
      const list = await client.get(`${CLUSTERS}/id7/${collection}?page=1&size=100`);
      assert.equal([json(list)['size'], itemsOf(list)[0]?.['id']], [1, 'one'], collection);
      assert.is((await client.get(`${CLUSTERS}/id1/${collection}?page=1&size=100`)).status, 200);
    }
  }));

test('9: a path may hold a query that parameters are added to, and headers are passed on', () =>
  logged(async (client) => {
    const list = await client.get(`${CLUSTERS}?size=2&page=2&order=name+desc`, { 'X-Operation-ID': 'mine' });
    assert.equal([json(list)['page'], json(list)['size'], list.headers['x-operation-id']], [2, 2, 'mine']);
    const error = await client.get(`${CLUSTERS}/nothing`, { 'X-Operation-ID': 'mine', 'Impersonate-User': 'eve' });
    assert.match(shownError(error), /operation identifier is 'mine'/);
  }));

test('9: post and patch send what they are given as it is, also where that is no object', () =>
  logged(async (client) => {
    for (const [method, path, body, reason] of [
      ['POST', CLUSTERS, '', /body/i],
      ['POST', CLUSTERS, '{"name": ', /JSON/i],
      ['PATCH', `${CLUSTERS}/id7`, '[]', /object/],
      ['POST', CLUSTERS, '{"name": "c7"}', /Cluster 'c7' already exists/],
    ] as const) {
      const reply = await client.send(method, path, { body });
      assert.is(reply.status, 400, `${method} ${body}`);
      assert.match(shownError(reply), reason);
    }
    const gone = await client.delete(`${CLUSTERS}/id9`);
    assert.ok(gone.status === 204 || gone.headers['content-type'] === 'application/json');
    assert.is((await client.get(`${CLUSTERS}/id9`)).status, 404);
    assert.match(shownError(await client.delete(`${CLUSTERS}/id9`)), /Cluster 'id9' not found$/);
  }));

/** What `ocm get` abbreviates, of the services whose models are published with the reference data. */
const ABBREVIATED = [
  ...['accounts', 'subscriptions', 'organizations', 'roles', 'role_bindings'],
  ...['resource_quota', 'sku_rules'],
];

if (existsSync(REFERENCE)) {
  test('9: with the published models, what the client abbreviates is a list, and its objects have paths', async () => {
    const served = await serving(memoryStore(), { model: modelOf(REFERENCE) });
    const { client } = served;
    try {
      for (const name of ABBREVIATED) {
        const list = await client.get(`${ACCOUNTS}/${name}?page=1&size=100&search=`);
        assert.equal([list.status, json(list)['total']], [200, 0], name);
        assert.is((await client.get(`${ACCOUNTS}/${name}/nothing`)).status, 404, name);
      }
      assert.is((await client.get(`${ACCOUNTS}/current_account`)).status, 404);
      assert.equal(served.defects, []);
    } finally {
      await served.close();
    }
  });
}

test('get, post, patch and delete of a path, with the body as it is typed', () =>
  logged(async (client) => {
    const post = await client.send('POST', `${CLUSTERS}/id7/machine_pools`, {
      body: '{\n  "id": "w",\n  "replicas": 2\n}\n',
    });
    assert.is(post.text, `{"kind":"MachinePool","id":"w","href":"${CLUSTERS}/id7/machine_pools/w","replicas":2}`);
    const patch = await client.send('PATCH', `${CLUSTERS}/id7/machine_pools/w`, { body: '{"replicas":3}' });
    assert.is(json(patch)['replicas'], 3);
    assert.is(json(await client.get(`${CLUSTERS}/id7/machine_pools/w?parameter=x`))['replicas'], 3);
    const gone = await client.delete(`${CLUSTERS}/id7/machine_pools/w`);
    assert.equal([gone.status, gone.text], [204, '']);
    const error = await client.get(`${CLUSTERS}/id7/machine_pools/w`);
    assert.match(
      shownError(error),
      /^status is 404, identifier is '404', code is 'CLUSTERS-MGMT-404' and operation identifier is '.+': MachinePool 'w' not found$/,
    );
  }));

test('errors of a token that is none, of a path and of a search', () =>
  logged(async (client) => {
    assert.match(
      shownError(await client.get(CLUSTERS, { Authorization: 'Bearer other' })),
      /^status is 401.*can't be verified$/,
    );
    assert.match(shownError(await client.get('/api/nowhere/v1/x')), /^status is 404/);
    assert.match(
      shownError(await client.get(`${CLUSTERS}?search=name+%3D`)),
      /^status is 400.*Failed to parse search query/,
    );
  }));

test.run();
