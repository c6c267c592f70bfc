// Attachments that a server shows and its port or volume denies: the detachment of an earlier spec ended after Nova was read.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { port } from '../../../../adapters/openstack/kinds/port.ts';
import { KINDS } from '../../../../adapters/openstack/kinds/registry.ts';
import { server } from '../../../../adapters/openstack/kinds/server.ts';
import { volume } from '../../../../adapters/openstack/kinds/volume.ts';
import { portsStep, volumesStep } from '../../../../adapters/openstack/steps/server-steps.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import { isTableKind } from '../../../world/attentive.ts';

const test = suite('attachments that are denied');

const object = (kind: string, status: JsonObject | undefined): KubeObject => ({
  apiVersion: 'openstack.k-orc.cloud/v1alpha1',
  kind,
  metadata: { name: 'one', namespace: 'ns', uid: 'uid-1', resourceVersion: '1' },
  spec: {},
  ...(status !== undefined && { status }),
});

const vm = object('Server', {
  id: 'vm-1',
  resource: { status: 'ACTIVE', interfaces: [{ portID: 'nic-1' }], volumes: [{ id: 'disk-1' }] },
});

/** Whether the server is contradicted by a port or volume with this status. */
function denied(kind: typeof port | typeof volume, status: JsonObject): boolean | undefined {
  const attributes = kind.published?.(object(kind.kind, status));
  const answer = { externalId: String(status['id']), ...(attributes !== undefined && { attributes }) };
  return server.isContradicted?.(vm, { kind: kind.kind, name: 'one' }, answer);
}

test('33.2: a server is contradicted by a volume that Cinder shows attached to others, or to none', () => {
  assert.is(denied(volume, { id: 'disk-1', resource: { attachments: [{ serverID: 'vm-1' }] } }), false);
  assert.is(denied(volume, { id: 'disk-1', resource: { status: 'available' } }), true);
  assert.is(denied(volume, { id: 'disk-1', resource: { attachments: [{ serverID: 'vm-2' }] } }), true);
  assert.is(denied(volume, { id: 'disk-2', resource: { status: 'available' } }), false, 'the server does not show it');
  assert.is(denied(volume, { id: 'disk-1' }), false, 'Cinder has not told yet');
});

test('33.2: a server is contradicted by a port that Neutron shows plugged into another device, or none', () => {
  assert.is(denied(port, { id: 'nic-1', resource: { deviceID: 'vm-1' } }), false);
  assert.is(denied(port, { id: 'nic-1', resource: { status: 'DOWN' } }), true);
  assert.is(denied(port, { id: 'nic-1', resource: { deviceID: 'vm-2' } }), true);
  assert.is(denied(port, { id: 'nic-2', resource: { status: 'DOWN' } }), false, 'the server does not show it');
  assert.is(denied(port, { id: 'nic-1' }), false, 'Neutron has not told yet');
});

test('33.2: whatever hears what a dependent shows can deny it: no other kind tells its dependencies what it uses', () => {
  const telling = KINDS.filter(isTableKind).filter((kind) =>
    KINDS.some((of) => kind.tells?.(object(kind.kind, vm.status as JsonObject), of.kind) !== undefined),
  );
  assert.equal(
    telling.filter(({ isContradicted }) => isContradicted === undefined).map(({ kind }) => kind),
    [],
  );
  const heeding = KINDS.filter(({ isReflected: shows }) => shows !== undefined);
  assert.equal(
    heeding.filter((kind) => kind.published?.(object(kind.kind, { id: 'id-1', resource: {} })) === undefined),
    [],
  );
});

test('33.2: a server that Nova still shows attached to what denies it is looked at again', async () => {
  const parts = [
    {
      step: volumesStep,
      label: 'Volume/one',
      resource: { volumes: [{ volumeRef: 'one' }] },
      found: { 'os-extended-volumes:volumes_attached': [{ id: 'id-1' }] },
    },
    {
      step: portsStep,
      label: 'Port/one',
      resource: { ports: [{ portRef: 'one' }] },
      found: { interfaces: [{ port_id: 'id-1' }] },
    },
  ];
  for (const { step, label, resource, found } of parts) {
    const outcome = (attributes: JsonObject | undefined) =>
      step({
        session: { call: () => assert.unreachable('nothing is sent') },
        request: {
          object: { ...object('Server', { id: 'vm-1' }), spec: { resource } },
          observation: { id: 'vm-1', attributes: { status: 'ACTIVE', ...found } },
          dependencies: { [label]: { id: 'id-1', ready: true, ...(attributes !== undefined && { attributes }) } },
        },
      } as never);
    const settled = { changed: false, waiting: [], unused: [] };
    assert.equal(await outcome({ users: ['vm-1'] }), settled);
    assert.equal(await outcome({ users: [] }), { ...settled, used: true });
    assert.equal(await outcome(undefined), settled, 'nothing is known of it yet');
  }
});

test('a port or volume without its id still publishes that it had one', () => {
  for (const kind of [port, volume]) assert.is(kind.published?.(object(kind.kind, { resource: {} })), undefined);
});

test.run();
