// One call of a method of the model, and its answer.
import { refuse } from '../envelope/faults.ts';
import type { Query } from '../envelope/query.ts';
import type { Operation } from '../routes/tree.ts';
import type { Caller, Fault, WriteContext } from '../store/store.ts';
import type { Served, ServedTable } from './served.ts';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless the headers say otherwise; undefined for a body that is empty. */
  readonly body?: string;
}

export interface Call {
  readonly served: Served;
  readonly operation: Operation;
  /** Identifiers in the path, outermost first. */
  readonly ids: readonly string[];
  readonly query: Query;
  /**
   * The body as JSON; undefined for an empty one.
   *
   * @throws {RefusedRequest} 400, 413, 415
   */
  readonly body: () => Promise<unknown>;
  readonly context: WriteContext;
  /** Makes an identifier that no object has. */
  readonly newId: () => string;
}

/**
 * The table that a call reads or writes.
 *
 * @throws {RefusedRequest} 501: nothing is bound; 503: its objects are not known yet
 */
export function tableOf({ served, operation }: Call): ServedTable {
  const { collection, method, path } = operation;
  const table = collection && served.table(collection);
  if (table === undefined) return refuse(501, `Nothing serves '${method.verb} ${path}' here`);
  if (!table.index.isComplete)
    refuse(503, 'The objects are being read: try again', { headers: { 'Retry-After': '1' } });
  return table;
}

/**
 * Whether a caller may read an object, or list with `id` undefined.
 *
 * @throws {RefusedRequest} 503: that is not known now
 */
export async function isReadable(
  { table, collection }: Pick<ServedTable, 'table' | 'collection'>,
  caller: Caller,
  address: { readonly outer: readonly string[]; readonly id: string | undefined },
): Promise<boolean> {
  const answer = (await table.mayRead?.(caller, address)) ?? true;
  return typeof answer === 'boolean' ? answer : refuseFault(answer, objectName({ collection }, address.id ?? ''));
}

/** @throws {RefusedRequest} always: what a store refused, as clients see it */
export function refuseFault(fault: Fault, name: string, existsStatus: 400 | 409 = 409): never {
  switch (fault.kind) {
    case 'notFound':
      return refuse(404, `${name} not found`);
    case 'exists':
      return refuse(existsStatus, `${name} already exists`);
    case 'conflict':
      return refuse(409, fault.reason);
    case 'invalid':
      return refuse(400, fault.reason);
    case 'forbidden':
      return refuse(403, fault.reason);
    case 'unavailable': {
      const seconds = Math.max(1, Math.ceil((fault.retryAfterMs ?? 1_000) / 1_000));
      return refuse(503, 'The server cannot do this now: try again', { headers: { 'Retry-After': String(seconds) } });
    }
    case 'unknown':
      // Clients repeat any request after 503, and only reads after 500.
      // mutant: gateway-unknown-repeated ()#1.1 -> 503
      return refuse(500, `The server does not know whether this changed ${name}: read it before you try again`);
  }
}

/** Name of an object in sentences: `Cluster '123'`. */
export function objectName({ collection }: Pick<ServedTable, 'collection'>, id: string): string {
  return id === '' ? collection.type.name.camel : `${collection.type.name.camel} '${id}'`;
}
