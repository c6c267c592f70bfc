// Whose an external resource is that several objects have recorded (OWNERSHIP-3).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { OwnershipResolver } from '../../../actors/effects/ownership.ts';
import { registry } from '../../../actors/object/registry.ts';
import type { Objects } from '../../../adapters/kubernetes/mod.ts';
import type { Kind } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('rivals');

const SEEN = { attributes: {}, resource: {}, available: true };
const things = simpleKind({
  realm: 'test',
  kind: 'Thing',
  plural: 'things',
  operations: { identify: async () => 'one cloud', observe: async ({ id }) => ({ id, ...SEEN }) },
});
const recorded = ({ status }: KubeObject): string => String(status?.['id']);
const kind: Kind = { ...things, life: { ...things.life, recorded } };

function thing(uid: string, creationTimestamp: string): KubeObject {
  const metadata = { name: uid, namespace: 'ns', uid, creationTimestamp, resourceVersion: '1' };
  return { apiVersion: 'example.org/v1', kind: 'Thing', metadata, status: { id: 'id-1' } };
}

/** The uid of the object before which `object` gives way, of `all`, which have recorded the same id. */
async function rivalOf(object: KubeObject, all: readonly KubeObject[]): Promise<string | undefined> {
  const clock = systemClock();
  const objects = {
    list: async () => ({ items: [...all], resourceVersion: '1' }),
    get: async () => undefined,
  } as unknown as Objects;
  const rivals = new OwnershipResolver({ objects, registry: registry([kind], []), namespaces: undefined, clock });
  const request = { object, dependencies: {}, deadlineAt: clock.now() + 60_000, traceparent: '' };
  const question = { kind, request, externalId: 'id-1', system: 'one cloud' };
  return (await rivals.of({ ...question, isIdFromOtherWriter: false, isMade: false, isLeaving: false }))?.uid;
}

test('of those that have recorded the same the oldest has it, and the others find that one (OWNERSHIP-3)', async () => {
  const [old, middle, young] = [
    thing('c', '2030-01-01T00:00:00Z'),
    thing('b', '2030-01-02T00:00:00Z'),
    thing('a', '2030-01-03T00:00:00Z'),
  ];
  const all = [middle, young, old];
  assert.is(await rivalOf(old, all), undefined);
  assert.is(await rivalOf(middle, all), 'c');
  assert.is(await rivalOf(young, all), 'c');
});

test('of two that were made in one second the one with the smaller uid has it (OWNERSHIP-3)', async () => {
  const all = [thing('b', '2030-01-01T00:00:00Z'), thing('a', '2030-01-01T00:00:00Z')];
  const found = all.map((object) => rivalOf(object, all));
  assert.equal(await Promise.all(found), ['a', undefined]);
});

/** One that has recorded nothing, or what it says; its credentials lead where `cloud` says. */
function reaching(uid: string, cloud: string, id?: string): KubeObject {
  const { metadata, ...rest } = thing(uid, '2030-01-02T00:00:00Z');
  const status = id === undefined ? {} : { id };
  return { ...rest, metadata, spec: { cloud }, status };
}

interface Asked {
  readonly id?: string;
  readonly isMade?: boolean;
  readonly isIdFromOtherWriter?: boolean;
  /** Whether objects of the kind may share a resource. */
  readonly shares?: boolean;
}

const UUID = '4f1d2a0c-9d5e-4c1b-8f5a-0123456789ab';

/** Before whom it gives way where each object reaches a cloud of its own, which has all that it is asked for. */
async function waitsFor(
  object: KubeObject,
  others: readonly KubeObject[],
  { id = UUID, isMade = false, isIdFromOtherWriter = false, shares = false }: Asked = {},
): Promise<string | undefined> {
  const clock = systemClock();
  const cloudOf = ({ object: { spec } }: { readonly object: KubeObject }): string => String(spec?.['cloud']);
  const operations = { ...things.operations, identify: async (request: never) => cloudOf(request) };
  const reached: Kind = {
    ...kind,
    operations,
    life: { ...kind.life, shares, recorded: ({ status }) => status?.['id'] as string | undefined },
  };
  const objects = {
    list: async () => ({ items: [object, ...others], resourceVersion: '1' }),
    get: async () => undefined,
  } as unknown as Objects;
  const rivals = new OwnershipResolver({ objects, registry: registry([reached], []), namespaces: undefined, clock });
  const request = { object, dependencies: {}, deadlineAt: clock.now() + 60_000, traceparent: '' };
  const system = cloudOf({ object });
  const question = { kind: reached, request, externalId: id, system, isIdFromOtherWriter, isMade, isLeaving: false };
  return (await rivals.of(question))?.uid;
}

test('33.B8: who has only found a resource gives way to who has recorded its UUID by another URL of the cloud (OWNERSHIP-6)', async () => {
  const [elder, finder] = [reaching('elder', 'https://one', UUID), reaching('finder', 'https://two')];
  assert.is(await waitsFor(finder, [elder]), 'elder');
  const bare = UUID.replaceAll('-', '');
  assert.is(await waitsFor(finder, [reaching('elder', 'https://one', bare)], { id: bare }), 'elder');
  assert.is(await waitsFor(elder, [finder]), undefined);
});

test('33.B8: who has recorded it is not disturbed by a cloud of somebody else, however old that object is (OWNERSHIP-2, OWNERSHIP-4, OWNERSHIP-6)', async () => {
  const victim = reaching('victim', 'https://cloud', UUID);
  const liar = { ...reaching('liar', 'https://liar', UUID) };
  const older = { ...liar, metadata: { ...liar.metadata, creationTimestamp: '2020-01-01T00:00:00Z' } };
  for (const other of [liar, older]) assert.is(await waitsFor(victim, [other]), undefined);
  // Nor does anybody lose what a backup tool brought back.
  assert.is(await waitsFor(victim, [older], { isIdFromOtherWriter: true }), undefined);
});

test('33.B8: nobody waits for who writes down the UUID of what he has just made himself (OWNERSHIP-6)', async () => {
  const victim = reaching('victim', 'https://cloud');
  const liar = reaching('liar', 'https://liar', UUID);
  assert.is(await waitsFor(victim, [liar], { isMade: true }), undefined);
  assert.is(await waitsFor(victim, [liar], { isIdFromOtherWriter: true }), undefined, 'nor for an id that others set');
});

test('an id of a kind that allows sharing may be that of several resources (OWNERSHIP-6)', async () => {
  const [one, two] = [reaching('one', 'port, subnet one', UUID), reaching('two', 'port, subnet two')];
  const elsewhere = { ...one, metadata: { ...one.metadata, namespace: 'other' } };
  for (const other of [one, elsewhere]) assert.is(await waitsFor(two, [other], { shares: true }), undefined);
  const same = reaching('two', 'port, subnet one');
  assert.is(await waitsFor(same, [elsewhere], { shares: true }), 'one');
});

test('33.B8: what is no UUID may be the same in two clouds (OWNERSHIP-2)', async () => {
  for (const id of ['small', '1', 'role:1:project:2', `${UUID}x`])
    assert.is(await waitsFor(reaching('a', 'https://one'), [reaching('b', 'https://two', id)], { id }), undefined, id);
});

test.run();
