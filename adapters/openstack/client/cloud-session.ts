// One session: a token that is renewed in time, and calls that carry it.
//
// Invariants:
//   OS-CLOUD-SESSION-1. A token or another credential is in no error and in no record of a call.
//   OS-CLOUD-SESSION-2. At most one authentication of a session runs at a time, and all who need it wait for it.
//   OS-CLOUD-SESSION-3. A call is sent at most twice, and the second time only after 401, which says that nothing was done.
//   OS-CLOUD-SESSION-4. The token goes to no URL but the catalog's: of a link to the next page only the query is used.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TerminalError, TransientError, UnknownOutcomeError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { CallRecord } from '../../api/adapter.ts';
import type { CircuitBreakers } from '../../http/circuit-breaker.ts';
import type { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import { callLimited, tracing } from '../../http/limited-call.ts';
import { type AnswerMemory, type Holding, ListExtent } from '../../http/response.ts';
import { hidden, hiding } from '../../http/secrets.ts';
import type { Transport, TransportResponse } from '../../http/transport.ts';
import { type Grant, identityUrl, parseGrant, tokenRequest } from './authentication.ts';
import { serviceUrl, usable } from './catalog.ts';
import type { CloudEntry } from './clouds-yaml.ts';
import { authenticationRefusal, explanation } from './explanation.ts';
import { isPlainPath } from './ids.ts';
import { type Answer, type Call, HttpError, type Session } from './session.ts';
import { isPagedByOffset, nextQuery, offsetQuery } from './wire-format.ts';

export interface CloudSessionDeps {
  clock: Clock;
  gate: ConcurrencyLimiter;
  outages: CircuitBreakers;
  memory: AnswerMemory;
  transport: Transport;
  userAgent: string;
  /** Headers that each call of a service carries, by service: microversions. */
  serviceHeaders: Readonly<Record<string, Readonly<Record<string, string>>>>;
  onCall: ((record: CallRecord) => void) | undefined;
}

interface Held extends Grant {
  readonly renewAt: number;
}

/** Response to a call, and the token that it was sent with. */
interface Answered extends Omit<TransportResponse, 'subjectToken'> {
  readonly token: string | undefined;
}

/** For whom a call is made, and the memory for its answers. */
interface Asking {
  readonly namespace: string;
  readonly holding: Holding;
  /** `first`: other calls wait for this one. */
  readonly turn?: 'first';
}

/** Timeout of an authentication, independent of its callers, in milliseconds. */
const AUTHENTICATION_TIMEOUT_MS = 30_000;
/** After a refusal of the credentials, they are not tried again for so long: accounts get locked. */
const REFUSAL_HOLD_MS = 5_000;
/** Part of a token's life after which the next call gets a new one. */
const RENEW_AFTER = 0.9;
/** Members of `auth` that are secrets, by name. */
const SECRET = /password|secret|token|passcode/i;
/** Items that are asked for at a time, of services that take `limit`. */
const PAGE_SIZES: Readonly<Record<string, number>> = { network: 500, image: 200 };

export class CloudSession {
  readonly #deps: CloudSessionDeps;
  readonly #entry: CloudEntry;
  readonly #identityUrl: string;
  readonly #secrets: readonly string[];
  /** Sessions by namespace. */
  readonly #views = new Map<string, Session>();
  #held: Held | undefined;
  #authentication: Promise<Held> | undefined;
  #refusal: { readonly error: TransientError; readonly until: number } | undefined;

  constructor(entry: CloudEntry, deps: CloudSessionDeps) {
    this.#entry = entry;
    this.#identityUrl = identityUrl(entry);
    this.#deps = deps;
    this.#secrets = Object.entries(entry.auth).flatMap(([name, value]) => (SECRET.test(name) ? [value] : []));
  }

  /** The session as objects of one namespace use it; always the same one. */
  of(namespace: string): Session {
    const view = this.#views.get(namespace) ?? {
      call: (call) => this.#call(call, namespace),
      list: (call, key) => this.#list(call, key, namespace),
      userId: (call) => this.#userId(call, namespace),
    };
    this.#views.set(namespace, view);
    return view;
  }

  async #call(call: Call, namespace: string): Promise<Answer> {
    return this.#holding(namespace, async (asking) => this.#judge(call, await this.#ask(call, asking)));
  }

  #list(call: Omit<Call, 'method' | 'body'>, key: string, namespace: string): Promise<readonly JsonObject[]> {
    const pageSize = PAGE_SIZES[call.service];
    const given = call.query ?? [];
    const limited = given.some(([name]) => name === 'limit');
    let query = pageSize === undefined || limited ? given : [...given, ['limit', String(pageSize)] as const];
    const seen = new Set<string>();
    const all: JsonObject[] = [];
    const extent = new ListExtent();
    // Held until all pages are there (HTTP-RESPONSE-5).
    return this.#holding(namespace, async (asking) => {
      for (;;) {
        const get = { ...call, method: 'GET', query, extent: 'page' } as const;
        const answer = await this.#ask(get, asking);
        const label = labelOf(get);
        // mutant: lost-list-is-empty drop
        if (answer.status === 404) throw this.#refused(label, answer);
        const { status, body } = this.#judge(get, answer);
        const items = body[key];
        if (!Array.isArray(items) || !items.every(isObject)) {
          throw new TransientError(`${label} answered ${status} without a list '${key}'`);
        }
        // Not spread: a service without pages may answer more items than a call takes arguments.
        for (const item of items) all.push(item as JsonObject);
        const byOffset = isPagedByOffset(call.service) && items.length > 0;
        const next = byOffset ? offsetQuery(given, all.length) : nextQuery(body, key);
        if (next === undefined) return all;
        extent.add(label, answer.textLength ?? 0);
        // mutant: circle-of-pages -> if ($1) return all;
        if (seen.has(next)) throw new TransientError(`${label} answered with pages that lead in a circle`);
        seen.add(next);
        query = [...new URLSearchParams(next)];
      }
    });
  }

  async #userId(call: Pick<Call, 'deadlineAt' | 'traceparent'>, namespace: string): Promise<string> {
    const asked: Call = { service: 'identity', method: 'GET', path: '/auth/tokens', ...call };
    const { userId } = await this.#holding(namespace, (asking) => this.#current(asked, asking));
    if (userId === undefined) throw new TransientError('the identity service answered with a token without a user');
    return userId;
  }

  async #holding<T>(namespace: string, run: (asking: Asking) => Promise<T>): Promise<T> {
    const { memory } = this.#deps;
    const holding = memory.open([`namespace ${namespace}`, `cloud ${this.#identityUrl}`]);
    try {
      return await run({ namespace, holding });
    } finally {
      holding.release();
    }
  }

  async #ask(call: Call, asking: Asking): Promise<Answered> {
    const held = await this.#current(call, asking);
    const first = await this.#send(call, held, asking);
    if (first.status !== 401) return { ...first, token: held.token };
    // mutant: late-401 if -> true
    if (this.#held === held) this.#held = undefined;
    const again = await this.#current(call, asking);
    return { ...(await this.#send(call, again, asking)), token: again.token };
  }

  /** The token to use now, from a new authentication if need be; waits for it no longer than the call may. */
  async #current(call: Call, { namespace }: Asking): Promise<Held> {
    const { clock } = this.#deps;
    if (this.#held !== undefined && clock.now() < this.#held.renewAt) return this.#held;
    if (this.#refusal !== undefined && clock.now() < this.#refusal.until) throw this.#refusal.error;
    // mutant: authenticate-at-once if -> true
    if (this.#authentication === undefined) {
      this.#authentication = this.#holding(namespace, (asking) => this.#authenticate(call.traceparent, asking)).finally(
        () => {
          this.#authentication = undefined;
        },
      );
    }
    const late = new AbortController();
    const deadline = clock.sleep(Math.max(0, call.deadlineAt - clock.now()), late.signal).then(() => undefined);
    const held = await Promise.race([this.#authentication, deadline]).finally(() => late.abort());
    if (held === undefined) {
      const { host } = new URL(this.#identityUrl);
      throw new TransientError(`${labelOf(call)} was not sent: authentication took too long, at '${host}'`);
    }
    return held;
  }

  async #authenticate(traceparent: string, asking: Asking): Promise<Held> {
    const { clock } = this.#deps;
    const deadlineAt = clock.now() + AUTHENTICATION_TIMEOUT_MS;
    const url = this.#identityUrl;
    const call: Call = {
      service: 'identity',
      method: 'POST',
      path: '/auth/tokens',
      body: tokenRequest(this.#entry),
      deadlineAt,
      traceparent,
    };
    const answer = await this.#enter(call, url, {}, { ...asking, turn: 'first' }).catch((error: unknown) => {
      // The authentication failed, so the call that needs the token was not sent.
      if (!(error instanceof UnknownOutcomeError)) throw error;
      throw new TransientError(error.message, { cause: error, retryAfterMs: error.retryAfterMs });
    });
    if (answer.status >= 300) {
      // Not an HttpError: its 404 or 409 says nothing about the resource of a call.
      const { retryAfterMs } = answer;
      const error = new TransientError(authenticationRefusal(answer), { retryAfterMs });
      if (answer.status < 429) this.#refusal = { error, until: clock.now() + REFUSAL_HOLD_MS };
      throw error;
    }
    const now = clock.now();
    const grant = parseGrant(answer.subjectToken, answer.body, now);
    const catalog = usable(grant.catalog, this.#entry);
    this.#held = { ...grant, catalog, renewAt: now + grant.lifetimeMs * RENEW_AFTER };
    this.#refusal = undefined;
    return this.#held;
  }

  async #send(call: Call, held: Held, asking: Asking): Promise<TransportResponse> {
    // Not quoted: the value was written in place of an id.
    if (!isPlainPath(call.path)) throw new TerminalError('the path of a call would lead elsewhere: an id is none');
    const url = serviceUrl(held.catalog, call.service, this.#entry, this.#identityUrl);
    return this.#enter(call, url, { 'x-auth-token': held.token }, asking);
  }

  /** Sends the call within the concurrency limit, unless the circuit breaker is open. */
  async #enter(
    call: Call,
    base: string,
    credentials: Readonly<Record<string, string>>,
    { namespace, holding, turn }: Asking,
  ): Promise<TransportResponse> {
    const { outages, serviceHeaders, userAgent } = this.#deps;
    const { service, method, path, query, body, stream, deadlineAt, traceparent, extent = 'one' } = call;
    return callLimited(this.#deps, {
      service,
      path,
      request: {
        method,
        url: `${base}${path}${searchOf(query ?? [])}`,
        label: labelOf(call),
        headers: {
          'user-agent': userAgent,
          ...tracing(traceparent),
          ...serviceHeaders[service],
          ...call.headers,
          ...credentials,
        },
        body,
        stream,
        deadlineAt,
        extent,
        holding,
      },
      outage: outages.of(service, base),
      namespace,
      traceparent,
      ...(turn !== undefined && { turn }),
    });
  }

  #judge(call: Call, answer: Answered): Answer {
    const { status, body } = answer;
    if (status < 300) return { status, body };
    const label = labelOf(call);
    if (status === 404) return { status, body, refusal: this.#refused(label, answer, call.secrets).message };
    if (status < 400) throw new TransientError(`${label} answered ${status}: redirections are not followed`);
    throw this.#refused(label, answer, call.secrets);
  }

  #refused(label: string, { status, body, retryAfterMs, token }: Answered, secrets: readonly string[] = []): HttpError {
    // mutant: secret-content-quoted [].2 drop
    const hide = hiding([...this.#secrets, ...secrets, token]);
    const said = explanation(body, hide);
    const safe = said.kind === 'quoted' ? (hidden(body, hide) as JsonObject) : {};
    const options = { status, body: safe, retryAfterMs };
    return new HttpError(`${label} answered ${status}${said.text === '' ? '' : `: ${said.text}`}`, options);
  }
}

function labelOf({ service, method, path }: Pick<Call, 'service' | 'method' | 'path'>): string {
  return `${method} ${path} of service '${service}'`;
}

function searchOf(query: readonly (readonly [string, string])[]): string {
  const search = new URLSearchParams();
  for (const [key, value] of query) search.append(key, value);
  return query.length === 0 ? '' : `?${search}`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
