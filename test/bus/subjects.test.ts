// Subjects: builder and parser are inverses, and every token is legal, whatever an object is called.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ActorSubject,
  type Address,
  addressKey,
  decodeToken,
  encodeToken,
  epochSubject,
  eventSubject,
  eventWildcard,
  inboxPrefix,
  internAddress,
  longCallWildcard,
  mailboxSubject,
  mailWildcard,
  objectFilter,
  operationSubject,
  parseAddressKey,
  parseEventSubject,
  parseMailboxSubject,
  RESERVED_TOKENS,
  SHARDS,
  senderFilters,
  shardFilter,
  shardOf,
  topicFilter,
} from '../../bus/subjects.ts';
import { fc } from '../world/properties.ts';

const test = suite('subjects');
const seed = Number(process.env['SEED'] ?? 20_261_121);
const checked = { seed, numRuns: 500 };

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.constantFrom('', '_', '%', '%5F', '.', '*', '>', ' ', 'a.b.c', 'volumes.v1', '\ufeff', '\u0000', 'Ünï'),
);
const address: fc.Arbitrary<Address> = fc.record(
  { realm: text, plural: text, namespace: text, name: text },
  { noNullPrototype: true },
);
const mail: fc.Arbitrary<ActorSubject> = fc.tuple(address, address, fc.nat(2)).map(([to, from, topic]) => {
  if (topic === 0) return { to, topic: 'object' };
  return { to, topic: topic === 1 ? 'claim' : 'ready', from };
});
const shards = fc.integer({ min: 1, max: 256 });

/** Whether a NATS filter matches a subject, by the rules of its documentation. */
function matches(filter: string, subject: string): boolean {
  const tokens = subject.split('.');
  const wanted = filter.split('.');
  for (const [at, want] of wanted.entries()) {
    if (want === '>') return tokens.length > at;
    if (at >= tokens.length || (want !== '*' && want !== tokens[at])) return false;
  }
  return wanted.length === tokens.length;
}

test(`a token decodes to what was encoded, and is legal (seed ${seed})`, () => {
  fc.assert(
    fc.property(text, (value) => {
      const token = encodeToken(value);
      assert.match(token, /^[A-Za-z0-9_%-]+$/);
      assert.is(decodeToken(token), value);
    }),
    checked,
  );
});

test('two texts never share a token, and what is not an encoding is refused', () => {
  fc.assert(
    fc.property(text, text, (a, b) => (encodeToken(a) === encodeToken(b)) === (a === b)),
    checked,
  );
  fc.assert(
    fc.property(text, (token) => {
      const value = decodeToken(token);
      return value === undefined || encodeToken(value) === token;
    }),
    checked,
  );
  for (const token of ['', '%', '%5', '%5f', '%41', '%FF', 'a b', '*', '>', 'a.b']) {
    assert.is(decodeToken(token), undefined, `'${token}'`);
  }
});

test('the empty namespace and one called _ are two', () => {
  const clusterScoped = { realm: 'core', plural: 'nodes', namespace: '', name: 'n1' };
  assert.is(addressKey(clusterScoped), 'core.nodes._.n1');
  assert.is(addressKey({ ...clusterScoped, namespace: '_' }), 'core.nodes.%5F.n1');
});

test('an address key parses to its address', () => {
  fc.assert(
    fc.property(address, (value) => assert.equal(parseAddressKey(addressKey(value)), value)),
    checked,
  );
});

test('a mail subject parses to its mail', () => {
  fc.assert(
    fc.property(mail, shards, (value, count) => {
      const subject = mailboxSubject(value, count, 'other');
      for (const token of subject.split('.')) assert.match(token, /^[A-Za-z0-9_%-]+$/);
      assert.equal(parseMailboxSubject(subject, count, 'other'), value);
    }),
    checked,
  );
});

test('the subject of a shard parses to its shard, and there are no others', () => {
  fc.assert(
    fc.property(shards, fc.nat(300), (count, shard) => {
      const subject = mailboxSubject({ topic: 'creates', shard }, count, 'other');
      assert.is(subject, `other.mail.${shard}.creates`);
      const parsed = shard < count ? { topic: 'creates', shard } : undefined;
      assert.equal(parseMailboxSubject(subject, count, 'other'), parsed);
      assert.is(parseMailboxSubject(subject, count), undefined);
      assert.ok(matches(shardFilter(shard, 'other'), subject));
      assert.not.ok(matches(shardFilter(shard + 1, 'other'), subject));
      for (const topic of ['object', 'claim', 'ready', 'creates'] as const) {
        assert.is(matches(topicFilter(topic, 'other'), subject), topic === 'creates');
      }
    }),
    checked,
  );
  for (const token of ['', '01', '-1', '1.0', '1e1', 'x', '64', '_', '*'])
    assert.is(parseMailboxSubject(`troupe.mail.${token}.creates`), undefined, `'${token}'`);
  assert.is(parseMailboxSubject('troupe.mail.1.object'), undefined);
});

test('names with dots stay one token', () => {
  const to = { realm: 'core', plural: 'nodes', namespace: '', name: 'worker-1.example.com' };
  const subject = mailboxSubject({ to, topic: 'object' });
  assert.match(subject, /^troupe\.mail\.\d+\.core\.nodes\._\.worker-1%2Eexample%2Ecom\.object$/);
  assert.equal(parseMailboxSubject(subject), { to, topic: 'object' });
});

test('mail is found by the filters of its shard, topic and object, and by no others', () => {
  fc.assert(
    fc.property(mail, shards, (value, count) => {
      const subject = mailboxSubject(value, count);
      const shard = shardOf(value.to, count);
      assert.ok(matches(shardFilter(shard), subject));
      assert.not.ok(matches(shardFilter(shard + 1), subject));
      assert.ok(matches(objectFilter(value.to, count), subject));
      const from = 'from' in value ? value.from : value.to;
      assert.is(senderFilters(from).filter((filter) => matches(filter, subject)).length, 'from' in value ? 1 : 0);
      for (const topic of ['object', 'claim', 'ready', 'creates'] as const) {
        assert.is(matches(topicFilter(topic), subject), topic === value.topic);
      }
    }),
    checked,
  );
});

test('mail of another root, or of another number of shards, is not ours', () => {
  const to = { realm: 'openstack', plural: 'networks', namespace: 'ns', name: 'a' };
  assert.is(parseMailboxSubject(mailboxSubject({ to, topic: 'object' }, 64, 'other')), undefined);
  const moved = [2, 3, 5, 7, 11].find((count) => shardOf(to, count) !== shardOf(to, SHARDS)) ?? 1;
  assert.is(parseMailboxSubject(mailboxSubject({ to, topic: 'object' }, moved)), undefined);
});

test('a claim may come from another namespace, or from what has none', () => {
  const to = { realm: 'openstack', plural: 'networks', namespace: 'a', name: 'n' };
  for (const namespace of ['b', '']) {
    const claim = { to, topic: 'claim', from: { ...to, namespace } } as const;
    assert.equal(parseMailboxSubject(mailboxSubject(claim)), claim);
  }
});

test('whoever mentions an address has the same object', () => {
  const to = { realm: 'openstack', plural: 'networks', namespace: 'default', name: 'a.long-name' };
  const from = { ...to, plural: 'subnets' };
  const claim = parseMailboxSubject(mailboxSubject({ to, topic: 'claim', from }));
  const answer = parseMailboxSubject(mailboxSubject({ to: from, topic: 'ready', from: to }));
  assert.equal(claim, { to, topic: 'claim', from });
  const target = claim !== undefined && 'to' in claim ? claim.to : undefined;
  assert.is(target, answer !== undefined && 'from' in answer ? answer.from : undefined);
  assert.is(target, internAddress({ ...to }));
  assert.is(addressKey(internAddress(to)), addressKey(to));
});

test('shards are stable and even', () => {
  const at = { realm: 'openstack', plural: 'networks', namespace: 'default', name: 'net-0' };
  assert.is(shardOf(at), 31);
  const counts = new Array<number>(SHARDS).fill(0);
  for (let i = 0; i < 64_000; i += 1) {
    const shard = shardOf({ ...at, name: `net-${i}` });
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  assert.ok(Math.min(...counts) > 700 && Math.max(...counts) < 1_300, `${Math.min(...counts)}..${Math.max(...counts)}`);
});

test('an event subject parses to its event', () => {
  fc.assert(
    fc.property(address, text, (actor, type) => {
      const subject = eventSubject({ actor, type });
      assert.ok(matches(eventWildcard(), subject));
      assert.equal(parseEventSubject(subject), { actor, type });
    }),
    checked,
  );
});

test('an operation has a subject of its own on each node, whatever that is called', () => {
  const of = { realm: 'disks', plural: 'volumes', operation: 'format' };
  assert.is(operationSubject(of), 'disks.volumes.format');
  assert.is(operationSubject({ ...of, node: 'a.example.org' }), 'disks.a%2Eexample%2Eorg.volumes.format');
  fc.assert(
    fc.property(text, (node) => {
      const tokens = operationSubject({ ...of, node }).split('.');
      assert.equal([tokens.length, decodeToken(tokens[1] ?? '')], [4, node]);
    }),
    checked,
  );
});

test('what no realm may be called is what follows the root in all other subjects', () => {
  const own = [mailWildcard(), eventWildcard(), epochSubject(), longCallWildcard(), inboxPrefix({ name: 'actors' })];
  assert.equal(
    own.map((subject) => subject.split('.')[1]),
    [...RESERVED_TOKENS],
  );
});

test.run();
