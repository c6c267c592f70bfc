// What is kept of a host's hardware: HardwareData, and what is to be done about it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  annotationsAfterInspection,
  type HardwareDataChange,
  hardwareDataFor,
} from '../../../../../adapters/ironic/api/conversion/storage.ts';
import type { JsonMap } from '../../../../../adapters/ironic/json-values.ts';
import type { Tree } from './fields.ts';
import { alpha, cacheOf, metadata, toAlpha, toBeta, V1ALPHA1, V1BETA1, withCacheText } from './objects.ts';

const test = suite('storage of hardware details');

const FINALIZER = 'baremetalhost.metal3.io/hardwareData';
const DETAILS = { hostname: 'node-0', ramMebibytes: 4_096 };
const OTHERS = { hostname: 'node-0', ramMebibytes: 8_192 };
const NONE = { kind: 'none' };

const OWNER = {
  apiVersion: V1ALPHA1,
  kind: 'BareMetalHost',
  name: 'node-0',
  uid: '7d0b',
  controller: true,
  blockOwnerDeletion: true,
};

const host = ({ hardware, annotations, spec, status, ...of }: Tree = {}): JsonMap =>
  alpha({
    metadata: { ...metadata, ...of, ...(annotations !== undefined && { annotations }) },
    spec: { online: true, ...(spec as Tree | undefined) },
    status: { lastUpdated: '2026-08-20T10:00:00Z', ...(hardware !== undefined && { hardware }), ...(status as Tree) },
  });

/** HardwareData as it should be, but for what is said. */
const data = (hardware: unknown, of: Tree = {}): JsonMap => ({
  apiVersion: V1ALPHA1,
  kind: 'HardwareData',
  metadata: { name: 'node-0', namespace: 'metal3', finalizers: [FINALIZER], ownerReferences: [OWNER], ...of },
  spec: { ...(hardware !== undefined && { hardware }) },
});

const stored = (hardware: unknown, of: Tree = {}): JsonMap =>
  data(hardware, { uid: 'a1', resourceVersion: '9', ...of });

const CASES: readonly (readonly [
  title: string,
  host: JsonMap,
  existing: JsonMap | undefined,
  expected: HardwareDataChange | typeof NONE,
  inspected?: JsonMap,
])[] = [
  ['nothing is known', host(), undefined, NONE],
  ['details that say nothing are none', host({ hardware: {} }), undefined, NONE],
  [
    'an inspection has ended',
    host({ hardware: OTHERS }),
    undefined,
    { kind: 'create', object: data(DETAILS) },
    DETAILS,
  ],
  [
    'an inspection has ended anew',
    host({ hardware: OTHERS }),
    stored(OTHERS),
    { kind: 'replace', object: data(DETAILS) },
    DETAILS,
  ],
  [
    'an inspection has ended anew, and the one that is there is being deleted',
    host({ hardware: OTHERS }),
    stored(OTHERS, { deletionTimestamp: 'x' }),
    { kind: 'replace', object: data(DETAILS) },
    DETAILS,
  ],
  [
    'the status has details, and nothing else does',
    host({ hardware: DETAILS }),
    undefined,
    { kind: 'create', object: data(DETAILS) },
  ],
  ['all is well', host({ hardware: DETAILS }), stored(DETAILS), NONE],
  ['HardwareData is right, whatever the status says', host({ hardware: OTHERS }), stored(DETAILS), NONE],
  [
    'HardwareData that says nothing is filled',
    host({ hardware: DETAILS }),
    stored(undefined),
    { kind: 'update', object: stored(DETAILS) },
  ],
  ['nothing is known of either', host(), stored(undefined, { finalizers: [], ownerReferences: [] }), NONE],
  [
    'a user made it before the inspection',
    host(),
    stored(DETAILS, { finalizers: undefined, ownerReferences: undefined, labels: { a: 'b' } }),
    { kind: 'update', object: stored(DETAILS, { labels: { a: 'b' } }) },
  ],
  [
    'another finalizer stays',
    host(),
    stored(DETAILS, { finalizers: ['x/y'] }),
    { kind: 'update', object: stored(DETAILS, { finalizers: ['x/y', FINALIZER] }) },
  ],
  [
    'an owner of another version is the owner',
    host(),
    stored(DETAILS, { ownerReferences: [{ ...OWNER, apiVersion: V1BETA1 }] }),
    NONE,
  ],
  [
    'an owner that does not control it comes to',
    host(),
    stored(DETAILS, { ownerReferences: [{ ...OWNER, controller: false }] }),
    { kind: 'update', object: stored(DETAILS) },
  ],
  [
    'an earlier host of the name owns nothing any more',
    host(),
    stored(DETAILS, { ownerReferences: [{ ...OWNER, uid: 'earlier' }] }),
    { kind: 'update', object: stored(DETAILS) },
  ],
  [
    'nor does it beside the present one',
    host(),
    stored(DETAILS, { ownerReferences: [OWNER, { ...OWNER, apiVersion: V1BETA1, uid: 'earlier' }] }),
    { kind: 'update', object: stored(DETAILS) },
  ],
  [
    'a host of another group is somebody else',
    host(),
    stored(DETAILS, { ownerReferences: [{ ...OWNER, apiVersion: 'example.org/v1', controller: false }, OWNER] }),
    NONE,
  ],
  [
    'whoever else controls it goes on to',
    host(),
    stored(DETAILS, { ownerReferences: [{ ...OWNER, kind: 'Backup', name: 'b', uid: 'b' }] }),
    {
      kind: 'update',
      object: stored(DETAILS, {
        ownerReferences: [
          { ...OWNER, kind: 'Backup', name: 'b', uid: 'b' },
          { ...OWNER, controller: false },
        ],
      }),
    },
  ],
  [
    'and is left alone after that',
    host(),
    stored(DETAILS, {
      ownerReferences: [
        { ...OWNER, kind: 'Backup', name: 'b', uid: 'b' },
        { ...OWNER, controller: false },
      ],
    }),
    NONE,
  ],
  [
    'no finalizer is added to what is being deleted',
    host({ hardware: DETAILS }),
    stored(DETAILS, { deletionTimestamp: '2026-08-20T10:00:00Z', finalizers: ['x/y'] }),
    NONE,
  ],
  [
    'nothing is created for a host that is being deleted',
    host({ hardware: DETAILS, deletionTimestamp: 'x' }),
    undefined,
    NONE,
  ],
  [
    'nor after an inspection of it',
    host({ deletionTimestamp: 'x' }),
    stored(DETAILS, { finalizers: ['x/y'] }),
    NONE,
    DETAILS,
  ],
  [
    'a host that is being deleted lets go',
    host({ hardware: DETAILS, deletionTimestamp: '2026-08-20T10:00:00Z' }),
    stored(DETAILS, { finalizers: ['x/y', FINALIZER] }),
    { kind: 'update', object: stored(DETAILS, { finalizers: ['x/y'] }) },
  ],
];

for (const [title, of, existing, expected, inspected] of CASES) {
  test(title, () => {
    const change = hardwareDataFor(of, existing, inspected);
    // What is undefined here is not there in JSON.
    assert.equal(JSON.parse(JSON.stringify(change)), JSON.parse(JSON.stringify(expected)));
    if (change.kind !== 'update') return;
    assert.equal(hardwareDataFor(of, change.object), NONE, 'and then nothing more');
  });
}

// Where details come from.

const DETAILS_KEY = 'inspect.metal3.io/hardwaredetails';
const STATUS_KEY = 'baremetalhost.metal3.io/status';
const annotated = (details: unknown): Tree => ({ [DETAILS_KEY]: JSON.stringify(details) });
const NOT_INSPECTED = { inspectionMode: 'disabled' };

const SOURCES: readonly (readonly [title: string, host: JsonMap, details: JsonMap | undefined])[] = [
  ['the annotation with details', host({ annotations: annotated(DETAILS) }), DETAILS],
  ['the status before the annotation', host({ hardware: OTHERS, annotations: annotated(DETAILS) }), OTHERS],
  [
    'the annotation before the status of a host that is not inspected',
    host({ hardware: OTHERS, annotations: annotated(DETAILS), spec: NOT_INSPECTED }),
    DETAILS,
  ],
  [
    'the same, said by an annotation',
    host({ hardware: OTHERS, annotations: { ...annotated(DETAILS), 'inspect.metal3.io': 'disabled' } }),
    DETAILS,
  ],
  ['the status of a host that is not inspected', host({ hardware: OTHERS, spec: NOT_INSPECTED }), OTHERS],
  [
    'an annotation with a field that nobody knows',
    host({ annotations: annotated({ ...DETAILS, surplus: 1 }) }),
    undefined,
  ],
  ['an annotation with a wrong type', host({ annotations: annotated({ hostname: 5 }) }), undefined],
  ['an annotation that says nothing', host({ annotations: annotated({}) }), undefined],
  ['an annotation that is no JSON', host({ annotations: { [DETAILS_KEY]: '{' } }), undefined],
  ['an annotation that is no text', host({ annotations: { [DETAILS_KEY]: 5 } }), undefined],
  [
    'the status annotation of a host without a status',
    host({ status: { lastUpdated: undefined }, annotations: { [STATUS_KEY]: JSON.stringify({ hardware: DETAILS }) } }),
    DETAILS,
  ],
  [
    'the status annotation of a host with a status',
    host({ annotations: { [STATUS_KEY]: JSON.stringify({ hardware: DETAILS }) } }),
    undefined,
  ],
  [
    'a status annotation that is none',
    host({ status: { lastUpdated: '' }, annotations: { [STATUS_KEY]: 'x' } }),
    undefined,
  ],
];
for (const [title, of, details] of SOURCES) {
  test(`details come from: ${title}`, () => {
    const expected = details === undefined ? NONE : { kind: 'create', object: data(details) };
    assert.equal(hardwareDataFor(of, undefined), expected);
  });
}

test('a v1beta1 host is served in its version, from what is kept of the v1alpha1 host', () => {
  const there = toBeta(host({ hardware: DETAILS }));
  const { metadata: made, ...rest } = data(DETAILS);
  const expected = {
    ...rest,
    apiVersion: V1BETA1,
    metadata: { ...(made as Tree), ownerReferences: [{ ...OWNER, apiVersion: V1BETA1 }] },
  };
  assert.equal(hardwareDataFor(there, undefined), { kind: 'create', object: expected });
  assert.equal(hardwareDataFor(there, { ...stored(OTHERS), apiVersion: V1BETA1 }), NONE);
});

// What is kept of the v1alpha1 host goes stale (D14).

test('an inspection leaves nothing of the hardware that was found before', () => {
  const there = toBeta(host({ hardware: DETAILS, annotations: { other: 'x' }, spec: { hardwareProfile: 'dell' } }));
  const annotations = annotationsAfterInspection(there) as Tree;
  const inspected = { ...there, metadata: { ...(there['metadata'] as Tree), annotations } };
  assert.is(annotations['other'], 'x');
  const back = toAlpha(inspected);
  assert.equal(back, host({ annotations: { other: 'x' }, spec: { hardwareProfile: 'dell' } }));
  assert.is(cacheOf(toBeta(back)), cacheOf(inspected), 'nor does it come back');
  assert.is(annotationsAfterInspection(inspected), undefined);
});

test('there is nothing to change where nothing of the hardware is kept', () => {
  const there = toBeta(host());
  for (const object of [
    there,
    withCacheText(there, undefined),
    withCacheText(there, '{"status":{"hardware":{}}}'),
    withCacheText(host(), cacheOf(toBeta(host({ hardware: DETAILS })))),
    {},
  ]) {
    assert.is(annotationsAfterInspection(object), undefined);
  }
});

test('odd objects are no reason to fail', () => {
  for (const odd of [
    {},
    { metadata: null },
    { metadata: [], spec: 5, status: 'x' },
    { metadata: { annotations: [] } },
  ]) {
    assert.equal(hardwareDataFor(odd, undefined), NONE);
    assert.equal(hardwareDataFor(odd, odd), NONE);
    assert.is(hardwareDataFor(odd, { spec: { hardware: DETAILS }, metadata: null }).kind, 'update');
  }
});

test.run();
