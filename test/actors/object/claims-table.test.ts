import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Claim, ClaimsTable, claimOf, claimsOn } from '../../../actors/object/claims-table.ts';

import type { KubeObject } from '../../../machines/object.ts';

const test = suite('claims table');

function claim(changes: Partial<Claim> = {}): Claim {
  return {
    from: { realm: 'openstack', plural: 'subnets', namespace: 'ns', name: 'a' },
    uid: 'subnet-1',
    resourceVersion: '10',
    generation: 1,
    finalizers: ['guard'],
    manager: 'manager',
    withdrawnFrom: [],
    ended: false,
    ...changes,
  };
}

const held = (table: ClaimsTable, uid = 'network-1'): readonly string[] => [...table.held(uid).keys()];

test('the first claim of a finalizer holds it, the last one lets it go', () => {
  const table = new ClaimsTable();
  table.take('a', claim());
  table.take('b', claim({ uid: 'subnet-2' }));
  assert.equal(held(table), ['guard']);
  table.take('a', claim({ ended: true }));
  assert.equal(held(table), ['guard']);
  table.take('b', claim({ uid: 'subnet-2', ended: true }));
  assert.equal(held(table), []);
});

test('33.B7: a table with a claim that cannot be read is partial, and so incomplete, until that can be read or ends (CLAIMS-TABLE-3, P8)', () => {
  const object = { metadata: { name: 'n', uid: 'network-1', creationTimestamp: new Date(9_000).toISOString() } };
  const isComplete = (table: ClaimsTable): boolean =>
    claimsOn(object as unknown as KubeObject, table, ['guard'], { id: 'epoch', witnessedFrom: undefined, seededAt: 1 })
      .complete;
  const table = new ClaimsTable();
  table.take('a', claim());
  table.take('b', claim({ uid: 'subnet-2' }));
  assert.is(isComplete(table), true);
  const { revision } = table;
  table.take('c', claim({ ended: true }));
  for (const key of ['a', 'c']) table.miss(key);
  assert.ok(table.revision > revision, 'a confirmation of before is void');
  assert.is(isComplete(table), false);
  assert.equal(held(table), ['guard'], 'what was known of it holds on');
  assert.is(table.ended('c'), undefined, 'it has claimed since');
  table.take('a', claim());
  assert.is(isComplete(table), false);
  table.take('c', claim({ ended: true }));
  assert.is(isComplete(table), true);
});

test('many claims are held, yielded and ended as few are', () => {
  const table = new ClaimsTable();
  const claimants = Array.from({ length: 100 }, (_, index) => `claimant-${index}`);
  const finalizers = (index: number): string[] => (index % 2 === 0 ? ['guard', 'even'] : ['guard']);
  for (const [index, key] of claimants.entries()) table.take(key, claim({ finalizers: finalizers(index) }));
  assert.equal(held(table), ['guard', 'even']);
  for (const [index, key] of claimants.entries()) {
    if (index % 2 === 0) table.take(key, claim({ finalizers: finalizers(index), withdrawnFrom: ['network-1'] }));
  }
  assert.equal(held(table), ['guard']);
  assert.equal(held(table, 'network-2'), ['guard', 'even']);
  for (const key of claimants.slice(0, -1)) table.drop(key);
  assert.equal(held(table), ['guard']);
  table.take('claimant-99', claim({ ended: true }));
  assert.equal(held(table), []);
  assert.is(table.size, 0);
});

test('few and many holders: the first by key, whoever came first (I9), and how many others; one that has yielded is none', () => {
  for (const count of [5, 100]) {
    const table = new ClaimsTable();
    const from = (index: number): Claim['from'] => ({
      realm: 'r',
      plural: 'things',
      namespace: 'ns',
      name: `n${index}`,
    });
    const key = (index: number): string => `claimant-${String(index).padStart(3, '0')}`;
    for (let index = count - 1; index >= 0; index--)
      table.take(key(index), { ...claim({ withdrawnFrom: index === 1 ? ['network-1'] : [] }), from: from(index) });
    const { first, more } = table.holders('network-1', 'guard');
    assert.equal([first.map(({ name }) => name), more], [['n0', 'n2', 'n3'], count - 4]);
    assert.equal(table.holders('network-1', 'other'), { first: [], more: 0 });
    for (let index = 0; index < count - 1; index++) table.drop(key(index));
    assert.equal(table.holders('network-1', 'guard'), { first: [from(count - 1)], more: 0 });
  }
});

test('an older incarnation never replaces a newer one, claim or tombstone (P4)', () => {
  const table = new ClaimsTable();
  table.take('a', claim({ uid: 'subnet-2', resourceVersion: '100' }));
  assert.not(table.take('a', claim({ ended: true })));
  assert.not(table.take('a', claim()));
  assert.is(table.get('a')?.uid, 'subnet-2');
  assert.equal(held(table), ['guard']);
});

test('resourceVersions are compared as numbers', () => {
  const table = new ClaimsTable();
  table.take('a', claim({ uid: 'subnet-2', resourceVersion: '1000' }));
  assert.not(table.take('a', claim({ resourceVersion: '999' })));
});

test('a claim that yielded an incarnation holds it no more, and holds its successor (P1)', () => {
  const table = new ClaimsTable();
  table.take('a', claim({ withdrawnFrom: ['network-1'] }));
  assert.equal(held(table, 'network-1'), []);
  assert.equal(held(table, 'network-2'), ['guard']);
});

test('the end of a claim is remembered until its claimant claims again', () => {
  const table = new ClaimsTable();
  table.take('a', claim());
  table.take('a', claim({ generation: 3, ended: true }));
  assert.equal(table.ended('a'), { uid: 'subnet-1', generation: 3 });
  table.take('a', claim({ uid: 'subnet-2', resourceVersion: '20' }));
  assert.is(table.ended('a'), undefined);
});

test('each change is a new revision', () => {
  const table = new ClaimsTable();
  const before = table.revision;
  table.take('a', claim());
  table.drop('a');
  assert.is(table.revision, before + 2);
  table.drop('a');
  assert.is(table.revision, before + 2);
});

test('claimants that came and went do not pile up', () => {
  const table = new ClaimsTable();
  for (let number = 0; number < 5_000; number++) {
    table.take(`${number}`, claim());
    table.take(`${number}`, claim({ ended: true }));
  }
  assert.is(table.ended('0'), undefined);
  assert.is(table.ended('4999')?.uid, 'subnet-1');
});

test('what claimants say of their use is found without looking through all of them, and goes with their claims', () => {
  const table = new ClaimsTable();
  const from = (name: string) => ({ realm: 'r', plural: 'servers', namespace: 'ns', name });
  const mail = {
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    finalizers: [],
    manager: '',
    withdrawnFrom: [],
    ended: false,
  };
  table.take('plain', claimOf(from('plain'), mail));
  table.take('one', claimOf(from('one'), { ...mail, attributes: { device: 'vdb' } }));
  assert.equal(
    [...table.attributed()].map(({ attributes }) => attributes),
    [{ device: 'vdb' }],
  );
  table.take('one', claimOf(from('one'), { ...mail, generation: 2 }));
  assert.equal([...table.attributed()], []);
  table.take('one', claimOf(from('one'), { ...mail, generation: 3, attributes: { device: 'vdc' } }));
  table.take('one', claimOf(from('one'), { ...mail, ended: true }));
  assert.equal([...table.attributed()], []);
});

test.run();
