// Chapter 3: pages, searches, orders and fields of lists.
import * as assert from 'uvu/assert';
import type { Value } from '../../../../../adapters/ocm/gateway/store/store.ts';
import { idsOf, itemsOf, json, type Reply } from '../client.ts';
import { CLUSTERS, PROVIDERS } from '../store.suite.ts';
import { created, fill, type Rule, refused, VERSIONS } from './rules.ts';

export function lists(rule: Rule): void {
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
    await created(client, CLUSTERS, { id: 'd', name: 'w', nodes: { compute: 1 } });
    await created(client, CLUSTERS, { id: 'c', name: 'y', nodes: { compute: 1 } });
    await created(client, CLUSTERS, { id: 'b' });
    await created(client, CLUSTERS, { id: 'a', name: 'x' });
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

  rule('3: sizes beyond all numbers of the type are too large, in the query and in a body', async ({ client }) => {
    await fill(client, 3);
    for (const size of ['2147483648', '9223372036854775807', '-2147483649', '-9223372036854775808']) {
      assert.is(itemsOf(await client.get(`${CLUSTERS}?size=${size}`)).length, 3, size);
      assert.is(itemsOf(await client.post(`${CLUSTERS}?method=get`, { size: Number(size) })).length, 3, size);
    }
    for (const size of ['', '+1', '1.0', '1e2', '0x1', ' 1']) {
      refused(await client.search(CLUSTERS, { size }), 400, /'size' must be a whole number/);
    }
  });

  rule('3.1: an identifier of a link is asked for in both forms', async ({ client }) => {
    await created(client, PROVIDERS, { id: 'aws' });
    await created(client, CLUSTERS, { id: 'a', cloud_provider: { id: 'aws' }, product: { id: 'rosa' } });
    await created(client, CLUSTERS, { id: 'b', external_id: 'x' });
    for (const [search, ids] of [
      ["cloud_provider_id = 'aws'", ['a']],
      ["cloud_provider_id = '' and product_id is null", ['b']],
      ["external.id = 'x'", ['b']],
    ] as const) {
      assert.equal(idsOf(await client.search(CLUSTERS, { search })), [...ids], search);
    }
    assert.equal(idsOf(await client.search(CLUSTERS, { order: 'product_id' })), ['a', 'b']);
    for (const search of ["nope_id = 'x'", "nodes_id = 'x'", "name.id = 'x'", "cloud_provider_name = 'x'"]) {
      refused(await client.search(CLUSTERS, { search }), 400, /is not a valid field name/);
    }
  });

  rule('3.1: a page of many is that of a walk over all', async ({ client }) => {
    await fill(client, 90);
    const search = "channel = 'channel-1' and nodes.compute > 10 and not (id like '%5' or nodes.compute = 88)";
    const all = Array.from({ length: 90 }, (_, n) => n).filter(
      (n) => n % 3 === 1 && n > 10 && n % 10 !== 5 && n !== 88,
    );
    const page = await client.search(CLUSTERS, { search, order: 'nodes.compute desc', size: '10', page: '2' });
    assert.is(json(page)['total'], all.length);
    assert.equal(
      idsOf(page),
      all
        .reverse()
        .slice(10, 20)
        .map((n) => `c${n}`),
    );
    await client.patch(`${CLUSTERS}/c85`, { channel: 'other' });
    await client.patch(`${CLUSTERS}/c3`, { nodes: { compute: 86 }, channel: 'channel-1' });
    const changed = json(await client.search(CLUSTERS, { search, order: 'nodes.compute desc', size: '1' }));
    assert.equal([changed['total'], (changed['items'] as Value[])[0]?.['id']], [all.length + 1, 'c3']);
  });
}
