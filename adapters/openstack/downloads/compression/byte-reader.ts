// Reader of bytes from chunks: a number of bytes at once, or one by one.
//
// Invariants:
//   BYTE-READER-1. Other work of the process runs after WORK_PER_TURN, however little of a file asks for it: promises alone do not
//       let timers and sockets through.
import { damaged } from './damaged.ts';

/** Work between two turns of the event loop, in decoded bytes or what takes as long: some milliseconds. */
const WORK_PER_TURN = 1 << 18;
/** Work of taking bytes, however few. */
const TAKE_WORK = 32;

export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);
  #at = 0;
  #isEnded = false;
  #work = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Bytes that are held, and not taken yet. They are good until the next call of another method. */
  get held(): Uint8Array {
    return this.#held.subarray(this.#at);
  }

  /** Buffers this number of bytes, or all that are left. @returns whether there are that many */
  async hold(count: number): Promise<boolean> {
    const isHeld = this.#held.length - this.#at >= count;
    // mutant: end-held-again ||.2 -> false
    if (isHeld || this.#isEnded) return isHeld;
    const parts: Uint8Array[] = [this.held];
    let length = this.held.length;
    while (length < count && !this.#isEnded) {
      const { done, value } = await this.#chunks.next();
      if (done) this.#isEnded = true;
      else {
        parts.push(value);
        length += value.length;
      }
    }
    this.#held = Buffer.concat(parts, length);
    this.#at = 0;
    return length >= count;
  }

  /** Takes what is held. */
  skip(count: number): void {
    this.#at += count;
  }

  /** Takes this number of bytes. @throws {TransientError} there are fewer */
  async take(count: number): Promise<Uint8Array> {
    await this.spend(TAKE_WORK + count);
    if (!(await this.hold(count))) throw damaged('it ends too early');
    const taken = this.#held.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  async byte(): Promise<number> {
    const [byte = 0] = await this.take(1);
    return byte;
  }

  /** Counts work, and lets other work of the process run when it was enough. */
  async spend(work: number): Promise<void> {
    this.#work += work;
    if (this.#work < WORK_PER_TURN) return;
    this.#work = 0;
    // mutant: decompression-in-one-turn drop
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }

  /** Whether there is nothing more. */
  async isAtEnd(): Promise<boolean> {
    return !(await this.hold(1));
  }

  /** Nothing more is read: the source may let go. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
