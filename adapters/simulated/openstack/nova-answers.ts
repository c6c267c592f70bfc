// Refusals, pages and checks of the simulated Nova.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { pythonRepr, Refusal, type Reply, type SimulatedRequest } from './exchange.ts';
import type { Item } from './store.ts';
import { asObject } from './tokens.ts';

/** Nova's names of faults, by status. */
const FAULTS: Readonly<Record<number, string>> = {
  400: 'badRequest',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  501: 'notImplemented',
};

/** Nova's form of an error. */
export function novaRefusal(status: number, message: string): Refusal {
  return new Refusal({ status, body: { [FAULTS[status] ?? 'computeFault']: { code: status, message } } });
}

export function notAllowed(): Refusal {
  return novaRefusal(
    405,
    'The server could not comply with the request since it is either malformed or otherwise incorrect.',
  );
}

/** The object under `key` in a body. */
export function member({ body }: SimulatedRequest, key: string): JsonObject {
  if (body === 'broken') throw novaRefusal(400, 'Malformed request body');
  if (body === 'absent') throw novaRefusal(400, "None is not of type 'object'");
  const given = body[key];
  if (given === undefined) throw novaRefusal(400, `'${key}' is a required property`);
  const found = asObject(given);
  if (found === undefined) throw invalid(key, given, `${pythonRepr(given)} is not of type 'object'`);
  return found;
}

/** Errors of the real service's JSON schemas about a value. */
export function invalid(path: string, value: Json | undefined, problemMessage: string): Refusal {
  return novaRefusal(400, `Invalid input for field/attribute ${path}. Value: ${pythonRepr(value)}. ${problemMessage}`);
}

/** Refuses missing and unknown members. */
export function checkMembers(
  path: string,
  given: JsonObject,
  { required, allowed }: { readonly required: readonly string[]; readonly allowed: readonly string[] },
): void {
  const unknown = Object.keys(given).filter((name) => !allowed.includes(name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => `'${name}'`).join(', ');
    const were = unknown.length === 1 ? 'was' : 'were';
    throw invalid(path, given, `Additional properties are not allowed (${names} ${were} unexpected)`);
  }
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) throw invalid(path, given, `'${missing}' is a required property`);
}

export function checkText(path: string, value: Json | undefined, longest = 255): string {
  if (typeof value !== 'string') throw invalid(path, value, `${pythonRepr(value)} is not of type 'string'`);
  if (value.length > longest) throw invalid(path, value, `${pythonRepr(value)} is too long`);
  if (value.length < 1) throw invalid(path, value, `${pythonRepr(value)} is too short`);
  return value;
}

/** A name as most of Nova's have it. */
export function checkName(path: string, value: Json | undefined): string {
  const name = checkText(path, value);
  if (name.trim() !== name || /\p{Cc}/u.test(name)) {
    const rule = 'printable characters. Can not start or end with whitespace.';
    throw novaRefusal(400, `An invalid 'name' value was provided. The name must be: ${rule}`);
  }
  return name;
}

/** Whole numbers may come as digits. */
export function checkNumber(path: string, value: Json | undefined, least: number): number {
  const number = typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number))
    throw invalid(path, value, `${pythonRepr(value)} is not of type 'integer', 'string'`);
  if (number < least) throw invalid(path, value, `${pythonRepr(value)} is less than the minimum of ${least}`);
  return number;
}

export function checkChoice(path: string, value: Json | undefined, choices: readonly string[]): string {
  if (typeof value === 'string' && choices.includes(value)) return value;
  throw invalid(path, value, `${pythonRepr(value)} is not one of ${pythonRepr(choices)}`);
}

/** A map of short texts under names that may hold these characters: metadata, extra specs. */
export function checkMap(path: string, value: Json | undefined): Readonly<Record<string, string>> {
  const map = asObject(value);
  if (map === undefined) throw invalid(path, value, `${pythonRepr(value)} is not of type 'object'`);
  const stray = Object.keys(map).find((name) => !/^[a-zA-Z0-9-_:. ]{1,255}$/.test(name));
  if (stray !== undefined) {
    const problemMessage = `does not match any of the regexes: '^[a-zA-Z0-9-_:. ]{1,255}$'`;
    throw invalid(path, map, `'${stray}' ${problemMessage}`);
  }
  return Object.fromEntries(Object.entries(map).map(([name, each]) => [name, checkValue(name, each)]));
}

function checkValue(name: string, value: Json): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw invalid(name, value, `${pythonRepr(value)} is not of type 'string'`);
  if (value.length > 255) throw invalid(name, value, `${pythonRepr(value)} is too long`);
  return value;
}

export interface Paging {
  readonly items: readonly Item[];
  /** Member of the answer that holds the list. */
  readonly key: string;
  /** Attribute that a marker names. */
  readonly marker: string;
  readonly show: (item: Item) => Json;
  /** Most items of one answer. */
  readonly maxPageSize: number;
}

/** A page of a list, with a link to the next one if the page is full. */
export function answerPage(request: SimulatedRequest, { items, key, marker, show, maxPageSize }: Paging): Reply {
  const { query } = request;
  const limit = query.get('limit');
  if (limit !== null && !/^[0-9]+$/.test(limit)) {
    const problemMessage = `${pythonRepr(limit)} does not match '^[0-9]*$'`;
    throw novaRefusal(400, `Invalid input for query parameters limit. Value: ${limit}. ${problemMessage}`);
  }
  const size = Math.min(limit === null ? maxPageSize : Number(limit), maxPageSize);
  const after = query.get('marker');
  const start = after === null ? 0 : items.findIndex((item) => item[marker] === after) + 1;
  if (after !== null && start === 0) throw novaRefusal(400, `marker [${after}] not found`);
  const page = items.slice(start, start + size);
  const next = new URLSearchParams(query);
  next.set('marker', String(page.at(-1)?.[marker]));
  const href = `${request.baseUrl}${request.path}?${next}`;
  const links = size > 0 && page.length === size ? { [`${key}_links`]: [{ rel: 'next', href }] } : {};
  return { status: 200, body: { [key]: page.map(show), ...links } };
}

/** Links of a resource of its own. */
export function linksOf(
  { baseUrl }: SimulatedRequest,
  collection: string,
  id: Json | undefined,
): readonly JsonObject[] {
  return [
    { rel: 'self', href: `${baseUrl}/${collection}/${id}` },
    { rel: 'bookmark', href: `${baseUrl.replace(/\/v2\.1$/, '')}/${collection}/${id}` },
  ];
}
