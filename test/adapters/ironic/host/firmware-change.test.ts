// What an update policy permits, and when firmware is looked at again.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  FirmwareRefreshMs,
  firmwareChange,
  firmwareRefreshMs,
  firmwareRereadMs,
  servicedOnReboot,
} from '../../../../adapters/ironic/host/firmware-change.ts';

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

test('looks: 5 minutes, 1 while a change is pending, 30 s after an error', () => {
  const changed = (status: 'True' | 'False'): Parameters<typeof firmwareRefreshMs>[0] => [
    { type: 'ChangeDetected', status, reason: 'Success', message: '', lastTransitionTime: '' },
  ];
  assert.is(firmwareRefreshMs(changed('False')), 300_000);
  assert.is(firmwareRefreshMs([]), 300_000);
  assert.is(firmwareRefreshMs(changed('True')), 60_000);
  assert.equal([firmwareRereadMs(changed('True')), firmwareRereadMs([])], [300_000, 21_600_000]);
  assert.is(FirmwareRefreshMs.Failed, 30_000);
});

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
