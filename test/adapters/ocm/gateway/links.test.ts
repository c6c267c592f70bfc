// Links and lists of a served model: what a request names is checked before anything is stored.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import type { Store, UpdateRequest } from '../../../../adapters/ocm/gateway/store/store.ts';
import { type Model, Workspace } from '../../../../adapters/ocm/model/mod.ts';
import { json } from './client.ts';
import { type Serving, serving } from './served.ts';

const test = suite('links and lists of a served model');

const CLUSTERS = '/api/fleet/v1/clusters';
const INGRESSES = `${CLUSTERS}/{cluster_id}/ingresses`;

/** A collection of objects of a class, each of which can be read. */
function collection(name: string, type: string, more = ''): string {
  return `
resource ${name}s {
  method List { in out Page Integer = 1 in out Size Integer = 100 out Total Integer out Items []${type} }
  method Add { in out Body ${type} }
  method Update { in out Body []${type} }
  locator ${name} { target ${name} variable ID }
}
resource ${name} { method Get { out Body ${type} } method Update { in out Body ${type} } method Delete { } ${more} }
`;
}

const MODEL = `
resource Root { locator Clusters { target Clusters } locator Notes { target Notes } }
${collection('Cluster', 'Group', 'locator Ingresses { target Ingresss } locator Pools { target Pools }')}
${collection('Ingress', 'Ingress')}
${collection('Pool', 'Pool')}
${collection('Note', 'Note')}
class Group { Name String Constructor String }
class Ingress { Listening String State String link Cluster Group }
class Pool { link Ingress Ingress }
class Note { link Cluster Group link Ingress Ingress }
`;

function model(): Model {
  const workspace = new Workspace();
  workspace.set('models/fleet/v1/fleet.model', MODEL);
  const [problem] = workspace.diagnostics();
  if (problem !== undefined) throw new Error(problem.message);
  return workspace.model();
}

async function withServing(work: (served: Serving) => Promise<void>, store: Store = memoryStore()): Promise<void> {
  const served = await serving(store, { model: model() });
  try {
    for (const id of ['a', 'b']) assert.is((await served.client.post(CLUSTERS, { id })).status, 201);
    await work(served);
    assert.equal(served.defects, []);
  } finally {
    await served.close();
  }
}

test('2: a link leads to the object at its path, and to none of that name elsewhere', async () => {
  await withServing(async ({ client }) => {
    await client.post(`${CLUSTERS}/a/ingresses`, { id: 'x' });
    const pool = { id: 'p', ingress: { id: 'x' } };
    const refused = await client.post(`${CLUSTERS}/b/pools`, pool);
    assert.is(refused.status, 400);
    assert.is(json(refused)['reason'], "The value of 'ingress' names Ingress 'x', which does not exist");
    await client.post(`${CLUSTERS}/b/ingresses`, { id: 'x' });
    const made = await client.post(`${CLUSTERS}/b/pools`, pool);
    assert.is(made.status, 201);
    const { href } = json(made)['ingress'] as { href: string };
    assert.is((await client.get(href)).status, 200, href);
    // Only the ingress that the link leads to is held by it (OCM-MEMORY-2).
    assert.is((await client.delete(`${CLUSTERS}/a/ingresses/x`)).status, 204);
    assert.is((await client.get(`${CLUSTERS}/a/ingresses/x`)).status, 404);
    await client.delete(href);
    assert.is((await client.get(href)).status, 200);
    await client.delete(`${CLUSTERS}/b/pools/p`);
    assert.is((await client.get(href)).status, 404);
  });
});

test('2: a link whose path comes from a link beside it is checked when that one changes', async () => {
  await withServing(async ({ client }) => {
    const notes = '/api/fleet/v1/notes';
    await client.post(`${CLUSTERS}/a/ingresses`, { id: 'x' });
    assert.is((await client.post(notes, { id: 'n', cluster: { id: 'a' }, ingress: { id: 'x' } })).status, 201);
    assert.is((await client.patch(`${notes}/n`, { cluster: { id: 'b' } })).status, 400);
    // An ingress of any cluster will do if the note names no cluster.
    assert.is((await client.post(notes, { id: 'm', ingress: { id: 'x' } })).status, 201);
    assert.is((await client.post(notes, { id: 'o', ingress: { id: 'y' } })).status, 400);
    for (const id of ['m', 'n']) {
      await client.delete(`${CLUSTERS}/a/ingresses/x`);
      assert.is((await client.get(`${CLUSTERS}/a/ingresses/x`)).status, 200);
      await client.delete(`${notes}/${id}`);
    }
    assert.is((await client.get(`${CLUSTERS}/a/ingresses/x`)).status, 404);
  });
});

test('4: a PATCH keeps an attribute with the name of what every object inherits', async () => {
  await withServing(async ({ client }) => {
    await client.patch(`${CLUSTERS}/a`, { constructor: 'c' });
    assert.is(json(await client.patch(`${CLUSTERS}/a`, { name: 'n' }))['constructor'], 'c');
  });
});

test('4: an Update of a list with an element that is refused changes none', async () => {
  await withServing(
    async ({ client }) => {
      const path = `${CLUSTERS}/a/ingresses`;
      for (const id of ['x', 'y']) assert.is((await client.post(path, { id })).status, 201);
      for (const element of [{ cluster: { id: 'none' } }, { state: 'ready' }]) {
        const reply = await client.patch(path, [
          { id: 'x', listening: 'changed' },
          { id: 'y', ...element },
        ]);
        assert.is(reply.status, 400, reply.text);
        assert.is(json(await client.get(`${path}/x`))['listening'], undefined);
      }
    },
    memoryStore({ serverOwned: { [INGRESSES]: ['state'] } }),
  );
});

test('5: an Update of a list that fails after a part was stored is not repeated by clients', async () => {
  const memory = memoryStore();
  let left = 0;
  const failing: Store = {
    ...memory,
    bind(collection) {
      const table = memory.bind(collection);
      if (table === undefined) return undefined;
      return {
        serverOwned: table.serverOwned,
        watch: (listener) => table.watch(listener),
        create: (request) => table.create(request),
        remove: (request) => table.remove(request),
        update: async (request: UpdateRequest) => (left-- > 0 ? table.update(request) : { kind: 'unavailable' }),
      };
    },
  };
  await withServing(async ({ client }) => {
    const path = `${CLUSTERS}/a/ingresses`;
    for (const id of ['x', 'y']) await client.post(path, { id });
    for (const [stored, status] of [
      [0, 503],
      [1, 500],
    ] as const) {
      left = stored;
      const reply = await client.patch(
        path,
        ['x', 'y'].map((id) => ({ id, listening: 'changed' })),
      );
      assert.is(reply.status, status);
    }
  }, failing);
});

test.run();
