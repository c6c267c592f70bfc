// Objects through their life: made, read, listed, changed, deleted.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFINITIONS, type Deep, JSON_PATCH, MERGE, serverChecks } from '../../../world/api-calls.ts';
import { WIDGET_PATH, WIDGETS, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: objects');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);
const names = (body: Deep): string[] =>
  (body['items'] as unknown as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

onWidgets('a new object gets identity, time, generation and revision, and no status', async ({ call }) => {
  const { code, body } = await call('POST', WIDGET_PATH, { body: { ...widget('a'), status: { id: 'x' } } });
  assert.is(code, 201);
  assert.match(
    body['metadata']?.['uid'] ?? '',
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.match(body['metadata']?.['creationTimestamp'] ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.is(body['metadata']?.['generation'], 1);
  assert.is(body['status'], undefined);
  assert.equal((await call('GET', `${WIDGET_PATH}/a`)).body, body);
  const again = await call('POST', WIDGET_PATH, { body: widget('a') });
  assert.is(again.code, 409);
  assert.is(again.body['message'], 'widgets.example.org "a" already exists');
  assert.is(again.body['reason'], 'AlreadyExists');
  assert.equal(again.body['details'], { name: 'a', group: 'example.org', kind: 'widgets' });
});

onWidgets('names are generated', async ({ call }) => {
  const body = { ...widget(''), metadata: { generateName: 'gen-' } };
  const { body: made } = await call('POST', WIDGET_PATH, { body });
  assert.match(made['metadata']?.['name'] ?? '', /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

onWidgets('revisions are one growing number for all', async ({ call }) => {
  const first = (await call('POST', WIDGET_PATH, { body: widget('a') })).body['metadata']?.['resourceVersion'];
  const second = (await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'other' } } })).body[
    'metadata'
  ]?.['resourceVersion'];
  const list = (await call('GET', WIDGET_PATH)).body['metadata']?.['resourceVersion'];
  assert.ok(Number(second) > Number(first));
  assert.ok(Number(list) >= Number(second));
});

onWidgets('a replacement needs the newest revision, its own name and its own uid', async ({ call }) => {
  const { body } = await call('POST', WIDGET_PATH, { body: widget('a') });
  const blind = await call('PUT', `${WIDGET_PATH}/a`, { body: widget('a') });
  assert.is(blind.code, 422);
  assert.is(
    blind.body['message'],
    'widgets.example.org "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  );
  const changed = { ...body, spec: { size: 4 } };
  assert.is((await call('PUT', `${WIDGET_PATH}/a`, { body: changed })).body['metadata']?.['generation'], 2);
  const stale = await call('PUT', `${WIDGET_PATH}/a`, { body: changed });
  assert.is(stale.code, 409);
  assert.is(
    stale.body['message'],
    'Operation cannot be fulfilled on widgets.example.org "a": the object has been modified; please apply your changes to the latest version and try again',
  );
  const misnamed = await call('PUT', `${WIDGET_PATH}/b`, { body: changed });
  assert.is(misnamed.body['message'], 'the name of the object (a) does not match the name on the URL (b)');
  const other = await call('PUT', `${WIDGET_PATH}/a`, { body: widget('a', {}, { uid: 'zz', resourceVersion: '1' }) });
  assert.is(other.code, 409);
  assert.match(other.text, 'Precondition failed: UID in precondition: zz, UID in object meta: ');
  assert.is(
    (await call('PUT', `${WIDGET_PATH}/none`, { body: widget('none', {}, { resourceVersion: '1' }) })).code,
    404,
  );
});

onWidgets('status and the rest are written apart, and only the rest counts as a generation', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('a', {}, { labels: { l: '1' } }) });
  const patch = { metadata: { labels: { l: '2' } }, spec: { size: 9 }, status: { id: 'x' } };
  const { body: byStatus } = await call('PATCH', `${WIDGET_PATH}/a/status`, { body: patch, type: MERGE });
  assert.equal(byStatus['status'], { id: 'x' });
  assert.is(byStatus['spec']?.['size'], 3);
  assert.is(byStatus['metadata']?.['labels']?.['l'], '1');
  assert.is(byStatus['metadata']?.['generation'], 1);
  const { body: byMain } = await call('PATCH', `${WIDGET_PATH}/a`, {
    body: { ...patch, status: { id: 'y' } },
    type: MERGE,
  });
  assert.equal(byMain['status'], { id: 'x' });
  assert.is(byMain['spec']?.['size'], 9);
  assert.is(byMain['metadata']?.['generation'], 2);
  const { body: labeled } = await call('PATCH', `${WIDGET_PATH}/a`, {
    body: { metadata: { labels: { l: '3' } } },
    type: MERGE,
  });
  assert.is(labeled['metadata']?.['generation'], 2);
});

onWidgets('a write that changes nothing gets no revision (KSIM-WRITES-2)', async ({ call }) => {
  const { body } = await call('POST', WIDGET_PATH, { body: widget('a') });
  const same = await call('PATCH', `${WIDGET_PATH}/a`, { body: { spec: { size: 3 } }, type: MERGE });
  assert.is(same.body['metadata']?.['resourceVersion'], body['metadata']?.['resourceVersion']);
  const put = await call('PUT', `${WIDGET_PATH}/a`, { body });
  assert.is(put.body['metadata']?.['resourceVersion'], body['metadata']?.['resourceVersion']);
});

onWidgets('a dry run answers and stores nothing', async ({ call }) => {
  assert.is((await call('POST', `${WIDGET_PATH}?dryRun=All`, { body: widget('a') })).code, 201);
  assert.is((await call('GET', `${WIDGET_PATH}/a`)).code, 404);
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const dry = await call('PATCH', `${WIDGET_PATH}/a?dryRun=All`, { body: { spec: { size: 5 } }, type: MERGE });
  assert.is(dry.body['spec']?.['size'], 5);
  assert.is((await call('DELETE', `${WIDGET_PATH}/a?dryRun=All`)).code, 200);
  assert.is((await call('GET', `${WIDGET_PATH}/a`)).body['spec']?.['size'], 3);
  const odd = await call('POST', `${WIDGET_PATH}?dryRun=Some`, { body: widget('b') });
  assert.is(
    odd.body['message'],
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  );
});

onWidgets(
  'an object with finalizers is marked, keeps out new ones, and vanishes with the last (KSIM-LIFECYCLE-1)',
  async ({ call }) => {
    await call('POST', WIDGET_PATH, { body: widget('a', {}, { finalizers: ['example.org/f', 'example.org/g'] }) });
    const { code, body } = await call('DELETE', `${WIDGET_PATH}/a`);
    assert.is(code, 200);
    assert.type(body['metadata']?.['deletionTimestamp'], 'string');
    assert.is(body['metadata']?.['deletionGracePeriodSeconds'], 0);
    assert.is(body['metadata']?.['generation'], 2);
    const added = await call('PATCH', `${WIDGET_PATH}/a`, {
      body: { metadata: { finalizers: ['example.org/f', 'example.org/h'] } },
      type: MERGE,
    });
    assert.is(added.code, 422);
    assert.is(
      added.body['message'],
      'Widget.example.org "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.org/h"}',
    );
    const remove = (finalizer: string): Promise<{ code: number }> =>
      call('PATCH', `${WIDGET_PATH}/a`, {
        type: JSON_PATCH,
        body: [
          { op: 'test', path: '/metadata/finalizers/0', value: finalizer },
          { op: 'remove', path: '/metadata/finalizers/0' },
        ],
      });
    assert.is((await remove('example.org/f')).code, 200);
    assert.is((await call('GET', `${WIDGET_PATH}/a`)).code, 200);
    assert.is((await remove('example.org/g')).code, 200);
    assert.is((await call('GET', `${WIDGET_PATH}/a`)).code, 404);
  },
);

onWidgets('a deletion keeps to its preconditions', async ({ call }) => {
  const { body } = await call('POST', WIDGET_PATH, { body: widget('a') });
  const { uid, resourceVersion } = body['metadata'] as unknown as { uid: string; resourceVersion: string };
  const wrong = await call('DELETE', `${WIDGET_PATH}/a`, { body: { preconditions: { uid: 'zz' } } });
  assert.is(wrong.code, 409);
  assert.match(wrong.text, `the UID in the precondition (zz) does not match the UID in record (${uid})`);
  assert.is(
    (await call('DELETE', `${WIDGET_PATH}/a`, { body: { preconditions: { resourceVersion: '1' } } })).code,
    409,
  );
  const right = await call('DELETE', `${WIDGET_PATH}/a`, { body: { preconditions: { uid, resourceVersion } } });
  assert.equal(right.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: 'a', group: 'example.org', kind: 'widgets', uid },
  });
  assert.is((await call('DELETE', `${WIDGET_PATH}/a`)).code, 404);
});

onWidgets('lists are sorted, selected and paged', async ({ call }) => {
  await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'second' } } });
  for (const [name, tier] of [
    ['c', 'x'],
    ['a', 'x'],
    ['b', 'y'],
  ] as const) {
    await call('POST', WIDGET_PATH, { body: widget(name, {}, { labels: { tier } }) });
  }
  await call('POST', WIDGET_PATH.replace('default', 'second'), { body: widget('z') });
  const listed = async (query: string): Promise<string[]> => names((await call('GET', `${WIDGET_PATH}?${query}`)).body);
  assert.equal(await listed(''), ['a', 'b', 'c']);
  assert.equal(names((await call('GET', '/apis/example.org/v1/widgets')).body), ['a', 'b', 'c', 'z']);
  assert.equal(await listed('labelSelector=tier%3Dx'), ['a', 'c']);
  assert.equal(await listed('labelSelector=tier!%3Dx'), ['b']);
  assert.equal(await listed('labelSelector=tier%20in%20(y,z)'), ['b']);
  assert.equal(await listed('labelSelector=tier%20notin%20(y)'), ['a', 'c']);
  assert.equal(await listed('labelSelector=tier,!none'), ['a', 'b', 'c']);
  assert.equal(await listed('fieldSelector=metadata.name%3Db'), ['b']);
  assert.equal(await listed('fieldSelector=metadata.name!%3Db,metadata.namespace%3Ddefault'), ['a', 'c']);
  const unknown = await call('GET', `${WIDGET_PATH}?fieldSelector=spec.size%3D3`);
  assert.is(unknown.body['message'], 'field label not supported: spec.size');
  const page = await call('GET', `${WIDGET_PATH}?limit=2`);
  assert.equal(names(page.body), ['a', 'b']);
  assert.is(page.body['metadata']?.['remainingItemCount'], 1);
  await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'third' } } });
  const rest = await call('GET', `${WIDGET_PATH}?limit=2&continue=${page.body['metadata']?.['continue']}`);
  assert.equal(names(rest.body), ['c']);
  assert.is(rest.body['metadata']?.['resourceVersion'], page.body['metadata']?.['resourceVersion']);
  assert.is(rest.body['metadata']?.['continue'], '');
  assert.is((await call('GET', `${WIDGET_PATH}?continue=abc`)).code, 400);
  assert.is((await call('GET', `${WIDGET_PATH}?resourceVersion=99999999999999`)).code, 504);
});

onWidgets('a collection is deleted by selection', async ({ call }) => {
  for (const name of ['a', 'b']) await call('POST', WIDGET_PATH, { body: widget(name, {}, { labels: { name } }) });
  const { body } = await call('DELETE', `${WIDGET_PATH}?labelSelector=name%3Da`);
  assert.equal(names(body), ['a']);
  assert.equal(names((await call('GET', WIDGET_PATH)).body), ['b']);
});

onWidgets('metadata has its rules', async ({ call }) => {
  const bad = await call('POST', WIDGET_PATH, { body: widget('A_b', {}, { labels: { '-a': 'b c' } }) });
  assert.is(bad.code, 422);
  assert.match(bad.text, 'a lowercase RFC 1123 subdomain must consist of');
  const causes = bad.body['details']?.['causes'] as unknown as { field: string }[];
  assert.equal(
    causes.map(({ field }) => field),
    ['metadata.name', 'metadata.labels', 'metadata.labels'],
  );
  const typed = await call('POST', WIDGET_PATH, { body: widget('a', {}, { labels: { a: 5 } }) });
  assert.is(
    typed.body['message'],
    'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  );
  const elsewhere = await call('POST', WIDGET_PATH, { body: widget('a', {}, { namespace: 'other' }) });
  assert.is(
    elsewhere.body['message'],
    'the namespace of the provided object does not match the namespace sent on the request',
  );
  const versioned = await call('POST', WIDGET_PATH, { body: widget('a', {}, { resourceVersion: '5' }) });
  assert.is(versioned.code, 500);
  assert.is(versioned.body['message'], 'resourceVersion should not be set on objects to be created');
  const plain = await call('POST', WIDGET_PATH, { body: widget('b', {}, { finalizers: ['plain'] }) });
  assert.match(plain.headers['warning'] ?? '', 'prefer a domain-qualified finalizer name');
});

onServer('secrets and configmaps keep to their own rules', async ({ call }) => {
  const path = '/api/v1/namespaces/default/secrets';
  const { body } = await call('POST', path, {
    body: { metadata: { name: 's' }, data: { a: 'eA==' }, stringData: { b: 'y' } },
  });
  assert.equal(body['data'], { a: 'eA==', b: 'eQ==' });
  assert.is(body['type'], 'Opaque');
  assert.is(body['stringData'], undefined);
  const retyped = await call('PATCH', `${path}/s`, { body: { type: 'other' }, type: MERGE });
  assert.is(retyped.body['message'], 'Secret "s" is invalid: type: Invalid value: "other": field is immutable');
  const odd = await call('POST', path, { body: { metadata: { name: 't' }, data: { a: '%%' } } });
  assert.is(
    odd.body['message'],
    'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
  );
  assert.is((await call('POST', path, { body: { metadata: { name: 't' }, stringData: { 'a b': 'x' } } })).code, 422);
  const maps = '/api/v1/namespaces/default/configmaps';
  await call('POST', maps, { body: { metadata: { name: 'c' }, data: { a: '1' }, immutable: true } });
  const frozen = await call('PATCH', `${maps}/c`, { body: { data: { a: '2' } }, type: MERGE });
  assert.is(
    frozen.body['message'],
    'ConfigMap "c" is invalid: data: Forbidden: field is immutable when `immutable` is set',
  );
});

onServer('an event has two spellings', async ({ call }) => {
  const event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Widget', name: 'w', namespace: 'default' },
    reason: 'Because',
    message: 'hello',
    type: 'Normal',
  };
  await call('POST', '/api/v1/namespaces/default/events', { body: event });
  const { body } = await call('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e');
  assert.is(body['apiVersion'], 'events.k8s.io/v1');
  assert.is(body['note'], 'hello');
  assert.equal(body['regarding'], event.involvedObject);
  const selected = await call('GET', '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dw');
  assert.equal(names(selected.body), ['e']);
});

onServer('two versions of a definition show the same objects', async ({ call }) => {
  const [v1] = WIDGETS.spec.versions;
  const versions = [v1, { ...v1, name: 'v2', storage: false }];
  await call('POST', DEFINITIONS, { body: { ...WIDGETS, spec: { ...WIDGETS.spec, versions } } });
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const { body } = await call('GET', WIDGET_PATH.replace('/v1/', '/v2/'));
  assert.is(body['apiVersion'], 'example.org/v2');
  assert.is(body['items']?.[0]?.['apiVersion'], 'example.org/v2');
  assert.is((await call('GET', '/apis/example.org')).body['preferredVersion']?.['version'], 'v2');
});

test.run();
