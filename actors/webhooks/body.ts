// The body of a request as it arrives, and what may be read of it at one go.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../bus/mod.ts';
import { RefusedBody } from './review-reader.ts';

/** Longest wait for more of it, and for all of it; in milliseconds. The API server sends what it has at once. */
const PAUSE_MS = 5_000;
const BODY_MS = 30_000;
/** Of JSON that is read at one go. What etcd takes for one object, 1.5 MB, has no more members. */
export const MOST_VALUES = 250_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_MAP] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * A reader that stops before the end leaves the connection open, so that it can send an error. @throws {RefusedBody}
 * the transfer stalls
 */
export async function* arriving(request: IncomingMessage, clock: Clock): AsyncGenerator<Buffer, void> {
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const endsAt = clock.now() + BODY_MS;
  for (;;) {
    const piece = await within(clock, Math.min(PAUSE_MS, endsAt - clock.now()), pieces.next());
    if (piece.done === true) return;
    yield piece.value;
  }
}

async function within<Value>(clock: Clock, ms: number, value: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  // mutant: webhook-body-stops =.2.2 -> Infinity
  const timer = clock.setTimeout(() => late.reject(new RefusedBody(408, 'the body does not come')), Math.max(ms, 0));
  // It may fail when no caller waits for it any more.
  value.catch(() => undefined);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clock.clearTimeout(timer);
  }
}

/** Upper bound of the number of values in a JSON text. */
export function valuesOf(text: string): number {
  let values = 1;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isString) {
      if (character === BACKSLASH) at++;
      else if (character === QUOTE) isString = false;
    } else if (character === QUOTE) isString = true;
    else if (character === COMMA || character === OPEN_LIST || character === OPEN_MAP) values++;
  }
  return values;
}
