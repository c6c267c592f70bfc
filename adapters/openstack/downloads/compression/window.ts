// Window of recently decoded bytes: the source of copies, and the output. One is used for all blocks of a file.
import { damaged } from './damaged.ts';

/** It grows with what is decoded, up to what the file asks for. */
const FIRST_BYTES = 1 << 20;

export class Window {
  #size = 0;
  /** None until something is decoded: a block may be empty, whatever it asks for. */
  #bytes: Uint8Array = new Uint8Array(0);
  /** Bytes since the beginning. */
  #written = 0;
  /** Index of the first byte that was not passed on. */
  #read = 0;
  /** The first that may be copied. */
  #origin = 0;
  #at = 0;

  get written(): number {
    return this.#written;
  }

  /**
   * Begins a block; everything before it was taken.
   *
   * @param size  of what copies reach back to; all that is decoded between two calls of `take` has room beside it
   */
  begin(size: number): void {
    this.#size = size;
    // mutant: xz-window-per-block =.2 -> (this.#bytes = new Uint8Array(FIRST_BYTES), 0)
    this.#at = 0;
    this.forget();
  }

  /** Nothing from before is copied any more. */
  forget(): void {
    this.#origin = this.#written;
  }

  /** The byte so far before the last one; 0 before the first. */
  last(distance: number): number {
    if (this.#written - this.#origin <= distance) return 0;
    const from = this.#at - distance - 1;
    return this.#bytes[from < 0 ? from + this.#bytes.length : from] as number;
  }

  put(byte: number): void {
    if (this.#at === this.#bytes.length) this.#turn();
    this.#bytes[this.#at++] = byte;
    this.#written++;
  }

  copy(distance: number, length: number): void {
    if (distance >= this.#written - this.#origin || distance >= this.#size)
      throw damaged('it refers to what is not there');
    for (let left = length; left > 0; left--) this.put(this.last(distance));
  }

  /** A copy of what was decoded since the last call; no more than the window is large. */
  take(): Uint8Array {
    const count = this.#written - this.#read;
    const taken = new Uint8Array(count);
    const from = this.#at - count;
    if (from >= 0) taken.set(this.#bytes.subarray(from, this.#at));
    else {
      taken.set(this.#bytes.subarray(from + this.#bytes.length));
      taken.set(this.#bytes.subarray(0, this.#at), -from);
    }
    this.#read = this.#written;
    return taken;
  }

  #turn(): void {
    if (this.#bytes.length >= this.#size) {
      this.#at = 0;
      return;
    }
    const larger = new Uint8Array(Math.min(this.#size, Math.max(FIRST_BYTES, this.#bytes.length * 2)));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
