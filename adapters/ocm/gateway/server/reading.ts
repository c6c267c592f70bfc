// Methods List and Get of the served model.
import { BUILT_IN_TYPES, type Parameter, type Type } from '../../model/mod.ts';
import { decodeValue } from '../envelope/decode.ts';
import { fieldDeprecation, methodDeprecation } from '../envelope/deprecation.ts';
import { refuse } from '../envelope/faults.ts';
import { type Query, queryValue } from '../envelope/query.ts';
import { compileSearch } from '../search/compile.ts';
import { orderOf } from '../search/order.ts';
import { projectionOf } from '../search/projection.ts';
import { isObject } from '../store/links.ts';
import type { Address, StoredObject, Value } from '../store/store.ts';
import { type Answer, type Call, isReadable, objectName, tableOf } from './call.ts';
import type { ServedTable } from './served.ts';

const DEFAULT_SIZE = 100;
const LARGEST_SIZE = 65_500;
/** Longest text of a parameter, in characters: a body has room for more. */
const LONGEST_TEXT = 64 * 1024;

/** Parameters that every list takes, declared or not: by the key of the parameter that declares it. */
const ALWAYS = [
  { key: 'page', name: 'page', type: builtIn('integer') },
  { key: 'size', name: 'size', type: builtIn('long') },
  { key: 'fields', name: 'fields', type: builtIn('string') },
  { key: 'orderBy', name: 'orderBy', type: builtIn('string') },
] as const;

interface GivenParameters {
  /** Keyed by parameter. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Wire names of the parameters that the caller gave. */
  readonly names: ReadonlySet<string>;
}

/**
 * The parameters of a list: from the body where that has them, else from the query.
 *
 * @throws {RefusedRequest} 400
 */
function givenOf(query: Query, body: Value, parameters: readonly Parameter[]): GivenParameters {
  const values = new Map<string, unknown>();
  const given = new Set<string>();
  const take = (key: string, type: Type, queryName: string, names: readonly string[], initial: unknown): void => {
    const member = names.find((name) => Object.hasOwn(body, name) && body[name] !== null);
    const text = query.text(queryName);
    if (member !== undefined || text !== undefined) given.add(names[0] ?? queryName);
    if (key === 'size' && isInexact(member === undefined ? text : body[member])) {
      values.set(key, LARGEST_SIZE);
      return;
    }
    // mutant: gateway-query-wins if -> member !== undefined && text === undefined
    if (member !== undefined) values.set(key, decodeValue(type, body[member], member, 'absent'));
    else values.set(key, text === undefined ? initial : queryValue(type, text, queryName));
  };
  for (const { name, type, queryName, wireName, default: initial } of parameters) {
    take(name.key, name.key === 'size' ? builtIn('long') : type, queryName, [wireName, name.snake, queryName], initial);
  }
  for (const { key, name, type } of ALWAYS) if (!values.has(key)) take(key, type, name, [name], undefined);
  return { values, names: given };
}

/** @param isByPost  asked by `POST ?method=get`: parameters may be in the body */
export async function list(call: Call, { isByPost }: { readonly isByPost: boolean }): Promise<Answer> {
  const { operation, query, ids } = call;
  const served = tableOf(call);
  const { collection, index, writer, scope } = served;
  await mayRead(call, served, { outer: ids, id: undefined });
  const { values, names } = givenOf(query, isByPost ? objectBody(await call.body()) : {}, operation.method.query);
  const text = (...keys: readonly string[]): string => {
    const value = keys.map((key) => values.get(key)).find((each) => each !== undefined);
    return typeof value === 'string' ? limited(keys[0] ?? '', value) : '';
  };
  const page = Number(values.get('page') ?? 1);
  // mutant: gateway-page-zero if -> false
  if (page < 1) refuse(400, `The query parameter 'page' must be at least 1, and not '${page}'`);
  const size = sizeOf(Number(values.get('size') ?? DEFAULT_SIZE));
  const search = text('search');
  const order = orderOf(text('order', 'order_by', 'orderBy'), scope);
  const project = projectionOf(text('fields'), collection.type);
  const { total, objects } = index
    .inside(ids)
    .query(compileSearch(search, scope), order, (page - 1) * size, page * size);
  const projected = project && objects.map((item) => project(writer.value(item)));
  const texts = projected?.map((item) => JSON.stringify(item)) ?? objects.map((item) => writer.text(item));
  const kind = JSON.stringify(`${collection.type.name.camel}List`);
  // Clients ask for further pages until one has fewer objects than they asked for.
  // mutant: gateway-asked-size =.2 -> size
  const length = objects.length;
  const body = `{"kind":${kind},"page":${page},"size":${length},"total":${total},"items":[${texts.join()}]}`;
  const headers = {
    ...methodDeprecation(operation.method, names),
    // mutant: gateway-list-without-notice drop
    ...fieldDeprecation(collection.type, ...(projected ?? objects.map(({ value }) => value))),
  };
  return { status: operation.method.status, headers, body };
}

export async function get(call: Call): Promise<Answer> {
  const { operation, query } = call;
  const { method } = operation;
  const given = query.values(method.query);
  const served = tableOf(call);
  const { collection, writer } = served;
  const object = await existing(call, served);
  const project = projectionOf(limited('fields', query.text('fields') ?? ''), collection.type);
  const projected = project?.(writer.value(object));
  const names = new Set(Object.keys(given).filter((name) => query.text(name) !== undefined));
  return {
    status: method.status,
    headers: { ...methodDeprecation(method, names), ...fieldDeprecation(collection.type, projected ?? object.value) },
    body: projected === undefined ? writer.text(object) : JSON.stringify(projected),
  };
}

/** The object that a call is about. @throws {RefusedRequest} 404 */
export async function existing(call: Call, served: ServedTable): Promise<StoredObject> {
  const address = addressOf(call);
  const object = served.index.get(address);
  if (object === undefined) return refuse(404, `${objectName(served, address.id)} not found`);
  await mayRead(call, served, address);
  return object;
}

export function addressOf({ operation, ids }: Pick<Call, 'operation' | 'ids'>): Address {
  return operation.subject === 'object' ? { outer: ids.slice(0, -1), id: ids.at(-1) ?? '' } : { outer: ids, id: '' };
}

/** An object that a caller may not see is not found; a list is forbidden. @throws {RefusedRequest} 403, 404 */
export async function mayRead(
  { context }: Call,
  served: ServedTable,
  address: { readonly outer: readonly string[]; readonly id: string | undefined },
): Promise<void> {
  // mutant: gateway-may-read if -> true
  if (await isReadable(served, context.caller, address)) return;
  const { id } = address;
  if (id === undefined) refuse(403, `Listing objects of ${served.collection.type.name.camel} is not allowed`);
  else refuse(404, `${objectName(served, id)} not found`);
}

function objectBody(body: unknown): Value {
  if (body === undefined || body === null) return {};
  return isObject(body) ? body : refuse(400, 'The body must be an object with the parameters of the list');
}

/** @throws {RefusedRequest} 400 */
function limited(name: string, text: string): string {
  // mutant: gateway-text-of-any-length if -> false
  if (text.length > LONGEST_TEXT) refuse(400, `The query parameter '${name}' has at most ${LONGEST_TEXT} characters`);
  return text;
}

function sizeOf(asked: number): number {
  // mutant: gateway-any-size ||.2 -> false
  // mutant: gateway-negative-size return -> asked
  return asked < 0 || asked > LARGEST_SIZE ? LARGEST_SIZE : asked;
}

/** Whether it is a whole number beyond those that are exact: a size may be one. */
function isInexact(size: unknown): boolean {
  const number = typeof size === 'number' || /^-?\d+$/.test(String(size)) ? Number(size) : 0;
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}

function builtIn(key: 'integer' | 'long' | 'string'): Type {
  const type = BUILT_IN_TYPES.get(key);
  if (type === undefined) throw new Error(`there is no type '${key}'`);
  return type;
}
