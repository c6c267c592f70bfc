// The life of a PreprovisioningImage with the built-in builder.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deploySettings } from '../../../../adapters/ironic/host/deploy-settings.ts';
import { builtImage } from '../../../../adapters/ironic/host/image-builder.ts';
import type { PreprovisioningImage } from '../../../../adapters/ironic/host/preprovisioning.ts';
import { preprovisioningImage } from '../../../../adapters/ironic/kinds/preprovisioning-image.ts';
import { type DependencyAnswer, Readiness } from '../../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import { type Lived, live } from './lived.ts';

const test = suite('preprovisioning image');

const NOW = Date.parse('2026-01-02T03:04:05Z');
const images = deploySettings({ DEPLOY_ISO_URL: 'http://x/one.iso' }, { hasBuilder: true });
const kind = preprovisioningImage(images);
const OWN = 'preprovisioningimage.metal3.io';
const HOSTS = 'baremetalhost.metal3.io/preprovisioningImage';
const THERE: DependencyAnswer = { readiness: Readiness.Ready, uid: 'secret', version: '1' };
const GONE: DependencyAnswer = { readiness: Readiness.Absent, uid: '' };

function imageOf(spec: JsonObject = {}, rest: Partial<KubeObject> & { readonly more?: object } = {}): KubeObject {
  const { more = {}, ...parts } = rest;
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'PreprovisioningImage',
    metadata: { name: 'h', namespace: 'ns', uid: 'i', resourceVersion: '1', generation: 1, finalizers: [OWN], ...more },
    spec: { architecture: 'x86_64', acceptFormats: ['iso'], ...spec },
    ...parts,
  };
}

/** What the operation answers for an object. */
function built(object: KubeObject, version?: string) {
  const name = String(object.spec?.['networkDataName'] ?? '');
  const secret = version === undefined ? undefined : { name, resourceVersion: version };
  return builtImage(object as PreprovisioningImage, secret, { images, now: NOW });
}

function made(object: KubeObject, version?: string): KubeObject {
  return { ...object, status: built(object, version).status as JsonObject };
}

const begin = (object: KubeObject, build: unknown, other?: DependencyAnswer): Promise<Lived> =>
  live(kind, object, { at: NOW, answers: { build }, ...(other !== undefined && { other }) });
const isReady = ({ object }: Pick<Lived, 'object'>): boolean => kind.publicState(object()).ready;

test('a new one is held, built, and ready', async () => {
  const object = imageOf({}, { more: { finalizers: [HOSTS] } });
  const life = await begin(object, built(object));
  assert.equal([life.done, life.phase()], [['addOwnFinalizer', 'build', 'storeStatus'], 'active.idle']);
  assert.ok(isReady(life));
});

test('one that is as it is to be is left alone, until its spec or what is configured is another', async () => {
  const object = made(imageOf());
  const life = await begin(object, built(object));
  assert.equal([life.done, life.phase()], [[], 'active.idle']);
  await life.change({ metadata: { generation: 2 }, spec: { architecture: 'aarch64', acceptFormats: ['iso'] } });
  assert.is(life.done[0], 'build');
  const others = deploySettings({ DEPLOY_ISO_URL: 'http://x/another.iso' }, { hasBuilder: true });
  const elsewhere = await live(preprovisioningImage(others), object, { at: NOW, answers: { build: built(object) } });
  assert.is(elsewhere.done[0], 'build');
});

test('a status that somebody spoils is made good', async () => {
  const object = made(imageOf());
  const life = await begin(object, built(object));
  await life.change({ status: { ...object.status, imageUrl: 'http://evil/iso' } });
  assert.equal([life.done, life.object().status], [['build', 'storeStatus'], object.status]);
});

test('the Secret of its network data is marked before its version is read', async () => {
  const object = imageOf({ networkDataName: 'net' });
  const life = await begin(object, built(object, '7'), THERE);
  assert.equal(life.done, ['labelReferenced', 'build', 'storeStatus']);
  assert.ok(isReady(life));
  life.answer('build', built(life.object(), '8'));
  await life.hear({ ...THERE, version: '2' });
  assert.equal(life.object().status?.['networkData'], { name: 'net', version: '8' });
});

test('a Secret that may have changed while nobody was there is looked at', async () => {
  const object = made(imageOf({ networkDataName: 'net' }), '7');
  const life = await live(kind, object, { at: NOW, answers: { build: built(object, '8') } });
  assert.equal(life.done, []);
  await life.hear(THERE);
  assert.equal(life.done, ['labelReferenced', 'build', 'storeStatus']);
});

test('without the Secret it is not ready, and made as soon as there is one', async () => {
  const object = imageOf({ networkDataName: 'net' });
  const life = await begin(object, built(object), GONE);
  assert.equal([life.done, life.phase(), isReady(life)], [['build', 'storeStatus'], 'active.requeued', false]);
  await life.pass(10_000);
  assert.is(life.done.filter((each) => each === 'build').length, 2);
  life.answer('build', built(life.object(), '7'));
  await life.hear(THERE);
  assert.ok(isReady(life));
});

test('one that is being deleted is kept up as long as others hold it, and goes with them', async () => {
  const deleted = { deletionTimestamp: '2026-01-02T03:04:05Z', generation: 2, finalizers: [HOSTS, OWN] };
  const object = { ...made(imageOf()), metadata: imageOf({}, { more: deleted }).metadata };
  const life = await begin(object, built(object));
  assert.equal([life.done, life.phase()], [['build', 'storeStatus'], 'deleting.held']);
  assert.ok(isReady(life), 'the deletion has made it another generation');
  await life.change({ metadata: { finalizers: [OWN] } });
  assert.equal(life.done.slice(-2), ['endClaims', 'removeOwnFinalizer']);
});

test('it is woken by another version of the Secret', () => {
  assert.ok(kind.life.wakesOn?.(undefined, THERE));
  assert.ok(kind.life.wakesOn?.(THERE, { ...THERE, version: '2' }));
  assert.ok(kind.life.wakesOn?.(THERE, GONE));
  assert.not(kind.life.wakesOn?.(THERE, { ...THERE, readiness: Readiness.Pending }));
});

test.run();
