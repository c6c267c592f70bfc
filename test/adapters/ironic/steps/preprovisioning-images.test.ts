// What PreprovisioningImages are made of: configured URLs, and the version of a Secret.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SecretContent } from '../../../../adapters/api/adapter.ts';
import { deploySettings } from '../../../../adapters/ironic/host/deploy-settings.ts';
import { preprovisioningImageOperations } from '../../../../adapters/ironic/steps/preprovisioning-images.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { objectOf } from '../../../world/ironic.ts';

const test = suite('operations on PreprovisioningImages');

const deploy = deploySettings({ DEPLOY_ISO_URL: 'http://x/deploy.iso' }, { hasBuilder: true });
const SPEC = { architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] };

function build(spec: object, secret?: SecretContent) {
  const read: string[] = [];
  const operations = preprovisioningImageOperations({
    clock: simulatedClock(),
    options: { deploy },
    async readSecret(namespace, name) {
      read.push(`${namespace}/${name}`);
      return secret;
    },
  });
  const object = objectOf('PreprovisioningImage', { ...SPEC, ...spec });
  const request = { object, dependencies: {}, deadlineAt: Number.POSITIVE_INFINITY, traceparent: '' };
  return { read, built: operations.build(request) };
}

test('one without network data is made of what is configured, and no Secret is read', async () => {
  const { read, built } = build({});
  const { status, againAfterMs } = await built;
  assert.equal(
    [status.imageUrl, status.networkData, againAfterMs, read],
    ['http://x/deploy.iso', undefined, undefined, []],
  );
});

test('one with network data names the version of their Secret, and nothing that is in it', async () => {
  const data = { networkData: Buffer.from('hush-hush').toString('base64') };
  const { read, built } = build({ networkDataName: 'net' }, { uid: 'u', resourceVersion: '42', data });
  const { status } = await built;
  assert.equal([status.networkData, read], [{ name: 'net', version: '42' }, ['ns/net']]);
  assert.not.match(JSON.stringify(await built), data.networkData);
});

test('without their Secret there is none, and it is looked for again', async () => {
  const { status, againAfterMs } = await build({ networkDataName: 'net' }).built;
  assert.equal(
    (status.conditions ?? []).map(({ type, status, reason }) => [type, status, reason]),
    [
      ['Ready', 'False', 'MissingNetworkData'],
      ['Error', 'True', 'MissingNetworkData'],
    ],
  );
  assert.is(againAfterMs, 10_000);
});

test.run();
