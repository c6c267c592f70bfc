// URLs that a user writes: what is refused when an object comes in is refused, too, by who acts on it, as nobody has to ask for admission.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { admit } from '../../adapters/ironic/api/admission/admit.ts';
import { createSubscription } from '../../adapters/ironic/host/event-subscription.ts';
import { firmwareComponentsStatus } from '../../adapters/ironic/host/firmware-components.ts';
import { dataImageOperations } from '../../adapters/ironic/steps/data-images.ts';
import { downloadUrl } from '../../adapters/openstack/downloads/download-policy.ts';
import { delegateDownload } from '../../adapters/openstack/images/image-data.ts';
import { objectOf, withNode } from '../world/ironic.ts';
import { rejection } from '../world/rejection.ts';

const test = suite('URLs at every entrance');

const IMAGES = {
  good: ['http://x/a', 'https://x:8080/a?b=c', 'ftp://x/a', 'http://[2001:db8::1]/a'],
  bad: ['', 'a', 'file:///etc/passwd', 'http://', 'http://x:0/a', 'http://[x]/a', 'http://x/\n', 'javascript:x'],
};
const DESTINATIONS = {
  good: ['https://x/', 'http://x:1/a'],
  bad: ['', 'x', 'https://x', 'https:///a', 'http://x:99999/a', 'http://x/\n'],
};
const DOWNLOADS = { good: ['http://x/a', 'HTTPS://x/a'], bad: ['', 'a', 'file:///etc/passwd', 'ftp://x/a', 'http://'] };

const isAdmitted = (kind: string, spec: object): boolean => {
  const object = { metadata: { name: 'one', namespace: 'ns' }, spec };
  return admit({ kind, version: 'v1alpha1', operation: 'CREATE', object, oldObject: null } as never).allowed;
};

test('33.A9: the image of a DataImage: admission, and what attaches it', () =>
  withNode(async ({ ports, ironic, request }) => {
    for (const [isGood, urls] of [
      [true, IMAGES.good],
      [false, IMAGES.bad],
    ] as const) {
      for (const url of urls) {
        assert.is(isAdmitted('DataImage', { url }), isGood, url);
        const attached = await dataImageOperations(ports).attach({ ...request(objectOf('DataImage', { url })), url });
        assert.is(attached.kind, isGood ? 'taken' : 'refused', url);
        if (!isGood) assert.is(ironic.machine('bm1').media, null, url);
        await dataImageOperations(ports).detach(request(objectOf('DataImage', { url })));
      }
    }
  }));

test('33.A9: the source of firmware: admission, and whether an update is valid', () => {
  for (const [isGood, urls] of [
    [true, IMAGES.good],
    [false, IMAGES.bad],
  ] as const) {
    for (const url of urls) {
      const spec = { updates: [{ component: 'bios', url }] };
      assert.is(isAdmitted('HostFirmwareComponents', spec), isGood, url);
      const { status } = firmwareComponentsStatus({ object: { metadata: {}, spec } as never, components: [], now: 0 });
      const valid = status.conditions?.find(({ type }) => type === 'Valid')?.status;
      assert.is(valid, isGood ? 'True' : 'False', url);
    }
  }
});

test('33.A9: where events of a BMC go: admission, and what asks for them', () => {
  for (const [isGood, urls] of [
    [true, DESTINATIONS.good],
    [false, DESTINATIONS.bad],
  ] as const) {
    for (const destination of urls) {
      const spec = { hostName: 'h', destination };
      assert.is(isAdmitted('BMCEventSubscription', spec), isGood, destination);
      const asked = createSubscription({ metadata: { namespace: 'ns' }, spec } as never, undefined);
      assert.is('problem' in asked, !isGood, destination);
    }
  }
});

test('33.A9: the content of an image: what Troupe fetches, and what Glance fetches for it', async () => {
  for (const url of DOWNLOADS.good) assert.ok(downloadUrl(url));
  for (const url of DOWNLOADS.bad) {
    assert.throws(() => downloadUrl(url), /must be one of HTTP or HTTPS/);
    const object = { spec: { resource: { content: { diskFormat: 'raw', download: { url } } } } };
    const session = { call: () => assert.unreachable('Glance is asked') };
    const asked = delegateDownload({ session, request: { object, id: 'i' } } as never);
    assert.match((await rejection(asked)).message, /must be one of HTTP or HTTPS/);
  }
});

test.run();
