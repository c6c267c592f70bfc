// Whose an external resource is that several objects have recorded (V3).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { Rivals } from '../../../actors/effects/rivals.ts';
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
  const rivals = new Rivals({ objects, registry: registry([kind], []), namespaces: undefined, clock });
  const request = { object, dependencies: {}, deadlineAt: clock.now() + 60_000, traceparent: '' };
  const question = { kind, request, externalId: 'id-1', system: 'one cloud' };
  return (await rivals.of({ ...question, isForeign: false, isLeaving: false }))?.uid;
}

test('of those that have recorded the same the oldest has it, and the others find that one (V3)', async () => {
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

test('of two that were made in one second the one with the smaller uid has it (V3)', async () => {
  const all = [thing('b', '2030-01-01T00:00:00Z'), thing('a', '2030-01-01T00:00:00Z')];
  const found = all.map((object) => rivalOf(object, all));
  assert.equal(await Promise.all(found), ['a', undefined]);
});

test.run();
