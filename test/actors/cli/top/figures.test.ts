// What `troupe top` counts, of events as the bus has them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { quantile, Window } from '../../../../actors/cli/top/figures.ts';
import { topText } from '../../../../actors/cli/top/text.ts';
import type { Address, JsonObject, ReceivedEvent } from '../../../../bus/mod.ts';

const test = suite('figures');

const NOW = 1_000_000_000;
const of = (plural: string, name: string, realm = 'openstack'): Address => ({ realm, plural, namespace: 'ns', name });

function event(actor: Address, type: string, data: JsonObject, at = NOW - 1_000): ReceivedEvent {
  return { actor, type, data, at };
}

function window(events: readonly ReceivedEvent[], lagMs = 2): Window {
  const taken = new Window(60_000);
  for (const each of events) taken.take(each, each.at + lagMs);
  return taken;
}

const call = (status: number | null, durationMs: number, service = 'network'): ReceivedEvent =>
  event(of('networks', 'n'), 'call', { service, method: 'GET', path: '/', status, durationMs });

test('objects are counted once, by the state that they came to last', () => {
  const { objects } = window([
    event(of('networks', 'a'), 'transition', { tags: [] }),
    event(of('networks', 'a'), 'transition', { tags: ['settled', 'available'] }),
    event(of('networks', 'b'), 'transition', { tags: ['failing'] }),
    event(of('subnets', 'c'), 'deleted', {}),
    event(of('secrets', 'd', 'core'), 'transition', { tags: ['deleting'] }),
    event(of('secrets', 'e', 'core'), 'transition', { tags: [] }),
  ]).figures(NOW, []);
  assert.equal(
    objects.map(({ kind, states }) => [kind, states]),
    [
      ['networks', { available: 1, retrying: 1 }],
      ['secrets', { held: 1, present: 1 }],
      ['subnets', { gone: 1 }],
    ],
  );
});

test('calls by service: how many a minute, how many failed, how long they took', () => {
  const durations = Array.from({ length: 20 }, (_, index) => call(200, index + 1));
  const { calls } = window([...durations, call(404, 0), call(500, 0), call(null, 0), call(409, 0, 'compute')]).figures(
    NOW,
    [],
  );
  assert.equal(calls, [
    { service: 'compute', calls: 1, perMinute: 1, errors: 1, medianMs: 0, p95Ms: 0 },
    { service: 'network', calls: 23, perMinute: 23, errors: 2, medianMs: 9, p95Ms: 19 },
  ]);
});

test('events beyond the window are forgotten; clocks that differ count as no lag', () => {
  const late = window([event(of('networks', 'a'), 'step', {}, NOW - 60_003)], 2).figures(NOW, []);
  assert.is(late.events.count, 0);
  const early = window([event(of('networks', 'a'), 'step', {})], -50).figures(NOW, []);
  assert.equal(early.events, { count: 1, perMinute: 1, lagMedianMs: 0, lagP95Ms: 0 });
});

test('leases by holder', () => {
  const leases = ['shard.0', 'shard.1', 'role.watch', 'pod.x'].map((name) => ({ name, holder: 'x' }));
  const { leases: holders } = window([]).figures(NOW, [...leases, { name: 'shard.2', holder: 'a' }]);
  assert.equal(holders, [
    { holder: 'a', shards: 1, others: [] },
    { holder: 'x', shards: 2, others: ['pod.x', 'role.watch'] },
  ]);
});

test('a quantile is one of the values', () => {
  assert.equal(
    [quantile([], 0.5), quantile([7], 0.95), quantile([3, 1, 2], 0.5), quantile([1, 2], 0.95)],
    [0, 7, 2, 2],
  );
});

test('text for people', () => {
  const taken = window([
    event(of('networks', 'a'), 'transition', { tags: ['settled', 'available'] }),
    call(200, 12),
  ]).figures(NOW, [{ name: 'shard.0', holder: 'pod\u001b-1' }]);
  assert.is(
    topText(taken, 'nats-server 2.12.3 at x'),
    `last 60 s, nats-server 2.12.3 at x

CHANGED    OBJECTS   NOW
networks   1         1 available

SERVICE   CALLS   A MINUTE   ERRORS   MEDIAN   P95
network   1       1          0        12 ms    12 ms

2 events, 2 a minute; kept or heard after 2 ms, 95 of 100 within 2 ms

HOLDER        SHARDS   OTHER LEASES
pod\\u{1b}-1   1
`,
  );
  assert.is(
    topText(window([]).figures(NOW, []), 'x'),
    'last 60 s, x\n\nno object changed its state\n\nnothing was called\n\nno events\n\nno process holds a lease\n',
  );
});

test.run();
