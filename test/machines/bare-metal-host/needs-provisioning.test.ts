// Whether an image is wanted, may be tried once more, and is wanted still.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  forgetAttempts,
  needsProvisioning,
  provisioningCanceled,
  retryLimit,
} from '../../../machines/bare-metal-host/needs-provisioning.ts';
import { BARE, host, IMAGE, OTHER_IMAGE } from './hosts.ts';

const test = suite('needs provisioning');
const method = { method: 'install' };
const other = { method: 'another' };

test('a host that is on and lacks the wanted image or method needs provisioning', () => {
  const cases = [
    [true, { spec: { image: IMAGE } }],
    [true, { spec: { image: IMAGE }, provisioning: { image: { url: '' } } }],
    [false, { spec: { image: IMAGE, online: false } }],
    [false, { spec: { image: IMAGE }, provisioning: { image: OTHER_IMAGE } }],
    [false, { spec: { image: { url: '' } } }],
    [false, { spec: {} }],
    [true, { spec: { customDeploy: method } }],
    [true, { spec: { customDeploy: method }, provisioning: { customDeploy: other } }],
    [true, { spec: { customDeploy: method, image: IMAGE }, provisioning: { image: IMAGE } }],
    [false, { spec: { customDeploy: method }, provisioning: { customDeploy: method } }],
    [false, { spec: { customDeploy: { method: '' } } }],
    [false, { spec: { customDeploy: method, online: false } }],
  ] as const;
  for (const [wanted, parts] of cases) assert.is(needsProvisioning(host(parts)), wanted, JSON.stringify(parts));
});

test('an image may fail so often and no more', () => {
  const tried = (provisioningFailCount: number, image = IMAGE) =>
    host({ spec: { image }, status: { provisioningFailCount, lastAttemptedImage: IMAGE } });
  assert.equal(retryLimit(tried(4)), { provisioningFailCount: 4, isReached: false, message: undefined });
  assert.equal(retryLimit(tried(5)), {
    provisioningFailCount: 5,
    isReached: true,
    message:
      'provisioning failed 5 times, retry limit (5) reached; change image or reset provisioningFailCount to retry',
  });
  assert.is(retryLimit(tried(2), 2).message?.startsWith('provisioning failed 2 times, retry limit (2) reached;'), true);
  assert.is(retryLimit(tried(99), 0).isReached, false);
  assert.is(retryLimit(tried(99), -1).isReached, false);
});

test('another image begins at 0', () => {
  const failed = { provisioningFailCount: 9 };
  const counts = (image: object | undefined, lastAttemptedImage: object | undefined): number =>
    retryLimit(
      host({ spec: image ? { image } : {}, status: { ...failed, ...(lastAttemptedImage && { lastAttemptedImage }) } }),
    ).provisioningFailCount;
  assert.is(counts(OTHER_IMAGE, IMAGE), 0);
  assert.is(counts({ ...IMAGE, checksum: 'other' }, IMAGE), 0);
  assert.is(counts({ ...IMAGE, format: 'raw' }, IMAGE), 0);
  assert.is(counts({ ...IMAGE, ociAuthSecretName: 'pull' }, IMAGE), 0);
  assert.is(counts({ ...IMAGE, checksumType: 'sha256' }, IMAGE), 0);
  assert.is(counts({ ...IMAGE, checksumType: '' }, IMAGE), 9, 'an empty text is none');
  assert.is(counts(IMAGE, undefined), 0);
  assert.is(counts(undefined, IMAGE), 0);
  assert.is(counts(undefined, undefined), 9, 'a custom deploy without an image is counted, too');
});

test('an available host that wants no image forgets what failed', () => {
  const failed = { provisioningFailCount: 2, lastAttemptedImage: IMAGE };
  const forgotten = { provisioningFailCount: 0, lastAttemptedImage: undefined };
  assert.equal(forgetAttempts(host({ status: failed })), forgotten);
  assert.equal(forgetAttempts(host({ spec: { image: { url: '' } }, status: failed })), forgotten);
  assert.is(forgetAttempts(host({ spec: { image: IMAGE }, status: failed })), undefined);
  assert.is(forgetAttempts(host({ spec: { customDeploy: method }, status: failed })), undefined);
  assert.is(forgetAttempts(host({ status: { lastAttemptedImage: IMAGE } })), undefined);
});

test('provisioning is canceled in the order of the contract', () => {
  const cases = [
    // 1. A method is wanted.
    [false, { spec: { customDeploy: method } }],
    [false, { spec: { customDeploy: method }, provisioning: { customDeploy: method } }],
    [true, { spec: { customDeploy: method }, provisioning: { customDeploy: other } }],
    [false, { spec: { customDeploy: method, image: IMAGE } }],
    [false, { spec: { customDeploy: method, image: IMAGE }, provisioning: { image: IMAGE } }],
    [true, { spec: { customDeploy: method, image: OTHER_IMAGE }, provisioning: { image: IMAGE } }],
    [true, { spec: { customDeploy: method }, provisioning: { image: IMAGE } }],
    [false, { spec: { customDeploy: method }, provisioning: { image: { url: '' } } }],
    // 2. None is, and one is deployed.
    [true, { spec: { image: IMAGE }, provisioning: { image: IMAGE, customDeploy: method } }],
    [false, { spec: { image: IMAGE }, provisioning: { image: IMAGE, customDeploy: { method: '' } } }],
    // 3. An image alone.
    [true, { spec: {} }],
    [true, { spec: { image: { url: '' } } }],
    [true, { spec: {}, provisioning: { image: IMAGE } }],
    [false, { spec: { image: IMAGE } }],
    [false, { spec: { image: IMAGE }, provisioning: { image: IMAGE } }],
    [false, { spec: { image: { ...IMAGE, checksum: 'other' } }, provisioning: { image: IMAGE } }],
    [true, { spec: { image: OTHER_IMAGE }, provisioning: { image: IMAGE } }],
  ] as const;
  for (const [wanted, parts] of cases) assert.is(provisioningCanceled(host(parts)), wanted, JSON.stringify(parts));
});

test('nothing is certain to be there', () => {
  for (const bare of BARE) {
    assert.is(needsProvisioning(bare), false);
    assert.is(provisioningCanceled(bare), true);
    assert.is(retryLimit(bare).isReached, false);
    assert.is(forgetAttempts(bare), undefined);
  }
});

test.run();
