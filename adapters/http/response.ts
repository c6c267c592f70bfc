// Reads the answer to one request, as much of it as the limits and the memory of the process allow.
//
// Invariants:
//   HTTP-RESPONSE-1. Nothing is parsed that is longer, deeper or heavier than the limits, or that memory was not held for.
//   HTTP-RESPONSE-2. An answer that is over a limit is read no further.
//   HTTP-RESPONSE-3. Brackets and commas inside of strings count for nothing, wherever the text is cut into chunks.
//   HTTP-RESPONSE-4. The weight is no less than what V8 keeps for text and values together, members of one huge object aside (0.8 of it).
//   HTTP-RESPONSE-5. All memory that is held in the process for reading never exceeds the whole.
//   HTTP-RESPONSE-6. No owner of a reservation (its namespace, its system) ever gets more than the remaining
//       part: a single owner has half, each of `n` owners the (n + 1)th part, and as much stays free for the next
//       owner.
//   HTTP-RESPONSE-7. What is released is free again, however the call ended.
import { TransientError, UnknownOutcomeError } from '../../bus/errors.ts';
import type { Body } from './undici.ts';

/** Expected size of a response: one resource (or a token), or a page of a list. */
export type Extent = 'one' | 'page';

interface Limit {
  /** Length of the text. */
  readonly bytes: number;
  /** Memory for text and values, see `AnswerScan.weight`. */
  readonly weight: number;
  /** For people. */
  readonly what: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** A page, and all pages of a list together: some 10 000 networks. */
export const LIST_LIMIT: Limit = { bytes: 16 * MIB, weight: 48 * MIB, what: 'a list' };
const LIMITS: Readonly<Record<Extent, Limit>> = {
  one: { bytes: MIB, weight: 8 * MIB, what: 'one resource' },
  page: LIST_LIMIT,
};
const REFUSAL_LIMIT: Limit = { bytes: 64 * KIB, weight: MIB, what: 'a refusal' };
/** Services nest half a dozen. */
const DEEPEST = 64;
/** First size of the buffer that an answer is gathered in. */
const FIRST_BYTES = 4 * KIB;

/** Response that is too large to be read. The request may have taken effect all the same. */
export class OversizeError extends UnknownOutcomeError {
  override name = 'OversizeError';
}

export interface Reading {
  readonly label: string;
  readonly extent: Extent;
  readonly holding: Holding;
}

/**
 * Gathers the answer to a request. Its `add` throws {OversizeError} if it is over a limit, {UnknownOutcomeError} if there is no memory
 * for it now.
 */
export function limitedBody({ label, extent, holding }: Reading): (status: number) => Body {
  return (status) => {
    const limit = status < 400 ? LIMITS[extent] : REFUSAL_LIMIT;
    const scan = new AnswerScan();
    // Copied together: a chunk may be one byte, and costs a hundred.
    let text = Buffer.alloc(0);
    let held = 0;
    return {
      add(chunk) {
        const size = scan.bytes;
        scan.read(chunk);
        checkLimits(scan, limit, `${label} answered ${status}`);
        try {
          // mutant: answer-memory-unasked drop
          holding.grow(scan.weight - held);
        } catch (error) {
          throw unread(label, error);
        }
        held = scan.weight;
        if (scan.bytes > text.length) text = grown(text, size, scan.bytes);
        chunk.copy(text, size);
      },
      text: () => text.toString('utf8', 0, scan.bytes),
    };
  };
}

/** Throws where pages that were read so far make too long a list. */
export class ListExtent {
  #length = 0;
  #pages = 0;

  /** @param textLength  of one more page */
  add(label: string, textLength: number): void {
    this.#length += textLength;
    this.#pages++;
    if (this.#length > LIST_LIMIT.bytes) {
      throw new OversizeError(
        `${label} answered with pages of more than ${sizeOf(LIST_LIMIT.bytes)} together${ADVICE}`,
      );
    }
    if (this.#pages >= MOST_PAGES)
      throw new OversizeError(`${label} answered with more than ${MOST_PAGES} pages${ADVICE}`);
  }
}

const MOST_PAGES = 1_000;

const ADVICE = ': narrow down what is asked for, and see whether what answers is the service';

function checkLimits({ bytes, weight, depth }: AnswerScan, limit: Limit, said: string): void {
  if (bytes > limit.bytes)
    throw new OversizeError(`${said} with more than ${sizeOf(limit.bytes)} for ${limit.what}${ADVICE}`);
  if (weight > limit.weight) throw new OversizeError(`${said} with too many values for ${limit.what}${ADVICE}`);
  // mutant: answer-depth if -> false
  if (depth > DEEPEST) throw new OversizeError(`${said} with JSON nested deeper than ${DEEPEST} levels${ADVICE}`);
}

function sizeOf(bytes: number): string {
  return bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / KIB} KiB`;
}

/** As it was sent, so it may be done. */
function unread(label: string, error: unknown): unknown {
  if (!(error instanceof TransientError)) return error;
  const { message, retryAfterMs } = error;
  return new UnknownOutcomeError(`${label} was not read: ${message}`, { cause: error, retryAfterMs });
}

function grown(old: Buffer<ArrayBuffer>, used: number, needed: number): Buffer<ArrayBuffer> {
  const size = Math.max(FIRST_BYTES, needed, old.length * 2);
  const buffer = Buffer.allocUnsafeSlow(size);
  old.copy(buffer, 0, 0, used);
  return buffer;
}

/** Memory for the text itself: a byte may become two, and is kept until the text is parsed. */
const BYTE_WEIGHT = 2;
/** Heap bytes a value, and more of an object; measured with `{"900":0}` and objects of ever new members, the dearest. */
const VALUE_WEIGHT = 48;
const OBJECT_WEIGHT = 96;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export class AnswerScan {
  #bytes = 0;
  #values = 0;
  #objects = 0;
  #depth = 0;
  #deepest = 0;
  #isString = false;
  #isEscaped = false;

  get bytes(): number {
    return this.#bytes;
  }

  /** Levels of arrays and objects in one another, at the deepest place so far. */
  get depth(): number {
    return this.#deepest;
  }

  /** Estimated bytes of memory. */
  get weight(): number {
    return this.#bytes * BYTE_WEIGHT + this.#values * VALUE_WEIGHT + this.#objects * OBJECT_WEIGHT;
  }

  read(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (const byte of chunk) {
      if (this.#isString) this.#inString(byte);
      else this.#outside(byte);
    }
  }

  #inString(byte: number): void {
    // mutant: answer-brackets-in-names if#3 -> true
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isString = false;
  }

  #outside(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#isString = true;
        return;
      case COMMA:
        this.#values++;
        return;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#values++;
        if (byte === OPEN_OBJECT) this.#objects++;
        this.#depth++;
        this.#deepest = Math.max(this.#deepest, this.#depth);
        return;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#depth--;
        return;
    }
  }
}

/** Memory that is reserved for one call, or one list with all its pages. */
export interface Holding {
  /** Reserves this much more, in bytes. @throws {TransientError} it is not available now */
  grow(bytes: number): void;
  /** Changes the reservation to this size, in bytes. @throws {TransientError} as `grow` */
  hold(bytes: number): void;
  /** Gives it all back. A second call does nothing. */
  release(): void;
}

/** A pod has 512 MiB (deploy/chart), of which V8 takes 256 for objects; in bytes. */
const WHOLE = 96 * 1024 * 1024;

export class AnswerMemory {
  readonly #whole: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(whole = WHOLE) {
    this.#whole = whole;
  }

  /** @param owners  by whom it is held; each has a share of its own */
  open(owners: readonly string[]): Holding {
    let held = 0;
    let isOpen = true;
    const grow = (bytes: number): void => {
      if (!isOpen) throw new Error('this holding was released');
      const left = this.#whole - this.#used - bytes;
      // mutant: answer-memory-of-one drop
      for (const owner of owners) if ((this.#held.get(owner) ?? 0) + bytes > left) throw busy();
      if (left < 0) throw busy();
      held += bytes;
      this.#add(owners, bytes);
    };
    return {
      grow,
      hold: (bytes) => {
        if (bytes > held) return grow(bytes - held);
        this.#add(owners, bytes - held);
        held = bytes;
      },
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#add(owners, -held);
      },
    };
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.#used;
  }

  #add(owners: readonly string[], bytes: number): void {
    this.#used += bytes;
    for (const owner of owners) {
      const held = (this.#held.get(owner) ?? 0) + bytes;
      if (held === 0) this.#held.delete(owner);
      else this.#held.set(owner, held);
    }
  }
}

/** Without `retryAfterMs`, which would delay all callers of the same system. */
function busy(): TransientError {
  return new TransientError('it takes more memory than is free for it now; see whether what answers is the service');
}
