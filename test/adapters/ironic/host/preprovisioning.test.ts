// Ramdisks of hosts: what the node is told, when an image of the host's own is needed, and when it can be used.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Host } from '../../../../adapters/ironic/host/host-json.ts';
import { patchOf, under } from '../../../../adapters/ironic/host/node-patch.ts';
import {
  imageStateOf,
  needsPreprovisioningImage,
  type PreprovisioningImage,
  preprovisioningImageSpec,
  ramdiskDecision,
  requestsPreprovisioningImage,
} from '../../../../adapters/ironic/host/preprovisioning.ts';

const test = suite('preprovisioning');

const urls = (url?: string) => ({ ...(url === undefined ? {} : { url }), byArchitecture: { x86_64: 'http://other' } });
const NOTHING = { iso: urls(), kernel: urls(), ramdisk: urls() };
const ALL = { iso: urls('http://iso'), kernel: urls('http://kernel'), ramdisk: urls('http://ramdisk') };
const NONE = {
  deploy_kernel: undefined,
  deploy_ramdisk: undefined,
  deploy_iso: undefined,
  kernel_append_params: undefined,
};
const ISO = { format: 'iso', imageUrl: 'http://own/iso' };
const INITRD = { format: 'initrd', imageUrl: 'http://own/initrd' };

type Asked = Partial<Parameters<typeof ramdiskDecision>[0]>;
const decide = (asked: Asked) =>
  ramdiskDecision({ bootsIso: true, hasBuilder: true, isNeeded: true, settings: NOTHING, ...asked });

test('each situation has the options of the table; those of others go', () => {
  const set: readonly (readonly [Asked, object])[] = [
    [{ image: ISO }, { deploy_iso: 'http://own/iso' }],
    [
      { image: { ...ISO, kernelUrl: 'http://k', extraKernelParams: 'x' }, settings: ALL },
      { deploy_iso: 'http://own/iso' },
    ],
    [{ image: ISO, isNeeded: false }, { deploy_iso: 'http://own/iso' }],
    [
      { image: { ...INITRD, kernelUrl: 'http://own/kernel' }, settings: ALL },
      { deploy_kernel: 'http://own/kernel', deploy_ramdisk: 'http://own/initrd' },
    ],
    [
      { image: INITRD, settings: ALL },
      { deploy_kernel: 'http://kernel', deploy_ramdisk: 'http://own/initrd' },
    ],
    [
      { image: { ...INITRD, extraKernelParams: 'rd.znet=x' }, settings: ALL, bootsIso: false },
      {
        deploy_kernel: 'http://kernel',
        deploy_ramdisk: 'http://own/initrd',
        kernel_append_params: '%default% rd.znet=x',
      },
    ],
    [{ hasBuilder: false, settings: ALL }, { deploy_iso: 'http://iso' }],
    [
      { hasBuilder: false, settings: ALL, bootsIso: false },
      { deploy_kernel: 'http://kernel', deploy_ramdisk: 'http://ramdisk' },
    ],
    [
      { hasBuilder: false, settings: { ...ALL, iso: urls() } },
      { deploy_kernel: 'http://kernel', deploy_ramdisk: 'http://ramdisk' },
    ],
  ];
  for (const [asked, options] of set) {
    assert.equal(decide(asked), { kind: 'set', options: { ...NONE, ...options } }, JSON.stringify(asked));
  }
});

test('otherwise the options are left alone, and with a builder the host waits for what it needs', () => {
  const noRamdisk: readonly Asked[] = [
    { settings: ALL },
    { image: ISO, bootsIso: false, settings: ALL },
    { image: INITRD },
    { image: { ...INITRD, kernelUrl: '' }, settings: { ...ALL, kernel: urls() } },
    { image: { ...ISO, imageUrl: '' } },
    { image: { ...INITRD, imageUrl: null }, settings: ALL },
    { image: { ...ISO, format: 'squashfs' }, settings: ALL },
    { image: {} },
    { image: null },
  ];
  for (const asked of noRamdisk) {
    assert.equal(decide(asked), { kind: 'wait' }, JSON.stringify(asked));
    assert.equal(decide({ ...asked, isNeeded: false }), { kind: 'untouched' }, JSON.stringify(asked));
  }
  for (const settings of [NOTHING, { ...NOTHING, kernel: urls('k') }, { ...NOTHING, ramdisk: urls('r') }]) {
    assert.equal(decide({ hasBuilder: false, settings }), { kind: 'untouched' });
  }
  assert.equal(decide({ hasBuilder: false, settings: { ...NOTHING, iso: urls('i') }, bootsIso: false }), {
    kind: 'untouched',
  });
});

test('the options are a patch of the node', () => {
  const decision = decide({ image: ISO });
  const node = { driver_info: { deploy_kernel: 'k', deploy_ramdisk: 'r', redfish_username: 'u' } };
  assert.equal(decision.kind === 'set' && patchOf(node, under('driver_info', decision.options)), [
    { op: 'remove', path: '/driver_info/deploy_kernel' },
    { op: 'remove', path: '/driver_info/deploy_ramdisk' },
    { op: 'add', path: '/driver_info/deploy_iso', value: 'http://own/iso' },
  ]);
});

test('an image is needed and requested by the state of the host', () => {
  const table: readonly (readonly [string, 'needed' | 'requested' | 'neither', Host['spec']?, string?])[] = [
    ['', 'neither'],
    ['unmanaged', 'neither'],
    ['registering', 'neither'],
    ['inspecting', 'needed'],
    ['inspecting', 'needed', { inspectionMode: 'agent' }],
    ['inspecting', 'needed', { inspectionMode: '' }],
    ['inspecting', 'neither', { inspectionMode: 'fast' }],
    ['match profile', 'neither'],
    ['preparing', 'needed'],
    ['preparing', 'needed', { inspectionMode: 'fast', automatedCleaningMode: 'disabled' }],
    ['available', 'requested'],
    ['ready', 'requested'],
    ['provisioning', 'requested'],
    ['provisioned', 'neither'],
    ['provisioned', 'neither', {}, 'OK'],
    ['provisioned', 'needed', {}, 'servicing'],
    ['externally provisioned', 'neither', {}, 'error'],
    ['externally provisioned', 'needed', {}, 'servicing'],
    ['available', 'requested', {}, 'servicing'],
    ['deprovisioning', 'needed'],
    ['deprovisioning', 'needed', { automatedCleaningMode: 'metadata' }],
    ['deprovisioning', 'neither', { automatedCleaningMode: 'disabled' }],
    ['powering off before delete', 'neither'],
    ['deleting', 'neither', {}, 'servicing'],
    ['constructor', 'neither'],
  ];
  for (const [state, expected, spec, operationalStatus] of table) {
    const host = { spec, status: { operationalStatus, provisioning: { state } } };
    const title = `${state} ${JSON.stringify(spec)} ${operationalStatus}`;
    assert.is(needsPreprovisioningImage(host), expected === 'needed', title);
    assert.is(requestsPreprovisioningImage(host), expected !== 'neither', title);
  }
  for (const host of [{}, { spec: null, status: null }, { status: { provisioning: { state: null } } }]) {
    assert.is(needsPreprovisioningImage(host), false);
    assert.is(requestsPreprovisioningImage(host), false);
  }
});

test('an image is asked for with what the driver boots', () => {
  const options = { architecture: 'aarch64', bootsIso: true };
  assert.equal(preprovisioningImageSpec({ spec: { preprovisioningNetworkDataName: 'net' } }, options), {
    networkDataName: 'net',
    architecture: 'aarch64',
    acceptFormats: ['iso', 'initrd'],
  });
  for (const preprovisioningNetworkDataName of ['', null, undefined]) {
    assert.equal(
      preprovisioningImageSpec({ spec: { preprovisioningNetworkDataName } }, { ...options, bootsIso: false }),
      {
        architecture: 'aarch64',
        acceptFormats: ['initrd'],
      },
    );
  }
});

const READY = { type: 'Ready', status: 'True', observedGeneration: 3 };
const SECRET = { name: 'net', resourceVersion: '7' };
const USABLE = {
  metadata: { generation: 3 },
  spec: { networkDataName: 'net', architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] },
  status: {
    architecture: 'x86_64',
    format: 'initrd',
    networkData: { name: 'net', version: '7' },
    conditions: [READY, { type: 'Error', status: 'False', observedGeneration: 3 }],
  },
};

test('an image is usable that is what was asked for', () => {
  assert.equal(imageStateOf(USABLE, SECRET), { kind: 'usable' });
  const { networkDataName: _, ...spec } = USABLE.spec;
  const { networkData: __, ...status } = USABLE.status;
  for (const networkData of [undefined, null, {}, { name: '', version: '' }]) {
    assert.equal(imageStateOf({ ...USABLE, spec, status: { ...status, networkData } }, undefined), {
      kind: 'usable',
    });
  }
  const young = { ...USABLE.status, conditions: [{ type: 'Ready', status: 'True' }] };
  assert.equal(imageStateOf({ ...USABLE, metadata: {}, status: young }, SECRET), { kind: 'usable' });
  const deleted = { ...USABLE.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  assert.equal(imageStateOf({ ...USABLE, metadata: deleted }, SECRET), { kind: 'usable' });
});

test('an image that is not yet is pending', () => {
  const status = (changes: NonNullable<PreprovisioningImage['status']>): PreprovisioningImage => ({
    ...USABLE,
    status: { ...USABLE.status, ...changes },
  });
  const pending: readonly PreprovisioningImage[] = [
    status({ architecture: 'aarch64' }),
    status({ architecture: null }),
    status({ format: 'iso2' }),
    status({ format: null }),
    { ...USABLE, spec: { ...USABLE.spec, acceptFormats: ['iso'] } },
    { ...USABLE, spec: { ...USABLE.spec, acceptFormats: null } },
    { ...USABLE, spec: { ...USABLE.spec, networkDataName: 'other' } },
    status({ networkData: { name: 'other', version: '7' } }),
    status({ networkData: { name: 'net', version: '6' } }),
    status({ networkData: null }),
    status({ conditions: [{ ...READY, status: 'False' }] }),
    status({ conditions: [{ ...READY, status: 'Unknown' }] }),
    status({ conditions: [{ ...READY, observedGeneration: 2 }] }),
    status({ conditions: [{ ...READY, observedGeneration: null }] }),
    status({ conditions: [] }),
    status({ conditions: null }),
    { ...USABLE, metadata: { generation: 4 } },
    { ...USABLE, status: null },
    {},
  ];
  for (const image of pending) assert.equal(imageStateOf(image, SECRET), { kind: 'pending' }, JSON.stringify(image));
  assert.equal(imageStateOf(USABLE, undefined), { kind: 'pending' });
  assert.equal(imageStateOf(USABLE, { ...SECRET, resourceVersion: '8' }), { kind: 'pending' });
});

test('an error is told in the words of the builder', () => {
  const failed = (error: object) => ({
    ...USABLE,
    status: { ...USABLE.status, conditions: [READY, { type: 'Error', status: 'True', ...error }] },
  });
  assert.equal(imageStateOf(failed({ message: 'no such format' }), SECRET), {
    kind: 'failed',
    message: 'no such format',
  });
  assert.equal(imageStateOf(failed({}), undefined), { kind: 'failed', message: '' });
});

test.run();
