// The outside of the server: who may talk to it, what it says it serves, and what it answers to nonsense.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { listAt, serverChecks, TABLE } from '../../../world/api-calls.ts';
import { WIDGET_PATH, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: outside');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

onServer('a request without the token is refused, health and version are public', async ({ call }) => {
  const refused = await call('GET', '/api/v1/namespaces', { headers: { authorization: 'Bearer wrong' } });
  assert.is(refused.code, 401);
  assert.equal(refused.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Unauthorized',
    reason: 'Unauthorized',
    code: 401,
  });
  for (const path of ['/healthz', '/livez', '/readyz']) {
    const healthy = await call('GET', path, { headers: { authorization: '' } });
    assert.is(healthy.text, 'ok', path);
  }
  assert.is((await call('GET', '/readyz/ping', { headers: { authorization: '' } })).code, 403);
  assert.is((await call('GET', '/readyz/ping')).text, 'ok');
  assert.is((await call('GET', '/version', { headers: { authorization: '' } })).body['minor'], '35');
});

onServer('the kubeconfig leads to the server', async ({ server }) => {
  const config = parse(server.kubeconfig());
  assert.is(config.clusters[0].cluster.server, server.url);
  assert.is(
    Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString(),
    server.caCertificate,
  );
  assert.is(config.users[0].user.token, server.token);
  assert.is(config['current-context'], config.contexts[0].name);
});

onWidgets('groups, versions and resources are discovered, custom ones too', async ({ call }) => {
  assert.equal((await call('GET', '/api')).body['versions'], ['v1']);
  const groups = (await call('GET', '/apis')).body['groups'] as unknown as { name: string }[];
  assert.equal(groups.map(({ name }) => name).sort(), [
    'apiextensions.k8s.io',
    'authentication.k8s.io',
    'authorization.k8s.io',
    'coordination.k8s.io',
    'events.k8s.io',
    'example.org',
    'rbac.authorization.k8s.io',
  ]);
  assert.is((await call('GET', '/apis/example.org')).body['preferredVersion']?.['groupVersion'], 'example.org/v1');
  const resources = (await call('GET', '/apis/example.org/v1')).body['resources'] as unknown as Record<
    string,
    unknown
  >[];
  assert.equal(resources, [
    {
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      shortNames: ['wi'],
      categories: ['things'],
      storageVersionHash: 'UBpgYKpyMCc=',
    },
    { name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: ['get', 'patch', 'update'] },
  ]);
});

onWidgets('discovery in one answer', async ({ call }) => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
  const { body, headers } = await call('GET', '/apis', { accept });
  assert.is(headers['content-type'], 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  const items = body['items'] as unknown as {
    metadata: { name: string };
    versions: { resources: { resource: string }[] }[];
  }[];
  const ours = items.find(({ metadata }) => metadata.name === 'example.org');
  assert.is(ours?.versions[0]?.resources[0]?.resource, 'widgets');
  assert.is((await call('GET', '/api', { accept })).body['items']?.[0]?.['versions']?.[0]?.['version'], 'v1');
});

onWidgets('OpenAPI tells that writes can be validated, and the schema', async ({ call }) => {
  const index = (await call('GET', '/openapi/v3')).body['paths'] as unknown as Record<
    string,
    { serverRelativeURL: string }
  >;
  const url = index['apis/example.org/v1']?.serverRelativeURL ?? '';
  const { body } = await call('GET', url);
  const patch = body['paths']?.['/apis/example.org/v1/namespaces/{namespace}/widgets/{name}']?.['patch'];
  assert.equal(patch?.['x-kubernetes-group-version-kind'], { group: 'example.org', kind: 'Widget', version: 'v1' });
  assert.ok(listAt(patch?.['parameters']).some(({ name }) => name === 'fieldValidation'));
  const schema = body['components']?.['schemas']?.['org.example.v1.Widget'];
  assert.is(schema?.['properties']?.['spec']?.['properties']?.['size']?.['maximum'], 10);
});

onServer('what nobody serves is not found, what is not allowed is said', async ({ call }) => {
  for (const path of ['/nope', '/apis/none.org', '/apis/none.org/v1/things', '/openapi/v3/nope']) {
    const { code, text } = await call('GET', path);
    assert.is(code, 404, path);
    assert.is(text, '404 page not found\n');
  }
  const pods = await call('GET', '/api/v1/namespaces/default/pods');
  assert.is(pods.code, 404);
  assert.is(pods.body['message'], 'the server could not find the requested resource');
  assert.is(pods.body['reason'], 'NotFound');
  const { code, body } = await call('PUT', '/api/v1/namespaces/default/secrets', { body: {} });
  assert.is(code, 405);
  assert.is(body['message'], 'the server does not allow this method on the requested resource');
  assert.is((await call('DELETE', '/api/v1/namespaces')).code, 405);
});

onWidgets('bodies that cannot be read are refused', async ({ call }) => {
  const broken = await call('POST', WIDGET_PATH, { body: '{"a":' });
  assert.is(broken.code, 400);
  assert.is(
    broken.body['message'],
    `the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: unexpected end of JSON input ({"a":)`,
  );
  const odd = await call('POST', WIDGET_PATH, { body: 'x', type: 'text/plain' });
  assert.is(odd.code, 415);
  assert.match(odd.text, 'accepted media types include: application/json, application/yaml');
  const large = await call('POST', WIDGET_PATH, { body: 'x'.repeat(3 * 1024 * 1024 + 1) });
  assert.is(large.code, 413);
  assert.is(large.body['reason'], 'RequestEntityTooLarge');
  const form = await call('GET', WIDGET_PATH, { accept: 'text/html' });
  assert.is(form.code, 406);
});

onWidgets('YAML is understood', async ({ call }) => {
  const body =
    'apiVersion: example.org/v1\nkind: Widget\nmetadata:\n  name: plain\nspec:\n  size: 4\n  at: 2026-01-01T00:00:00Z\n';
  const { code, body: made } = await call('POST', WIDGET_PATH, { body, type: 'application/yaml' });
  assert.is(code, 201);
  assert.is(made['spec']?.['at'], '2026-01-01T00:00:00Z');
});

onServer('requests are counted, watches apart', async ({ call, watch, server }) => {
  await call('GET', '/api/v1/namespaces', { accept: TABLE });
  const events = await watch('/api/v1/namespaces?watch=1');
  events.stop();
  assert.equal(server.requests(), { GET: 1, WATCH: 1 });
});

test.run();
