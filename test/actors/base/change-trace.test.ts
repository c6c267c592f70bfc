import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeTraceparent, stepTraceparent, traceIdOf, workTraceparent } from '../../../actors/base/change-trace.ts';
import { parseTraceparent, traceparentOf } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { fc } from '../../world/properties.ts';

const test = suite('cause');
const UID = '0af76519-16cd-43dd-8448-eb211c80319c';

function object(metadata: Partial<KubeObject['metadata']>, more: Partial<KubeObject> = {}): KubeObject {
  const known = { name: 'a', namespace: 'ns', uid: UID, resourceVersion: '1', ...metadata };
  return { apiVersion: 'v1', kind: 'Thing', metadata: known, ...more };
}

test('each change of the spec is a trace; the echo of a write of ours is none', () => {
  const created = changeTraceparent(object({ generation: 1 }));
  assert.is(changeTraceparent(object({ generation: 1, resourceVersion: '9', finalizers: ['own/thing'] })), created);
  assert.is.not(changeTraceparent(object({ generation: 2 })), created);
  assert.is(traceIdOf(created), '0000000116cd43dd8448eb211c80319c');
});

test('of a Secret each content is a trace, however it is guarded', () => {
  const of = (contentVersion: string, resourceVersion: string) =>
    changeTraceparent(object({ resourceVersion }, { contentVersion }));
  assert.is(of('one', '1'), of('one', '2'));
  assert.is.not(of('one', '1'), of('two', '1'));
});

test('whatever uid and generation are, the trace can be carried, and is of this change alone', () => {
  const uid = fc.oneof(fc.uuid(), fc.string(), fc.constant('00000000-0000-0000-0000-000000000000'));
  const generation = fc.option(fc.nat(), { nil: undefined });
  const change = fc
    .tuple(uid, generation)
    .map(([uid, generation]) => ({ uid, ...(generation !== undefined && { generation }) }));
  fc.assert(
    fc.property(change, change, (one, other) => {
      const [a, b] = [changeTraceparent(object(one)), changeTraceparent(object(other))];
      assert.ok(parseTraceparent(a));
      assert.ok(parseTraceparent(workTraceparent(object(one))));
      assert.is(a === b, one.uid === other.uid && one.generation === other.generation);
    }),
  );
});

test('a step is the same trace, a span of its own, and the same from every host', () => {
  const cause = changeTraceparent(object({ generation: 3 }));
  const other = stepTraceparent(cause, '11111111-2222-4333-8444-555555555555');
  assert.is(traceIdOf(other), traceIdOf(cause));
  assert.is(parseTraceparent(other)?.spanId, '1111111122224333');
  assert.is(parseTraceparent(workTraceparent(object({ generation: 3 })))?.spanId, '0af7651916cd43dd');
  assert.is.not(stepTraceparent(cause, 'ns/a'), stepTraceparent(cause, 'ns/b'));
  const unsampled = cause.replace(/01$/, '00');
  assert.is(parseTraceparent(stepTraceparent(unsampled, UID))?.sampled, false);
  assert.is(stepTraceparent('nonsense', UID), traceparentOf(UID));
});

test.run();
