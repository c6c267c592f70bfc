// ConversionReview: what the API server asks a conversion webhook, and the answer to it.

import { isMap, type JsonMap } from '../../json-values.ts';
import { convertObject } from './convert.ts';
import { valueAt } from './paths.ts';

const API_VERSION = 'apiextensions.k8s.io/v1';
const KIND = 'ConversionReview';

export type Answer =
  /** `body` is the review to answer with; whether the objects were converted is said in it. */
  | { readonly kind: 'answered'; readonly statusCode: 200; readonly body: JsonMap }
  /** It was no question. `message` says why, and nothing of what was sent. */
  | { readonly kind: 'refused'; readonly statusCode: 400; readonly message: string };

/**
 * Converts the objects of a review, all or none.
 *
 * @param review  the body of the request, as JSON data
 */
export function answerConversionReview(review: unknown): Answer {
  if (!isMap(review) || review['apiVersion'] !== API_VERSION || review['kind'] !== KIND) {
    return refused(`the body is no ${KIND} of ${API_VERSION}`);
  }
  const { request } = review;
  if (!isMap(request)) return refused(`the ${KIND} has no request`);
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== 'string' || uid === '') return refused(`the request of the ${KIND} has no uid`);
  if (typeof desiredAPIVersion !== 'string') return refused(`the request of the ${KIND} has no desiredAPIVersion`);
  if (!Array.isArray(objects)) return refused(`the request of the ${KIND} has no objects`);
  const response = { uid, ...outcomeOf(objects, desiredAPIVersion) };
  return { kind: 'answered', statusCode: 200, body: { apiVersion: API_VERSION, kind: KIND, response } };
}

function outcomeOf(objects: readonly unknown[], desiredAPIVersion: string): JsonMap {
  const convertedObjects: JsonMap[] = [];
  for (const object of objects) {
    const conversion = convertObject(object, desiredAPIVersion);
    if (conversion.kind === 'failed') {
      const message = `${nameOf(object)}: ${conversion.error.message}`;
      return { convertedObjects: [], result: { status: 'Failed', message } };
    }
    convertedObjects.push(conversion.object);
  }
  return { convertedObjects, result: { status: 'Success' } };
}

/** The object as messages call it. */
export function nameOf(object: unknown): string {
  const [kind, namespace, name] = [['kind'], ['metadata', 'namespace'], ['metadata', 'name']]
    .map((path) => valueAt(object, path))
    .map((text) => (typeof text === 'string' ? text : ''));
  return `${kind || 'object'} ${JSON.stringify(namespace ? `${namespace}/${name}` : name)}`;
}

const refused = (message: string): Answer => ({ kind: 'refused', statusCode: 400, message });
