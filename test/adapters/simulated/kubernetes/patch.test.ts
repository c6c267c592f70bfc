// JSON patch, merge patch and strategic merge patch.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergePatch } from '../../../../adapters/simulated/kubernetes/objects/merge-patch.ts';
import { strategicPatch } from '../../../../adapters/simulated/kubernetes/objects/strategic-patch.ts';
import { type Harness, JSON_PATCH, MERGE, STRATEGIC, serverChecks } from '../../../world/api-calls.ts';
import { fc } from '../../../world/properties.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: patches');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

onWidgets('a JSON patch applies whole or not at all (KSIM-WRITES-1)', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('w', { tags: ['a', 'b'], steps: ['1'] }) });
  const patch = (...body: unknown[]): ReturnType<Harness['call']> =>
    call('PATCH', `${WIDGET_PATH}/w`, { body, type: JSON_PATCH });
  const refused = [
    { op: 'test', path: '/spec/size', value: 9 },
    { op: 'test', path: '/spec/none', value: 9 },
    { op: 'remove', path: '/spec/none' },
    { op: 'remove', path: '/spec/tags/7' },
    { op: 'add', path: '/spec/none/deep', value: 1 },
    { op: 'add', path: '/spec/steps/9', value: 'x' },
    { op: 'move', from: '/spec/none', path: '/spec/name' },
    { op: 'zap', path: '/spec' },
  ];
  for (const operation of refused) {
    const { code, body } = await patch({ op: 'replace', path: '/spec/size', value: 5 }, operation);
    assert.is(code, 422, JSON.stringify(operation));
    assert.is(body['message'], 'the server rejected our request due to an error in our request');
    assert.is(body['reason'], 'Invalid');
  }
  assert.is((await call('GET', `${WIDGET_PATH}/w`)).body['spec']?.['size'], 3);
  const { body } = await patch(
    { op: 'test', path: '/spec/size', value: 3 },
    { op: 'test', path: '/spec/none', value: null },
    { op: 'add', path: '/spec/steps/-', value: '2' },
    { op: 'add', path: '/metadata/annotations', value: { 'a/b': 'c' } },
    { op: 'remove', path: '/metadata/annotations/a~1b' },
  );
  assert.equal(body['spec']?.['steps'], ['1', '2']);
  const object = await call('PATCH', `${WIDGET_PATH}/w`, { body: { op: 'test' }, type: JSON_PATCH });
  assert.is(object.code, 400);
});

onWidgets('a patch of an unknown type is refused, a strategic one for custom resources too', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('w') });
  for (const type of ['application/json', STRATEGIC]) {
    const { code, body } = await call('PATCH', `${WIDGET_PATH}/w`, { body: {}, type });
    assert.is(code, 415);
    assert.is(
      body['message'],
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
});

onWidgets('a patch may carry a precondition', async ({ call }) => {
  const { body } = await call('POST', WIDGET_PATH, { body: widget('w') });
  const stale = await call('PATCH', `${WIDGET_PATH}/w`, {
    body: { metadata: { resourceVersion: '1' } },
    type: MERGE,
  });
  assert.is(stale.code, 409);
  const { resourceVersion } = body['metadata'] as unknown as { resourceVersion: string };
  const fresh = await call('PATCH', `${WIDGET_PATH}/w`, {
    body: { metadata: { resourceVersion }, spec: { size: 4 } },
    type: MERGE,
  });
  assert.is(fresh.code, 200);
  const other = await call('PATCH', `${WIDGET_PATH}/w`, { body: { metadata: { uid: 'zz' } }, type: MERGE });
  assert.is(
    other.body['message'],
    'Widget.example.org "w" is invalid: metadata.uid: Invalid value: "zz": field is immutable',
  );
});

onServer('a strategic merge patch changes a secret', async ({ call }) => {
  const path = '/api/v1/namespaces/default/secrets';
  await call('POST', path, { body: { metadata: { name: 's', finalizers: ['a/x', 'a/y'] }, stringData: { a: 'x' } } });
  const patch = {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['a/x'] },
    data: { a: null },
    stringData: { b: 'y' },
  };
  const { body } = await call('PATCH', `${path}/s`, { body: patch, type: STRATEGIC });
  assert.equal(body['data'], { b: 'eQ==' });
  assert.equal(body['metadata']?.['finalizers'], ['a/y']);
});

test('lists of known keys merge by them', () => {
  const target = { status: { conditions: [{ type: 'a' }, { type: 'b' }] }, other: [1] };
  const patch = {
    status: {
      conditions: [{ type: 'c' }, { type: 'a', $patch: 'delete' }],
      '$setElementOrder/conditions': [{ type: 'c' }, { type: 'b' }],
    },
    other: [2],
  };
  assert.equal(strategicPatch(target, patch), { status: { conditions: [{ type: 'c' }, { type: 'b' }] }, other: [2] });
});

test('a merge patch applied twice is a merge patch applied once', () => {
  const json = fc.object({ maxDepth: 3, values: [fc.integer(), fc.string(), fc.constant(null), fc.boolean()] });
  const seed = Number(process.env['SEED'] ?? 4711);
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const once = mergePatch(target, patch);
      assert.equal(mergePatch(once, patch), once);
    }),
    { seed },
  );
});

test.run();
