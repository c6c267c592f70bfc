// Errors in the status, back-off, pauses and room, and changing a status.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backoffMs, retryMs } from '../../../machines/bare-metal-host/backoff.ts';
import { admitted, delayed, needsCapacity } from '../../../machines/bare-metal-host/capacity.ts';
import {
  dataImageStepPauseMs,
  delayedPauseMs,
  hostClaimConflictPauseMs,
  imageSecretMissingPauseMs,
  ironicPauseMs,
  PAUSES_MS,
  SOFT_POWER_OFF_TIMEOUT_SECONDS,
} from '../../../machines/bare-metal-host/delays.ts';
import {
  clearError,
  clearErrorOf,
  ERROR_EVENTS,
  ErrorType,
  hasError,
  isRestartOnFailure,
  recordError,
} from '../../../machines/bare-metal-host/errors.ts';
import { completeStatus, isEqual, patchStatus } from '../../../machines/bare-metal-host/status.ts';
import { host, STATES } from './hosts.ts';

const test = suite('errors, back-off and pauses');
const MINUTE = 60_000;

test('each type of error has its event', () => {
  assert.equal(ERROR_EVENTS, {
    'registration error': 'RegistrationError',
    'provisioned registration error': 'ProvisionedRegistrationError',
    'inspection error': 'InspectionError',
    'preparation error': 'PreparationError',
    'provisioning error': 'ProvisioningError',
    'power management error': 'PowerManagementError',
    'servicing error': 'ServicingError',
    'detach error': 'DetachError',
  });
});

test('an error that is recorded is counted, and told by an event and a metric', () => {
  const { status } = host({ status: { errorCount: 2 } });
  for (const errorType of Object.values(ErrorType)) {
    const recorded = recordError(status, errorType, 'it broke');
    assert.is(recorded.status.operationalStatus, 'error');
    assert.is(recorded.status.errorType, errorType);
    assert.is(recorded.status.errorMessage, 'it broke');
    assert.is(recorded.status.errorCount, 3);
    assert.equal(recorded.events, [{ reason: ERROR_EVENTS[errorType], message: 'it broke' }]);
    assert.equal(recorded.measures, [
      { name: 'metal3_host_error_total', labels: { error_type: ERROR_EVENTS[errorType] } },
    ]);
    assert.ok(hasError(recorded.status));
    assert.ok(isRestartOnFailure(recorded.status, errorType));
    assert.is(status.errorCount, 2, 'what was there stays as it was');
  }
  assert.is(recordError(undefined, ErrorType.Detach, '').status.errorCount, 1);
});

test('an error that is cleared leaves its count', () => {
  const failed = recordError(host().status, ErrorType.Inspection, 'it broke').status;
  const cleared = clearError(failed);
  assert.is(cleared.operationalStatus, 'OK');
  assert.not.ok('errorType' in cleared);
  assert.is(cleared.errorMessage, '');
  assert.is(cleared.errorCount, 1);
  assert.not(hasError(cleared));
  assert.is(clearErrorOf(failed, ErrorType.Provisioning), failed);
  assert.equal(clearErrorOf(failed, ErrorType.Inspection), cleared);
  assert.not(isRestartOnFailure(failed, ErrorType.Provisioning));
});

test('the back-off doubles with each error, up to the ninth', () => {
  for (let count = 1; count <= 9; count += 1) {
    assert.is(backoffMs(count, 0), 2 ** count * MINUTE);
    assert.is(backoffMs(count, 0.5), 2 ** count * 0.75 * MINUTE);
    assert.ok(backoffMs(count, 0.999999) > 2 ** (count - 1) * MINUTE);
  }
  assert.is(backoffMs(9, 0), 512 * MINUTE);
  assert.is(backoffMs(10, 0), 512 * MINUTE);
  assert.is(backoffMs(1_000_000, 0), 512 * MINUTE);
  for (const odd of [0, -5, null, undefined]) assert.is(backoffMs(odd, 0), MINUTE);
});

test('what no status tells of is tried again from 5 ms to 1,000 s', () => {
  assert.equal([0, 1, 2, 3, 18, 19, 5_000].map(retryMs), [5, 5, 10, 20, 655_360, 1_000_000, 1_000_000]);
});

test('every delay of the contract is there', () => {
  const seconds = Object.fromEntries(Object.entries(PAUSES_MS).map(([name, pause]) => [name, pause / 1_000]));
  assert.equal(seconds, {
    stable: 60,
    unmanaged: 600,
    detached: 600,
    credentialsMissing: 10,
    ironicNotReady: 30,
    preprovisioningImage: 300,
    firmwareNotReady: 60,
    servicingEnded: 60,
    ironicShort: 3,
    ironicLong: 10,
    firmwareRefresh: 300,
    firmwareChangePending: 60,
    firmwareError: 30,
    firmwareHostAway: 600,
    dataImage: 60,
    dataImageQueryFailed: 30,
    dataImageHostDetached: 20,
    eventSubscriptionWithoutHost: 600,
    preprovisioningImageNotReady: 10,
    hostClaimWithoutHost: 30,
    switchCredentialsMissing: 10,
  });
  assert.is(SOFT_POWER_OFF_TIMEOUT_SECONDS, 180);
});

test('delays that depend on something', () => {
  assert.is(ironicPauseMs(3_000, 0), 3_000);
  assert.is(ironicPauseMs(10_000, 0.5), 11_250);
  assert.is(delayedPauseMs(0), 2 * MINUTE);
  assert.is(delayedPauseMs(0.5), 1.5 * MINUTE);
  assert.is(dataImageStepPauseMs(0, 0.9), 33_000);
  assert.is(dataImageStepPauseMs(undefined, 0), MINUTE);
  assert.is(dataImageStepPauseMs(3, 0), 8 * MINUTE);
  assert.is(imageSecretMissingPauseMs(0), 10_000);
  assert.is(imageSecretMissingPauseMs(25_000), 35_000);
  assert.is(imageSecretMissingPauseMs(3_600_000), 600_000);
  assert.is(hostClaimConflictPauseMs(0), 100);
  assert.is(hostClaimConflictPauseMs(0.5), 550);
});

test('room is needed before three states, and a host without it is delayed', () => {
  assert.equal(STATES.filter(needsCapacity), ['inspecting', 'provisioning', 'deprovisioning']);
  const { status } = host({ state: 'available' });
  const measured = (state: string) => delayed(status, state).measures.map(({ name }) => name);
  assert.equal(measured('inspecting'), ['metal3_delayed__provisioning_total']);
  assert.equal(measured('provisioning'), ['metal3_delayed__provisioning_total']);
  assert.equal(measured('deprovisioning'), ['metal3_delayed__deprovisioning_total']);
  const waiting = delayed(status, 'provisioning').status;
  assert.is(waiting.operationalStatus, 'delayed');
  assert.is(waiting.provisioning?.state, 'available');
  assert.is(admitted(waiting).operationalStatus, 'OK');
  assert.is(admitted(status), status);
});

test('a patch that changes nothing leaves the very same status', () => {
  const { status } = host({ state: 'available', provisioning: { image: { url: 'a' } } });
  assert.is(patchStatus(status, { errorCount: 0, errorType: undefined }), status);
  assert.is(patchStatus(status, { provisioning: { image: { url: 'a' } } }), status);
  const changed = patchStatus(status, { provisioning: { image: undefined, ID: 'other' } });
  assert.equal(changed.provisioning, { ID: 'other', state: 'available' });
  assert.is(status.provisioning.ID, 'node-uuid');
});

test('members that clients rely on are always there', () => {
  const required = {
    operationalStatus: '',
    errorMessage: '',
    errorCount: 0,
    poweredOn: false,
    provisioningFailCount: 0,
    provisioning: { state: '', ID: '' },
  };
  for (const status of [undefined, null, {}, { provisioning: null }]) assert.equal(completeStatus(status), required);
  const { status } = host({ state: 'inspecting' });
  assert.equal(completeStatus(status), status);
});

test('equal is what is the same JSON', () => {
  assert.ok(isEqual({ a: 1, b: undefined }, { a: 1 }));
  assert.ok(isEqual({ a: [1, { b: 2 }], c: null }, { c: null, a: [1, { b: 2 }] }));
  assert.not(isEqual({ a: null }, {}));
  assert.not(isEqual([], {}));
  assert.not(isEqual([1, 2], [2, 1]));
  assert.not(isEqual({ toString: 1 }, {}));
});

test.run();
