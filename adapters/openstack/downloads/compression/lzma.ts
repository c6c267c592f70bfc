// The decoder of LZMA: symbols of a range coder become literals, and copies of what was decoded before.
//
// What it stands on: the LZMA specification of the LZMA SDK, in the public domain.
import { damaged } from './damaged.ts';
import type { Window } from './window.ts';

/** Probabilities are of 11 bits, and learn by a 32nd part of what they were wrong by. */
const HALF = 1 << 10;
const STATES = 12;
const POSITION_STATES = 16;
const LITERAL_PROBABILITIES = 0x300;
const MIN_MATCH = 2;
/** Positions of probabilities in one array. */
const IS_MATCH = 0;
const IS_REP = IS_MATCH + STATES * POSITION_STATES;
const IS_REP_0 = IS_REP + STATES;
const IS_REP_1 = IS_REP_0 + STATES;
const IS_REP_2 = IS_REP_1 + STATES;
const IS_LONG_REP_0 = IS_REP_2 + STATES;
const SLOT = IS_LONG_REP_0 + STATES * POSITION_STATES;
const SPECIAL = SLOT + 4 * 64;
const ALIGN = SPECIAL + 128;
/** Probabilities of a length: two choices, low and middle by position, high. */
const LENGTH = ALIGN + 16;
const LENGTH_SIZE = 2 + POSITION_STATES * 8 * 2 + 256;
const REP_LENGTH = LENGTH + LENGTH_SIZE;
const LITERAL = REP_LENGTH + LENGTH_SIZE;

const LOWEST = -2147483648;

export class LzmaDecoder {
  #probabilities = new Uint16Array(LITERAL);
  #literalContext = 0;
  #literalMask = 0;
  #positionMask = 0;
  #state = 0;
  #reps: [number, number, number, number] = [0, 0, 0, 0];
  #range = 0;
  #code = 0;
  #input: Uint8Array = new Uint8Array(0);
  #at = 0;

  /** Literal and position bits, packed into one byte as LZMA writes them. */
  setProperties(properties: number): void {
    const [literalContext, rest] = [properties % 9, Math.floor(properties / 9)];
    const [literalPosition, position] = [rest % 5, Math.floor(rest / 5)];
    // The second limit is that of LZMA2.
    if (position > 4 || literalContext + literalPosition > 4) throw damaged('its properties are none of LZMA');
    this.#literalContext = literalContext;
    this.#literalMask = (1 << literalPosition) - 1;
    this.#positionMask = (1 << position) - 1;
    const probabilities = LITERAL + (LITERAL_PROBABILITIES << (literalContext + literalPosition));
    if (this.#probabilities.length < probabilities) this.#probabilities = new Uint16Array(probabilities);
  }

  /** Forgets what was learned. */
  reset(): void {
    this.#probabilities.fill(HALF);
    this.#state = 0;
    this.#reps = [0, 0, 0, 0];
  }

  /** A new run of the range coder. @param input  all of it */
  begin(input: Uint8Array): void {
    if (input.length < 5 || input[0] !== 0) throw damaged('a part of it begins wrongly');
    this.#input = input;
    this.#range = -1;
    this.#code = new DataView(input.buffer, input.byteOffset).getInt32(1);
    this.#at = 5;
  }

  /** Whether the run was used up, neither more nor less. */
  isComplete(): boolean {
    this.#normalize();
    return this.#at === this.#input.length && this.#code === 0;
  }

  /** Decodes until the window has received this number of bytes; a copy may exceed it, up to `most`. */
  decode(window: Window, count: number, most: number): void {
    const end = window.written + count;
    const last = window.written + most;
    while (window.written < end) {
      const position = window.written & this.#positionMask;
      const context = this.#state * POSITION_STATES + position;
      if (this.#bit(IS_MATCH + context) === 0) {
        this.#literal(window);
        continue;
      }
      const length = this.#bit(IS_REP + this.#state) === 0 ? this.#match(position) : this.#repeat(window, position);
      if (length === 0) continue;
      if (window.written + length > last) throw damaged('a part of it is longer than it says');
      window.copy(this.#reps[0], length);
    }
    if (this.#at > this.#input.length) throw damaged('a part of it is shorter than it says');
  }

  #literal(window: Window): void {
    const literal = (window.written & this.#literalMask) << this.#literalContext;
    const context = literal + (window.last(0) >> (8 - this.#literalContext));
    const base = LITERAL + LITERAL_PROBABILITIES * context;
    let symbol = 1;
    if (this.#state >= 7) {
      let matched = window.last(this.#reps[0]);
      let offset = 0x100;
      while (symbol < 0x100) {
        matched <<= 1;
        const expected = matched & offset;
        const bit = this.#bit(base + offset + expected + symbol);
        symbol = (symbol << 1) | bit;
        offset &= bit === 0 ? ~matched : matched;
      }
    } else while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(base + symbol);
    window.put(symbol & 0xff);
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** A copy from a new distance. @returns its length */
  #match(position: number): number {
    const [rep0, rep1, rep2] = this.#reps;
    const length = this.#length(LENGTH, position);
    const slot = this.#tree(SLOT + Math.min(length - MIN_MATCH, 3) * 64, 6);
    this.#reps = [this.#distance(slot), rep0, rep1, rep2];
    this.#state = this.#state < 7 ? 7 : 10;
    return length;
  }

  #distance(slot: number): number {
    if (slot < 4) return slot;
    const direct = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) << direct;
    if (slot < 14) return base + this.#reverseTree(SPECIAL + base - slot, direct);
    const high = this.#direct(direct - 4) << 4;
    return (base + high + this.#reverseTree(ALIGN, 4)) >>> 0;
  }

  /** A copy from a distance that was used lately. @returns its length, 0 when it was done */
  #repeat(window: Window, position: number): number {
    const [rep0, rep1, rep2, rep3] = this.#reps;
    if (this.#bit(IS_REP_0 + this.#state) === 0) {
      if (this.#bit(IS_LONG_REP_0 + this.#state * POSITION_STATES + position) === 0) {
        this.#state = this.#state < 7 ? 9 : 11;
        window.copy(rep0, 1);
        return 0;
      }
    } else if (this.#bit(IS_REP_1 + this.#state) === 0) this.#reps = [rep1, rep0, rep2, rep3];
    else if (this.#bit(IS_REP_2 + this.#state) === 0) this.#reps = [rep2, rep0, rep1, rep3];
    else this.#reps = [rep3, rep0, rep1, rep2];
    const length = this.#length(REP_LENGTH, position);
    this.#state = this.#state < 7 ? 8 : 11;
    return length;
  }

  #length(base: number, position: number): number {
    if (this.#bit(base) === 0) return MIN_MATCH + this.#tree(base + 2 + position * 8, 3);
    const middle = base + 2 + POSITION_STATES * 8;
    if (this.#bit(base + 1) === 0) return MIN_MATCH + 8 + this.#tree(middle + position * 8, 3);
    return MIN_MATCH + 16 + this.#tree(middle + POSITION_STATES * 8, 8);
  }

  #tree(base: number, bits: number): number {
    let symbol = 1;
    for (let index = 0; index < bits; index++) symbol = (symbol << 1) | this.#bit(base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(base: number, bits: number): number {
    let [node, symbol] = [1, 0];
    for (let index = 0; index < bits; index++) {
      const bit = this.#bit(base + node);
      node = (node << 1) | bit;
      symbol |= bit << index;
    }
    return symbol;
  }

  #direct(bits: number): number {
    let value = 0;
    for (let index = 0; index < bits; index++) {
      this.#normalize();
      this.#range >>>= 1;
      const isOne = (this.#code ^ LOWEST) >= (this.#range ^ LOWEST);
      if (isOne) this.#code = (this.#code - this.#range) | 0;
      value = (value << 1) | (isOne ? 1 : 0);
    }
    return value;
  }

  #bit(index: number): 0 | 1 {
    this.#normalize();
    const probability = this.#probabilities[index] as number;
    const bound = Math.imul(this.#range >>> 11, probability);
    // Unsigned, by a shift of the origin.
    if ((this.#code ^ LOWEST) < (bound ^ LOWEST)) {
      this.#range = bound;
      this.#probabilities[index] = probability + ((2048 - probability) >>> 5);
      return 0;
    }
    this.#range = (this.#range - bound) | 0;
    this.#code = (this.#code - bound) | 0;
    this.#probabilities[index] = probability - (probability >>> 5);
    return 1;
  }

  #normalize(): void {
    if (this.#range >>> 24 !== 0) return;
    this.#range <<= 8;
    this.#code = (this.#code << 8) | (this.#input[this.#at++] ?? 0);
  }
}
