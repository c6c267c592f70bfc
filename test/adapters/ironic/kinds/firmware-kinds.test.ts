// The kinds that show firmware, as data: to what they refer, how they stand for their host, and what wakes them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firmwareSchema } from '../../../../adapters/ironic/firmware-schema-kind.ts';
import { hostFirmwareComponents } from '../../../../adapters/ironic/kinds/host-firmware-components.ts';
import { hostFirmwareSettings } from '../../../../adapters/ironic/kinds/host-firmware-settings.ts';
import {
  firmwareComponentsOperations,
  firmwareSettingsOperations,
} from '../../../../adapters/ironic/steps/firmware.ts';
import { resourcePath } from '../../../../adapters/kubernetes/resource.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';

const test = suite('firmware kinds');

const HOST = { kind: 'BareMetalHost', name: 'host', finalizers: [], neededFor: 'always' };

function object(status?: JsonObject, spec: JsonObject = { settings: {} }): KubeObject {
  const metadata = { name: 'host', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 3 };
  return { apiVersion: 'metal3.io/v1alpha1', kind: '', metadata, spec, ...(status !== undefined && { status }) };
}

function judged(changed: string, valid: string, observedGeneration = 3): JsonObject {
  const condition = { reason: 'Success', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration };
  return {
    settings: { Mode: 'On' },
    conditions: [
      { ...condition, type: 'ChangeDetected', status: changed },
      { ...condition, type: 'Valid', status: valid },
    ],
  };
}

test('they are where the API server has them', () => {
  const paths = [hostFirmwareSettings, hostFirmwareComponents, firmwareSchema].map((kind) =>
    resourcePath(kind, 'ns', 'host'),
  );
  assert.equal(
    paths,
    ['hostfirmwaresettings', 'hostfirmwarecomponents', 'firmwareschemas'].map(
      (plural) => `/apis/metal3.io/v1alpha1/namespaces/ns/${plural}/host`,
    ),
  );
});

test('they refer to the host of their name, and settings to the schema that their status names', () => {
  const named = object({ schema: { name: 'schema-1', namespace: 'ns' } });
  assert.equal(hostFirmwareComponents.references(named), [HOST]);
  assert.equal(hostFirmwareSettings.references(object()), [HOST]);
  const schema = { kind: 'FirmwareSchema', name: 'schema-1', finalizers: [], neededFor: 'never' };
  assert.equal(hostFirmwareSettings.references(named), [HOST, schema]);
  const elsewhere = object({ schema: { name: 'schema-1', namespace: 'other' } });
  assert.equal(hostFirmwareSettings.references(elsewhere), [HOST]);
});

test('the host hears what was found, of the spec as it is', () => {
  for (const kind of [hostFirmwareSettings, hostFirmwareComponents]) {
    const standing = (status?: JsonObject, isNow?: boolean) => kind.publicState(object(status), isNow);
    assert.equal(standing(judged('True', 'True')), {
      ready: true,
      id: 'host',
      attributes: { isChanged: true, isValid: true },
    });
    assert.equal(standing(judged('False', 'False')).attributes, { isChanged: false, isValid: false });
    for (const stale of [undefined, { settings: {} }, judged('True', 'True', 2)]) {
      assert.equal(standing(stale), { ready: false, id: 'host' });
    }
  }
});

test('while it is looked again, the host waits (OBSERVED-NODE-2)', () => {
  for (const kind of [hostFirmwareSettings, hostFirmwareComponents]) {
    assert.is(kind.publicState(object(judged('True', 'True')), false).ready, false);
    assert.is(kind.publicState(object(judged('True', 'True')), true).ready, true);
    assert.is(kind.publicState(object(judged('True', 'True', 2)), true).ready, false);
  }
});

test('a change of settings that nobody has read is not ready', () => {
  const status = { ...judged('True', 'True'), settings: {} };
  assert.is(hostFirmwareSettings.publicState(object(status)).ready, false);
  assert.is(hostFirmwareComponents.publicState(object(status)).ready, true);
});

test('their lives see edits, deletion, and whoever writes their status', () => {
  const { life } = hostFirmwareSettings;
  const view = (each: KubeObject) => JSON.stringify(life.view(each, 0));
  const before = object(judged('True', 'True'));
  assert.is(view(before), view({ ...before, metadata: { ...before.metadata, resourceVersion: '2' } }));
  const others = [
    { ...before, metadata: { ...before.metadata, generation: 4 } },
    { ...before, metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    object(judged('False', 'True')),
    object({ ...judged('True', 'True'), settings: { Mode: 'Off' } }),
    object(),
  ];
  for (const other of others) assert.is.not(view(before), view(other));
  assert.ok(view(before).length < 120, 'it is kept of every object');
});

test('a life at rest is woken by what its host says, and by nothing that it knows', () => {
  const { wakesOn } = hostFirmwareSettings.life;
  const answer = { readiness: 'ready', uid: 'h', externalId: 'n', attributes: { state: 'available' } } as const;
  assert.ok(wakesOn?.(undefined, answer));
  assert.ok(wakesOn?.(answer, { ...answer, readiness: 'pending' }));
  assert.ok(wakesOn?.(answer, { ...answer, attributes: { state: 'preparing' } }));
  assert.not.ok(wakesOn?.(answer, { ...answer }));
});

test('they hold nothing and nobody, and all that they ask for is served', () => {
  const served = {
    hostfirmwaresettings: firmwareSettingsOperations({} as never),
    hostfirmwarecomponents: firmwareComponentsOperations({} as never),
  };
  for (const kind of [hostFirmwareSettings, hostFirmwareComponents]) {
    assert.equal([kind.finalizer, kind.guards, kind.children(object())], ['', [], []]);
    const { [kind.plural as keyof typeof served]: operations } = served;
    assert.equal(Object.keys(operations ?? {}).sort(), [...kind.operations].sort());
  }
});

test.run();
