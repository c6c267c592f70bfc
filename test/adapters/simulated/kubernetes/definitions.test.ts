// CustomResourceDefinitions: served at once, checked, changed, and cleaned up after.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { DEFINITIONS, type Deep, listAt, MERGE, serverChecks } from '../../../world/api-calls.ts';
import { WIDGET_PATH, WIDGETS, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: definitions');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

/** Other people's definitions, where a checkout has them beside it. */
const REFERENCE = ['openstack-crds', 'metal3-crds'].map(
  (name) => new URL(`../../../../../shared/reference/${name}/`, import.meta.url),
);

const conditions = (body: Deep): Record<string, string> =>
  Object.fromEntries(listAt(body['status']?.['conditions']).map(({ type, status }) => [type, status]));

onWidgets('a definition is established at once, with its names completed', async ({ call }) => {
  const { body } = await call('GET', `${DEFINITIONS}/widgets.example.org`);
  assert.equal(conditions(body), { NamesAccepted: 'True', Established: 'True' });
  assert.is(body['status']?.['acceptedNames']?.['listKind'], 'WidgetList');
  assert.equal(body['status']?.['storedVersions'], ['v1']);
  assert.equal(body['spec']?.['conversion'], { strategy: 'None' });
});

onWidgets(
  'a name belongs to the first definition of its group that asked for it, until that one is gone',
  async ({ call }) => {
    const named = (plural: string, names: Record<string, unknown>): Record<string, unknown> => ({
      ...WIDGETS,
      metadata: { name: `${plural}.example.org` },
      spec: { ...WIDGETS.spec, names: { plural, ...names } },
    });
    const twin = '/apis/example.org/v1/namespaces/default/twins';
    const status = async (): Promise<readonly unknown[]> => {
      const { body } = await call('GET', `${DEFINITIONS}/twins.example.org`);
      const reported = listAt(body['status']?.['conditions']).map(({ type, status, reason, message }) => [
        type,
        status,
        reason,
        message,
      ]);
      return [reported, body['status']?.['acceptedNames']];
    };
    assert.is(
      (await call('POST', DEFINITIONS, { body: named('twins', { kind: 'Widget', shortNames: ['wi'] }) })).code,
      201,
    );
    assert.equal(await status(), [
      [
        ['NamesAccepted', 'False', 'ListKindConflict', '"WidgetList" is already in use'],
        ['Established', 'False', 'NotAccepted', 'not all names are accepted'],
      ],
      { plural: 'twins', kind: '' },
    ]);
    assert.is((await call('GET', twin)).code, 404);
    assert.is((await call('DELETE', `${DEFINITIONS}/widgets.example.org`)).code, 200);
    assert.equal((await status())[1], {
      plural: 'twins',
      singular: 'widget',
      shortNames: ['wi'],
      kind: 'Widget',
      listKind: 'WidgetList',
    });
    assert.is((await call('GET', twin)).code, 200);
  },
);

onWidgets('a changed definition holds for what is stored, too', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const spec = structuredClone(WIDGETS.spec) as unknown as Deep;
  const properties = spec['versions']?.[0]?.['schema']?.['openAPIV3Schema']?.['properties']?.['spec']?.['properties'];
  Object.assign(properties ?? {}, {
    shape: { type: 'string', default: 'round' },
    size: { type: 'integer', maximum: 2 },
  });
  const { code, text } = await call('PATCH', `${DEFINITIONS}/widgets.example.org`, { body: { spec }, type: MERGE });
  assert.is(code, 200, text);
  const { body } = await call('GET', `${WIDGET_PATH}/a`);
  assert.is(body['spec']?.['shape'], 'round', 'defaults are filled in when read');
  const other = await call('PATCH', `${WIDGET_PATH}/a`, { body: { spec: { color: 'green' } }, type: MERGE });
  assert.is(other.code, 200, 'an unchanged value is not complained about (KSIM-VALIDATION-1)');
  assert.is((await call('PATCH', `${WIDGET_PATH}/a`, { body: { spec: { size: 4 } }, type: MERGE })).code, 422);
});

onServer('what is no definition is refused', async ({ call }) => {
  const [version] = WIDGETS.spec.versions;
  const withSchema = (schema: unknown): unknown => ({
    ...WIDGETS,
    spec: {
      ...WIDGETS.spec,
      versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } } }],
    },
  });
  const root = 'spec.validation.openAPIV3Schema.properties[spec]';
  const refused: readonly (readonly [unknown, string])[] = [
    [
      { ...WIDGETS, metadata: { name: 'x' } },
      'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group',
    ],
    [
      { ...WIDGETS, spec: { ...WIDGETS.spec, scope: 'Both' } },
      'spec.scope: Unsupported value: "Both": supported values: "Cluster", "Namespaced"',
    ],
    [
      { ...WIDGETS, spec: { ...WIDGETS.spec, versions: [{ ...version, storage: false }] } },
      'must have exactly one version marked as storage version',
    ],
    [withSchema({ properties: {} }), `${root}.type: Required value: must not be empty for specified object fields`],
    [withSchema({ type: 'array' }), `${root}.items: Required value: must be specified`],
    [
      withSchema({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
      `${root}.x-kubernetes-list-map-keys: Required value`,
    ],
    [withSchema({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.(' }] }), 'compilation failed: '],
    [
      withSchema({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.x == 1' }] }),
      `${root}.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.x == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x == 1\n | ....^`,
    ],
    [
      withSchema({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'self + 1' }] }),
      'cel expression must evaluate to a bool',
    ],
    [
      withSchema({ type: 'integer', default: 'x' }),
      `${root}.default: Invalid value: "string":  in body must be of type integer: "string"`,
    ],
    [
      withSchema({ type: 'string', pattern: '(' }),
      `${root}.pattern: Invalid value: "(": must be a valid regular expression`,
    ],
  ];
  for (const [body, message] of refused) {
    const reply = await call('POST', DEFINITIONS, { body });
    assert.is(reply.code, 422, message);
    assert.ok((reply.body['message'] ?? '').includes(message), reply.body['message']);
  }
});

onWidgets('names do not change', async ({ call }) => {
  const { body } = await call('PATCH', `${DEFINITIONS}/widgets.example.org`, {
    body: { spec: { names: { kind: 'Gadget' } } },
    type: MERGE,
  });
  assert.match(body['message'] ?? '', 'spec.names.kind: Invalid value: "Gadget": field is immutable');
});

onWidgets(
  'a deleted definition takes its objects with it, and waits for those that are held',
  async ({ call, watch }) => {
    await call('POST', WIDGET_PATH, { body: widget('free') });
    await call('POST', WIDGET_PATH, { body: widget('held', {}, { finalizers: ['example.org/f'] }) });
    const events = await watch(`${DEFINITIONS}?watch=1`);
    await call('DELETE', `${DEFINITIONS}/widgets.example.org`);
    assert.is((await call('GET', `${WIDGET_PATH}/free`)).code, 404);
    await call('PATCH', `${WIDGET_PATH}/held`, { body: { metadata: { finalizers: null } }, type: MERGE });
    for (let event = await events.next(); event?.type !== 'DELETED'; event = await events.next());
    events.stop();
    assert.is((await call('GET', WIDGET_PATH)).code, 404);
    assert.is((await call('GET', '/apis/example.org')).code, 404);
  },
);

onServer('definitions of others are accepted, created and applied', async ({ call }) => {
  for (const folder of REFERENCE.filter((url) => existsSync(url))) {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
      const body = readFileSync(new URL(file, folder), 'utf8');
      const { code, text } = await call('POST', `${DEFINITIONS}?fieldValidation=Strict`, {
        body,
        type: 'application/yaml',
      });
      assert.is(code, 201, `${file}: ${text}`);
      const { metadata } = parse(body) as { metadata: { name: string } };
      const stored = await call('GET', `${DEFINITIONS}/${metadata.name}`);
      assert.equal(conditions(stored.body), { NamesAccepted: 'True', Established: 'True' }, file);
    }
  }
});

test.run();
