// Bodies in and out over HTTP, and the headers that go with them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tooLarge } from './api-error.ts';

/** The API server's limit for the body of a request, in bytes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** A client that sends more than this is cut off, in bytes. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

/** What is sent: JSON unless it says otherwise. */
export interface Sent {
  readonly code: number;
  readonly body: string;
  readonly type?: string;
  /** `Cache-Control`; nothing is kept unless it says otherwise. Empty: no such header. */
  readonly cache?: string;
  /** `Vary`, when the answer depends on a header. */
  readonly vary?: string;
  /** Text without the header that forbids guessing its type. */
  readonly mayBeSniffed?: boolean;
}

/** Longer bodies are sent in pieces of this, in characters. */
const PIECE_LENGTH = 128 * 1024;

const NO_CACHE = 'no-cache, private';

/**
 * What is beyond the limit is read and dropped, so that the client reads the refusal, but not forever.
 *
 * @throws {ApiError} 413
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else reject(tooLarge(`limit is ${MAX_BODY_BYTES}`));
      if (size > MAX_DROPPED_BYTES) request.destroy();
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

export function setWarnings(response: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const quoted = warnings.map((text) => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  response.setHeader('Warning', quoted);
}

export function send(
  response: ServerResponse,
  { code, body, type = 'application/json', cache = NO_CACHE, vary, mayBeSniffed = false }: Sent,
): void {
  if (body.length > PIECE_LENGTH) {
    response.writeHead(code, { 'Content-Type': type, 'Cache-Control': cache });
    sendPieces(response, body, 0);
    return;
  }
  const bytes = Buffer.from(body);
  if (vary !== undefined) response.setHeader('Vary', vary);
  if (type.startsWith('text/plain') && !mayBeSniffed) response.setHeader('X-Content-Type-Options', 'nosniff');
  if (cache !== '') response.setHeader('Cache-Control', cache);
  response.writeHead(code, { 'Content-Type': type, 'Content-Length': bytes.length });
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
