import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Entry, unasked, type Wish } from './orders.ts';

const test = suite('orders that somebody asked for');

const HOST = 'metal~one';
const wish = (what: Wish): Entry => ({ what: 'wished', host: HOST, wish: what });
const said = (state: string): Entry => ({ what: 'said', host: HOST, state });
const MADE: Entry = { what: 'made', host: HOST };
const order = (target: string, status: number | undefined = 202): Entry => ({
  what: 'ordered',
  host: HOST,
  target,
  status,
});
const found = (...targets: readonly string[]): readonly string[] =>
  targets.map((target) => `${HOST}: nobody asked for '${target}'`);

/** From nothing to what is deployed. */
const DEPLOYED = [
  wish('inspection'),
  wish('deployment'),
  MADE,
  order('manage'),
  order('inspect'),
  said('manageable'),
  order('provide'),
  said('available'),
  order('active'),
  said('deploying'),
  said('active'),
];

test('what is asked for is done once', () => {
  const whole = [...DEPLOYED, wish('wiping'), order('deleted'), said('cleaning'), said('available')];
  assert.equal(unasked(whole), []);
  assert.equal(unasked([...whole, order('deleted')]), found('deleted'));
  assert.equal(unasked([...whole, order('active')]), found('active'));
});

test('of two images that were asked for both may be deployed, each once', () => {
  const deployment = (image: string): Entry => ({ what: 'wished', host: HOST, wish: 'deployment', image });
  const both = [
    ...[deployment('a'), deployment('a'), wish('wiping'), deployment('b')],
    ...[MADE, order('provide'), order('active'), said('active')],
    ...[order('deleted'), said('available'), order('active'), said('active')],
  ];
  assert.equal(unasked(both), []);
  assert.equal(unasked([...both, order('active')]), found('active'));
});

for (const target of ['inspect', 'provide', 'active', 'deleted', 'clean', 'rebuild', 'service']) {
  test(`'${target}' is not done to what runs there, nor to a node that is made again for it`, () => {
    assert.equal(unasked([...DEPLOYED, order(target)]), found(target));
    const again = [...DEPLOYED, MADE, order('manage'), order('adopt'), said('active')];
    assert.equal(unasked(again), []);
    assert.equal(unasked([...again, order(target)]), found(target));
  });
}

test('what Ironic refused, or went away over, may be asked for again', () => {
  const wiped = [...DEPLOYED, wish('wiping')];
  const last = [order('deleted'), said('available')];
  assert.equal(unasked([...wiped, order('deleted', 409), ...last]), []);
  assert.equal(unasked([...wiped, { what: 'ordered', host: HOST, target: 'deleted', status: undefined }, ...last]), []);
  assert.equal(unasked([...wiped, order('deleted', 409), ...last, order('deleted')]), found('deleted'));
});

test('what failed is done again, once for each failure', () => {
  const failed = [wish('deployment'), MADE, order('provide'), order('active'), said('deploy failed')];
  const again = [...failed, order('deleted'), said('available'), order('active')];
  assert.equal(unasked(again), []);
  assert.equal(unasked([...again, order('deleted')]), found('deleted'));
  assert.equal(unasked([...again, said('deploy failed'), order('deleted')]), []);
  const unclean = [...DEPLOYED, wish('wiping'), order('deleted'), said('clean failed'), order('provide')];
  assert.equal(unasked(unclean), []);
  assert.equal(unasked([...unclean, order('provide')]), found('provide'));
});

test('what was under way when Ironic lost the node may be done again, but not what was over', () => {
  const wiping = [...DEPLOYED, wish('wiping'), order('deleted'), said('cleaning')];
  assert.equal(unasked([...wiping, MADE, order('provide'), said('available')]), []);
  assert.equal(unasked([...wiping, said('available'), MADE, order('provide')]), found('provide'));
  const deploying = [wish('deployment'), MADE, order('active'), said('deploying')];
  assert.equal(unasked([...deploying, MADE, order('provide'), said('available'), order('active')]), []);
  assert.equal(unasked([...deploying, said('active'), MADE, order('active')]), found('active'));
});

test('what is still to be done when Ironic lost the node begins with providing the new one (TEST-ORDERS-2)', () => {
  const provided = [wish('deployment'), MADE, order('provide'), said('available'), MADE];
  assert.equal(unasked([...provided, order('provide'), said('available'), order('active')]), []);
  const wiping = [...DEPLOYED, wish('wiping'), MADE, order('provide')];
  assert.equal(unasked(wiping), []);
});

test('what was seen to be as asked for is a reason for nothing more (TEST-ORDERS-3)', () => {
  const settled: Entry = { what: 'settled', host: HOST };
  // It was changed, and changed back before anybody did anything.
  const there = [...DEPLOYED, wish('wiping'), wish('deployment')];
  assert.equal(unasked([...there, order('deleted')]), []);
  assert.equal(unasked([...there, settled, order('deleted')]), found('deleted'));
  assert.equal(unasked([...there, settled, order('active')]), found('active'));
  assert.equal(unasked([...there, settled, wish('wiping'), order('deleted')]), []);
});

test('a node is taken out of Ironic for a host that is to have none, once', () => {
  const removed: Entry = { what: 'removed', host: HOST };
  const line = `${HOST}: nobody asked for its node to be removed`;
  assert.equal(unasked([...DEPLOYED, removed]), [line]);
  assert.equal(unasked([...DEPLOYED, wish('removal'), removed]), []);
  assert.equal(unasked([...DEPLOYED, wish('removal'), removed, MADE, removed]), [line]);
});

test('a node that is there without its host is told', () => {
  const line = `${HOST}: its node was left in Ironic when it went`;
  assert.equal(unasked([...DEPLOYED, { what: 'left', host: HOST }]), [line]);
});

test('a machine has what was asked of its host in this life, and nothing else (TEST-ORDERS-4)', () => {
  const asked = (image: string): Entry => ({ what: 'wished', host: HOST, wish: 'deployment', image });
  const written = (image: string): Entry => ({ what: 'written', host: HOST, image });
  const born = (disks: 'cleaned' | 'kept'): Entry => ({ what: 'born', host: HOST, disks });
  const line = (image: string): string => `${HOST}: nobody asked for '${image}' on its machine`;
  assert.equal(unasked([born('cleaned'), asked('a'), written('a')]), []);
  assert.equal(unasked([born('cleaned'), asked('a'), written('b')]), [line('b')]);
  assert.equal(unasked([born('cleaned'), asked('a'), born('cleaned'), written('a')]), [line('a')]);
  assert.equal(unasked([born('cleaned'), asked('a'), { what: 'settled', host: HOST }, written('a')]), [line('a')]);
  const wiped: Entry = { what: 'wiped', host: HOST };
  assert.equal(unasked([born('cleaned'), wiped]), []);
  assert.equal(unasked([born('kept'), wiped]), [`${HOST}: its machine is wiped, and its disks are to be kept`]);
});

test('a host of a new life has nothing of what was asked of the one before', () => {
  const again = [...DEPLOYED, wish('wiping'), { what: 'born', host: HOST, disks: 'cleaned' }] as const;
  assert.equal(unasked([...again, order('deleted')]), found('deleted'));
});

test('one host has nothing of what is asked for another', () => {
  assert.equal(unasked([{ ...wish('wiping'), host: 'metal~two' }, order('deleted')]), found('deleted'));
});

test.run();
