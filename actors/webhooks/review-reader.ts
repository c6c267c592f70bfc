// Streaming reader of a ConversionReview: a list of objects may be larger than the memory of the process. Only the
// structure of the JSON is examined here; its parts are parsed elsewhere.
//
// Invariants:
//   HOOK-REVIEW-READER-1. Nothing is kept of an object that was handed on, and of one that is being read no more than OBJECT_BYTES.
//   HOOK-REVIEW-READER-2. Whatever the body is, what is not an object of `request.objects` is in `head`, which has no more than HEAD_BYTES.

/** The API server takes 3 MB in one request; what a conversion adds to that is no more than it once again. */
const OBJECT_BYTES = 16 * 1024 * 1024;
/** Maximum size of all but the objects: a uid and a version. */
const HEAD_BYTES = 256 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Depth of the list, and its path. */
const LIST_DEPTH = 3;
const [REQUEST, OBJECTS] = ['request', 'objects'];

/** A body that is refused, with the status of the answer. Nothing of the body is in the message. */
export class RefusedBody extends Error {
  override name = 'RefusedBody';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class ReviewReader {
  readonly #head = new Pieces(HEAD_BYTES, 'the review is too large outside of its objects');
  readonly #object = new Pieces(OBJECT_BYTES, 'an object of the review is too large');
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** `before`: not come to yet. */
  #list: 'before' | 'within' | 'behind' = 'before';
  #hasObjects = false;
  /** Bytes of a text in the head that may be a key. */
  #text: number[] = [];
  /** Keys of the current member, at depths 1 and 2. */
  readonly #keys = ['', '', ''];

  /** Takes what has arrived, and gives the objects that end in it, as JSON texts. @throws {RefusedBody} it is too large */
  *push(chunk: Buffer): Iterable<string> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#isText) {
        this.#inText(byte);
        continue;
      }
      const isInList = this.#list === 'within' && this.#depth === LIST_DEPTH;
      if (byte === QUOTE) {
        this.#isText = true;
        this.#text = [];
      } else if (byte === OPEN_MAP || byte === OPEN_LIST) {
        const isList = byte === OPEN_LIST && this.#isAtList();
        this.#depth += 1;
        if (this.#depth < LIST_DEPTH) this.#keys[this.#depth] = '';
        if (!isList) continue;
        if (this.#list === 'behind') throw new RefusedBody(400, 'the review has objects twice');
        this.#head.add(chunk.subarray(start, at + 1));
        start = at + 1;
        this.#list = 'within';
      } else if (byte === CLOSE_MAP || byte === CLOSE_LIST) {
        if (isInList) {
          const last = this.#taken(chunk.subarray(start, at));
          start = at;
          this.#list = 'behind';
          if (this.#hasObjects || last.trim() !== '') yield last;
        }
        this.#depth -= 1;
      } else if (byte === COMMA && isInList) {
        const text = this.#taken(chunk.subarray(start, at));
        start = at + 1;
        this.#hasObjects = true;
        yield text;
      } else if (byte === COLON && this.#list !== 'within' && this.#depth < LIST_DEPTH) {
        this.#keys[this.#depth] = String.fromCharCode(...this.#text);
      }
    }
    (this.#list === 'within' ? this.#object : this.#head).add(chunk.subarray(start));
  }

  /** Bytes that are kept now. */
  get held(): number {
    return this.#head.bytes + this.#object.bytes;
  }

  /** Members before the objects. @throws {RefusedBody} it is no JSON */
  begun(): unknown {
    return parsed(`${this.#head.text()}]}}`);
  }

  /** The whole, without its objects. @throws {RefusedBody} it is no JSON */
  ended(): unknown {
    return parsed(this.#head.text());
  }

  #inText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isText = false;
      return;
    }
    if (this.#depth < LIST_DEPTH && this.#text.length <= OBJECTS.length) this.#text.push(byte);
  }

  #isAtList(): boolean {
    return this.#depth === LIST_DEPTH - 1 && this.#keys[1] === REQUEST && this.#keys[2] === OBJECTS;
  }

  #taken(rest: Buffer): string {
    this.#object.add(rest);
    const text = this.#object.text();
    this.#object.clear();
    return text;
  }
}

/** Bytes that come in pieces. */
class Pieces {
  #pieces: Buffer[] = [];
  #bytes = 0;
  readonly #most: number;
  readonly #problem: string;

  constructor(most: number, problem: string) {
    this.#most = most;
    this.#problem = problem;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#most) throw new RefusedBody(413, this.#problem);
    this.#pieces.push(piece);
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString();
  }

  clear(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }
}

/** The parse error is not reported: it quotes the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RefusedBody(400, 'the body is no JSON');
    throw error;
  }
}
