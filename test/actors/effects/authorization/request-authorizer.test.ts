// Requests for operations from the bus: what is refused of them, and what is made of the rest.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  RefusedError,
  RejectionReason,
  RequestAuthorizer,
} from '../../../../actors/effects/authorization/request-authorizer.ts';
import type { DeclaredKind, Operation } from '../../../../adapters/api/adapter.ts';
import type { Objects } from '../../../../adapters/kubernetes/mod.ts';
import { openstackWith } from '../../../../adapters/openstack/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { ManualClock } from '../../../bus/manual-clock.ts';

const test = suite('admission');

const CALL_MS = 5_000;
const KEPT_MS = 10_000;
const REF = { secretName: 'clouds', cloudName: 'openstack' };

interface Change {
  readonly metadata?: Partial<KubeObject['metadata']>;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

function objectOf(kind: string, name: string, { metadata, spec, status }: Change = {}): KubeObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind,
    metadata: { name, namespace: 'a', uid: `${name}-uid`, resourceVersion: '7', generation: 1, ...metadata },
    spec: { managementPolicy: 'managed', resource: {}, cloudCredentialsRef: REF, ...spec },
    ...(status !== undefined && { status }),
  };
}

const DELETED = { generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' };

/** An admission for the adapter of OpenStack, beside the objects that the API server has. */
function scene(
  options: { readonly namespaces?: readonly string[]; readonly answers?: Record<string, Operation> } = {},
) {
  const { namespaces, answers = {} } = options;
  const clock = new ManualClock();
  const adapter = openstackWith({});
  const stored = new Map<string, KubeObject>();
  const reads: string[] = [];
  const refused: string[] = [];
  const operated: string[] = [];
  const get: Objects['get'] = async ({ plural }, namespace, name) => {
    reads.push(`${plural}/${namespace}/${name}`);
    return stored.get(`${plural}/${namespace}/${name}`);
  };
  const kindOf = (name: string): DeclaredKind => {
    const found = adapter.kinds.find(({ kind }) => kind === name);
    if (found === undefined) throw new Error(`no kind '${name}'`);
    return found;
  };
  const operations = Object.fromEntries(
    adapter.kinds.map(({ plural }) => [
      plural,
      Object.fromEntries(
        Object.entries(answers).map(([name, answer]) => [
          name,
          (async (request: never) => {
            operated.push(name);
            return answer(request);
          }) as Operation,
        ]),
      ),
    ]),
  );
  const admission = new RequestAuthorizer({
    adapter,
    operations,
    objects: { get },
    clock,
    namespaces,
    callMs: CALL_MS,
    onRejected: ({ operation, refusal }) => refused.push(`${operation} ${refusal}`),
  });
  const store = (object: KubeObject): KubeObject => {
    const { namespace = '', name } = object.metadata;
    stored.set(`${kindOf(object.kind).plural}/${namespace}/${name}`, object);
    return object;
  };
  return {
    clock,
    reads,
    refused,
    operated,
    admission,
    store,
    /** The admitted request, or why there is none. */
    async ask(operation: string, object: KubeObject, more: object = {}): Promise<JsonObject & { refusal?: string }> {
      const request = { object, dependencies: {}, traceparent: '', deadlineAt: clock.now() + 1_000, ...more };
      try {
        return await admission.admit(
          { kind: kindOf(object.kind), operation },
          JSON.parse(JSON.stringify(request)) as JsonObject,
          'deadlineAt' in request && request.deadlineAt === undefined ? 'caller' : 'deadline',
        );
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        return { refusal: error.refusal };
      }
    },
  };
}

test('the operation is given the object of the API server, and no more time than a call may take (REQUEST-AUTHORIZER-1)', async () => {
  const { ask, store, clock } = scene();
  const known = store(objectOf('Network', 'n', { status: { id: 'one' } }));
  const reported = objectOf('Network', 'n', { metadata: { finalizers: ['forged'] }, status: { id: 'forged' } });
  const { object, deadlineAt } = await ask('find', reported, { deadlineAt: clock.now() + 1e12 });
  assert.equal([object, deadlineAt], [known, clock.now() + CALL_MS]);
});

test('what is not as the API server has it is refused, each for its reason (REQUEST-AUTHORIZER-1)', async () => {
  const { ask, store, refused } = scene({ namespaces: ['a'] });
  const known = store(objectOf('Network', 'n'));
  const refusalOf = async (change: Change, name = 'n'): Promise<unknown> =>
    (await ask('create', objectOf('Network', name, change))).refusal;
  assert.is(await refusalOf({}, 'none'), RejectionReason.Absent);
  assert.is(await refusalOf({ metadata: { uid: 'another' } }), RejectionReason.Absent);
  assert.is(await refusalOf({ metadata: { namespace: 'b' } }), RejectionReason.Namespace);
  assert.is(await refusalOf({ metadata: { generation: 2 } }), RejectionReason.Outdated);
  for (const cloudCredentialsRef of [
    { ...REF, secretName: 'other' },
    { ...REF, cloudName: 'other' },
  ])
    assert.is(await refusalOf({ spec: { cloudCredentialsRef } }), RejectionReason.Spec);
  assert.is(await refusalOf({ spec: { resource: { name: 'forged' } } }), RejectionReason.Spec);
  assert.is(await refusalOf({ spec: { constructor: {} } }), RejectionReason.Spec);
  for (const name of ['..', 'a/b', '', 'n?watch=1']) assert.is(await refusalOf({}, name), RejectionReason.Malformed);
  for (const more of [
    { object: null },
    { object: { ...known, metadata: { ...known.metadata, uid: 7 } } },
    { deadlineAt: 'soon' },
    { dependencies: null },
    { dependencies: { 'Network/m': { id: {}, ready: true } } },
    { observation: { id: null } },
    { pollAfterMs: '1' },
    { traceparent: {} },
  ])
    assert.is((await ask('create', known, more)).refusal, RejectionReason.Malformed, JSON.stringify(more));
  assert.is(refused.length, 20);
  // The API server may know a default of a newer definition.
  store(objectOf('Network', 'n', { metadata: { resourceVersion: '8' }, spec: { added: 'later' } }));
  assert.is((await ask('create', known)).refusal, undefined);
});

test('nothing is made for what is being deleted, and nothing removed for what is not (REQUEST-AUTHORIZER-4)', async () => {
  const { ask, store } = scene();
  const living = store(objectOf('Network', 'living', { status: { id: 'one' } }));
  const deleted = store(objectOf('Network', 'deleted', { metadata: DELETED, status: { id: 'two' } }));
  assert.is((await ask('create', deleted)).refusal, RejectionReason.Deletion);
  assert.is((await ask('remove', living, { id: 'one' })).refusal, RejectionReason.Deletion);
  assert.is((await ask('remove', deleted, { id: 'two' })).refusal, undefined);
});

test('an id is one that the status names, or that an operation answered for just this object (REQUEST-AUTHORIZER-3)', async () => {
  const found: { readonly id: string }[] = [{ id: 'found' }];
  const { ask, store, admission, operated } = scene({ answers: { find: async () => ({ matches: found }) } });
  const object = store(objectOf('Network', 'n', { metadata: DELETED }));
  const other = store(objectOf('Network', 'other', { metadata: DELETED, status: { id: 'anothers' } }));
  const refusalOf = async (operation: string, id: string): Promise<unknown> =>
    (await ask(operation, object, { id })).refusal;
  admission.note({ object }, { id: 'made', attributes: {} });
  admission.note({ object: other }, { id: 'made-elsewhere' });
  for (const operation of ['observe', 'remove', 'watch']) {
    assert.is(await refusalOf(operation, 'made'), undefined);
    for (const id of ['anothers', 'made-elsewhere', 'guessed'])
      assert.is(await refusalOf(operation, id), RejectionReason.Id, `${operation} ${id}`);
    // It may be another process that was asked before: what is looked for now is the object's.
    assert.is(await refusalOf(operation, 'found'), undefined);
  }
  assert.ok(operated.length > 0);
  found.unshift({ id: 'second' });
  assert.is(await refusalOf('remove', 'second'), RejectionReason.Id, 'of several matches none is its own');
});

test('what is found by an intent that somebody tells of makes nobody believed (REQUEST-AUTHORIZER-1, REQUEST-AUTHORIZER-3)', async () => {
  const { ask, store, admission } = scene({
    answers: {
      find: (async ({ intents }: { readonly intents?: unknown }) =>
        intents === undefined ? { matches: [] } : { matches: [{ id: 'wished-for' }], earlier: true }) as Operation,
    },
  });
  const object = store(objectOf('Network', 'n', { metadata: DELETED }));
  const intents = [{ name: 'wished for', query: [['name', 'wished for']], check: [] }];
  assert.is((await ask('find', object, { intents })).refusal, undefined);
  admission.note({ object }, { matches: [{ id: 'wished-for' }], exact: true, earlier: true });
  for (const operation of ['observe', 'remove', 'watch'])
    assert.is((await ask(operation, object, { id: 'wished-for', intents })).refusal, RejectionReason.Id, operation);
  for (const wrong of ['x', ['x'], {}])
    assert.is((await ask('find', object, { intents: wrong })).refusal, RejectionReason.Malformed);
});

test('of a kind without ids the parts in the status make the id, and no other is its own (REQUEST-AUTHORIZER-3, REQUEST-AUTHORIZER-4)', async () => {
  const { ask, store } = scene({ answers: { find: async () => ({ matches: [], exact: true }) } });
  const own = 'role.id:r:user.id:u:scope.project.id:p';
  const status = { id: 'forged', resource: { roleID: 'r', userID: 'u', projectID: 'p' } };
  const living = store(objectOf('RoleAssignment', 'living', { status }));
  const deleted = store(objectOf('RoleAssignment', 'deleted', { metadata: DELETED, status }));
  const refusalOf = async (operation: string, object: KubeObject, id: string): Promise<unknown> =>
    (await ask(operation, object, { id })).refusal;
  assert.is(await refusalOf('observe', living, own), undefined);
  assert.is(await refusalOf('remove', living, own), RejectionReason.Deletion);
  assert.is(await refusalOf('remove', deleted, own), undefined);
  for (const id of ['forged', own.replace(':r:', ':s:'), 'role.id:r']) {
    assert.is(await refusalOf('observe', living, id), RejectionReason.Id, id);
    assert.is(await refusalOf('remove', deleted, id), RejectionReason.Id, id);
  }
});

test('an operation that looks at the status is shown no older one than the caller knows', async () => {
  const { ask, store, reads } = scene();
  const versioned = (resourceVersion: string, appliedPasswordRef: string): KubeObject =>
    objectOf('User', 'u', { metadata: { resourceVersion }, status: { id: 'one', resource: { appliedPasswordRef } } });
  store(versioned('7', 'first'));
  await ask('find', versioned('7', 'first'));
  await ask('find', versioned('7', 'first'));
  assert.is(reads.length, 1);
  const now = store(versioned('8', 'second'));
  assert.equal((await ask('find', versioned('8', 'forged')))['object'], now);
});

test('what lost the race for the status is removed while the object lives on, and nothing else is (REQUEST-AUTHORIZER-4)', async () => {
  const { ask, store, admission } = scene({ answers: { find: async () => ({ matches: [] }) } });
  const object = store(objectOf('Network', 'n'));
  admission.note({ object }, { id: 'lost' });
  const refusalOf = async (id: string): Promise<unknown> => (await ask('remove', object, { id })).refusal;
  assert.is(await refusalOf('lost'), RejectionReason.Deletion, 'nothing has won yet');
  store(objectOf('Network', 'n', { metadata: { resourceVersion: '9' }, status: { id: 'won' } }));
  assert.is(await refusalOf('lost'), undefined);
  assert.is(await refusalOf('won'), RejectionReason.Deletion);
  assert.is(await refusalOf('guessed'), RejectionReason.Id);
});

test('an update acts on what an operation of the adapter saw, or on what it sees now', async () => {
  const seen = { id: 'one', attributes: { name: 'true' }, resource: {}, available: true };
  const { ask, store, admission, operated } = scene({ answers: { observe: async () => seen } });
  const object = store(objectOf('Network', 'n', { status: { id: 'one' } }));
  const observed = async (observation: object): Promise<unknown> =>
    (await ask('update', object, { observation })).observation;
  assert.equal(await observed({ ...seen, attributes: { name: 'forged' } }), seen);
  assert.equal([await observed(seen), operated], [seen, ['observe']]);
  const reported = { ...seen, available: false };
  admission.note({ object }, { observation: reported });
  assert.equal([await observed(reported), operated], [reported, ['observe']]);
  assert.is((await ask('update', object, { observation: { ...seen, id: 'anothers' } })).refusal, RejectionReason.Id);
});

test('what is said of those to whom the object refers is as they say, or refused (REQUEST-AUTHORIZER-3)', async () => {
  const { ask, store } = scene();
  const spec = { routerRef: 'r', subnetRef: 's', resource: undefined, cloudCredentialsRef: undefined } as never;
  const object = store(objectOf('RouterInterface', 'i', { spec }));
  store(objectOf('Router', 'r', { status: { id: 'router' } }));
  const router = { id: 'router', ready: true, attributes: { cloudCredentialsRef: REF } };
  const known = async (dependencies: object): Promise<unknown> => {
    const answer = await ask('find', object, { dependencies });
    return answer.refusal ?? answer.dependencies;
  };
  assert.equal(await known({ 'Router/r': router }), { 'Router/r': router });
  assert.is(await known({ 'Router/r': { ...router, id: 'anothers' } }), RejectionReason.Reference);
  const attributes = { cloudCredentialsRef: { ...REF, secretName: 'other' } };
  assert.is(await known({ 'Router/r': { ...router, attributes } }), RejectionReason.Reference);
  assert.equal(await known({ 'Subnet/s': { id: 'gone', ready: true } }), {}, 'what is not there is not known');
  assert.equal(await known({ 'Router/not-mine': router }), {}, 'nor is what it does not refer to');
});

test('an object is read once for what is asked at about the same time, and again for what is not in it (REQUEST-AUTHORIZER-2)', async () => {
  const { ask, store, reads, clock } = scene();
  const object = store(objectOf('Network', 'n'));
  await Promise.all([ask('find', object), ask('find', object)]);
  await ask('create', object);
  assert.is(reads.length, 1);
  const deleted = store(objectOf('Network', 'n', { metadata: DELETED }));
  assert.is((await ask('find', deleted)).refusal, undefined);
  assert.is(reads.length, 2);
  assert.is((await ask('create', object)).refusal, RejectionReason.Outdated, 'it is known to be older');
  await clock.advance(KEPT_MS);
  reads.length = 0;
  await ask('find', deleted);
  assert.is(reads.length, 1);
});

test('a watch is in no hurry', async () => {
  const { ask, store } = scene();
  const object = store(objectOf('Network', 'n', { status: { id: 'one' } }));
  for (const pollAfterMs of [0, -1, 1e-9]) {
    const admitted = await ask('watch', object, { deadlineAt: undefined, id: 'one', pollAfterMs });
    assert.is(admitted.pollAfterMs, 100);
  }
});

test.run();
