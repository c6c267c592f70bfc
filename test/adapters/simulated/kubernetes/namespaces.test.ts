// The life of namespaces, and of objects that are owned by others.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Deep, type Harness, MERGE, serverChecks } from '../../../world/api-calls.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: namespaces and owners');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);
const PATH = '/api/v1/namespaces';

/** Waits on a watch until an object is gone. */
async function gone({ watch }: Harness, path: string, name: string): Promise<void> {
  const events = await watch(`${path}?watch=1&fieldSelector=metadata.name%3D${name}`);
  for (let event = await events.next(); event?.type !== 'DELETED'; event = await events.next());
  events.stop();
}

onServer('four namespaces are there from the start, and stay', async ({ call }) => {
  const { body } = await call('GET', PATH);
  const names = (body['items'] as unknown as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  assert.equal(names, ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  const refused = await call('DELETE', `${PATH}/default`);
  assert.is(refused.code, 403);
  assert.is(refused.body['message'], 'namespaces "default" is forbidden: this namespace may not be deleted');
});

onServer('a namespace is born active, labeled, with a service account', async ({ call }) => {
  const { body } = await call('POST', PATH, { body: { metadata: { name: 'n' } } });
  assert.equal(body['spec'], { finalizers: ['kubernetes'] });
  assert.equal(body['status'], { phase: 'Active' });
  assert.equal(body['metadata']?.['labels'], { 'kubernetes.io/metadata.name': 'n' });
  assert.is((await call('GET', `${PATH}/n/serviceaccounts/default`)).code, 200);
  assert.is((await call('POST', PATH, { body: { metadata: { name: 'A' } } })).code, 422);
});

onWidgets('nothing is made where there is no namespace', async ({ call }) => {
  const { code, body } = await call('POST', WIDGET_PATH.replace('default', 'none'), { body: widget('a') });
  assert.is(code, 404);
  assert.is(body['message'], 'namespaces "none" not found');
  assert.equal(body['details'], { name: 'none', kind: 'namespaces' });
});

onWidgets('a deleted namespace empties, says what holds it, takes nothing new, and goes', async (harness) => {
  const { call } = harness;
  const widgets = WIDGET_PATH.replace('default', 'n');
  await call('POST', PATH, { body: { metadata: { name: 'n' } } });
  await call('POST', widgets, { body: widget('free') });
  await call('POST', widgets, { body: widget('held', {}, { finalizers: ['example.org/f'] }) });
  const { body } = await call('DELETE', `${PATH}/n`);
  assert.is(body['status']?.['phase'], 'Terminating');
  assert.is((await call('GET', `${widgets}/free`)).code, 404);
  assert.type((await call('GET', `${widgets}/held`)).body['metadata']?.['deletionTimestamp'], 'string');
  const late = await call('POST', widgets, { body: widget('late') });
  assert.is(late.code, 403);
  assert.is(
    late.body['message'],
    'widgets.example.org "late" is forbidden: unable to create new content in namespace n because it is being terminated',
  );
  assert.equal(late.body['details']?.['causes'], [
    { reason: 'NamespaceTerminating', message: 'namespace n is being terminated', field: 'metadata.namespace' },
  ]);
  const conditions = (await call('GET', `${PATH}/n`)).body['status']?.['conditions'] as unknown as Record<
    string,
    string
  >[];
  const said = Object.fromEntries(conditions.map(({ type = '', status, message }) => [type, `${status} ${message}`]));
  assert.is(
    said['NamespaceContentRemaining'],
    'True Some resources are remaining: widgets.example.org has 1 resource instances',
  );
  assert.is(
    said['NamespaceFinalizersRemaining'],
    'True Some content in the namespace has finalizers remaining: example.org/f in 1 resource instances',
  );
  const waiting = gone(harness, PATH, 'n');
  await call('PATCH', `${widgets}/held`, { body: { metadata: { finalizers: null } }, type: MERGE });
  await waiting;
  assert.is((await call('GET', `${PATH}/n`)).code, 404);
});

const ownedBy = (owner: Deep): Record<string, unknown> => {
  const { name, uid } = owner['metadata'] as unknown as Record<string, string>;
  return { ownerReferences: [{ apiVersion: 'example.org/v1', kind: 'Widget', name, uid, blockOwnerDeletion: true }] };
};

onWidgets('dependents go with their last owner (KSIM-GARBAGE-1)', async (harness) => {
  const { call } = harness;
  const first = (await call('POST', WIDGET_PATH, { body: widget('first') })).body;
  const second = (await call('POST', WIDGET_PATH, { body: widget('second') })).body;
  await call('POST', WIDGET_PATH, { body: widget('child', {}, ownedBy(first)) });
  const both = [ownedBy(first), ownedBy(second)].flatMap(({ ownerReferences }) => ownerReferences as unknown[]);
  await call('POST', WIDGET_PATH, { body: widget('shared', {}, { ownerReferences: both }) });
  const waiting = gone(harness, WIDGET_PATH, 'child');
  await call('DELETE', `${WIDGET_PATH}/first`);
  await waiting;
  const shared = await call('GET', `${WIDGET_PATH}/shared`);
  assert.equal(shared.body['metadata']?.['ownerReferences'], ownedBy(second)['ownerReferences']);
});

onWidgets('in the foreground dependents go first, and orphans stay', async (harness) => {
  const { call } = harness;
  const owner = (await call('POST', WIDGET_PATH, { body: widget('owner') })).body;
  await call('POST', WIDGET_PATH, {
    body: widget('child', {}, { ...ownedBy(owner), finalizers: ['example.org/f'] }),
  });
  await call('DELETE', `${WIDGET_PATH}/owner?propagationPolicy=Foreground`);
  assert.equal((await call('GET', `${WIDGET_PATH}/owner`)).body['metadata']?.['finalizers'], ['foregroundDeletion']);
  const waiting = gone(harness, WIDGET_PATH, 'owner');
  await call('PATCH', `${WIDGET_PATH}/child`, { body: { metadata: { finalizers: null } }, type: MERGE });
  await waiting;
  const other = (await call('POST', WIDGET_PATH, { body: widget('other') })).body;
  await call('POST', WIDGET_PATH, { body: widget('orphan', {}, ownedBy(other)) });
  await call('DELETE', `${WIDGET_PATH}/other`, { body: { propagationPolicy: 'Orphan' } });
  assert.is((await call('GET', `${WIDGET_PATH}/other`)).code, 404);
  assert.is((await call('GET', `${WIDGET_PATH}/orphan`)).body['metadata']?.['ownerReferences'], undefined);
});

test.run();
