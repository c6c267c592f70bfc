// What the server publishes about its kinds, in both versions of OpenAPI.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TYPES } from '../../../../adapters/simulated/kubernetes/schemas/builtin/mod.ts';
import { parseTypes, references } from '../../../../adapters/simulated/kubernetes/schemas/types.ts';
import { DEFINITIONS, type Deep, serverChecks } from '../../../world/api-calls.ts';
import { WIDGETS, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: openapi');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

const SCHEMAS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

onWidgets('every document of version 3 is complete: what is referred to is there', async ({ call }) => {
  const { paths } = (await call('GET', '/openapi/v3')).body;
  assert.ok(Object.keys(paths ?? {}).includes('apis/example.org/v1'));
  for (const [path, { serverRelativeURL }] of Object.entries(paths ?? {}) as [string, Deep][]) {
    const { code, body } = await call('GET', String(serverRelativeURL));
    assert.is(code, 200, path);
    const known = Object.keys(body['components']?.['schemas'] ?? {});
    for (const name of references(body)) assert.ok(known.includes(name), `${name} in ${path}`);
  }
  assert.is((await call('GET', '/openapi/v3/apis/example.org/v2')).code, 404);
});

onServer('built-in kinds name their types, their required fields and how their lists merge', async ({ call }) => {
  const schemas = (await call('GET', '/openapi/v3/api/v1')).body['components']?.['schemas'];
  const account = schemas?.['io.k8s.api.core.v1.ServiceAccount']?.['properties'];
  assert.is(account?.['secrets']?.['x-kubernetes-patch-merge-key'], 'name');
  assert.is(account?.['secrets']?.['items']?.['$ref'], '#/components/schemas/io.k8s.api.core.v1.ObjectReference');
  assert.is(account?.['imagePullSecrets']?.['x-kubernetes-patch-strategy'], undefined);
  assert.equal(schemas?.['io.k8s.api.core.v1.Event']?.['required'], ['involvedObject', 'metadata']);
  const metadata = schemas?.['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']?.['properties'];
  assert.is(metadata?.['finalizers']?.['x-kubernetes-patch-strategy'], 'merge');
});

test('every type has a description, and every field but those of schemas', () => {
  for (const { fullName, description, fields } of TYPES.values()) {
    assert.ok(description.endsWith('.'), fullName);
    if ([`${SCHEMAS}JSONSchemaProps`, `${SCHEMAS}ExternalDocumentation`].includes(fullName)) continue;
    for (const field of fields) assert.ok(field.description !== '', `${fullName}.${field.name}`);
  }
});

test('fields of one type have numbers of their own, and a line that is neither is refused', () => {
  for (const { fullName, fields } of TYPES.values()) {
    assert.is(new Set(fields.map(({ number }) => number)).size, fields.length, fullName);
  }
  assert.throws(() => parseTypes('p', 'Type: A type.\n  name string: No number.'), /neither a type nor a field/);
});

onWidgets(
  'version 2 says less where old clients would refuse: nothing of nullable, open and mixed values',
  async ({ call }) => {
    const { definitions } = (await call('GET', '/openapi/v2')).body;
    const spec = definitions?.['org.example.v1.Widget']?.['properties']?.['spec']?.['properties'];
    assert.equal(spec?.['maybe'], {});
    assert.equal(spec?.['quantity'], { 'x-kubernetes-int-or-string': true });
    assert.equal(spec?.['anything'], { 'x-kubernetes-preserve-unknown-fields': true });
    assert.equal(spec?.['color'], { type: 'string', enum: ['red', 'green'] });
    for (const name of references(definitions)) assert.ok(definitions?.[name] !== undefined, name);
  },
);

onServer('version 2 is there in protobuf, and in nothing that nobody reads', async ({ call }) => {
  await call('POST', DEFINITIONS, { body: WIDGETS });
  const type = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const { headers, text } = await call('GET', '/openapi/v2', { accept: `${type},application/json` });
  assert.is(headers['content-type'], 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  assert.ok(text.includes('org.example.v1.Widget'));
  assert.is((await call('GET', '/openapi/v2', { accept: 'text/html' })).code, 406);
});

test.run();
