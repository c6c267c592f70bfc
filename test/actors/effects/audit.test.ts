// What a deleted object learns of its claimants, and how many lists that costs.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Audited, Audits } from '../../../actors/effects/audit.ts';
import { ClaimsTable, claimOf } from '../../../actors/object/claims-table.ts';
import { registry } from '../../../actors/object/registry.ts';
import type { ObjectList } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Address, addressKey, TransientError } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('audit');

const GUARD = 'own/thing';
const place = { realm: 'test', plural: 'things', namespace: 'ns' };
const kind = simpleKind({
  realm: 'test',
  kind: 'Thing',
  plural: 'things',
  references: ({ spec }) => [
    ...((spec?.['on'] ?? []) as string[]).map((name) => ({
      kind: 'Thing',
      name,
      finalizers: [GUARD],
      neededFor: 'create' as const,
    })),
    ...((spec?.['near'] ?? []) as string[]).map((name) => ({
      kind: 'Thing',
      name,
      finalizers: [],
      neededFor: 'create' as const,
    })),
  ],
});

function thing(name: string, on: readonly string[], { uid = `uid-${name}`, generation = 1 } = {}): KubeObject {
  const metadata = { name, namespace: 'ns', uid, resourceVersion: '1', generation };
  return { apiVersion: 'example.org/v1', kind: 'Thing', metadata, spec: { on } };
}

/** A deleted object with the claims of those who are named, each made at this resourceVersion. */
function deleted(name: string, claimants: Readonly<Record<string, string>> = {}): Audited & { dropped: string[] } {
  const claims = new ClaimsTable();
  for (const [claimant, resourceVersion] of Object.entries(claimants)) {
    const from: Address = { ...place, name: claimant };
    const mail = { generation: 1, finalizers: [GUARD], manager: 'thing', withdrawnFrom: [], ended: false };
    claims.take(addressKey(from), claimOf(from, { ...mail, uid: `uid-${claimant}`, resourceVersion }));
  }
  const dropped: string[] = [];
  return {
    address: { ...place, name },
    key: addressKey({ ...place, name }),
    claims,
    dropped,
    dropClaim(key) {
      dropped.push(key);
      claims.drop(key);
    },
    recheckClaims: () => undefined,
  };
}

const life = { uid: 'uid-of-the-deleted' };
const keyOf = (name: string): string => addressKey({ ...place, name });

/** Audits of an API server whose lists wait until they are let go; each shows what there was when it began. */
function server(there: KubeObject[]) {
  const waiting: ((error?: Error) => void)[] = [];
  const audits = new Audits({
    registry: registry([kind], []),
    objects: {
      list() {
        const { promise, resolve, reject } = Promise.withResolvers<ObjectList>();
        const answer = { items: [...there], resourceVersion: '10', serverTime: 0 };
        waiting.push((error) => (error === undefined ? resolve(answer) : reject(error)));
        return promise;
      },
    },
  });
  return { audits, waiting, letGo: (index: number, error?: Error): void => waiting[index]?.(error) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('who refers to it holds it, until its claim ends; who is gone does not (P7)', async () => {
  const { audits, letGo } = server([thing('there', ['one'])]);
  const one = deleted('one', { there: '5', vanished: '5', later: '11' });
  const asked = audits.guards(one, life, [GUARD]);
  letGo(0);
  assert.equal((await asked).free, []);
  assert.equal(one.dropped, [keyOf('vanished')], 'a claim that is newer than the list is not judged by it');
});

test('who was listed before it referred to it again is not judged by that list (P7)', async () => {
  const { audits, letGo } = server([thing('there', ['another'])]);
  const one = deleted('one', { there: '5' });
  const asked = audits.guards(one, life, [GUARD]);
  const from: Address = { ...place, name: 'there' };
  const mail = { uid: 'uid-there', resourceVersion: '5', finalizers: [GUARD], manager: 'thing', withdrawnFrom: [] };
  one.claims.take(keyOf('there'), claimOf(from, { ...mail, generation: 2, ended: false }));
  letGo(0);
  await asked;
  assert.equal(one.dropped, []);
});

test('a claim of a replaced incarnation ends, however often that one was edited (P7)', async () => {
  const { audits, letGo } = server([thing('there', ['another'], { uid: 'uid-of-its-successor' })]);
  const one = deleted('one');
  const from: Address = { ...place, name: 'there' };
  const mail = { uid: 'uid-there', resourceVersion: '5', finalizers: [GUARD], manager: 'thing', withdrawnFrom: [] };
  one.claims.take(keyOf('there'), claimOf(from, { ...mail, generation: 7, ended: false }));
  const asked = audits.guards(one, life, [GUARD]);
  letGo(0);
  assert.equal([(await asked).free, one.dropped], [[GUARD], [keyOf('there')]]);
});

for (const { what, listed, ended, free } of [
  { what: 'of who goes frees it', listed: { generation: 2 }, ended: 2, free: [GUARD] },
  { what: 'that is newer than the list frees it', listed: { generation: 2 }, ended: 3, free: [GUARD] },
  { what: 'of who refers to it again frees nothing', listed: { generation: 3 }, ended: 2, free: [] },
  { what: 'of an earlier incarnation frees nothing', listed: { uid: 'another', generation: 1 }, ended: 2, free: [] },
])
  test(`the end of a claim ${what} (AUDIT-4, P8, I3)`, async () => {
    const { audits, letGo } = server([thing('there', ['one'], listed)]);
    const one = deleted('one');
    const from: Address = { ...place, name: 'there' };
    const mail = {
      uid: 'uid-there',
      resourceVersion: '5',
      finalizers: [],
      manager: '',
      withdrawnFrom: [],
      ended: true,
    };
    one.claims.take(keyOf('there'), claimOf(from, { ...mail, generation: ended }));
    const asked = audits.guards(one, life, [GUARD]);
    letGo(0);
    assert.equal((await asked).free, free);
  });

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
for (const { what, metadata, ownFinalizer = GUARD, free } of [
  { what: 'is being deleted without its own finalizer holds nothing', metadata: going, free: [GUARD] },
  { what: 'is being deleted and held by another', metadata: { ...going, finalizers: ['other/kind'] }, free: [GUARD] },
  { what: 'is being deleted and has to clean up holds', metadata: { ...going, finalizers: [GUARD] }, free: [] },
  { what: 'lives without its own finalizer holds: it may be about to build', metadata: {}, free: [] },
  { what: 'is of a kind without a finalizer holds', metadata: going, ownFinalizer: '', free: [] },
])
  test(`the end of its claim was lost: a claimant that ${what} (AUDIT-6, P7, I3)`, async () => {
    const claimant = thing('there', ['one']);
    const listed = [{ ...claimant, metadata: { ...claimant.metadata, ...metadata } }];
    const audits = new Audits({
      registry: registry([{ ...kind, finalizer: ownFinalizer }], []),
      objects: { list: async () => ({ items: listed, resourceVersion: '10', serverTime: 0 }) },
    });
    assert.equal((await audits.guards(deleted('one'), life, [GUARD])).free, free);
  });

test('33.B2: a claim without finalizers stays as long as its claimant is there: another of this name may come (P5, AUDIT-5)', async () => {
  const near = { ...thing('near', []), spec: { near: ['one'] } };
  // It follows another object without referring to it, as who waits for the owner of a resource.
  const { audits, letGo } = server([
    near,
    thing('follower', ['another']),
    thing('renewed', [], { uid: 'its-successor' }),
  ]);
  const names = ['near', 'follower', 'renewed', 'vanished', 'later'];
  const one = deleted('one');
  for (const name of names) {
    const from: Address = { ...place, name };
    const mail = { generation: 1, finalizers: [], manager: 'thing', withdrawnFrom: [], ended: false };
    const resourceVersion = name === 'later' ? '11' : '5';
    one.claims.take(keyOf(name), claimOf(from, { ...mail, uid: `uid-${name}`, resourceVersion }));
  }
  const from: Address = { ...place, namespace: 'elsewhere', name: 'follower' };
  const mail = {
    uid: 'u',
    resourceVersion: '5',
    generation: 1,
    finalizers: [],
    manager: '',
    withdrawnFrom: [],
    ended: false,
  };
  one.claims.take(addressKey(from), claimOf(from, mail));
  const asked = audits.guards(one, life, [GUARD]);
  letGo(0);
  assert.equal((await asked).free, [GUARD], 'it holds nothing');
  assert.equal(one.dropped, [keyOf('renewed'), keyOf('vanished')]);
});

test('an object that refers to another one holds nothing', async () => {
  const { audits, letGo } = server([thing('there', ['another'])]);
  const one = deleted('one', { there: '5' });
  const asked = audits.guards(one, life, [GUARD]);
  letGo(0);
  assert.equal(await asked, { free: [GUARD], revision: one.claims.revision });
  assert.equal(one.dropped, [keyOf('there')]);
});

test('a thousand questions at once are two lists (AUDIT-2)', async () => {
  const { audits, waiting, letGo } = server([thing('there', ['one-7', 'one-7', 'one-8'])]);
  const asked = Array.from({ length: 1_000 }, (_, index) => audits.guards(deleted(`one-${index}`), life, [GUARD]));
  letGo(0);
  await settled();
  letGo(1);
  const held = (await Promise.all(asked)).flatMap(({ free }, index) => (free.length === 0 ? [index] : []));
  assert.equal(held, [7, 8]);
  assert.is(waiting.length, 2);
});

test('a list that began before the question does not answer it (AUDIT-1)', async () => {
  const there: KubeObject[] = [];
  const { audits, waiting, letGo } = server(there);
  const early = audits.guards(deleted('one'), life, [GUARD]);
  there.push(thing('late', ['one']));
  const late = audits.guards(deleted('one'), life, [GUARD]);
  letGo(0);
  assert.equal((await early).free, [GUARD]);
  await settled();
  letGo(1);
  assert.equal((await late).free, []);
  // Nothing is remembered of a list that has ended.
  there.length = 0;
  const last = audits.guards(deleted('one'), life, [GUARD]);
  letGo(2);
  assert.equal((await last).free, [GUARD]);
  assert.is(waiting.length, 3);
});

test('a list that failed answers those who asked for it, and no other', async () => {
  const { audits, letGo } = server([]);
  const first = audits.guards(deleted('one'), life, [GUARD]);
  const second = audits.guards(deleted('two'), life, [GUARD]);
  letGo(0, new TransientError('the API server is away'));
  await first.then(
    () => assert.unreachable(),
    (error) => assert.instance(error, TransientError),
  );
  await settled();
  letGo(1);
  assert.equal((await second).free, [GUARD]);
});

test('a claimant whose references cannot be told holds what it may have claimed, and hides nobody else (AUDIT-3, I11)', async () => {
  const broken = (name: string, finalizers: readonly string[]): KubeObject => {
    const { metadata, ...rest } = thing(name, []);
    return { ...rest, metadata: { ...metadata, finalizers }, spec: { on: 7 } };
  };
  const { audits, letGo } = server([broken('young', []), thing('there', ['two'])]);
  const one = deleted('one', { young: '5', vanished: '5' });
  const asked = audits.guards(one, life, [GUARD]);
  letGo(0);
  assert.equal((await asked).free, [GUARD], 'without its own finalizer it has claimed nothing');
  assert.equal(one.dropped, [keyOf('vanished')], 'its claim stays');

  const { audits: again, letGo: go } = server([broken('old', [GUARD])]);
  const late = again.guards(deleted('one'), life, [GUARD]);
  go(0);
  assert.equal((await late).free, []);
});

test('a kind that the API server does not serve has no objects', async () => {
  const { audits, letGo } = server([]);
  const one = deleted('one', { there: '5' });
  const asked = audits.guards(one, life, [GUARD]);
  letGo(0, new AbsentError('the server could not find the requested resource'));
  assert.equal((await asked).free, [GUARD]);
});

test('who may refer from another namespace is asked for in all of them (P7, P8)', async () => {
  const listed: (string | undefined)[] = [];
  const elsewhere = { ...thing('far', ['one']), metadata: { ...thing('far', []).metadata, namespace: 'other' } };
  const references = () => [
    { kind: 'Thing', name: 'one', namespace: 'ns', finalizers: [GUARD], neededFor: 'create' as const },
  ];
  const freeOf = async (allowsCrossNamespace: boolean): Promise<readonly string[]> => {
    const audits = new Audits({
      registry: registry([{ ...kind, references, allowsCrossNamespace }], []),
      objects: {
        async list(_, namespace) {
          listed.push(namespace);
          return { items: namespace === 'ns' ? [] : [elsewhere], resourceVersion: '10', serverTime: 0 };
        },
      },
    });
    return (await audits.guards(deleted('one'), life, [GUARD])).free;
  };
  assert.equal(await freeOf(true), []);
  assert.equal(await freeOf(false), [GUARD]);
  assert.equal(listed, [undefined, 'ns']);
});

test.run();
