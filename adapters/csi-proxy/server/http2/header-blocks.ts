// Header blocks of one client, parsed as they arrive, and rewritten if Node would reject them.
import hpack from 'hpack.js';
import { ProtocolError } from './frames.ts';

export interface Header {
  readonly name: string;
  readonly value: string;
  /** No intermediary may keep it in a table. */
  readonly neverIndex: boolean;
}

/** Size of a client's table while the server sets no other (RFC 9113, section 6.5.2). */
const TABLE_BYTES = 4_096;
/** gRPC's own limit for a list of headers, in bytes; a reference of one byte may represent a long header. */
const LONGEST_LIST_BYTES = 16_384;
/** Overhead of a header beside its text (RFC 9113, section 6.5.2). */
const HEADER_OVERHEAD_BYTES = 32;

/** Prefix of a literal whose name follows and which enters no table (RFC 7541, sections 6.2.2 and 6.2.3). */
const WITHOUT_INDEX = 0x00;
const NEVER_INDEX = 0x10;
/** Maximum value in the first byte of a length (RFC 7541, section 5.1). */
const PREFIX_MAX = 0x7f;

/** The characters that an authority may have. A backslash and a slash, as in the path of a pipe, are none of them. */
const LAWFUL = /^[\w.~!$&'()*+,;=:@%[\]-]+$/;

export function isLawfulAuthority({ name, value }: Header): boolean {
  return name !== ':authority' || LAWFUL.test(value);
}

/** Reads the blocks of one connection, all of them and in their order: each may refer to those before it. */
export class BlockReader {
  readonly #decompressor = hpack.decompressor.create({ table: { maxSize: TABLE_BYTES } });

  /** @throws {ProtocolError} it is no header block, or a list that is too long */
  read(block: Uint8Array): Header[] {
    const headers: Header[] = [];
    let bytes = 0;
    try {
      this.#decompressor.write(block);
      this.#decompressor.execute();
    } catch (error) {
      throw new ProtocolError('a header block that cannot be read', { cause: error });
    }
    for (let header = this.#decompressor.read(); header !== null; header = this.#decompressor.read()) {
      bytes += header.name.length + header.value.length + HEADER_OVERHEAD_BYTES;
      if (bytes > LONGEST_LIST_BYTES) throw new ProtocolError(`headers of more than ${LONGEST_LIST_BYTES} bytes`);
      headers.push(header);
    }
    return headers;
  }
}

/** A block without table references: it can be read independently. */
export function writeBlock(headers: readonly Header[]): Buffer {
  return Buffer.concat(
    headers.flatMap(({ name, value, neverIndex }) => [
      Buffer.from([neverIndex ? NEVER_INDEX : WITHOUT_INDEX]),
      ...writeText(name),
      ...writeText(value),
    ]),
  );
}

function writeText(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  if (bytes.length < PREFIX_MAX) return [Buffer.from([bytes.length]), bytes];
  const length = [PREFIX_MAX];
  let rest = bytes.length - PREFIX_MAX;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) length.push((rest % 0x80) | 0x80);
  return [Buffer.from([...length, rest]), bytes];
}
