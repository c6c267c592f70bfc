// What an update policy permits, when firmware is looked at again, and which hosts are left alone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  FirmwareRefreshMs,
  firmwareChange,
  firmwareRefreshMs,
  firmwareRereadMs,
  isFirmwareSkipped,
  servicedOnReboot,
} from '../../../../adapters/ironic/hosts/firmware-change.ts';
import { isDetached, isPaused, isUnmanaged } from '../../../../adapters/ironic/hosts/host-marks.ts';

const test = suite('firmware change');

const policies: readonly (readonly [object | null | undefined, boolean, boolean])[] = [
  [undefined, false, false],
  [null, false, false],
  [{}, false, false],
  [{ firmwareSettings: 'onPreparing', firmwareUpdates: 'onPreparing' }, false, false],
  [{ firmwareSettings: 'onReboot' }, true, false],
  [{ firmwareUpdates: 'onReboot' }, false, true],
  [{ firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' }, true, true],
  [{ firmwareSettings: 'onreboot', firmwareUpdates: null }, false, false],
];

for (const [policy, settings, components] of policies) {
  test(`policy ${JSON.stringify(policy)}`, () => assert.equal(servicedOnReboot(policy), { settings, components }));
}

test('looks: 5 minutes, 1 while a change is pending, 30 s after an error, 10 minutes where nothing is looked at', () => {
  const changed = (status: 'True' | 'False'): Parameters<typeof firmwareRefreshMs>[0] => [
    { type: 'ChangeDetected', status, reason: 'Success', message: '', lastTransitionTime: '' },
  ];
  assert.is(firmwareRefreshMs(changed('False')), 300_000);
  assert.is(firmwareRefreshMs([]), 300_000);
  assert.is(firmwareRefreshMs(changed('True')), 60_000);
  assert.equal([firmwareRereadMs(changed('True')), firmwareRereadMs([])], [300_000, 21_600_000]);
  assert.is(FirmwareRefreshMs.Failed, 30_000);
  assert.is(FirmwareRefreshMs.Skipped, 600_000);
});

const host = (
  state: string | undefined,
  annotations?: Record<string, string> | null,
  operationalStatus = 'OK',
): object => ({
  metadata: { annotations },
  status: { operationalStatus, provisioning: { state } },
});

const hosts: readonly (readonly [string, object, boolean])[] = [
  ['available', host('available'), false],
  ['registering', host('registering', null), false],
  ['new', host(''), true],
  ['without a state', host(undefined), true],
  ['without a status', { metadata: {} }, true],
  ['with nulls', { metadata: { annotations: null }, status: null }, true],
  ['unmanaged', host('unmanaged'), true],
  ['paused', host('available', { 'baremetalhost.metal3.io/paused': '' }), true],
  ['to be detached', host('available', { 'baremetalhost.metal3.io/detached': 'true' }), true],
  ['detached', host('available', {}, 'detached'), true],
  ['with other annotations', host('available', { 'reboot.metal3.io': '' }), false],
];

for (const [title, each, isSkipped] of hosts) {
  test(`a host ${title} is ${isSkipped ? 'left alone' : 'looked at'}`, () => {
    const marked = each as Parameters<typeof isFirmwareSkipped>[0];
    assert.is(isFirmwareSkipped(marked), isSkipped);
    assert.is(isPaused(marked) || isDetached(marked) || isUnmanaged(marked), isSkipped);
  });
}

test('components need no settings: their conditions are enough', () => {
  const conditions = ['ChangeDetected', 'Valid'].map((type) => ({
    type,
    status: 'True' as const,
    reason: 'OK',
    message: '',
    lastTransitionTime: '',
    observedGeneration: 1,
  }));
  assert.is(firmwareChange({ metadata: { generation: 1 }, status: { conditions } }), 'changed');
  assert.is(firmwareChange({ metadata: { generation: 2 }, status: { conditions } }), 'notReady');
});

test.run();
