// Answers in the media type that a client accepts: JSON, or YAML of the same.
import { parseJson } from '../../../text/exact-json.ts';
import { isList, isMap } from '../../../text/json.ts';
import { notAcceptable, notAcceptableByRouter } from '../base/api-error.ts';
import { yaml } from '../base/libraries.ts';
import { bodyText, type Sent } from './http.ts';

const YAML = 'application/yaml';
/** For collections, which may be watched. */
const STREAMED = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
export const SERVED = ['application/json', YAML, 'application/vnd.kubernetes.protobuf'];

const typesOf = (accept: string): string[] => accept.split(',').map((one) => (one.split(';', 1)[0] ?? '').trim());

/** Forms of a list of a built-in kind. */
export const LISTED = [...SERVED, ...STREAMED];

/** Checks of the router in front of the built-in kinds. @throws {ApiError} 406 */
export function demandRoutable(accept: string, produced: readonly string[] = SERVED): void {
  if (accept.trim() === '') return;
  const wanted = typesOf(accept);
  if (wanted.some((type) => type === '*/*' || produced.includes(type))) return;
  throw notAcceptableByRouter(produced);
}

/** The first type that is served of those that are accepted. @throws {ApiError} 406 there is none */
export function demandAcceptable(accept: string): void {
  const isServed = (type: string): boolean => ['*/*', 'application/*', ...SERVED].includes(type);
  if (accept.trim() !== '' && !typesOf(accept).some(isServed)) throw notAcceptable(SERVED);
}

/** The answer as it is, or as YAML when that is what the client named first. */
export function inAcceptedType(sent: Sent, accept: string): Sent {
  const first = typesOf(accept).find((type) => ['*/*', 'application/*', ...SERVED].includes(type));
  if (first !== YAML || (sent.type ?? SERVED[0]) !== SERVED[0]) return sent;
  const text = yaml().stringify(sorted(parseJson(bodyText(sent.body))), {
    indentSeq: false,
    lineWidth: 0,
    version: '1.1',
  });
  return { ...sent, body: text, type: YAML };
}

function sorted(value: unknown): unknown {
  if (isList(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
