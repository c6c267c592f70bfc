// Capacity of Ironic: whether one more node may be busy.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isBusy } from '../../../../adapters/ironic/client/capacity.ts';
import { SHORT_PACE_MS } from '../../../../adapters/ironic/client/pace.ts';
import { nodePoller } from '../../../../adapters/ironic/client/poller.ts';
import { TransientError } from '../../../../bus/errors.ts';
import { ManualClock, outcome } from '../../../bus/manual-clock.ts';
import { FakeIronic } from './fake-ironic.ts';

const test = suite('capacity of Ironic');

function scene() {
  const clock = new ManualClock();
  const ironic = new FakeIronic();
  const log = { info: () => undefined, warn: () => undefined };
  const poller = nodePoller({ clock, log, ironic });
  const take = (uuid: string, limit = 2): Promise<boolean> =>
    poller.capacity.take(uuid, limit, { deadlineAt: clock.now() + 1_000 });
  /** Another client, whose watch lists nodes. */
  const watch = (): (() => void) => {
    const controller = new AbortController();
    const known = [...ironic.nodes.values()].at(-1);
    const request = { uuid: known?.uuid ?? '', known, signal: controller.signal, paceMs: SHORT_PACE_MS };
    void outcome(poller.watch(request));
    return () => controller.abort();
  };
  return { clock, ironic, poller, take, watch };
}

const STATES: readonly (readonly [state: string, busy: boolean])[] = [
  ['cleaning', true],
  ['clean wait', true],
  ['inspecting', true],
  ['inspect wait', true],
  ['deploying', true],
  ['wait call-back', true],
  ['deleting', true],
  ['available', false],
  ['manageable', false],
  ['active', false],
  ['enroll', false],
  ['verifying', false],
  ['adopting', false],
  ['servicing', false],
  ['service wait', false],
  ['clean failed', false],
  ['deploy failed', false],
  ['inspect failed', false],
  ['error', false],
];

for (const [state, busy] of STATES) {
  test(`in ${state} a node is ${busy ? '' : 'not '}busy, and never with virtual media`, () => {
    for (const boot_interface of ['ipxe', 'pxe', 'redfish-https', null]) {
      assert.is(isBusy({ provision_state: state, boot_interface }), busy);
    }
    for (const boot_interface of ['redfish-virtual-media', 'idrac-redfish-virtual-media', 'virtual-media']) {
      assert.not.ok(isBusy({ provision_state: state, boot_interface }));
    }
  });
}

test('the number of busy nodes is limited, and a busy node keeps its slot', async () => {
  const { ironic, take } = scene();
  for (const uuid of ['a', 'b']) ironic.put(uuid, { provision_state: 'deploying', boot_interface: 'ipxe' });
  for (const uuid of ['c', 'd']) ironic.put(uuid, { provision_state: 'available', boot_interface: 'ipxe' });
  assert.equal([await take('c'), await take('a'), await take('c', 3)], [false, true, true]);
  assert.equal([await take('d', 3), await take('d', 0)], [false, false]);
  assert.is(ironic.lists, 1);
  assert.equal(ironic.fields, [['uuid', 'name', 'provision_state', 'boot_interface']]);
});

test('of a hundred concurrent requests the limit is granted, with one list (IRONIC-CAPACITY-1, IRONIC-CAPACITY-4)', async () => {
  const { ironic, take } = scene();
  const all = await Promise.all(ironic.fill(100, { provision_state: 'available' }).map((uuid) => take(uuid, 20)));
  assert.is(all.filter((isLetIn) => isLetIn).length, 20);
  assert.is(ironic.lists, 1);
});

test('a slot counts until a list shows the node as busy, and then while lists show it (IRONIC-CAPACITY-1, IRONIC-CAPACITY-2)', async () => {
  const { clock, ironic, take, watch } = scene();
  ironic.fill(3, { provision_state: 'available' });
  const stop = watch();
  assert.equal([await take('n0', 1), await take('n1', 1)], [true, false]);
  await clock.advance(2 * SHORT_PACE_MS);
  assert.is(await take('n1', 1), false, 'though no list shows n0');
  ironic.put('n0', { provision_state: 'deploying' });
  await clock.advance(2 * SHORT_PACE_MS);
  assert.is(await take('n1', 1), false, 'by the list');
  ironic.put('n0', { provision_state: 'active' });
  await clock.advance(2 * SHORT_PACE_MS);
  assert.is(await take('n1', 1), true, 'once it is not busy');
  stop();
});

test('a list that began before a slot was granted does not release it (IRONIC-CAPACITY-2)', async () => {
  const { clock, ironic, take, watch } = scene();
  ironic.fill(2, { provision_state: 'available' });
  await take('n1', 5);
  const stop = watch();
  const gate = Promise.withResolvers<void>();
  ironic.before = () => gate.promise;
  // n0 is still busy with what it did before.
  ironic.put('n0', { provision_state: 'cleaning' });
  await clock.advance(4_000);
  assert.is(await take('n0', 5), true);
  gate.resolve();
  await clock.settle();
  ironic.put('n0', { provision_state: 'available' });
  await clock.advance(4_000);
  assert.is(await take('n2', 2), false, 'n0 and n1 have theirs');
  stop();
});

test('an unused slot is released after a minute; another request keeps it (IRONIC-CAPACITY-3)', async () => {
  const { clock, ironic, poller, take } = scene();
  ironic.fill(3, { provision_state: 'available' });
  assert.equal([await take('n0', 1), await take('n1', 1)], [true, false]);
  await clock.advance(50_000);
  assert.is(await take('n0', 1), true);
  await clock.advance(50_000);
  assert.is(await take('n1', 1), false);
  await clock.advance(10_000);
  assert.is(await take('n1', 1), true);
  poller.capacity.release('n1');
  assert.is(await take('n2', 1), true, 'given back');
});

test('lists of watches serve for slots too, unless they are too old (IRONIC-CAPACITY-4)', async () => {
  const { clock, ironic, take, watch } = scene();
  ironic.fill(3);
  const stop = watch();
  await clock.advance(4_000);
  const { lists } = ironic;
  assert.is(lists, 1);
  await take('n0', 5);
  assert.is(ironic.lists, lists);
  stop();
  await clock.advance(15_001);
  await take('n0', 5);
  assert.is(ironic.lists, lists + 1);
});

test('without a list no slot is granted, and the error says why', async () => {
  const { ironic, take } = scene();
  ironic.failure = () => new TransientError('connection refused');
  const taken = outcome(take('n0'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(taken.error?.message, 'connection refused');
  ironic.failure = () => undefined;
  assert.is(await take('n0'), true);
});

test.run();
