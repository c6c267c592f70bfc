// What a node is told before a deployment: each case of the table, on a node that knows nothing and on one that knows all.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Host, Image } from '../../../../adapters/ironic/host/host-json.ts';
import {
  deployInterface,
  deploySteps,
  instancePatch,
  isOtherImage,
  isSameImage,
} from '../../../../adapters/ironic/host/instance-info.ts';
import type { Patch } from '../../../../adapters/ironic/host/node-patch.ts';
import type { Json, JsonObject } from '../../../../bus/bus.ts';

const test = suite('instance info');

const BARE: JsonObject = { instance_uuid: null, deploy_interface: 'direct', instance_info: {}, driver_info: {} };

const STALE: JsonObject = {
  instance_uuid: 'before',
  deploy_interface: 'direct',
  instance_info: {
    capabilities: { secure_boot: 'true' },
    root_device: { name: 's== /dev/before' },
    boot_iso: 'http://before/iso',
    image_source: 'http://before/image',
    image_checksum: 'before',
    image_os_hash_algo: 'before',
    image_os_hash_value: 'before',
    image_disk_format: 'before',
    image_pull_secret: '******',
    other: 'stays',
  },
  driver_info: { force_persistent_boot_device: 'Never', other: 'stays' },
};

const SET_ALWAYS = { '/instance_uuid': 'uid', '/instance_info/capabilities': {}, '/instance_info/root_device': {} };

function host(spec: Host['spec'], provisioning: NonNullable<Host['status']>['provisioning'] = {}): Host {
  return { metadata: { name: 'n', namespace: 'ns', uid: 'uid' }, spec, status: { provisioning } };
}

/** What a patch sets, and what it removes. */
function reported(patch: Patch): { readonly set: JsonObject; readonly removed: readonly string[] } {
  const set: [string, Json][] = patch.flatMap((each) => (each.op === 'add' ? [[each.path, each.value]] : []));
  return {
    set: Object.fromEntries(set),
    removed: patch.flatMap(({ op, path }) => (op === 'remove' ? [path] : [])).sort(),
  };
}

const info = (...names: readonly string[]): readonly string[] => names.map((name) => `/instance_info/${name}`).sort();
const ALL_CHECKSUMS = ['image_checksum', 'image_os_hash_algo', 'image_os_hash_value'] as const;

interface Row {
  readonly title: string;
  readonly spec: Host['spec'];
  readonly pullSecret?: string;
  /** Under `/instance_info`. */
  readonly options?: JsonObject;
  readonly beside?: JsonObject;
  readonly removed: readonly string[];
}

const url = 'http://images/a.qcow2';
const DEFAULT = { '/driver_info/force_persistent_boot_device': 'Default' };
const AGENT = { '/deploy_interface': 'custom-agent' };
const custom = { customDeploy: { method: 'install_coreos' } };

const ROWS: readonly Row[] = [
  ...[undefined, null, '', 'auto'].map(
    (checksumType): Row => ({
      title: `disk image, checksum type ${checksumType}`,
      spec: { image: { url, checksum: 'c', checksumType, format: 'qcow2' } },
      options: { image_source: url, image_checksum: 'c', image_disk_format: 'qcow2' },
      beside: DEFAULT,
      removed: ['boot_iso', 'image_os_hash_algo', 'image_os_hash_value'],
    }),
  ),
  ...['md5', 'sha256', 'sha512'].map(
    (checksumType): Row => ({
      title: `disk image, checksum type ${checksumType}`,
      spec: { image: { url, checksum: 'c', checksumType, format: 'raw' } },
      options: {
        image_source: url,
        image_os_hash_algo: checksumType,
        image_os_hash_value: 'c',
        image_disk_format: 'raw',
      },
      beside: DEFAULT,
      removed: ['boot_iso', 'image_checksum'],
    }),
  ),
  {
    title: 'disk image without a format',
    spec: { image: { url, checksum: 'c' } },
    options: { image_source: url, image_checksum: 'c' },
    beside: DEFAULT,
    removed: ['boot_iso', 'image_os_hash_algo', 'image_os_hash_value', 'image_disk_format'],
  },
  {
    title: 'a pull secret is for OCI images alone',
    spec: { image: { url, checksum: 'c', format: 'raw', ociAuthSecretName: 's' } },
    pullSecret: 'user:password',
    options: { image_source: url, image_checksum: 'c', image_disk_format: 'raw' },
    beside: DEFAULT,
    removed: ['boot_iso', 'image_os_hash_algo', 'image_os_hash_value'],
  },
  {
    title: 'OCI image with a pull secret',
    spec: { image: { url: 'oci://quay.io/a/b:1', format: 'raw', ociAuthSecretName: 's' } },
    pullSecret: 'user:password',
    options: { image_source: 'oci://quay.io/a/b:1', image_disk_format: 'raw', image_pull_secret: 'user:password' },
    beside: DEFAULT,
    removed: ['boot_iso', ...ALL_CHECKSUMS],
  },
  {
    title: 'OCI image without a pull secret and a format',
    spec: { image: { url: 'oci://quay.io/a/b:1' } },
    options: { image_source: 'oci://quay.io/a/b:1' },
    beside: DEFAULT,
    removed: ['boot_iso', ...ALL_CHECKSUMS, 'image_disk_format', 'image_pull_secret'],
  },
  {
    title: 'live ISO',
    spec: { image: { url: 'http://images/a.iso', format: 'live-iso' } },
    options: { boot_iso: 'http://images/a.iso' },
    beside: { ...DEFAULT, '/deploy_interface': 'ramdisk' },
    removed: ['image_source', ...ALL_CHECKSUMS],
  },
  {
    title: 'custom deploy with an image, explicit checksum type',
    spec: { ...custom, image: { url, checksum: 'c', checksumType: 'sha512', format: 'raw' } },
    options: {
      image_source: url,
      image_os_hash_algo: 'sha512',
      image_os_hash_value: 'c',
      image_disk_format: 'raw',
    },
    beside: AGENT,
    removed: ['boot_iso', 'image_checksum', 'image_pull_secret'],
  },
  {
    title: 'custom deploy with an image, automatic checksum type: never an empty algorithm',
    spec: { ...custom, image: { url, checksum: 'c' } },
    options: { image_source: url, image_checksum: 'c' },
    beside: AGENT,
    removed: ['boot_iso', 'image_os_hash_algo', 'image_os_hash_value', 'image_disk_format', 'image_pull_secret'],
  },
  {
    title: 'custom deploy with an OCI image',
    spec: { ...custom, image: { url: 'oci://quay.io/a/b', ociAuthSecretName: 's' } },
    pullSecret: 'user:password',
    options: { image_source: 'oci://quay.io/a/b', image_pull_secret: 'user:password' },
    beside: AGENT,
    removed: ['boot_iso', ...ALL_CHECKSUMS, 'image_disk_format'],
  },
  ...[undefined, null, {}, { url: '' }].map(
    (image): Row => ({
      title: `custom deploy with the image ${JSON.stringify(image)}`,
      spec: { ...custom, image },
      beside: AGENT,
      removed: ['boot_iso', 'image_source', ...ALL_CHECKSUMS, 'image_disk_format', 'image_pull_secret'],
    }),
  ),
];

for (const { title, spec, pullSecret, options = {}, beside = {}, removed } of ROWS) {
  test(title, () => {
    const of = host(spec);
    const set = {
      ...SET_ALWAYS,
      ...Object.fromEntries(Object.entries(options).map(([name, value]) => [`/instance_info/${name}`, value])),
      ...beside,
    };
    assert.equal(reported(instancePatch(BARE, of, { pullSecret })), { set, removed: [] });
    assert.equal(reported(instancePatch(STALE, of, { pullSecret })), { set, removed: info(...removed) });
  });
}

test('a node that was told is told nothing again', () => {
  for (const { spec, pullSecret, title } of ROWS) {
    const of = host(spec, { bootMode: 'UEFISecureBoot', rootDeviceHints: { model: 'm' } });
    const patch = instancePatch(STALE, of, { pullSecret });
    assert.equal(instancePatch(applied(STALE, patch), of, { pullSecret }), [], title);
  }
});

/** The node after a patch of at most two levels. */
function applied(node: JsonObject, patch: Patch): JsonObject {
  const after = structuredClone(node) as Record<string, Json>;
  for (const operation of patch) {
    const [field = '', option] = operation.path.slice(1).split('/');
    const target = option === undefined ? after : (after[field] as Record<string, Json>);
    if (operation.op === 'add') target[option ?? field] = operation.value;
    else delete target[option ?? field];
  }
  return after;
}

test('the boot mode and the hints of the status go along', () => {
  const of = host(custom, {
    bootMode: 'UEFISecureBoot',
    rootDeviceHints: { deviceName: '/dev/sda', rotational: false },
  });
  const { set } = reported(instancePatch(BARE, of));
  assert.equal(set['/instance_info/capabilities'], { secure_boot: 'true' });
  assert.equal(set['/instance_info/root_device'], { name: 's== /dev/sda', rotational: 'false' });
});

test('a written image resets the deploy interface of others, and no other one', () => {
  for (const image of [{ url, checksum: 'c' }, { url: 'oci://quay.io/a/b' }]) {
    for (const [deployInterface, isReset] of [
      ['ramdisk', true],
      ['custom-agent', true],
      ['direct', false],
      ['ansible', false],
      [null, false],
      [undefined, false],
    ] as const) {
      const node: JsonObject = {
        ...BARE,
        ...(deployInterface === undefined ? {} : { deploy_interface: deployInterface }),
      };
      const { removed } = reported(instancePatch(node, host({ image })));
      assert.equal(removed, isReset ? ['/deploy_interface'] : [], String(deployInterface));
    }
  }
  for (const [spec, deployInterface] of [
    [custom, 'custom-agent'],
    [{ image: { url, format: 'live-iso' } }, 'ramdisk'],
  ] as const) {
    const node = { ...BARE, deploy_interface: deployInterface };
    assert.not('/deploy_interface' in reported(instancePatch(node, host(spec))).set);
  }
});

test('persistent boot devices are as configured, and those of custom deployments are left alone', () => {
  const settings = { forcePersistentBootDevice: { directDeploy: 'Always', liveIso: 'Never' } } as const;
  const force = (spec: Host['spec'], node = BARE) =>
    reported(instancePatch(node, host(spec), { settings })).set['/driver_info/force_persistent_boot_device'];
  assert.is(force({ image: { url, checksum: 'c' } }), 'Always');
  assert.is(force({ image: { url: 'oci://quay.io/a/b' } }), 'Always');
  assert.is(force({ image: { url, format: 'live-iso' } }), 'Never');
  assert.is(force({ ...custom, image: { url, checksum: 'c' } }), undefined);
  assert.is(force({ image: { url, format: 'live-iso' } }, STALE), undefined);
});

test('odd hosts throw nothing', () => {
  for (const odd of [
    {},
    { spec: null, status: null, metadata: null },
    { spec: {} },
    { status: { provisioning: null } },
  ]) {
    assert.equal(reported(instancePatch(BARE, odd)).removed, []);
    assert.not('/instance_uuid' in reported(instancePatch(BARE, odd)).set);
  }
  assert.equal(reported(instancePatch(STALE, host({ image: { url: '' }, customDeploy: { method: '' } }))).removed, [
    ...info('boot_iso', 'image_source', ...ALL_CHECKSUMS, 'image_disk_format', 'image_pull_secret'),
  ]);
  assert.equal(reported(instancePatch({}, host(custom))).set, { ...SET_ALWAYS, ...AGENT });
});

const SAME: readonly (readonly [string, Image | null | undefined, JsonObject, boolean])[] = [
  ['live ISO', { url, format: 'live-iso' }, { boot_iso: url, image_source: 'x' }, true],
  ['live ISO, another', { url, format: 'live-iso' }, { boot_iso: 'x' }, false],
  ['live ISO, written', { url, format: 'live-iso' }, { image_source: url }, false],
  ['OCI', { url: 'oci://q/a' }, { image_source: 'oci://q/a', image_checksum: 'x' }, true],
  ['OCI, another', { url: 'oci://q/a' }, { image_source: 'oci://q/b' }, false],
  ['OCI with a checksum', { url: 'oci://q/a', checksum: 'c' }, { image_source: 'oci://q/a' }, false],
  ['no type', { url, checksum: 'c' }, { image_source: url, image_checksum: 'c' }, true],
  ['auto', { url, checksum: 'c', checksumType: 'auto' }, { image_source: url, image_checksum: 'c' }, true],
  ['no type, another URL', { url, checksum: 'c' }, { image_source: 'x', image_checksum: 'c' }, false],
  ['no type, another checksum', { url, checksum: 'c' }, { image_source: url, image_checksum: 'x' }, false],
  ['no type, no checksum', { url, checksum: 'c' }, { image_source: url }, false],
  [
    'no type, an algorithm',
    { url, checksum: 'c' },
    { image_source: url, image_checksum: 'c', image_os_hash_algo: 'md5' },
    false,
  ],
  [
    'no type, a value',
    { url, checksum: 'c' },
    { image_source: url, image_checksum: 'c', image_os_hash_value: 'c' },
    false,
  ],
  ['null is none', { url, checksum: 'c' }, { image_source: url, image_checksum: 'c', image_os_hash_algo: null }, true],
  [
    'a type',
    { url, checksum: 'c', checksumType: 'md5' },
    { image_source: url, image_os_hash_algo: 'md5', image_os_hash_value: 'c' },
    true,
  ],
  [
    'another type',
    { url, checksum: 'c', checksumType: 'md5' },
    { image_source: url, image_os_hash_algo: 'sha256', image_os_hash_value: 'c' },
    false,
  ],
  [
    'a type, another value',
    { url, checksum: 'c', checksumType: 'md5' },
    { image_source: url, image_os_hash_algo: 'md5', image_os_hash_value: 'x' },
    false,
  ],
  [
    'a type, and a checksum',
    { url, checksum: 'c', checksumType: 'md5' },
    { image_source: url, image_os_hash_algo: 'md5', image_os_hash_value: 'c', image_checksum: 'c' },
    false,
  ],
  ['no image, none', undefined, { other: 1 }, true],
  ['empty image, none', { url: '' }, {}, true],
  ['no image, one', null, { image_source: url }, false],
  ['no image, a live ISO', null, { boot_iso: url }, false],
];

test('the same image is told by the options of its case', () => {
  for (const [title, image, instanceInfo, same] of SAME) {
    assert.is(isSameImage({ instance_info: instanceInfo }, image), same, title);
  }
  for (const odd of [{}, { instance_info: null }, { instance_info: [] }, { instance_info: 'x' }]) {
    assert.is(isSameImage(odd, { url, checksum: 'c' }), false);
  }
});

test('another image is one at another address, and nothing else', () => {
  const image = { url, checksum: 'c' };
  const reported = (instanceInfo: object): boolean =>
    isOtherImage({ instance_info: instanceInfo } as JsonObject, image);
  assert.is(reported({ image_source: `${url}2`, image_checksum: 'c' }), true);
  assert.is(reported({ boot_iso: `${url}2` }), true);
  assert.is(reported({ image_source: url, image_checksum: 'another' }), false);
  assert.is(reported({}), false);
  assert.is(isOtherImage({ instance_info: { image_source: `${url}2` } }, undefined), false);
  for (const { spec, pullSecret, title } of ROWS) {
    const of = host(spec);
    assert.is(isOtherImage(applied(STALE, instancePatch(STALE, of, { pullSecret })), of.spec?.image), false, title);
  }
});

test('whatever a node was told is the same image', () => {
  for (const { spec, pullSecret, title } of ROWS) {
    const of = host(spec);
    assert.is(isSameImage(applied(STALE, instancePatch(STALE, of, { pullSecret })), of.spec?.image), true, title);
    assert.is(isSameImage(STALE, of.spec?.image), false, title);
  }
});

test('a custom deployment is one step', () => {
  assert.equal(deploySteps({ method: 'install_coreos' }), [
    { interface: 'deploy', step: 'install_coreos', args: {}, priority: 80 },
  ]);
  for (const none of [undefined, null, {}, { method: '' }, { method: null }]) assert.is(deploySteps(none), undefined);
});

test('a node is enrolled with the deploy interface of what runs on it, or is about to', () => {
  const iso = { url, format: 'live-iso' };
  const disk = { url, format: 'raw' };
  const cases: readonly (readonly [Host, string | undefined])[] = [
    [{ status: { provisioning: { image: iso } } }, 'ramdisk'],
    [{ status: { provisioning: { image: disk, state: 'provisioned' } }, spec: { image: iso } }, undefined],
    [{ status: { provisioning: { image: disk, state: 'provisioning' } }, spec: { image: iso } }, undefined],
    [{ status: { provisioning: { image: { url: '' }, state: 'provisioning' } }, spec: { image: iso } }, 'ramdisk'],
    [{ status: { provisioning: { image: { url: '' }, state: 'available' } }, spec: { image: iso } }, undefined],
    [{ status: { provisioning: { state: 'provisioning' } }, spec: { image: { ...iso, url: '' } } }, undefined],
    [{ status: { provisioning: { customDeploy: { method: 'm' } } } }, 'custom-agent'],
    [{ status: { provisioning: { customDeploy: { method: 'm' }, image: iso } } }, 'custom-agent'],
    [{ status: { provisioning: { state: 'provisioning' } }, spec: custom }, 'custom-agent'],
    [{ status: { provisioning: { state: 'registering' } }, spec: custom }, undefined],
    [{ status: { provisioning: { customDeploy: { method: '' }, image: disk } } }, undefined],
    [{ spec: { ...custom, image: iso } }, undefined],
    [{ spec: null, status: null }, undefined],
    [{}, undefined],
  ];
  for (const [of, expected] of cases) assert.is(deployInterface(of), expected, JSON.stringify(of));
});

test.run();
