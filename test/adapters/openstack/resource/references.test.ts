// What an object says of itself to the runtime: its references and the names under which its kind writes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { immutable, list, object, ref, required, string } from '../../../../adapters/api/contract/contract.ts';
import { apart, sent, sentAs } from '../../../../adapters/openstack/base/fields.ts';
import { NEUTRON } from '../../../../adapters/openstack/base/services.ts';
import { ip } from '../../../../adapters/openstack/base/values.ts';
import { defineKind } from '../../../../adapters/openstack/kinds/kind.ts';
import { KINDS } from '../../../../adapters/openstack/kinds/registry.ts';
import { openstackKinds } from '../../../../adapters/openstack/mod.ts';
import { declaredKind } from '../../../../adapters/openstack/resource/managed-kind.ts';
import { referencesOf, toWire } from '../../../../adapters/openstack/resource/references.ts';
import type { OpenStackKind } from '../../../../adapters/openstack/resource/table.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import type { Kind, Reference } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { everyKind, manifestOf } from '../../../actors/every-kind.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { NO_DOWNLOADS } from '../no-downloads.ts';

const test = suite('references');

const clock = simulatedClock({ seed: 1 });

const addresses = immutable(
  list(
    'addresses of it.',
    object('An address.', {
      subnetRef: required(ref('Subnet', 'subnetRef is the subnet.', { guarded: true })),
      ip: ip('ip is the address.'),
    }),
    { type: 'atomic', maxItems: 9 },
  ),
);

/** A kind with references in lists, two to one kind, and guards of several names. */
const plug = defineKind({
  kind: 'Plug',
  description: 'Plug is a thing.',
  service: NEUTRON,
  collection: 'plugs',
  member: 'plug',
  resource: {
    networkRef: sent(
      'network_id',
      required(immutable(ref('Network', 'networkRef is the network.', { guarded: true }))),
    ),
    addresses: sentAs(addresses, {
      fixed_ips: (items) => items.map(({ subnetRef, ip }) => ({ subnet_id: subnetRef, ip_address: ip ?? null })),
    }),
    parentRef: apart(ref('Plug', 'parentRef is the parent.', { guarded: true })),
    childRef: apart(ref('Plug', 'childRef is the child.', { guarded: true, finalizer: 'example.org/child' })),
    flavorRef: apart(ref('Flavor', 'flavorRef is the flavor.')),
    keyRef: sent('key', immutable(ref('Secret', 'keyRef is the key.'))),
  },
  filter: {},
  status: {},
  adoption: { query: ['networkRef'] },
});

function objectWith(spec: JsonObject): KubeObject {
  const cloudCredentialsRef = { secretName: 's', cloudName: 'c' };
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Plug',
    metadata: { name: 'n', uid: 'u', resourceVersion: '1' },
    spec: { cloudCredentialsRef, ...spec },
  };
}

function kindNamed(name: string): Kind {
  const refuse = () => Promise.reject(new Error('no cloud here'));
  const sessions = { open: refuse, identify: refuse };
  return openstackKinds({ sessions, clock: clock, downloads: NO_DOWNLOADS }).find(({ kind }) => kind === name) as Kind;
}

const own = 'openstack.k-orc.cloud/plug';
const secret: Reference = { kind: 'Secret', name: 's', finalizers: [own], neededFor: 'always' };

test('references come in the order of the contract, the credentials first', () => {
  const resource = {
    flavorRef: 'f',
    addresses: [{ subnetRef: 'a' }, { subnetRef: 'b', ip: '192.0.2.1' }, { subnetRef: 'a' }],
    networkRef: 'n',
  };
  assert.equal(referencesOf(plug, objectWith({ resource })), [
    secret,
    { kind: 'Network', name: 'n', finalizers: [own], neededFor: 'create', fixed: true },
    { kind: 'Subnet', name: 'a', finalizers: [own], neededFor: 'create' },
    { kind: 'Subnet', name: 'b', finalizers: [own], neededFor: 'create' },
    { kind: 'Flavor', name: 'f', finalizers: [], neededFor: 'create' },
  ]);
});

test('two references to one object are one, with the guards of both', () => {
  assert.equal(
    referencesOf(plug, objectWith({ resource: { networkRef: 'n', parentRef: 'p', childRef: 'p' } })).at(-1),
    {
      kind: 'Plug',
      name: 'p',
      finalizers: [own, 'example.org/child'],
      neededFor: 'create',
    },
  );
});

test('a kind says every guard that its objects put on others: nobody takes off what is not said', () => {
  assert.equal(declaredKind(plug, { defaultResyncMs: 0 }).guards, [own, 'example.org/child']);
  const subports = [{ portRef: 'b', segmentationID: 1, segmentationType: 'vlan' }];
  const { guards, references } = kindNamed('Trunk');
  const put = references(objectWith({ resource: { portRef: 'a', subports } })).flatMap(({ finalizers }) => finalizers);
  assert.ok(put.includes('openstack.k-orc.cloud/trunk-subport'));
  for (const finalizer of put) assert.ok(guards.includes(finalizer), finalizer);
});

test('a service that is ready says its type, before its status is stored too', () => {
  const object = { ...objectWith({ resource: { type: 'stock' } }), status: { id: 'x' } };
  const { publicState } = kindNamed('Service');
  assert.equal(publicState(object, true), { ready: true, id: 'x', attributes: { type: 'stock' } });
  const stored = { ...object, status: { id: 'x', resource: { type: 'other' } } };
  assert.equal(publicState(stored, true).attributes, { type: 'other' });
});

test('a subnet waits for network, router and project, guards them, and follows the interface of its own', () => {
  const resource = { projectRef: 'p', routerRef: 'r', networkRef: 'n', cidr: '192.0.2.0/24', ipVersion: 4 };
  const guard = ['openstack.k-orc.cloud/subnet'];
  assert.equal(kindNamed('Subnet').references(objectWith({ managementPolicy: 'managed', resource })), [
    { kind: 'Secret', name: 's', finalizers: guard, neededFor: 'always' },
    { kind: 'Network', name: 'n', finalizers: guard, neededFor: 'create', fixed: true },
    { kind: 'Router', name: 'r', finalizers: guard, neededFor: 'create' },
    { kind: 'Project', name: 'p', finalizers: guard, neededFor: 'create' },
    { kind: 'RouterInterface', name: 'n-subnet', finalizers: [], neededFor: 'never' },
  ]);
});

test('an interface needs its router and its subnet to the end, and does not hold the subnet that owns it', () => {
  const spec = { type: 'Subnet', routerRef: 'r', subnetRef: 's' };
  const guard = ['openstack.k-orc.cloud/routerinterface'];
  const needed = { neededFor: 'always', fixed: true };
  const router = { kind: 'Router', name: 'r', finalizers: guard, ...needed };
  const object = { ...objectWith({}), spec };
  const { references } = kindNamed('RouterInterface');
  assert.equal(references(object), [router, { kind: 'Subnet', name: 's', finalizers: guard, ...needed }]);
  const ownerReferences = [{ kind: 'Subnet', name: 's', uid: 'u' }];
  const own = { ...object, metadata: { ...object.metadata, ownerReferences } };
  assert.equal(references(own), [router, { kind: 'Subnet', name: 's', finalizers: [], ...needed }]);
});

test('references of an import filter are waited for, and not guarded', () => {
  const spec = { managementPolicy: 'unmanaged', import: { filter: { projectRef: 'p', networkRef: 'n' } } };
  assert.equal(kindNamed('Subnet').references(objectWith(spec)).slice(1), [
    { kind: 'Network', name: 'n', finalizers: [], neededFor: 'import' },
    { kind: 'Project', name: 'p', finalizers: [], neededFor: 'import' },
  ]);
  const byId = { managementPolicy: 'unmanaged', import: { id: 'x' } };
  assert.is(kindNamed('Subnet').references(objectWith(byId)).length, 1);
});

test('on the wire names are ids, and addresses have one spelling', () => {
  const value = [
    { subnetRef: 'a', ip: 'FD00::0:1' },
    { subnetRef: 'b', ip: '192.0.2.1' },
  ];
  assert.equal(toWire(addresses, value, { 'Subnet/a': { id: 'id-a', ready: true } }), {
    value: [
      { subnetRef: 'id-a', ip: 'fd00::1' },
      { subnetRef: 'b', ip: '192.0.2.1' },
    ],
    published: {},
    missing: ['Subnet/b'],
    unready: ['Subnet/b'],
  });
  const secret = toWire(ref('Secret', 'keyRef is the key.'), 'k', {});
  assert.equal(secret, { value: 'k', published: {}, missing: [], unready: [] });
  const network = string('network of it.', { maxLength: 9, address: true });
  for (const [text, wire] of [
    ['FD00::/64', 'fd00::/64'],
    ['::FFFF:192.0.2.1', '::ffff:c000:201'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['nonsense', 'nonsense'],
  ] as const) {
    assert.is(toWire(network, text, {}).value, wire);
  }
});

test('what is read of a reference besides its id is missing until its kind publishes it', () => {
  const schema = ref('Subnet', 'subnetRef is the subnet.', { reads: ['networkID'] });
  const knownWith = (attributes: JsonObject) => ({ 'Subnet/a': { id: 'id-a', ready: true, attributes } });
  const known = toWire(schema, 'a', knownWith({ networkID: 'id-n', other: 1 }));
  assert.equal(known, { value: 'id-a', published: { networkID: 'id-n' }, missing: [], unready: [] });
  const unknown = toWire(schema, 'a', knownWith({}));
  assert.equal([unknown.published, unknown.missing], [{}, ['Subnet/a']]);
});

test('a kind writes under the names of the contract', () => {
  const { realm, group, version, plural, finalizer, fieldManagers } = kindNamed('Network');
  assert.equal(
    { realm, group, version, plural, finalizer, fieldManagers },
    {
      realm: 'openstack',
      group: 'openstack.k-orc.cloud',
      version: 'v1alpha1',
      plural: 'networks',
      finalizer: 'openstack.k-orc.cloud/network',
      fieldManagers: {
        finalizer: 'openstack.k-orc.cloud/networkcontroller/finalizer',
        status: 'openstack.k-orc.cloud/networkcontroller/status',
        guards: 'openstack.k-orc.cloud/networkcontroller',
      },
    },
  );
});

test('a field must say what a later change does', () => {
  assert.throws(
    () => sent('a', string('a field.', { maxLength: 9 })),
    /what a later change does is not said: 'a field.'/,
  );
});

test('whatever a kind puts on others it is known to put there, so that it goes again', () => {
  const set = everyKind({ prefix: 'x', imageUrl: 'http://127.0.0.1:1/', userName: 'admin' });
  for (const one of set) {
    const kind = KINDS.find((each) => each.kind === one.kind) as OpenStackKind;
    const { guards } = declaredKind(kind, { defaultResyncMs: 0 });
    const object = manifestOf(one, { secretName: 'clouds', cloudName: 'cloud' }) as unknown as KubeObject;
    const named = { ...object, metadata: { ...object.metadata, namespace: 'ns', uid: 'uid' } };
    const put = new Set(kind.references(named).flatMap(({ finalizers }) => finalizers));
    assert.equal(
      [...put].filter((finalizer) => !guards.includes(finalizer)),
      [],
      one.kind,
    );
  }
  const trunks = KINDS.find(({ kind }) => kind === 'Trunk') as OpenStackKind;
  const names = ['trunk', 'trunk-subport'].map((name) => `openstack.k-orc.cloud/${name}`);
  assert.equal(declaredKind(trunks, { defaultResyncMs: 0 }).guards, names);
});

test.run();
