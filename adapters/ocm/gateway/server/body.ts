// Bodies of requests.
//
// Invariants:
//   OCM-BODY-1. What one request, and what all together take of memory is bounded, whatever they send.
import type { IncomingMessage } from 'node:http';
import { refuse } from '../envelope/faults.ts';

export interface BodyLimits {
  /** Limit of one body, in bytes. */
  readonly bodyBytes: number;
  /** Limit of all bodies that are being read, in bytes. */
  readonly bodiesBytes: number;
}

/** Objects and lists in each other. */
const DEEPEST = 100;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

export class Bodies {
  readonly #limits: BodyLimits;
  #held = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /**
   * @returns undefined for an empty body
   * @throws {RefusedRequest} 400: it is no JSON; 413, 415; 503: too many are being read
   */
  async json(request: IncomingMessage): Promise<unknown> {
    const type = request.headers['content-type'];
    // mutant: gateway-any-type if -> false
    if (type !== undefined && type !== '' && !JSON_TYPE.test(type)) {
      refuse(415, `The type of the body is '${type.slice(0, 100)}', and must be 'application/json'`);
    }
    const text = await this.#text(request);
    if (text === undefined || text.trim() === '') return undefined;
    // mutant: gateway-any-depth if -> false
    if (depthOf(text) > DEEPEST) refuse(400, `The body is nested more than ${DEEPEST} deep`);
    try {
      return JSON.parse(text);
    } catch {
      return refuse(400, 'The body is not JSON');
    }
  }

  async #text(request: IncomingMessage): Promise<string | undefined> {
    const { bodyBytes, bodiesBytes } = this.#limits;
    const tooLarge = (): never =>
      refuse(413, `The body has more than ${bodyBytes} bytes`, { headers: { Connection: 'close' } });
    if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return tooLarge();
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.#held += chunk.length;
        if (bytes > bodyBytes) return tooLarge();
        if (this.#held > bodiesBytes) {
          return refuse(503, 'Too many bodies are being read: try again', {
            headers: { 'Retry-After': '1', Connection: 'close' },
          });
        }
        chunks.push(chunk);
      }
    } finally {
      this.#held -= bytes;
    }
    const [only] = chunks;
    if (only === undefined) return undefined;
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(chunks.length === 1 ? only : Buffer.concat(chunks));
    } catch {
      return refuse(400, 'The body is not UTF-8');
    }
  }
}

/** Depth of nested brackets, outside of strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isString) {
      if (unit === 0x5c) at++;
      else if (unit === 0x22) isString = false;
    } else if (unit === 0x22) isString = true;
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return deepest;
}
