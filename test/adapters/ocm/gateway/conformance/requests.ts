// Chapter 1: requests and responses.
import * as assert from 'uvu/assert';
import { idsOf, json } from '../client.ts';
import { CLUSTERS } from '../store.suite.ts';
import { created, type Rule, refused, SERVICE } from './rules.ts';

export function requests(rule: Rule): void {
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
    refused(await client.get(`${SERVICE}/Clusters`), 404, /no such path/);
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
      'depth=9007199254740993',
      'depth=9223372036854775807',
      'depth=',
      'page=1x',
      'page=99999999999',
      'scale=NaN',
      'scale=1e400',
      'scale=1,5',
      'since=2026-03-10',
      'state=Ready',
    ];
    for (const query of bad) {
      refused(await client.get(`${CLUSTERS}?${query}`), 400, new RegExp(`'${query.split('=')[0]}'`));
    }
  });

  rule('1: numbers that would be served as others are refused', async ({ client }) => {
    for (const [path, body] of [
      ['load', '{"id":"a","load":1e400}'],
      ['load', '{"id":"a","load":-1e400}'],
      ['extra', '{"id":"a","extra":1e400}'],
      ['extra', '{"id":"a","extra":{"a":[{"b":-1e400}]}}'],
    ] as const) {
      refused(await client.send('POST', CLUSTERS, { body }), 400, new RegExp(`'${path}'`));
    }
    const reply = await client.send('POST', CLUSTERS, { body: '{"id":"a","load":1e300,"extra":{"a":[null,1e300]}}' });
    assert.is(reply.status, 201, reply.text);
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
    const finer = await created(client, CLUSTERS, { id: 'b', creation_timestamp: '2026-03-10T16:45:13.12345678901Z' });
    assert.is(json(finer)['creation_timestamp'], '2026-03-10T16:45:13.123456789Z');
  });

  rule('1: what is allowed instead of another method is what the path has', async ({ client }) => {
    for (const [path, allowed] of [
      [CLUSTERS, 'POST, GET, HEAD'],
      [`${CLUSTERS}/a`, 'DELETE, GET, PATCH, HEAD'],
      [`${CLUSTERS}/a/hibernate`, 'POST'],
      ['/api', 'GET, HEAD'],
      [`${SERVICE}/errors`, 'GET, HEAD'],
      [`${SERVICE}/nowhere`, 'GET, HEAD, POST, PATCH, DELETE'],
    ] as const) {
      const reply = await client.send('PUT', path);
      assert.equal([reply.status, reply.headers.allow], [405, allowed], path);
    }
  });

  rule('1: a whole URL is asked for by its path', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    const reply = await client.get(`http://localhost:1${CLUSTERS}/a?fields=id`);
    assert.equal([reply.status, json(reply)['id']], [200, 'a']);
    assert.is((await client.get('http://localhost')).status, 404);
  });

  rule('1: errors of a path that is badly encoded are those of its service', async ({ client }) => {
    const { code, href } = json(await client.get(`${CLUSTERS}/%e0%a4`));
    assert.equal([code, href], ['CLUSTERS-MGMT-400', `${SERVICE}/errors/400`]);
  });

  rule('1: fixed segments and parameters are decoded as identifiers are', async ({ client }) => {
    await created(client, CLUSTERS, { id: 'a' });
    assert.equal(idsOf(await client.get('/%61pi/clusters%5Fmgmt/v1/clusters?si%7ae=1&search=id%3D%27a%27')), ['a']);
  });
}
