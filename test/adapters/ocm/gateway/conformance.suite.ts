// The rules of the HTTP contract, chapters 1 to 6, over real HTTP: one test for each, against every store.
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Address, Value } from '../../../../adapters/ocm/gateway/store/store.ts';
import { type Client, idsOf, itemsOf, json, type Reply } from './client.ts';
import { collectionAt, testModel } from './model.ts';
import { serving } from './served.ts';
import { CLUSTERS, type MakeStore, SERVER_OWNED } from './store.suite.ts';

const PROVIDERS = '/api/clusters_mgmt/v1/cloud_providers';
const VERSIONS = '/api/clusters_mgmt/v1/versions';
const SUBSCRIPTIONS = '/api/accounts_mgmt/v1/subscriptions';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

interface Stage {
  readonly client: Client;
  /** Writes as the owner of an object does, and waits until it is served. */
  put(path: string, address: Address, value: Value): Promise<void>;
  readonly takesAnyId: boolean;
}

export function conformanceSuite(name: string, make: MakeStore): void {
  const test = suite(`conformance: ${name}`);

  const rule = (title: string, work: (stage: Stage) => Promise<void>): void => {
    test(title, async () => {
      const model = testModel();
      const under = await make({ model, serverOwned: SERVER_OWNED });
      const served = await serving(under.store, { model });
      const put: Stage['put'] = async (path, address, value) => {
        const collection = collectionAt(model, path);
        await under.put(collection, address, value);
        const table = served.api.served.table(collection);
        const isThere = (): boolean => isDeepStrictEqual(table?.index.get(address)?.value, value);
        // A store delivers when it will: other work of this process has its turn meanwhile.
        while (!isThere()) await new Promise<void>((resolve) => void setImmediate(resolve));
      };
      try {
        await work({ client: served.client, put, takesAnyId: under.takesAnyId ?? true });
        assert.equal(served.defects, []);
      } finally {
        await served.close();
        await under.close();
      }
    });
  };

  const created = async (client: Client, path: string, body: Value): Promise<Reply> => {
    const reply = await client.post(path, body);
    assert.ok(reply.status === 201 || reply.status === 202, reply.text);
    return reply;
  };
  const refused = (reply: Reply, status: number, reason: RegExp): void => {
    assert.is(reply.status, status, reply.text);
    const { kind, id, reason: given } = json(reply);
    assert.equal({ kind, id }, { kind: 'Error', id: String(status) });
    assert.match(String(given), reason);
  };

  // Chapter 1.

  rule('1: other methods are answered with 405 and what is allowed', async ({ client }) => {
    for (const method of ['PUT', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const reply = await client.send(method, CLUSTERS);
      refused(reply, 405, /is not supported/);
      assert.match(String(reply.headers.allow), /GET/);
    }
    refused(await client.delete(CLUSTERS), 405, /no method 'DELETE'/);
    assert.is((await client.delete(CLUSTERS)).headers.allow, 'POST, GET, HEAD');
  });

  rule('1: HEAD is GET without a body', async ({ client }) => {
    const [head, get] = [await client.send('HEAD', CLUSTERS), await client.get(CLUSTERS)];
    assert.equal([head.status, head.text, head.headers['content-type']], [200, '', 'application/json']);
    assert.is(head.headers['content-length'], get.headers['content-length']);
  });

  rule('1: a body without a type is taken as JSON, one of another type is not', async ({ client }) => {
    const body = JSON.stringify({ id: 'a' });
    const typeless = await client.send('POST', CLUSTERS, { body, headers: { 'Content-Type': undefined } });
    assert.is(typeless.status, 201);
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      refused(
        await client.send('POST', CLUSTERS, { body, headers: { 'Content-Type': type } }),
        415,
        /type of the body/,
      );
    }
    const charset = { 'Content-Type': 'application/json; charset=utf-8' };
    assert.is((await client.send('POST', CLUSTERS, { body: '{"id":"b"}', headers: charset })).status, 201);
  });

  rule('1: every response has its headers, and 204 has neither type nor body', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    const pool = `${CLUSTERS}/a/machine_pools`;
    await created(client, pool, { id: 'w' });
    const replies = [
      await client.get(CLUSTERS),
      await client.get('/nowhere'),
      await client.get(`${CLUSTERS}/zzz`),
      await client.send('PUT', CLUSTERS),
      await client.get('/api'),
      await client.post(CLUSTERS, 'x'),
      await client.delete(`${pool}/w`),
      await client.delete(`${CLUSTERS}/a`),
    ];
    for (const { status, headers, text } of replies) {
      assert.match(String(headers.vary), /^Authorization\b/);
      assert.ok(String(headers['x-operation-id']).length > 0);
      if (status === 204) assert.equal([headers['content-type'], text], [undefined, '']);
      else assert.is(headers['content-type'], 'application/json', String(status));
    }
  });

  rule('1: the id of an operation is unique, or the one that was sent', async ({ client }) => {
    const [a, b] = [await client.get(CLUSTERS), await client.get(CLUSTERS)];
    assert.is.not(a.headers['x-operation-id'], b.headers['x-operation-id']);
    const reply = await client.get(`${CLUSTERS}/zzz`, { 'X-Operation-ID': 'mine-1' });
    assert.equal([reply.headers['x-operation-id'], json(reply)['operation_id']], ['mine-1', 'mine-1']);
  });

  rule('1: a slash at the end is ignored, segments are decoded, and case counts', async ({ client, takesAnyId }) => {
    const id = takesAnyId ? 'a b/ü' : 'a.b';
    await created(client, CLUSTERS, { id });
    const path = `${CLUSTERS}/${encodeURIComponent(id)}`;
    const reply = await client.get(`${CLUSTERS}/%61${encodeURIComponent(id.slice(1))}/`);
    assert.equal([reply.status, json(reply)['id'], json(reply)['href']], [200, id, path]);
    assert.is((await client.get(`${CLUSTERS}/`)).status, 200);
    refused(await client.get('/api/clusters_mgmt/v1/Clusters'), 404, /no such path/);
    refused(await client.get(`${CLUSTERS}/%zz`), 400, /encoded/);
    refused(await client.get(`${CLUSTERS}//machine_pools`), 404, /no such path/);
  });

  rule('1: unknown parameters are ignored, known ones that are repeated are not', async ({ client }) => {
    assert.is((await client.get(`${CLUSTERS}?fetchAccounts=true&x=1&x=2`)).status, 200);
    refused(await client.get(`${CLUSTERS}?page=1&page=1`), 400, /'page' is given 2 times/);
    refused(await client.get(`${CLUSTERS}?fetchLabels=t&fetchLabels=f`), 400, /'fetchLabels'/);
  });

  rule('1: values in the query have the forms of their types', async ({ client }) => {
    const good = ['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False'].map(
      (text) => `fetchLabels=${text}`,
    );
    const others = [
      'depth=-9007199254740991',
      'scale=-1.5e3',
      'scale=.5',
      'since=2026-03-10T16:45:13.3%2B02:00',
      'state=powering down',
    ];
    for (const query of [...good, ...others]) {
      assert.is((await client.get(`${CLUSTERS}?${query.replace(' ', '%20')}`)).status, 200, query);
    }
    const bad = [
      'fetchLabels=yes',
      'depth=1.5',
      'depth=',
      'page=1x',
      'page=99999999999',
      'scale=NaN',
      'scale=1,5',
      'since=2026-03-10',
      'state=Ready',
    ];
    for (const query of bad) {
      refused(await client.get(`${CLUSTERS}?${query}`), 400, new RegExp(`'${query.split('=')[0]}'`));
    }
  });

  rule('1: unknown members of a body are ignored, wrong types are named by their path', async ({ client }) => {
    const reply = await created(client, CLUSTERS, {
      id: 'a',
      color: 'red',
      nodes: { compute: 1, speed: 2 },
      name: null,
    });
    assert.equal(json(reply), {
      kind: 'Cluster',
      id: 'a',
      href: `${CLUSTERS}/a`,
      machine_pools: { kind: 'MachinePoolListLink', href: `${CLUSTERS}/a/machine_pools` },
      ingresses: { kind: 'IngressListLink', href: `${CLUSTERS}/a/ingresses` },
      nodes: { compute: 1 },
    });
    for (const [path, body] of [
      ['name', { name: 1 }],
      ['nodes', { nodes: [] }],
      ['nodes.compute', { nodes: { compute: '3' } }],
      ['nodes.compute', { nodes: { compute: 1.5 } }],
      ['nodes.compute', { nodes: { compute: 2 ** 31 } }],
      ['managed', { managed: 'true' }],
      ['properties', { properties: ['a'] }],
      ['properties.k', { properties: { k: 1 } }],
      ['tags', { tags: 'x' }],
      ['tags\\[1\\]', { tags: ['x', 2] }],
      ['creation_timestamp', { creation_timestamp: 'yesterday' }],
      ['region', { region: 'us' }],
      ['region.id', { region: { href: '/x' } }],
      ['aws.sts.operator_iam_roles\\[0\\].name', { aws: { sts: { operator_iam_roles: [{ name: {} }] } } }],
    ] as const) {
      refused(await client.post(CLUSTERS, body), 400, new RegExp(`'${path}'`));
    }
  });

  rule('1: bodies that are no JSON, too deep or too large are refused', async ({ client }) => {
    for (const body of ['{', '{"a":}', 'null]', '\ufeff{}x'])
      refused(await client.send('POST', CLUSTERS, { body }), 400, /not JSON/);
    refused(
      await client.send('POST', CLUSTERS, { body: `{"extra":${'['.repeat(5_000)}${']'.repeat(5_000)}}` }),
      400,
      /nested/,
    );
    refused(await client.send('POST', CLUSTERS, { body: `"${'x'.repeat(1_100_000)}"` }), 413, /bytes/);
  });

  rule('1: gzip is sent to whom accepts it', async ({ client }) => {
    for (let n = 0; n < 20; n++)
      await created(client, CLUSTERS, { id: `cluster-${n}`, name: `a name that is not short ${n}` });
    const plain = await client.get(CLUSTERS, { 'Accept-Encoding': 'br, gzip;q=0' });
    const zipped = await client.get(CLUSTERS, { 'Accept-Encoding': 'deflate, gzip;q=0.5' });
    assert.equal([plain.headers['content-encoding'], zipped.headers['content-encoding']], [undefined, 'gzip']);
    const { gunzipSync } = await import('node:zlib');
    assert.is(gunzipSync(zipped.bytes).toString(), plain.text);
    assert.is(zipped.headers.vary, 'Authorization, Accept-Encoding');
  });

  rule('1: dates are written in UTC', async ({ client }) => {
    const reply = await created(client, CLUSTERS, { id: 'a', creation_timestamp: '2026-03-10T18:45:13.120+02:00' });
    assert.is(json(reply)['creation_timestamp'], '2026-03-10T16:45:13.12Z');
  });

  // Chapter 2.

  rule('2: an object begins with kind, id and href, then what is set in the order of names', async ({ client }) => {
    const reply = await created(client, PROVIDERS, { name: 'aws', id: 'aws', display_name: 'AWS' });
    assert.is(
      reply.text,
      `{"kind":"CloudProvider","id":"aws","href":"${PROVIDERS}/aws","display_name":"AWS","name":"aws"}`,
    );
    assert.is((await client.get(`${PROVIDERS}/aws`)).text, reply.text);
  });

  rule('2: the server makes identifiers, unless the caller chooses one', async ({ client }) => {
    const { id, href } = json(await created(client, CLUSTERS, {}));
    assert.ok(typeof id === 'string' && id.length > 0);
    assert.is(href, `${CLUSTERS}/${id}`);
    assert.is((await client.get(String(href))).status, 200);
  });

  rule('2: links have kind, id and href in this order, lists of links kind and href', async ({ client }) => {
    await created(client, PROVIDERS, { id: 'aws' });
    const reply = await created(client, CLUSTERS, {
      id: 'a',
      cloud_provider: { kind: 'Nonsense', id: 'aws', href: 'http://evil/' },
      product: { id: 'rosa' },
    });
    const { cloud_provider: provider, product, machine_pools: pools } = json(reply);
    assert.is(JSON.stringify(provider), `{"kind":"CloudProviderLink","id":"aws","href":"${PROVIDERS}/aws"}`);
    assert.equal(product, { kind: 'ProductLink', id: 'rosa' });
    assert.is(JSON.stringify(pools), `{"kind":"MachinePoolListLink","href":"${CLUSTERS}/a/machine_pools"}`);
  });

  rule('2: a link into another service has its prefix', async ({ client }) => {
    await created(client, SUBSCRIPTIONS, { id: 's1' });
    const reply = await created(client, CLUSTERS, { id: 'a', subscription: { id: 's1' } });
    assert.equal(json(reply)['subscription'], { kind: 'SubscriptionLink', id: 's1', href: `${SUBSCRIPTIONS}/s1` });
  });

  rule('2: a link to what is not there is refused', async ({ client }) => {
    refused(
      await client.post(CLUSTERS, { cloud_provider: { id: 'nope' } }),
      400,
      /'cloud_provider' names CloudProvider 'nope'/,
    );
    await created(client, CLUSTERS, { id: 'a' });
    refused(await client.patch(`${CLUSTERS}/a`, { cloud_provider: { id: 'nope' } }), 400, /does not exist/);
  });

  // Chapter 3.

  const fill = async (client: Client, count: number): Promise<void> => {
    for (let n = 0; n < count; n++)
      await created(client, CLUSTERS, { id: `c${n}`, channel: `channel-${n % 3}`, nodes: { compute: n } });
  };

  rule('3: the envelope has its members in order, and the size is that of the page', async ({ client }) => {
    await fill(client, 3);
    const reply = await client.get(`${CLUSTERS}?size=2`);
    assert.match(
      reply.text,
      /^\{"kind":"ClusterList","page":1,"size":2,"total":3,"items":\[\{"kind":"Cluster","id":"c0"/,
    );
    const last = json(await client.get(`${CLUSTERS}?size=2&page=2`));
    assert.equal([last['page'], last['size'], last['total']], [2, 1, 3]);
  });

  rule('3: pages begin at 1, and those past the end are empty', async ({ client }) => {
    await fill(client, 2);
    for (const page of ['0', '-1']) refused(await client.get(`${CLUSTERS}?page=${page}`), 400, /'page'/);
    assert.equal(json(await client.get(`${CLUSTERS}?page=9`)), {
      kind: 'ClusterList',
      page: 9,
      size: 0,
      total: 2,
      items: [],
    });
  });

  rule('3: sizes: none, all, and too many', async ({ client }) => {
    await fill(client, 3);
    for (const [size, got] of [
      ['0', 0],
      ['-1', 3],
      ['-7', 3],
      ['65501', 3],
      ['100000000', 3],
    ] as const) {
      const { size: given, total } = json(await client.get(`${CLUSTERS}?size=${size}`));
      assert.equal([given, total], [got, 3], size);
    }
  });

  rule('3: without a match the page is the one that was asked for', async ({ client }) => {
    await fill(client, 1);
    assert.equal(json(await client.search(CLUSTERS, { search: "name = 'x'", page: '2' })), {
      kind: 'ClusterList',
      page: 2,
      size: 0,
      total: 0,
      items: [],
    });
  });

  rule('3: POST with method=get lists, with its parameters in the body, which wins', async ({ client }) => {
    await fill(client, 4);
    const post = (query: string, body: Value): Promise<Reply> => client.post(`${CLUSTERS}?method=get${query}`, body);
    const reply = await post('&size=1&search=bad((', { size: 2, search: "channel = 'channel-0'", page: null });
    assert.equal([reply.status, idsOf(reply)], [200, ['c0', 'c3']]);
    assert.equal(idsOf(await post('&size=1', {})), ['c0']);
    assert.is((await client.send('POST', `${CLUSTERS}?method=get`)).status, 200);
    refused(await post('', { size: 'x' }), 400, /'size'/);
    assert.is((await client.post(`${CLUSTERS}?method=put`, { id: 'new' })).status, 201);
    refused(await client.post(`${VERSIONS}`, {}), 405, /no method 'POST'/);
    assert.is((await client.post(`${VERSIONS}?method=get`, {})).status, 200);
  });

  rule('3.1: a search that cannot be understood is refused with its position', async ({ client }) => {
    refused(
      await client.search(CLUSTERS, { search: "name = 'x' and" }),
      400,
      /^Failed to parse search query 'name = 'x' and': at position 15 /,
    );
    refused(await client.search(CLUSTERS, { search: 'nope = 1' }), 400, /^'nope' is not a valid field name$/);
    refused(await client.search(CLUSTERS, { search: "nodes.compute = 'many'" }), 400, /is not a number/);
  });

  rule('3.2: order, with absent values last or first, ties by id, and an alias', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a', name: 'x' });
    await created(client, CLUSTERS, { id: 'b' });
    await created(client, CLUSTERS, { id: 'c', name: 'y', nodes: { compute: 1 } });
    await created(client, CLUSTERS, { id: 'd', name: 'w', nodes: { compute: 1 } });
    for (const [order, expected] of [
      ['name', 'dacb'],
      ['name desc', 'bcad'],
      ['nodes.compute DESC, name Asc', 'abdc'],
      ['nodes.compute', 'cdab'],
      ['', 'abcd'],
      ['id desc', 'dcba'],
    ] as const) {
      assert.equal(idsOf(await client.search(CLUSTERS, { order })).join(''), expected, order);
      assert.equal(idsOf(await client.search(CLUSTERS, { orderBy: order })).join(''), expected, order);
    }
    for (const order of [
      'nope',
      'name up',
      'name asc desc',
      'aws.sts.operator_iam_roles.name',
      'nodes',
      'name,',
      'tags',
    ]) {
      refused(await client.search(CLUSTERS, { order }), 400, /./);
    }
    assert.is((await client.search(`${CLUSTERS}/a/machine_pools`, { order_by: 'replicas' })).status, 200);
    refused(await client.search(`${CLUSTERS}/a/machine_pools`, { order_by: 'nope' }), 400, /not a valid field name/);
  });

  rule('3.3: fields reduce what is sent, on every list and Get', async ({ client }) => {
    await created(client, CLUSTERS, {
      id: 'a',
      name: 'A',
      region: { id: 'r' },
      nodes: { compute: 1, total: 2 },
      tags: ['t'],
    });
    const expected = {
      kind: 'Cluster',
      id: 'a',
      href: `${CLUSTERS}/a`,
      name: 'A',
      nodes: { total: 2 },
      region: { id: 'r' },
    };
    const fields = ' name , ,region.id,nodes.total';
    assert.equal(itemsOf(await client.search(CLUSTERS, { fields })), [expected]);
    assert.equal(json(await client.search(`${CLUSTERS}/a`, { fields })), expected);
    for (const wrong of ['nope', 'nodes.nope', 'name.x', 'region.display_name']) {
      refused(await client.search(CLUSTERS, { fields: wrong }), 400, /not a valid field name/);
      refused(await client.search(`${CLUSTERS}/a`, { fields: wrong }), 400, /not a valid field name/);
    }
  });

  // Chapter 4.

  rule('4: Get answers 404 for an object, and for those around it, that do not exist', async ({ client }) => {
    refused(await client.get(`${CLUSTERS}/123`), 404, /^Cluster '123' not found$/);
    refused(await client.get(`${CLUSTERS}/123/machine_pools`), 404, /^Cluster '123' not found$/);
    await created(client, CLUSTERS, { id: '123' });
    assert.equal(idsOf(await client.get(`${CLUSTERS}/123/machine_pools`)), []);
    refused(await client.get(`${CLUSTERS}/123/machine_pools/w`), 404, /^MachinePool 'w' not found$/);
    refused(await client.get(`${CLUSTERS}/123/status`), 404, /^ClusterStatus not found$/);
  });

  rule('4: Add answers 201 with what is stored, AsyncAdd 202', async ({ client }) => {
    const add = await client.post(CLUSTERS, { id: 'a', name: 'A' });
    assert.equal([add.status, json(add)['name']], [201, 'A']);
    const asynchronous = await client.post(`${CLUSTERS}/a/machine_pools`, { id: 'w', replicas: 2 });
    assert.equal([asynchronous.status, json(asynchronous)['replicas']], [202, 2]);
  });

  rule('4: a name that is taken is 400 for clusters and 409 elsewhere', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a', name: 'mine' });
    refused(await client.post(CLUSTERS, { id: 'b', name: 'mine' }), 400, /^Cluster 'mine' already exists$/);
    refused(await client.post(CLUSTERS, { id: 'a' }), 400, /^Cluster 'a' already exists$/);
    await created(client, PROVIDERS, { id: 'aws' });
    refused(await client.post(PROVIDERS, { id: 'aws' }), 409, /^CloudProvider 'aws' already exists$/);
  });

  rule('4: a dry run checks all, stores nothing and answers 204', async ({ client }) => {
    assert.is((await client.post(`${CLUSTERS}?dryRun=true`, { id: 'a' })).status, 204);
    refused(await client.get(`${CLUSTERS}/a`), 404, /not found/);
    refused(await client.post(`${CLUSTERS}?dryRun=true`, { name: 1 }), 400, /'name'/);
    await created(client, CLUSTERS, { id: 'a' });
    refused(await client.post(`${CLUSTERS}?dryRun=true`, { id: 'a' }), 400, /already exists/);
  });

  rule('4: PATCH merges structs, replaces lists, maps and scalars, and null clears', async ({ client }) => {
    await created(client, CLUSTERS, {
      id: 'a',
      name: 'A',
      nodes: { compute: 1, total: 5, compute_labels: { x: '1' } },
      tags: ['a', 'b'],
      properties: { p: '1', q: '2' },
      aws: { account_id: '1', sts: { role_arn: 'r' } },
    });
    const reply = await client.patch(`${CLUSTERS}/a`, {
      kind: 'Other',
      id: 'z',
      href: '/x',
      nodes: { compute: 3, total: null, compute_labels: { y: '2' } },
      tags: ['c'],
      properties: { r: '3' },
      name: null,
      aws: { sts: { role_arn: null } },
    });
    const { id, kind, nodes, tags, properties, name, aws } = json(reply);
    assert.equal([reply.status, id, kind], [200, 'a', 'Cluster']);
    assert.equal(
      { nodes, tags, properties, name, aws },
      {
        nodes: { compute: 3, compute_labels: { y: '2' } },
        tags: ['c'],
        properties: { r: '3' },
        name: undefined,
        aws: { account_id: '1', sts: {} },
      },
    );
    assert.equal(json(await client.get(`${CLUSTERS}/a`)), json(reply));
  });

  rule('4: AsyncUpdate answers 202 with the object as accepted', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    await created(client, `${CLUSTERS}/a/machine_pools`, { id: 'w', replicas: 1 });
    const reply = await client.patch(`${CLUSTERS}/a/machine_pools/w`, { replicas: 4 });
    assert.equal([reply.status, json(reply)['replicas']], [202, 4]);
    refused(await client.patch(`${CLUSTERS}/a/machine_pools/x`, { replicas: 4 }), 404, /MachinePool 'x' not found/);
  });

  rule('4: attributes of the server are ignored if equal, and else refused', async ({ client, put }) => {
    await created(client, CLUSTERS, { id: 'a', name: 'A' });
    await put(CLUSTERS, { outer: [], id: 'a' }, { name: 'A', state: 'installing', status: { phase: 'x', percent: 5 } });
    const same = await client.patch(`${CLUSTERS}/a`, { name: 'B', state: 'installing', status: { percent: 5 } });
    assert.equal([same.status, json(same)['name'], json(same)['status']], [200, 'B', { percent: 5, phase: 'x' }]);
    for (const body of [{ state: 'ready' }, { status: { percent: 100 } }, { status: null }, { state: null }]) {
      refused(await client.patch(`${CLUSTERS}/a`, body), 400, /is set by the server/);
    }
    refused(await client.post(CLUSTERS, { status: { phase: 'Mine' } }), 400, /'status' is set by the server/);
    const { state, status } = json(await client.get(`${CLUSTERS}/a`));
    assert.equal({ state, status }, { state: 'installing', status: { percent: 5, phase: 'x' } });
  });

  rule('4: concurrent updates of one object lose nothing', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    const names = ['compute', 'total', 'master'];
    const replies = await Promise.all(names.map((each, n) => client.patch(`${CLUSTERS}/a`, { nodes: { [each]: n } })));
    assert.equal(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(json(await client.get(`${CLUSTERS}/a`))['nodes'], { compute: 0, master: 2, total: 1 });
  });

  rule('4: PATCH of a list updates each by id and answers the whole list', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    const path = `${CLUSTERS}/a/ingresses`;
    for (const id of ['i1', 'i2', 'i3']) await created(client, path, { id, listening: 'internal' });
    const reply = await client.patch(path, [
      { id: 'i3', listening: 'external' },
      { id: 'i1', default: true },
    ]);
    assert.is(reply.status, 200);
    assert.equal(
      (JSON.parse(reply.text) as Value[]).map(({ id, listening, default: isDefault }) => [id, listening, isDefault]),
      [
        ['i1', 'internal', true],
        ['i2', 'internal', undefined],
        ['i3', 'external', undefined],
      ],
    );
    refused(await client.patch(path, {}), 400, /must be a list/);
    refused(await client.patch(path, [{ listening: 'x' }]), 400, /'\[0\].id'/);
    refused(await client.patch(path, [{ id: 'zz' }]), 404, /Ingress 'zz' not found/);
  });

  rule('4: Delete answers 204, then there is nothing', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    await created(client, `${CLUSTERS}/a/machine_pools`, { id: 'w' });
    const reply = await client.delete(`${CLUSTERS}/a/machine_pools/w`);
    assert.equal([reply.status, reply.text], [204, '']);
    let again = await client.delete(`${CLUSTERS}/a/machine_pools/w`);
    while (again.status === 204) again = await client.delete(`${CLUSTERS}/a/machine_pools/w`);
    refused(again, 404, /MachinePool 'w' not found/);
  });

  rule('4: AsyncDelete answers 202, and the object is readable until it is gone', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    await created(client, `${CLUSTERS}/a/machine_pools`, { id: 'w' });
    const reply = await client.delete(`${CLUSTERS}/a?deprovision=false`);
    assert.equal([reply.status, reply.headers['content-type']], [202, 'application/json']);
    assert.is((await client.get(`${CLUSTERS}/a`)).status, 200);
    assert.is((await client.delete(`${CLUSTERS}/a/machine_pools/w`)).status, 204);
    while ((await client.get(`${CLUSTERS}/a`)).status === 200);
    refused(await client.get(`${CLUSTERS}/a`), 404, /not found/);
  });

  rule('4: Add and Update need an object as their body', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    for (const body of [undefined, '', '[]', '"x"', '1', 'null', 'true']) {
      const sent = body === undefined ? {} : { body };
      refused(await client.send('POST', CLUSTERS, sent), 400, /body must be an object/);
      refused(await client.send('PATCH', `${CLUSTERS}/a`, sent), 400, /body must be an object/);
    }
  });

  // Chapter 5.

  rule('5: an error has its members, and its code begins as the service wants', async ({ client }) => {
    const { timestamp, operation_id: operation, ...error } = json(await client.get(`${CLUSTERS}/123`));
    assert.equal(error, {
      kind: 'Error',
      id: '404',
      href: '/api/clusters_mgmt/v1/errors/404',
      code: 'CLUSTERS-MGMT-404',
      reason: "Cluster '123' not found",
    });
    assert.match(String(timestamp), ISO);
    assert.ok(String(operation).length > 0);
    assert.is(json(await client.get(`${SUBSCRIPTIONS}/x`))['code'], 'ACCT-MGMT-404');
  });

  rule('5: errors are a list, those of the model among them', async ({ client }) => {
    const path = '/api/clusters_mgmt/v1/errors';
    const all = json(await client.get(path));
    assert.is(all['kind'], 'ErrorList');
    const own = itemsOf(await client.get(`${path}?size=-1`)).find(({ id }) => id === '1001');
    assert.equal(own, {
      kind: 'Error',
      id: '1001',
      href: `${path}/1001`,
      code: 'CLUSTERS-MGMT-1001',
      reason: 'The cluster has an external identifier that another one has.',
    });
    assert.equal(json(await client.get(`${path}/1001`)), own);
    assert.is(json(await client.get(`${path}/404`))['id'], '404');
    refused(await client.get(`${path}/7`), 404, /Error '7' not found/);
    const page = json(await client.get(`${path}?size=2&page=2`));
    assert.equal([page['page'], page['size'], page['total']], [2, 2, all['total']]);
  });

  // Chapter 6.

  rule('6: metadata of services, versions and collections', async ({ client }) => {
    assert.equal(json(await client.get('/api')), {
      kind: 'APIList',
      items: [
        { kind: 'API', id: 'accounts_mgmt', href: '/api/accounts_mgmt' },
        { kind: 'API', id: 'clusters_mgmt', href: '/api/clusters_mgmt' },
      ],
    });
    assert.equal(json(await client.get('/api/clusters_mgmt/')), {
      kind: 'API',
      id: 'clusters_mgmt',
      href: '/api/clusters_mgmt',
      versions: [{ kind: 'APIVersion', id: 'v1', href: '/api/clusters_mgmt/v1' }],
    });
    assert.equal(json(await client.get('/api/clusters_mgmt/v1')), {
      kind: 'APIVersion',
      id: 'v1',
      href: '/api/clusters_mgmt/v1',
      server_version: 'test-build',
      collections: [
        { id: 'cloud_providers', kind: 'CloudProviderList', href: PROVIDERS },
        { id: 'clusters', kind: 'ClusterList', href: CLUSTERS },
        { id: 'versions', kind: 'VersionList', href: VERSIONS },
      ],
    });
    refused(await client.post('/api', {}), 405, /no method 'POST'/);
    refused(await client.get('/api/other'), 404, /no such path/);
    refused(await client.get('/api/clusters_mgmt/v2'), 404, /no such path/);
  });

  rule('6: the OpenAPI document', async ({ client }) => {
    const document = json(await client.get('/api/clusters_mgmt/v1/openapi'));
    assert.is(document['openapi'], '3.0.0');
    assert.ok(Object.keys(document['paths'] as object).includes(CLUSTERS));
  });

  test.run();
}
