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
  const bytes = Buffer.from(body);
  if (type.startsWith('text/plain')) response.setHeader('X-Content-Type-Options', 'nosniff');
  response.writeHead(code, { 'Content-Type': type, 'Content-Length': bytes.length, 'Cache-Control': cache });
  response.end(bytes);
}

/** The head of an answer that goes on and on. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': NO_CACHE });
  response.flushHeaders();
}
