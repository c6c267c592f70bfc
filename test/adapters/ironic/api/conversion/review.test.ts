// Reviews, as an API server sends them.
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../../../actors/base/clock.ts';
import { answeredReview } from '../../../../../actors/webhooks/conversion-review.ts';
import { RefusedBody } from '../../../../../actors/webhooks/review-reader.ts';
import type { JsonMap } from '../../../../../adapters/ironic/json-values.ts';
import { metal3Webhooks } from '../../../../../adapters/ironic/webhooks.ts';
import type { KubeObject } from '../../../../../adapters/simulated/kubernetes/base/kube-object.ts';
import { checkedObject } from '../../../../../adapters/simulated/kubernetes/conversion/review.ts';
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

/** Bytes that arrive together. */
const CHUNK = 16_384;

/** @throws {RefusedBody} it is no review */
async function responseTo(review: unknown): Promise<Response> {
  const convert = metal3Webhooks.conversion?.convert;
  if (convert === undefined) throw new Error('nothing is converted');
  const body = Buffer.from(JSON.stringify(review) ?? '');
  const chunks = Array.from({ length: Math.ceil(body.length / CHUNK) }, (_, at) =>
    body.subarray(at * CHUNK, (at + 1) * CHUNK),
  );
  const onDefect = (error: unknown): void => {
    throw error;
  };
  let text = '';
  for await (const piece of answeredReview(Readable.from(chunks), { convert, onDefect })) text += piece;
  const answer = JSON.parse(text) as JsonMap;
  assert.is(answer['apiVersion'], 'apiextensions.k8s.io/v1');
  assert.is(answer['kind'], 'ConversionReview');
  return answer['response'] as Response;
}

test('objects come back in their order, in the version that was asked for', async () => {
  const objects = [
    alpha({ spec: { online: true } }),
    beta({ spec: { poweredOn: false } }),
    { apiVersion: V1ALPHA1, kind: 'DataImage', metadata, spec: { url: 'http://x' } },
    alpha({ metadata: { ...metadata, name: 'node-1' }, spec: { online: false } }),
  ];
  const { uid, convertedObjects, result } = await responseTo(asked(objects));
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

test('of metadata nothing changes but annotations', async () => {
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
  const {
    convertedObjects: [there],
  } = await responseTo(asked([alpha({ metadata: full, spec: { online: true } })]));
  const { annotations, ...rest } = (there as Tree)['metadata'] as Tree;
  const { annotations: before, ...expected } = full;
  assert.equal(rest, expected);
  assert.equal({ ...(annotations as Tree), ...before }, annotations);
  const {
    convertedObjects: [back],
  } = await responseTo(asked([there], V1ALPHA1));
  assert.equal(back?.['metadata'], full);
});

test('no objects are converted to none', async () => {
  assert.equal(await responseTo(asked([])), { uid: '705ab4f5', convertedObjects: [], result: { status: 'Success' } });
});

test('an API server takes the answers as they are', async () => {
  const fields = fieldsOf([...HOST_ROWS, ...HARDWARE_ROWS], 'v1alpha1');
  const random = mulberry32(11);
  const hosts = Array.from({ length: 200 }, () => randomObject('BareMetalHost', 'v1alpha1', fields, random));
  const { convertedObjects: there } = await responseTo(asked(hosts));
  const { convertedObjects: back } = await responseTo(asked(there, V1ALPHA1));
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
  test(`${title}: the review fails, names the object, and converts none`, async () => {
    const { uid, convertedObjects, result } = await responseTo(asked(objects, version));
    assert.is(uid, '705ab4f5');
    assert.equal(convertedObjects, []);
    assert.is(result.status, 'Failed');
    assert.match(result.message ?? '', message);
    assert.not.match(result.message ?? '', /s3cret/);
  });
}

test('what is kept may be damaged: the review does not fail', async () => {
  const annotations = { 'cluster.x-k8s.io/conversion-data': '{"spec":' };
  const { result, convertedObjects } = await responseTo(
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
  test(`${title} is no review`, async () => {
    try {
      await responseTo(body);
    } catch (error) {
      assert.instance(error, RefusedBody);
      assert.is((error as RefusedBody).status, 400);
      return;
    }
    assert.unreachable();
  });
}

test('a list of 1,000 hosts is converted at once', async () => {
  const fields = fieldsOf([...HOST_ROWS, ...HARDWARE_ROWS], 'v1alpha1');
  const random = mulberry32(7);
  const hosts = Array.from({ length: 1_000 }, () => randomObject('BareMetalHost', 'v1alpha1', fields, random));
  const { convertedObjects: there } = await responseTo(asked(hosts));
  const { convertedObjects: back } = await responseTo(asked(there, V1ALPHA1));
  assert.is(there.length, 1_000);
  assert.ok(there.every((host) => cacheOf(host)));
  assert.equal(back, hosts);
});

test.run();
