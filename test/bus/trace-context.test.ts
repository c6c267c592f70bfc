// W3C Trace Context: what is written is read, and whatever else comes is ignored.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatTraceparent,
  parseTraceparent,
  type TraceContext,
  traceparentOf,
  validTraceparent,
} from '../../bus/trace-context.ts';
import { fc } from '../world/properties.ts';

const test = suite('trace context');
const seed = Number(process.env['SEED'] ?? 20_261_122);
const checked = { seed, numRuns: 500 };

const digits = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((each) => each.join(''))
    .filter((text) => !/^0+$/.test(text));
const context: fc.Arbitrary<TraceContext> = fc.record(
  { traceId: digits(32), spanId: digits(16), sampled: fc.boolean() },
  { noNullPrototype: true },
);
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test(`a context is read as it was written (seed ${seed})`, () => {
  fc.assert(
    fc.property(context, (value) => assert.equal(parseTraceparent(formatTraceparent(value)), value)),
    checked,
  );
});

test('no input throws, and what is read could have been written', () => {
  const almost = fc
    .tuple(context, fc.nat(60), fc.string({ maxLength: 3 }))
    .map(([value, at, text]) => formatTraceparent(value).slice(0, at) + text + formatTraceparent(value).slice(at + 1));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), almost, fc.anything()), (value) => {
      const read = parseTraceparent(value);
      if (read !== undefined) assert.equal(parseTraceparent(formatTraceparent(read)), read);
    }),
    checked,
  );
});

test('what the recommendation forbids is ignored', () => {
  for (const text of [
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\r\nX: 1`,
    ` 00-${TRACE}-${SPAN}-01`,
  ]) {
    assert.is(validTraceparent(text), undefined, `'${text}'`);
  }
});

test('of a later version the parts that are known are read', () => {
  const later = { traceId: TRACE, spanId: SPAN, sampled: true };
  assert.equal(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`), later);
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-03`), later);
  assert.is(parseTraceparent(`00-${TRACE}-${SPAN}-02`)?.sampled, false);
});

test('the trace of a UUID is its digits; any other uid has one of its own', () => {
  assert.is(parseTraceparent(traceparentOf('0af76519-16cd-43dd-8448-eb211c80319c'))?.traceId, TRACE);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      const [a, b] = [parseTraceparent(traceparentOf(one)), parseTraceparent(traceparentOf(other))];
      assert.ok(a !== undefined && b !== undefined);
      assert.is(a.traceId === b.traceId, one === other);
    }),
    checked,
  );
});

test.run();
