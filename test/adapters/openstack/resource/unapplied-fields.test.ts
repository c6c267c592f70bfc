// Fields of which nothing comes, told by what the status shows: a reference is judged only where the status shows its id.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KINDS } from '../../../../adapters/openstack/kinds/registry.ts';
import { volume } from '../../../../adapters/openstack/kinds/volume.ts';
import { unappliedFieldsOf } from '../../../../adapters/openstack/resource/desired.ts';
import type { TableKind } from '../../../../adapters/openstack/resource/table.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';

const test = suite('unheeded fields');

const edited = (kind: string, resource: JsonObject): KubeObject => ({
  apiVersion: 'openstack.k-orc.cloud/v1alpha1',
  kind,
  metadata: { name: 'a', namespace: 'ns', uid: 'uid', resourceVersion: '1', generation: 2 },
  spec: { resource },
});

test('33.F5: a volume type is no unheeded field: Cinder shows its name, and the spec leads to its id', () => {
  const known = { 'VolumeType/fast': { id: '6b0e3b3a-0a53-4f0c-9a5e-2f3f4a1c7d10', ready: true } };
  const shown = { name: 'a', size: 1, status: 'available', volumeType: 'fast', bootable: false, encrypted: false };
  assert.equal(unappliedFieldsOf(volume, edited('Volume', { size: 1, volumeTypeRef: 'fast' }), shown, known), []);
});

test('33.F5: a reference whose id the status does not say it shows is not judged, whatever the kind', () => {
  for (const kind of KINDS.filter((each): each is TableKind => 'resource' in each)) {
    for (const [name, { schema }] of Object.entries(kind.resource)) {
      const { reference } = schema;
      if (reference === undefined || reference.shownBy !== undefined) continue;
      const known = { [`${reference.kind}/other`]: { id: 'id-other', ready: true } };
      const shown = Object.fromEntries(Object.keys(kind.status).map((field) => [field, 'a name']));
      assert.equal(
        unappliedFieldsOf(kind, edited(kind.kind, { [name]: 'other' }), shown, known),
        [],
        `${kind.kind} ${name}`,
      );
    }
  }
});

test.run();
