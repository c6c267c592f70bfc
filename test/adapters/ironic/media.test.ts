// long
// DataImage, BMCEventSubscription and PreprovisioningImage on the whole runtime, with a host and a simulated Ironic.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import {
  conditionOf,
  IMAGE as DISK,
  isIn,
  isSwitched,
  RAMDISK,
  type Raw,
  type SimulatedHosts,
  type SimulatedHostsOptions,
  withHosts,
} from '../../world/hosts.ts';

const test = suite('media and subscriptions of hosts');
const HOST = 'baremetalhosts/one';
const CD = 'dataimages/one';
const SUBSCRIPTION = 'bmceventsubscriptions/events';
const IMAGE = 'preprovisioningimages/one';
const [FIRST, SECOND] = ['http://images/first.iso', 'http://images/second.iso'];

const isOn = isSwitched(true);
const attachedTo = ({ status }: Raw): unknown => (status?.['attachedImage'] as JsonObject | undefined)?.['url'];
const isAttached = (url: string | undefined) => (image: Raw) => attachedTo(image) === url;
const subscriptionOf = ({ status }: Raw): unknown => status?.['subscriptionID'];

const on = (run: (world: SimulatedHosts) => Promise<void>, options: SimulatedHostsOptions = {}): Promise<void> =>
  withHosts(run, {
    env: RAMDISK,
    image: (href) => (href.endsWith('.missing') ? 'missing' : { sha256: DISK.checksum }),
    ...options,
  });

/** Off, then on again. */
async function powerCycle(
  world: SimulatedHosts,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  await world.merge(HOST, { spec: { online: false } });
  await world.until(HOST, 'off', (host) => !isOn(host));
  await meanwhile();
  await world.merge(HOST, { spec: { online: true } });
}

const mediaOf = ({ ironic }: SimulatedHosts): string | null => ironic.machine('bm1').media;

test('a CD goes in and out while its host is about to be powered on, and at no other time', () =>
  on(async (world) => {
    const host = await world.host({ image: DISK });
    await world.until(HOST, 'provisioned and on', (now) => isIn('provisioned')(now) && isOn(now));
    await world.create(CD, { spec: { url: FIRST } });
    const adopted = await world.until(CD, 'looked at', ({ status }) => status?.['lastReconciled'] !== undefined);
    assert.equal(adopted.metadata.finalizers, ['dataimage.metal3.io']);
    assert.equal(
      adopted.metadata.ownerReferences?.map(({ uid, kind }) => [uid, kind]),
      [[host.metadata.uid, 'BareMetalHost']],
    );
    assert.equal([attachedTo(adopted), mediaOf(world)], [undefined, null]);

    await powerCycle(world);
    await world.until(HOST, 'on', isOn);
    assert.is(attachedTo((await world.read(CD)) as Raw), FIRST, 'before the host was on');
    assert.is(mediaOf(world), FIRST);

    await powerCycle(world, () => world.merge(CD, { spec: { url: SECOND } }));
    await world.until(HOST, 'on', isOn);
    assert.equal([attachedTo((await world.read(CD)) as Raw), mediaOf(world)], [SECOND, SECOND]);

    await world.remove(CD);
    await powerCycle(world);
    await world.gone(CD);
    await world.until(HOST, 'on', isOn);
    assert.is(mediaOf(world), null);
  }));

test('an image that Ironic cannot attach holds the host off, and says why, until it is another one', () =>
  on(async (world) => {
    await world.host({ image: DISK });
    await world.until(HOST, 'provisioned and on', (now) => isIn('provisioned')(now) && isOn(now));
    await world.create(CD, { spec: { url: 'http://images/none.missing' } });
    await powerCycle(world);
    // Ironic forgets what went wrong with the next thing that it does to the node: one of the tries sees it.
    const failing = await world.until(CD, 'failing', ({ status }) =>
      String((status?.['error'] as JsonObject | undefined)?.['message']).includes('Could not attach device cdrom'),
    );
    assert.ok(Number((failing.status?.['error'] as JsonObject | undefined)?.['count']) >= 1);
    assert.not.ok(isOn((await world.read(HOST)) as Raw));
    await world.merge(CD, { spec: { url: FIRST } });
    const settled = await world.until(CD, 'attached', isAttached(FIRST));
    assert.is(settled.status?.['error'], undefined);
    await world.until(HOST, 'on', isOn);
  }));

test('a DataImage without a host waits for one, and goes at once', () =>
  on(async (world) => {
    await world.create(CD, { spec: { url: FIRST } });
    await world.until(CD, 'held', ({ metadata }) => metadata.finalizers !== undefined);
    await world.remove(CD);
    await world.gone(CD);
    assert.equal(world.ironic.calls(), {});
  }));

test('a subscription is made once its host is registered, with the headers of a Secret, and ends with its object', () =>
  on(async (world) => {
    const spec = {
      hostName: 'one',
      destination: 'https://x/events',
      context: 'c',
      httpHeadersRef: { name: 'headers' },
    };
    await world.create(SUBSCRIPTION, { spec });
    const says = (words: string) => (object: Raw) => String(object.status?.['error']).includes(words);
    await world.until(SUBSCRIPTION, 'without a host', says("host 'one' does not exist"));
    await world.host();
    await world.until(SUBSCRIPTION, 'without headers', says("the Secret 'headers' with the headers does not exist"));
    await world.create('secrets/headers', { type: 'Opaque', stringData: { Authorization: 'Bearer hush-hush' } });
    const made = await world.until(SUBSCRIPTION, 'made', (object) => Boolean(subscriptionOf(object)));
    assert.equal([made.metadata.finalizers, made.status?.['error'] ?? ''], [['bmceventsubscription.metal3.io'], '']);
    assert.equal(
      world.ironic.machine('bm1').subscriptions.map(({ Id, Destination }) => [Id, Destination]),
      [[subscriptionOf(made), 'https://x/events']],
    );
    assert.not.match(JSON.stringify(world.log), 'hush-hush');

    await world.until(HOST, 'available', isIn('available'));
    await world.stop();
    world.ironic.resetCounts();
    await world.start();
    await world.remove(SUBSCRIPTION);
    await world.gone(SUBSCRIPTION);
    assert.equal(world.ironic.machine('bm1').subscriptions, []);
    assert.is(world.ironic.calls()['POST /nodes/{id}/vendor_passthru'], undefined);
  }));

test('a subscription that another controller made is kept, what it said of troubles goes, and with the host so does the object', () =>
  on(async (world) => {
    await world.host();
    await world.until(HOST, 'available', isIn('available'));
    await world.stop();
    await world.create(SUBSCRIPTION, {
      metadata: { finalizers: ['bmceventsubscription.metal3.io'] },
      spec: { hostName: 'one', destination: 'https://x/events' },
    });
    await world.merge(`${SUBSCRIPTION}/status`, { status: { subscriptionID: '7', error: 'no such host' } });
    world.ironic.resetCounts();
    await world.start();
    // It is not at the BMC any more.
    const made = await world.until(SUBSCRIPTION, 'made anew', (object) => subscriptionOf(object) === '1');
    assert.is(made.status?.['error'] ?? '', '');
    await world.remove(HOST);
    await world.gone(HOST);
    await world.remove(SUBSCRIPTION);
    await world.gone(SUBSCRIPTION);
  }));

test('33.D: the built-in builder gives a host its ramdisk, with its labels, as its controller, and with the version of its network data', () =>
  on(
    async (world) => {
      await world.create('secrets/network', { type: 'Opaque', stringData: { networkData: '{}' } });
      const { metadata: host } = await world.host(
        { preprovisioningNetworkDataName: 'network' },
        { labels: { rack: '7' } },
      );
      await world.until(HOST, 'available', isIn('available'));
      const versionOf = ({ status }: Raw): unknown => (status?.['networkData'] as JsonObject | undefined)?.['version'];
      const image = await world.until(IMAGE, 'ready', (it) => conditionOf(it, 'Ready')?.['status'] === 'True');
      assert.equal([image.status?.['imageUrl'], image.status?.['format']], ['http://images/deploy.iso', 'iso']);
      assert.ok(image.metadata.finalizers?.includes('preprovisioningimage.metal3.io'));
      // 33.D: what builders choose by, and who controls it.
      assert.equal(image.metadata.labels, { rack: '7' });
      const [owner] = image.metadata.ownerReferences ?? [];
      assert.equal([owner?.uid, owner?.controller], [host.uid, true]);
      await world.merge(HOST, { metadata: { labels: { rack: null, row: '2' } }, spec: { description: 'moved' } });
      // As they are when the host is looked at next.
      await world.until(IMAGE, 'labeled anew', ({ metadata }) => metadata.labels?.['row'] === '2');
      assert.equal((await world.read(IMAGE))?.metadata.labels, { row: '2' });
      const secret = (await world.read('secrets/network')) as Raw;
      assert.is(secret.metadata.labels?.['environment.metal3.io'], 'baremetal');
      assert.ok(secret.metadata.ownerReferences?.some(({ kind }) => kind === 'PreprovisioningImage'));
      await world.until(
        IMAGE,
        'of the Secret as it is',
        (object) => versionOf(object) === secret.metadata.resourceVersion,
      );
      const edited = await world.merge('secrets/network', { stringData: { networkData: '{"links": []}' } });
      await world.until(
        IMAGE,
        'of the edited Secret',
        (object) => versionOf(object) === edited.metadata.resourceVersion,
      );

      await world.remove(IMAGE);
      const leaving = await world.until(
        IMAGE,
        'being deleted',
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      assert.ok(leaving.metadata.finalizers?.includes('preprovisioningimage.metal3.io'), 'the host has use for it');
      await world.remove(HOST);
      await world.gone(HOST);
      await world.gone(IMAGE);
    },
    { env: { TROUPE_BUILD_PREPROV_IMAGE: 'true', DEPLOY_ISO_URL: 'http://images/deploy.iso' } },
  ));

test.run();
