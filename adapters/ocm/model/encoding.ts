// Bytes as text. What is not UTF-8 is read with replacement characters, so that the rest of it can be complained about
// too, and is never written back.
import { isUtf8 } from 'node:buffer';
import { type Diagnostic, diagnostic } from './diagnostics.ts';

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

export interface Decoded {
  readonly text: string;
  /** The first byte that is not UTF-8, if there is one. */
  readonly fault: Diagnostic | undefined;
}

/** @returns undefined for bytes that are not UTF-8 */
export function wholeText(source: string | Uint8Array): string | undefined {
  if (typeof source === 'string') return source;
  return isUtf8(source) ? bufferOf(source).toString('utf8') : undefined;
}

/** @param file  its path, for the complaint */
export function decoded(file: string, bytes: Uint8Array): Decoded {
  const buffer = bufferOf(bytes);
  const text = buffer.toString('utf8');
  // mutant: utf-8-replaced : -> $2
  return { text, fault: isUtf8(buffer) ? undefined : faultOf(file, buffer, text) };
}

/** The first replacement character that the bytes do not have themselves. */
function faultOf(file: string, bytes: Buffer, text: string): Diagnostic {
  let byteOffset = 0;
  let passed = 0;
  let offset = text.indexOf(REPLACEMENT);
  for (; offset >= 0; offset = text.indexOf(REPLACEMENT, offset + 1)) {
    byteOffset += Buffer.byteLength(text.slice(passed, offset));
    passed = offset;
    if (!bytes.subarray(byteOffset, byteOffset + REPLACEMENT_BYTES.length).equals(REPLACEMENT_BYTES)) break;
  }
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const byte = (bytes[byteOffset] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  const message = `the file is not UTF-8: byte 0x${byte} at byte offset ${byteOffset}`;
  const line = before.split('\n').length;
  const column = [...before.slice(lineStart)].length + 1;
  return diagnostic('lex.encoding', { file, line, column, offset, length: 1 }, message);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
