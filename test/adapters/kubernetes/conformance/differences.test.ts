// The comparison itself: what it must not overlook, and what it must not mind.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { differences, readTable, unlisted } from './differences.ts';
import { normalizer } from './normalize.ts';

const test = suite('comparison of answers');

const seen = (shown: unknown) => [{ step: '#1', shown }];
const found = (real: unknown, embedded: unknown) => differences('a case', seen(real), seen(embedded));

const TABLE = `
## Differences

| id | shows in | real | embedded | why |
| --- | --- | --- | --- | --- |
| version | \`a case #1 body.version\` | \`"v1…"\` | \`"v2"\` | another build |

## More
`;

test('a difference is reported at the deepest place', () => {
  assert.equal(found({ body: { a: [{ b: 1 }], c: 2 } }, { body: { a: [{ b: 3 }] } }), [
    { place: 'a case #1 body.a.0.b', real: '1', embedded: '3' },
    { place: 'a case #1 body.c', real: '2', embedded: 'absent' },
  ]);
});

test('named parts are compared by name, and their order is compared, too', () => {
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  assert.equal(found({ list: [a, b] }, { list: [b] }), [
    { place: 'a case #1 list.a', real: '{"name":"a"}', embedded: 'absent' },
  ]);
  assert.is(found({ list: [a, b] }, { list: [b, a] }).length, 1);
});

test('a step that only one of both took is a difference', () => {
  assert.is(differences('a case', seen(1), []).length, 1);
});

test('uids, times and revisions differ without a difference, but for their relations (TEST-NORMALIZE-1)', () => {
  const object = (uid: string, resourceVersion: string, creationTimestamp: string) => ({
    metadata: { name: 'a', uid, resourceVersion, creationTimestamp },
  });
  const [one, other] = ['3f9d1c60-0000-4000-8000-000000000001', '3f9d1c60-0000-4000-8000-000000000002'];
  const now = `${new Date(systemClock().now()).toISOString().slice(0, 19)}Z`;
  const both = (objects: readonly unknown[]) => objects.map(normalizer(new Map()).normalize);
  assert.equal(
    both([object(one, '5', now), object(one, '6', now)]),
    both([object(other, '70', now), object(other, '90', now)]),
  );
  assert.not.equal(
    both([object(one, '5', now), object(one, '6', now)]),
    both([object(one, '5', now), object(other, '6', now)]),
  );
  assert.not.equal(
    both([object(one, '5', now), object(one, '6', now)]),
    both([object(one, '6', now), object(one, '5', now)]),
  );
  assert.not.equal(
    both([object(one, '5', now), object(one, '6', now)]),
    both([object(one, '5', now), object(one, '5', now)]),
  );
  assert.not.equal(both([object(one, '5', now)]), both([object(one, '5', '2020-01-01T00:00:00Z')]));
});

test('generated names are alike when their prefix is', () => {
  const named = (name: string) => {
    const { normalize, expectGenerated } = normalizer(new Map());
    expectGenerated('a-');
    return normalize({ metadata: { name }, message: `"${name}" is bad` });
  };
  assert.equal(named('a-bcdfg'), named('a-xz245'));
  assert.not.equal(named('a-bcdfg'), named('a-aaaaa'));
});

test('the table explains what it lists, and nothing else', () => {
  const rows = readTable(TABLE);
  const listed = found({ body: { version: 'v1.35' } }, { body: { version: 'v2' } });
  assert.equal(unlisted(listed, rows), { unknown: [], unseen: [] });
  const other = found({ body: { version: 'v3' } }, { body: { version: 'v2' } });
  assert.is(unlisted(other, rows).unknown.length, 1);
  assert.is(unlisted(other, rows).unseen.length, 1);
});

test('a malformed row is refused', () => {
  assert.throws(() => readTable(TABLE.replace('another build', '')), /a row needs/);
  assert.throws(() => readTable('## Other'), /no heading/);
});

test.run();
