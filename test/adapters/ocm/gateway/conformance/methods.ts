// Chapter 4: Get, Add, Update and Delete.
import * as assert from 'uvu/assert';
import type { Value } from '../../../../../adapters/ocm/gateway/store/store.ts';
import { idsOf, json } from '../client.ts';
import { CLUSTERS, POOLS, PROVIDERS } from '../store.suite.ts';
import { created, type Rule, refused } from './rules.ts';

export function methods(rule: Rule): void {
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
    const atOnce = await Promise.all(['c', 'd', 'e'].map((id) => client.post(CLUSTERS, { id, name: 'ours' })));
    assert.equal(atOnce.map(({ status }) => status).sort(), [201, 400, 400]);
    await client.post(CLUSTERS, { id: 'f' });
    refused(await client.patch(`${CLUSTERS}/f`, { name: 'mine' }), 400, /^Cluster 'mine' already exists$/);
    assert.is((await client.patch(`${CLUSTERS}/a`, { name: 'mine' })).status, 200);
    const renamed = await Promise.all(['a', 'f'].map((id) => client.patch(`${CLUSTERS}/${id}`, { name: 'new' })));
    assert.equal(renamed.map(({ status }) => status).sort(), [200, 400]);
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

  rule('4: AsyncDelete answers 202, and the object is readable until it is deleted', async ({ client, settled }) => {
    await created(client, CLUSTERS, { id: 'a' });
    await created(client, `${CLUSTERS}/a/machine_pools`, { id: 'w' });
    await settled(POOLS, { outer: ['a'], id: 'w' });
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
}
