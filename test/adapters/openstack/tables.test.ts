// What tables can say that no kind says yet: steps of a kind's own, references that change, attributes that are always
// sent, criteria that the service does not know.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { immutable, integer, list, ref, string } from '../../../adapters/api/contract/contract.ts';
import { checked, equalTo, queryOf } from '../../../adapters/openstack/base/criteria.ts';
import { named, sent, tagged } from '../../../adapters/openstack/base/fields.ts';
import { NEUTRON } from '../../../adapters/openstack/base/services.ts';
import { neutronTags, observedTags, openstackName } from '../../../adapters/openstack/base/values.ts';
import type { Call, Session } from '../../../adapters/openstack/client/session.ts';
import { defineKind } from '../../../adapters/openstack/kinds/kind.ts';
import { adoptionCriteria, createAttributes, differenceOf } from '../../../adapters/openstack/resource/desired.ts';
import type { UpdateStep } from '../../../adapters/openstack/resource/table.ts';
import { runUpdate } from '../../../adapters/openstack/resource/update.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError, TransientError } from '../../../bus/errors.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';

const test = suite('tables');

const groups = list('groupRefs of it.', ref('Group', 'One of them.'), { type: 'set', maxItems: 9 });

function plugWith(...steps: readonly UpdateStep[]): ReturnType<typeof defineKind> {
  return defineKind({
    kind: 'Plug',
    description: 'Plug is a thing.',
    service: NEUTRON,
    collection: 'plugs',
    member: 'plug',
    resource: {
      name: named(openstackName('name of it.')),
      size: sent('size', immutable(integer('size of it.'))),
      color: sent('color', string('color of it.', { maxLength: 9 }), { unset: 'grey', extension: true }),
      label: sent('label', string('label of it.', { maxLength: 9 }), { unset: '' }),
      device: sent('device', string('device of it.', { maxLength: 9 }), { update: 'ignored' }),
      groupRefs: sent('groups', groups, { unset: [], initial: [], unordered: true }),
      tags: tagged(neutronTags('tags of it.')),
    },
    filter: {},
    status: {},
    adoption: { query: ['name'], check: ['size'] },
    steps,
  });
}

function objectWith(resource: JsonObject): KubeObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Plug',
    metadata: { name: 'plug', uid: 'u', resourceVersion: '1' },
    spec: { resource },
  };
}

const OBSERVED = {
  id: 'i',
  name: 'plug',
  size: 1,
  color: 'grey',
  label: '',
  groups: ['g1'],
  tags: [],
  revision_number: 4,
};

/** Runs one pass of updates on a service that takes everything. */
async function pass(resource: JsonObject, kind = plugWith(), ids = {}): Promise<{ calls: Call[]; outcome: unknown }> {
  const calls: Call[] = [];
  const session: Session = {
    call: async (call) => {
      calls.push(call);
      return { status: 200, body: {} };
    },
    list: async () => [],
    userId: async () => 'me',
  };
  const observation: Observation = { id: 'i', attributes: OBSERVED, resource: {}, available: true };
  const request = { object: objectWith(resource), dependencies: ids, deadlineAt: 0, traceparent: '', observation };
  const readSecret = async () => undefined;
  const outcome = await runUpdate(kind, { session, request, readSecret }).catch((error: unknown) => error);
  return { calls, outcome };
}

test('tags are told in one order, whatever that of the answer', () => {
  const { read } = observedTags('Neutron', { maxItems: 64 });
  assert.equal(read({ tags: ['b', 'a', 'c'] }), ['a', 'b', 'c']);
  assert.equal([read({ tags: [] }), read({})], [undefined, undefined]);
});

test('what is always sent is sent on create, unset or not', () => {
  const { stated, missing } = createAttributes(plugWith(), objectWith({ size: 2 }), {});
  assert.equal([stated, missing], [{ name: 'plug', size: 2, groups: [] }, []]);
});

test('what the service cannot query is compared in its results', () => {
  const { stated } = adoptionCriteria(plugWith(), objectWith({ size: 2 }), {});
  const { criteria } = stated;
  assert.equal(queryOf(criteria), [['name', 'plug']]);
  assert.equal(
    [{ size: 2 }, { size: 3 }].map((result) => criteria.every(({ matches }) => matches({ name: 'plug', ...result }))),
    [true, false],
  );
  assert.is(checked('size', 2).matches({ size: null }), false);
  assert.is(equalTo('size', 2).matches({}), true);
});

test('only what differs is sent: neither what is immutable nor what is ignored', () => {
  const { stated } = differenceOf(plugWith(), objectWith({ size: 9, device: 'sda', label: 'new' }), {}, OBSERVED);
  assert.equal(stated.attributes, { label: 'new', groups: [] });
});

test('an attribute that the cloud does not know is not reset', () => {
  const { color: _color, ...without } = OBSERVED;
  const { stated } = differenceOf(
    plugWith(),
    objectWith({ groupRefs: ['a'] }),
    { 'Group/a': { id: 'g1', ready: true } },
    without,
  );
  assert.equal(stated.attributes, {});
});

test('an update carries the revision that was read, unless an extension is part of it', async () => {
  const groupRefs = ['a'];
  const ids = { 'Group/a': { id: 'g1', ready: true } };
  const plain = await pass({ groupRefs, label: 'new' }, plugWith(), ids);
  assert.equal(plain.calls[0]?.headers, { 'If-Match': 'revision_number=4' });
  const extended = await pass({ groupRefs, label: 'new', color: 'red' }, plugWith(), ids);
  assert.is(extended.calls[0]?.headers, undefined);
  assert.equal(extended.calls[0]?.body, { plug: { color: 'red', label: 'new' } });
});

test('a reference that is not ready is waited for; the rest is changed meanwhile', async () => {
  const { calls, outcome } = await pass({ groupRefs: ['a', 'b'], label: 'new' }, plugWith(), {
    'Group/a': { id: 'g1', ready: true },
  });
  assert.equal(
    calls.map(({ body }) => body),
    [{ plug: { label: 'new' } }],
  );
  assert.equal(outcome, { changed: true, fields: ['label'], waiting: ['Waiting for Group/b to be ready'] });
});

test("the kind's own steps run after attributes and tags, and their outcomes are one", async () => {
  const order: string[] = [];
  const step: UpdateStep = async ({ session }) => {
    order.push('own');
    await session.call({ service: 'network', method: 'PUT', path: '/plugs/i/rules', deadlineAt: 0, traceparent: '' });
    return { changed: true, waiting: ['Waiting for OpenStack resource to be ready'] };
  };
  const { calls, outcome } = await pass({ groupRefs: ['a'], label: 'new', tags: ['b', 'a'] }, plugWith(step), {
    'Group/a': { id: 'g1', ready: true },
  });
  assert.equal(
    calls.map(({ method, path, body }) => [method, path, body]),
    [
      ['PUT', '/plugs/i', { plug: { label: 'new' } }],
      ['PUT', '/plugs/i/tags', { tags: ['a', 'b'] }],
      ['PUT', '/plugs/i/rules', undefined],
    ],
  );
  const waiting = ['Waiting for OpenStack resource to be ready'];
  assert.equal(outcome, { changed: true, fields: ['label', 'tags'], waiting });
});

test('every step runs though one fails; a terminal failure is told alone, others together', async () => {
  const ran: string[] = [];
  const failing =
    (error: Error): UpdateStep =>
    async () => {
      ran.push(error.message);
      throw error;
    };
  const [busy, slow] = [new TransientError('busy', { retryAfterMs: 9 }), new TransientError('slow')];
  const refused = new TerminalError('no');
  assert.is((await pass({}, plugWith(failing(busy), failing(refused), failing(slow)))).outcome, refused);
  assert.equal(ran, ['busy', 'no', 'slow']);
  const { outcome } = await pass({}, plugWith(failing(busy), failing(slow)));
  assert.instance(outcome, TransientError);
  assert.equal([(outcome as TransientError).message, (outcome as TransientError).retryAfterMs], ['busy\nslow', 9]);
});

test.run();
