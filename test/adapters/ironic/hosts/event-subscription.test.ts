// BMCEventSubscription: what its controller does next, and what Ironic is asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createSubscription,
  type EventSubscription,
  type SubscribedHost,
  subscriptionStep,
} from '../../../../adapters/ironic/hosts/event-subscription.ts';

const test = suite('event subscription');

const held = { namespace: 'ns', finalizers: ['bmceventsubscription.metal3.io'] };
const deleted = { ...held, deletionTimestamp: '2026-01-01T00:00:00Z' };
const host: SubscribedHost = { metadata: {}, status: { provisioning: { state: 'provisioned', ID: 'N' } } };
const unregistered: SubscribedHost = { metadata: {}, status: null };
const detached: SubscribedHost = { ...host, metadata: { annotations: { 'baremetalhost.metal3.io/detached': '' } } };

const made = { subscriptionID: '7' };
const of = (metadata: EventSubscription['metadata'], status?: EventSubscription['status']): EventSubscription => ({
  metadata,
  spec: { hostName: 'h', destination: 'https://x/' },
  status,
});
const wait = (error: string): object => ({ next: 'wait', delayMs: 600_000, error });

const steps: readonly (readonly [string, EventSubscription, SubscribedHost | undefined | null, object])[] = [
  ['new', of({ namespace: 'ns' }), host, { next: 'addFinalizer' }],
  ['no finalizers', of({ namespace: 'ns', finalizers: null }), host, { next: 'addFinalizer' }],
  ['held', of(held), host, { next: 'create', node: 'N' }],
  ['held, the last try failed', of(held, { error: 'e', subscriptionID: '' }), host, { next: 'create', node: 'N' }],
  ['made', of(held, made), host, { next: 'rest' }],
  ['made, its finalizer taken', of({ namespace: 'ns' }, made), host, { next: 'addFinalizer' }],
  ['made, host detached', of(held, made), detached, { next: 'rest' }],
  ['no host', of(held), undefined, wait("host 'h' does not exist")],
  ['no host yet', of({}), null, wait("host 'h' does not exist")],
  ['host not registered', of(held), unregistered, wait("host 'h' is not registered")],
  ['host detached', of(held), detached, wait("host 'h' is detached")],
  ['deleted, made', of(deleted, made), host, { next: 'delete', node: 'N', body: { id: '7' } }],
  ['deleted, never made', of(deleted), host, { next: 'dropFinalizer' }],
  ['deleted, no host (S1)', of(deleted, made), undefined, { next: 'dropFinalizer' }],
  ['deleted, host detached', of(deleted, made), detached, wait("host 'h' is detached")],
  ['deleted, host not registered', of(deleted, made), unregistered, wait("host 'h' is not registered")],
  ['deleted, not held', of({ ...deleted, finalizers: [] }, made), host, { next: 'rest' }],
];

for (const [title, subscription, its, expected] of steps) {
  test(title, () => assert.equal(subscriptionStep(subscription, its), expected));
}

test('without a spec there is no host', () => {
  assert.equal(subscriptionStep({ metadata: held, spec: null }, undefined), wait("host '' does not exist"));
});

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const asking = (parts: object): EventSubscription => ({
  metadata: held,
  spec: { hostName: 'h', destination: 'https://x/', ...parts },
});

test('destination alone', () => {
  const body = { Destination: 'https://x/' };
  for (const parts of [{}, { context: '' }, { context: null, httpHeadersRef: null }]) {
    assert.equal(createSubscription(asking(parts), undefined), { body });
  }
});

test('context, and headers each in an object of its own, by name', () => {
  const headers = { 'X-B': encoded('two\n'), Authorization: encoded('Bearer t') };
  assert.equal(createSubscription(asking({ context: 'c', httpHeadersRef: { name: 's', namespace: 'ns' } }), headers), {
    body: {
      Destination: 'https://x/',
      Context: 'c',
      HttpHeaders: [{ Authorization: 'Bearer t' }, { 'X-B': 'two' }],
    },
  });
});

test('a Secret without keys is no header; one without a namespace is of the same', () => {
  assert.equal(createSubscription(asking({ httpHeadersRef: { name: 's' } }), {}), {
    body: { Destination: 'https://x/' },
  });
});

test('no header without its Secret', () => {
  for (const none of [undefined, null]) {
    assert.equal(createSubscription(asking({ httpHeadersRef: { name: 's' } }), none), {
      problem: "the Secret 's' with the headers does not exist",
    });
  }
});

test('a Secret of another namespace is not read', () => {
  const asked = createSubscription(asking({ httpHeadersRef: { name: 's', namespace: 'other' } }), { A: encoded('a') });
  assert.equal(asked, { problem: "the Secret 's' with the headers must be in the namespace of the subscription" });
});

test('a value that would begin another header, or is no text, is refused without a word of it (S2)', () => {
  for (const value of [encoded('hush\r\nX-Evil: 1'), encoded('a\0b'), Buffer.from([0xff, 0xfe]).toString('base64')]) {
    assert.equal(createSubscription(asking({ httpHeadersRef: { name: 's' } }), { Good: encoded('g'), Token: value }), {
      problem: "key 'Token' of the Secret 's' is no value of a header",
    });
  }
});

test('a header with a name that every object has', () => {
  const data = JSON.parse(`{"__proto__":"${encoded('v')}"}`);
  const asked = createSubscription(asking({ httpHeadersRef: { name: 's' } }), data);
  assert.is(JSON.stringify(asked), '{"body":{"Destination":"https://x/","HttpHeaders":[{"__proto__":"v"}]}}');
});

test.run();
