// Look-ups that happen together are few list requests: a hundred objects applied at once ask for a hundred names in two,
// and a hundred resources that are looked at until they are built are one list each time.
//
// Invariants:
//   OS-LOOKUPS-1. A look-up is answered from a list that began after it was asked for.
//   OS-LOOKUPS-2. Each look-up gets the results that meet all its own criteria, however they were fetched.
//   OS-LOOKUPS-3. A list that failed, or that may be incomplete, is never an answer.
//   OS-LOOKUPS-4. No list ever runs beyond the deadline of a lookup that it serves.
import type { JsonObject } from '../../../bus/bus.ts';
import { TransientError, UnsentError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { OversizeError } from '../../http/response.ts';
import { type Criterion, matchesAll, queryOf } from '../base/criteria.ts';
import type { Service } from '../base/services.ts';
import { type Identity, idCriteria } from './identity.ts';
import type { Answer, Call, Session } from './session.ts';
import {
  isPagedByOffset,
  type Listing,
  listCall,
  nextQuery,
  type Query,
  resourceIn,
  resourcesOf,
} from './wire-format.ts';

/** Part of a kind that a lookup needs. */
export interface Collection {
  readonly service: Service;
  /** Its path below the service's endpoint, without a slash. */
  readonly collection: string;
  /** Members of a body that hold one resource, and a list. */
  readonly member: string;
  readonly members: string;
  readonly listing?: Listing;
  /** Identity of a resource that has no id. */
  readonly identity?: Identity;
  /** See `KindTable`. */
  readonly unwrapped?: (reported: JsonObject) => JsonObject;
}

export type LookUpCall = Pick<Call, 'deadlineAt' | 'traceparent'>;

export interface LookUps {
  /** The resources that meet all criteria. @throws as `Session.list` */
  find(
    session: Session,
    of: Collection,
    criteria: readonly Criterion[],
    call: LookUpCall,
  ): Promise<readonly JsonObject[]>;
  /** The resource of this id; undefined when there is none. @throws as `find`, and as `Session.call` */
  read(session: Session, of: Collection, id: string, call: LookUpCall): Promise<JsonObject | undefined>;
}

/** Names, or ids, in one query. */
const VALUES_A_LIST = 50;
/** Criteria with several values in one query, for services that accept that. */
// mutant: look-ups-by-device [].2 drop
const KEYS = ['name', 'device_id', 'port_id', 'description'] as const;
/** Encoded length of the names in one query; servers refuse request lines beyond 8 KiB. */
const VALUES_LENGTH = 6_000;
/** Maximum number of separate queries for a service that accepts one name per query. */
const SINGLE_QUERIES = 4;

interface LookUp {
  readonly criteria: readonly Criterion[];
  readonly call: LookUpCall;
  readonly resolve: (results: readonly JsonObject[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Lookups are batched until the event loop continues, or while a list of the same collection runs. */
export function lookUps({ clock }: { readonly clock: Clock }): LookUps {
  const queues = new WeakMap<Session, Map<string, Queue>>();
  const find: LookUps['find'] = (session, of, criteria, call) => {
    const ofSession = queues.get(session) ?? new Map<string, Queue>();
    queues.set(session, ofSession);
    const key = `${of.service.type}/${of.collection}`;
    const queue = ofSession.get(key) ?? new Queue({ clock, session, of, onIdle: () => ofSession.delete(key) });
    ofSession.set(key, queue);
    return queue.ask(criteria, call);
  };
  return { find, read: async (session, of, id, call) => (await find(session, of, idCriteria(of, id), call))[0] };
}

interface QueueDeps {
  readonly clock: Clock;
  readonly session: Session;
  readonly of: Collection;
  /** Called when no lookup waits: collections below other resources are as many as these. */
  readonly onIdle: () => void;
}

class Queue {
  readonly #clock: Clock;
  readonly #session: Session;
  readonly #of: Collection;
  readonly #onIdle: () => void;
  #waiting: LookUp[] = [];
  #isAwake = false;

  constructor({ clock, session, of, onIdle }: QueueDeps) {
    this.#clock = clock;
    this.#session = session;
    this.#of = of;
    this.#onIdle = onIdle;
  }

  ask(criteria: readonly Criterion[], call: LookUpCall): Promise<readonly JsonObject[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly JsonObject[]>();
    this.#waiting.push({ criteria, call, resolve, reject });
    if (!this.#isAwake) {
      this.#isAwake = true;
      this.#clock.setTimeout(() => void this.#drain(), 0);
    }
    return promise;
  }

  /** Never rejects: every failure is that of the lookups it concerns. */
  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const now = this.#clock.now();
      for (const { call, reject } of batch) {
        if (call.deadlineAt <= now) reject(new UnsentError(`no time was left to look for ${this.#of.collection}`));
      }
      const inTime = batch.filter(({ call }) => call.deadlineAt > now);
      await Promise.all(this.#plan(inTime).map(({ lookUps, fetch }) => serve(lookUps, fetch)));
    }
    this.#isAwake = false;
    this.#onIdle();
  }

  #plan(batch: readonly LookUp[]): readonly Fetching[] {
    const [byId, others] = partition(batch, ({ criteria }) => wantedOf('id', criteria) !== undefined);
    return [...this.#planReads(byId), ...this.#planQueries(others)];
  }

  /** One resource is read by its path; several are one list where the service knows several ids a query. */
  #planReads(batch: readonly LookUp[]): readonly Fetching[] {
    const ofOne = groupBy(batch, ({ criteria }) => wantedOf('id', criteria) ?? '');
    if (ofOne.length > 1 && this.#of.service.lookUp === 'names') {
      return chunksOf('id', ofOne).map((lookUps) => ({
        lookUps,
        fetch: () => this.#list(lookUps, anyQuery('id', lookUps)),
      }));
    }
    return ofOne.map((lookUps) => ({ lookUps, fetch: () => this.#read(lookUps) }));
  }

  #planQueries(batch: readonly LookUp[]): readonly Fetching[] {
    const queries = groupBy(batch, ({ criteria }) => JSON.stringify(queryOf(criteria)));
    if (this.#of.service.lookUp === 'names') {
      const keyed = Map.groupBy(batch, ({ criteria }) => KEYS.find((key) => wantedOf(key, criteria) !== undefined));
      return [...keyed].flatMap(([key, some]) => {
        const groups = groupBy(some, ({ criteria }) =>
          key === undefined ? JSON.stringify(queryOf(criteria)) : (wantedOf(key, criteria) ?? ''),
        );
        if (key === undefined)
          return groups.map((lookUps) => ({ lookUps, fetch: () => this.#list(lookUps, commonQuery(lookUps)) }));
        return chunksOf(key, groups).map((lookUps) => ({
          lookUps,
          fetch: () => this.#list(lookUps, anyQuery(key, lookUps)),
        }));
      });
    }
    if (queries.length <= SINGLE_QUERIES)
      return queries.map((lookUps) => ({ lookUps, fetch: () => this.#list(lookUps, commonQuery(lookUps)) }));
    const { within = [] } = this.#of.listing ?? {};
    const wholes = groupBy(batch, ({ criteria }) =>
      JSON.stringify(within.map((key) => completedLookup(key, criteria))),
    );
    return wholes.map((lookUps) => ({ lookUps, fetch: () => this.#all(lookUps) }));
  }

  async #read(lookUps: readonly LookUp[]): Promise<readonly JsonObject[]> {
    const { service, collection, member } = this.#of;
    const id = wantedOf('id', lookUps[0]?.criteria ?? []) ?? '';
    const path = `/${collection}/${encodeURIComponent(id)}`;
    const { status, body } = await this.#session.call({
      service: service.type,
      method: 'GET',
      path,
      ...commonCall(lookUps),
    });
    // mutant: missing-resource-absent drop
    if (status === 404) return [];
    // mutant: missing-resource-absent -> $ if (found === undefined) return [];
    const found = resourceIn(this.#of, body);
    if (typeof found !== 'object' || found === null || Array.isArray(found))
      throw new TransientError(`GET ${path} of service '${service.type}' answered ${status} without a '${member}'`);
    return [found as JsonObject];
  }

  async #list(lookUps: readonly LookUp[], query: Query): Promise<readonly JsonObject[]> {
    const call = { ...listCall(this.#of, query), ...commonCall(lookUps) };
    return resourcesOf(this.#of, await this.#session.list(call, this.#of.members));
  }

  /**
   * The whole list, restricted by the criteria that all lookups share. The service may truncate it (OS-LOOKUPS-3), or
   * it is too long.
   */
  async #all(lookUps: readonly LookUp[]): Promise<readonly JsonObject[]> {
    const { service, members } = this.#of;
    // Truncation of such a list cannot be detected.
    if (isPagedByOffset(service.type)) return this.#list(lookUps, commonQuery(lookUps));
    const whole = this.#session.call({
      ...listCall(this.#of, commonQuery(lookUps)),
      method: 'GET',
      extent: 'page',
      ...commonCall(lookUps),
    });
    const { status, body } = await whole.catch((error: unknown) => {
      if (error instanceof OversizeError) return TOO_LONG;
      throw error;
    });
    const { [members]: results, truncated } = body;
    // mutant: cut-list-proves &&.3 drop
    if (status === 200 && Array.isArray(results) && truncated !== true && nextQuery(body, members) === undefined)
      return resourcesOf(this.#of, results as readonly JsonObject[]);
    const queries = groupBy(lookUps, ({ criteria }) => JSON.stringify(queryOf(criteria)));
    const lists = await Promise.all(queries.map((each) => this.#list(each, commonQuery(each))));
    return lists.flat();
  }
}

const TOO_LONG: Answer = { status: 200, body: { truncated: true } };

/** One request, and the lookups that it answers. */
interface Fetching {
  readonly lookUps: readonly LookUp[];
  readonly fetch: () => Promise<readonly JsonObject[]>;
}

async function serve(lookUps: readonly LookUp[], fetch: Fetching['fetch']): Promise<void> {
  try {
    // Two queries of one fetch, or two pages of one list, may both hold a resource.
    const results = [...new Map((await fetch()).map((result) => [result['id'], result])).values()];
    // mutant: look-ups-mixed ().1 -> $0.1
    for (const { criteria, resolve } of lookUps) resolve(results.filter((result) => matchesAll(criteria, result)));
  } catch (error) {
    for (const { reject } of lookUps) reject(error);
  }
}

function commonCall(lookUps: readonly LookUp[]): LookUpCall {
  return {
    deadlineAt: Math.min(...lookUps.map(({ call }) => call.deadlineAt)),
    traceparent: lookUps[0]?.call.traceparent ?? '',
  };
}

/** Query that all lookups share. */
function commonQuery(lookUps: readonly LookUp[]): Query {
  const [first = [], ...others] = lookUps.map(({ criteria }) => queryOf(criteria));
  return first.filter(([key, value]) =>
    others.every((query) => query.some((item) => item[0] === key && item[1] === value)),
  );
}

/** Attribute that distinguishes lookups: an interface is identified by its router alone. */
type Key = 'id' | (typeof KEYS)[number];

/** Any of the values under the key, and what else all look-ups ask for. */
function anyQuery(key: Key, lookUps: readonly LookUp[]): Query {
  const values = [...new Set(lookUps.flatMap(({ criteria }) => wantedOf(key, criteria) ?? []))];
  return [...values.map((value) => [key, value] as const), ...commonQuery(lookUps).filter(([other]) => other !== key)];
}

function wantedOf(wanted: Key, criteria: readonly Criterion[]): string | undefined {
  return completedLookup(wanted, criteria);
}

function completedLookup(wanted: string, criteria: readonly Criterion[]): string | undefined {
  return criteria.find(({ key }) => key === wanted)?.value;
}

/** Groups joined until a query would hold too many values. */
function chunksOf(key: Key, groups: readonly (readonly LookUp[])[]): readonly (readonly LookUp[])[] {
  const chunks: LookUp[][] = [];
  let values = VALUES_A_LIST;
  let length = 0;
  for (const group of groups) {
    const more = encodeURIComponent(wantedOf(key, group[0]?.criteria ?? []) ?? '').length;
    if (values >= VALUES_A_LIST || length + more > VALUES_LENGTH) {
      chunks.push([]);
      values = 0;
      length = 0;
    }
    chunks.at(-1)?.push(...group);
    values += 1;
    length += more;
  }
  return chunks;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly T[])[] {
  return [...Map.groupBy(items, keyOf).values()];
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
