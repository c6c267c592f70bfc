// Subscriptions of a BMC, by way of Ironic.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isIntended } from '../../../../adapters/ironic/host/event-subscription.ts';
import { bmcEventSubscriptionOperations } from '../../../../adapters/ironic/steps/bmc-event-subscriptions.ts';
import { TerminalError, UnknownOutcomeError, WaitingError } from '../../../../bus/errors.ts';
import { objectOf, withNode } from '../../../world/ironic.ts';
import { rejection } from '../../../world/rejection.ts';

const test = suite('operations on BMCEventSubscriptions');

const SPEC = { hostName: 'h', destination: 'https://x/events', context: 'c' };
const INTENT = { destination: SPEC.destination, context: SPEC.context };
const subscription = objectOf('BMCEventSubscription', SPEC);
const VENDOR = '/nodes/{id}/vendor_passthru';
const encoded = (text: string): string => Buffer.from(text).toString('base64');

test('one is made, seen, and taken away; what is gone is gone', () =>
  withNode(async ({ ports, ironic, request, calls }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    const { id } = await operations.create(request(subscription));
    assert.is(id, 'ns/h/1');
    assert.equal(
      ironic.machine('bm1').subscriptions.map(({ Destination, Context }) => [Destination, Context]),
      [[SPEC.destination, 'c']],
    );
    assert.is((await operations.observe({ ...request(subscription), id }))?.id, id);
    await operations.remove({ ...request(subscription), id });
    assert.equal(ironic.machine('bm1').subscriptions, []);
    assert.is(await operations.observe({ ...request(subscription), id }), undefined);
    await operations.remove({ ...request(subscription), id });
    assert.is(calls(`DELETE ${VENDOR}`), 1);
  }));

test('a removal that fails is not taken for one that was done', () =>
  withNode(async ({ ports, ironic, request }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    const { id } = await operations.create(request(subscription));
    ironic.faults.inject({ match: { method: 'DELETE', path: /vendor_passthru/ }, status: 500 });
    assert.match((await rejection(operations.remove({ ...request(subscription), id }))).message, '500');
    assert.is(ironic.machine('bm1').subscriptions.length, 1);
  }));

test('headers come of the Secret, and are in no error (IRONIC-BMC-EVENT-SUBSCRIPTIONS-2)', () =>
  withNode(async ({ ports, secrets, ironic, request }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    const object = objectOf('BMCEventSubscription', { ...SPEC, httpHeadersRef: { name: 's' } });
    const missing = await rejection(operations.create(request(object)));
    assert.instance(missing, WaitingError);
    assert.is(missing.message, "the Secret 's' with the headers does not exist");
    secrets.set('s', { Authorization: encoded('Bearer hush-hush') });
    ironic.faults.inject({
      match: { method: 'POST', path: /vendor_passthru/ },
      status: 400,
      body: { error_message: { faultstring: 'Subscription payload: Bearer hush-hush' } },
    });
    const refused = await rejection(operations.create(request(object)));
    assert.instance(refused, TerminalError);
    assert.not.match(refused.message, 'hush');
    assert.not.match(JSON.stringify(await operations.create(request(object))), 'hush');
    assert.is(ironic.machine('bm1').subscriptions.length, 1);
  }));

test('one whose answer was lost is found again, and no other that looks the same (IRONIC-BMC-EVENT-SUBSCRIPTIONS-1)', () =>
  withNode(async ({ ports, ironic, request, calls }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    await operations.create(request(objectOf('BMCEventSubscription', { ...SPEC, context: 'another' })));
    ironic.faults.inject({ match: { method: 'POST', path: /vendor_passthru/ }, dropAfterWork: true });
    assert.instance(await rejection(operations.create(request(subscription))), UnknownOutcomeError);
    const unasked = await operations.find(request(subscription));
    assert.equal([unasked.matches, unasked.exact, calls(`GET ${VENDOR}`)], [[], true, 0]);
    const asked = await operations.find({ ...request(subscription), intents: [INTENT] });
    assert.equal(
      asked.matches.map(({ id }) => id),
      ['ns/h/2'],
    );
    assert.is(asked.completedLookup, unasked.completedLookup);
    assert.equal(
      [unasked.intended, asked.intended],
      [undefined, true],
      'nothing else is removed (EXTERNAL-RESOURCE-9)',
    );
  }));

test('a removal whose answer was lost is done', () =>
  withNode(async ({ ports, ironic, request }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    const { id } = await operations.create(request(subscription));
    ironic.faults.inject({ match: { method: 'DELETE', path: /vendor_passthru/ }, dropAfterWork: true });
    await operations.remove({ ...request(subscription), id });
    assert.equal(ironic.machine('bm1').subscriptions, []);
  }));

test('an id that another BMC gave to the subscription of another client is not its own (IRONIC-BMC-EVENT-SUBSCRIPTIONS-3)', () =>
  withNode(async ({ ports, ironic, request, calls }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    for (const other of [
      { ...SPEC, destination: 'https://y/events' },
      { ...SPEC, context: 'another' },
    ]) {
      const { id } = await operations.create(request(objectOf('BMCEventSubscription', other)));
      assert.is(await operations.observe({ ...request(subscription), id }), undefined);
      await operations.remove({ ...request(subscription), id });
    }
    assert.is(ironic.machine('bm1').subscriptions.length, 2);
    assert.is(calls(`DELETE ${VENDOR}`), 0);
  }));

test('a BMC may spell the destination in its own way, and not report a context', () => {
  const intent = { destination: 'https://X', context: 'c' };
  assert.ok(isIntended(intent, { destination: 'https://x/', context: '' }));
  assert.not(isIntended(intent, { destination: 'https://x/', context: 'd' }));
  assert.not(isIntended({ ...intent, context: '' }, { destination: 'https://x/', context: 'd' }));
  assert.not(isIntended(intent, { destination: '', context: 'c' }));
});

test('a node that Ironic does not know is waited for: its BMC keeps what it has (IRONIC-BMC-EVENT-SUBSCRIPTIONS-4)', () =>
  withNode(async ({ ports, ironic, request }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    ironic.forget();
    const known = { ...request(subscription), id: 'ns/h/1' };
    for (const waits of [
      operations.observe(known),
      operations.remove(known),
      operations.find({ ...known, intents: [INTENT] }),
    ]) {
      const error = await rejection(waits);
      assert.instance(error, WaitingError);
      assert.is(error.message, "Waiting for host 'h' to be registered: Ironic does not know its node");
    }
  }));

test('nobody is asked before the host has a node, nor without a host', () =>
  withNode(async ({ ports, ironic, request, node }) => {
    const operations = bmcEventSubscriptionOperations(ports);
    const unknown = { ...request(subscription), dependencies: {} };
    assert.instance(await rejection(operations.create(unknown)), WaitingError);
    const hostless = request(objectOf('BMCEventSubscription', { destination: SPEC.destination }));
    assert.instance(await rejection(operations.create(hostless)), TerminalError);
    assert.equal((await operations.find(hostless)).matches, []);
    assert.equal(ironic.calls(), {});
    assert.is(await operations.identify(request(subscription)), node);
  }));

test.run();
