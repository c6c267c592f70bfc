// What a claim is answered, by what the claimed object is like.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClaimMessage } from '../../../actors/mailbox/messages.ts';
import { answerTo, type ClaimTarget, contentVersionAfter } from '../../../actors/object/answers.ts';
import { Readiness } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';

const test = suite('answers to claims');
const GUARD = 'openstack.k-orc.cloud/port';

const claim = (finalizers: readonly string[]): ClaimMessage => ({
  uid: 'claimant',
  resourceVersion: '1',
  generation: 1,
  finalizers,
  withdrawnFrom: [],
  manager: 'openstack.k-orc.cloud/subnetcontroller',
  ended: false,
});

interface Likeness {
  readonly deleting?: boolean;
  readonly available?: boolean;
  readonly finalizers?: readonly string[];
}

const claimed = ({ deleting = false, available = true, finalizers = [] }: Likeness): ClaimTarget => ({
  object: {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind: 'Subnet',
    metadata: {
      name: 'a',
      namespace: 'default',
      uid: 'claimed',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [...finalizers],
      ...(deleting && { deletionTimestamp: '2026-01-01T00:00:01Z' }),
    },
  },
  externalId: 'an-id',
  available,
  version: undefined,
  attributes: undefined,
});

const readiness = (finalizers: readonly string[], likeness: Likeness): Readiness =>
  answerTo(claim(finalizers), claimed(likeness), undefined).readiness;

test('ready is what is available and carries the finalizers of the claim (I1)', () => {
  assert.is(readiness([GUARD], { finalizers: [GUARD] }), Readiness.Ready);
  assert.is(readiness([GUARD], {}), Readiness.Pending);
  assert.is(readiness([GUARD], { finalizers: [GUARD], available: false }), Readiness.Pending);
  assert.is(readiness([], {}), Readiness.Ready);
});

test('what is being deleted is ready for nobody who must guard it', () => {
  assert.is(readiness([GUARD], { finalizers: [GUARD], deleting: true }), Readiness.Deleting);
});

test('credentials that are being deleted are known to be there, and promised to nobody (I3)', () => {
  const secret = { ...claimed({ finalizers: [GUARD], deleting: true }), externalId: undefined, version: 'uid:7' };
  const answer = answerTo(claim([GUARD]), secret, undefined);
  assert.is(answer.readiness, Readiness.Deleting);
  assert.is(answer.version, 'uid:7');
});

test('what is being deleted does for who needs no guard, as long as it is available', () => {
  assert.is(readiness([], { deleting: true }), Readiness.Ready);
});

// A subnet was deleted before it was seen to be available; its router interface waited for that, and it for the interface.
test('what goes before it was available is answered as going, with its id', () => {
  const answer = answerTo(claim([]), claimed({ deleting: true, available: false }), undefined);
  assert.is(answer.readiness, Readiness.Deleting);
  assert.is(answer.externalId, 'an-id');
});

test('what is not there is absent', () => {
  assert.is(answerTo(claim([]), undefined, 'gone').readiness, Readiness.Absent);
});

test('what an object holds has the version that the API server tells, which no guard changes', () => {
  const secret = (resourceVersion: string, contentVersion?: string, finalizers: string[] = []): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', uid: 'u', resourceVersion, finalizers },
    ...(contentVersion !== undefined && { contentVersion }),
  });
  const first = secret('1', 'c1');
  assert.is(contentVersionAfter('0', undefined, first, false), 'c1');
  // A host that begins says what the one before it said.
  assert.is(contentVersionAfter('c1', first, secret('2', 'c1'), true), 'c1');
  assert.is(contentVersionAfter('0', undefined, secret('2', 'c1'), false), 'c1');
  assert.is(contentVersionAfter('c1', first, secret('3', 'c2'), false), 'c2');
  assert.is(contentVersionAfter('c1', first, secret('3', 'c2'), true), 'c2');
  assert.is(contentVersionAfter('c1', first, secret('4', 'c1', [GUARD]), false), 'c1');
  // Written twice in one second.
  assert.is(contentVersionAfter('c1', first, secret('4', 'c1'), false), 'c1@4');
  // An API server that does not tell.
  assert.is(contentVersionAfter('0', undefined, secret('5'), false), '5');
  assert.is(contentVersionAfter('5', secret('5'), secret('6'), true), '5');
  assert.is(contentVersionAfter('5', secret('5'), secret('7'), false), '7');
});

test.run();
