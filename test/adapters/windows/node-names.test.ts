// Several objects that name one Kubernetes node: the first that took the name has the machine, whatever the others were before, or say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { holderOf } from '../../../adapters/windows/node-names.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { inWorld, type World } from '../../world/windows.ts';
import { PAGE83, withDisk } from './checks.ts';

const test = suite('names of nodes');

/** An object that is older than the one that stands for node `one`. */
const withElder = (run: (world: World) => Promise<void>): Promise<void> =>
  inWorld({ nodes: ['two', 'one'] }, async (world) => {
    await withDisk(world, {}, 'one');
    for (const node of ['one', 'two']) await world.ready(`windowsstoragenodes/${node}`);
    await world.create('windowsdisks/data', { spec: { nodeRef: 'one', selector: { page83: PAGE83 } } });
    await world.ready('windowsdisks/data');
    await run(world);
  });

const isOnes = async (world: World): Promise<void> => {
  assert.match(await world.says('windowsstoragenodes/two', 'NodeTaken'), /storage-\w+\/one/);
  await world.settle();
  await world.ready('windowsstoragenodes/one');
  await world.ready('windowsdisks/data');
};

test('33.C3: an older object that is edited to the name of a node has not got it (WIN-NODE-NAMES-1)', () =>
  withElder(async (world) => {
    await world.stopNode('two');
    await world.merge('windowsstoragenodes/two', { spec: { nodeName: 'one' } });
    await isOnes(world);
    const { status } = (await world.read('windowsstoragenodes/two')) ?? {};
    assert.equal([status?.['nodeTakenAt'], status?.['machine']], [undefined, 'serial-two']);
  }));

test('33.C3: a name that was given up is taken anew, after whoever has it by then (WIN-NODE-NAMES-1)', () =>
  withElder(async (world) => {
    await world.merge('windowsstoragenodes/two', { spec: { nodeName: 'one' } });
    await world.says('windowsstoragenodes/two', 'NodeTaken');
    await world.create('windowsstoragenodes/later', { spec: { nodeName: 'two' } });
    await world.ready('windowsstoragenodes/later');
    await world.merge('windowsstoragenodes/two', { spec: { nodeName: 'two' } });
    assert.match(await world.says('windowsstoragenodes/two', 'NodeTaken', /later/), /later/);
    await world.ready('windowsstoragenodes/later');
    await world.remove('windowsstoragenodes/later');
    await world.gone('windowsstoragenodes/later');
    await world.ready('windowsstoragenodes/two');
  }));

test('33.C3: what somebody writes into a status makes nobody the first (WIN-NODE-NAMES-1)', () =>
  withElder(async (world) => {
    const forged = { nodeName: 'one', nodeTakenAt: '2000-01-01T00:00:00Z' };
    await world.stopNode('two');
    await world.merge('windowsstoragenodes/two', { spec: { nodeName: 'one' } });
    await world.record('windowsstoragenodes/two', forged);
    await isOnes(world);
    await world.record('windowsstoragenodes/two', forged);
    await world.settle();
    await isOnes(world);
    const { status } = (await world.read('windowsstoragenodes/two')) ?? {};
    assert.is(status?.['nodeTakenAt'], undefined);
  }));

test('33.C3: the name of one that goes is taken by the next', () =>
  withElder(async (world) => {
    await world.merge('windowsstoragenodes/two', { spec: { nodeName: 'one' } });
    await world.says('windowsstoragenodes/two', 'NodeTaken');
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    await world.remove('windowsstoragenodes/one');
    await world.gone('windowsstoragenodes/one');
    await world.says('windowsstoragenodes/two', 'DifferentMachine');
  }));

/** An object for node `one` that took the name at `takenAt`, and whose actor last saw `generation` 1. */
function nodeAt(name: string, takenAt: string | undefined, generation = 1): KubeObject {
  return {
    apiVersion: 'storage.troupe.dev/v1alpha1',
    kind: 'WindowsStorageNode',
    metadata: { name, namespace: 'storage', uid: name, resourceVersion: '1', generation },
    spec: { nodeName: 'one' },
    status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] },
    recorded: takenAt === undefined ? {} : { nodeName: 'one', nodeTakenAt: takenAt },
  };
}

test('33.C3: a name that an edit gave up and another took back, unseen, stays with whoever took it meanwhile (WIN-NODE-NAMES-1)', () => {
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];
  const heldBy = (...nodes: readonly KubeObject[]): string | undefined => holderOf(nodes, 'one')?.metadata.name;
  assert.is(heldBy(nodeAt('back', early, 3), nodeAt('taker', late)), 'taker');
  assert.is(heldBy(nodeAt('first', early), nodeAt('second', late)), 'first');
  assert.is(
    heldBy(nodeAt('edited', early, 2), nodeAt('waiting', undefined)),
    'edited',
    'an edit alone gives nothing up',
  );
});

test.run();
