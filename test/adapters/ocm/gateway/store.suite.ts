// The contract of the port `Store`, run against every implementation.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Collection } from '../../../../adapters/ocm/gateway/store/collections.ts';
import {
  type Address,
  type Change,
  compareRevisions,
  type Store,
  type StoredObject,
  type Table,
  type Value,
} from '../../../../adapters/ocm/gateway/store/store.ts';
import type { Model } from '../../../../adapters/ocm/model/mod.ts';
import { collectionAt, testModel } from './model.ts';

/** A store that is empty, and what the owner of its objects does beside clients. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Writes with all attributes, as the controller of the objects does; creates what is not there. */
  put(collection: Collection, address: Address, value: Value): Promise<void>;
  close(): Promise<void>;
}

export interface StoreWishes {
  readonly model: Model;
  /** Server-owned attributes by collection path. */
  readonly serverOwned: Readonly<Record<string, readonly string[]>>;
}

export type MakeStore = (wishes: StoreWishes) => Promise<StoreUnderTest>;

export const CLUSTERS = '/api/clusters_mgmt/v1/clusters';
export const POOLS = `${CLUSTERS}/{cluster_id}/machine_pools`;
export const PROVIDERS = '/api/clusters_mgmt/v1/cloud_providers';
/** What the tests of both suites declare as the server's own. */
export const SERVER_OWNED = { [CLUSTERS]: ['status', 'state'], [POOLS]: ['status'] } as const;

const caller = { name: 'tester', groups: [] } as const;
const at = (id: string, ...outer: string[]): Address => ({ outer, id });

/** Everything that a table delivers, and waiting for some of it. */
class Recorder {
  readonly changes: Change[] = [];
  readonly stop: () => void;
  readonly #waiting = new Set<() => void>();

  constructor(table: Table) {
    this.stop = table.watch((change) => {
      this.changes.push(change);
      for (const wake of this.#waiting) wake();
    });
  }

  async until<T>(find: (changes: readonly Change[]) => T | undefined): Promise<T> {
    for (;;) {
      const found = find(this.changes);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  /** The first change of an object that has a revision, or none older. */
  stored(object: StoredObject): Promise<StoredObject> {
    return this.until((changes) =>
      changes
        .flatMap((each) => (each.kind === 'stored' ? [each.object] : each.kind === 'all' ? each.objects : []))
        .find(({ id, revision }) => id === object.id && compareRevisions(revision, object.revision) >= 0),
    );
  }

  removed(id: string): Promise<Change> {
    return this.until((changes) =>
      changes.find(
        (each) =>
          (each.kind === 'removed' && each.address.id === id) ||
          (each.kind === 'all' && each !== changes[0] && !each.objects.some((object) => object.id === id)),
      ),
    );
  }
}

export function storeSuite(name: string, make: MakeStore): void {
  const test = suite(`store: ${name}`);

  const withTables = (
    work: (tables: {
      clusters: Table;
      pools: Table;
      providers: Table;
      model: Model;
      under: StoreUnderTest;
    }) => Promise<void>,
  ): (() => Promise<void>) => {
    return async () => {
      const model = testModel();
      const under = await make({ model, serverOwned: SERVER_OWNED });
      const table = (path: string): Table => {
        const bound = under.store.bind(collectionAt(model, path));
        if (bound === undefined) throw new Error(`'${path}' is not bound`);
        return bound;
      };
      try {
        await work({ clusters: table(CLUSTERS), pools: table(POOLS), providers: table(PROVIDERS), model, under });
      } finally {
        await under.close();
      }
    };
  };

  const create = async (table: Table, address: Address, value: Value = {}): Promise<StoredObject> => {
    const outcome = await table.create({ address, value, dryRun: false, caller });
    if (outcome.kind !== 'stored') throw new Error(`not created: ${JSON.stringify(outcome)}`);
    return outcome.object;
  };

  test(
    'the first change is all there is, then what is written (OCM-STORE-1, OCM-STORE-2)',
    withTables(async ({ clusters }) => {
      const before = await create(clusters, at('a'), { name: 'A' });
      const seen = new Recorder(clusters);
      const first = await seen.until((changes) => changes[0]);
      assert.is(first.kind, 'all');
      assert.equal((await seen.stored(before)).value, { name: 'A' });
      const object = await create(clusters, at('b'), { name: 'B', nodes: { compute: 3 } });
      assert.equal(object.value, { name: 'B', nodes: { compute: 3 } });
      assert.not(object.deleting);
      assert.equal((await seen.stored(object)).value, object.value);
      seen.stop();
    }),
  );

  test(
    'an identifier is given once; the same one may be in another collection',
    withTables(async ({ clusters, pools }) => {
      await create(clusters, at('a'));
      await create(clusters, at('b'));
      assert.equal(await clusters.create({ address: at('a'), value: {}, dryRun: false, caller }), { kind: 'exists' });
      await create(pools, at('workers', 'a'), { replicas: 1 });
      await create(pools, at('infra', 'b'), { replicas: 2 });
    }),
  );

  test(
    'a dry run checks and stores nothing',
    withTables(async ({ clusters }) => {
      const outcome = await clusters.create({ address: at('a'), value: { name: 'A' }, dryRun: true, caller });
      assert.is(outcome.kind, 'stored');
      await create(clusters, at('a'));
      assert.equal(await clusters.create({ address: at('a'), value: {}, dryRun: true, caller }), { kind: 'exists' });
    }),
  );

  test(
    'an update sees the newest object, and concurrent ones lose nothing (OCM-STORE-3)',
    withTables(async ({ clusters }) => {
      const created = await create(clusters, at('a'), { name: 'A', nodes: { compute: 0 } });
      const increment = () =>
        clusters.update({
          address: at('a'),
          caller,
          edit: ({ value }) => ({ value: { ...value, nodes: { compute: computeOf(value) + 1 } } }),
        });
      const outcomes = await Promise.all(Array.from({ length: 8 }, increment));
      for (const outcome of outcomes) {
        assert.is(outcome.kind, 'stored');
        if (outcome.kind === 'stored') assert.ok(compareRevisions(outcome.object.revision, created.revision) > 0);
      }
      const last = await clusters.update({ address: at('a'), caller, edit: ({ value }) => ({ value }) });
      assert.is(last.kind === 'stored' && computeOf(last.object.value), 8);
    }),
  );

  test(
    'an edit may refuse, and nothing is stored then',
    withTables(async ({ clusters }) => {
      await create(clusters, at('a'), { name: 'A' });
      const refusal = { kind: 'invalid', reason: 'no' } as const;
      assert.equal(await clusters.update({ address: at('a'), caller, edit: () => refusal }), refusal);
      assert.equal(await clusters.update({ address: at('z'), caller, edit: () => refusal }), { kind: 'notFound' });
    }),
  );

  test(
    'clients never write what is the server’s own (OCM-STORE-4)',
    withTables(async ({ clusters, under, model }) => {
      const created = await create(clusters, at('a'), { name: 'A', state: 'ready', status: { phase: 'Mine' } });
      assert.equal(created.value, { name: 'A' });
      await under.put(collectionAt(model, CLUSTERS), at('a'), { name: 'A', status: { phase: 'Building', percent: 7 } });
      const outcome = await clusters.update({
        address: at('a'),
        caller,
        edit: () => ({ value: { name: 'B', state: 'ready', status: { phase: 'Done' } } }),
      });
      assert.equal(outcome.kind === 'stored' && outcome.object.value, {
        name: 'B',
        status: { phase: 'Building', percent: 7 },
      });
    }),
  );

  test(
    'a cluster is readable in its deleting state until its pools are gone (OCM-STORE-5)',
    withTables(async ({ clusters, pools }) => {
      await create(clusters, at('a'));
      await create(pools, at('workers', 'a'), { replicas: 1 });
      const seen = new Recorder(clusters);
      const outcome = await clusters.remove({ address: at('a'), caller });
      assert.is(outcome.kind === 'stored' && outcome.object.deleting, true);
      assert.ok(!seen.changes.some(({ kind }) => kind === 'removed'));
      const pool = await pools.remove({ address: at('workers', 'a'), caller });
      assert.ok(pool.kind === 'removed' || pool.kind === 'stored');
      await seen.removed('a');
      seen.stop();
      assert.equal(await clusters.remove({ address: at('a'), caller }), { kind: 'notFound' });
    }),
  );

  test(
    'an object that a link leads to is held by it (OCM-STORE-5)',
    withTables(async ({ clusters, providers }) => {
      await create(providers, at('aws'), { name: 'aws' });
      await create(clusters, at('a'), { cloud_provider: { id: 'aws' } });
      const seen = new Recorder(providers);
      const outcome = await providers.remove({ address: at('aws'), caller });
      assert.is(outcome.kind === 'stored' && outcome.object.deleting, true);
      await clusters.update({
        address: at('a'),
        caller,
        edit: ({ value: { cloud_provider: _, ...others } }) => ({ value: others }),
      });
      await seen.removed('aws');
      seen.stop();
    }),
  );

  test(
    'a watch that was stopped delivers nothing more',
    withTables(async ({ clusters }) => {
      const seen = new Recorder(clusters);
      await seen.until((changes) => changes[0]);
      seen.stop();
      const count = seen.changes.length;
      await create(clusters, at('a'));
      assert.is(seen.changes.length, count);
    }),
  );

  test.run();
}

function computeOf({ nodes }: Value): number {
  return (nodes as { compute: number }).compute;
}
