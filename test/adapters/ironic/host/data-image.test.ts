// DataImage: what is done next for it, and what is recorded.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Asked,
  type DataImage,
  type DataImageHost,
  type DataImageOutcome,
  dataImageReconciler,
  dataImageStatus,
  dataImageStep,
  isCdInserted,
  isDataImageSettled,
  MEDIA_UNSUPPORTED,
  SEVERAL_INSERTED,
  type VirtualMedia,
} from '../../../../adapters/ironic/host/data-image.ts';

const test = suite('decisions on a data image');

const NOW = Date.parse('2026-01-02T03:04:05Z');
const TIME = '2026-01-02T03:04:05Z';
const URL = 'http://x/1.iso';
const OTHER = 'http://x/2.iso';

const held = { ownerReferences: [{ uid: 'h' }] };
const deleted = { ...held, deletionTimestamp: TIME };
const on: DataImageHost = { uid: 'h', isPaused: false, isDetached: false, isRegistered: true, isStarting: false };
const starting: DataImageHost = { ...on, isStarting: true };
const unregistered: DataImageHost = { ...on, isRegistered: false };
const paused: DataImageHost = { ...unregistered, isPaused: true };
const detached: DataImageHost = { ...unregistered, isDetached: true };

const imageWith = (metadata: DataImage['metadata'], attached?: string, error?: string): DataImage => ({
  metadata,
  spec: { url: URL },
  status: {
    lastReconciled: TIME,
    ...(attached !== undefined && { attachedImage: { url: attached } }),
    ...(error !== undefined && { error: { count: 1, message: error } }),
  },
});
const fresh: DataImage = { metadata: held, spec: { url: URL } };

const REST = { next: 'rest' };
const LEAVE = { next: 'leave' };
const LOOK = { next: 'look', mayMove: false };
const MOVE = { next: 'look', mayMove: true };
const OPEN: Asked = { attach: URL };

const upkeep: readonly (readonly [string, DataImage, DataImageHost | undefined, object, Asked?])[] = [
  ['new', { ...fresh, metadata: {} }, on, { next: 'adopt' }],
  ['owned by another host', imageWith({ ownerReferences: [{ uid: 'i' }] }), on, { next: 'adopt' }],
  ['adopted before the host is registered', imageWith({}), unregistered, { next: 'adopt' }],
  ['owned, never looked at', fresh, on, LOOK],
  ['owned by others too', { ...fresh, metadata: { ownerReferences: [{ uid: 'i' }, { uid: 'h' }] } }, on, LOOK],
  ['the host is not registered', fresh, unregistered, REST],
  ['to be attached, the host is on', imageWith(held), on, REST],
  ['to be attached, the host starts', imageWith(held), starting, MOVE],
  ['attached, the host starts', imageWith(held, URL), starting, MOVE],
  ['attached, the host is on', imageWith(held, URL), on, REST],
  ['asked for, and the host is on by now', imageWith(held), on, LOOK, OPEN],
  ['asked for and on record', imageWith(held, URL), on, REST, OPEN],
  ['without a host', imageWith({}), undefined, REST],
  ['host detached', imageWith(held), detached, REST],
  ['host paused', imageWith(held), paused, REST],
  ['deleted, attached', imageWith(deleted, URL), on, LOOK],
  ['deleted, attached, the host starts', imageWith(deleted, URL), starting, MOVE],
  ['deleted, the host is not registered', imageWith(deleted, URL), unregistered, REST],
  ['deleted, not attached', imageWith(deleted), on, LEAVE],
  ['deleted, asked for: it may be in (IRONIC-DATA-IMAGE-1)', imageWith(deleted), on, LOOK, OPEN],
  ['deleted, with an empty record', imageWith(deleted, ''), on, LEAVE],
  ['deleted, without a host (IRONIC-DATA-IMAGE-3)', imageWith(deleted, URL), undefined, LEAVE],
  ['deleted, host detached (IRONIC-DATA-IMAGE-3)', imageWith(deleted, URL), detached, LEAVE],
  ['deleted, host paused', imageWith(deleted, URL), paused, REST],
];

for (const [title, image, host, expected, asked = {}] of upkeep) {
  test(`next: ${title}`, () => assert.equal(dataImageReconciler(image, host, { asked, hasLooked: false }), expected));
}

test('one look is enough while a host is about to be powered on, where nothing is to be done', () => {
  const looked = { asked: {}, hasLooked: true };
  assert.equal(dataImageReconciler(imageWith(held, URL), starting, looked), REST);
  assert.equal(dataImageReconciler(imageWith(held), starting, looked), MOVE);
  assert.equal(dataImageReconciler(imageWith(held, '', MEDIA_UNSUPPORTED), starting, looked), REST);
});

test('a host is held off while there is something to attach or to detach, and it can be', () => {
  assert.ok(isDataImageSettled(imageWith(held, URL)));
  assert.ok(isDataImageSettled(imageWith(deleted)));
  assert.ok(isDataImageSettled(imageWith(held, '', MEDIA_UNSUPPORTED)));
  for (const image of [
    fresh,
    imageWith(held),
    imageWith(held, OTHER),
    imageWith(deleted, URL),
    imageWith(held, '', 'e'),
  ])
    assert.not(isDataImageSettled(image));
});

const cd = { image: URL, inserted: true, media_types: ['CD', 'DVD'] };
const read = (...media: readonly unknown[]): VirtualMedia => ({ kind: 'read', media, problem: '' });
const inserted = read(cd);
const empty = read({ ...cd, image: '', inserted: false });
const floppy = { image: '', inserted: true, media_types: ['Floppy'] };
const troubled = { kind: 'read', media: [] as readonly unknown[], problem: 'Could not attach device' } as const;
const unsupported: VirtualMedia = { kind: 'unsupported' };

const PROCEED = { next: 'proceed' };
const ATTACH = { next: 'attach' };
const DETACH = { next: 'detach' };
const recorded = (outcome: DataImageOutcome): object => ({ next: 'record', outcome });
const OUT = recorded({ kind: 'detached' });
const failing = (message: string): object => recorded({ kind: 'failed', message });
const NOT_THERE = 'Ironic was asked to attach the image, and it is not there';
const STILL_THERE = 'Ironic was asked to detach the image, and it is still there';

const steps: readonly (readonly [string, DataImage, VirtualMedia, object, Asked?])[] = [
  ['attach', imageWith(held), empty, ATTACH],
  ['attach beside what somebody else inserted', imageWith(held, ''), inserted, ATTACH],
  [
    'asked for, and seen (IRONIC-DATA-IMAGE-4)',
    imageWith(held),
    inserted,
    recorded({ kind: 'attached', url: URL }),
    OPEN,
  ],
  [
    'another one was asked for',
    imageWith(held),
    inserted,
    recorded({ kind: 'attached', url: OTHER }),
    { attach: OTHER },
  ],
  ['asked for, and not there', imageWith(held), empty, failing(NOT_THERE), OPEN],
  ['asked for, and Ironic says why not', imageWith(held), troubled, failing('Could not attach device'), OPEN],
  [
    'asked for, and Ironic says why not, beside a CD that was in before',
    imageWith(held),
    { ...troubled, media: [cd] },
    failing('Could not attach device'),
    { ...OPEN, before: 1 },
  ],
  [
    'asked for, and in beside a CD that was in before, after an earlier failure',
    imageWith(held),
    { ...troubled, media: [cd, cd] },
    recorded({ kind: 'attached', url: URL }),
    { ...OPEN, before: 1 },
  ],
  [
    'deleted, beside a CD of another client (IRONIC-DATA-IMAGE-5)',
    imageWith(deleted, URL),
    read(cd, cd),
    failing(SEVERAL_INSERTED),
  ],
  [
    'another URL, beside a CD of another client (IRONIC-DATA-IMAGE-5)',
    imageWith(held, OTHER),
    read(cd, cd),
    failing(SEVERAL_INSERTED),
  ],
  ['deleted, with a floppy beside it', imageWith(deleted, URL), read(cd, floppy), DETACH],
  ['attached', imageWith(held, URL), inserted, PROCEED],
  ['attached, and not there', imageWith(held, URL), empty, OUT],
  ['no media at all', imageWith(held, URL), read(), OUT],
  ['another URL: detach first (IRONIC-DATA-IMAGE-2)', imageWith(held, OTHER), inserted, DETACH],
  ['another URL, and not there', imageWith(held, OTHER), empty, OUT],
  ['asked to detach, and out', imageWith(held, OTHER), empty, OUT, { detach: true }],
  ['asked to detach, and still there', imageWith(held, OTHER), inserted, failing(STILL_THERE), { detach: true }],
  ['deleted: detach', imageWith(deleted, URL), inserted, DETACH],
  ['deleted, and not there', imageWith(deleted, URL), empty, OUT],
  ['deleted, nothing on record', imageWith(deleted), empty, PROCEED],
  ['deleted, what is in is not on record (IRONIC-DATA-IMAGE-1)', imageWith(deleted), inserted, PROCEED],
  ['nothing wanted', { metadata: held, status: { lastReconciled: TIME } }, empty, PROCEED],
  ['never looked at, nothing wanted', { metadata: held }, empty, recorded({ kind: 'unchanged' })],
  ['the node is busy', imageWith(held), { kind: 'busy' }, { next: 'wait', delayMs: 3_000 }],
  ['an old Ironic', imageWith(held), unsupported, failing(MEDIA_UNSUPPORTED)],
  ['an old Ironic, told once', imageWith(held, '', MEDIA_UNSUPPORTED), unsupported, PROCEED],
  ['a new Ironic', imageWith(held, URL, MEDIA_UNSUPPORTED), inserted, recorded({ kind: 'unchanged' })],
];

for (const [title, image, media, expected, asked = {}] of steps) {
  test(`while the host starts: ${title}`, () =>
    assert.equal(dataImageStep(image, { media, mayMove: true, asked }), expected));
}

test('while the host is on nothing is moved, and what is seen is recorded', () => {
  const step = (image: DataImage, media: VirtualMedia, asked: Asked = {}): object =>
    dataImageStep(image, { media, mayMove: false, asked });
  assert.equal(step(imageWith(held), empty), PROCEED);
  assert.equal(step(imageWith(deleted, URL), inserted), PROCEED);
  assert.equal(step(imageWith(deleted, URL), empty), OUT);
  assert.equal(step(imageWith(deleted), inserted, OPEN), recorded({ kind: 'attached', url: URL }));
  assert.equal(step(fresh, empty), recorded({ kind: 'unchanged' }));
});

test('only a CD counts, and only when it is in', () => {
  assert.ok(isCdInserted([{ inserted: false }, cd]));
  assert.ok(isCdInserted([{ inserted: true }]));
  assert.ok(isCdInserted([{ inserted: true, media_types: ['dvd'] }]));
  assert.not(isCdInserted([{ inserted: true, media_types: ['USBStick', 'Floppy'] }]));
  for (const odd of [undefined, null, {}, 'x', [], [null, 5, {}], [{ inserted: 'true' }]])
    assert.not(isCdInserted(odd));
});

const failed: DataImage = {
  ...imageWith(held),
  status: { attachedImage: { url: URL }, error: { count: 2, message: 'old' } },
};

const outcomes: readonly (readonly [string, DataImage, DataImageOutcome, object])[] = [
  ['attached', imageWith(held), { kind: 'attached', url: URL }, { attachedImage: { url: URL } }],
  ['attached after errors', failed, { kind: 'attached', url: OTHER }, { attachedImage: { url: OTHER } }],
  ['detached', failed, { kind: 'detached' }, {}],
  ['first failure', imageWith(held), { kind: 'failed', message: 'm' }, { error: { count: 1, message: 'm' } }],
  [
    'another failure',
    failed,
    { kind: 'failed', message: 'm' },
    { attachedImage: { url: URL }, error: { count: 3, message: 'm' } },
  ],
  ['as it was', failed, { kind: 'unchanged' }, { attachedImage: { url: URL }, error: { count: 2, message: 'old' } }],
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

test('an Ironic that is too old is told of until it is not', () => {
  const status = dataImageStatus(imageWith(held), { kind: 'failed', message: MEDIA_UNSUPPORTED }, NOW);
  assert.is(status.error?.count, 1);
  assert.equal(dataImageStatus({ ...fresh, status }, { kind: 'unchanged' }, NOW), { lastReconciled: TIME });
});

test('from attaching to the end: what was asked for is recorded when it is seen', () => {
  let image = imageWith(held);
  const step = (media: VirtualMedia, asked: Asked = {}): string => {
    const next = dataImageStep(image, { media, mayMove: true, asked });
    if (next.next === 'record') image = { ...image, status: dataImageStatus(image, next.outcome, NOW) };
    return next.next === 'record' ? next.outcome.kind : next.next;
  };
  assert.is(step(empty), 'attach');
  assert.is(step(inserted, { attach: URL }), 'attached');
  assert.is(step(inserted), 'proceed');
  image = { ...image, spec: { url: OTHER } };
  assert.is(step(inserted), 'detach');
  assert.is(step(empty, { detach: true }), 'detached');
  assert.is(step(empty), 'attach');
  assert.is(step(inserted, { attach: OTHER }), 'attached');
  image = { ...image, metadata: deleted };
  assert.is(step(inserted), 'detach');
  assert.is(step(empty, { detach: true }), 'detached');
  assert.equal(dataImageReconciler(image, on, { asked: {}, hasLooked: false }), LEAVE);
});

test.run();
