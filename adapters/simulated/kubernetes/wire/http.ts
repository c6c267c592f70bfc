// Bodies in and out over HTTP, and the headers that go with them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { tooLarge } from '../base/api-error.ts';

/** The API server's limit for the body of a request, in bytes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** A client that sends more than this is cut off, in bytes. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

/** Text, or texts that follow each other: a list is made of those that are there anyhow, and never one text itself. */
export type Body = string | readonly string[] | Uint8Array;

export function bodyText(body: Body): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString() : body.join('');
}

/** Content type; JSON by default. */
export interface Sent {
  readonly code: number;
  readonly body: Body;
  readonly type?: string;
  /** `Cache-Control`; nothing is kept by default. Empty: no such header. */
  readonly cache?: string;
  /** `Vary`, when the answer depends on a header. */
  readonly vary?: string;
  /** Text without the header that forbids guessing its type. */
  readonly mayBeSniffed?: boolean;
}

/** Longer answers are compressed for clients that accept it, by the API server's own rule, and sent in pieces. */
const LONG_BYTES = 128 * 1024;

/** In characters. */
const PIECE_LENGTH = 128 * 1024;

const NO_CACHE = 'no-cache, private';

/**
 * Bytes beyond the limit are read and dropped, so that the client reads the refusal, but not forever.
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
    request.on('end', () => resolve((chunks.length === 1 ? chunks[0] : undefined) ?? Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

export function setWarnings(response: ServerResponse, warnings: readonly string[]): void {
  // A header has no control characters; what names one in a warning is not warned of, as by the API server.
  const sound = warnings.filter((text) => !/\p{Cc}/u.test(text));
  if (sound.length === 0) return;
  const quoted = sound.map((text) => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  // UTF-8 on the wire: Node writes headers byte by byte.
  response.setHeader(
    'Warning',
    quoted.map((text) => Buffer.from(text).toString('latin1')),
  );
}

export function send(
  response: ServerResponse,
  { code, body, type = 'application/json', cache = NO_CACHE, vary, mayBeSniffed = false }: Sent,
): void {
  response.setHeader('Content-Type', type);
  if (vary !== undefined) response.setHeader('Vary', vary);
  if (type.startsWith('text/plain') && !mayBeSniffed) response.setHeader('X-Content-Type-Options', 'nosniff');
  if (cache !== '') response.setHeader('Cache-Control', cache);
  if (isLong(body)) {
    sendLong(response, code, body);
    return;
  }
  const whole = body instanceof Uint8Array ? body : bodyText(body);
  const length = Buffer.byteLength(whole);
  response.writeHead(code, { 'Content-Length': length });
  // A text goes out in one piece with its head, and without being encoded when it is ASCII.
  response.end(whole, length === whole.length ? 'latin1' : 'utf8');
}

/** Goes on when the client has read what was sent: a long list is never in memory twice. */
function sendLong(response: ServerResponse, code: number, body: Body): void {
  const pieces = Readable.from(piecesOf(body));
  // A client that leaves before the end has lost the connection already: an answer would not arrive.
  const left = (): void => undefined;
  if (!acceptsGzip(response.req)) {
    response.writeHead(code);
    pipeline(pieces, response, left);
    return;
  }
  response.appendHeader('Vary', 'Accept-Encoding');
  response.writeHead(code, { 'Content-Encoding': 'gzip' });
  pipeline(pieces, createGzip({ level: constants.Z_BEST_SPEED }), response, left);
}

/** Whether `gzip` is named as it is: weights are not understood. */
const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((token) => token.trim() === 'gzip');

const piecesIn = (body: Body): readonly (string | Uint8Array)[] =>
  typeof body === 'string' || body instanceof Uint8Array ? [body] : body;

function isLong(body: Body): boolean {
  let bytes = 0;
  for (const part of piecesIn(body)) {
    bytes += Buffer.byteLength(part);
    if (bytes > LONG_BYTES) return true;
  }
  return false;
}

function* piecesOf(body: Body): Generator<string | Uint8Array> {
  let piece = '';
  for (const text of piecesIn(body)) {
    if (typeof text !== 'string') {
      yield text;
      continue;
    }
    for (let start = 0; start < text.length; ) {
      const full = start + PIECE_LENGTH - piece.length;
      const isPair = /[\uD800-\uDBFF]/.test(text.charAt(full - 1));
      const end = full - (isPair ? 1 : 0);
      piece += text.slice(start, end);
      if (end <= text.length) {
        yield piece;
        piece = '';
      }
      start = end;
    }
  }
  if (piece !== '') yield piece;
}

/** The head of an answer without an end. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': NO_CACHE });
  response.flushHeaders();
}
