// Compressed files that ask for much and hold little: they cost as much as what is in them, and let other work run meanwhile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crc32 } from '../../../adapters/openstack/downloads/compression/crc.ts';
import { type Compression, decompressed } from '../../../adapters/openstack/downloads/compression/mod.ts';

const test = suite('hostile compressed files');
/** Processor time of this process, in milliseconds. A buffer for each block, or all bytes for each, takes several times as long. */
const MOST_MS = 2_500;

function checkOf(bytes: Uint8Array): Uint8Array {
  const check = crc32();
  check.update(bytes);
  return check.digest();
}

const checked = (...bytes: number[]): number[] => [...bytes, ...checkOf(Uint8Array.from(bytes))];

/** As the format writes numbers: seven bits per byte, the lowest first. */
function numberOf(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberOf(Math.floor(value / 128))];
}

/** An .xz file of empty blocks, each with a dictionary of 64 MiB. @param listed  sizes of a block in the index: header and data */
function emptyBlocks(count: number, listed: (block: number) => number = () => 13): Buffer {
  const block = Buffer.from([...checked(2, 0, 0x21, 1, 28, 0, 0, 0), 0, 0, 0, 0]);
  const records = Array.from({ length: count }, (_, at) => [listed(at), 0]).flat();
  const body = [0, ...numberOf(count), ...records];
  while (body.length % 4 !== 0) body.push(0);
  const index = Buffer.concat([Uint8Array.from(body), checkOf(Uint8Array.from(body))]);
  const backward = Buffer.alloc(4);
  backward.writeUInt32LE(index.length / 4 - 1);
  const flags = [...backward, 0, 0];
  return Buffer.concat([
    Uint8Array.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 0]),
    checkOf(Uint8Array.of(0, 0)),
    ...Array<Buffer>(count).fill(block),
    index,
    checkOf(Uint8Array.from(flags)),
    Uint8Array.from([...flags, 0x59, 0x5a]),
  ]);
}

/** `a`, by `bzip2 -9`. */
const TINY_BZ2 = Buffer.from('QlpoOTFBWSZTWRmTm2sAAAABACAAIAAhGEaC7kinChIDMnNtYA==', 'base64');

interface Cost {
  readonly text: string;
  readonly processorMs: number;
  /** Turns of the event loop meanwhile, in which timers and sockets are served. */
  readonly turns: number;
}

async function costOf(format: Compression, file: Buffer): Promise<Cost> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  async function* atOnce(): AsyncGenerator<Uint8Array> {
    yield file;
  }
  const before = process.cpuUsage();
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of decompressed(format, atOnce())) pieces.push(piece);
  } finally {
    clearImmediate(next);
  }
  const { user, system } = process.cpuUsage(before);
  return { text: Buffer.concat(pieces).toString(), processorMs: (user + system) / 1_000, turns };
}

async function refusalOf(file: Buffer): Promise<string> {
  try {
    await costOf('xz', file);
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing failed';
}

test('empty blocks of xz cost no dictionary each, and other work runs between them (BYTE-READER-1)', async () => {
  const { text, processorMs, turns } = await costOf('xz', emptyBlocks(20_000));
  assert.is(text, '');
  assert.ok(processorMs < MOST_MS, `${processorMs} ms`);
  assert.ok(turns >= 10, `${turns} turns`);
});

test('tiny files of bzip2 in one cost no block each, and other work runs between them (BYTE-READER-1)', async () => {
  const { text, processorMs, turns } = await costOf('bz2', Buffer.concat(Array<Buffer>(15_000).fill(TINY_BZ2)));
  assert.is(text, 'a'.repeat(15_000));
  assert.ok(processorMs < MOST_MS, `${processorMs} ms`);
  assert.ok(turns >= 50, `${turns} turns`);
});

test('padding of xz lets other work run (BYTE-READER-1)', async () => {
  const { turns } = await costOf('xz', Buffer.concat([emptyBlocks(1), Buffer.alloc(1 << 18)]));
  assert.ok(turns >= 4, `${turns} turns`);
});

test('an index of xz lists the blocks of the file: their number, and the sizes of each', async () => {
  assert.is((await costOf('xz', emptyBlocks(300))).text, '');
  const other = /its index is that of other blocks$/;
  assert.match(await refusalOf(emptyBlocks(300, (block) => (block === 299 ? 14 : 13))), other);
  assert.match(await refusalOf(emptyBlocks(2, (block) => 12 + block)), other);
});

test.run();
