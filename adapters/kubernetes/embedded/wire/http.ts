// Bodies in and out over HTTP, and the headers that go with them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tooLarge } from './api-error.ts';

/** The API server's limit for the body of a request, in bytes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** What is sent: JSON unless it says otherwise. */
export interface Sent {
  readonly code: number;
  readonly body: string;
  readonly type?: string;
  /** `Cache-Control`; nothing is kept unless it says otherwise. */
  readonly cache?: string;
}

/** Longer bodies are sent in pieces of this, in characters. */
const PIECE_LENGTH = 128 * 1024;

const NO_CACHE = 'no-cache, private';

/** @throws {ApiError} 413 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge(`limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

export function setWarnings(response: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const quoted = warnings.map((text) => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  response.setHeader('Warning', quoted);
}

export function send(
  response: ServerResponse,
  { code, body, type = 'application/json', cache = NO_CACHE }: Sent,
): void {
  if (body.length > PIECE_LENGTH) {
    response.writeHead(code, { 'Content-Type': type, 'Cache-Control': cache });
    sendPieces(response, body, 0);
    return;
  }
  const bytes = Buffer.from(body);
  if (type.startsWith('text/plain')) response.setHeader('X-Content-Type-Options', 'nosniff');
  response.writeHead(code, { 'Content-Type': type, 'Content-Length': bytes.length, 'Cache-Control': cache });
  response.end(bytes);
}

/** Goes on when the client has read what was sent: a long list is never in memory twice. */
function sendPieces(response: ServerResponse, body: string, from: number): void {
  for (let start = from; start < body.length && !response.destroyed; ) {
    const isPair = /[\uD800-\uDBFF]/.test(body.charAt(start + PIECE_LENGTH - 1));
    const end = start + PIECE_LENGTH - (isPair ? 1 : 0);
    const goesOn = response.write(body.slice(start, end));
    start = end;
    if (goesOn) continue;
    response.once('drain', () => sendPieces(response, body, start));
    return;
  }
  response.end();
}

/** The head of an answer that goes on and on. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': NO_CACHE });
  response.flushHeaders();
}
