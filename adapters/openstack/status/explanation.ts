// What may be told of a refusal: the words of an OpenStack service, and of nobody else that answers at its place.
import type { Json, JsonObject } from '../../../bus/bus.ts';

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

export interface Explanation {
  readonly kind: 'quoted' | 'foreign';
  readonly text: string;
}

const FOREIGN = 'its words are not those of an OpenStack service';

/** For people, by status. */
const AUTHENTICATION: Readonly<Record<number, string>> = {
  400: 'the identity service does not understand the credentials',
  401: 'the identity service refuses the credentials',
  403: 'the identity service forbids what the credentials ask for',
  404: 'there is no identity service under the auth_url of the cloud',
};

/**
 * What a service said. Only one that speaks as OpenStack does is quoted: whatever else answers under a URL that somebody
 * wrote may have said what is not for him to read.
 *
 * @param hide  takes secrets out, before anything is cut
 * @returns `quoted`: it spoke as OpenStack does; the text is empty when it said nothing
 */
export function explanation(body: JsonObject, hide: (text: string) => string): Explanation {
  const said = wordsOf(body);
  if (said === undefined) return { kind: 'foreign', text: Object.keys(body).length === 0 ? '' : FOREIGN };
  // mutant: secret-cut-in-two ().1 -> $.slice(0, LONGEST)
  const safe = hide(said);
  return { kind: 'quoted', text: safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe };
}

/** What is told of an authentication that failed: nothing of its words, which may be our own request in any spelling. */
export function authenticationRefusal({
  status,
  body,
}: {
  readonly status: number;
  readonly body: JsonObject;
}): string {
  const { error } = body;
  const code = isObject(error) && isStatus(error['code']) && error['code'] !== status ? error['code'] : '';
  const why = AUTHENTICATION[status] ?? 'see what answers under the auth_url of the cloud';
  return `authentication answered ${status}${code === '' ? '' : ` (code ${code})`}: ${why}`;
}

function wordsOf(body: JsonObject): string | undefined {
  const names = Object.keys(body);
  const [name = ''] = names;
  const fault = body[name];
  // mutant: explanation-quotes-anybody if -> $1.1 >= 1
  if (names.length === 1 && FAULTS.has(name)) {
    if (isObject(fault) && typeof fault['message'] === 'string') return fault['message'];
    if (name === 'NeutronError' && typeof fault === 'string') return fault;
  }
  // WSME, of Ironic and its like.
  if (typeof body['faultstring'] === 'string' && 'faultcode' in body) return body['faultstring'];
  // WebOb, which all of them stand on.
  if (typeof body['message'] === 'string' && 'code' in body && 'title' in body)
    return body['message'].replaceAll(/\s*(?:<br \/>\s*)+/g, ' ').trim();
  return undefined;
}

/** A number of another size may be anything, a password of digits. */
function isStatus(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
