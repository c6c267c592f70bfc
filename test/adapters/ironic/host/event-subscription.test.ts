// BMCEventSubscription: how one is known again, and what Ironic is asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createSubscription,
  type EventSubscription,
  recordedSubscription,
  subscriptionId,
  subscriptionIntent,
} from '../../../../adapters/ironic/host/event-subscription.ts';
import type { KubeObject } from '../../../../machines/object.ts';

const test = suite('event subscription');

const object = (status?: object) =>
  ({
    metadata: { namespace: 'ns', name: 's' },
    spec: { hostName: 'h', destination: 'https://x/', context: 'c', httpHeadersRef: { name: 'headers' } },
    ...(status !== undefined && { status }),
  }) as unknown as KubeObject;

test('the id of a subscription counts on one BMC (IRONIC-EVENT-SUBSCRIPTION-1)', () => {
  const name = recordedSubscription(object({ subscriptionID: 'a/7' }));
  assert.is(name, 'ns/h/a/7');
  assert.is(subscriptionId(name ?? ''), 'a/7');
  for (const none of [undefined, {}, { subscriptionID: '' }, { subscriptionID: 5 }, { subscriptionID: null }]) {
    assert.is(recordedSubscription(object(none)), undefined);
  }
});

test('what was asked for is known again without a word of its headers (IRONIC-EVENT-SUBSCRIPTION-2)', () => {
  assert.equal(subscriptionIntent(object()), { destination: 'https://x/', context: 'c' });
  assert.equal(subscriptionIntent({ spec: { destination: 'd' } }), { destination: 'd', context: '' });
});

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const asking = (parts: object): EventSubscription => ({
  metadata: { namespace: 'ns' },
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

test('a value that would begin another header, or is no text, is refused without a word of it (IRONIC-EVENT-SUBSCRIPTION-2)', () => {
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
