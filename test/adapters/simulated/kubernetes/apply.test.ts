// Server-side apply: who owns what, who may change it, and what goes when nobody wants it any more.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  difference,
  EMPTY_SET,
  type FieldSet,
  intersection,
  ordered,
  parseFieldSet,
  union,
} from '../../../../adapters/simulated/kubernetes/apply/field-sets.ts';
import { APPLY, type Deep, type Harness, listAt, MERGE } from '../../../world/api-calls.ts';
import { fc } from '../../../world/properties.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: apply');
const onWidgets = widgetChecks(test);

type Reply = ReturnType<Harness['call']>;
const apply = (call: Harness['call'], manager: string, body: unknown, query = '', path = '/w'): Reply =>
  call('PATCH', `${WIDGET_PATH}${path}?fieldManager=${manager}${query}`, { body, type: APPLY });

const bare = (spec: unknown, metadata: Record<string, unknown> = {}): Record<string, unknown> => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: 'w', ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

const owners = (body: Deep): Record<string, unknown> =>
  Object.fromEntries(
    listAt(body['metadata']?.['managedFields']).map((entry) => [
      [entry['manager'], entry['operation'], entry['subresource']].filter(Boolean).join(' '),
      entry['fieldsV1'],
    ]),
  );

onWidgets('an apply creates the object and owns what it set, defaults not', async ({ call }) => {
  const { code, body } = await apply(call, 'me', bare({ size: 3, tags: ['a'], ports: [{ name: 'p', port: 1 }] }));
  assert.is(code, 201);
  assert.is(body['spec']?.['color'], 'red');
  assert.equal(owners(body), {
    'me Apply': {
      'f:spec': {
        'f:ports': { 'k:{"name":"p"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
        'f:size': {},
        'f:tags': { 'v:"a"': {} },
      },
    },
  });
});

onWidgets('the same apply again changes nothing (KSIM-OWNERSHIP-3)', async ({ call }) => {
  const { body } = await apply(call, 'me', bare({ size: 3 }));
  const again = await apply(call, 'me', bare({ size: 3 }));
  assert.is(again.code, 200);
  assert.equal(again.body, body);
});

onWidgets('what another manager owns is taken only by force (KSIM-APPLYING-2)', async ({ call }) => {
  await call('POST', `${WIDGET_PATH}?fieldManager=maker`, { body: widget('w', { name: 'abc' }) });
  const one = await apply(call, 'me', bare({ size: 4 }));
  assert.is(one.code, 409);
  assert.is(
    one.body['message'],
    'Apply failed with 1 conflict: conflict with "maker" using example.org/v1: .spec.size',
  );
  assert.equal(one.body['details']?.['causes'], [
    { reason: 'FieldManagerConflict', message: 'conflict with "maker" using example.org/v1', field: '.spec.size' },
  ]);
  const two = await apply(call, 'me', bare({ size: 4, color: 'green' }));
  assert.is(
    two.body['message'],
    'Apply failed with 2 conflicts: conflicts with "maker" using example.org/v1:\n- .spec.color\n- .spec.size',
  );
  const forced = await apply(call, 'me', bare({ size: 4 }), '&force=true');
  assert.is(forced.body['spec']?.['size'], 4);
  const owned = owners(forced.body) as Record<string, { 'f:spec': Record<string, unknown> }>;
  assert.equal(owned['me Apply'], { 'f:spec': { 'f:size': {} } });
  assert.is(owned['maker Update']?.['f:spec']['f:size'], undefined);
  assert.is((await apply(call, 'other', bare({ size: 4 }))).code, 200, 'the same value is no conflict');
});

onWidgets(
  'what an applier no longer applies vanishes unless somebody else owns it (KSIM-APPLYING-1)',
  async ({ call }) => {
    const full = bare(
      { size: 3, marks: ['a', 'b'], ports: [{ name: 'p', port: 1 }, { name: 'q' }], options: { x: '1', y: '2' } },
      { labels: { l1: '1', l2: '2' }, finalizers: ['example.org/f'] },
    );
    await apply(call, 'me', full);
    await apply(call, 'other', bare({ marks: ['b'], ports: [{ name: 'q' }] }, { labels: { l2: '2' } }));
    const { body } = await apply(call, 'me', bare({ size: 3 }, { labels: { l1: '1' } }));
    assert.equal(body['metadata']?.['labels'], { l1: '1', l2: '2' });
    assert.is(body['metadata']?.['finalizers'], undefined);
    assert.equal(body['spec'], { size: 3, color: 'red', min: 1, marks: ['b'], ports: [{ name: 'q' }] });
    const last = await apply(call, 'other', bare(undefined));
    assert.equal(last.body['spec'], { size: 3, color: 'red', min: 1 });
    assert.equal(last.body['metadata']?.['labels'], { l1: '1' });
    assert.equal(Object.keys(owners(last.body)), ['me Apply']);
  },
);

onWidgets('a plain write owns what it changed, and takes it from appliers', async ({ call }) => {
  await apply(call, 'me', bare({ size: 3, name: 'abc' }));
  const { body } = await call('PATCH', `${WIDGET_PATH}/w?fieldManager=editor`, {
    body: { spec: { size: 5 } },
    type: MERGE,
  });
  assert.equal(owners(body), {
    'me Apply': { 'f:spec': { 'f:name': {} } },
    'editor Update': { 'f:spec': { 'f:size': {} } },
  });
  const unnamed = await call('PATCH', `${WIDGET_PATH}/w`, { body: { spec: { size: 6 } }, type: MERGE });
  assert.ok(Object.hasOwn(owners(unnamed.body), 'tester Update'), 'the user agent names the manager');
});

onWidgets(
  'a writer that writes again keeps its fields in their order, and gets those that are new at their places',
  async ({ call }) => {
    const path = `${WIDGET_PATH}/w?fieldManager=maker`;
    const written = (body: Deep): string => JSON.stringify(owners(body)['maker Update']);
    const patched = async (spec: unknown): Promise<string> =>
      written((await call('PATCH', path, { body: { spec }, type: MERGE })).body);
    const made = await call('POST', `${WIDGET_PATH}?fieldManager=maker`, {
      body: widget('w', { size: 3, ports: [{ name: 'q', port: 1 }] }),
    });
    assert.is(await patched({ size: 4, ports: [{ name: 'q', port: 2 }] }), written(made.body));
    const grown = await patched({
      name: 'abc',
      ports: [
        { name: 'q', port: 2 },
        { name: 'p', port: 3 },
      ],
    });
    const port = '{".":{},"f:name":{},"f:port":{}}';
    const ports = `{".":{},"k:{\\"name\\":\\"p\\"}":${port},"k:{\\"name\\":\\"q\\"}":${port}}`;
    assert.is(grown, written(made.body).replace(/"f:ports":.*"f:size"/, `"f:name":{},"f:ports":${ports},"f:size"`));
    assert.is(await patched({ size: 5 }), grown);
  },
);

onWidgets('managers of status are kept apart', async ({ call }) => {
  await apply(call, 'me', bare({ size: 3 }));
  const { body } = await apply(call, 'me', { ...bare(undefined), status: { id: 'x' } }, '', '/w/status');
  assert.equal(owners(body), {
    'me Apply': { 'f:spec': { 'f:size': {} } },
    'me Apply status': { 'f:status': { 'f:id': {} } },
  });
  assert.is(body['metadata']?.['generation'], 1);
  const clash = await apply(call, 'you', { ...bare(undefined), status: { id: 'y' } }, '', '/w/status');
  assert.is(
    clash.body['message'],
    'Apply failed with 1 conflict: conflict with "me" with subresource "status": .status.id',
  );
  assert.is((await apply(call, 'me', { ...bare({ size: 3 }), status: { id: 'z' } })).body['status']?.['id'], 'x');
  assert.is((await apply(call, 'me', { ...bare(undefined), status: {} }, '', '/none/status')).code, 404);
});

onWidgets('a uid in the configuration keeps it from another object', async ({ call }) => {
  const absent = await apply(call, 'me', bare({ size: 3 }, { uid: 'abc' }));
  assert.is(absent.code, 409);
  assert.is(
    absent.body['message'],
    'Operation cannot be fulfilled on widgets.example.org "w": uid mismatch: the provided object specified uid abc, and no existing object was found',
  );
  assert.is((await call('GET', `${WIDGET_PATH}/w`)).code, 404);
  const { body } = await apply(call, 'me', bare({ size: 3 }));
  const { uid } = body['metadata'] as unknown as { uid: string };
  assert.is((await apply(call, 'me', bare({ size: 4 }, { uid }))).code, 200);
  const wrong = await apply(call, 'me', bare({ size: 5 }, { uid: 'abc' }));
  assert.is(wrong.code, 422);
  assert.match(wrong.text, 'metadata.uid: Invalid value: \\"abc\\": field is immutable');
  assert.is((await apply(call, 'me', bare({ size: 5 }, { resourceVersion: '1' }))).code, 409);
});

onWidgets('a configuration that does not fit is refused', async ({ call }) => {
  const refused: readonly (readonly [unknown, number, string])[] = [
    [
      bare({ foo: 1 }),
      500,
      'failed to create typed patch object (/w; example.org/v1, Kind=Widget): .spec.foo: field not declared in schema',
    ],
    [
      bare({ size: 'x' }),
      500,
      'failed to create typed patch object (/w; example.org/v1, Kind=Widget): .spec.size: expected numeric (int or float), got string',
    ],
    [
      bare({ tags: ['a', 'a'] }),
      500,
      'failed to create typed patch object (/w; example.org/v1, Kind=Widget): .spec.tags: duplicate entries for key [="a"]',
    ],
    [
      bare({ ports: [{ name: 'a' }, { name: 'a' }] }),
      500,
      'failed to create typed patch object (/w; example.org/v1, Kind=Widget): .spec.ports: duplicate entries for key [name="a"]',
    ],
    [{ ...bare({}), kind: 'Gadget' }, 400, 'invalid object type: example.org/v1, Kind=Gadget'],
    [bare({ size: 3 }, { managedFields: [{}] }), 400, 'metadata.managedFields must be nil'],
    [bare({ size: 3 }, { name: 'v' }), 400, 'the name of the object (v) does not match the name on the URL (w)'],
    [
      bare({ size: 30 }),
      422,
      'Widget.example.org "w" is invalid: spec.size: Invalid value: 30: spec.size in body should be less than or equal to 10',
    ],
  ];
  for (const [body, code, message] of refused) {
    const reply = await apply(call, 'me', body);
    assert.is(reply.body['message'], message);
    assert.is(reply.code, code, message);
  }
  const nobody = await apply(call, '', bare({ size: 3 }));
  assert.is(
    nobody.body['message'],
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  );
});

/** Sets of a few paths, so that they meet. */
const sets: fc.Arbitrary<FieldSet> = fc
  .letrec<{ set: Record<string, unknown> }>((tie) => ({
    set: fc.dictionary(
      fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"', '.'),
      fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('set')),
    ) as fc.Arbitrary<Record<string, unknown>>,
  }))
  .set.map((json) => withoutLoneMarks(parseFieldSet(json) ?? EMPTY_SET));

/** A node that holds nothing but its mark is written as the mark alone is: empty. */
function withoutLoneMarks({ '.': _, ...set }: FieldSet): FieldSet {
  const node = (one: FieldSet): FieldSet => {
    const steps = withoutLoneMarks(one);
    return Object.keys(steps).length > 0 && '.' in one ? { '.': EMPTY_SET, ...steps } : steps;
  };
  return Object.fromEntries(Object.entries(set).map(([step, one]) => [step, node(one)]));
}

const text = (set: FieldSet): string => JSON.stringify(ordered(set));

test('field sets are sets, and FieldsV1 says all of them', () => {
  const seed = Number(process.env['SEED'] ?? 4711);
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      assert.is(text(parseFieldSet(ordered(a)) ?? EMPTY_SET), text(a));
      assert.is(text(union(a, b)), text(union(b, a)));
      assert.is(text(intersection(a, b)), text(intersection(b, a)));
      assert.is(text(union(difference(a, b), intersection(a, b))), text(a));
      assert.is(text(intersection(difference(a, b), b)), '{}');
    }),
    { seed },
  );
});

test.run();
