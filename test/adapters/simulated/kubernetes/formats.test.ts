// The formats of strings. What is here was asked of a real API server (test/real/kubernetes/schemas.test.ts does).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasFormat } from '../../../../adapters/text/formats.ts';

const test = suite('embedded api server: formats');

/** Characters of a hostile text. */
const LENGTH = 100_000;
/** Limit for some hundreds of them, in milliseconds. */
const LONGEST_MS = 8_000;

/** Values that each format accepts, and values that it rejects. */
const CASES: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  ipv4: [
    ['1.2.3.4', '010.0.0.1', '::ffff:1.2.3.4', '::ffff:010.0.0.1'],
    ['1.2.3', '1.2.3.256', '::1', ''],
  ],
  ipv6: [
    ['::', 'fe80::1', '::ffff:1.2.3.4'],
    ['fe80::1%eth0', '1.2.3.4', '::00010', '::010.0.0.1', ''],
  ],
  cidr: [
    [
      '10.0.0.0/8',
      '010.0.0.0/08',
      '000.00.0.0001/8',
      '::ffff:010.0.0.1/128',
      '00001::/64',
      '::0ffff/1',
      '::/0',
      '10.0.0.1/8',
    ],
    ['10.0.0.0/33', '10.0.0.0', '::/129', '/8', '::fffff/64', '0x1.1.1.1/8'],
  ],
  email: [
    ['a@b', ' a.b@c.d ', 'A Name <a@b>', '"a b"@c', 'a@[1.2.3.4]', '\ta@b', 'a@b\u00a0', ' <a@b> '],
    ['a', '@b', 'a@', 'A Name a@b', '<a@b', 'a@b\n'],
  ],
  mac: [
    ['00:11:22:33:44:55', '00-11-22-33-44-55', '0011.2233.4455'],
    ['00:11:22:33:44', '0011:2233:4455', ''],
  ],
  'date-time': [
    ['2020-01-01T00:00:00Z', '2020-01-01t23:59:59.5z', '2020-02-29T00:00:00+99:99'],
    ['2020-01-01T24:00:00Z', '2021-02-29T00:00:00Z', '2020-01-01', '2020-01-01T00:00:00'],
  ],
  date: [
    ['0000-01-01', '2020-02-29'],
    ['2020-02-30', '2020-1-1', ''],
  ],
  duration: [
    ['1s', '1h30m', '-1.5h', '0', '2 days', 'about 3 weeks', '12 12hours', '1\ns'],
    ['', '1', '1 fortnight', 's', '1\u00a0s'],
  ],
  byte: [
    ['YQ==', 'YWJj'],
    ['', 'YQ', 'YQ=', 'Y!=='],
  ],
  uri: [
    ['/path', 'http://example.org/a?b#c', 'mailto:a@b', 'urn:x:y'],
    ['', 'a/b', 'http://[::1', 'http://a/%zz', ' /a'],
  ],
  hostname: [
    ['example.org', 'a', '1a.example'],
    ['-a', 'a..b', 'a.b-', ''],
  ],
  uuid: [
    ['42a23b5e-5d4b-4a0c-9f4b-7d3b8d1f1a11', '42A23B5E5D4B4A0C9F4B7D3B8D1F1A11'],
    ['42a23b5e', ''],
  ],
  isbn: [
    ['0321751043', '978-0321751041'],
    ['0321751044', '978'],
  ],
  creditcard: [['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
  hexcolor: [
    ['#fff', 'A0b1C2'],
    ['#ff', 'red'],
  ],
  rgbcolor: [['rgb(0, 128,255)'], ['rgb(0,0,256)', 'rgb(0,0)']],
  ssn: [
    ['123-45-6789', '123 45 6789'],
    ['123456789', '12-345-6789'],
  ],
  unheardof: [['anything'], []],
};

test('formats take what the API server takes', () => {
  for (const [format, [taken, refused]] of Object.entries(CASES)) {
    for (const value of taken) assert.is(hasFormat(format, value), true, `${format}: ${value}`);
    for (const value of refused) assert.is(hasFormat(format, value), false, `${format}: ${value}`);
  }
});

test('the time of a check grows as the text does', () => {
  const heads = ['', 'a', '"', '<', 'a@', '#', 'rgb(', 'http://', '1.'];
  const parts = [
    '0',
    'a',
    ' ',
    '.',
    '-',
    ':',
    '"',
    '@',
    '%',
    '/',
    '+',
    '=',
    '\\',
    '<',
    '1 ',
    'a.',
    'a-',
    '1h',
    '@a',
    '0.',
    '0:',
  ];
  const ends = ['', '!', '@', '/8'];
  const hostile = heads.flatMap((head) =>
    parts.flatMap((part) => ends.map((end) => `${head}${part.repeat(LENGTH / part.length)}${end}`)),
  );
  for (const format of Object.keys(CASES).concat('k8s-long-name', 'k8s-short-name', 'bsonobjectid')) {
    const from = performance.now();
    for (const value of hostile) hasFormat(format, value);
    // All of them take some hundredths of it; one that took its square would take several times of it.
    const ms = performance.now() - from;
    assert.ok(ms < LONGEST_MS, `${format}: ${Math.round(ms)} ms`);
  }
});

test.run();
