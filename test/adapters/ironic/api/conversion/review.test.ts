// Reviews, as an API server sends them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../../../actors/clock.ts';
import { answerConversionReview } from '../../../../../adapters/ironic/api/conversion/review.ts';
import type { JsonMap } from '../../../../../adapters/ironic/json-values.ts';
import { checkedObject } from '../../../../../adapters/kubernetes/embedded/conversion/review.ts';
import type { KubeObject } from '../../../../../adapters/kubernetes/embedded/json.ts';
import { fieldsOf, HARDWARE_ROWS, HOST_ROWS, randomObject, type Tree } from './fields.ts';
import { alpha, beta, cacheOf, metadata, V1ALPHA1, V1BETA1 } from './objects.ts';

const test = suite('conversion reviews');

const asked = (objects: unknown, desiredAPIVersion: unknown = V1BETA1): JsonMap => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: '705ab4f5', desiredAPIVersion, objects },
});

interface Response {
  readonly uid: string;
  readonly convertedObjects: readonly Tree[];
  readonly result: { readonly status: string; readonly message?: string };
}

function responseTo(review: unknown): Response {
  const answer = answerConversionReview(review);
  if (answer.kind === 'refused') throw new Error(answer.message);
  assert.is(answer.statusCode, 200);
  assert.is(answer.body['apiVersion'], 'apiextensions.k8s.io/v1');
  assert.is(answer.body['kind'], 'ConversionReview');
  return answer.body['response'] as Response;
}

test('objects come back in their order, in the version that was asked for', () => {
  const objects = [
    alpha({ spec: { online: true } }),
    beta({ spec: { poweredOn: false } }),
    { apiVersion: V1ALPHA1, kind: 'DataImage', metadata, spec: { url: 'http://x' } },
    alpha({ metadata: { ...metadata, name: 'node-1' }, spec: { online: false } }),
  ];
  const { uid, convertedObjects, result } = responseTo(asked(objects));
  assert.is(uid, '705ab4f5');
  assert.equal(result, { status: 'Success' });
  assert.equal(
    convertedObjects.map(({ apiVersion, spec }) => [apiVersion, spec]),
    [
      [V1BETA1, { poweredOn: true, rootDeviceHints: { devicePath: '/dev/sda' } }],
      [V1BETA1, { poweredOn: false }],
      [V1BETA1, { url: 'http://x' }],
      [V1BETA1, { poweredOn: false, rootDeviceHints: { devicePath: '/dev/sda' } }],
    ],
  );
});

test('of metadata nothing changes but annotations', () => {
  const full = {
    ...metadata,
    labels: { rack: '7' },
    annotations: { a: 'b' },
    resourceVersion: '5',
    generation: 3,
    creationTimestamp: '2026-08-20T10:00:00Z',
    finalizers: ['baremetalhost.metal3.io'],
    ownerReferences: [{ apiVersion: V1ALPHA1, kind: 'BareMetalHost', name: 'x', uid: 'y' }],
    managedFields: [{ apiVersion: V1ALPHA1 }],
  };
  const [there] = responseTo(asked([alpha({ metadata: full, spec: { online: true } })])).convertedObjects;
  const { annotations, ...rest } = (there as Tree)['metadata'] as Tree;
  const { annotations: before, ...expected } = full;
  assert.equal(rest, expected);
  assert.equal({ ...(annotations as Tree), ...before }, annotations);
  const [back] = responseTo(asked([there], V1ALPHA1)).convertedObjects;
  assert.equal(back?.['metadata'], full);
});

test('no objects are converted to none', () => {
  assert.equal(responseTo(asked([])), { uid: '705ab4f5', convertedObjects: [], result: { status: 'Success' } });
});

test('an API server takes the answers as they are', () => {
  const fields = fieldsOf([...HOST_ROWS, ...HARDWARE_ROWS], 'v1alpha1');
  const random = mulberry32(11);
  const hosts = Array.from({ length: 200 }, () => randomObject('BareMetalHost', 'v1alpha1', fields, random));
  const there = responseTo(asked(hosts)).convertedObjects;
  const back = responseTo(asked(there, V1ALPHA1)).convertedObjects;
  for (const [at, host] of hosts.entries()) {
    const received = there[at] as Tree;
    assert.equal(checkedObject(host as KubeObject, received, V1BETA1, at), received);
    assert.equal(checkedObject(received as KubeObject, back[at], V1ALPHA1, at), host);
  }
});

const FAILING: readonly (readonly [title: string, objects: readonly unknown[], version: string, message: RegExp])[] = [
  [
    'a kind that nobody knows',
    [alpha({}), { apiVersion: V1ALPHA1, kind: 'Machine', metadata }],
    V1BETA1,
    /^Machine "metal3\/node-0": .+ "Machine"$/,
  ],
  ['a version that nobody knows', [alpha({})], 'metal3.io/v2', /^BareMetalHost "metal3\/node-0": .+ "metal3\.io\/v2"$/],
  [
    'an object without a name',
    [{ apiVersion: 'v1', kind: 'Secret', data: { password: 's3cret' } }],
    V1BETA1,
    /^Secret "": /,
  ],
  ['no object', [null], V1BETA1, /^object "": not an object$/],
];
for (const [title, objects, version, message] of FAILING) {
  test(`${title}: the review fails, names the object, and converts none`, () => {
    const { uid, convertedObjects, result } = responseTo(asked(objects, version));
    assert.is(uid, '705ab4f5');
    assert.equal(convertedObjects, []);
    assert.is(result.status, 'Failed');
    assert.match(result.message ?? '', message);
    assert.not.match(result.message ?? '', /s3cret/);
  });
}

test('what is kept may be damaged: the review does not fail', () => {
  const annotations = { 'cluster.x-k8s.io/conversion-data': '{"spec":' };
  const { result, convertedObjects } = responseTo(
    asked([beta({ metadata: { ...metadata, annotations }, spec: { poweredOn: true } })], V1ALPHA1),
  );
  assert.equal(result, { status: 'Success' });
  assert.equal(convertedObjects[0]?.['spec'], { online: true, hardwareProfile: 'empty' });
});

const NO_REVIEWS: readonly (readonly [title: string, body: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a text', 'x'],
  ['a list', []],
  ['another kind', { ...asked([]), kind: 'AdmissionReview' }],
  ['another version', { ...asked([]), apiVersion: 'apiextensions.k8s.io/v1beta1' }],
  ['no request', { ...asked([]), request: undefined }],
  ['a request that is a list', { ...asked([]), request: [] }],
  ['no uid', { ...asked([]), request: { desiredAPIVersion: V1BETA1, objects: [] } }],
  ['an empty uid', { ...asked([]), request: { uid: '', desiredAPIVersion: V1BETA1, objects: [] } }],
  ['no version', asked([], null)],
  ['objects that are none', asked({})],
  ['no objects', asked(undefined)],
];
for (const [title, body] of NO_REVIEWS) {
  test(`${title} is no review`, () => {
    const answer = answerConversionReview(body);
    assert.is(answer.kind, 'refused');
    assert.is(answer.statusCode, 400);
  });
}

/** With the time of the processor that it took, in milliseconds: how busy the machine is does not count. */
function timed<Result>(run: () => Result): readonly [result: Result, ms: number] {
  const since = process.cpuUsage();
  const result = run();
  return [result, Math.round(process.cpuUsage(since).user / 1_000)];
}

test('a list of 1,000 hosts is converted at once', () => {
  const fields = fieldsOf([...HOST_ROWS, ...HARDWARE_ROWS], 'v1alpha1');
  const random = mulberry32(7);
  const hosts = Array.from({ length: 1_000 }, () => randomObject('BareMetalHost', 'v1alpha1', fields, random));
  const [there, thereMs] = timed(() => responseTo(asked(hosts)).convertedObjects);
  const [back, backMs] = timed(() => responseTo(asked(there, V1ALPHA1)).convertedObjects);
  const bytes = JSON.stringify(hosts).length;
  process.stdout.write(`1,000 hosts, ${bytes} bytes, processor time: ${thereMs} ms there, ${backMs} ms back\n`);
  assert.is(there.length, 1_000);
  assert.ok(there.every((host) => cacheOf(host)));
  assert.equal(back[999], hosts[999]);
  assert.ok(thereMs + backMs < 2_000);
});

test.run();
