// Tables of the contract's chapters 2 to 5: what the status says about a life, and when nothing has to be done.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resyncOf } from '../../../../adapters/openstack/base/object-options.ts';
import { isAvailable, settledOf, statusOf } from '../../../../adapters/openstack/status/conditions.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import type { ResourceState } from '../../../../machines/external-resource/lifecycle.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { tagsAt } from '../../../machines/external-resource/states.ts';

const test = suite('conditions');

const NOW = Date.parse('2026-01-02T03:04:05.678Z');
const BEFORE = '2026-01-01T00:00:00Z';
const MINUTE_MS = 60_000;

const calm: ResourceState = {
  generation: 7,
  tags: tagsAt('idle.available'),
  externalId: 'id',
  observation: { resource: { name: 'n' }, available: true },
  awaited: [],
  heldBy: [],
  waiting: [],
  reporting: false,
  left: undefined,
  statusNotes: [],
  leaving: [],
  conflictingOwner: undefined,
  error: undefined,
  vanished: false,
};

function objectWith(status?: JsonObject, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Network',
    metadata: { name: 'n', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 7 },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

function condition(type: string, status: string, reason: string, message: string, generation = 7): JsonObject {
  return { type, status, reason, message, lastTransitionTime: BEFORE, observedGeneration: generation };
}

const UP_TO_DATE = 'OpenStack resource is up to date';
const AVAILABLE = 'OpenStack resource is available';
const success: JsonObject = {
  conditions: [
    condition('Available', 'True', 'Success', AVAILABLE),
    condition('Progressing', 'False', 'Success', UP_TO_DATE),
  ],
  resource: { name: 'n' },
  lastSyncTime: BEFORE,
};

const DELETING = 'Waiting for OpenStack resource to be deleted';
const unread = { observation: undefined };
const refused = { code: 'terminal', reason: 'InvalidConfiguration', message: 'no' } as const;
const passing = { code: 'transient', message: 'busy' } as const;

/** [title, what differs from calm, Available, Progressing]; a condition is [status, reason, message]. */
const TABLE: readonly (readonly [
  title: string,
  view: Partial<ResourceState>,
  available: readonly [string, string, string],
  progressing: readonly [string, string, string],
])[] = [
  ['all is well', {}, ['True', 'Success', AVAILABLE], ['False', 'Success', UP_TO_DATE]],
  [
    'read, not usable and not at work',
    { tags: tagsAt('idle.unavailable'), observation: { resource: {}, available: false } },
    ['False', 'Success', UP_TO_DATE],
    ['False', 'Success', UP_TO_DATE],
  ],
  [
    'the cloud is at work',
    { tags: tagsAt('reconciling.awaitingReady'), observation: { resource: {}, available: false } },
    ['False', 'Progressing', 'Waiting for OpenStack resource to be ready'],
    ['True', 'Progressing', 'Waiting for OpenStack resource to be ready'],
  ],
  [
    'an update step waits',
    { tags: tagsAt('reconciling.awaitingReady'), waiting: ['Waiting for SecurityGroup/a to be ready'] },
    ['True', 'Success', AVAILABLE],
    ['True', 'Progressing', 'Waiting for SecurityGroup/a to be ready'],
  ],
  [
    'references are awaited, in order',
    {
      ...unread,
      tags: tagsAt('claiming.awaitingDependencies'),
      externalId: undefined,
      awaited: [
        { kind: 'Secret', name: 's', exists: false },
        { kind: 'Project', name: 'p', exists: true },
      ],
    },
    ['False', 'Progressing', 'Waiting for Secret/s to be created\nWaiting for Project/p to be ready'],
    ['True', 'Progressing', 'Waiting for Secret/s to be created\nWaiting for Project/p to be ready'],
  ],
  [
    'credentials are awaited by an object that has a resource',
    {
      ...unread,
      tags: tagsAt('claiming.awaitingDependencies'),
      awaited: [{ kind: 'Secret', name: 's', exists: false }],
    },
    ['Unknown', 'Progressing', 'Waiting for Secret/s to be created'],
    ['True', 'Progressing', 'Waiting for Secret/s to be created'],
  ],
  [
    'nothing matches the import filter',
    { ...unread, tags: tagsAt('building.awaitingExternal'), externalId: undefined },
    ['False', 'Progressing', 'Waiting for OpenStack resource to be created externally'],
    ['True', 'Progressing', 'Waiting for OpenStack resource to be created externally'],
  ],
  [
    'the resource vanished',
    { ...unread, tags: tagsAt('building.creating'), externalId: undefined, vanished: true },
    ['False', 'Progressing', 'OpenStack resource was deleted externally; will recreate on next reconcile'],
    ['True', 'Progressing', 'OpenStack resource was deleted externally; will recreate on next reconcile'],
  ],
  [
    'the resource vanished, and what it is made anew of is awaited (I9)',
    {
      ...unread,
      tags: tagsAt('claiming.awaitingDependencies'),
      externalId: undefined,
      vanished: true,
      awaited: [{ kind: 'Network', name: 'n', exists: false }],
    },
    ['False', 'Progressing', 'Waiting for Network/n to be created'],
    ['True', 'Progressing', 'Waiting for Network/n to be created'],
  ],
  [
    'an error that may pass, before anything was made',
    { ...unread, tags: tagsAt('backingOff'), externalId: undefined, error: passing },
    ['False', 'TransientError', 'busy'],
    ['True', 'TransientError', 'busy'],
  ],
  [
    'an error that may pass, without a successful read',
    { ...unread, tags: tagsAt('backingOff'), error: passing },
    ['Unknown', 'TransientError', 'busy'],
    ['True', 'TransientError', 'busy'],
  ],
  [
    'an error that may pass, on what was read',
    { tags: tagsAt('backingOff'), error: passing },
    ['True', 'Success', AVAILABLE],
    ['True', 'TransientError', 'busy'],
  ],
  [
    'an error wins over what is awaited',
    { ...unread, tags: tagsAt('backingOff'), error: passing, awaited: [{ kind: 'Secret', name: 's', exists: true }] },
    ['Unknown', 'TransientError', 'busy'],
    ['True', 'TransientError', 'busy'],
  ],
  [
    'a terminal error, before anything was made',
    { ...unread, tags: tagsAt('failed'), externalId: undefined, error: refused },
    ['False', 'InvalidConfiguration', 'no'],
    ['False', 'InvalidConfiguration', 'no'],
  ],
  [
    'a terminal error, without a successful read, is not Unknown',
    { ...unread, tags: tagsAt('failed'), error: { ...refused, reason: 'UnrecoverableError' } },
    ['False', 'UnrecoverableError', 'no'],
    ['False', 'UnrecoverableError', 'no'],
  ],
  [
    'a terminal error without a reason',
    { ...unread, tags: tagsAt('failed'), externalId: undefined, error: { code: 'terminal', message: 'no' } },
    ['False', 'InvalidConfiguration', 'no'],
    ['False', 'InvalidConfiguration', 'no'],
  ],
  [
    'a refused update of a resource that is usable',
    { tags: tagsAt('failed'), error: refused },
    ['True', 'Success', AVAILABLE],
    ['False', 'InvalidConfiguration', 'no'],
  ],
  [
    'a refused update of a resource that is not usable',
    { tags: tagsAt('failed'), observation: { resource: {}, available: false }, error: refused },
    ['False', 'InvalidConfiguration', 'no'],
    ['False', 'InvalidConfiguration', 'no'],
  ],
  [
    'others hold a deleted object',
    { tags: tagsAt('deleting.blocked'), heldBy: ['openstack.k-orc.cloud/subnet', 'openstack.k-orc.cloud/port'] },
    ['True', 'Success', AVAILABLE],
    [
      'True',
      'Progressing',
      'Waiting for finalizer openstack.k-orc.cloud/subnet to be removed\nWaiting for finalizer openstack.k-orc.cloud/port to be removed',
    ],
  ],
  [
    'others hold a deleted object, and are known',
    {
      tags: tagsAt('deleting.blocked'),
      heldBy: ['openstack.k-orc.cloud/subnet', 'openstack.k-orc.cloud/port', 'example.org/strange'],
      holders: {
        'openstack.k-orc.cloud/subnet': { names: ['Subnet/a', 'Subnet/b', 'Subnet/c'], more: 2 },
        'openstack.k-orc.cloud/port': { names: ['Port/a'], more: 0 },
      },
    },
    ['True', 'Success', AVAILABLE],
    [
      'True',
      'Progressing',
      `Waiting for finalizer openstack.k-orc.cloud/subnet to be removed (held by Subnet/a, Subnet/b, Subnet/c and 2 more)
Waiting for finalizer openstack.k-orc.cloud/port to be removed (held by Port/a)
Waiting for finalizer example.org/strange to be removed`,
    ],
  ],
  [
    'the deletion was asked for',
    { tags: tagsAt('deleting.awaitingRemoval') },
    ['True', 'Success', AVAILABLE],
    ['True', 'Progressing', DELETING],
  ],
  [
    'several resources match what is to be removed',
    { ...unread, tags: tagsAt('deleting.refused'), externalId: undefined, error: refused },
    ['False', 'InvalidConfiguration', 'no'],
    ['False', 'InvalidConfiguration', 'no'],
  ],
];

for (const [title, differs, available, progressing] of TABLE) {
  test(title, () => {
    const { conditions } = statusOf({ ...calm, ...differs }, objectWith(), NOW, 0) as unknown as {
      conditions: JsonObject[];
    };
    assert.equal(
      conditions,
      [available, progressing].map(([status, reason, message], index) => ({
        type: ['Available', 'Progressing'][index],
        status,
        reason,
        message,
        lastTransitionTime: '2026-01-02T03:04:05Z',
        observedGeneration: 7,
      })),
    );
  });
}

test('a condition keeps its time while it says the same, whatever the generation (OS-CONDITIONS-1)', () => {
  const stored = {
    ...success,
    conditions: [
      condition('Available', 'True', 'Success', AVAILABLE, 6),
      condition('Progressing', 'True', 'TransientError', 'busy', 6),
    ],
  };
  const { conditions } = statusOf(calm, objectWith(stored), NOW, 0) as unknown as { conditions: JsonObject[] };
  assert.equal(
    conditions.map(({ lastTransitionTime, observedGeneration }) => [lastTransitionTime, observedGeneration]),
    [
      [BEFORE, 7],
      ['2026-01-02T03:04:05Z', 7],
    ],
  );
});

test('a status that says nothing new is the stored one (OS-CONDITIONS-2, I8)', () => {
  assert.equal(statusOf(calm, objectWith(success), NOW, 0), success);
  assert.equal(statusOf({ ...calm, observation: undefined }, objectWith(success), NOW, 0), success);
});

test('the time of the last sync moves with news and with a resync that was due (OS-CONDITIONS-2)', () => {
  const synced = '2026-01-02T03:04:05Z';
  const news = { ...calm, observation: { resource: { name: 'other' }, available: true } };
  assert.is(statusOf(news, objectWith(success), NOW, 0)['lastSyncTime'], synced);
  assert.is(statusOf(calm, objectWith(success), NOW, MINUTE_MS)['lastSyncTime'], synced);
  assert.is(statusOf(calm, objectWith(success), NOW, 365 * 24 * 60 * MINUTE_MS)['lastSyncTime'], BEFORE);
  assert.is(statusOf(calm, objectWith(), NOW, 0)['lastSyncTime'], synced);
});

test('without full success there is no time of a last sync (OS-CONDITIONS-2)', () => {
  for (const differs of [
    { tags: tagsAt('reconciling.awaitingReady') },
    { tags: tagsAt('backingOff'), error: passing },
    { tags: tagsAt('failed'), error: refused },
  ]) {
    assert.is(statusOf({ ...calm, ...differs }, objectWith(success), NOW, 0)['lastSyncTime'], undefined);
  }
});

test('the observed resource stays through an error that may pass (OS-CONDITIONS-3)', () => {
  const view = { ...calm, ...unread, tags: tagsAt('backingOff'), error: passing };
  assert.equal(statusOf(view, objectWith(success), NOW, 0)['resource'], { name: 'n' });
});

test('the observed resource goes when it is known to be gone (OS-CONDITIONS-3)', () => {
  const gone = { ...calm, ...unread, tags: tagsAt('failed'), error: { ...refused, reason: 'UnrecoverableError' } };
  const vanished = { ...calm, ...unread, tags: tagsAt('building.creating'), externalId: undefined, vanished: true };
  assert.is(statusOf(gone, objectWith(success), NOW, 0)['resource'], undefined);
  assert.is(statusOf(vanished, objectWith(success), NOW, 0)['resource'], undefined);
  // The id is forgotten a write later.
  const known = { ...vanished, externalId: 'id', phase: 'backingOff', error: passing };
  assert.is(statusOf(known, objectWith(success), NOW, 0)['resource'], undefined);
});

test('work that is under way leaves the stored status as it is (OS-CONDITIONS-4)', () => {
  for (const state of [
    'building.adopting',
    'building.creating',
    'reconciling.observing',
    'reconciling.updating',
    'building.importing',
    'building.addingFinalizer',
    'building.recording',
  ]) {
    assert.equal(statusOf({ ...calm, ...unread, tags: tagsAt(state) }, objectWith(success), NOW, 0), success, state);
  }
  assert.equal(
    statusOf({ ...calm, ...unread, externalId: undefined, tags: tagsAt('building.creating') }, objectWith(), NOW, 0),
    {},
  );
});

test('a deletion keeps what was known of the resource', () => {
  const { conditions, resource } = statusOf(
    { ...calm, ...unread, tags: tagsAt('deleting.confirming') },
    objectWith(success),
    NOW,
    0,
  );
  assert.equal((conditions as JsonObject[])[0], condition('Available', 'True', 'Success', AVAILABLE));
  assert.equal(resource, { name: 'n' });
});

test('a message is cut to what a condition holds', () => {
  const view = { ...calm, tags: tagsAt('failed'), error: { ...refused, message: 'x'.repeat(40_000) } };
  const { conditions } = statusOf(view, objectWith(), NOW, 0) as unknown as { conditions: { message: string }[] };
  assert.is(conditions[1]?.message.length, 32_768);
});

const waiting = { conditions: [condition('Progressing', 'True', 'Progressing', 'w')] };
const failed = { conditions: [condition('Progressing', 'False', 'InvalidConfiguration', 'no')] };
const synced = (secondsAgo: number): JsonObject => ({
  ...success,
  lastSyncTime: new Date(NOW - secondsAgo * 1_000).toISOString(),
});

for (const [title, status, spec, expected] of [
  ['no status', undefined, {}, { settled: false, failed: false }],
  ['no conditions', {}, {}, { settled: false, failed: false }],
  ['still progressing', waiting, {}, { settled: false, failed: false }],
  ['up to date', success, {}, { settled: true, failed: false }],
  [
    'another generation',
    { conditions: [condition('Progressing', 'False', 'Success', UP_TO_DATE, 6)] },
    {},
    { settled: false, failed: false },
  ],
  ['failed', failed, {}, { settled: true, failed: true }],
  ['failed, with resync on', failed, { resyncPeriod: '1m' }, { settled: true, failed: true }],
  ['resync due (33.F4)', synced(61), { resyncPeriod: '1m' }, { settled: true, failed: false, resyncInMs: 0 }],
  ['resync not due', synced(20), { resyncPeriod: '1m' }, { settled: true, failed: false, resyncInMs: 40_000 }],
  [
    'resync on, never synced',
    { conditions: success['conditions'] as JsonObject[] },
    { resyncPeriod: '1m' },
    { settled: false, failed: false },
  ],
  ['resync off by 0s', synced(61), { resyncPeriod: '0s' }, { settled: true, failed: false }],
  ['resync malformed', synced(61), { resyncPeriod: 'soon' }, { settled: false, failed: false }],
] as const) {
  test(`settled: ${title}`, () => {
    assert.equal(settledOf(objectWith(status, spec), NOW, 0), expected);
  });
}

test('the default period applies to objects that do not say', () => {
  assert.equal(settledOf(objectWith(synced(20)), NOW, MINUTE_MS), { settled: true, failed: false, resyncInMs: 40_000 });
  assert.equal(settledOf(objectWith(synced(61), { resyncPeriod: '0s' }), NOW, MINUTE_MS), {
    settled: true,
    failed: false,
  });
});

test('resync comes after the period that the object says, or never', () => {
  assert.equal(resyncOf(objectWith(undefined, { resyncPeriod: '10m' }), 0), {
    kind: 'every',
    periodMs: 10 * MINUTE_MS,
  });
  for (const spec of [{}, { resyncPeriod: '0s' }, { resyncPeriod: '-5m' }]) {
    assert.is(resyncOf(objectWith(undefined, spec), 0).kind, 'never');
  }
  assert.is(resyncOf(objectWith(undefined, { resyncPeriod: 'soon' }), 0).kind, 'malformed');
});

test('available is what the Available condition says, of whatever generation', () => {
  assert.is(isAvailable(objectWith(success)), true);
  assert.is(isAvailable(objectWith({ conditions: [condition('Available', 'True', 'Success', AVAILABLE, 1)] })), true);
  assert.is(
    isAvailable(objectWith({ conditions: [condition('Available', 'Unknown', 'TransientError', 'busy')] })),
    false,
  );
  assert.is(isAvailable(objectWith()), false);
});

test('33.F6: what another controller has written in other words is not written anew (I8)', () => {
  const theirs = { name: 'a', createdAt: '2026-01-01T00:00:00Z', rules: { maxServerPerHost: 0 }, tags: ['x'] };
  const ours = { name: 'a', createdAt: '2026-01-01T00:00:00.123456Z', tags: ['x'] };
  const resourceOf = (resource: JsonObject): unknown => {
    const observation = { id: 'id', attributes: {}, resource, available: true };
    return statusOf({ ...calm, observation }, objectWith({ ...success, resource: theirs }), NOW, 0)['resource'];
  };
  assert.equal(resourceOf(ours), theirs);
  for (const news of [
    { ...ours, createdAt: '2026-01-01T00:00:01.123456Z' },
    { ...ours, rules: { maxServerPerHost: 3 } },
    { ...ours, tags: ['x', 'y'] },
    { ...ours, tags: [] },
  ])
    assert.equal(resourceOf(news), news);
});

test('33.B8: who finds its resource to be another object’s says what to do', () => {
  const taken = {
    ...calm,
    tags: new Set(['taken']),
    conflictingOwner: { kind: 'Network', namespace: 'other', name: 'a', uid: 'u', externalId: 'id' },
  };
  const said = (isNamed: boolean): string => {
    const { conditions } = statusOf(taken, objectWith(), NOW, 0, { isNamed });
    return String((conditions as readonly JsonObject[])[1]?.['message']);
  };
  const first = "Waiting for Network other/a to be deleted, which has id: one resource is one object's; ";
  const ways =
    'give this one another spec.resource.name, re-create it as an import of the resource with managementPolicy unmanaged, or';
  assert.is(said(true), `${first}${ways} delete the other`);
  assert.is(said(false), `${first}re-create this one with another spec, or delete the other`);
});

test.run();
