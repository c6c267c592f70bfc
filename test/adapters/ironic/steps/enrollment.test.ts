// Enrolment of a node, and the patch of one that is there already (13.2).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { Feature } from '../../../../adapters/ironic/client/versions.ts';
import { DRIVERS } from '../../../../adapters/ironic/host/drivers.ts';
import { type RegistrationInput, register } from '../../../../adapters/ironic/steps/registration.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { CREDENTIALS, hostIn, MAC, nodeIn, notesOf, reported, UUID } from './builders.ts';
import {
  ABSENT,
  bodyOf,
  DRIVER_INFO,
  inputOf,
  newCredentials,
  patchIn,
  registered,
  settledNode,
  without,
} from './registering.ts';

const test = suite('enrolment of a node');

// Enrolment

for (const [type, driver] of DRIVERS) {
  test(`a node of ${type} is made with what the driver says, and no more`, () => {
    const step = register(inputOf({ driver, facts: ABSENT }));
    assert.equal(bodyOf(step), {
      driver: driver.driver,
      ...driver.interfaces,
      inspect_interface: 'agent',
      name: 'ns~one',
      driver_info: DRIVER_INFO,
      disable_power_off: false,
      properties: { capabilities: 'boot_mode:uefi', cpu_arch: 'x86_64' },
    });
  });
}

test('a new node is told of, and the credentials count as tried', () => {
  const step = register(inputOf({ facts: ABSENT }));
  assert.ok(step.step === 'send' && step.then === 'onward' && step.requests[0]?.path === '/v1/nodes');
  assert.equal(notesOf(step), { events: ['Registered'], status: { triedCredentials: CREDENTIALS } });
});

const ENROLMENTS: readonly (readonly [string, Partial<RegistrationInput>, JsonObject])[] = [
  [
    'fast inspection',
    { host: hostIn('registering', { spec: { inspectionMode: 'fast' } }) },
    { inspect_interface: 'redfish' },
  ],
  ['a deploy interface', { deployInterface: 'custom-agent' }, { deploy_interface: 'custom-agent' }],
  [
    'power that is never cut',
    { host: hostIn('registering', { spec: { disablePowerOff: true } }) },
    { disable_power_off: true },
  ],
  [
    'legacy boot',
    { host: hostIn('registering', { status: { provisioning: { bootMode: 'legacy' } } }) },
    { properties: { capabilities: 'boot_mode:bios', cpu_arch: 'x86_64' } },
  ],
];
for (const [title, more, expected] of ENROLMENTS) {
  test(`a node is made with ${title}`, () => {
    const body = bodyOf(register(inputOf({ ...more, facts: ABSENT }))) as JsonObject;
    for (const [member, value] of Object.entries(expected)) assert.equal(body[member], value);
  });
}

test('an Ironic that refuses requests with disable_power_off is not sent it', () => {
  const features = without(Feature.DisablePowerOff);
  const body = bodyOf(register(inputOf({ features, facts: ABSENT }))) as JsonObject;
  assert.not('disable_power_off' in body);
  assert.is(reported(registered(nodeIn('manageable'), { features })), reported(registered(nodeIn('manageable'))));
});

test('a node that is made without an answer is not made again (IRONIC-REGISTRATION-1)', () => {
  const step = register(inputOf({ facts: { ...ABSENT, enrolled: null } }));
  assert.is(reported(step), 'stuck: Ironic has made a node, and does not say which');
});

test('the UUID is recorded as soon as it is known', () => {
  const host = hostIn('registering', { status: { provisioning: { ID: 'gone' } } });
  const step = register(inputOf({ host, facts: { ...ABSENT, enrolled: nodeIn('enroll') } }));
  assert.equal(notesOf(step), { status: { provisioning: { ID: UUID } } });
});

test('a new node has nothing of what was prepared on the old one', () => {
  const host = hostIn('preparing', { status: { provisioning: { ID: 'gone' } } });
  const step = register(inputOf({ host, facts: { ...ABSENT, enrolled: nodeIn('enroll') } }));
  assert.equal(notesOf(step), { status: { provisioning: { ID: UUID } }, forget: ['rootDeviceHints', 'softwareRaid'] });
});

test('an Ironic that knows no firmware interfaces is not sent one, and lists nothing of them', () => {
  const features = without(Feature.FirmwareComponents);
  const body = bodyOf(register(inputOf({ features, facts: ABSENT }))) as JsonObject;
  assert.is(body['boot_interface'], 'redfish-virtual-media');
  assert.not('firmware_interface' in body);
  const more = { features, hasFirmwareComponents: false, memory: { node: UUID, macs: [MAC] } };
  assert.equal(registered(nodeIn('manageable'), more), { step: 'done', node: nodeIn('manageable') });
});

// Update

test('nothing is sent and nothing is read while nothing differs', () => {
  assert.equal(registered(settledNode), { step: 'done', node: settledNode });
});

const DIFFERENCES: readonly (readonly [string, IronicNode, Partial<RegistrationInput>, readonly string[]])[] = [
  ['the name', { ...settledNode, name: 'one' }, {}, ['/name']],
  ['no name', { ...settledNode, name: null }, {}, ['/name']],
  ['new credentials', settledNode, { credentials: newCredentials }, ['/driver_info']],
  ['a new address', settledNode, { isAddressChanged: true }, ['/driver_info']],
  [
    'power that is never to be cut',
    settledNode,
    { host: hostIn('available', { spec: { disablePowerOff: true } }) },
    ['/disable_power_off'],
  ],
  ['power that may be cut again', { ...settledNode, disable_power_off: true }, {}, ['/disable_power_off']],
  [
    '33.D: a URL for IPv6 that holds no more',
    { ...settledNode, driver_info: { redfish_address: 'https://bmc', external_http_url: 'http://[fd00::1]' } },
    {},
    ['/driver_info/external_http_url'],
  ],
  [
    '33.D: a URL for IPv6 that is another one now',
    { ...settledNode, driver_info: { redfish_address: 'https://bmc', external_http_url: 'http://[fd00::1]' } },
    { driverInfo: { ...DRIVER_INFO, external_http_url: 'http://[fd00::2]' } },
    ['/driver_info/external_http_url'],
  ],
  ['the architecture', settledNode, { architecture: 'aarch64' }, ['/properties/cpu_arch']],
];
for (const [title, node, more, paths] of DIFFERENCES) {
  test(`one patch of what differs: ${title}`, () => {
    const step = registered(node, more);
    assert.equal(
      patchIn(step).map((operation) => (operation as JsonObject)['path']),
      paths,
    );
    assert.ok(step.step === 'send' && step.then === 'onward');
  });
}

test('the BMC is told as a whole, once a pass, and counts as tried with that', () => {
  const step = registered(settledNode, { credentials: newCredentials });
  assert.equal(patchIn(step), [{ op: 'add', path: '/driver_info', value: DRIVER_INFO }]);
  assert.equal(notesOf(step), { status: { triedCredentials: newCredentials } });
  const next = registered(settledNode, { credentials: newCredentials, facts: { updated: settledNode } });
  assert.is(next.step, 'done');
  assert.equal(notesOf(next), {
    node: settledNode,
    events: ['BMCAccessValidated'],
    status: { goodCredentials: newCredentials },
  });
});

test('another driver or other interfaces are told while the host is registering, and Ironic takes them', () => {
  const node = nodeIn('enroll', {
    driver: 'ipmi',
    boot_interface: 'ipxe',
    raid_interface: 'no-raid',
    firmware_interface: 'no-firmware',
  });
  const host = hostIn('registering');
  const step = registered(node, { host });
  assert.equal(patchIn(step), [
    { op: 'add', path: '/driver', value: 'redfish' },
    { op: 'add', path: '/boot_interface', value: 'redfish-virtual-media' },
    { op: 'add', path: '/firmware_interface', value: 'redfish' },
    { op: 'add', path: '/raid_interface', value: 'redfish' },
  ]);
  assert.ok(step.step === 'send');
  assert.equal(step.requests[0]?.query, { reset_interfaces: 'true' });
  const same = registered({ ...node, driver: 'redfish' }, { host });
  assert.ok(same.step === 'send' && same.requests[0]?.query === undefined);
  assert.not(
    reported(registered({ ...node, provision_state: 'manageable' })).includes('/driver'),
    'not of a host that is registered',
  );
  assert.not(
    reported(registered({ ...node, provision_state: 'active' }, { host })).includes('/driver'),
    'not in this state',
  );
  assert.ok(
    reported(registered({ ...node, provision_state: 'manageable' }, { isAddressChanged: true })).includes('/driver'),
  );
});

test.run();
