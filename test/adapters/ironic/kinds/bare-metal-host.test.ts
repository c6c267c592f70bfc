// How a host stands for those who refer to it: whether they may ask Ironic for its node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bareMetalHost } from '../../../../adapters/ironic/kinds/bare-metal-host.ts';
import type { KubeObject } from '../../../../machines/object.ts';

const test = suite('how a host stands');

const kind = bareMetalHost({ maxProvisioningRetries: 5, preprovisioningImages: 'none' });
const DETACHED = 'baremetalhost.metal3.io/detached';

function host(state: string, annotations?: Record<string, string>, operationalStatus = 'OK'): KubeObject {
  const metadata = { name: 'host', uid: 'u', resourceVersion: '1', ...(annotations !== undefined && { annotations }) };
  const status = { operationalStatus, provisioning: { state, ID: 'node' } };
  return { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata, spec: {}, status };
}

const ROWS: readonly (readonly [string, KubeObject, boolean])[] = [
  ['available', host('available'), true],
  ['registering', host('registering'), true],
  ['new', host(''), false],
  ['unmanaged', host('unmanaged'), false],
  ['paused', host('available', { 'baremetalhost.metal3.io/paused': '' }), false],
  ['with other annotations', host('available', { 'reboot.metal3.io': '' }), true],
  ['detached', host('available', { [DETACHED]: '' }, 'detached'), false],
  ['detached, and to be attached again', host('available', {}, 'detached'), false],
  ['being detached', host('provisioned', { [DETACHED]: '' }), false],
  ['being detached by force', host('preparing', { [DETACHED]: '{"force": true}' }), false],
  // What is applied to it waits for its firmware to be known.
  ['to be detached once it is prepared', host('preparing', { [DETACHED]: '' }), true],
  ['to be detached once it is inspected', host('inspecting', { [DETACHED]: '' }), true],
];
for (const [title, object, isManaged] of ROWS) {
  test(`a host ${title} is ${isManaged ? 'worked with' : 'left alone'}`, () => {
    const { ready, attributes } = kind.standing(object);
    assert.is(ready, isManaged);
    assert.is(attributes?.['isDetached'], title.includes('detached') && !isManaged);
  });
}

test('nobody works with a host before its node is known', () => {
  const { status, ...rest } = host('registering');
  assert.is(kind.standing({ ...rest, status: { ...status, provisioning: { state: 'registering' } } }).ready, false);
});

test.run();
