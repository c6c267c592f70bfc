// Reads the .xz format: streams of blocks, each compressed with LZMA2 and followed by a check.
//
// What it does not do: filters before LZMA2 (BCJ, delta), which are for executables; it refuses them, and dictionaries beyond
// what `xz -9` makes. What it stands on: "The .xz File Format", version 1.2.1, in the public domain.
import { createHash } from 'node:crypto';
import { ByteReader } from './byte-reader.ts';
import { type Check, crc32, crc64 } from './crc.ts';
import { damaged } from './damaged.ts';
import { LzmaDecoder } from './lzma.ts';
import { Window } from './window.ts';

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const FOOTER_MAGIC = [0x59, 0x5a];
const LZMA2 = 0x21;
/** That of `xz -9`, in bytes: what one decompression takes at most. */
const LARGEST_DICTIONARY = 64 << 20;
const SMALLEST_WINDOW = 1 << 16;
/** Decoded at a time. */
const PIECE = 1 << 15;
/** Work of a decoder that forgets, in decoded bytes that take as long. */
const RESET_WORK = 1 << 9;

/** The kinds of checks that files have, and how long each is; those without a maker are not compared. */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];
const CHECKS: Readonly<Record<number, () => Check>> = { 1: crc32, 4: crc64, 10: sha256 };

export async function* unxz(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(chunks);
  const scratch = { window: new Window(), decoder: new LzmaDecoder() };
  try {
    do yield* stream(reader, scratch);
    while (await isFollowed(reader));
  } finally {
    await reader.close();
  }
}

/** Memory that all blocks of a file use, one after another. */
interface Scratch {
  readonly window: Window;
  readonly decoder: LzmaDecoder;
}

/** Sizes of a block, which the index repeats. */
interface Sizes {
  readonly unpadded: number;
  readonly uncompressed: number;
}

/** Sizes of all blocks as their number and a digest: a file may have any number of empty ones. */
class SizesDigest {
  readonly #hash = createHash('sha256');
  count = 0;

  add({ unpadded, uncompressed }: Sizes): void {
    this.count++;
    // mutant: index-of-other-blocks drop
    this.#hash.update(`${unpadded} ${uncompressed}\n`);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

async function* stream(reader: ByteReader, scratch: Scratch): AsyncGenerator<Uint8Array> {
  const head = (await reader.take(12)).slice();
  if (!MAGIC.every((byte, index) => head[index] === byte)) throw damaged('it is no xz file');
  const flags = head.subarray(6, 8);
  mustEqual(head.subarray(8), checkOf(crc32(), flags));
  const kind = flags[1] as number;
  if (flags[0] !== 0 || kind > 15) throw damaged('it is of a newer form of xz');
  const blocks = new SizesDigest();
  for (;;) {
    const size = await reader.byte();
    if (size === 0) break;
    blocks.add(yield* block(reader, scratch, (size + 1) * 4, kind));
  }
  const indexBytes = await index(reader, blocks);
  const footer = await reader.take(12);
  mustEqual(footer.subarray(0, 4), checkOf(crc32(), footer.subarray(4, 10)));
  const backward = (new DataView(footer.buffer, footer.byteOffset).getUint32(4, true) + 1) * 4;
  const isWhole = FOOTER_MAGIC.every((byte, at) => footer[10 + at] === byte) && backward === indexBytes;
  if (!isWhole || footer[8] !== 0 || footer[9] !== kind) throw damaged('it ends wrongly');
}

async function* block(
  reader: ByteReader,
  scratch: Scratch,
  headSize: number,
  kind: number,
): AsyncGenerator<Uint8Array, Sizes> {
  const head = Uint8Array.of(headSize / 4 - 1, ...(await reader.take(headSize - 1)));
  mustEqual(head.subarray(headSize - 4), checkOf(crc32(), head.subarray(0, headSize - 4)));
  const said = parseHead(head.subarray(1, headSize - 4));
  scratch.window.begin(Math.max(said.dictionary, SMALLEST_WINDOW));
  const check = CHECKS[kind]?.();
  const data = lzma2(reader, scratch);
  let uncompressed = 0;
  let compressed = 0;
  for (;;) {
    const { done, value } = await data.next();
    if (done) {
      compressed = value;
      break;
    }
    check?.update(value);
    uncompressed += value.length;
    yield value;
  }
  for (const byte of await reader.take((4 - (compressed % 4)) % 4)) if (byte !== 0) throw damaged('its padding is not');
  const stored = await reader.take(CHECK_SIZES[kind] as number);
  if (check !== undefined) mustEqual(stored, check.digest());
  if ((said.compressed ?? compressed) !== compressed || (said.uncompressed ?? uncompressed) !== uncompressed)
    throw damaged('a block is not as long as it says');
  return { unpadded: headSize + compressed + (CHECK_SIZES[kind] as number), uncompressed };
}

interface BlockHead {
  readonly dictionary: number;
  readonly compressed: number | undefined;
  readonly uncompressed: number | undefined;
}

function parseHead(bytes: Uint8Array): BlockHead {
  const fields = new Fields(bytes);
  const flags = fields.byte();
  const compressed = flags & 0x40 ? fields.number() : undefined;
  const uncompressed = flags & 0x80 ? fields.number() : undefined;
  if ((flags & 0x3f) !== 0 || fields.number() !== LZMA2 || fields.number() !== 1)
    throw damaged('it uses filters of xz other than LZMA2');
  const bits = fields.byte();
  const dictionary = bits > 40 ? Number.NaN : 2 ** Math.floor(bits / 2) * (2 + (bits & 1)) * 2048;
  if (!(dictionary <= LARGEST_DICTIONARY)) throw damaged('its dictionary is larger than that of xz -9');
  if (!fields.isPadding()) throw damaged('it is of a newer form of xz');
  return { dictionary, compressed, uncompressed };
}

/** Chunks until one that ends it. @returns how many bytes they were */
async function* lzma2(reader: ByteReader, { window, decoder }: Scratch): AsyncGenerator<Uint8Array, number> {
  let compressed = 0;
  let needs: 'dictionary' | 'properties' | 'nothing' = 'dictionary';
  for (;;) {
    const control = await reader.byte();
    compressed++;
    if (control === 0) return compressed;
    const isReset = control === 1 || control >= 0xe0;
    if (isReset) {
      window.forget();
      needs = 'properties';
    } else if (needs === 'dictionary') throw damaged('it begins without a dictionary');
    if (control < 0x80) {
      if (control > 2) throw damaged('a part of it is of no kind');
      const size = uint16(await reader.take(2)) + 1;
      compressed += 2 + size;
      for (const byte of await reader.take(size)) window.put(byte);
      yield window.take();
      continue;
    }
    const sizes = await reader.take(4);
    const uncompressed = ((control & 0x1f) << 16) + uint16(sizes) + 1;
    const size = uint16(sizes.subarray(2)) + 1;
    const reset = (control >> 5) & 3;
    if (reset >= 2) decoder.setProperties(await reader.byte());
    if (reset >= 2 || (reset === 1 && needs === 'nothing')) {
      await reader.spend(RESET_WORK);
      decoder.reset();
    } else if (needs !== 'nothing') throw damaged('it continues a block that it did not begin');
    needs = 'nothing';
    compressed += 4 + (reset >= 2 ? 1 : 0) + size;
    decoder.begin(await reader.take(size));
    for (let left = uncompressed; left > 0; ) {
      const before = window.written;
      decoder.decode(window, Math.min(PIECE, left), left);
      left -= window.written - before;
      await reader.spend(window.written - before);
      yield window.take();
    }
    if (!decoder.isComplete()) throw damaged('a part of it is longer than it says');
  }
}

/** @returns how many bytes it was */
async function index(reader: ByteReader, blocks: SizesDigest): Promise<number> {
  const check = crc32();
  let length = 1;
  check.update(Uint8Array.of(0));
  const byte = async (): Promise<number> => {
    const taken = await reader.take(1);
    check.update(taken);
    length++;
    return taken[0] as number;
  };
  const number = async (): Promise<number> => {
    const bytes: number[] = [];
    do bytes.push(await byte());
    while ((bytes.at(-1) as number) >= 0x80 && bytes.length < 9);
    return numberOf(bytes);
  };
  if ((await number()) !== blocks.count) throw damaged('its index is that of other blocks');
  const listed = new SizesDigest();
  while (listed.count < blocks.count) listed.add({ unpadded: await number(), uncompressed: await number() });
  if (listed.digest() !== blocks.digest()) throw damaged('its index is that of other blocks');
  while (length % 4 !== 0) if ((await byte()) !== 0) throw damaged('its padding is not');
  mustEqual(await reader.take(4), check.digest());
  return length + 4;
}

/** Several streams may follow each other, with zeros between them. */
async function isFollowed(reader: ByteReader): Promise<boolean> {
  while (!(await reader.isAtEnd())) {
    if (reader.held[0] !== 0) return true;
    for (const byte of await reader.take(4)) if (byte !== 0) throw damaged('its padding is not');
  }
  return false;
}

class Fields {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  number(): number {
    const end = this.#bytes.findIndex((byte, at) => at >= this.#at && byte < 0x80) + 1;
    const bytes = this.#bytes.subarray(this.#at, Math.max(end, this.#at));
    this.#at += bytes.length;
    return numberOf([...bytes]);
  }

  isPadding(): boolean {
    return this.#bytes.subarray(this.#at).every((byte) => byte === 0);
  }
}

/** Seven bits a byte, the lowest first. */
function numberOf(bytes: readonly number[]): number {
  const value = bytes.reduce((sum, byte, at) => sum + (byte & 0x7f) * 2 ** (7 * at), 0);
  const isWhole = bytes.length > 0 && bytes.length <= 9 && (bytes.at(-1) as number) < 0x80;
  if (!isWhole || !Number.isSafeInteger(value)) throw damaged('a number of it is none');
  return value;
}

function uint16(bytes: Uint8Array): number {
  return ((bytes[0] as number) << 8) | (bytes[1] as number);
}

function checkOf(check: Check, bytes: Uint8Array): Uint8Array {
  check.update(bytes);
  return check.digest();
}

function mustEqual(stored: Uint8Array, found: Uint8Array): void {
  if (Buffer.compare(stored, found) !== 0) throw damaged('its checksum is another one');
}

function sha256(): Check {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}
