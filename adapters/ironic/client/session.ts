// The way to Ironic: one for all calls of a process, as files and Secrets have it, in the version that was agreed on.
//
// Invariants:
//   IRONIC-SESSION-1. Credentials go to the endpoint alone: of a link to the next page only the query is used, and no redirection is followed.
//   IRONIC-SESSION-2. Nothing of them, and no secret of a request, is in an error, a log or a record of a call.
//   IRONIC-SESSION-3. A call is sent once. Only the caller decides whether it is sent again.
//   IRONIC-SESSION-4. What needs a feature is not asked of an Ironic without it: its 404 would be taken for absence.
//   IRONIC-SESSION-5. Calls that are under way end on the connection that they began on, when files or Secrets lead to another one.
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TerminalError, TransientError, toErrorData } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { AdapterLog, CallLoad, CallRecord, ReplicaCount } from '../../api/adapter.ts';
import { CircuitBreaker } from '../../http/circuit-breaker.ts';
import { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import { callLimited, tracing } from '../../http/limited-call.ts';
import type { ProxySettings } from '../../http/proxies.ts';
import { AnswerMemory } from '../../http/response.ts';
import { httpTransport, type Transport, type TransportResponse, type Trust } from '../../http/transport.ts';
import { CachedFetch } from './cached-fetch.ts';
import type { Connection } from './connection.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { NotReadyError, refusalOf, unreached } from './errors.ts';
import { objectsIn } from './node.ts';
import { type Choice, choose, versionHeaders } from './versions.ts';

/** For whom a call is made. */
export interface Asking {
  /** Namespace of the object; empty for calls that belong to no object. */
  readonly namespace: string;
  /** Milliseconds since the epoch. */
  readonly deadlineAt: number;
  /** Trace context of the operation; empty if there is none. */
  readonly traceparent: string;
}

/** Parameters of a request, beside endpoint and path. */
export interface RequestParameters {
  /** Without the question mark. */
  readonly query?: string | undefined;
  readonly body?: Json | undefined;
  /** `first`: other callers wait for the result of this call. */
  readonly turn?: 'first';
}

export interface IronicAnswer {
  readonly status: number;
  /** `{}` when the answer had no body, or is a list. */
  readonly body: JsonObject;
  /** Elements of a response that is a list. */
  readonly items?: readonly Json[];
}

/** An Ironic that can be used. */
export interface Readiness extends Choice {
  readonly drivers: readonly string[];
}

export interface IronicSessionDeps {
  readonly clock: Clock;
  readonly log: Pick<AdapterLog, 'info' | 'warn'>;
  /** Of Troupe, for `User-Agent`. */
  readonly version: string;
  /** Current connection to Ironic. Called at each readiness check; must end without an abort. */
  readonly connection: () => Promise<Connection>;
  readonly timeoutMs: number;
  readonly cacheTtlMs: number;
  readonly callsInFlight: number;
  /** Number of processes that call the same Ironic; 1 by default. */
  readonly replicaCount?: ReplicaCount;
  readonly proxy?: ProxySettings | undefined;
  /** Told of every request after its end. Must not throw. */
  readonly onCall?: (record: CallRecord) => void;
  /** How Ironics of one trust are reached; by HTTP by default. */
  readonly transport?: (trust: Trust) => Transport;
}

/** How Ironic is reached, and all that belongs to it. */
interface Way {
  readonly connection: Connection;
  readonly digest: string;
  readonly transport: Transport;
  readonly outage: CircuitBreaker;
  readonly discovery: CachedFetch<Choice>;
  /** The last one, which holds until the next. */
  choice: Choice | undefined;
  /** Calls under way, which it stays open for. */
  calls: number;
}

/** In messages. */
const NAME = 'Ironic';
/** In records of calls. */
const SERVICE = 'ironic';
/** Memory that answers take while they are read, in bytes. */
const ANSWER_BYTES = 32 * 1024 * 1024;
const MOST_PAGES = 1_000;

export class IronicSession {
  readonly #deps: IronicSessionDeps;
  readonly #gate: ConcurrencyLimiter;
  readonly #memory = new AnswerMemory(ANSWER_BYTES);
  readonly #stopSharing: (() => void) | undefined;
  readonly #readiness: CachedFetch<Readiness>;
  readonly #ways = new Set<Way>();
  #way: Way | undefined;
  /** Maximum API version of the Ironic that was last logged. */
  #toldOf: string | undefined;

  constructor(deps: IronicSessionDeps) {
    this.#deps = deps;
    const { clock, cacheTtlMs: ttlMs, replicaCount } = deps;
    this.#gate = new ConcurrencyLimiter({ clock, slots: this.#slots(), name: NAME });
    this.#stopSharing = replicaCount?.onChange(() => this.#gate.resize(this.#slots()));
    const look = (): Promise<Readiness> => this.#examine();
    this.#readiness = new CachedFetch({ clock, ttlMs, look, name: 'the check whether Ironic is ready' });
  }

  /** @throws {NotReadyError} it cannot be used now */
  async ready({ deadlineAt }: Asking): Promise<Readiness> {
    try {
      return await this.#readiness.get(deadlineAt);
    } catch (error) {
      const { retryAfterMs, fault } = error instanceof TransientError ? error : {};
      throw new NotReadyError(toErrorData(error).message, { cause: error, retryAfterMs, fault });
    }
  }

  /** What Ironic can do, as it was found last. */
  async choice({ deadlineAt }: Asking): Promise<Choice> {
    const way = this.#way ?? (await this.#connect());
    return way.choice ?? way.discovery.get(deadlineAt);
  }

  /** Sends one request. @throws as `IronicClient` */
  async ask(endpoint: Endpoint, path: string, given: RequestParameters, asking: Asking): Promise<IronicAnswer> {
    const way = this.#way ?? (await this.#connect());
    const { version, maximum, features } = way.choice ?? (await way.discovery.get(asking.deadlineAt));
    const { feature } = endpoint;
    // mutant: ironic-feature-missing if -> false
    if (feature !== undefined && !features.includes(feature)) {
      throw new TerminalError(`Ironic is too old for '${feature}': it knows its API up to version ${maximum}`);
    }
    const { status, body, items } = await this.#exchange(way, endpoint, path, given, versionHeaders(version), asking);
    return { status, body, ...(items !== undefined && { items }) };
  }

  /** A list that comes in pages, one after the other. */
  async *pages(
    endpoint: Endpoint,
    first: URLSearchParams,
    asking: Asking,
  ): AsyncGenerator<readonly JsonObject[], void> {
    const { method, path, pages: key = '' } = endpoint;
    const label = labelOf(method, path);
    const seen = new Set<string>();
    let query = String(first);
    for (;;) {
      seen.add(query);
      const { body } = await this.ask(endpoint, path, { query: query === '' ? undefined : query }, asking);
      const { [key]: items, next } = body;
      if (!Array.isArray(items)) throw new TransientError(`${label} answered without a list '${key}'`);
      yield objectsIn(items);
      if (next === undefined || next === null) return;
      const at = typeof next === 'string' ? next.indexOf('?') : -1;
      if (typeof next !== 'string' || at < 0)
        throw new TransientError(`${label} answered with a next page that is none`);
      // Not its host, nor its path (IRONIC-SESSION-1).
      query = next.slice(at + 1);
      if (seen.has(query) || seen.size >= MOST_PAGES) {
        throw new TransientError(`${label} answered with pages that come to no end`);
      }
    }
  }

  get load(): CallLoad {
    return this.#gate.load;
  }

  /** Ends all connections; calls that are running fail. */
  async close(): Promise<void> {
    this.#stopSharing?.();
    this.#gate.close();
    const ways = [...this.#ways];
    this.#ways.clear();
    this.#way = undefined;
    await Promise.all(ways.map(({ transport }) => transport.close()));
  }

  /** The own part of the calls: all parts together are no more than the limit, unless that is less than one each. */
  #slots(): number {
    const { callsInFlight, replicaCount } = this.#deps;
    const { count = callsInFlight } = replicaCount ?? { count: 1 };
    return Math.max(1, Math.floor(callsInFlight / count));
  }

  /** Parameters of a request without a caller's deadline. */
  #asking(): Asking {
    return { namespace: '', deadlineAt: this.#deps.clock.now() + this.#deps.timeoutMs, traceparent: '' };
  }

  async #examine(): Promise<Readiness> {
    const way = await this.#connect();
    const { deadlineAt } = this.#asking();
    const choice = await way.discovery.get(deadlineAt);
    const { listDrivers } = ENDPOINTS;
    const headers = versionHeaders(choice.version);
    const { body } = await this.#exchange(way, listDrivers, listDrivers.path, FIRST, headers, this.#asking());
    const drivers = objectsIn(body['drivers']).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
    if (drivers.length === 0) throw new TransientError('Ironic has no driver yet: no conductor has come');
    return { ...choice, drivers };
  }

  async #discover(way: Way): Promise<Choice> {
    const { body } = await this.#exchange(way, DOCUMENT, DOCUMENT.path, FIRST, {}, this.#asking());
    const choice = choose(body);
    way.choice = choice;
    this.#report(choice);
    return choice;
  }

  /** Once for each version: people who wonder why something is not done find it here. */
  #report({ version, maximum, missing }: Choice): void {
    if (this.#toldOf === maximum) return;
    this.#toldOf = maximum;
    const { log } = this.#deps;
    if (missing.length === 0) log.info({ version, maximum }, 'Ironic is used with all features');
    else log.warn({ version, maximum, missing }, 'Ironic is too old for some features; using it without them');
  }

  async #exchange(
    way: Way,
    { method, success, extent = 'one', shape = 'object' }: Endpoint,
    path: string,
    { query, body, turn }: RequestParameters,
    headers: Readonly<Record<string, string>>,
    { namespace, deadlineAt, traceparent }: Asking,
  ): Promise<TransportResponse> {
    const { clock, onCall, version, timeoutMs } = this.#deps;
    const { connection, transport, outage } = way;
    const label = labelOf(method, path);
    const authorization = connection.credentials === undefined ? undefined : basic(connection.credentials);
    const holding = this.#memory.open([`namespace ${namespace}`]);
    way.calls++;
    try {
      const answer = await callLimited(
        { clock, gate: this.#gate, transport, onCall },
        {
          service: SERVICE,
          path,
          request: {
            method,
            url: `${connection.endpoint}${path}${query === undefined ? '' : `?${query}`}`,
            label,
            headers: {
              'user-agent': `troupe/${version}`,
              ...tracing(traceparent),
              ...headers,
              ...(authorization !== undefined && { authorization: `Basic ${authorization}` }),
            },
            body: body as JsonObject | readonly JsonObject[] | undefined,
            deadlineAt,
            extent,
            shape,
            holding,
          },
          timeoutMs,
          outage,
          namespace,
          traceparent,
          ...(turn !== undefined && { turn }),
        },
      ).catch((error: unknown) => {
        throw unreached(error);
      });
      if (success.includes(answer.status)) return answer;
      if (answer.status === 406) {
        // Another Ironic answers by now, or this one was put back.
        // mutant: ironic-old-version drop
        way.choice = undefined;
        way.discovery.forget();
        this.#readiness.forget();
      }
      const secrets = [connection.credentials?.password ?? '', authorization ?? ''];
      throw refusalOf({ label, answer, requestBody: body, secrets });
    } finally {
      holding.release();
      way.calls--;
      this.#closeIfOver(way);
    }
  }

  /** The way as files and Secrets have it now; the one before goes when its calls are over (IRONIC-SESSION-5). */
  async #connect(): Promise<Way> {
    const { clock, proxy, cacheTtlMs: ttlMs } = this.#deps;
    const connection = await this.#deps.connection();
    const digest = createHash('sha256').update(JSON.stringify(connection)).digest('hex');
    if (this.#way?.digest === digest) return this.#way;
    const open = this.#deps.transport ?? ((trust: Trust) => httpTransport(trust, proxy, clock));
    const look = (): Promise<Choice> => this.#discover(way);
    const way: Way = {
      connection,
      digest,
      transport: open(connection.trust),
      outage: new CircuitBreaker(clock, NAME),
      discovery: new CachedFetch({ clock, ttlMs, look, name: 'the request for the version of Ironic' }),
      choice: undefined,
      calls: 0,
    };
    const before = this.#way;
    this.#way = way;
    this.#ways.add(way);
    if (before !== undefined) this.#closeIfOver(before);
    return way;
  }

  #closeIfOver(way: Way): void {
    // mutant: ironic-break-off ||.2 drop
    if (way === this.#way || way.calls > 0 || !this.#ways.delete(way)) return;
    void way.transport.close();
  }
}

/** The document of versions, which is asked for in none. */
const DOCUMENT = { method: 'GET', path: '/v1/', success: [200] } as const satisfies Endpoint;
const FIRST = { turn: 'first' } as const;

/** The request in words: no query, no secret. */
function labelOf(method: string, path: string): string {
  return `${method} ${path} of Ironic`;
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}
