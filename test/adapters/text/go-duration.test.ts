// Go's durations.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseGoDuration } from '../../../adapters/text/go-duration.ts';
import { fc } from '../../world/properties.ts';

const test = suite('go-duration');

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

for (const [text, expectedMs] of [
  ['0', 0],
  ['0s', 0],
  ['-0', 0],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['1h15m30.918s', 4_530_918],
  ['-1.5h', -5_400_000],
  ['+5s', 5_000],
  ['.5s', 500],
  ['1.s', 1_000],
  ['100us', 0.1],
  ['1µs', 0.001],
  ['1μs', 0.001],
  ['3m2m', 300_000],
  ['2562047h', 9_223_369_200_000],
] as const) {
  test(`'${text}' is ${expectedMs} ms`, () => {
    assert.ok(Math.abs((parseGoDuration(text) ?? Number.NaN) - expectedMs) < 1e-6);
  });
}

for (const text of [
  '',
  '-',
  '+',
  's',
  '10',
  '1d',
  '1 h',
  ' 1h',
  '1h ',
  '.s',
  '1.2.3s',
  '--1s',
  '1H',
  'ten minutes',
  '2562048h',
  '1e3s',
]) {
  test(`'${text}' is no duration`, () => {
    assert.is(parseGoDuration(text), undefined);
  });
}

test('whatever Go prints is read as what it was', () => {
  const amounts = fc.array(fc.tuple(fc.constantFrom(...UNITS), fc.nat(10_000)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(amounts, fc.boolean(), (parts, negative) => {
      const text = parts.map(([[unit], amount]) => `${amount}${unit}`).join('');
      const totalMs = parts.reduce((sum, [[, ms], amount]) => sum + ms * amount, 0);
      assert.is(parseGoDuration(negative ? `-${text}` : text), negative ? -totalMs : totalMs);
    }),
  );
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.hmsun µ-+') }), (text) => {
      const durationMs = parseGoDuration(text);
      assert.ok(durationMs === undefined || Number.isFinite(durationMs));
    }),
  );
});

test.run();
