// Executables of Windows, on one that is made up: two sections, a signature behind them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageAligned, unsigned } from '../../deploy/windows-image.ts';

const test = suite('images of Windows');

const PE = 0x80;
const OPTIONAL = PE + 24;
const OPTIONAL_BYTES = 240;
const SECTIONS = OPTIONAL + OPTIONAL_BYTES;
const TEXT = 'the code'.repeat(70);
const DATA = 'the data'.repeat(700);
const SIGNATURE = Buffer.alloc(40, 's');

/** Sections begin at multiples of 512 bytes; the third has nothing in the file. */
function image(): Buffer {
  const headers = Buffer.alloc(1_024);
  headers.writeUInt32LE(PE, 0x3c);
  headers.write('PE\0\0', PE, 'latin1');
  headers.writeUInt16LE(3, PE + 6);
  headers.writeUInt16LE(OPTIONAL_BYTES, PE + 20);
  headers.writeUInt16LE(0x20b, OPTIONAL);
  headers.writeUInt32LE(512, OPTIONAL + 36);
  headers.writeUInt32LE(headers.length, OPTIONAL + 60);
  headers.writeUInt32LE(4_711, OPTIONAL + 64);
  const parts = [headers, padded(TEXT), padded(DATA)];
  const offsets = [headers.length, headers.length + (parts[1]?.length ?? 0), 0];
  for (const [index, offset] of offsets.entries()) {
    headers.writeUInt32LE(offset === 0 ? 0 : (parts[index + 1]?.length ?? 0), SECTIONS + 40 * index + 16);
    headers.writeUInt32LE(offset, SECTIONS + 40 * index + 20);
  }
  const end = parts.reduce((sum, { length }) => sum + length, 0);
  headers.writeUInt32LE(end, OPTIONAL + 144);
  headers.writeUInt32LE(SIGNATURE.length, OPTIONAL + 148);
  return Buffer.concat([...parts, SIGNATURE]);
}

function padded(text: string): Buffer {
  const part = Buffer.alloc(Math.ceil(text.length / 512) * 512);
  part.write(text);
  return part;
}

/** What is in the file for each section. */
function contents(bytes: Buffer): { readonly offset: number; readonly text: string }[] {
  return [0, 1, 2].map((index) => {
    const size = bytes.readUInt32LE(SECTIONS + 40 * index + 16);
    const offset = bytes.readUInt32LE(SECTIONS + 40 * index + 20);
    return { offset, text: bytes.toString('latin1', offset, offset + size).replace(/\0+$/, '') };
  });
}

test('a signature is taken off, with what points to it and the sum over everything', () => {
  const signed = image();
  const bytes = unsigned(signed);
  assert.is(bytes.length, signed.length - SIGNATURE.length);
  assert.equal(
    [144, 148, 64].map((field) => bytes.readUInt32LE(OPTIONAL + field)),
    [0, 0, 0],
  );
  assert.equal(contents(bytes), contents(signed));
  assert.equal(unsigned(bytes), bytes, 'there is none any more');
  assert.is(signed.readUInt32LE(OPTIONAL + 64), 4_711, 'what it was made of is as it was');
});

test('sections begin at pages, and have what they had', () => {
  const bytes = pageAligned(unsigned(image()));
  assert.equal(contents(bytes), [
    { offset: 4_096, text: TEXT },
    { offset: 8_192, text: DATA },
    { offset: 0, text: '' },
  ]);
  assert.equal(
    [36, 60].map((field) => bytes.readUInt32LE(OPTIONAL + field)),
    [4_096, 4_096],
  );
  assert.is(bytes.length, 16_384);
});

test('what is no such image is refused', () => {
  const other = image();
  other.writeUInt16LE(0x10b, OPTIONAL);
  assert.throws(() => unsigned(other), 'this is no executable of Windows x64');
  assert.throws(() => unsigned(Buffer.concat([image(), Buffer.from('more')])), 'not at the end');
});

test.run();
