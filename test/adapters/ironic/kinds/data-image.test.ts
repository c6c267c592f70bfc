// The life of a DataImage, pass by pass.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dataImage } from '../../../../adapters/ironic/kinds/data-image.ts';
import { type DependencyAnswer, Readiness } from '../../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import { type Lived, type LivedOptions, live } from './lived.ts';

const test = suite('data image');

const NOW = Date.parse('2026-01-02T03:04:05Z');
const TIME = '2026-01-02T03:04:05Z';
const [URL, OTHER] = ['http://x/1.iso', 'http://x/2.iso'];
const OWNER = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'h', uid: 'host' };
const HELD = { finalizers: ['dataimage.metal3.io'], ownerReferences: [OWNER] };

const imageOf = (status: JsonObject | undefined, metadata: object = HELD): KubeObject => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'DataImage',
  metadata: { name: 'h', namespace: 'ns', uid: 'image', resourceVersion: '1', generation: 1, ...metadata },
  spec: { url: URL },
  ...(status !== undefined && { status }),
});
const hostWith = (attributes: JsonObject = {}, readiness: Readiness = Readiness.Ready): DependencyAnswer => ({
  readiness,
  uid: 'host',
  externalId: 'node',
  attributes: {
    state: 'provisioned',
    poweredOn: true,
    online: true,
    isPaused: false,
    isDetached: false,
    ...attributes,
  },
});
const ON = hostWith();
const STARTING = hostWith({ poweredOn: false });
const GONE: DependencyAnswer = { readiness: Readiness.Absent, uid: '' };
const SEEN = { lastReconciled: TIME };
const OUT = { kind: 'read', media: [{ inserted: false, media_types: ['CD'] }], problem: '' };
const IN = { kind: 'read', media: [{ inserted: true, media_types: ['CD'] }], problem: '' };
const TAKEN = { kind: 'taken' };

function begin(object: KubeObject, other: DependencyAnswer, options: Partial<LivedOptions> = {}): Promise<Lived> {
  const answers = { look: OUT, attach: TAKEN, detach: TAKEN };
  return live(dataImage, object, { at: NOW, other, ...options, answers: { ...answers, ...options.answers } });
}

const isSettled = ({ object }: Lived): unknown => dataImage.publicState(object()).attributes?.['isSettled'];

test('a new one is held, owned by its host, looked at once, and rests while the host is on', async () => {
  const life = await begin(imageOf(undefined, {}), ON);
  assert.equal(life.done, ['addOwnFinalizer', 'setOwnerReference', 'look', 'storeStatus']);
  assert.equal([life.phase(), life.object().status, isSettled(life)], ['active.idle', SEEN, false]);
});

test('it is attached when the host starts, and on record once it was seen', async () => {
  const life = await begin(imageOf(SEEN), ON);
  assert.equal(life.done, []);
  await life.hear(STARTING);
  assert.equal([life.done, life.phase()], [['look', 'attach'], 'active.requeued']);
  life.answer('look', { kind: 'busy' });
  await life.pass(3_000);
  assert.equal([isSettled(life), life.phase()], [false, 'active.requeued']);
  life.answer('look', IN);
  await life.pass(3_000);
  assert.equal(life.object().status, { attachedImage: { url: URL }, lastReconciled: '2026-01-02T03:04:11Z' });
  assert.equal([isSettled(life), life.phase()], [true, 'active.idle']);
  assert.is(life.done.filter((each) => each === 'attach').length, 1);
});

test('what an earlier life has asked for is looked for, not asked for again', async () => {
  const life = await begin(imageOf(SEEN), STARTING, { intents: [{ url: URL }], answers: { look: IN } });
  assert.equal(life.done, ['look', 'storeStatus']);
  assert.is(isSettled(life), true);
});

test('deleted meanwhile, it is taken out again before it goes', async () => {
  const deleted = imageOf(SEEN, { ...HELD, deletionTimestamp: TIME });
  const life = await begin(deleted, STARTING, { intents: [{ url: URL }], answers: { look: IN } });
  assert.equal([life.done, life.phase()], [['look', 'storeStatus', 'look', 'detach'], 'deleting.requeued']);
  life.answer('look', OUT);
  await life.pass(3_000);
  assert.equal(life.done.slice(-4), ['look', 'storeStatus', 'endClaims', 'removeOwnFinalizer']);
});

test('a failure is counted, and tried again after its pause; another URL at once', async () => {
  const refused = { kind: 'refused', message: 'no such scheme' };
  const life = await begin(imageOf(SEEN), STARTING, { answers: { attach: refused } });
  assert.equal(life.object().status?.['error'], { count: 1, message: 'no such scheme' });
  await life.hear(hostWith({ poweredOn: false, operationalStatus: 'OK' }));
  await life.pass(119_999);
  assert.equal(life.done, ['look', 'attach', 'storeStatus']);
  await life.pass(1);
  assert.equal(life.object().status?.['error'], { count: 2, message: 'no such scheme' });
  life.answer('attach', TAKEN);
  await life.change({ metadata: { generation: 2 }, spec: { url: OTHER } });
  assert.is(life.done.at(-1), 'attach');
  life.answer('look', IN);
  await life.pass(3_000);
  assert.equal(life.object().status?.['attachedImage'], { url: OTHER });
  assert.is(life.object().status?.['error'], undefined);
});

test('what Ironic took and could not do is a failure; what it did not take, as the node is held, is none', async () => {
  const life = await begin(imageOf(SEEN), STARTING, { answers: { attach: { kind: 'busy' } } });
  assert.equal([life.done, life.object().status], [['look', 'attach'], SEEN]);
  life.answer('attach', TAKEN);
  await life.pass(3_000);
  life.answer('look', { ...OUT, problem: 'Could not attach device' });
  await life.pass(3_000);
  assert.equal(life.object().status?.['error'], { count: 1, message: 'Could not attach device' });
});

test('a look that fails is made again after half a minute', async () => {
  const life = await begin(imageOf(SEEN), STARTING, { answers: { look: { code: 'transient', message: 'no answer' } } });
  assert.is(life.phase(), 'active.backingOff');
  await life.pass(29_999);
  assert.equal(life.done, ['look']);
  life.answer('look', OUT);
  await life.pass(1);
  assert.equal(life.done, ['look', 'look', 'attach']);
});

test('an Ironic that is too old is told of once, and holds no host off', async () => {
  const life = await begin(imageOf(undefined), STARTING, { answers: { look: { kind: 'unsupported' } } });
  assert.is(((life.object().status?.['error'] ?? {}) as JsonObject)['count'], 1);
  assert.equal([isSettled(life), life.phase()], [true, 'active.idle']);
});

test('a CD that is not there any more is found when the host starts, and attached again', async () => {
  const life = await begin(imageOf({ attachedImage: { url: URL }, ...SEEN }), ON);
  assert.equal([life.done, isSettled(life)], [[], true]);
  await life.hear(STARTING);
  assert.equal([life.done, isSettled(life)], [['look', 'storeStatus', 'look', 'attach'], false]);
});

test('one look is enough for one start', async () => {
  const attached = imageOf({ attachedImage: { url: URL }, ...SEEN });
  const life = await begin(attached, STARTING, { answers: { look: IN } });
  await life.hear(STARTING);
  assert.equal([life.done, life.phase()], [['look'], 'active.idle']);
});

test('deleted while its host is on, it is looked for now and then', async () => {
  const attached = imageOf({ attachedImage: { url: URL }, ...SEEN }, { ...HELD, deletionTimestamp: TIME });
  const life = await begin(attached, ON, { answers: { look: IN } });
  assert.equal([life.done, life.phase()], [['look'], 'deleting.requeued']);
  await life.pass(60_000);
  assert.equal(life.done, ['look', 'look']);
  life.answer('look', OUT);
  await life.pass(60_000);
  assert.equal(life.done.slice(-2), ['endClaims', 'removeOwnFinalizer']);
});

test('without a host, or with a detached one, it goes at once; with a paused one it waits', async () => {
  const attached = imageOf({ attachedImage: { url: URL }, ...SEEN }, { ...HELD, deletionTimestamp: TIME });
  for (const other of [GONE, hostWith({ isDetached: true }, Readiness.Pending)]) {
    assert.equal((await begin(attached, other)).done, ['endClaims', 'removeOwnFinalizer']);
  }
  const waiting = await begin(attached, hostWith({ isPaused: true }, Readiness.Pending));
  assert.equal([waiting.done, waiting.phase()], [[], 'deleting.idle']);
});

test('at rest it is woken by what of its host matters to it', () => {
  const isNews = (before: DependencyAnswer | undefined, now: DependencyAnswer): boolean =>
    dataImage.life.wakesOn?.(before, now) === true;
  assert.ok(isNews(ON, STARTING));
  assert.ok(isNews(undefined, ON));
  assert.ok(isNews(ON, GONE));
  assert.not(isNews(ON, hostWith({ operationalStatus: 'servicing', vendor: 'x' })));
  assert.not(isNews(hostWith({ state: 'available' }), hostWith({ state: 'available', poweredOn: false })));
});

test.run();
