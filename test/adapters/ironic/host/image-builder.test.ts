// The built-in builder: which configured image, and what its conditions say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deploySettings } from '../../../../adapters/ironic/host/deploy-settings.ts';
import {
  BUILDER_FINALIZER,
  builtImage,
  configuredImage,
  isDiscardable,
} from '../../../../adapters/ironic/host/image-builder.ts';
import { imageStateOf } from '../../../../adapters/ironic/host/preprovisioning.ts';

const test = suite('image builder');

const ENVIRONMENT = {
  DEPLOY_ISO_URL: 'http://iso',
  DEPLOY_KERNEL_URL: 'http://kernel',
  DEPLOY_RAMDISK_URL: 'http://ramdisk',
};
const images = (environment: Readonly<Record<string, string>> = ENVIRONMENT) =>
  deploySettings(environment, { hasBuilder: true });
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const EARLIER = '2026-01-02T03:00:00Z';

test('the first format counts that is accepted and configured', () => {
  const iso = { format: 'iso', imageUrl: 'http://iso' };
  const initrd = { format: 'initrd', imageUrl: 'http://ramdisk', kernelUrl: 'http://kernel' };
  const { DEPLOY_ISO_URL, DEPLOY_KERNEL_URL, ...noKernel } = ENVIRONMENT;
  const cases = [
    [['iso', 'initrd'], ENVIRONMENT, iso],
    [['initrd', 'iso'], ENVIRONMENT, initrd],
    [['iso', 'initrd'], { DEPLOY_KERNEL_URL, ...noKernel }, initrd],
    [['initrd', 'iso'], { DEPLOY_ISO_URL, DEPLOY_KERNEL_URL }, iso],
    [['squashfs', 'iso'], ENVIRONMENT, iso],
    [['initrd'], { DEPLOY_ISO_URL }, undefined],
    [['initrd'], { DEPLOY_KERNEL_URL }, undefined],
    [['iso'], { DEPLOY_KERNEL_URL, ...noKernel }, undefined],
    [['iso'], { DEPLOY_ISO_URL_X86_64: 'http://x', DEPLOY_ISO_BY_ARCH: 'x86_64:http://y' }, undefined],
    [[], ENVIRONMENT, undefined],
    [null, ENVIRONMENT, undefined],
  ] as const;
  for (const [acceptFormats, environment, expected] of cases) {
    assert.equal(configuredImage({ acceptFormats, architecture: 'x86_64' }, images(environment)), expected);
  }
  assert.is(configuredImage(null, images()), undefined);
});

test('URLs are those of the architecture', () => {
  const of = images({
    ...ENVIRONMENT,
    DEPLOY_ISO_BY_ARCH: 'aarch64:http://iso/list,x86_64:http://iso/list',
    DEPLOY_ISO_URL_AARCH64: 'http://iso/a',
    DEPLOY_KERNEL_BY_ARCH: 'AARCH64:http://kernel/a',
    DEPLOY_RAMDISK_URL_AARCH64: 'http://ramdisk/a',
  });
  const urlsOf = (architecture: string | null) => [
    configuredImage({ acceptFormats: ['iso'], architecture }, of)?.imageUrl,
    configuredImage({ acceptFormats: ['initrd'], architecture }, of)?.imageUrl,
    configuredImage({ acceptFormats: ['initrd'], architecture }, of)?.kernelUrl,
  ];
  assert.equal(urlsOf('aarch64'), ['http://iso/a', 'http://ramdisk/a', 'http://kernel/a']);
  assert.equal(urlsOf('x86_64'), ['http://iso/list', 'http://ramdisk', 'http://kernel']);
  assert.equal(urlsOf('s390x'), ['http://iso', 'http://ramdisk', 'http://kernel']);
  assert.equal(urlsOf(null), ['http://iso', 'http://ramdisk', 'http://kernel']);
});

const IMAGE = {
  metadata: { generation: 2 },
  spec: { architecture: 'x86_64', acceptFormats: ['initrd'], networkDataName: 'net' },
};
const SECRET = { name: 'net', resourceVersion: '9' };

test('an image that is configured is a success, which the host can use', () => {
  const built = builtImage(IMAGE, SECRET, { images: images(), now: NOW });
  const condition = {
    observedGeneration: 2,
    lastTransitionTime: '2026-01-02T03:04:05Z',
    reason: 'ImageSuccess',
    message: '',
  };
  assert.equal(built, {
    status: {
      architecture: 'x86_64',
      format: 'initrd',
      imageUrl: 'http://ramdisk',
      kernelUrl: 'http://kernel',
      networkData: { name: 'net', version: '9' },
      conditions: [
        { type: 'Ready', status: 'True', ...condition },
        { type: 'Error', status: 'False', ...condition },
      ],
    },
  });
  assert.equal(imageStateOf({ ...IMAGE, status: built.status }, SECRET), { kind: 'usable' });
  const plain = { ...IMAGE, spec: { ...IMAGE.spec, networkDataName: '' } };
  const { status } = builtImage(plain, undefined, { images: images(), now: NOW });
  assert.not('networkData' in status);
  assert.equal(imageStateOf({ ...plain, status }, undefined), { kind: 'usable' });
  assert.not('networkData' in builtImage(plain, SECRET, { images: images(), now: NOW }).status);
  const { metadata: _, ...young } = plain;
  const { status: first } = builtImage(young, undefined, { images: images(), now: NOW });
  assert.equal(
    first.conditions?.map(({ observedGeneration }) => observedGeneration),
    [0, 0],
  );
});

test('nothing that is accepted is an error of configuration, and what was made before is gone', () => {
  const { status: before } = builtImage(IMAGE, SECRET, { images: images(), now: NOW });
  const { status, againAfterMs } = builtImage({ ...IMAGE, status: before }, SECRET, { images: images({}), now: NOW });
  assert.is(againAfterMs, undefined);
  assert.not('imageUrl' in status);
  assert.not('kernelUrl' in status);
  const reported = status.conditions?.map(({ type, status: value, reason, message }) => [type, value, reason, message]);
  assert.equal(reported, [
    ['Ready', 'False', 'ConfigurationError', ''],
    ['Error', 'True', 'ConfigurationError', 'no image of an accepted format is configured'],
  ]);
  assert.is(imageStateOf({ ...IMAGE, status }, SECRET).kind, 'failed');
});

test('a Secret that is missing is looked for again, the rarer the longer it is', () => {
  const failed = (lastTransitionTime: string, status = 'True') => ({
    ...IMAGE,
    status: { conditions: [{ type: 'Error', status, lastTransitionTime }] },
  });
  const since = Date.parse(EARLIER);
  for (const [image, now, againAfterMs] of [
    [IMAGE, since, 10_000],
    [failed(EARLIER, 'False'), since + 60_000, 10_000],
    [failed(EARLIER), since, 10_000],
    [failed(EARLIER), since + 25_000, 35_000],
    [failed(EARLIER), since + 589_000, 599_000],
    [failed(EARLIER), since + 590_000, 600_000],
    [failed(EARLIER), since + 86_400_000, 600_000],
    [failed(EARLIER), since - 5_000, 10_000],
    [failed('nonsense'), since, 10_000],
  ] as const) {
    const built = builtImage(image, undefined, { images: images(), now });
    assert.is(built.againAfterMs, againAfterMs);
    assert.equal(
      built.status.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
      [
        ['Ready', 'False', 'MissingNetworkData', ''],
        ['Error', 'True', 'MissingNetworkData', "Secret 'net' does not exist"],
      ],
    );
  }
});

test('a condition says since when it is as it is', () => {
  const conditions = [
    { type: 'Ready', status: 'True', lastTransitionTime: EARLIER },
    { type: 'Error', status: 'False', lastTransitionTime: EARLIER },
  ];
  const times = (secret: typeof SECRET | undefined) =>
    builtImage({ ...IMAGE, status: { conditions } }, secret, { images: images(), now: NOW }).status.conditions?.map(
      ({ lastTransitionTime }) => lastTransitionTime,
    );
  assert.equal(times(SECRET), [EARLIER, EARLIER]);
  assert.equal(times(undefined), ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z']);
});

test('an image is discarded when nobody else holds it', () => {
  const deletionTimestamp = EARLIER;
  assert.is(isDiscardable({ metadata: { deletionTimestamp, finalizers: ['preprovisioningimage.metal3.io'] } }), true);
  assert.is(isDiscardable({ metadata: { deletionTimestamp, finalizers: null } }), true);
  assert.is(isDiscardable({ metadata: { finalizers: [BUILDER_FINALIZER] } }), false);
  const held = [BUILDER_FINALIZER, 'baremetalhost.metal3.io/preprovisioningImage'];
  assert.is(isDiscardable({ metadata: { deletionTimestamp, finalizers: held } }), false);
  assert.is(isDiscardable({}), false);
});

test.run();
