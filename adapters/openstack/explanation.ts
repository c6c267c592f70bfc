// What may be told of a refusal: the words of an OpenStack service, and of nobody else that answers at its place.
import type { Json, JsonObject } from '../../bus/bus.ts';

/** Characters of what a service said that are told. */
const LONGEST = 2_000;

/** Under which Nova and Cinder say what was wrong, by the kind of fault. */
const FAULTS: ReadonlySet<string> = new Set([
  'error',
  'NeutronError',
  'QuantumError',
  'badMediaType',
  'badMethod',
  'badRequest',
  'buildInProgress',
  'computeFault',
  'conflictingRequest',
  'forbidden',
  'itemNotFound',
  'notImplemented',
  'overLimit',
  'serverCapacityUnavailable',
  'serviceUnavailable',
  'tooManyRequests',
  'unauthorized',
]);

/**
 * What a service said. Only one that speaks as OpenStack does is quoted: whatever else answers under a URL that somebody
 * wrote may have said what is not for him to read.
 *
 * @param hide  takes secrets out, before anything is cut
 * @returns '' when it said nothing
 */
export function explanation(body: JsonObject, hide: (text: string) => string): string {
  const said = wordsOf(body);
  if (said === undefined) return Object.keys(body).length === 0 ? '' : 'its words are not those of an OpenStack service';
  const safe = hide(said);
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe;
}

function wordsOf(body: JsonObject): string | undefined {
  const names = Object.keys(body);
  const [name = ''] = names;
  const fault = body[name];
  if (names.length === 1 && FAULTS.has(name)) {
    if (isObject(fault) && typeof fault['message'] === 'string') return fault['message'];
    if (name === 'NeutronError' && typeof fault === 'string') return fault;
  }
  // WSME, of Ironic and its like.
  if (typeof body['faultstring'] === 'string' && 'faultcode' in body) return body['faultstring'];
  // WebOb, which all of them stand on.
  if (typeof body['message'] === 'string' && 'code' in body && 'title' in body) return body['message'];
  return undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
