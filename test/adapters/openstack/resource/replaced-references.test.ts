// References whose objects have another id by now: who can tell, and what is said.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Schema } from '../../../../adapters/api/contract/contract.ts';
import { network } from '../../../../adapters/openstack/kinds/network.ts';
import { port } from '../../../../adapters/openstack/kinds/port.ts';
import { KINDS } from '../../../../adapters/openstack/kinds/registry.ts';
import { server } from '../../../../adapters/openstack/kinds/server.ts';
import { adviceOn } from '../../../../adapters/openstack/resource/hints.ts';
import { isBuiltOnReplaced, outdatedRemarks } from '../../../../adapters/openstack/resource/references.ts';
import type { TableKind } from '../../../../adapters/openstack/resource/table.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import { isTableKind } from '../../../world/attentive.ts';

const test = suite('references that are outdated');

/** References of which no cloud shows what the resource was made of, or which do not matter once it is made. */
const UNTOLD = [
  // Keystone takes the credential away with its user, and with his roles.
  'ApplicationCredential.roleRefs Role',
  'ApplicationCredential.userRef User',
  'FloatingIP.floatingSubnetRef Subnet',
  // Nova tells of flavors without their ids, and knows key pairs by their names.
  'Server.flavorRef Flavor',
  'Server.keypairRef KeyPair',
  'Server.schedulerHints Server',
  // The interface is an object of its own.
  'Subnet.routerRef Router',
  // A copy.
  'Volume.imageRef Image',
  // Cinder tells the name.
  'Volume.volumeTypeRef VolumeType',
];

function referencesIn(schema: Schema): readonly NonNullable<Schema['reference']>[] {
  const { reference, items, properties = {} } = schema;
  const parts = [...(items === undefined ? [] : [items]), ...Object.values(properties)];
  return [...(reference === undefined ? [] : [reference]), ...parts.flatMap(referencesIn)];
}

test('each reference says where the status shows what the resource was made of, or is known to be shown nowhere', () => {
  const untold = new Set<string>();
  for (const kind of KINDS.filter(isTableKind) as readonly TableKind[]) {
    for (const [field, { schema }] of Object.entries(kind.resource)) {
      for (const { kind: of, attribute, shownBy } of referencesIn(schema)) {
        if (of === 'Secret' || attribute !== undefined) continue;
        if (shownBy === undefined) untold.add(`${kind.kind}.${field} ${of}`);
        else assert.ok(kind.status[shownBy] !== undefined, `${kind.kind}.${field}: no status shows ${shownBy}`);
      }
    }
  }
  assert.equal([...untold].sort(), UNTOLD);
});

function objectOf(kind: string, resource: JsonObject, shown: JsonObject, message = 'fine'): KubeObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind,
    metadata: { name: 'one', namespace: 'ns', uid: 'uid', resourceVersion: '1', generation: 1 },
    spec: { cloudCredentialsRef: { secretName: 'clouds', cloudName: 'main' }, resource },
    status: { id: 'id', resource: shown, conditions: [{ type: 'Progressing', message }] },
  };
}

const known = (id: string) => ({ id, ready: true });

test('what cannot follow is told, with both ids and what to do; what can is not', () => {
  const shown = { projectID: 'old' };
  const object = objectOf('Network', { projectRef: 'shop' }, shown);
  const [remark = '', ...others] = outdatedRemarks(network, object, shown, { 'Project/shop': known('new') });
  assert.is(
    remark,
    'it was made of old, Project/shop is new by now: to follow spec.resource.projectRef, delete Network/one, which deletes id with all that it holds, and create it again',
  );
  assert.equal(others, []);
  assert.is(
    adviceOn(network, object, `OpenStack resource is up to date; ${remark}`)?.todo,
    'to follow spec.resource.projectRef, delete Network/one, which deletes id with all that it holds, and create it again',
  );
  for (const id of [undefined, 'old'])
    assert.equal(outdatedRemarks(network, object, shown, id === undefined ? {} : { 'Project/shop': known(id) }), []);
  const groups = objectOf('Port', { securityGroupRefs: ['web'] }, { securityGroups: ['old'] });
  assert.equal(outdatedRemarks(port, groups, { securityGroups: ['old'] }, { 'SecurityGroup/web': known('new') }), []);
});

test('ids are looked for wherever the status shows them', () => {
  const resource = {
    imageRef: 'os',
    ports: [{ portRef: 'a' }, { portRef: 'b' }],
    schedulerHints: { serverGroupRef: 'together' },
  };
  const shown = { imageID: 'i', interfaces: [{ portID: 'pa' }, { portID: 'pb' }] };
  const object = objectOf('Server', resource, shown);
  const is = (kind: string, name: string, id: string): boolean => isBuiltOnReplaced(server, object, { kind, name }, id);
  assert.equal([is('Port', 'a', 'pa'), is('Port', 'b', 'pb'), is('Image', 'os', 'i')], [false, false, false]);
  assert.equal([is('Port', 'a', 'pc'), is('Image', 'os', 'j')], [true, true]);
  assert.not.ok(is('ServerGroup', 'together', 'g'), 'whoever wrote the status may not say');
  assert.not.ok(is('Flavor', 'small', 'f'), 'nobody knows');
  assert.not.ok(is('Port', 'another', 'x'));
});

test('an object that has said so, that was imported, or that has no resource yet, is not woken', () => {
  const reference = { kind: 'Project', name: 'shop' };
  const given = { projectRef: 'shop' };
  const said = objectOf(
    'Network',
    given,
    { projectID: 'old' },
    'up to date; made of another, Project/shop is new by now: so',
  );
  assert.not.ok(isBuiltOnReplaced(network, said, reference, 'new'));
  assert.ok(isBuiltOnReplaced(network, said, reference, 'newer'));
  const { status: _, ...unmade } = said;
  assert.not.ok(isBuiltOnReplaced(network, unmade, reference, 'new'));
  const imported = { ...said, spec: { ...said.spec, managementPolicy: 'unmanaged' } };
  assert.not.ok(isBuiltOnReplaced(network, imported, reference, 'newer'));
});

test.run();
