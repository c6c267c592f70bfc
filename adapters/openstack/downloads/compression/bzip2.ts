// Reads the .bz2 format: blocks that were sorted (Burrows and Wheeler), moved to front and coded (Huffman).
//
// What it does not do: blocks that are `randomised`, which nothing has written since 1999.
import { ByteReader } from './byte-reader.ts';
import { crc32OfBzip2 } from './crc.ts';
import { damaged } from './damaged.ts';

const BLOCK = 0x314159265359;
const END = 0x177245385090;
/** Bytes of a block, as one of the largest is coded at worst: 20 bits a symbol, and its tables. */
const LARGEST_CODED = 2_400_000;
const GROUP_SYMBOLS = 50;
const LONGEST_CODE = 20;
const MOST_SELECTORS = 18_002;
/** Handed on at a time. */
const PIECE = 1 << 16;
/** Symbols decoded between two checks of the work done. */
const SYMBOLS_AT_ONCE = 1 << 16;
/** Work of a block, however little is in it: its codes take most. In decoded bytes that take as long. */
const BLOCK_WORK = 1 << 12;

export async function* bunzip2(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(chunks);
  const scratch: Scratch = { block: new Uint8Array(0), piece: new Uint8Array(PIECE) };
  try {
    do yield* stream(reader, scratch);
    while (!(await reader.isAtEnd()));
  } finally {
    await reader.close();
  }
}

/** Memory that all blocks of a file use, one after another: a file may have any number of tiny ones. */
interface Scratch {
  /** Room for the largest block of the streams so far. */
  block: Uint8Array;
  /** Output that is not handed on yet. */
  piece: Uint8Array<ArrayBuffer>;
}

async function* stream(reader: ByteReader, scratch: Scratch): AsyncGenerator<Uint8Array> {
  const [b, z, h, level = 0] = await reader.take(4);
  if (b !== 0x42 || z !== 0x5a || h !== 0x68 || level < 0x31 || level > 0x39) throw damaged('it is no bz2 file');
  const most = (level - 0x30) * 100_000;
  // mutant: bzip2-buffer-per-stream if -> true
  if (scratch.block.length < most) scratch.block = new Uint8Array(most);
  let shift = 0;
  let combined = 0;
  for (;;) {
    await reader.hold(LARGEST_CODED);
    const bits = new Bits(reader.held, shift);
    const magic = bits.take(24) * 2 ** 24 + bits.take(24);
    const stored = bits.take(16) * 2 ** 16 + bits.take(16);
    if (magic === END) {
      if (stored !== combined >>> 0) throw damaged('its checksum is another one');
      // The rest of the last byte is padding.
      reader.skip(Math.ceil(bits.position / 8));
      return;
    }
    if (magic !== BLOCK) throw damaged('a block of it begins wrongly');
    await reader.spend(BLOCK_WORK);
    const sorted = await decoded(reader, bits, scratch.block.subarray(0, most));
    const check = yield* unsorted(reader, sorted, scratch);
    if (check >>> 0 !== stored) throw damaged('its checksum is another one');
    combined = ((combined << 1) | (combined >>> 31)) ^ check;
    reader.skip(Math.floor(bits.position / 8));
    shift = bits.position % 8;
  }
}

/** The bytes of a block in the order in which they were sorted, and where the first one is. */
interface Sorted {
  readonly bytes: Uint8Array;
  readonly first: number;
}

/** @param bytes  room for the block */
async function decoded(reader: ByteReader, bits: Bits, bytes: Uint8Array): Promise<Sorted> {
  const most = bytes.length;
  if (bits.take(1) === 1) throw damaged('it is randomised, as nothing writes it any more');
  const first = bits.take(24);
  const alphabet = alphabetOf(bits);
  const symbols = alphabet.length + 2;
  const [tables, selectors] = tablesOf(bits, symbols);
  const front = alphabet;
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let position = 0; ; position++) {
    if (position % SYMBOLS_AT_ONCE === SYMBOLS_AT_ONCE - 1) await reader.spend(SYMBOLS_AT_ONCE);
    const selector = selectors[Math.floor(position / GROUP_SYMBOLS)];
    if (selector === undefined) throw damaged('a block of it has no end');
    const symbol = (tables[selector] as Code).next(bits);
    if (symbol < 2) {
      // A run, as digits 1 and 2 of a number to the base 2.
      run += weight * (symbol + 1);
      weight *= 2;
      if (run > most) throw damaged('a block of it is longer than it says');
      continue;
    }
    if (length + run + (symbol === symbols - 1 ? 0 : 1) > most) throw damaged('a block of it is longer than it says');
    bytes.fill(front[0] as number, length, length + run);
    length += run;
    [run, weight] = [0, 1];
    if (symbol === symbols - 1) break;
    const byte = front[symbol - 1] as number;
    front.copyWithin(1, 0, symbol - 1);
    front[0] = byte;
    bytes[length++] = byte;
  }
  if (first >= length) throw damaged('a block of it begins nowhere');
  return { bytes: bytes.subarray(0, length), first };
}

/** The bytes that occur. */
function alphabetOf(bits: Bits): Uint8Array {
  const ranges = bits.take(16);
  const bytes: number[] = [];
  for (let range = 0; range < 16; range++) {
    if ((ranges & (0x8000 >> range)) === 0) continue;
    const some = bits.take(16);
    for (let low = 0; low < 16; low++) if ((some & (0x8000 >> low)) !== 0) bytes.push(range * 16 + low);
  }
  if (bytes.length === 0) throw damaged('a block of it is empty');
  return Uint8Array.from(bytes);
}

/** The codes of a block, and which of them is used when. */
function tablesOf(bits: Bits, symbols: number): readonly [readonly Code[], Uint8Array] {
  const count = bits.take(3);
  const selected = bits.take(15);
  if (count < 2 || count > 6 || selected < 1) throw damaged('a block of it has no codes');
  const front = [0, 1, 2, 3, 4, 5].slice(0, count);
  const selectors = new Uint8Array(Math.min(selected, MOST_SELECTORS));
  for (let index = 0; index < selected; index++) {
    let place = 0;
    while (place < count && bits.take(1) === 1) place++;
    const [selector] = front.splice(place, 1);
    if (selector === undefined) throw damaged('a code of it is none');
    front.unshift(selector);
    // Some writers state more than are needed.
    if (index < selectors.length) selectors[index] = selector;
  }
  const codes = Array.from({ length: count }, () => {
    const lengths = new Uint8Array(symbols);
    let length = bits.take(5);
    for (let symbol = 0; symbol < symbols; symbol++) {
      while (bits.take(1) === 1) {
        length += bits.take(1) === 1 ? -1 : 1;
        if (length < 1 || length > LONGEST_CODE) throw damaged('a code of it is none');
      }
      lengths[symbol] = length;
    }
    return new Code(lengths);
  });
  return [codes, selectors];
}

/** A canonical Huffman code. */
class Code {
  /** Last code of each length, and the offset from a code to the index of its symbol. */
  readonly #limits = new Int32Array(LONGEST_CODE + 2).fill(-1);
  readonly #offsets = new Int32Array(LONGEST_CODE + 2);
  readonly #symbols: Uint16Array;
  #shortest = LONGEST_CODE;

  constructor(lengths: Uint8Array) {
    this.#symbols = new Uint16Array(lengths.length);
    let code = 0;
    let place = 0;
    for (let length = 1; length <= LONGEST_CODE; length++) {
      this.#offsets[length] = place - code;
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== length) continue;
        this.#symbols[place++] = symbol;
        this.#limits[length] = code++;
        this.#shortest = Math.min(this.#shortest, length);
      }
      code *= 2;
    }
  }

  next(bits: Bits): number {
    let length = this.#shortest;
    let code = bits.take(length);
    while (code > (this.#limits[length] as number)) {
      if (length === LONGEST_CODE) throw damaged('a code of it is none');
      code = code * 2 + bits.take(1);
      length++;
    }
    return this.#symbols[code + (this.#offsets[length] as number)] as number;
  }
}

/** Brings a block into its order again, and takes its first compression off, of runs. @returns its check */
async function* unsorted(
  reader: ByteReader,
  { bytes, first }: Sorted,
  scratch: Scratch,
): AsyncGenerator<Uint8Array, number> {
  await reader.spend(bytes.length);
  const starts = new Int32Array(256);
  for (const byte of bytes) starts[byte] = (starts[byte] as number) + 1;
  for (let byte = 0, sum = 0; byte < 256; byte++) {
    const count = starts[byte] as number;
    starts[byte] = sum;
    sum += count;
  }
  // Each entry: where the byte after this one is.
  const next = new Int32Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    next[starts[byte] as number] = at;
    starts[byte] = (starts[byte] as number) + 1;
  }
  let check = -1;
  let out = scratch.piece;
  let length = 0;
  let at = next[first] as number;
  let same = 0;
  let before = -1;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[at] as number;
    at = next[at] as number;
    // After four of a kind comes how many more there are.
    let count = 1;
    let value = byte;
    if (same === 4) {
      [count, value, same] = [byte, before, 0];
      before = -1;
    } else {
      same = byte === before ? same + 1 : 1;
      before = byte;
    }
    for (; count > 0; count--) {
      check = crc32OfBzip2(check, value);
      out[length++] = value;
      if (length < PIECE) continue;
      // The consumer keeps the piece.
      scratch.piece = new Uint8Array(PIECE);
      await reader.spend(PIECE);
      yield out;
      out = scratch.piece;
      length = 0;
    }
  }
  await reader.spend(length);
  if (length > 0) yield out.slice(0, length);
  return ~check;
}

/** Bits of bytes, the highest first. */
class Bits {
  readonly #bytes: Uint8Array;
  /** In bits. */
  position: number;

  constructor(bytes: Uint8Array, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  /** At most 24. */
  take(count: number): number {
    const at = this.position >>> 3;
    const bytes = this.#bytes;
    const word =
      ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    const end = this.position + count;
    if (end > bytes.length * 8) throw damaged('it ends too early');
    const value = count === 0 ? 0 : (word << (this.position & 7)) >>> (32 - count);
    this.position = end;
    return value;
  }
}
