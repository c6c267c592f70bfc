// Filter of error texts: only those of an OpenStack service are shown, not those of other servers at its address.
import type { Json, JsonObject } from '../../../bus/bus.ts';

/** Maximum length of a shown text, in characters. */
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
 * Text of a service's error. Only responses in OpenStack's format are quoted: other servers at a URL that a user wrote
 * may return text that the user must not read.
 *
 * @param hide  takes secrets out, before anything is cut
 * @returns `quoted`: the response has OpenStack's format; the text is empty if there is none
 */
export function explanation(body: JsonObject, hide: (text: string) => string): Explanation {
  const said = wordsOf(body);
  if (said === undefined) return { kind: 'foreign', text: Object.keys(body).length === 0 ? '' : FOREIGN };
  // mutant: secret-cut-in-two ().1 -> $.slice(0, LONGEST)
  const safe = hide(said);
  return { kind: 'quoted', text: safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe };
}

/**
 * Message of a failed authentication, without the response's text, which may contain our own request in any spelling.
 */
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
  if (typeof body['message'] === 'string' && 'code' in body && 'title' in body) return withoutBreaks(body['message']);
  return undefined;
}

function withoutBreaks(html: string): string {
  // mutant: breaks-by-expression return -> html.replaceAll(/\s*(?:<br \/>\s*)+/g, ' ').trim()
  return html
    .split('<br />')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}

/** A number of another size may be anything, a password of digits. */
function isStatus(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
