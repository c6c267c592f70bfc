// The recordings of the README: small enough, with nothing of the machine that made them; and what makes them.
import { readFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodePng, encodeApng, type Pixels } from './apng.ts';
import { svgOf, Terminal } from './terminal.ts';

const test = suite('recordings');

const RECORDINGS = ['deploy/demo.svg', 'deploy/page.png'] as const;
/** Size of both together, in bytes. */
const MOST_BYTES = 1_500_000;

function read(path: string): Buffer {
  return readFileSync(new URL(`../../${path}`, import.meta.url));
}

test('35.B: both are on the README with texts for people who do not see them, and small together', () => {
  const readme = read('README.md').toString('utf8');
  for (const path of RECORDINGS) {
    const [, alt = ''] = new RegExp(`!\\[([^\\]]+)\\]\\(${path}\\)`).exec(readme) ?? [];
    assert.ok(alt.length > 30, `${path}: '${alt}'`);
  }
  const bytes = RECORDINGS.reduce((sum, path) => sum + read(path).length, 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
});

test('35.B: they play without scripts, and hold no path and no name of a machine', () => {
  const svg = read('deploy/demo.svg').toString('utf8');
  assert.match(svg, /@keyframes/);
  assert.not.match(svg, /<script|href="(?!#)|https?:\/\/(?!www\.w3\.org|127\.0\.0\.1|localhost)/);
  const own = [hostname(), homedir(), tmpdir(), dirname(fileURLToPath(new URL('../..', import.meta.url)))];
  // A folder may be called like the beginning of a word.
  const isIn = (text: string): boolean =>
    svg
      .split(text)
      .slice(1)
      .some((rest) => !/^\w/.test(rest));
  for (const text of own.filter((each) => each.length > 4)) assert.not.ok(isIn(text), text);
  assert.not.match(svg, /\/(home|root|tmp|Users|work)\//);
});

test('a terminal redraws in place, clears lines and keeps styles', () => {
  const terminal = new Terminal(10, 4);
  terminal.write('one\n\x1b[32mtwo\x1b[0m three\nfour\n');
  terminal.write('\r\x1b[2A');
  terminal.write('\x1b[3');
  terminal.write('1m2\x1b[0m\x1b[K\n\x1b[J');
  assert.equal(terminal.lines(), [[{ text: 'one', style: '' }], [{ text: '2', style: '31' }], []]);
  for (let line = 0; line < 9; line++) terminal.write(`${line}\n`);
  assert.is(terminal.lines().length, 4);
});

test('a terminal continues in the next line where one is full', () => {
  const terminal = new Terminal(10, 4);
  terminal.write('0123456789ab\n');
  assert.equal(terminal.lines(), [[{ text: '0123456789', style: '' }], [{ text: 'ab', style: '' }], []]);
});

test('an animated drawing keeps each line once and escapes what is written', () => {
  const line = [{ text: '<a & "b">', style: '32' }];
  const svg = svgOf(
    [
      { lines: [line, line], atMs: 0 },
      { lines: [line], atMs: 500 },
    ],
    {
      columns: 20,
      rows: 4,
      label: 'x',
      lastMs: 500,
    },
  );
  assert.is(svg.match(/&lt;a &amp; &quot;b&quot;&gt;/g)?.length, 1);
  assert.is(svg.match(/<use /g)?.length, 3);
  assert.match(svg, /50\.00%\{/);
});

/** A PNG of one picture, as browsers write it. */
function png({ width, height, rgb }: Pixels): Buffer {
  const lines = Buffer.concat(
    Array.from({ length: height }, (_, y) =>
      Buffer.concat([Buffer.from([0]), Buffer.from(rgb.subarray(y * width * 3, (y + 1) * width * 3))]),
    ),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const part = (type: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length, 0);
    return Buffer.concat([head, Buffer.from(type), body, Buffer.alloc(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    part('IHDR', header),
    part('IDAT', deflateSync(lines)),
    part('IEND', Buffer.alloc(0)),
  ]);
}

test('an animated picture has a frame for each change, and only what has changed', () => {
  const one: Pixels = { width: 40, height: 30, rgb: new Uint8Array(40 * 30 * 3).fill(200) };
  assert.equal(decodePng(png(one)), one);
  const changed = new Uint8Array(one.rgb);
  changed.set([255, 0, 0], (10 * 40 + 7) * 3);
  const other: Pixels = { ...one, rgb: changed };
  const file = encodeApng([
    { pixels: one, delayMs: 100 },
    { pixels: one, delayMs: 100 },
    { pixels: other, delayMs: 300 },
  ]);
  const places = [...file.toString('latin1').matchAll(/fcTL/g)].map(({ index }) => index + 4);
  assert.is(places.length, 2, 'what is the same is one frame');
  const [first = 0, second = 0] = places;
  assert.is(file.readUInt16BE(first + 20), 200);
  assert.equal(
    [4, 8, 12, 16].map((offset) => file.readUInt32BE(second + offset)),
    [1, 1, 7, 10],
  );
});

test.run();
