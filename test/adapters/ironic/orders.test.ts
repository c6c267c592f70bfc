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

test('one host has nothing of what is asked for another', () => {
  assert.equal(unasked([{ ...wish('wiping'), host: 'metal~two' }, order('deleted')]), found('deleted'));
});

test.run();
