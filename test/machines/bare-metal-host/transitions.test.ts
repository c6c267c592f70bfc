// Every transition of a host, with what the status says then; history, boot mode and registration too.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bootModeOnEntry, wantedBootMode } from '../../../machines/bare-metal-host/boot-mode.ts';
import { beginOperation, endOperation, operationOf, timestamp } from '../../../machines/bare-metal-host/history.ts';
import { isRegistrationAnew, nodeStatus, registeredStatus } from '../../../machines/bare-metal-host/registration.ts';
import {
  attempted,
  enterState,
  type HostFacts,
  makeTransition,
  nextTransition,
  TRANSITIONS,
  type TransitionName,
} from '../../../machines/bare-metal-host/transitions.ts';
import { AT, BARE, BMC, EARLIER, host, IMAGE, NOW, OTHER_IMAGE, type Parts, STATES } from './hosts.ts';

const test = suite('transitions of a host');
const DONE = { outcome: 'done' } as const;
const FAILED = { outcome: 'failed' } as const;
const OUT_OF_REACH = { outcome: 'absent', hasCredentials: false } as const;
const INSPECT = { annotations: { 'inspect.metal3.io': '' } };
const DISABLED = { annotations: { 'inspect.metal3.io': 'disabled' } };
const ERROR = { errorType: 'provisioning error', operationalStatus: 'error', errorMessage: 'no', errorCount: 2 };

/** What the host goes on by, and to where. */
type Case = readonly [name: TransitionName | undefined, to: string | undefined, parts: Parts, facts?: HostFacts];

const CASES: readonly Case[] = [
  ['managed', 'registering', { state: '', spec: BMC }],
  ['managed', 'registering', { state: '', spec: { bmc: { address: '', credentialsName: 'bmc' } } }],
  ['discovered', 'unmanaged', { state: '' }],
  ['discovered', 'unmanaged', { state: '', spec: { bmc: { address: '', credentialsName: '' } } }],
  ['managed', 'registering', { state: 'unmanaged', spec: BMC }],
  [undefined, undefined, { state: 'unmanaged' }],
  [undefined, undefined, { state: 'registering', spec: BMC }],
  [
    'registeredExternal',
    'externally provisioned',
    { state: 'registering', spec: { externallyProvisioned: true } },
    DONE,
  ],
  ['registeredUninspected', 'preparing', { state: 'registering', spec: { inspectionMode: 'disabled' } }, DONE],
  ['registeredUninspected', 'preparing', { state: 'registering', ...DISABLED }, DONE],
  ['registered', 'inspecting', { state: 'registering' }, DONE],
  ['registered', 'inspecting', { state: 'registering', spec: { inspectionMode: 'fast' } }, DONE],
  [undefined, undefined, { state: 'registering' }, FAILED],
  ['inspectionSkipped', 'preparing', { state: 'inspecting', spec: { inspectionMode: 'disabled' } }],
  ['inspectionSkipped', 'preparing', { state: 'inspecting', ...DISABLED }, DONE],
  ['inspected', 'preparing', { state: 'inspecting' }, DONE],
  [undefined, undefined, { state: 'inspecting' }],
  ['profileMatched', 'preparing', { state: 'match profile' }],
  ['prepared', 'available', { state: 'preparing' }, DONE],
  [undefined, undefined, { state: 'preparing' }, FAILED],
  ...['available', 'ready'].flatMap((state): readonly Case[] => [
    ['externallyProvisioned', 'externally provisioned', { state, spec: { externallyProvisioned: true } }],
    ['inspectedAgain', 'inspecting', { state, ...INSPECT }],
    [undefined, undefined, { state, ...DISABLED }],
    ['preparedAgain', 'preparing', { state }, { isUnprepared: true }],
    ['preparedAgain', 'preparing', { state, spec: { image: IMAGE } }, { isFirmwareChanged: true }],
    ['wanted', 'provisioning', { state, spec: { image: IMAGE } }],
    ['wanted', 'provisioning', { state, spec: { customDeploy: { method: 'install' } } }],
    [
      undefined,
      undefined,
      { state, spec: { image: IMAGE }, status: { provisioningFailCount: 5, lastAttemptedImage: IMAGE } },
    ],
    [
      'wanted',
      'provisioning',
      { state, spec: { image: IMAGE }, status: { provisioningFailCount: 5, lastAttemptedImage: IMAGE } },
      { maxProvisioningRetries: 6 },
    ],
    [undefined, undefined, { state, spec: { image: IMAGE, online: false } }],
    [undefined, undefined, { state }],
  ]),
  ['abandoned', 'deprovisioning', { state: 'provisioning', spec: { image: IMAGE }, status: ERROR }],
  ['abandoned', 'deprovisioning', { state: 'provisioning' }],
  ['abandoned', 'deprovisioning', { state: 'provisioning' }, DONE],
  [
    'provisioned',
    'provisioned',
    { state: 'provisioning', spec: { image: IMAGE }, status: { lastAttemptedImage: IMAGE } },
    DONE,
  ],
  ['provisioned', 'provisioned', { state: 'provisioning', spec: { customDeploy: { method: 'install' } } }, DONE],
  [
    undefined,
    undefined,
    { state: 'provisioning', spec: { image: OTHER_IMAGE }, status: { lastAttemptedImage: IMAGE } },
    DONE,
  ],
  [undefined, undefined, { state: 'provisioning', spec: { image: IMAGE } }],
  ['canceled', 'deprovisioning', { state: 'provisioned', provisioning: { image: IMAGE } }],
  [
    'canceled',
    'deprovisioning',
    { state: 'provisioned', spec: { image: OTHER_IMAGE }, provisioning: { image: IMAGE } },
  ],
  [undefined, undefined, { state: 'provisioned', spec: { image: IMAGE }, provisioning: { image: IMAGE } }],
  [undefined, undefined, { state: 'externally provisioned', spec: { externallyProvisioned: true } }],
  ['takenOver', 'provisioned', { state: 'externally provisioned' }],
  ['deprovisioned', 'available', { state: 'deprovisioning' }, DONE],
  ['deprovisionedAtEnd', 'powering off before delete', { state: 'deprovisioning', deleted: true }, DONE],
  [
    'deprovisioningGivenUp',
    'powering off before delete',
    { state: 'deprovisioning', deleted: true, status: { ...ERROR, errorCount: 4 } },
    FAILED,
  ],
  [undefined, undefined, { state: 'deprovisioning', deleted: true, status: { ...ERROR, errorCount: 3 } }, FAILED],
  [undefined, undefined, { state: 'deprovisioning', status: { ...ERROR, errorCount: 9 } }, FAILED],
  ['deprovisioningOutOfReach', 'deleting', { state: 'deprovisioning', deleted: true }, OUT_OF_REACH],
  [undefined, undefined, { state: 'deprovisioning', deleted: true }, { outcome: 'absent' }],
  ['poweredOff', 'deleting', { state: 'powering off before delete', deleted: true }, DONE],
  ['poweredOff', 'deleting', { state: 'powering off before delete', deleted: true, spec: { disablePowerOff: true } }],
  [
    'powerOffGivenUp',
    'deleting',
    { state: 'powering off before delete', deleted: true, status: { ...ERROR, errorCount: 4 } },
    FAILED,
  ],
  [
    undefined,
    undefined,
    { state: 'powering off before delete', deleted: true, status: { ...ERROR, errorCount: 3 } },
    FAILED,
  ],
  ['powerOffOutOfReach', 'deleting', { state: 'powering off before delete', deleted: true }, OUT_OF_REACH],
  [undefined, undefined, { state: 'deleting', deleted: true }, DONE],
  [undefined, undefined, { state: 'what nobody knows', spec: { image: IMAGE } }, DONE],
];

test('each state goes on where the contract says', () => {
  const taken = new Set<string>();
  for (const [name, to, parts, facts] of CASES) {
    const why = `${JSON.stringify(parts)} ${JSON.stringify(facts)}`;
    assert.is(nextTransition(host(parts), facts), name, why);
    if (name === undefined) continue;
    taken.add(name);
    assert.is(makeTransition(host(parts), name, { at: AT, facts: facts ?? {} }).status.provisioning?.state, to, why);
  }
  assert.equal(
    Object.keys(TRANSITIONS).filter((name) => !taken.has(name)),
    [],
    'a row without a case',
  );
});

test('a success clears the error of its own kind, and no other', () => {
  const kinds: readonly (readonly [TransitionName, string, string])[] = [
    ['inspected', 'inspecting', 'inspection error'],
    ['inspectionSkipped', 'inspecting', 'inspection error'],
    ['prepared', 'preparing', 'preparation error'],
    ['provisioned', 'provisioning', 'provisioning error'],
    ['deprovisioned', 'deprovisioning', 'provisioning error'],
    ['deprovisionedAtEnd', 'deprovisioning', 'provisioning error'],
    ['poweredOff', 'powering off before delete', 'power management error'],
  ];
  for (const [name, state, errorType] of kinds) {
    const { status } = after(name, { state, status: { ...ERROR, errorType } });
    assert.is(status.errorType, undefined, name);
    assert.is(status.operationalStatus, 'OK', name);
    assert.is(after(name, { state, status: { ...ERROR, errorType: 'detach error' } }).status.errorType, 'detach error');
  }
});

test('a host that goes on is not delayed any more', () => {
  const { status } = after('preparedAgain', { state: 'available', status: { operationalStatus: 'delayed' } });
  assert.is(status.operationalStatus, 'OK');
});

/** The status after the transition. */
const after = (name: TransitionName, parts: Parts, facts: HostFacts = {}) =>
  makeTransition(host(parts), name, { at: AT, facts });

test('a success ends the count of errors', () => {
  const names: readonly (readonly [TransitionName, string])[] = [
    ['registered', 'registering'],
    ['registeredExternal', 'registering'],
    ['registeredUninspected', 'registering'],
    ['inspected', 'inspecting'],
    ['inspectionSkipped', 'inspecting'],
    ['profileMatched', 'match profile'],
    ['prepared', 'preparing'],
    ['provisioned', 'provisioning'],
    ['deprovisioned', 'deprovisioning'],
    ['deprovisionedAtEnd', 'deprovisioning'],
    ['poweredOff', 'powering off before delete'],
  ];
  const status = { errorCount: 3 };
  for (const [name, state] of names) assert.is(after(name, { state, status }).status.errorCount, 0, name);
  for (const [name, state] of [
    ['abandoned', 'provisioning'],
    ['canceled', 'provisioned'],
    ['wanted', 'available'],
    ['deprovisioningGivenUp', 'deprovisioning'],
    ['powerOffGivenUp', 'powering off before delete'],
  ] as const) {
    assert.is(after(name, { state, status }).status.errorCount, 3, name);
  }
});

test('a new host without a BMC is discovered', () => {
  const { status, events, measures } = after('discovered', { status: { operationalStatus: '' } });
  assert.is(status.operationalStatus, 'discovered');
  assert.equal(
    events.map(({ reason }) => reason),
    ['Discovered'],
  );
  assert.ok(measures.some(({ name }) => name === 'metal3_host_unmanaged_total'));
});

test('what was inspected is in the status, and a skipped inspection is told', () => {
  const hardware = { hostname: 'node-1' };
  assert.equal(after('inspected', { state: 'inspecting' }, { ...DONE, hardware }).status.hardware, hardware);
  assert.not.ok('hardware' in after('inspected', { state: 'inspecting' }, DONE).status);
  const { events } = after('inspectionSkipped', { state: 'inspecting' });
  assert.equal(
    events.map(({ reason }) => reason),
    ['InspectionSkipped'],
  );
});

const RAID = { hardwareRAIDVolumes: [{ level: '1' }], softwareRAIDVolumes: [{ level: '0' }] };
const APPLIED = { rootDeviceHints: { hctl: '0:0:0:0' }, raid: RAID, image: IMAGE, customDeploy: { method: 'install' } };

test('an externally provisioned host keeps no record of hints and software RAID', () => {
  const { status } = after('externallyProvisioned', { state: 'available', provisioning: APPLIED });
  assert.not.ok('rootDeviceHints' in (status.provisioning ?? {}));
  assert.equal(status.provisioning?.raid, { hardwareRAIDVolumes: RAID.hardwareRAIDVolumes });
});

test('a deployment that begins clears the error, and notes what is tried', () => {
  const parts = { state: 'available', spec: { image: IMAGE }, status: { ...ERROR, provisioningFailCount: 2 } };
  const { status } = after('wanted', parts);
  assert.is(status.errorType, undefined);
  assert.is(status.operationalStatus, 'OK');
  assert.is(status.errorMessage, '');
  assert.is(status.errorCount, 2);
  assert.equal(status.lastAttemptedImage, IMAGE);
  assert.is(status.provisioningFailCount, 0, 'it is another image than the one that failed');
  assert.equal(attempted(host(parts)), { lastAttemptedImage: IMAGE });
  const again = after('wanted', { ...parts, status: { ...parts.status, lastAttemptedImage: IMAGE } });
  assert.is(again.status.provisioningFailCount, 2);
});

test('a deployment that failed is counted, one that was canceled is not', () => {
  const counted = (status: object): number | null | undefined =>
    after('abandoned', { state: 'provisioning', status }).status.provisioningFailCount;
  assert.is(counted({ ...ERROR, provisioningFailCount: 2 }), 3);
  assert.is(counted({ provisioningFailCount: 2 }), 2);
});

test('what was deployed is in the status', () => {
  const customDeploy = { method: 'install' };
  const deployed = (spec: object) =>
    after('provisioned', { state: 'provisioning', spec, status: { provisioningFailCount: 2 } });
  const { status } = deployed({ image: IMAGE, customDeploy });
  assert.equal(status.provisioning?.image, IMAGE);
  assert.equal(status.provisioning?.customDeploy, customDeploy);
  assert.is(status.provisioningFailCount, 0);
  assert.equal(deployed({ customDeploy }).status.provisioning?.image, { url: '' });
  assert.not.ok('customDeploy' in (deployed({ image: IMAGE }).status.provisioning ?? {}));
});

test('a host that is no longer external is as if it had been provisioned with what it wants', () => {
  const spec = { image: IMAGE, customDeploy: { method: 'install' } };
  const { status } = after('takenOver', { state: 'externally provisioned', spec });
  assert.equal(status.provisioning?.image, IMAGE);
  assert.equal(status.provisioning?.customDeploy, spec.customDeploy);
  assert.is(nextTransition(host({ state: 'provisioned', spec, provisioning: status.provisioning ?? {} })), undefined);
  const bare = after('takenOver', { state: 'externally provisioned' }).status;
  assert.is(nextTransition({ ...host(), status: bare }), 'canceled', 'with neither, the next pass deprovisions');
});

test('what was deployed is forgotten when it is gone', () => {
  for (const name of ['deprovisioned', 'deprovisionedAtEnd'] as const) {
    const { status } = after(name, { state: 'deprovisioning', provisioning: APPLIED });
    assert.equal(status.provisioning?.image, { url: '' });
    assert.not.ok('customDeploy' in (status.provisioning ?? {}));
    assert.not.ok('rootDeviceHints' in (status.provisioning ?? {}));
    assert.equal(status.provisioning?.raid, { hardwareRAIDVolumes: RAID.hardwareRAIDVolumes });
  }
  const givenUp = after('deprovisioningGivenUp', { state: 'deprovisioning', provisioning: APPLIED });
  assert.equal(givenUp.status.provisioning?.image, IMAGE);
  assert.ok(givenUp.measures.some(({ name }) => name === 'metal3_delete_without_deprovisioning_total'));
});

test('a host that was switched off says so, one that may not be does not', () => {
  const state = 'powering off before delete';
  const status = { poweredOn: true };
  assert.is(after('poweredOff', { state, status }).status.poweredOn, false);
  assert.is(after('poweredOff', { state, status, spec: { disablePowerOff: true } }).status.poweredOn, true);
  for (const name of ['powerOffGivenUp', 'powerOffOutOfReach'] as const) {
    const { measures } = after(name, { state });
    assert.ok(measures.some((each) => each.name === 'metal3_delete_without_powering_off_total'));
  }
});

test('each transition is counted with both states', () => {
  const { measures } = after('prepared', { state: 'preparing' });
  assert.equal(measures, [
    {
      name: 'metal3_provisioning_state_change_total',
      labels: { prev_state: 'preparing', new_state: 'available' },
    },
  ]);
});

test('a state that is entered anew changes nothing', () => {
  const entered = enterState(host({ state: 'inspecting' }), 'inspecting', AT);
  assert.equal(entered, { status: host({ state: 'inspecting' }).status, events: [], measures: [] });
});

test('the boot mode is taken in three states', () => {
  const spec = { bootMode: 'legacy' };
  for (const state of STATES) {
    const isTaken = ['registering', 'inspecting', 'provisioning'].includes(state);
    assert.is(bootModeOnEntry(host({ spec }), state), isTaken ? 'legacy' : undefined, state);
  }
  assert.is(wantedBootMode(host()), 'UEFI');
  assert.is(wantedBootMode(host({ spec: { bootMode: '' } })), 'UEFI');
  const kept = after('prepared', { state: 'preparing', spec, provisioning: { bootMode: 'UEFI' } });
  assert.is(kept.status.provisioning?.bootMode, 'UEFI');
  assert.is(after('registered', { state: 'registering', spec }).status.provisioning?.bootMode, 'legacy');
});

test('four operations have a history', () => {
  const named = STATES.map((state) => [state, operationOf(state)]).filter(([, operation]) => operation !== undefined);
  assert.equal(Object.fromEntries(named), {
    registering: 'register',
    inspecting: 'inspect',
    provisioning: 'provision',
    deprovisioning: 'deprovision',
  });
});

test('an operation begins where its state is entered, and ends where that is left', () => {
  const operationHistory = { register: { start: EARLIER, end: null } };
  const { status, measures } = after('registered', { state: 'registering', status: { operationHistory } });
  assert.equal(status.operationHistory, {
    register: { start: EARLIER, end: NOW },
    inspect: { start: NOW, end: null },
  });
  assert.equal(measures[0], { name: 'metal3_operation_register_duration_seconds', seconds: 245.678 });
});

test('an operation that is under way goes on, and one that never began does not end', () => {
  const running = { operationHistory: { inspect: { start: EARLIER, end: null } } };
  assert.is(beginOperation(running, 'inspect', AT), running);
  const over = { operationHistory: { inspect: { start: EARLIER, end: EARLIER } } };
  assert.equal(beginOperation(over, 'inspect', AT).operationHistory, { inspect: { start: NOW, end: null } });
  assert.equal(beginOperation({}, 'provision', AT).operationHistory, { provision: { start: NOW, end: null } });
  assert.equal(endOperation({}, 'inspect', AT), { status: {}, measures: [] });
  assert.equal(endOperation(over, 'inspect', AT), { status: over, measures: [] });
  const odd = { operationHistory: { inspect: { start: 'one day', end: null } } };
  assert.equal(endOperation(odd, 'inspect', AT).measures, []);
  assert.is(timestamp(AT), NOW);
});

test('a registration within another state is a run of its own after an error, or with other credentials', () => {
  const used = { credentials: { name: 'bmc', namespace: 'metal' }, credentialsVersion: '7' };
  const anew = (state: string, status: object) => isRegistrationAnew(host({ state, status }), used);
  assert.is(anew('available', { goodCredentials: used }), false);
  assert.is(anew('available', {}), true);
  assert.is(anew('available', { goodCredentials: { ...used, credentialsVersion: '8' } }), true);
  assert.is(
    anew('available', { goodCredentials: { ...used, credentials: { name: 'other', namespace: 'metal' } } }),
    true,
  );
  assert.is(anew('available', { goodCredentials: used, errorType: 'registration error' }), true);
  assert.is(anew('registering', { errorType: 'registration error' }), false);
  assert.is(isRegistrationAnew(host({ state: 'available' }), undefined), false);
});

test('a host that is registered is well, unless something else is wrong', () => {
  assert.is(registeredStatus({ operationalStatus: '' }).operationalStatus, 'OK');
  assert.is(registeredStatus({ operationalStatus: 'discovered' }).operationalStatus, 'OK');
  assert.is(registeredStatus({ operationalStatus: 'servicing' }).operationalStatus, 'servicing');
  const failed = { operationalStatus: 'error', errorType: 'registration error', errorMessage: 'no', errorCount: 2 };
  assert.equal(registeredStatus(failed), { operationalStatus: 'OK', errorMessage: '', errorCount: 2 });
  const other = { ...failed, errorType: 'inspection error' };
  assert.is(registeredStatus(other), other);
});

test('another node forgets what was being applied to the last one', () => {
  const known = host({ state: 'preparing', provisioning: APPLIED });
  assert.is(nodeStatus(known, 'node-uuid'), known.status);
  const another = nodeStatus(known, 'another-uuid').provisioning;
  assert.is(another?.ID, 'another-uuid');
  assert.not.ok('rootDeviceHints' in (another ?? {}));
  assert.equal(another?.raid, { hardwareRAIDVolumes: RAID.hardwareRAIDVolumes });
  const elsewhere = nodeStatus(host({ state: 'provisioned', provisioning: APPLIED }), 'another-uuid').provisioning;
  assert.equal(elsewhere, { ...APPLIED, ID: 'another-uuid', state: 'provisioned' });
});

test('nothing is certain to be there', () => {
  for (const bare of BARE) {
    assert.is(nextTransition(bare), 'discovered');
    for (const name of Object.keys(TRANSITIONS) as TransitionName[]) {
      assert.is(makeTransition(bare, name, { at: AT }).status.provisioning?.state, TRANSITIONS[name].to);
    }
  }
});

test.run();
