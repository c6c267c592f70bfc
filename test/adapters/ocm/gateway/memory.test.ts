// The store in memory: the contract of all stores, and what is specific to it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { collectionAt, testModel } from './model.ts';
import { CLUSTERS, storeSuite } from './store.suite.ts';

storeSuite('memory', async ({ serverOwned }) => {
  const store = memoryStore({ serverOwned });
  return {
    store,
    put: async (collection, address, value) => void store.put(collection, address, value),
    close: async () => undefined,
  };
});

const test = suite('store in memory');
const caller = { name: '', groups: [] };

test('a change is delivered before the write answers (OCM-MEMORY-1)', async () => {
  const table = memoryStore().bind(collectionAt(testModel(), CLUSTERS));
  const kinds: string[] = [];
  table?.watch(({ kind }) => kinds.push(kind));
  const written = table?.create({ address: { outer: [], id: 'a' }, value: {}, dryRun: false, caller });
  assert.equal(kinds, ['all', 'stored']);
  await written;
});

test('singletons go with the object that they are in (OCM-MEMORY-2)', async () => {
  const model = testModel();
  const store = memoryStore();
  const status = collectionAt(model, `${CLUSTERS}/{cluster_id}/status`);
  store.put(collectionAt(model, CLUSTERS), { outer: [], id: 'a' }, {});
  store.put(status, { outer: ['a'], id: '' }, { ready: true });
  store.put(status, { outer: ['b'], id: '' }, { ready: true });
  const removed: string[] = [];
  store.bind(status)?.watch((change) => change.kind === 'removed' && removed.push(change.address.outer.join()));
  await store.bind(collectionAt(model, CLUSTERS))?.remove({ address: { outer: [], id: 'a' }, caller });
  assert.equal(removed, ['a']);
});

test('an object is in its deleting state while it is finalized', async () => {
  const model = testModel();
  let finish = (): void => undefined;
  const store = memoryStore({
    finalize: () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  });
  const table = store.bind(collectionAt(model, CLUSTERS));
  store.put(collectionAt(model, CLUSTERS), { outer: [], id: 'a' }, {});
  const gone = new Promise<void>((resolve) => {
    table?.watch(({ kind }) => kind === 'removed' && resolve());
  });
  const outcome = await table?.remove({ address: { outer: [], id: 'a' }, caller });
  assert.is(outcome?.kind === 'stored' && outcome.object.deleting, true);
  finish();
  await gone;
});

test('bindings that come and go are told', () => {
  const collection = collectionAt(testModel(), CLUSTERS);
  const store = memoryStore({ unbound: new Set([CLUSTERS]) });
  let told = 0;
  store.onBindingsChanged?.(() => {
    told += 1;
  });
  assert.is(store.bind(collection), undefined);
  assert.is(store.describe(collection), undefined);
  store.setBound(CLUSTERS, true);
  assert.is(told, 1);
  assert.is(store.describe(collection), 'memory');
});

test.run();
