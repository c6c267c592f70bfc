// HTTP transport to an external system: one request, one response that is JSON or an error.
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { buildConnector } from 'undici';
import type { Json, JsonObject } from '../../bus/bus.ts';
import { TransientError, TroupeError, UnknownOutcomeError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import { retryAfterMs as retryAfterOf } from '../text/retry-after.ts';
import { type ProxySettings, proxyFor } from './proxies.ts';
import { type Extent, type Holding, limitedBody } from './response.ts';
import {
  Agent,
  agentByOrigin,
  connectorWith,
  type Dispatcher,
  type Progress,
  proxyAgent,
  requestWhole,
} from './undici.ts';

/** As oslo.middleware makes it. */
const REQUEST_ID = /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A body that is sent as it comes, never kept. */
export interface Stream {
  readonly contentType: string;
  /** From the beginning; asked for once more when the call is sent again, after 401. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** Filter of target hosts. */
export interface Reach {
  /** The same hosts, for something else that is there: messages name it, in the plural. */
  forThe(what: string): Reach;
  /** Check before the name is resolved. @throws {TransientError} the host is denied */
  checkUrl(url: URL): void;
  /** Resolves names for a socket, and fails where they lead to what is not to be reached. */
  lookupFor(port: number): LookupFunction;
}

/** A gateway that lost, or did not wait for, the service behind it, which may be at work still. */
export const GATEWAY_FAILURES: ReadonlySet<number> = new Set([502, 504]);

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** The request in words, for errors: no query, no secret. */
  readonly label: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject | readonly JsonObject[] | undefined;
  /** In place of a body. The request is sent by its deadline, and ends when `stream.signal` is aborted. */
  readonly stream?: Stream | undefined;
  readonly deadlineAt: number;
  /** Maximum size of the response. */
  readonly extent: Extent;
  /** Shape of a successful response: an object by default. An error response is always an object. */
  readonly shape?: 'object' | 'list';
  /** Memory reservation for the response; the caller that opened it releases it. */
  readonly holding: Holding;
  /** Told of the first sign of an answer, whatever becomes of it. */
  readonly onHeard?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  readonly body: JsonObject;
  /** Elements of a successful response with `shape: 'list'`; the body is `{}` then. */
  readonly items?: readonly Json[];
  readonly subjectToken: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Id under which the service logs the request, if it returned one. */
  readonly requestId?: string | undefined;
  /** Length of its text, in characters. */
  readonly textLength?: number | undefined;
}

/** Whom a system's certificate must be signed by, and who we are to it. All in PEM. */
export interface Trust {
  readonly ca: string | undefined;
  readonly verify: 'verified' | 'unverified';
  readonly client?: { readonly certificate: string; readonly key: string };
}

/** Connections to all systems with one set of trust settings; the caller that makes it closes it. */
export interface Transport {
  /**
   * Sends one request and reads its answer to the end.
   *
   * @returns any answer that is JSON of its shape or empty, whatever its status
   * @throws {OversizeError} the answer is over a limit
   * @throws {UnknownOutcomeError} no answer by the deadline, or before the connection broke, or one that is a gateway's own
   * @throws {TransientError} nothing was sent, by the deadline or at all; or an answer that is something else
   */
  exchange(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections; requests that are running fail. */
  close(): Promise<void>;
}

/** HTTP over kept connections. TLS 1.2 is the least that is spoken. */
export function httpTransport(trust: Trust, proxy: ProxySettings | undefined, clock: Clock, reach?: Reach): Transport {
  return transportOver(newAgent(trust, proxy, reach), clock, reach);
}

/** The same by any dispatcher. */
export function transportOver(agent: Dispatcher, clock: Clock, reach?: Reach): Transport {
  const dispatcher = agent.compose(punctual(clock));
  return {
    exchange: async (request) => {
      // The only check for hosts that a proxy resolves (there, HTTP-EGRESS-POLICY-1 is the proxy's task).
      reach?.checkUrl(new URL(request.url));
      return exchange(request, dispatcher, clock);
    },
    close: () => agent.destroy(),
  };
}

/** Data of each request, passed as undici's `opaque`. */
interface Sending {
  readonly deadlineAt: number;
}

/** The deadline passed while the request waited for a connection. */
class LateError extends Error {}

/**
 * Nothing is sent once its deadline has passed: a process that stood still wakes with requests that wait for their
 * connections, which are there before its timers are (P10).
 */
function punctual(clock: Clock): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { opaque: sending } = options as Dispatcher.DispatchOptions & { readonly opaque: Sending };
    return dispatch(options, {
      onRequestStart(controller, context) {
        // mutant: sent-after-deadline if -> false
        if (clock.now() >= sending.deadlineAt) {
          controller.abort(new LateError());
          return;
        }
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    });
  };
}

/** Connections that are made as hosts are reached: all, without `reach`. */
export function newAgent({ ca, verify, client }: Trust, proxy: ProxySettings | undefined, reach?: Reach): Dispatcher {
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
    rejectUnauthorized: verify === 'verified',
    minVersion: 'TLSv1.2',
  } as const;
  const connect: buildConnector.connector = (options, done) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const lookup = reach === undefined ? {} : { lookup: reach.lookupFor(port) };
    connectorWith({ ...tls, allowH2: false, ...lookup })(options, done);
  };
  // The deadline of each call is the only limit of time, hence no timeouts here.
  // HTTP/1.1 alone: a broken connection then takes one call with it, not all.
  // How much is read of an answer is its reader's to say.
  const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };
  const direct = new Agent({ ...limits, connect });
  if (proxy === undefined) return direct;
  const uris = [proxy.httpProxy, proxy.httpsProxy].filter((uri) => uri !== undefined);
  const agents = new Map([...new Set(uris)].map((uri) => [uri, proxyAgent(uri, { ...limits, requestTls: tls })]));
  return agentByOrigin([direct, ...agents.values()], (origin) => agents.get(proxyFor(origin, proxy) ?? '') ?? direct);
}

async function exchange(
  {
    method,
    url,
    label,
    headers,
    body,
    stream,
    deadlineAt,
    extent,
    shape = 'object',
    holding,
    onHeard,
  }: TransportRequest,
  dispatcher: Dispatcher,
  clock: Clock,
): Promise<TransportResponse> {
  const late = (): TransientError => new TransientError(`${label} was not sent: its deadline had passed`);
  const leftMs = deadlineAt - clock.now();
  if (leftMs <= 0) throw late();
  const sending: Sending = { deadlineAt };
  if (stream?.signal.aborted) throw new TransientError(`${label} was ended`);
  let isOver = false;
  const { answer, end } = requestWhole(url, {
    method,
    dispatcher,
    opaque: sending,
    // A stream that is answered before its end leaves a connection that cannot be reused.
    reset: stream !== undefined,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(stream === undefined ? {} : { 'content-type': stream.contentType }),
      ...headers,
    },
    // Without a length: a stream that breaks off is then no shorter body, but none.
    body: stream === undefined ? (body === undefined ? null : JSON.stringify(body)) : Readable.from(stream.chunks()),
    bodyOf: limitedBody({ label, extent, holding }),
    ...(onHeard !== undefined && { onAnswer: onHeard }),
  });
  const finish = (): void => {
    isOver = true;
    end(new Error('it was ended'));
  };
  const timer = stream === undefined ? clock.setTimeout(finish, leftMs) : undefined;
  stream?.signal.addEventListener('abort', finish);
  try {
    const { status, headers: answered, text } = await answer;
    const retryAfter = answered['retry-after'];
    const retryAfterMs = retryAfter === undefined ? undefined : retryAfterOf(retryAfter, clock.now());
    const contentType = header(answered['content-type']);
    return {
      status,
      ...parseBody(text, { label, shape, status, contentType, retryAfterMs }),
      subjectToken: header(answered['x-subject-token']),
      retryAfterMs,
      requestId: requestIdOf(header(answered['x-openstack-request-id'] ?? answered['openstack-request-id'])),
      textLength: text.length,
    };
  } catch (failure) {
    // Also errors of a stream's source.
    if (failure instanceof TroupeError) throw failure;
    const { error, progress } = failure as { readonly error: unknown; readonly progress: Progress };
    if (error instanceof TroupeError) throw error;
    if (error instanceof LateError) throw late();
    if (isOver && stream !== undefined) throw new TransientError(`${label} was ended`);
    const Failure = progress === 'unsent' ? TransientError : UnknownOutcomeError;
    if (isOver) throw new Failure(`${label} was not answered by its deadline`);
    throw new Failure(`${label} failed: ${reason(error)}`, { cause: error });
  } finally {
    if (timer !== undefined) clock.clearTimeout(timer);
    stream?.signal.removeEventListener('abort', finish);
  }
}

function parseBody(
  text: string,
  {
    label,
    shape,
    status,
    contentType,
    retryAfterMs,
  }: {
    label: string;
    shape: 'object' | 'list';
    status: number;
    contentType: string | undefined;
    retryAfterMs: number | undefined;
  },
): Pick<TransportResponse, 'body' | 'items'> {
  // Some services refuse a token in plain text; the session needs to know no more than that.
  if (status === 401 && !text.trimStart().startsWith('{')) return { body: {} };
  // A 404 without a body comes more likely from a proxy than from a service: it must not be taken for an absent
  // resource.
  // mutant: empty-404 if -> $1
  if (text.trim() === '' && status !== 404) return { body: {} };
  // Success in another's words may be the service's success.
  // mutant: garbled-success ?: -> $3
  const Garbage = status < 300 || GATEWAY_FAILURES.has(status) ? UnknownOutcomeError : TransientError;
  const garbage = (what: string): TransientError =>
    new Garbage(`${label} answered ${status} with ${what} (${contentTypeNamed(contentType)})`, { retryAfterMs });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without cause: the parser's message quotes the answer.
    throw garbage('something that is not JSON');
  }
  if (value === null) return { body: {} };
  if (shape === 'list' && status < 300) {
    if (!Array.isArray(value)) throw garbage('JSON that is not a list');
    return { body: {}, items: value };
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw garbage('JSON that is not an object');
  return { body: value as JsonObject };
}

/** Content types of error texts; any other may contain content of users. */
const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/octet-stream',
  'application/xml',
  'text/html',
  'text/plain',
  'text/xml',
]);

function contentTypeNamed(text: string | undefined): string {
  if (text === undefined) return 'no content type';
  const type = text.split(';')[0]?.trim().toLowerCase() ?? '';
  return CONTENT_TYPES.has(type) ? type : 'an unusual content type';
}

/** Other values are no ids, and are never printed. */
function requestIdOf(text: string | undefined): string | undefined {
  return text !== undefined && REQUEST_ID.test(text) ? text : undefined;
}

export function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Why a connection failed; undici hides the reasons of several addresses in `errors`. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const inner = error instanceof AggregateError ? error.errors.find((each) => each instanceof Error) : undefined;
  const message = error.message || inner?.message || error.name;
  // OpenSSL's own lines are for its developers; Node gives them a code.
  return /:error:/.test(message) ? String((error as { code?: unknown }).code ?? 'TLS error') : message;
}
