// A review in pieces, wherever they are cut.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RefusedBody, ReviewReader } from '../../../actors/webhooks/review-reader.ts';
import { fc } from '../../world/properties.ts';

const test = suite('webhooks: the reader of reviews');

interface Read {
  readonly objects: readonly string[];
  readonly head: unknown;
}

function read(text: string, sizes: readonly number[] = [text.length]): Read {
  const reader = new ReviewReader();
  const bytes = Buffer.from(text);
  const objects: string[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    for (const object of reader.push(bytes.subarray(at, at + size))) objects.push(object);
    at += size;
  }
  return { objects, head: reader.ended() };
}

test('objects and the rest are found wherever the body is cut', () => {
  const seed = Number(process.env['SEED'] ?? 20_261_121);
  const review = fc.record({
    kind: fc.string(),
    more: fc.jsonValue({ maxDepth: 3 }),
    request: fc.record({ uid: fc.string(), objects: fc.array(fc.jsonValue({ maxDepth: 3 })), options: fc.jsonValue() }),
  });
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(review, sizes, fc.constantFrom(undefined, 2), (value, cut, indent) => {
      const { objects, head } = read(JSON.stringify(value, undefined, indent), cut);
      assert.equal(
        objects.map((text) => JSON.parse(text)),
        JSON.parse(JSON.stringify(value.request.objects)),
      );
      assert.equal(head, JSON.parse(JSON.stringify({ ...value, request: { ...value.request, objects: [] } })));
    }),
    { seed, numRuns: 300 },
  );
});

test('lists of that name elsewhere are part of the rest', () => {
  for (const text of [
    '{"objects":[1]}',
    '{"request":[{"objects":[1]}]}',
    '{"request":{"a":{"objects":[1]}}}',
    '{"other":{"objects":[1]}}',
  ]) {
    const { objects, head } = read(text);
    assert.equal(objects, []);
    assert.equal(head, JSON.parse(text));
  }
});

test('what is too large is refused, in parts and as a whole', () => {
  const refused = (text: string, status: number): void => {
    try {
      read(text, [65_536]);
    } catch (error) {
      assert.instance(error, RefusedBody);
      assert.is((error as RefusedBody).status, status);
      return;
    }
    assert.unreachable();
  };
  refused(`{"request":{"objects":["${'x'.repeat(17 * 2 ** 20)}"]}}`, 413);
  refused(`{"kind":"${'x'.repeat(2 ** 20)}"}`, 413);
  refused('{"request":{"objects":[1],"objects":[2]}}', 400);
  refused('{"request":{"objects":[1]', 400);
});

test('an object is let go when it was handed on', () => {
  const object = JSON.stringify({ a: 'x'.repeat(2 ** 20) });
  const reader = new ReviewReader();
  let seen = 0;
  const push = (text: string): void => {
    for (const { length } of reader.push(Buffer.from(text))) seen += length;
  };
  push('{"request":{"objects":[');
  // More than one object may have.
  for (let at = 0; at < 40; at++) push(`${at > 0 ? ',' : ''}${object}`);
  push(']}}');
  assert.is(seen, 40 * object.length);
});

test.run();
