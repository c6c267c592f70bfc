import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { joinedLines, withoutEnd } from '../../../adapters/text/without-end.ts';

const test = suite('ends of texts');
/** Processor time of this process, in milliseconds; loops over all pairs of 65,000 characters take several times as long. */
const MOST_MS = 1_000;

function spends<Result>(work: () => Result): Result {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1_000 < MOST_MS, `${(user + system) / 1_000} ms`);
  return result;
}

test('characters at the end are removed, others stay', () => {
  assert.is(withoutEnd('a//b///', '/'), 'a//b');
  assert.is(withoutEnd('a. .b. .', '. '), 'a. .b');
  assert.is(withoutEnd('C:\\a\\\\', '\\'), 'C:\\a');
  assert.is(withoutEnd('///', '/'), '');
  assert.is(withoutEnd('', '/'), '');
});

test('lines are joined, without blank ones and blanks around them', () => {
  assert.is(joinedLines(' a \r\n\n \t b  c\n'), 'a; b  c');
  assert.is(joinedLines(' \n '), '');
});

test('a run that is not at the end costs time in proportion to its length', () => {
  const slashes = `${'/'.repeat(65_000)}x`;
  assert.is(
    spends(() => withoutEnd(slashes, '/')),
    slashes,
  );
  assert.is(spends(() => joinedLines(`a${' '.repeat(65_000)}b`)).length, 65_002);
});

test.run();
