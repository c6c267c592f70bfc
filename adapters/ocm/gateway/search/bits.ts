// Sets of small numbers, with operations on 32 of them at once.

export class Bits {
  #words: Uint32Array;

  /** @param capacity  numbers below it can be members */
  constructor(capacity: number) {
    this.#words = new Uint32Array((capacity + 31) >>> 5);
  }

  /** Makes room for numbers below a capacity. */
  fit(capacity: number): void {
    const length = (capacity + 31) >>> 5;
    if (length <= this.#words.length) return;
    const words = new Uint32Array(length);
    words.set(this.#words);
    this.#words = words;
  }

  has(n: number): boolean {
    return (((this.#words[n >>> 5] ?? 0) >>> (n & 31)) & 1) === 1;
  }

  add(n: number): void {
    const at = n >>> 5;
    this.#words[at] = (this.#words[at] ?? 0) | (1 << (n & 31));
  }

  delete(n: number): void {
    const at = n >>> 5;
    this.#words[at] = (this.#words[at] ?? 0) & ~(1 << (n & 31));
  }

  copy(): Bits {
    const copy = new Bits(0);
    copy.#words = this.#words.slice();
    return copy;
  }

  /** Keeps what the other one has, too. */
  intersect(other: Bits): this {
    for (let at = 0; at < this.#words.length; at++) {
      this.#words[at] = (this.#words[at] ?? 0) & (other.#words[at] ?? 0);
    }
    return this;
  }

  /** Takes what the other one has; both have the same capacity. */
  unite(other: Bits): this {
    for (let at = 0; at < this.#words.length; at++) {
      this.#words[at] = (this.#words[at] ?? 0) | (other.#words[at] ?? 0);
    }
    return this;
  }

  subtract(other: Bits): this {
    for (let at = 0; at < this.#words.length; at++) {
      this.#words[at] = (this.#words[at] ?? 0) & ~(other.#words[at] ?? 0);
    }
    return this;
  }

  count(): number {
    let count = 0;
    for (let at = 0; at < this.#words.length; at++) {
      let word = this.#words[at] ?? 0;
      word -= (word >>> 1) & 0x5555_5555;
      word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
      count += (((word + (word >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24;
    }
    return count;
  }

  /** In ascending order. */
  each(visit: (n: number) => void): void {
    for (let at = 0; at < this.#words.length; at++) {
      let word = this.#words[at] ?? 0;
      while (word !== 0) {
        visit((at << 5) + 31 - Math.clz32(word & -word));
        word &= word - 1;
      }
    }
  }
}
