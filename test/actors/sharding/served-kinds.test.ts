// What pods say that they serve: what is made of it, and of what nobody should have said.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { examinePods } from '../../../actors/cli/doctor/pods.ts';
import {
  isOutdone,
  noteOf,
  type Offer,
  offerFor,
  offerOn,
  servingOf,
  shardsIn,
} from '../../../actors/sharding/served-kinds.ts';
import type { JsonObject, LeaseRecord } from '../../../bus/mod.ts';

const test = suite('offers');

const offer = (...kinds: string[]): Offer => ({ kinds });
const lease = (pod: string, note?: JsonObject): LeaseRecord => ({
  name: `pod.${pod}`,
  holder: pod,
  ...(note !== undefined && { note }),
});

test('33.E2: what is noted is read again, and what is malformed says nothing', () => {
  const full: Offer = offerFor(
    [
      { plural: 'subnets', group: 'openstack.k-orc.cloud' },
      { plural: 'secrets', group: '' },
    ],
    { namespaces: ['b', 'a'], watches: true, shards: 16 },
  );
  assert.equal(full.kinds, ['secrets', 'subnets.openstack.k-orc.cloud']);
  assert.equal(offerOn(lease('p', noteOf(full))), full);
  assert.is(offerOn(lease('p')), undefined);
  assert.is(shardsIn([lease('old', noteOf(offer('a.x'))), lease('p', noteOf(full))]), 16);
  assert.is(
    shardsIn([lease('p', { kinds: ['a.x'], shards: '16' }), lease('q', { kinds: ['a.x'], shards: 0 })]),
    undefined,
  );
  const odd: readonly JsonObject[] = [
    {},
    { kinds: 'a.x' },
    { kinds: [1] },
    { kinds: ['a.x', null] },
    { kinds: ['\u001b[2J'] },
    { kinds: ['x'.repeat(400)] },
    { kinds: Array.from({ length: 10_001 }, () => 'a.x') },
    { kinds: ['a.x'], namespaces: 'all' },
    { kinds: ['a.x'], namespaces: [{}] },
  ];
  for (const note of odd) assert.is(offerOn(lease('p', note)), undefined, JSON.stringify(note).slice(0, 60));
});

test('33.E2: all choose the same pods, in whatever order they hear of them, and namespaces count', () => {
  const all: [string, Offer | undefined][] = [
    ['one', offer('a', 'b')],
    ['two', offer('b', 'c')],
    ['three', offer('c', 'b')],
    ['silent', undefined],
  ];
  const seen = [all, all.toReversed()].map((each) => servingOf(new Map(each)));
  for (const { able, unserved } of seen) {
    assert.equal([...able].sort(), ['one', 'silent']);
    assert.equal(unserved, ['c']);
  }
  const split = servingOf(
    new Map([
      ['all', offer('a')],
      ['some', { kinds: ['a'], namespaces: ['x', 'y'] }],
    ]),
  );
  assert.equal([[...split.able], split.unserved], [['all'], []]);
  const apart = servingOf(
    new Map([
      ['left', { kinds: ['a'], namespaces: ['x', 'y'] }],
      ['right', { kinds: ['a'], namespaces: ['y', 'z', 'w'] }],
    ]),
  );
  assert.equal([[...apart.able], apart.unserved], [['right'], ['a in x']]);
  assert.equal(servingOf(new Map()), { able: new Set(), unserved: [], lacking: new Map() });
});

test('33.E2: only a process that can lead the watch outdoes another', () => {
  const others = (watches: boolean): ReadonlyMap<string, Offer> => new Map([['p', { kinds: ['a', 'b'], watches }]]);
  assert.ok(isOutdone(offer('a'), others(true)));
  assert.not.ok(isOutdone(offer('a'), others(false)));
  assert.not.ok(isOutdone(offer('a', 'b'), others(true)));
  assert.not.ok(isOutdone(offer('c', 'd'), others(true)), 'each lacks as much');
});

test('33.E2: doctor names the pod, what it lacks and what to do', () => {
  const same = [lease('one', noteOf(offer('a.x'))), lease('two', noteOf(offer('a.x')))];
  assert.equal(
    examinePods(same).map(({ verdict, found }) => [verdict, found]),
    [['well', 'all 2 serve the same']],
  );
  const mixed = [
    lease('one', noteOf(offer('a.x', 'b.x'))),
    lease('two', noteOf(offer('b.x', 'c.x', 'd.x'))),
    lease('old'),
    { name: 'role.watch', holder: 'one', note: noteOf(offer('a.x', 'b.x')) },
  ];
  const checks = examinePods(mixed);
  assert.equal(
    checks.map(({ place, verdict, found }) => [place, verdict, found]),
    [
      ['pod one', 'wrong', 'does not serve c.x, d.x, which others do: it gets no objects'],
      ['pod two', 'wrong', 'does not serve a.x, which others do: what it hosts of these stands'],
      ['kinds', 'wrong', 'a.x: no pod that hosts objects serves them'],
      ['pod old', 'wrong', 'does not say what it serves: it is of an earlier version'],
      ['process one', 'wrong', 'watches the API server for all pods, and not c.x, d.x, which others serve'],
    ],
  );
  assert.ok(checks.every(({ todo }) => todo !== undefined));
  assert.equal(examinePods([]), []);
});

test.run();
