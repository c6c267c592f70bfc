// Estimate of the memory that a JSON text needs once it is parsed, computed while the text arrives: nothing is parsed
// that was not weighed before.
//
// Invariants:
//   HTTP-RESPONSE-SCAN-1. Brackets and commas inside of strings count for nothing, wherever the text is cut into chunks.
//   HTTP-RESPONSE-SCAN-2. The weight is no less than what V8 keeps for text and values together, members of one huge object aside (0.8 of it).

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
