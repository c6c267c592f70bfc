// Registration (13.2): what is checked, and what follows by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { Feature } from '../../../../adapters/ironic/client/versions.ts';
import { type RegistrationInput, register } from '../../../../adapters/ironic/steps/registration.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import type { Step } from '../../../../adapters/ironic/steps/step.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import {
  asks,
  CREDENTIALS,
  driverNamed,
  failedHost,
  hostIn,
  LEAVES_MAINTENANCE,
  MAC,
  NO_RAMDISK,
  nodeIn,
  notesOf,
  reported,
  UUID,
} from './builders.ts';
import {
  ABSENT,
  inputOf,
  newCredentials,
  PORTS_OF_NODE,
  patchIn,
  registered,
  settledNode,
  without,
} from './registering.ts';

const test = suite('registration of a node');

// Checks

const CHECKS: readonly (readonly [string, Partial<RegistrationInput>, string])[] = [
  [
    'fast inspection by IPMI',
    { driver: driverNamed('ipmi'), host: hostIn('registering', { spec: { inspectionMode: 'fast' } }) },
    'BMC driver ipmi does not support fast (out-of-band) inspection',
  ],
  [
    'secure boot by IPMI',
    {
      driver: driverNamed('libvirt'),
      host: hostIn('registering', { status: { provisioning: { bootMode: 'UEFISecureBoot' } } }),
    },
    'BMC driver libvirt does not support secure boot',
  ],
  [
    'no provisioning network, and the driver boots from one',
    { driver: driverNamed('redfish+http'), isProvisioningNetworkDisabled: true },
    'BMC driver redfish+http requires a provisioning network',
  ],
  [
    'power that is never to be cut, with an Ironic that does not know that',
    { host: hostIn('registering', { spec: { disablePowerOff: true } }), features: without(Feature.DisablePowerOff) },
    'current ironic version does not support DisablePowerOff, refusing to manage node',
  ],
  ['a PreprovisioningImage that was not built', { problem: 'the image was not built' }, 'the image was not built'],
];
for (const [title, more, message] of CHECKS) {
  test(`refused before Ironic is asked: ${title}`, () => {
    assert.is(reported(register(inputOf(more))), `registration error: ${message}`);
  });
}

const UNCHECKED: readonly (readonly [string, Partial<RegistrationInput>])[] = [
  ['fast inspection by Redfish', { host: hostIn('registering', { spec: { inspectionMode: 'fast' } }) }],
  [
    'secure boot by Redfish',
    { host: hostIn('registering', { status: { provisioning: { bootMode: 'UEFISecureBoot' } } }) },
  ],
  ['no provisioning network with virtual media', { isProvisioningNetworkDisabled: true }],
  ['a network driver and a provisioning network', { driver: driverNamed('redfish') }],
  ['power that is never to be cut', { host: hostIn('registering', { spec: { disablePowerOff: true } }) }],
];
for (const [title, more] of UNCHECKED) {
  test(`not refused: ${title}`, () => assert.is(reported(register(inputOf(more))), 'GET N; then onward'));
}

test('a driver that needs the MAC address is refused without one, after the look-up', () => {
  const host = hostIn('registering', { spec: { bootMACAddress: '' } });
  const driver = driverNamed('libvirt');
  const message = 'registration error: BMC driver libvirt requires a BootMACAddress value';
  assert.is(reported(register(inputOf({ host, driver }))), 'GET N; then onward');
  assert.is(reported(register(inputOf({ host, driver, facts: ABSENT }))), message);
  assert.is(reported(registered(nodeIn('manageable'), { host, driver })), message);
  const other = { host, driver: driverNamed('redfish'), facts: ABSENT };
  assert.ok(reported(register(inputOf(other))).startsWith('POST /v1/nodes'));
});

test('33.D: a host without a MAC address that is not inspected is not enrolled', () => {
  const message = 'registration error: BMC driver redfish requires a BootMACAddress value';
  const driver = driverNamed('redfish');
  for (const more of [{ spec: { inspectionMode: 'disabled' } }, { annotations: { 'inspect.metal3.io': 'disabled' } }]) {
    const host = hostIn('registering', { ...more, spec: { ...more.spec, bootMACAddress: '' } });
    assert.is(reported(register(inputOf({ host, driver, facts: ABSENT }))), message);
    assert.is.not(
      reported(registered(nodeIn('manageable'), { host, driver })),
      message,
      'one that is enrolled stays so',
    );
  }
});

// Network data

test('network data of the ramdisk are told after the ports', () => {
  const networkData = { links: [] };
  assert.is(reported(registered(settledNode, { memory: undefined, networkData })), PORTS_OF_NODE);
  const step = registered(settledNode, { networkData });
  assert.equal(patchIn(step), [{ op: 'add', path: '/network_data', value: networkData }]);
  assert.is(reported(registered({ ...settledNode, network_data: networkData }, { networkData })), 'done');
  assert.is(reported(registered(settledNode, { networkData, facts: { networked: settledNode } })), 'done');
});

// By the state of the node

const failedOnce = failedHost('registering', 'registration error');
const STATES: readonly (readonly [string, IronicNode, Partial<RegistrationInput>, string])[] = [
  ['enroll with an error', nodeIn('enroll', { last_error: 'no way' }), {}, 'registration error: no way'],
  [
    'enroll with an error, new credentials',
    nodeIn('enroll', { last_error: 'no way' }),
    { credentials: newCredentials, facts: { updated: nodeIn('enroll', { last_error: 'no way' }) } },
    asks('manage'),
  ],
  [
    'enroll with an error, tried anew',
    nodeIn('enroll', { last_error: 'no way' }),
    { host: failedOnce },
    asks('manage'),
  ],
  ['enroll, on its way', nodeIn('enroll', { target_provision_state: 'manage' }), {}, 'wait short'],
  [
    'enroll, on its way, as Ironic tells it',
    nodeIn('enroll', { target_provision_state: 'manageable' }),
    {},
    'wait short',
  ],
  ['enroll', nodeIn('enroll'), {}, asks('manage')],
  ['enroll in maintenance', nodeIn('enroll', { maintenance: true }), {}, LEAVES_MAINTENANCE],
  ['verifying', nodeIn('verifying'), {}, 'wait short'],
];
for (const [title, node, more, expected] of STATES) {
  test(title, () => assert.is(reported(registered(node, more)), expected));
}

test('a registration that is tried anew ends the error once Ironic has taken it', () => {
  const step = registered(nodeIn('enroll', { last_error: 'no way' }), { host: failedOnce });
  assert.equal(notesOf(step), { isErrorOver: true });
});

const UNTOUCHED = ['clean wait', 'cleaning', 'wait call-back', 'deploying', 'inspecting'];
const CONFIGURED = Object.values(ProvisionState).filter(
  (state) => !UNTOUCHED.includes(state) && state !== 'enroll' && state !== 'verifying',
);
const unconfigured = { automated_clean: null };
for (const state of UNTOUCHED) {
  test(`a node that is ${state} is left as it is`, () => {
    const ramdisk = { kind: 'set', options: { ...NO_RAMDISK, deploy_iso: 'http://iso' } } as const;
    assert.is(reported(registered(nodeIn(state, unconfigured), { ramdisk, hasFirmwareComponents: false })), 'done');
  });
}
test('a busy node reports the settings that it lacks (IRONIC-REGISTRATION-2)', () => {
  for (const state of UNTOUCHED) {
    assert.is(isUnconfigured(registered(nodeIn(state, unconfigured))), true, state);
    assert.is(
      isUnconfigured(registered(nodeIn(state), { ramdisk: { kind: 'wait' } })),
      true,
      `${state}, no ramdisk yet`,
    );
    assert.is(isUnconfigured(registered(nodeIn(state))), undefined, `${state}, as it is to be`);
  }
  assert.is(isUnconfigured(registered(settledNode)), undefined);
});

function isUnconfigured(step: Step): unknown {
  assert.is(step.step, 'done');
  return notesOf(step)['isUnconfigured'];
}

for (const state of CONFIGURED) {
  test(`a node that is ${state} is configured`, () => {
    const step = registered(nodeIn(state, unconfigured));
    assert.equal(patchIn(step), [{ op: 'add', path: '/automated_clean', value: true }]);
    assert.is(reported(registered(nodeIn(state, unconfigured), { facts: { configured: nodeIn(state) } })), 'done');
  });
}

// Configuration

const KERNEL = { deploy_kernel: 'http://kernel', deploy_ramdisk: 'http://ramdisk' };
const CONFIGURATIONS: readonly (readonly [string, IronicNode, Partial<RegistrationInput>, readonly JsonObject[]])[] = [
  [
    'cleaning is disabled',
    settledNode,
    { host: hostIn('available', { spec: { automatedCleaningMode: 'disabled' } }) },
    [{ op: 'add', path: '/automated_clean', value: false }],
  ],
  [
    'the boot mode among other capabilities',
    nodeIn('manageable', { properties: { capabilities: 'cpu_vt:true,boot_mode:bios', cpu_arch: 'x86_64' } }),
    {},
    [{ op: 'add', path: '/properties/capabilities', value: 'cpu_vt:true,boot_mode:uefi' }],
  ],
  [
    'an ISO',
    nodeIn('manageable', { driver_info: { ...KERNEL, kernel_append_params: 'x', redfish_address: 'y' } }),
    { ramdisk: { kind: 'set', options: { ...NO_RAMDISK, deploy_iso: 'http://iso' } } },
    [
      { op: 'remove', path: '/driver_info/deploy_kernel' },
      { op: 'remove', path: '/driver_info/deploy_ramdisk' },
      { op: 'add', path: '/driver_info/deploy_iso', value: 'http://iso' },
      { op: 'remove', path: '/driver_info/kernel_append_params' },
    ],
  ],
  [
    'kernel, ramdisk and parameters',
    nodeIn('manageable', { driver_info: { deploy_iso: 'http://iso' } }),
    { ramdisk: { kind: 'set', options: { ...NO_RAMDISK, ...KERNEL, kernel_append_params: '%default% quiet' } } },
    [
      { op: 'add', path: '/driver_info/deploy_kernel', value: 'http://kernel' },
      { op: 'add', path: '/driver_info/deploy_ramdisk', value: 'http://ramdisk' },
      { op: 'remove', path: '/driver_info/deploy_iso' },
      { op: 'add', path: '/driver_info/kernel_append_params', value: '%default% quiet' },
    ],
  ],
];
for (const [title, node, more, expected] of CONFIGURATIONS) {
  test(`configured: ${title}`, () => assert.equal(patchIn(registered(node, more)), expected));
}

test('a ramdisk that nobody knows leaves the keys as they are', () => {
  assert.is(reported(registered(nodeIn('manageable', { driver_info: { ...KERNEL } }))), 'done');
});

test('a ramdisk that is needed is waited for, with all else configured', () => {
  const ramdisk = { kind: 'wait' } as const;
  assert.ok(reported(registered(nodeIn('manageable', unconfigured), { ramdisk })).startsWith('PATCH'));
  assert.is(reported(registered(settledNode, { ramdisk })), 'wait preprovisioningImage');
});

// Firmware components

test('firmware components are listed once, while the host has no object for them', () => {
  const more = { hasFirmwareComponents: false, memory: { node: UUID, macs: [MAC] } };
  assert.is(reported(registered(settledNode, more)), 'GET N/firmware; then onward');
  for (const [firmware, listsComponents] of [
    [[{ component: 'bios' }], true],
    [[], false],
  ] as const) {
    const step = registered(settledNode, { ...more, facts: { firmware } });
    assert.ok(step.step === 'done');
    assert.equal(notesOf(step), {
      node: settledNode,
      listsComponents,
      remember: { node: UUID, components: listsComponents },
    });
    const again = registered(settledNode, { ...more, memory: { ...more.memory, components: listsComponents } });
    assert.equal(again, { step: 'done', node: settledNode, listsComponents });
  }
});

test('interfaces that know no firmware list none', () => {
  const step = registered(settledNode, { hasFirmwareComponents: false });
  assert.is(step.step, 'done');
  const asked = registered(settledNode, { hasFirmwareComponents: false, memory: { node: UUID, macs: [MAC] } });
  assert.ok(asked.step === 'send');
  assert.equal(asked.requests[0]?.expects, [200, 400, 404]);
});

// The end

test('a registration error is over, and the credentials are good', () => {
  const credentials = { ...CREDENTIALS, credentialsVersion: '9' };
  const host = hostIn('available', { status: { errorType: 'registration error', triedCredentials: credentials } });
  const step = registered(settledNode, { host, credentials });
  assert.equal(notesOf(step), {
    node: settledNode,
    events: ['BMCAccessValidated'],
    status: { goodCredentials: credentials },
    isErrorOver: true,
  });
});

test('an error of another kind stays', () => {
  assert.equal(notesOf(registered(settledNode, { host: failedHost('available', 'power management error') })), {
    node: settledNode,
  });
});

test('no password is in what is said', () => {
  for (const facts of [ABSENT, { byId: { ...settledNode, name: 'one' } }, { ...ABSENT, enrolled: nodeIn('enroll') }]) {
    const step = register(inputOf({ facts, credentials: newCredentials }));
    const notes = JSON.stringify({
      ...step,
      requests: step.step === 'send' ? step.requests.map(({ failure }) => failure) : [],
    });
    assert.not(notes.includes('hidden'));
  }
});

test.run();
