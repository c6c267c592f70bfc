// Conversion of single objects: the worked examples, every field of the kinds that differ, and what the decisions of the
// contract say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CONVERSION_DATA } from '../../../../../adapters/ironic/api/conversion/cache.ts';
import { convertObject } from '../../../../../adapters/ironic/api/conversion/convert.ts';
import type { JsonMap } from '../../../../../adapters/ironic/json-values.ts';
import { CLAIM_ROWS, HARDWARE_ROWS, HOST_ROWS, type Row, type Tree } from './fields.ts';
import {
  alpha,
  beta,
  cacheOf,
  copyOf,
  metadata,
  toAlpha,
  toBeta,
  V1ALPHA1,
  V1BETA1,
  withCacheText,
} from './objects.ts';

const test = suite('conversion');

const U = 'http://images.example.com/image.qcow2';
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const SHA512 = SHA256.repeat(2);

/** v1beta1 of a v1alpha1 spec, without what the worked examples leave out. */
const specOf = (spec: JsonMap, status?: JsonMap): Tree =>
  toBeta(alpha({ spec, ...(status && { status }) }))['spec'] as Tree;

const REDFISH = { address: 'redfish://192.0.2.1/redfish/v1/Systems/1', credentialsName: 'bmc' };
const LIBVIRT = { address: 'libvirt://192.0.2.1:6233', credentialsName: 'bmc' };
const WITHOUT_HINTS = { hardwareProfile: 'empty', online: true };

const EXAMPLES: readonly (readonly [title: string, spec: JsonMap, expected: JsonMap])[] = [
  [
    'a profile and no hints',
    { online: true, hardwareProfile: 'dell' },
    { poweredOn: true, rootDeviceHints: { hctl: '0:0:0:0' } },
  ],
  [
    'no profile, no hints, an address of Redfish',
    { online: false, bmc: REDFISH },
    { poweredOn: false, bmc: REDFISH, rootDeviceHints: { devicePath: '/dev/sda' } },
  ],
  [
    'no profile, an address of libvirt',
    { online: true, bmc: LIBVIRT },
    { poweredOn: true, bmc: LIBVIRT, rootDeviceHints: { devicePath: '/dev/vda' } },
  ],
  ['the empty profile and no hints', WITHOUT_HINTS, { poweredOn: true }],
  [
    'a profile and hints',
    { online: true, hardwareProfile: 'dell', rootDeviceHints: { model: 'M', vendor: 'V' } },
    { poweredOn: true, rootDeviceHints: { modelContains: 'M', vendorContains: 'V' } },
  ],
  ...(
    [
      ['an MD5 checksum', { url: U, checksum: MD5 }, 'md5'],
      ['a checksum by URL', { url: U, checksum: 'http://x/SUM' }, 'md5'],
      ['a checksum of 64 digits', { url: U, checksum: SHA256 }, 'auto'],
      ['a checksum of 128 digits', { url: U, checksum: SHA512.toUpperCase() }, 'auto'],
      ['a checksum of 63 digits', { url: U, checksum: SHA256.slice(1) }, 'md5'],
      ['a checksum of 64 characters', { url: U, checksum: `g${SHA256.slice(1)}` }, 'md5'],
      ['64 digits and a line feed', { url: U, checksum: `${SHA256}\n` }, 'md5'],
      ['an empty type', { url: U, checksum: MD5, checksumType: '' }, 'md5'],
      ['no type, said as null', { url: U, checksum: MD5, checksumType: null }, 'md5'],
      ['MD5, stated', { url: U, checksum: MD5, checksumType: 'md5' }, 'md5'],
      ['MD5, stated though it is not', { url: U, checksum: SHA256, checksumType: 'md5' }, 'md5'],
      ['SHA-256, stated', { url: U, checksum: SHA256, checksumType: 'sha256' }, 'sha256'],
      ['auto, stated', { url: U, checksum: MD5, checksumType: 'auto' }, 'auto'],
    ] as const
  ).map(([title, image, checksumType]): readonly [string, JsonMap, JsonMap] => [
    title,
    { ...WITHOUT_HINTS, image },
    { poweredOn: true, image: { ...image, checksumType } },
  ]),
  ...[{ url: U, format: 'live-iso' }, { url: 'oci://example.com/image:1' }, { url: U, checksum: '' }, { url: '' }].map(
    (image): readonly [string, JsonMap, JsonMap] => [
      `no checksum: ${JSON.stringify(image)}`,
      { ...WITHOUT_HINTS, image },
      { poweredOn: true, image },
    ],
  ),
];

for (const [title, spec, expected] of EXAMPLES) {
  test(`${title}: there and back`, () => {
    const object = alpha({ spec });
    const there = toBeta(object);
    assert.equal(there['spec'], expected);
    assert.equal(JSON.parse(cacheOf(there) ?? ''), { apiVersion: V1ALPHA1, kind: 'BareMetalHost', spec });
    assert.equal(toAlpha(there), object);
  });
}

test("the default of v1beta1's schema, which the API server adds to what it reads, does not show in v1alpha1", () => {
  const image = { url: U, format: 'live-iso' };
  const object = alpha({ spec: { online: true, image } });
  const there = toBeta(object);
  const filled = { ...there, spec: { ...(there['spec'] as Tree), image: { ...image, checksumType: 'auto' } } };
  assert.equal(toAlpha(filled), object);
  const other = { ...filled, spec: { ...(there['spec'] as Tree), image: { ...image, checksumType: 'md5' } } };
  assert.equal((toAlpha(other)['spec'] as Tree)['image'], { ...image, checksumType: 'md5' });
});

test('integers that no number holds are kept as they are, in the annotation as well', () => {
  const sizeBytes = 2n ** 53n + 1n;
  const object = alpha({ spec: { online: true }, status: { hardware: { storage: [{ name: 'a', sizeBytes }] } } });
  const there = toBeta(object);
  assert.match(cacheOf(there) ?? '', '"sizeBytes":9007199254740993');
  assert.equal(toAlpha(there), object);
});

test('an object that was born in v1beta1 has the empty profile, and says that its checksum has no type', () => {
  const image = { url: U, checksum: 'C' };
  assert.equal(
    toAlpha(beta({ spec: { poweredOn: true, image }, status: { poweredOn: true } })),
    alpha({
      spec: { online: true, image: { ...image, checksumType: 'auto' }, hardwareProfile: 'empty' },
      status: { poweredOn: true },
    }),
  );
});

// Every field by itself.

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  boolean: true,
  integer: 7,
  number: 2.5,
  object: {},
};

/** A sample at the path, in as much around it as it takes. */
function treeWith(path: string, value: unknown): Tree {
  const [key = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : treeWith(rest.join('.'), value);
  return key.endsWith('[]') ? { [key.slice(0, -2)]: [inner] } : { [key]: inner };
}

function sampleOf({ type, path }: Row): unknown {
  if (path.endsWith('checksumType')) return 'sha256';
  return type.startsWith('[]') ? [SAMPLES[type.slice(2)]] : type.startsWith('map') ? { a: 'b' } : SAMPLES[type];
}

const leafOf = (tree: unknown, path: string): unknown =>
  path
    .split('.')
    .flatMap((key) => (key.endsWith('[]') ? [key.slice(0, -2), '0'] : [key]))
    .reduce<unknown>((found, key) => (found as Tree | undefined)?.[key], tree);

const rowOf = (rows: readonly Row[], path: string): Row => rows.find((row) => row.path === path) as Row;

/** v1alpha1 without hints of its own would get some that are no part of the sample. */
const quiet = (path: string): JsonMap =>
  path.startsWith('spec.hardwareProfile') || path.startsWith('spec.rootDeviceHints')
    ? {}
    : { spec: { hardwareProfile: 'empty' } };

test('the tables have all fields', () => {
  assert.is(HOST_ROWS.length, 183);
  assert.is(HARDWARE_ROWS.length, 46);
  assert.is(CLAIM_ROWS.length, 43);
  const renames = HOST_ROWS.filter(({ rule }) => rule === 'rename');
  assert.is(renames.length, 13);
  assert.is(rowOf(HOST_ROWS, 'spec.online').newPath, 'spec.poweredOn');
});

for (const row of [...HOST_ROWS, ...HARDWARE_ROWS]) {
  test(`${row.path} is ${row.newPath === row.path ? 'the same' : (row.newPath ?? 'removed')}`, () => {
    const sample = sampleOf(row);
    const own = treeWith(row.path, sample);
    const object = alpha({
      ...own,
      spec: { ...(quiet(row.path)['spec'] as Tree | undefined), ...(own['spec'] as Tree) },
    });
    const there = toBeta(object);
    const isGone = row.newPath === undefined || row.path.startsWith('status.hardware.');
    if (isGone) assert.is(leafOf(there, row.path), undefined);
    else assert.equal(leafOf(there, row.newPath as string), sample);
    if (row.newPath !== row.path) assert.is(leafOf(there, row.path), undefined);
    assert.equal(toAlpha(there), object);
    // Without what is kept, what both versions can say is the same.
    if (!isGone) assert.equal(leafOf(toAlpha(withCacheText(there, undefined)), row.path), sample);
  });
}

for (const row of CLAIM_ROWS) {
  test(`HostClaim: ${row.path} is the same`, () => {
    const object = { ...alpha(treeWith(row.path, sampleOf(row))), kind: 'HostClaim' };
    const there = toBeta(object);
    assert.equal(leafOf(there, row.path), sampleOf(row));
    assert.is(there['apiVersion'], V1BETA1);
    assert.ok(cacheOf(there));
    assert.equal(toAlpha(there), object);
  });
}

test('an image of a HostClaim gets a type as that of a host does', () => {
  const claim = (image: JsonMap): JsonMap => ({ ...alpha({ spec: { poweredOn: true, image } }), kind: 'HostClaim' });
  const object = claim({ url: U, checksum: MD5 });
  const there = toBeta(object);
  assert.equal(there['spec'], { poweredOn: true, image: { url: U, checksum: MD5, checksumType: 'md5' } });
  assert.equal(toAlpha(there), object);
  const born = { ...claim({ url: U, checksum: MD5 }), apiVersion: V1BETA1 };
  assert.equal(toAlpha(born), claim({ url: U, checksum: MD5, checksumType: 'auto' }));
});

for (const kind of [
  'HardwareData',
  'HostFirmwareSettings',
  'FirmwareSchema',
  'HostFirmwareComponents',
  'HostUpdatePolicy',
  'PreprovisioningImage',
  'DataImage',
  'BMCEventSubscription',
  'HostDeployPolicy',
  'HostNetworkAttachment',
  'BareMetalSwitch',
]) {
  test(`${kind} differs in its version alone`, () => {
    const annotations = { [CONVERSION_DATA]: 'of somebody else' };
    const object = { ...alpha({ spec: { online: true, model: 'M' }, status: {} }), kind, metadata: { annotations } };
    assert.equal(toBeta(object), { ...object, apiVersion: V1BETA1 });
    assert.equal(toAlpha(toBeta(object)), object);
  });
}

// Images, wherever they are.

for (const path of ['spec.image', 'status.provisioning.image', 'status.lastAttemptedImage']) {
  const withImage = (image: unknown): Tree => toBeta(alpha(treeWith(path, image)));
  const back = (object: Tree, image: unknown): unknown => {
    const edited = { ...object, ...treeWith(path, image) };
    return leafOf(toAlpha(edited), path);
  };
  const untyped = { url: U, checksum: MD5 };

  test(`${path}: a type that was written goes again, as long as it is the image that it was written for`, () => {
    const there = withImage(untyped);
    assert.equal(leafOf(there, path), { ...untyped, checksumType: 'md5' });
    assert.equal(back(there, { ...untyped, checksumType: 'md5' }), untyped);
    for (const image of [
      { ...untyped, checksumType: 'sha256' },
      { ...untyped, checksumType: 'auto' },
      { url: U, checksum: 'other', checksumType: 'md5' },
      { url: 'http://other', checksum: MD5, checksumType: 'md5' },
      { ...untyped, checksumType: 'md5', format: 'raw' },
    ]) {
      const { checksumType: _, ...rest } = image;
      assert.equal(back(there, image), 'format' in image ? rest : image);
    }
  });

  test(`${path}: a type that was removed is said to be auto`, () => {
    const there = withImage(untyped);
    assert.equal(back(there, untyped), { ...untyped, checksumType: 'auto' });
    assert.equal(back(there, { ...untyped, checksumType: '' }), { ...untyped, checksumType: 'auto' });
    assert.equal(back(there, { url: U, format: 'live-iso' }), { url: U, format: 'live-iso' });
  });

  test(`${path}: a type that was stated is what the object says`, () => {
    const there = withImage({ ...untyped, checksumType: 'md5' });
    assert.equal(back(there, { ...untyped, checksumType: 'md5' }), { ...untyped, checksumType: 'md5' });
    assert.equal(back(there, { ...untyped, checksumType: 'auto' }), { ...untyped, checksumType: 'auto' });
  });

  test(`${path}: null is nothing`, () => {
    assert.is(leafOf(withImage(null), path), null);
    assert.is(back(withImage(untyped), null), null);
  });
}

// Profiles and hints.

const PROFILES: readonly (readonly [profile: string, hints: JsonMap | undefined])[] = [
  ['unknown', { devicePath: '/dev/sda' }],
  ['libvirt', { devicePath: '/dev/vda' }],
  ['dell', { hctl: '0:0:0:0' }],
  ['dell-raid', { hctl: '0:2:0:0' }],
  ['openstack', { devicePath: '/dev/vdb' }],
  ['empty', undefined],
  ['no such profile', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
];
for (const [profile, hints] of PROFILES) {
  test(`profile ${profile}: its hints are written, and go again`, () => {
    const object = alpha({ spec: { hardwareProfile: profile, online: true } });
    const there = toBeta(object);
    assert.equal(there['spec'], { poweredOn: true, ...(hints && { rootDeviceHints: hints }) });
    assert.equal(toAlpha(there), object);
  });
}

test('the recorded profile counts before the one asked for, and that before the address (IRONIC-DATA-IMAGE-4)', () => {
  const both = specOf({ online: true, hardwareProfile: 'dell', bmc: LIBVIRT }, { hardwareProfile: 'openstack' });
  assert.equal(both['rootDeviceHints'], { devicePath: '/dev/vdb' });
  const asked = specOf({ online: true, hardwareProfile: 'dell', bmc: LIBVIRT }, { hardwareProfile: '' });
  assert.equal(asked['rootDeviceHints'], { hctl: '0:0:0:0' });
  const neither = specOf({ online: true, hardwareProfile: '', bmc: { address: 'libvirt+https://x' } }, {});
  assert.equal(neither['rootDeviceHints'], { devicePath: '/dev/vda' });
});

test('a software root volume gets no hints (D5), another volume no less', () => {
  const volumes = (rootVolume: unknown) => ({ online: true, raid: { softwareRAIDVolumes: [{}, { rootVolume }] } });
  assert.is(specOf(volumes(true))['rootDeviceHints'], undefined);
  for (const other of [false, null, undefined, 'true']) {
    assert.equal(specOf(volumes(other))['rootDeviceHints'], { devicePath: '/dev/sda' });
  }
  for (const raid of [null, {}, { softwareRAIDVolumes: null }, { softwareRAIDVolumes: [] }]) {
    assert.equal(specOf({ online: true, raid })['rootDeviceHints'], { devicePath: '/dev/sda' });
  }
});

test('hints that are there and say nothing stay', () => {
  const object = alpha({ spec: { online: true, rootDeviceHints: {} } });
  const there = toBeta(object);
  assert.equal(there['spec'], { poweredOn: true, rootDeviceHints: {} });
  assert.equal(toAlpha(there), object);
});

test('hints that are null count as absent, and are null again', () => {
  const object = alpha({ spec: { online: true, rootDeviceHints: null } });
  const there = toBeta(object);
  assert.equal(there['spec'], { poweredOn: true, rootDeviceHints: { devicePath: '/dev/sda' } });
  assert.equal(toAlpha(there), object);
});

const REGISTERED = alpha({
  spec: { online: true, hardwareProfile: 'dell' },
  status: { hardwareProfile: 'dell', hardware: { hostname: 'node-0' } },
});
const edited = (object: JsonMap, spec: JsonMap): Tree => {
  const copy = copyOf(object) as { spec: Tree };
  return { ...copy, spec: { ...copy.spec, ...spec } };
};

test('hints that were written and then changed are the hosts own; its profile stays', () => {
  const back = toAlpha(edited(toBeta(REGISTERED), { rootDeviceHints: { devicePath: '/dev/sdz' } }));
  assert.equal(back, edited(REGISTERED, { rootDeviceHints: { deviceName: '/dev/sdz' } }));
});

test('hints that were written and then removed do not come back (D10)', () => {
  const { rootDeviceHints: _, ...spec } = toBeta(REGISTERED)['spec'] as Tree;
  for (const gone of [spec, { ...spec, rootDeviceHints: null }]) {
    const back = toAlpha({ ...toBeta(REGISTERED), spec: gone });
    assert.is(leafOf(back, 'spec.hardwareProfile'), 'empty');
    assert.equal(back['status'], { hardware: { hostname: 'node-0' } });
    assert.is(leafOf(toBeta(back), 'spec.rootDeviceHints') ?? undefined, undefined);
  }
});

test('hints that say nothing after an edit are an edit', () => {
  const back = toAlpha(edited(toBeta(REGISTERED), { rootDeviceHints: {} }));
  assert.equal(back, edited(REGISTERED, { rootDeviceHints: {} }));
});

test('hints of the users own can be removed: the profile is what it was', () => {
  const object = alpha({ spec: { online: true, hardwareProfile: 'dell', rootDeviceHints: { model: 'M' } } });
  const { rootDeviceHints: _, ...spec } = toBeta(object)['spec'] as Tree;
  assert.equal(toAlpha({ ...toBeta(object), spec })['spec'], { online: true, hardwareProfile: 'dell' });
});

test('hints of the users own that equal those of the profile stay', () => {
  const object = alpha({ spec: { online: true, rootDeviceHints: { deviceName: '/dev/sda' } } });
  assert.equal(toAlpha(toBeta(object)), object);
});

test('another address shows as another address, whatever profile it stands for', () => {
  const object = alpha({ spec: { online: true, bmc: REDFISH } });
  assert.equal(toAlpha(edited(toBeta(object), { bmc: LIBVIRT })), edited(object, { bmc: LIBVIRT }));
});

// What is kept.

test('what v1beta1 says counts, whatever is kept (D9)', () => {
  const there = toBeta(REGISTERED);
  const back = toAlpha(edited(there, { poweredOn: false, description: 'x', bootMode: 'legacy' }));
  assert.equal(back, edited(REGISTERED, { online: false, description: 'x', bootMode: 'legacy' }));
});

test('an annotation that v1alpha1 objects have already is of somebody else, and is dropped', () => {
  const annotations = { [CONVERSION_DATA]: '{"kind":"Machine"}', other: 'x' };
  const object = alpha({ spec: { ...WITHOUT_HINTS }, metadata: { ...metadata, annotations } });
  const there = toBeta(object);
  assert.equal(JSON.parse(cacheOf(there) ?? '').kind, 'BareMetalHost');
  assert.equal(toAlpha(there)['metadata'], { ...metadata, annotations: { other: 'x' } });
});

test('it takes no room from the one that is written', () => {
  const annotations = { [CONVERSION_DATA]: 'x'.repeat(256 * 1024 - CONVERSION_DATA.length) };
  assert.ok(JSON.parse(cacheOf(toBeta(alpha({ metadata: { ...metadata, annotations }, spec: {} }))) ?? ''));
});

test('annotations that are there for the kept object alone go with it', () => {
  const object = alpha({ spec: { online: true } });
  assert.equal(Object.keys((toBeta(object)['metadata'] as { annotations: Tree }).annotations), [CONVERSION_DATA]);
  assert.equal(toAlpha(toBeta(object))['metadata'], metadata);
});

test('equal objects are kept as equal texts, whatever the order of their keys', () => {
  const one = alpha({
    spec: { online: true, image: { url: U, checksum: MD5 } },
    status: { a: 1, b: [{ c: 1, d: 2 }] },
  });
  const other = alpha({
    status: { b: [{ d: 2, c: 1 }], a: 1 },
    spec: { image: { checksum: MD5, url: U }, online: true },
  });
  assert.is(cacheOf(toBeta(one)), cacheOf(toBeta(other)));
});

/** It has hints of its own, so that its profile comes back although there are none any more. */
const KEPT = {
  apiVersion: V1ALPHA1,
  kind: 'BareMetalHost',
  spec: { hardwareProfile: 'dell', online: true, rootDeviceHints: {} },
};
const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const DAMAGED: readonly (readonly [title: string, text: unknown])[] = [
  ['empty', ''],
  ['no JSON', '{'],
  ['no object', '[]'],
  ['null', 'null'],
  ['a number', '5'],
  ['no text', 5],
  ['not even null', null],
  ['nothing in it', '{}'],
  ['of v1beta1', JSON.stringify({ ...KEPT, apiVersion: V1BETA1 })],
  ['of another group', JSON.stringify({ ...KEPT, apiVersion: 'cluster.x-k8s.io/v1alpha1' })],
  ['of another kind', JSON.stringify({ ...KEPT, kind: 'HostClaim' })],
  ['spec is a list', JSON.stringify({ ...KEPT, spec: [] })],
  ['status is a text', JSON.stringify({ ...KEPT, status: 'x' })],
  ['the profile is a number', JSON.stringify({ ...KEPT, spec: { ...KEPT.spec, hardwareProfile: 5 } })],
  ['the recorded profile is an object', JSON.stringify({ ...KEPT, status: { hardwareProfile: {} } })],
  ['the hardware is a list', JSON.stringify({ ...KEPT, status: { hardware: [] } })],
  ['the hardware has a number for a text', JSON.stringify({ ...KEPT, status: { hardware: { hostname: 5 } } })],
  ['a NIC is a text', JSON.stringify({ ...KEPT, status: { hardware: { nics: ['eth0'] } } })],
  [
    'nested to exhaust the stack',
    `{"apiVersion":"${V1ALPHA1}","kind":"BareMetalHost","status":{"hardware":${deep(5_000)}}}`,
  ],
];
for (const [title, text] of DAMAGED) {
  test(`what is kept is ignored when damaged: ${title} (D8)`, () => {
    const object = withCacheText(beta({ spec: { poweredOn: true }, status: { poweredOn: true } }), text as string);
    assert.equal(
      toAlpha(object),
      alpha({ spec: { online: true, hardwareProfile: 'empty' }, status: { poweredOn: true } }),
    );
  });
}

test('what is kept is not ignored when sound', () => {
  const object = withCacheText(beta({ spec: { poweredOn: true } }), JSON.stringify(KEPT));
  assert.equal(toAlpha(object), alpha({ spec: { online: true, hardwareProfile: 'dell' } }));
});

test('what is kept may have nothing where it is not needed', () => {
  for (const kept of [
    { apiVersion: V1ALPHA1, kind: 'BareMetalHost' },
    { apiVersion: V1ALPHA1, kind: 'BareMetalHost', spec: null, status: null },
    { ...KEPT, spec: { hardwareProfile: null }, status: { hardware: null, hardwareProfile: null } },
  ]) {
    const object = withCacheText(
      beta({ spec: { poweredOn: true }, status: { poweredOn: true } }),
      JSON.stringify(kept),
    );
    const { spec } = toAlpha(object) as { spec: Tree };
    assert.is(spec['online'], true);
    assert.ok(spec['hardwareProfile'] !== 'dell');
  }
});

test('nothing of what is kept shows but what v1beta1 cannot say', () => {
  const kept = {
    ...KEPT,
    spec: {
      ...KEPT.spec,
      online: false,
      description: 'kept',
      image: { url: 'kept' },
      rootDeviceHints: { model: 'kept' },
    },
    status: { hardware: { hostname: 'kept' }, hardwareProfile: 'dell', poweredOn: false, errorMessage: 'kept' },
  };
  const object = withCacheText(beta({ spec: { poweredOn: true }, status: { poweredOn: true } }), JSON.stringify(kept));
  assert.equal(
    toAlpha(object),
    alpha({
      spec: { online: true, hardwareProfile: 'dell' },
      status: { poweredOn: true, hardware: { hostname: 'kept' }, hardwareProfile: 'dell' },
    }),
  );
});

test('a status that is gone does not come back', () => {
  const { status: _, ...there } = toBeta(REGISTERED);
  const { status: __, ...expected } = REGISTERED;
  assert.equal(toAlpha(there), expected);
});

// Sizes, in bytes.

const SMALL_CACHE = 200 * 1024;
const ALL_ANNOTATIONS = 256 * 1024;

function hostWithHardware(bytes: number, annotations?: Tree): JsonMap {
  const host = (hostname: string): JsonMap =>
    alpha({
      metadata: { ...metadata, ...(annotations && { annotations }) },
      spec: { online: true },
      status: { poweredOn: true, hardware: { hostname } },
    });
  const { metadata: _, ...empty } = host('');
  const room = bytes - JSON.stringify(empty).length;
  return host('ü'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2));
}

test('the details of the hardware are kept up to 200 KiB, and not beyond (D15)', () => {
  const fitting = hostWithHardware(SMALL_CACHE);
  assert.is(Buffer.byteLength(cacheOf(toBeta(fitting)) ?? ''), SMALL_CACHE);
  assert.equal(toAlpha(toBeta(fitting)), fitting);
  const large = hostWithHardware(SMALL_CACHE + 1);
  const there = toBeta(large);
  assert.equal(JSON.parse(cacheOf(there) ?? '').status, { poweredOn: true });
  assert.equal(toAlpha(there), { ...large, status: { poweredOn: true } });
});

test('other annotations leave less room: what the API server would refuse is not written', () => {
  const taken = { large: 'x'.repeat(ALL_ANNOTATIONS - 100_000) };
  const room = 100_000 - 'large'.length - CONVERSION_DATA.length;
  assert.is(Buffer.byteLength(cacheOf(toBeta(hostWithHardware(room, taken))) ?? ''), room);
  const lean = toBeta(hostWithHardware(room + 1, taken));
  assert.equal(JSON.parse(cacheOf(lean) ?? '').status, { poweredOn: true });
  const full = toBeta(hostWithHardware(1_000, { large: 'x'.repeat(ALL_ANNOTATIONS - 50) }));
  assert.is(cacheOf(full), undefined);
  assert.equal(toAlpha(full)['spec'], {
    online: true,
    rootDeviceHints: { deviceName: '/dev/sda' },
    hardwareProfile: 'empty',
  });
});

// What is odd.

const UNKNOWN: readonly (readonly [title: string, object: unknown, version: string, reason: string])[] = [
  ['no object', 'text', V1BETA1, 'InvalidObject'],
  ['null', null, V1BETA1, 'InvalidObject'],
  ['a list', [], V1BETA1, 'InvalidObject'],
  ['an unknown kind', { apiVersion: V1ALPHA1, kind: 'Machine' }, V1BETA1, 'UnknownKind'],
  ['a kind of Object.prototype', { apiVersion: V1ALPHA1, kind: 'constructor' }, V1BETA1, 'UnknownKind'],
  ['no kind', { apiVersion: V1ALPHA1 }, V1BETA1, 'UnknownKind'],
  ['another group', { apiVersion: 'v1', kind: 'Secret' }, V1BETA1, 'UnknownVersion'],
  ['no version', { kind: 'BareMetalHost' }, V1BETA1, 'UnknownVersion'],
  ['a version to come', alpha({}), 'metal3.io/v1', 'UnknownVersion'],
  ['a version to come of an object', { ...alpha({}), apiVersion: 'metal3.io/v1' }, V1ALPHA1, 'UnknownVersion'],
];
for (const [title, object, version, reason] of UNKNOWN) {
  test(`${title} is an error as data`, () => {
    const conversion = convertObject(object, version);
    assert.is(conversion.kind, 'failed');
    if (conversion.kind !== 'failed') return;
    assert.is(conversion.error.code, 'terminal');
    assert.is(conversion.error.reason, reason);
  });
}

test('an object in its own version is as it is', () => {
  for (const object of [alpha({ spec: { poweredOn: 1 } }), withCacheText(beta({ spec: { online: 1 } }), 'x')]) {
    assert.equal(convertObject(object, object['apiVersion'] as string), { kind: 'done', object });
  }
});

test('odd objects are converted as far as they make sense', () => {
  const odd = [
    null,
    [],
    'x',
    5,
    true,
    {},
    { bmc: { address: 5 } },
    { raid: { softwareRAIDVolumes: [null, 'x', { physicalDisks: [null, 5] }] } },
  ];
  for (const spec of odd) {
    for (const status of [...odd, { provisioning: { image: 5, raid: 'x', rootDeviceHints: [] } }]) {
      const object = alpha({ spec, status });
      const back = toAlpha(toBeta(object));
      const isReadable = [spec, status].every(
        (part) => part === null || (typeof part === 'object' && !Array.isArray(part)),
      );
      if (isReadable) assert.equal(back, object);
      toAlpha(beta({ spec, status }));
    }
  }
  toAlpha(toBeta(alpha({ spec: { hardwareProfile: 5, bmc: 'x' }, status: { hardwareProfile: {} } })));
  for (const odd of [undefined, null, 'x', [], { annotations: null }, { annotations: [] }, { annotations: { a: 5 } }]) {
    toAlpha(toBeta(alpha({ metadata: odd, spec: { online: true } })));
    toAlpha(beta({ metadata: odd, spec: { poweredOn: true } }));
  }
});

test('fields that a version does not know take on no meaning in the other one', () => {
  const there = toBeta(alpha({ spec: { ...WITHOUT_HINTS, poweredOn: false, rootDeviceHints: { devicePath: 'x' } } }));
  assert.equal(there['spec'], { poweredOn: true, rootDeviceHints: {} });
  const stray = { spec: { poweredOn: true, online: false, hardwareProfile: 'dell', rootDeviceHints: { model: 'x' } } };
  const back = toAlpha(beta({ ...stray, status: { hardware: { hostname: 'x' }, hardwareProfile: 'dell' } }));
  assert.equal(back['spec'], { online: true, hardwareProfile: 'empty', rootDeviceHints: {} });
  assert.equal(back['status'], {});
});

test('keys of Object.prototype are keys like any other', () => {
  const text = `{"apiVersion":"${V1ALPHA1}","kind":"BareMetalHost","__proto__":{"polluted":true},
    "metadata":{"name":"x","annotations":{"__proto__":"a","constructor":"b"}},
    "spec":{"online":true,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},
      "rootDeviceHints":{"__proto__":{"deviceName":"/dev/x"},"model":"M"},
      "image":{"url":"u","checksum":"c","__proto__":{"checksumType":"sha256"}}},
    "status":{"__proto__":{"hardware":{}},"hardwareProfile":"__proto__"}}`;
  const object = JSON.parse(text) as JsonMap;
  const there = toBeta(object);
  assert.is(JSON.stringify(sorted(toAlpha(there))), JSON.stringify(sorted(object)));
  assert.ok(Object.hasOwn(there['spec'] as object, '__proto__'));
  assert.equal((there['spec'] as { image: Tree }).image['checksumType'], 'md5');
  assert.is(({} as Tree)['polluted'], undefined);
});

/** By key, as far down as there are keys, so that JSON tells whether two are the same. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}

test('what is given stays as it was', () => {
  const freeze = <Item>(value: Item): Item => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const object = freeze(copyOf(REGISTERED));
  const there = convertObject(object, V1BETA1);
  assert.is(there.kind, 'done');
  if (there.kind === 'done') assert.equal(convertObject(freeze(there.object), V1ALPHA1), { kind: 'done', object });
});

test('integers beyond those of JavaScript are kept as they are', () => {
  const there = convertObject(
    alpha({ spec: { online: true, rootDeviceHints: { minSizeGigabytes: 2n ** 62n } } }),
    V1BETA1,
  );
  assert.is(there.kind, 'done');
  if (there.kind === 'done') assert.match(cacheOf(there.object) ?? '', '"minSizeGigabytes":4611686018427387904');
});

test.run();
