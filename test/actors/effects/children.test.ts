// The objects that an object makes for itself: when the one that made them may stop waiting, and what counts as different.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ChildrenDeps,
  ensureChildren,
  isAsApplied,
  mark,
  type Owner,
  removeChildren,
} from '../../../actors/effects/children.ts';
import type { SeenChild } from '../../../actors/effects/unreported-children.ts';
import { registry } from '../../../actors/object/registry.ts';
import type { ApplyOptions } from '../../../adapters/kubernetes/mod.ts';
import { ConflictError, type JsonObject, TransientError } from '../../../bus/mod.ts';
import type { Child } from '../../../machines/kind.ts';
import { type DependencyAnswer, Readiness } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('children');

const SPEC = { type: 'Subnet', routerRef: 'r', nested: { b: 1, a: [1, 2] } };
const CHILD: Child = { kind: 'Plug', name: 's-subnet', content: { spec: SPEC }, onDrift: 'replace' };
const OBJECT: KubeObject = {
  apiVersion: 'example.org/v1',
  kind: 'Subnet',
  metadata: { name: 's', namespace: 'ns', uid: 'owner', resourceVersion: '1' },
};

interface Scene {
  readonly child?: Child;
  readonly stored?: KubeObject | undefined;
  readonly fields?: JsonObject;
  readonly answer?: DependencyAnswer | undefined;
  readonly applyFails?: boolean;
  readonly isAlive?: boolean;
}

function stored(metadata: Partial<KubeObject['metadata']> = {}, spec: JsonObject = SPEC): KubeObject {
  const owner = { apiVersion: 'example.org/v1', kind: 'Subnet', name: 's', uid: 'owner' };
  const common = { name: 's-subnet', namespace: 'ns', uid: 'own', resourceVersion: '1', ownerReferences: [owner] };
  return { apiVersion: 'example.org/v1', kind: 'Plug', metadata: { ...common, ...metadata }, spec };
}

/** An API server with at most one child; what is asked of it is noted. */
function play({ child = CHILD, stored: present, fields = {}, answer, applyFails = false, isAlive = true }: Scene) {
  const calls: string[] = [];
  /** Children of which the owner was not told. */
  const followed: string[] = [];
  const kinds = [
    { ...simpleKind({ realm: 'test', kind: 'Subnet', plural: 'subnets' }), children: () => [child] },
    simpleKind({ realm: 'test', kind: 'Plug', plural: 'plugs' }),
  ];
  const deps = {
    objects: {
      get: async () => present,
      applied: async () => present && { object: present, fields },
      async apply(_: unknown, __: unknown, ___: unknown, { owners, labels }: ApplyOptions) {
        const named = owners.map(({ uid, controller }) => (controller === true ? `controller ${uid}` : uid)).join();
        calls.push(`apply for ${named}${labels === undefined ? '' : ` with ${JSON.stringify(labels)}`}`);
        if (applyFails) throw new ConflictError('it was changed');
        return present;
      },
      async remove() {
        calls.push('remove');
      },
      async addOwner(_: unknown, __: unknown, { uid }: { uid: string }) {
        calls.push(`add ${uid}`);
      },
      async removeOwner() {
        calls.push('removeOwner');
      },
      async mark(_: unknown, __: unknown, manager: string, { annotations }: { annotations?: object }) {
        calls.push(`mark as ${manager}${annotations === undefined ? '' : ` with ${JSON.stringify(annotations)}`}`);
      },
    },
    registry: registry(kinds, []),
    unreported: {
      async follow({ id, name, isUnreported }: SeenChild) {
        if (isUnreported()) followed.push(`${id} ${name}`);
      },
    },
  } as unknown as ChildrenDeps;
  const address = { realm: 'test', plural: 'subnets', namespace: 'ns', name: 's' };
  const reference = { kind: 'Plug', name: 's-subnet', finalizers: [], neededFor: 'never' as const, answer };
  const actor = { address, dependencies: () => [reference] };
  const { signal } = new AbortController();
  const owner: Owner = {
    ...({ actor, object: OBJECT, kind: kinds[0] } as Pick<Owner, 'actor' | 'object' | 'kind'>),
    isAlive: () => isAlive,
    onChildGone: () => undefined,
    signal,
  };
  return {
    calls,
    followed,
    ensured: () => ensureChildren(deps, owner),
    marked: (object: KubeObject) =>
      mark(deps, { ...owner, object }, CHILD, { manager: 'marks', labels: {}, isOwned: true }),
    removed: (options?: { readonly isDetached: boolean }) => removeChildren(deps, owner, [], options),
    alsoRemoved: () => removeChildren(deps, { ...owner, kind: { ...owner.kind, children: () => [] } }, [CHILD]),
  };
}

test('each object marks by a manager of its own, which is short however long its name is', async () => {
  const { marked, calls } = play({ answer: { readiness: Readiness.Ready, uid: 'own' } });
  for (const uid of ['0e9c5b6e-6f4e-4f0c-9d0e-1b7b0c1f2a3b', '1e9c5b6e-6f4e-4f0c-9d0e-1b7b0c1f2a3b'])
    await marked({ ...OBJECT, metadata: { ...OBJECT.metadata, name: 'a'.repeat(253), uid } });
  assert.equal(new Set(calls).size, 2);
  // The API server takes 128 characters of a manager.
  for (const call of calls) assert.ok(call.length < 100, call);
});

const READY = ['Waiting for plug/s-subnet to be ready'];
const DELETED = ['Waiting for plug/s-subnet to be deleted'];

test('one that said that it is ready is not waited for, though its status is still to be written', async () => {
  const pass = (answer: DependencyAnswer | undefined) => play({ stored: stored(), answer }).ensured();
  assert.equal(await pass({ readiness: Readiness.Ready, uid: 'own' }), []);
  assert.equal(await pass({ readiness: Readiness.Ready, uid: 'its predecessor' }), READY);
  assert.equal(await pass({ readiness: Readiness.Pending, uid: 'own' }), READY);
  assert.equal(await pass(undefined), READY);
});

// Two passes in a row, or two hosts, make it while its mail is on its way.
test('one that was made a moment ago is no error (I6)', async () => {
  const { ensured, calls } = play({ answer: { readiness: Readiness.Absent, uid: '' }, applyFails: true });
  assert.equal(await ensured(), READY);
  assert.equal(calls, ['apply for owner']);
});

test('one that was made, or is there, is followed while its owner has heard that there is none (UNREPORTED-CHILDREN-1)', async () => {
  const absent = { readiness: Readiness.Absent, uid: '' };
  const going = stored({ deletionTimestamp: '2026-01-01T00:00:00Z' });
  for (const present of [undefined, stored(), going, stored({}, { ...SPEC, type: 'Other' })]) {
    const { ensured, followed } = play({ stored: present, answer: absent });
    await ensured();
    assert.equal(followed, ['owner test.plugs.ns.s-subnet s-subnet'], JSON.stringify(present));
  }
  for (const answer of [undefined, { readiness: Readiness.Ready, uid: 'own' }]) {
    const { ensured, followed } = play({ stored: stored(), answer });
    await ensured();
    assert.equal(followed, []);
  }
});

test('one that comes back with its members in another order, and with more of them, is as it was applied (CHILDREN-1)', async () => {
  const sorted = { nested: { a: [1, 2], b: 1, defaulted: true }, routerRef: 'r', type: 'Subnet', added: 'by others' };
  const { ensured, calls } = play({ stored: stored({}, sorted), answer: { readiness: Readiness.Ready, uid: 'own' } });
  assert.equal(await ensured(), []);
  assert.equal(calls, []);
});

test('a pass that fails is over when all that it asked for is (CHILDREN-3)', async () => {
  const kinds = [
    {
      ...simpleKind({ realm: 'test', kind: 'Subnet', plural: 'subnets' }),
      children: () => [CHILD, { ...CHILD, name: 'late' }],
    },
    simpleKind({ realm: 'test', kind: 'Plug', plural: 'plugs' }),
  ];
  const late = Promise.withResolvers<void>();
  const objects = {
    applied: async () => undefined,
    async apply(_: unknown, { name }: { readonly name: string }) {
      if (name !== 'late') throw new TransientError('no answer');
      await late.promise;
    },
  };
  const address = { realm: 'test', plural: 'subnets', namespace: 'ns', name: 's' };
  const deps = { objects, registry: registry(kinds, []) } as unknown as ChildrenDeps;
  const actor = { address, dependencies: () => [] };
  const owner = { actor, object: OBJECT, kind: kinds[0], isAlive: () => true } as unknown as Owner;
  let isOver = false;
  const pass = ensureChildren(deps, owner).finally(() => {
    isOver = true;
  });
  const failure = pass.then(
    () => undefined,
    (error: unknown) => error,
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.not(isOver, 'a request is under way');
  late.resolve();
  assert.instance(await failure, TransientError);
});

test('what differs is applied again, or made anew, as the kind says', async () => {
  const other = stored({}, { ...SPEC, routerRef: 'other' });
  const replaced = play({ stored: other });
  assert.equal(await replaced.ensured(), DELETED);
  assert.equal(replaced.calls, ['remove']);
  const applied = play({ stored: other, child: { ...CHILD, onDrift: 'apply' } });
  assert.equal(await applied.ensured(), READY);
  assert.equal(applied.calls, ['apply for owner']);
});

test('33.D: one that is to have labels and a controller gets them, and is corrected where it lacks one', async () => {
  const labels = { rack: '7' };
  const child = { ...CHILD, onDrift: 'apply', labels, isControlled: true } as const;
  const asked = async (present: KubeObject | undefined, fields: JsonObject = {}): Promise<readonly string[]> => {
    const scene = play({ child, stored: present, fields });
    await scene.ensured();
    return scene.calls;
  };
  const APPLIED = 'apply for controller owner with {"rack":"7"}';
  assert.equal(await asked(undefined), [APPLIED]);
  const plain = { apiVersion: 'example.org/v1', kind: 'Subnet', name: 's', uid: 'owner' };
  const controller = { ...plain, controller: true };
  assert.equal(await asked(stored({ labels })), [APPLIED], 'made before, without a controller');
  assert.equal(await asked(stored({ ownerReferences: [controller] })), [APPLIED]);
  assert.equal(await asked(stored({ ownerReferences: [controller], labels: { rack: '8' } })), [APPLIED]);
  assert.equal(await asked(stored({ ownerReferences: [controller], labels: { ...labels, more: 'x' } })), []);
  const fields = { 'f:metadata': { 'f:labels': { 'f:rack': {}, 'f:row': {} }, 'f:ownerReferences': {} } };
  const before = stored({ ownerReferences: [controller], labels: { ...labels, row: '1' } });
  assert.equal(await asked(before, fields), [APPLIED], 'the owner lost a label');
  // An object has one controller at most.
  const other = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'other', controller: true };
  assert.equal(await asked(stored({ ownerReferences: [other, plain], labels })), []);
  assert.equal(await asked(stored({ ownerReferences: [other], labels: {} })), [
    'apply for controller other,owner with {"rack":"7"}',
  ]);
});

test('what was applied once and is not wanted any more is a difference (CHILDREN-1)', () => {
  const fields = { 'f:spec': { 'f:routerRef': {}, 'f:nested': { 'f:b': {}, 'f:gone': {} } } };
  assert.not(isAsApplied({ spec: SPEC }, stored(), fields));
  assert.ok(isAsApplied({ spec: SPEC }, stored(), { 'f:spec': { 'f:nested': { 'f:b': {} } } }));
  assert.not(isAsApplied({ spec: { list: [1] } }, stored({}, { list: [1, 2] }), {}));
});

test('one that the kind does not tell of is removed, or let go, as far as it is owned (CHILDREN-2)', async () => {
  const own = play({ stored: stored() });
  assert.equal(await own.alsoRemoved(), { gone: false });
  assert.equal(own.calls, ['remove']);
  const other = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'other' };
  const both = play({ stored: stored({ ownerReferences: [other, { kind: 'Subnet', name: 's', uid: 'owner' }] }) });
  assert.equal(await both.alsoRemoved(), { gone: true });
  assert.equal(both.calls, ['removeOwner']);
  for (const ownerReferences of [[], [other]]) {
    const foreign = play({ stored: stored({ ownerReferences }) });
    assert.equal(await foreign.alsoRemoved(), { gone: true });
    assert.equal(foreign.calls, []);
  }
  assert.equal(await play({ stored: undefined }).alsoRemoved(), { gone: true });
});

test('one that an earlier spec asked for is deleted if this object owns it, and waited for', async () => {
  const child = { ...CHILD, isUnwanted: true } as const;
  const own = play({ child, stored: stored(), answer: { readiness: Readiness.Absent, uid: '' } });
  assert.equal([await own.ensured(), own.calls, own.followed], [DELETED, ['remove'], []]);
  for (const present of [undefined, stored({ ownerReferences: [] })]) {
    const scene = play({ child, stored: present });
    assert.equal([await scene.ensured(), await scene.removed(), scene.calls], [[], { gone: true }, []]);
  }
});

test('one whose external resource is to stay says so before it is deleted, and while it is', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const mark = 'mark as Subnet/detach with {"troupe/on-delete":"detach"}';
  for (const [present, expected] of [
    [stored(), [mark, 'remove']],
    [stored({ deletionTimestamp }), [mark]],
    [stored({ annotations: { 'troupe/on-delete': 'detach' } }), ['remove']],
  ] as const) {
    const scene = play({ stored: present });
    assert.equal([await scene.removed({ isDetached: true }), scene.calls], [{ gone: false }, expected]);
  }
});

test('one that others own too gets this owner beside them, loses it at the end, and stays (CHILDREN-2)', async () => {
  const others = [{ apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'other' }];
  const shared = play({ stored: stored({ ownerReferences: others }), child: { ...CHILD, onDrift: 'apply' } });
  assert.equal(await shared.ensured(), READY);
  assert.equal(shared.calls, ['add owner'], 'the others may be more by then');
  const kept = play({
    stored: stored({ ownerReferences: others }, { ...SPEC, routerRef: 'other' }),
    child: { ...CHILD, onDrift: 'keep' },
  });
  assert.equal(await kept.ensured(), READY);
  assert.equal(kept.calls, ['add owner'], 'it is left as it is');
  const drifted = play({
    stored: stored({ ownerReferences: others }, { ...SPEC, routerRef: 'other' }),
    child: { ...CHILD, onDrift: 'apply' },
  });
  assert.equal(await drifted.ensured(), READY);
  assert.equal(drifted.calls, ['apply for other,owner']);
  const ownerless = play({ stored: stored({ ownerReferences: [] }) });
  assert.equal(await ownerless.ensured(), READY);
  assert.equal(ownerless.calls, ['apply for owner']);
  const both = play({ stored: stored({ ownerReferences: [...others, { kind: 'Subnet', name: 's', uid: 'owner' }] }) });
  assert.equal(await both.removed(), { gone: true });
  assert.equal(both.calls, ['removeOwner']);
  const own = play({ stored: stored() });
  assert.equal(await own.removed(), { gone: false });
  assert.equal(own.calls, ['remove']);
});

test('a pass whose life ended while it read writes nothing: the next life may have done it already (CHILDREN-3)', async () => {
  const older = stored({}, { ...SPEC, type: 'Other' });
  for (const found of [undefined, older, stored()]) {
    const { calls, ensured, removed } = play({ stored: found, isAlive: false });
    for (const pass of [ensured, removed]) {
      try {
        await pass();
        assert.unreachable();
      } catch (error) {
        assert.match((error as Error).message, 'is not hosted here any more');
      }
    }
    assert.equal(calls, []);
  }
});

test.run();
