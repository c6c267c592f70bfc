// The status annotation: both shapes, and what is none.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../../../actors/base/clock.ts';
import { restoredStatus } from '../../../../../adapters/ironic/api/conversion/restored-status.ts';
import { type Field, fieldsOf, HARDWARE_ROWS, HOST_ROWS, randomValue, type Tree } from './fields.ts';
import { alpha, toBeta } from './objects.ts';

const test = suite('restored status');

const ALWAYS = {
  operationalStatus: '',
  errorMessage: '',
  poweredOn: false,
  errorCount: 0,
  provisioningFailCount: 0,
  provisioning: { state: '', ID: '', image: { url: '' } },
};

function restored(text: string): { readonly status: Tree; readonly hardware: unknown } {
  const result = restoredStatus(text);
  if (result.kind === 'failed') throw new Error(result.error.message);
  return { status: result.status as Tree, hardware: result.hardware };
}

function failure(text: string): string {
  const result = restoredStatus(text);
  assert.is(result.kind, 'failed');
  return result.kind === 'failed' ? result.error.message : '';
}

test('an empty status has what clients rely on', () => {
  assert.equal(restored('{}'), { status: ALWAYS, hardware: undefined });
});

const DISK = { hctl: '0:0:0:0', rotational: false };
const provisioning = (disk: Tree): Tree => ({
  state: 'provisioned',
  ID: '1b0a',
  image: { url: 'http://x', checksum: 'c' },
  rootDeviceHints: disk,
  raid: { hardwareRAIDVolumes: null, softwareRAIDVolumes: [{ level: '1', physicalDisks: [disk, {}] }] },
});
const OLD = { deviceName: '/dev/sda', model: 'M', vendor: 'V', ...DISK };
const NEW = { devicePath: '/dev/sda', modelContains: 'M', vendorContains: 'V', ...DISK };

for (const [title, disk] of Object.entries({ v1alpha1: OLD, v1beta1: NEW })) {
  test(`names of ${title} are understood`, () => {
    const { status } = restored(JSON.stringify({ provisioning: provisioning(disk) }));
    assert.equal(status, { ...ALWAYS, provisioning: provisioning(OLD) });
  });
}

test('of two names of one field the newer counts', () => {
  const { status } = restored(
    JSON.stringify({ provisioning: { rootDeviceHints: { devicePath: 'new', deviceName: 'old' } } }),
  );
  assert.equal((status['provisioning'] as Tree)['rootDeviceHints'], { deviceName: 'new' });
  const other = restored(
    JSON.stringify({ provisioning: { rootDeviceHints: { deviceName: 'old', devicePath: 'new' } } }),
  );
  assert.equal((other.status['provisioning'] as Tree)['rootDeviceHints'], { deviceName: 'new' });
});

test('hardware and profile of v1alpha1 are taken; the hardware is for HardwareData', () => {
  const hardware = {
    hostname: 'node-0',
    nics: [{ name: 'eth0', vlans: [{ id: 4 }] }],
    cpu: { clockMegahertz: 2_100.5 },
  };
  const { status, hardware: details } = restored(JSON.stringify({ hardware, hardwareProfile: 'dell' }));
  assert.equal(details, hardware);
  assert.equal(status, { ...ALWAYS, hardware, hardwareProfile: 'dell' });
});

test('what no version knows is left out, and so is null where it says nothing', () => {
  const text = JSON.stringify({
    surplus: { deep: 1 },
    errorMessage: null,
    hardware: { surplus: 1, hostname: null },
    provisioning: { ID: 'x', raid: { softwareRAIDVolumes: null, hardwareRAIDVolumes: [] }, surplus: [] },
    operationHistory: { inspect: { start: '2026-08-20T10:00:00Z', end: null } },
    triedCredentials: null,
  });
  assert.equal(restored(text).status, {
    ...ALWAYS,
    hardware: {},
    provisioning: { ...ALWAYS.provisioning, ID: 'x', raid: { softwareRAIDVolumes: null, hardwareRAIDVolumes: [] } },
    operationHistory: { inspect: { start: '2026-08-20T10:00:00Z', end: null } },
  });
});

test('keys of Object.prototype are of no version', () => {
  const { status } = restored('{"__proto__": {"poweredOn": true}, "constructor": {}, "hardware": {"__proto__": {}}}');
  assert.equal(status, { ...ALWAYS, hardware: {} });
  assert.not(Object.hasOwn(status, '__proto__'));
  assert.is(Object.getPrototypeOf(status['hardware']), Object.prototype);
});

test('any status of either version is taken as it is', () => {
  const field = fieldsOf([...HOST_ROWS, ...HARDWARE_ROWS], 'v1alpha1').fields.get('status') as Field;
  const random = mulberry32(5);
  for (let run = 0; run < 500; run++) {
    const status = randomValue(field, random) as Tree;
    if (status['conditions'] !== undefined) status['conditions'] = [{ type: 'Ready', observedGeneration: 3 }];
    const { provisioning, ...others } = status;
    const expected = { ...ALWAYS, ...others, provisioning: { ...ALWAYS.provisioning, ...(provisioning as Tree) } };
    assert.equal(restored(JSON.stringify(status)).status, expected);
    const there = toBeta(alpha({ spec: {}, status: { ...status, lastAttemptedImage: { url: 'x' } } }))[
      'status'
    ] as Tree;
    const hints = (restored(JSON.stringify(there)).status['provisioning'] as Tree)['rootDeviceHints'];
    assert.equal(hints, (provisioning as Tree | undefined)?.['rootDeviceHints']);
  }
});

for (const text of ['', 'x', '{', '[]', 'null', '5', '"x"', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`]) {
  test(`no JSON object: ${text.slice(0, 20)}`, () => {
    assert.is(failure(text), 'the status annotation is not a JSON object');
  });
}

const WRONG: readonly (readonly [status: Tree, path: string])[] = [
  [{ poweredOn: 'yes' }, 'poweredOn'],
  [{ errorCount: '1' }, 'errorCount'],
  [{ errorCount: 1.5 }, 'errorCount'],
  [{ provisioning: [] }, 'provisioning'],
  [{ provisioning: { ID: 5 } }, 'provisioning.ID'],
  [{ hardware: { nics: {} } }, 'hardware.nics'],
  [{ hardware: { nics: [{}, { mac: 5 }] } }, 'hardware.nics[1].mac'],
  [{ hardware: { nics: [null] } }, 'hardware.nics[0]'],
  [{ operationHistory: { inspect: { start: 5 } } }, 'operationHistory.inspect.start'],
  [{ provisioning: { rootDeviceHints: { devicePath: 5 } } }, 'provisioning.rootDeviceHints.deviceName'],
];
for (const [status, path] of WRONG) {
  test(`a value of another type at ${path}`, () => {
    assert.is(failure(JSON.stringify(status)), `the status annotation has a value of another type at ${path}`);
  });
}

test.run();
