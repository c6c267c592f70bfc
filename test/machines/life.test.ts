// What the machines are told of an object.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KubeObject, ManagedKind } from '../../machines/kind.ts';
import { objectView } from '../../machines/life.ts';

const test = suite('object view');

const object = (status: NonNullable<KubeObject['status']>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Network',
  metadata: { name: 'net', uid: 'net-1', resourceVersion: '1' },
  status,
});

test('what is settled and has no id is not settled: others would wait for it for ever', () => {
  const kind = (failed: boolean): ManagedKind =>
    ({ finalizer: 'own', settled: () => ({ settled: true, failed }), isAvailable: () => true }) as never;
  assert.is(objectView(object({ id: 'id-1' }), kind(false), 0).settled, 'available');
  assert.is(objectView(object({}), kind(false), 0).settled, 'no');
  assert.is(objectView(object({}), kind(true), 0).settled, 'failed');
});

test.run();
