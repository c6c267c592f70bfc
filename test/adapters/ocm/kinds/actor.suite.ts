// Modeled objects as actors: they wait for what they refer to, keep it as long as they exist, and say so in a condition.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Binding } from '../../../../adapters/ocm/kinds/bindings.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { modelOf } from '../gateway/model.ts';
import { MODELS } from './models.ts';
import { type Ground, type ModelWorld, openModelWorld } from './world.ts';

const FLEET = { service: 'fleet_mgmt', version: 'v1_alpha1' } as const;
const BINDINGS: readonly Binding[] = [
  { ...FLEET, class: 'Cluster', statusAttributes: ['State', 'Nodes.Ready'] },
  { ...FLEET, class: 'NodePool' },
  { ...FLEET, class: 'Region' },
];
const MERGE = 'application/merge-patch+json';
const GROUP = 'fleet-mgmt.models.troupe.dev';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function readyOf(object: KubeObject | undefined): Condition | undefined {
  return ((object?.status?.['conditions'] ?? []) as unknown as readonly Condition[]).find(
    ({ type }) => type === 'Ready',
  );
}

const isReady = (object: KubeObject | undefined): boolean => readyOf(object)?.status === 'True';
const isGone = (object: KubeObject | undefined): boolean => object === undefined;
const isWaiting = (object: KubeObject | undefined): boolean => readyOf(object)?.reason === 'WaitingForDependency';

export function actorSuite(test: Test, openGround: () => Promise<Ground>): void {
  const on = (title: string, run: (world: ModelWorld) => Promise<void>): void => {
    test(title, async () => {
      const world = await openModelWorld(await openGround(), { model: modelOf(MODELS), bindings: BINDINGS });
      try {
        await run(world);
        assert.equal(world.errors, []);
      } finally {
        await world.close();
      }
    });
  };
  const remove = (world: ModelWorld, kind: string, name: string) =>
    world.client.call({ method: 'DELETE', path: world.path(kind, name) });

  on('36.4b: a node pool waits for its cluster, and a cluster is not gone before its node pools', async (world) => {
    await world.create('NodePool', 'p', { clusterRef: 'a', replicas: 1 });
    const waiting = await world.until('NodePool', 'p', isWaiting);
    assert.is(readyOf(waiting)?.message, 'Waiting for Cluster/a to be created');
    await world.create('Cluster', 'a');
    await world.until('NodePool', 'p', isReady);
    const cluster = await world.until('Cluster', 'a', isReady);
    assert.equal([...(cluster.metadata.finalizers ?? [])].sort(), [`${GROUP}/cluster`, `${GROUP}/nodepool-reference`]);

    await remove(world, 'Cluster', 'a');
    const held = await world.until('Cluster', 'a', (object) => readyOf(object)?.reason === 'InUse');
    assert.ok(held.metadata.deletionTimestamp);
    // The pool works as long as its cluster is there.
    await world.clock.sleep(2_000);
    assert.ok(isReady(await world.read('NodePool', 'p')));
    assert.ok(await world.read('Cluster', 'a'));
    await remove(world, 'NodePool', 'p');
    await world.until('NodePool', 'p', isGone);
    await world.until('Cluster', 'a', isGone);
  });

  on('36.4b: both deleted at once go, the pool first', async (world) => {
    await world.create('Cluster', 'a');
    for (const name of ['p', 'q']) await world.create('NodePool', name, { clusterRef: 'a' });
    for (const name of ['p', 'q']) await world.until('NodePool', name, isReady);
    await remove(world, 'Cluster', 'a');
    for (const name of ['p', 'q']) await remove(world, 'NodePool', name);
    await world.until('Cluster', 'a', isGone);
    for (const name of ['p', 'q']) assert.is(await world.read('NodePool', name), undefined);
  });

  on('36.4b: a link is a reference too, until it leads elsewhere', async (world) => {
    await world.create('Cluster', 'a', { regionRef: 'north' });
    await world.until('Cluster', 'a', isWaiting);
    await world.create('Region', 'north');
    await world.create('Region', 'south');
    const ready = await world.until('Cluster', 'a', isReady);
    const uid = (await world.read('Region', 'north'))?.metadata.uid ?? '';
    assert.equal(ready.status?.['references'], [{ kind: 'Region', name: 'north', uid }]);
    await remove(world, 'Region', 'north');
    await world.until('Region', 'north', (object) => readyOf(object)?.reason === 'InUse');
    await world.client.call({
      method: 'PATCH',
      path: world.path('Cluster', 'a'),
      contentType: MERGE,
      body: { spec: { regionRef: 'south' } },
    });
    await world.until('Region', 'north', isGone);
    await world.until('Cluster', 'a', isReady);
  });

  on('36.4b: a pool that comes while its cluster goes holds nobody up, and waits for the next one', async (world) => {
    await world.create('Cluster', 'a');
    await world.create('NodePool', 'p', { clusterRef: 'a' });
    await world.until('NodePool', 'p', isReady);
    await remove(world, 'Cluster', 'a');
    await world.until('Cluster', 'a', (object) => readyOf(object)?.reason === 'InUse');
    await world.create('NodePool', 'late', { clusterRef: 'a' });
    await world.until('NodePool', 'late', isWaiting);
    await remove(world, 'NodePool', 'p');
    await world.until('Cluster', 'a', isGone);
    await world.create('Cluster', 'a');
    await world.until('NodePool', 'late', isReady);
  });

  on('36.4b: what the owner of the objects says in the status stays as it is', async (world) => {
    await world.create('Cluster', 'a');
    await world.until('Cluster', 'a', isReady);
    await world.client.call({
      method: 'PATCH',
      path: `${world.path('Cluster', 'a')}/status`,
      contentType: MERGE,
      body: { status: { state: 'installing', nodes: { ready: 1 } } },
    });
    await world.client.call({
      method: 'PATCH',
      path: world.path('Cluster', 'a'),
      contentType: MERGE,
      body: { spec: { name: 'other' } },
    });
    const seen = await world.until('Cluster', 'a', (object) => object?.status?.['observedGeneration'] === 2);
    assert.is(seen.status?.['state'], 'installing');
    assert.equal(seen.status?.['nodes'], { ready: 1 });
    assert.is(readyOf(seen)?.status, 'True');
  });

  on('36.4b: nothing is written once all is said', async (world) => {
    await world.create('Region', 'north');
    await world.create('Cluster', 'a', { regionRef: 'north' });
    const before = await world.until('Cluster', 'a', isReady);
    await world.clock.sleep(2_000);
    const after = await world.read('Cluster', 'a');
    assert.is(after?.metadata.resourceVersion, before.metadata.resourceVersion);
  });
}
