// DataImage: what its controller and the host do next, and what is recorded.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DataImage,
  type DataImageHost,
  type DataImageOutcome,
  dataImageLook,
  dataImageStatus,
  dataImageStep,
  dataImageUpkeep,
  isCdInserted,
  type VirtualMedia,
} from '../../../../adapters/ironic/hosts/data-image.ts';

const test = suite('data image');

const NOW = Date.parse('2026-01-02T03:04:05Z');
const TIME = '2026-01-02T03:04:05Z';
const URL = 'http://x/1.iso';
const OTHER = 'http://x/2.iso';

const held = { finalizers: ['dataimage.metal3.io'], ownerReferences: [{ uid: 'h' }] };
const deleted = { ...held, deletionTimestamp: TIME };
const host: DataImageHost = { metadata: { uid: 'h' }, status: { provisioning: { state: 'provisioned' } } };
const annotated = (name: string): DataImageHost => ({ ...host, metadata: { uid: 'h', annotations: { [name]: '' } } });
const paused = annotated('baremetalhost.metal3.io/paused');
const detached = annotated('baremetalhost.metal3.io/detached');

const imageWith = (metadata: DataImage['metadata'], attached?: string): DataImage => ({
  metadata,
  spec: { url: URL },
  ...(attached !== undefined && { status: { attachedImage: { url: attached } } }),
});

const upkeep: readonly (readonly [string, DataImage, DataImageHost | undefined | null, object])[] = [
  ['new', imageWith({}), host, { next: 'adopt' }],
  ['held, not owned', imageWith({ finalizers: held.finalizers, ownerReferences: null }), host, { next: 'adopt' }],
  ['owned, not held', imageWith({ ownerReferences: held.ownerReferences, finalizers: null }), host, { next: 'adopt' }],
  ['owned by another host', imageWith({ ...held, ownerReferences: [{ uid: 'i' }] }), host, { next: 'adopt' }],
  ['held and owned', imageWith(held), host, { next: 'query' }],
  [
    'owned by others too',
    imageWith({ ...held, ownerReferences: [{ uid: 'i' }, { uid: 'h' }] }),
    host,
    { next: 'query' },
  ],
  ['without a host', imageWith({}), undefined, { next: 'wait', delayMs: 60_000 }],
  ['host detached', imageWith(held), detached, { next: 'wait', delayMs: 20_000 }],
  ['host paused', imageWith(held), paused, { next: 'rest' }],
  ['deleted, attached', imageWith(deleted, URL), host, { next: 'wait', delayMs: 60_000 }],
  ['deleted, not attached', imageWith(deleted), host, { next: 'dropFinalizer' }],
  ['deleted, with an empty record', imageWith(deleted, ''), host, { next: 'dropFinalizer' }],
  ['deleted, without a host', imageWith(deleted, URL), null, { next: 'dropFinalizer' }],
  ['deleted, host detached', imageWith(deleted, URL), detached, { next: 'dropFinalizer' }],
  ['deleted, host paused', imageWith(deleted, URL), paused, { next: 'rest' }],
  ['deleted, not held', imageWith({ deletionTimestamp: TIME, finalizers: ['other'] }), host, { next: 'rest' }],
];

for (const [title, image, of, expected] of upkeep) {
  test(`the controller: ${title}`, () => assert.equal(dataImageUpkeep(image, of), expected));
}

const cd = { image: URL, inserted: true, media_types: ['CD', 'DVD'] };
const read = (...media: readonly unknown[]): VirtualMedia => ({ kind: 'read', media });
const inserted = read(cd);
const empty = read({ ...cd, image: '', inserted: false });
const delayMs = 45_000;

const steps: readonly (readonly [string, DataImage | undefined | null, VirtualMedia, object])[] = [
  ['there is none', undefined, inserted, { next: 'proceed' }],
  ['null', null, inserted, { next: 'proceed' }],
  ['attach', imageWith(held), empty, { next: 'attach', url: URL, delayMs }],
  ['attach beside what somebody else inserted', imageWith(held, ''), inserted, { next: 'attach', url: URL, delayMs }],
  ['attached', imageWith(held, URL), inserted, { next: 'proceed' }],
  ['attached, and not there', imageWith(held, URL), empty, { next: 'forget', delayMs }],
  ['no media at all', imageWith(held, URL), read(), { next: 'forget', delayMs }],
  ['another URL: detach first', imageWith(held, OTHER), inserted, { next: 'detach', delayMs }],
  ['another URL, and not there', imageWith(held, OTHER), empty, { next: 'forget', delayMs }],
  ['deleted: detach', imageWith(deleted, URL), inserted, { next: 'detach', delayMs }],
  ['deleted, and not there', imageWith(deleted, URL), empty, { next: 'forget', delayMs }],
  ['deleted, nothing on record', imageWith(deleted), empty, { next: 'proceed' }],
  ['deleted, what is in is not on record (D1)', imageWith(deleted), inserted, { next: 'proceed' }],
  ['nothing wanted', { metadata: held }, empty, { next: 'proceed' }],
  ['the node is busy', imageWith(held), { kind: 'busy' }, { next: 'wait', delayMs }],
  ['not answered', imageWith(held), { kind: 'failed' }, { next: 'wait', delayMs: 30_000 }],
  ['an old Ironic does not hold the host off', imageWith(held), { kind: 'unsupported' }, { next: 'proceed' }],
];

for (const [title, image, media, expected] of steps) {
  test(`the host: ${title}`, () => assert.equal(dataImageStep(image, { media, pauseMs: delayMs }), expected));
}

test('only a CD counts, and only when it is in', () => {
  assert.ok(isCdInserted([{ inserted: false }, cd]));
  assert.ok(isCdInserted([{ inserted: true }]));
  assert.ok(isCdInserted([{ inserted: true, media_types: ['dvd'] }]));
  assert.not(isCdInserted([{ inserted: true, media_types: ['USBStick', 'Floppy'] }]));
  for (const odd of [undefined, null, {}, 'x', [], [null, 5, {}], [{ inserted: 'true' }]])
    assert.not(isCdInserted(odd));
});

const failing: DataImage = {
  ...imageWith(held),
  status: { attachedImage: { url: URL }, error: { count: 2, message: 'old' } },
};

const outcomes: readonly (readonly [string, DataImage, DataImageOutcome, object])[] = [
  ['attached', imageWith(held), { kind: 'attached', url: URL }, { attachedImage: { url: URL } }],
  ['attached after errors', failing, { kind: 'attached', url: OTHER }, { attachedImage: { url: OTHER } }],
  ['detached', failing, { kind: 'detached' }, {}],
  ['first failure', imageWith(held), { kind: 'failed', message: 'm' }, { error: { count: 1, message: 'm' } }],
  [
    'another failure',
    failing,
    { kind: 'failed', message: 'm' },
    { attachedImage: { url: URL }, error: { count: 3, message: 'm' } },
  ],
  ['as it was', failing, { kind: 'unchanged' }, { attachedImage: { url: URL }, error: { count: 2, message: 'old' } }],
  ['as it was, all well', imageWith(held, URL), { kind: 'unchanged' }, { attachedImage: { url: URL } }],
  [
    'with the empty members of typed clients',
    { metadata: held, status: { attachedImage: { url: '' }, error: { count: 0, message: '' } } },
    { kind: 'unchanged' },
    {},
  ],
  ['with nulls', { metadata: held, status: { attachedImage: null, error: null } }, { kind: 'unchanged' }, {}],
];

for (const [title, image, outcome, expected] of outcomes) {
  test(`recorded: ${title}`, () => {
    assert.equal(dataImageStatus(image, outcome, NOW), { ...expected, lastReconciled: TIME });
  });
}

test('what a look of the controller comes to', () => {
  assert.equal(dataImageLook(imageWith(held, URL), inserted), { kind: 'unchanged' });
  assert.equal(dataImageLook(imageWith(held, URL), empty), { kind: 'detached' });
  assert.equal(dataImageLook(imageWith(held), empty), { kind: 'unchanged' });
  assert.is(dataImageLook(imageWith(held), { kind: 'busy' }), undefined);
  assert.is(dataImageLook(imageWith(held), { kind: 'failed' }), undefined);
  assert.equal(dataImageLook(imageWith(held), { kind: 'unsupported' }), {
    kind: 'failed',
    message: 'querying virtual media needs version 1.93 of the Ironic API',
  });
});

test('an Ironic that is too old is told of once, until it is not', () => {
  const outcome = dataImageLook(imageWith(held), { kind: 'unsupported' });
  const image: DataImage = {
    ...imageWith(held),
    status: dataImageStatus(imageWith(held), outcome as DataImageOutcome, NOW),
  };
  assert.is(image.status?.error?.count, 1);
  assert.is(dataImageLook(image, { kind: 'unsupported' }), undefined);
  assert.equal(dataImageStatus(image, { kind: 'unchanged' }, NOW), { lastReconciled: TIME });
});

test('from attaching to the end: each step is recorded, then looked at anew', () => {
  let image = imageWith(held);
  const record = (outcome: DataImageOutcome): void => {
    image = { ...image, status: dataImageStatus(image, outcome, NOW) };
  };
  const next = (media: VirtualMedia): string => dataImageStep(image, { media, pauseMs: delayMs }).next;
  assert.is(next(empty), 'attach');
  record({ kind: 'attached', url: URL });
  assert.is(next(inserted), 'proceed');
  image = { ...image, spec: { url: OTHER } };
  assert.is(next(inserted), 'detach');
  record({ kind: 'detached' });
  assert.is(next(empty), 'attach');
  record({ kind: 'attached', url: OTHER });
  image = { ...image, metadata: deleted };
  assert.is(dataImageUpkeep(image, host).next, 'wait');
  assert.is(next(inserted), 'detach');
  record({ kind: 'detached' });
  assert.is(next(empty), 'proceed');
  assert.is(dataImageUpkeep(image, host).next, 'dropFinalizer');
});

test.run();
