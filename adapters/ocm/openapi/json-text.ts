// JSON as text, in the layout of the published documents, written from top to bottom: no tree is built, and members stand
// in the order they are written in, whatever they are called.

/** What JSON allows to escape in a shorter way than the documents do. */
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' };

/** Opens and closes must match, and a name must not be written twice: that is up to the caller. */
export class JsonText {
  #text = '';
  /** Line break and indent of the members of what is open. */
  #line = '\n';
  #isFirst = true;
  /** Names of members as they are written: a document has few, each of them often. */
  readonly #names = new Map<string, string>();

  /** @param name  undefined in an array, and for the document itself */
  object(name: string | undefined, members: () => void): void {
    this.#nested(name, '{', '}', members);
  }

  array(name: string | undefined, members: () => void): void {
    this.#nested(name, '[', ']', members);
  }

  member(name: string, value: string | number | boolean): void {
    this.#begin(name);
    this.#text += quoted(value);
  }

  /** A member of an array. */
  element(value: string | number | boolean): void {
    this.#begin(undefined);
    this.#text += quoted(value);
  }

  /** As `member`, if there is something to say. */
  optional(name: string, value: string): void {
    if (value !== '') this.member(name, value);
  }

  toString(): string {
    return this.#text;
  }

  #begin(name: string | undefined): void {
    if (this.#line !== '\n') this.#text += this.#isFirst ? this.#line : `,${this.#line}`;
    this.#isFirst = false;
    if (name !== undefined) this.#text += this.#names.get(name) ?? this.#named(name);
  }

  #named(name: string): string {
    const written = `${quoted(name)}: `;
    this.#names.set(name, written);
    return written;
  }

  /** Empty ones have a line too, which holds only the indent. */
  #nested(name: string | undefined, open: string, close: string, members: () => void): void {
    this.#begin(name);
    const line = this.#line;
    this.#text += open;
    this.#line = `${line}  `;
    this.#isFirst = true;
    members();
    if (this.#isFirst) this.#text += this.#line;
    this.#line = line;
    this.#isFirst = false;
    this.#text += line + close;
  }
}

function quoted(value: string | number | boolean): string {
  const text = JSON.stringify(value);
  return typeof value === 'string' && /[\b\f]/.test(value)
    ? text.replace(/\\./g, (pair) => SHORT_ESCAPES[pair] ?? pair)
    : text;
}
