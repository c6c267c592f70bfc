// ConversionReview of `apiextensions.k8s.io/v1`: what the API server asks a conversion webhook, answered object by object while
// the question still arrives.
//
// Invariants:
//   HOOK-CONVERSION-REVIEW-1. The answer has the objects in their order, all of them, or says in `result` that it failed, and why.
//   HOOK-CONVERSION-REVIEW-2. However long the list is, one object of it is in memory, and what waits to be sent.
//   HOOK-CONVERSION-REVIEW-3. The turn goes to others between two pieces of a long list.
//   HOOK-CONVERSION-REVIEW-4. A number is never changed on the way, unless the conversion changes it.

import type { ConversionWebhook, ConvertedObject } from '../../adapters/api/webhooks.ts';
import { jsonText, readJson } from '../../adapters/text/exact-json.ts';
import { MOST_VALUES, valuesOf } from './body.ts';
import { type Data, isMap } from './data.ts';
import { RefusedBody, ReviewReader } from './review-reader.ts';

const API_VERSION = 'apiextensions.k8s.io/v1';
const KIND = 'ConversionReview';

const BEGIN = `{"apiVersion":"${API_VERSION}","kind":"${KIND}","response":{"convertedObjects":[`;
/** Characters that are sent together. */
const PIECE = 64 * 1024;
/** Number of objects after which other requests run; a large one is a piece of its own. */
const TURN = 16;

export interface ConversionDeps {
  readonly convert: ConversionWebhook['convert'];
  /** Told of what convert throws, which is a defect of it. */
  onDefect(error: unknown): void;
  /** Told of each object that was converted. */
  onConverted?(): void;
  /** Told how many bytes of the body are kept. @throws {RefusedBody} it is too much */
  onHeld?(bytes: number): void;
}

/**
 * The answer in pieces.
 *
 * @param body  of the request
 * @throws {RefusedBody} before the first piece: it is no such review
 */
export async function* answeredReview(
  body: AsyncIterable<Buffer>,
  { convert, onDefect, onConverted = () => undefined, onHeld = () => undefined }: ConversionDeps,
): AsyncGenerator<string, void> {
  const reader = new ReviewReader();
  let desired: string | undefined;
  let failure: string | undefined;
  let converted = 0;
  let waiting = [BEGIN];
  let length = 0;
  let isBegun = false;
  const take = (text: string): void => {
    desired ??= desiredVersion(reader.begun());
    const conversion = attempted(text, desired, convert, onDefect);
    if (conversion.kind === 'failed') {
      failure = conversion.message;
      // An unsent response need not be finished.
      if (!isBegun) waiting = [BEGIN];
      return;
    }
    const json = `${converted > 0 ? ',' : ''}${jsonText(conversion.object)}`;
    converted += 1;
    length += json.length;
    waiting.push(json);
    onConverted();
  };
  let objects = 0;
  try {
    for await (const chunk of body) {
      for (const text of reader.push(chunk)) {
        if (failure === undefined) take(text);
        objects += 1;
        if (failure === undefined && length >= PIECE) {
          isBegun = true;
          yield waiting.join('');
          [waiting, length] = [[], 0];
        }
        if (objects % TURN === 0) await new Promise<void>((resolve) => void setImmediate(resolve));
      }
      onHeld(reader.held);
    }
  } catch (error) {
    if (!isBegun || !(error instanceof RefusedBody)) throw error;
    failure ??= error.message;
  }
  const { uid, result } = isBegun ? lateEnd(reader, failure) : ended(reader.ended(), failure);
  yield `${waiting.join('')}],"result":${JSON.stringify(result)},"uid":${JSON.stringify(uid)}}}`;
}

interface Ending {
  readonly uid: string;
  readonly result: { readonly status: 'Success' } | { readonly status: 'Failed'; readonly message: string };
}

/** Whether it is a review is known at its end only. @throws {RefusedBody} it is not */
function ended(review: unknown, failure: string | undefined): Ending {
  const request = requestOf(review);
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== 'string' || uid === '') throw refused(`the request of the ${KIND} has no uid`);
  if (typeof desiredAPIVersion !== 'string') throw refused(`the request of the ${KIND} has no desiredAPIVersion`);
  if (!Array.isArray(objects)) throw refused(`the request of the ${KIND} has no objects`);
  return { uid, result: failure === undefined ? { status: 'Success' } : { status: 'Failed', message: failure } };
}

/** A part of the response was sent: the failure can only be reported in it. */
function lateEnd(reader: ReviewReader, failure: string | undefined): Ending {
  try {
    return ended(reader.ended(), failure);
  } catch (error) {
    if (!(error instanceof RefusedBody)) throw error;
    return { uid: '', result: { status: 'Failed', message: failure ?? error.message } };
  }
}

/** The API server writes it before the objects, as do clients that sort keys. @throws {RefusedBody} */
function desiredVersion(review: unknown): string {
  const { desiredAPIVersion } = requestOf(review);
  if (typeof desiredAPIVersion === 'string') return desiredAPIVersion;
  throw refused(`the request of the ${KIND} has no desiredAPIVersion before its objects`);
}

function requestOf(review: unknown): Data {
  if (!isMap(review) || review['apiVersion'] !== API_VERSION || review['kind'] !== KIND) {
    throw refused(`the body is no ${KIND} of ${API_VERSION}`);
  }
  const { request } = review;
  if (!isMap(request)) throw refused(`the ${KIND} has no request`);
  return request;
}

function attempted(
  text: string,
  desired: string,
  convert: ConversionWebhook['convert'],
  onDefect: (error: unknown) => void,
): ConvertedObject {
  let object: unknown;
  if (valuesOf(text) > MOST_VALUES) return { kind: 'failed', message: 'an object of the review has too many values' };
  try {
    object = readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: 'failed', message: 'an object of the review is no JSON' };
  }
  try {
    return convert(object, desired);
  } catch (error) {
    onDefect(error);
    return { kind: 'failed', message: 'an object of the review cannot be converted' };
  }
}

const refused = (message: string): RefusedBody => new RefusedBody(400, message);
