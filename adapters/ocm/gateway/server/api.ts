// The API as a function from a request to an answer; `http.ts` has the connections.
//
// Invariants:
//   OCM-API-1. Only metadata, and pages about it, are answered to those who are not authenticated.
//   OCM-API-2. Every answer that is no success is an error object; what failed unexpectedly says nothing of why.
import type { IncomingHttpHeaders } from 'node:http';
import { withoutEnd } from '../../../text/without-end.ts';
import type { Model } from '../../model/mod.ts';
import { type Authenticator, Unauthenticated } from '../auth/authenticator.ts';
import { methodDeprecation, sunsetOf } from '../envelope/deprecation.ts';
import { type ErrorPlace, errorBody, PREFIXES } from '../envelope/errors.ts';
import { type Refusal, RefusedRequest, refuse } from '../envelope/faults.ts';
import { Query } from '../envelope/query.ts';
import { type Found, find, type Operation } from '../routes/tree.ts';
import type { Caller, Store } from '../store/store.ts';
import { type Answer, type Call, isReadable } from './call.ts';
import { metadata } from './metadata.ts';
import { callMethod } from './other-methods.ts';
import { page } from './pages.ts';
import type { RateLimit } from './rate.ts';
import { get, list } from './reading.ts';
import { Served, Watches } from './served.ts';
import { add, remove, update } from './writing.ts';

export interface ApiRequest {
  readonly verb: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the client. */
  readonly address: string;
  readonly body: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

export interface ApiAnswer extends Answer {
  readonly headers: Readonly<Record<string, string>>;
}

/** Facts of an answer, for metrics and logs. */
export interface Answered {
  readonly service: string | undefined;
  readonly version: string | undefined;
  /** Path with its parameters in braces; undefined where it leads to no method. */
  readonly path: string | undefined;
  readonly verb: string;
  readonly status: number;
}

export interface ApiDeps {
  readonly model: Model;
  readonly store: Store;
  readonly authenticator: Authenticator;
  /** Version of this program. */
  readonly build: string;
  readonly now: () => number;
  /** Unique ids of operations. */
  readonly newOperationId: () => string;
  /** Identifiers of objects. */
  readonly newId: () => string;
  readonly rate?: RateLimit | undefined;
  /** Beginnings of error codes by service. */
  readonly prefixes?: Readonly<Record<string, string>> | undefined;
  /** Called after each change of the objects, which requests see from then on. */
  readonly onChange?: () => void;
  /** Called with what should not happen. */
  readonly onDefect: (error: unknown, operationId: string) => void;
}

interface Target {
  readonly segments: readonly string[];
  readonly query: Query;
  readonly place: ErrorPlace;
  /** False: what is percent-encoded in the path is no text. */
  readonly isEncoded: boolean;
}

const VERBS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']);
const OPERATION_ID = /^[\x21-\x7e]{1,128}$/;
const NOWHERE: ErrorPlace = { service: undefined, version: undefined };

export class Api {
  readonly #deps: ApiDeps;
  readonly #watches: Watches;
  readonly #prefixes: Readonly<Record<string, string>>;
  #served: Served;
  readonly #unfollow: (() => void) | undefined;

  constructor(deps: ApiDeps) {
    this.#deps = deps;
    this.#prefixes = { ...PREFIXES, ...deps.prefixes };
    this.#watches = new Watches(deps.onChange);
    this.#served = new Served(deps.model, deps.store, this.#watches);
    this.#unfollow = deps.store.onBindingsChanged?.(() => this.serve(this.#served.model));
  }

  get served(): Served {
    return this.#served;
  }

  /** Serves another model from the next request on; objects of collections that stay are as they were. */
  serve(model: Model): void {
    this.#served = new Served(model, this.#deps.store, this.#watches);
  }

  close(): void {
    this.#unfollow?.();
    this.#watches.retain(new Set());
  }

  /** An error outside of any request, such as one that cannot be parsed. */
  refusal(refusal: Refusal): ApiAnswer {
    return this.#error(refusal, NOWHERE, this.#deps.newOperationId());
  }

  async answer(request: ApiRequest, onAnswered: (answered: Answered) => void): Promise<ApiAnswer> {
    const given = request.headers['x-operation-id'];
    // mutant: gateway-own-operation-id ?:.1 -> false
    const operationId = typeof given === 'string' && OPERATION_ID.test(given) ? given : this.#deps.newOperationId();
    const served = this.#served;
    let place = NOWHERE;
    let operation: Operation | undefined;
    const finish = (answer: ApiAnswer): ApiAnswer => {
      const verb = VERBS.has(request.verb) ? request.verb : 'other';
      onAnswered({ ...place, path: operation?.path, verb, status: answer.status });
      return answer;
    };
    try {
      const target = targetOf(request.target, served);
      place = target.place;
      // mutant: gateway-any-encoding if -> false
      if (!target.isEncoded) refuse(400, 'The path is not encoded as it should be');
      const isRead = request.verb === 'GET' || request.verb === 'HEAD';
      const deps = { build: this.#deps.build, prefixes: this.#prefixes };
      const own = metadata(served, target.segments, target.query, deps) ?? (await page(served, target.segments));
      if (own !== undefined) {
        if (!isRead) refuse(405, `The path has no method '${request.verb}'`, { headers: { Allow: 'GET, HEAD' } });
        return finish(this.#success(own, operationId));
      }
      if (!VERBS.has(request.verb)) refuseVerb(served, target.segments, request.verb);
      const caller = await this.#admitted(request, place);
      const found = route(served, target.segments, request.verb);
      operation = operationOf(found, request.verb, target.query);
      const answer = await this.#call(request, target, { served, found, operation, caller });
      return finish(this.#success(answer, operationId));
    } catch (error) {
      if (error instanceof RefusedRequest) {
        const notices = operation === undefined ? {} : methodDeprecation(operation.method, new Set());
        // mutant: gateway-errors-without-notice ... drop
        const headers = { ...notices, ...error.refusal.headers };
        return finish(this.#error({ ...error.refusal, headers }, place, operationId));
      }
      this.#deps.onDefect(error, operationId);
      return finish(
        this.#error({ status: 500, reason: 'The server failed to answer the request' }, place, operationId),
      );
    }
  }

  async #admitted(request: ApiRequest, place: ErrorPlace): Promise<Caller> {
    const { authenticator, rate } = this.#deps;
    const refuseRate = (key: string): void => {
      const seconds = rate?.admit(key);
      if (seconds === undefined) return;
      refuse(429, 'There are too many requests: try again later', { headers: { 'Retry-After': String(seconds) } });
    };
    try {
      const caller = await authenticator.authenticate(request);
      refuseRate(caller.name === '' ? `address ${request.address}` : `name ${caller.name}`);
      return caller;
    } catch (error) {
      if (!(error instanceof Unauthenticated)) throw error;
      refuseRate(`address ${request.address}`);
      const realm = [place.service, place.version].filter((each) => each !== undefined).join('/') || 'api';
      const headers: Record<string, string> =
        error.status === 401 ? { 'WWW-Authenticate': `Bearer realm="${realm}"` } : {};
      return refuse(error.status, error.message, { headers });
    }
  }

  async #call(
    request: ApiRequest,
    { query }: Target,
    { served, found, operation, caller }: { served: Served; found: Found; operation: Operation; caller: Caller },
  ): Promise<Answer> {
    const { method } = operation;
    const sunset = sunsetOf(method);
    if (sunset !== undefined && sunset <= this.#deps.now()) refuse(410, `'${operation.path}' is served no more`);
    const traceparent = request.headers['traceparent'];
    const call: Call = {
      served,
      operation,
      ids: found.ids,
      query,
      body: request.body,
      newId: this.#deps.newId,
      context: {
        caller,
        signal: request.signal,
        ...(typeof traceparent === 'string' && { traceparent }),
      },
    };
    // mutant: gateway-nowhere-around drop
    await requireAround(served, found, caller);
    switch (method.kind) {
      case 'List':
        return list(call, { isByPost: request.verb === 'POST' });
      case 'Get':
        return get(call);
      case 'Add':
      case 'AsyncAdd':
        return add(call);
      case 'Update':
      case 'AsyncUpdate':
        return update(call);
      case 'Delete':
      case 'AsyncDelete':
        return remove(call);
      default:
        return callMethod(call);
    }
  }

  #success({ status, headers = {}, body }: Answer, operationId: string): ApiAnswer {
    return { status, headers: { ...common(status, operationId), ...headers }, ...(body !== undefined && { body }) };
  }

  #error(refusal: Refusal, place: ErrorPlace, operationId: string): ApiAnswer {
    const body = errorBody(refusal, { place, operationId, at: this.#deps.now(), prefixes: this.#prefixes });
    const headers = { ...refusal.headers, ...common(refusal.status, operationId) };
    return { status: refusal.status, headers, body: JSON.stringify(body) };
  }
}

/** @throws {RefusedRequest} 405 with the methods that the path has, or all where there is no such path */
function refuseVerb(
  { services }: Served,
  [api, service = '', version = '', ...rest]: readonly string[],
  verb: string,
): never {
  const root = api === 'api' ? services.get(service)?.get(version)?.root : undefined;
  const found = root && find(root, rest, verb);
  // mutant: gateway-allow-all = -> isThere = false
  const isThere = found !== undefined && found.operations.size > 0;
  const allowed = isThere ? allowedOf(found) : [...VERBS];
  return refuse(405, `The method '${verb}' is not supported`, { headers: { Allow: allowed.join(', ') } });
}

function common(status: number, operationId: string): Record<string, string> {
  return {
    ...(status !== 204 && { 'Content-Type': 'application/json' }),
    // mutant: gateway-no-vary drop
    Vary: 'Authorization',
    'X-Operation-ID': operationId,
  };
}

function targetOf(target: string, { services }: Served): Target {
  const mark = target.indexOf('?');
  // Proxies may ask by a whole URL.
  // mutant: gateway-whole-url / -> /(?!)/
  const path = (mark < 0 ? target : target.slice(0, mark)).replace(/^https?:\/\/[^/]*/i, '');
  const query = new Query(mark < 0 ? '' : target.slice(mark + 1));
  let isEncoded = true;
  // mutant: gateway-slash-counts ()#1 -> path
  const encoded = withoutEnd(path, '/').split('/').slice(1);
  const segments = encoded.map((segment) => {
    try {
      // mutant: gateway-encoded return -> segment
      return segment.includes('%') ? decodeURIComponent(segment) : segment;
    } catch {
      isEncoded = false;
      return segment;
    }
  });
  const [api, service, version] = segments;
  const versions = api === 'api' && service !== undefined ? services.get(service) : undefined;
  if (versions === undefined) return { segments, query, place: NOWHERE, isEncoded };
  const isVersion = version !== undefined && versions.has(version);
  return { segments, query, place: { service, version: isVersion ? version : undefined }, isEncoded };
}

function allowedOf({ operations }: Pick<Found, 'operations'>): string[] {
  // mutant: gateway-allow-without-head ?: -> []
  return [...operations.keys(), ...(operations.has('GET') ? ['HEAD'] : [])];
}

/** @throws {RefusedRequest} 404 */
function route({ services }: Served, segments: readonly string[], verb: string): Found {
  const [api, service = '', version = '', ...rest] = segments;
  const root = api === 'api' ? services.get(service)?.get(version)?.root : undefined;
  const found = root && find(root, rest, verb);
  if (found === undefined || found.operations.size === 0) return refuse(404, 'There is no such path');
  return found;
}

/** @throws {RefusedRequest} 405 */
function operationOf({ operations }: Found, verb: string, query: Query): Operation {
  const list = operations.get('GET');
  // mutant: gateway-post-lists if -> false
  if (verb === 'POST' && list?.method.kind === 'List' && query.text('method') === 'get') return list;
  // mutant: gateway-no-head ?: -> $3
  const operation = verb === 'HEAD' ? list : [...operations].find(([each]) => each === verb)?.[1];
  if (operation !== undefined) return operation;
  return refuse(405, `The path has no method '${verb}'`, { headers: { Allow: allowedOf({ operations }).join(', ') } });
}

/** The objects that the path names have to exist, for all that the caller may see. @throws {RefusedRequest} 404 */
async function requireAround(served: Served, { around, ids }: Found, caller: Caller): Promise<void> {
  for (const { collection, depth } of around) {
    const known = served.table(collection);
    if (known === undefined || !known.index.isComplete) continue;
    const address = { outer: ids.slice(0, depth - 1), id: ids[depth - 1] ?? '' };
    if (known.index.get(address) !== undefined && (await isReadable(known, caller, address))) continue;
    refuse(404, `${collection.type.name.camel} '${address.id}' not found`);
  }
}
