// The parts of undici that are used: its index also loads mocks, caches, WebSockets and `fetch`, some 10 MB in every
// process. These files are internal to undici: hence the exact version in package.json.
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type {
  Dispatcher,
  Agent as UndiciAgent,
  buildConnector as UndiciConnector,
  ProxyAgent as UndiciProxyAgent,
} from 'undici';

export type { Dispatcher } from 'undici';

const load = createRequire(import.meta.url);

export const Agent = load('undici/lib/dispatcher/agent.js') as typeof UndiciAgent;
export type Agent = UndiciAgent;

/** Longest wait for the answer of a proxy to CONNECT, in milliseconds. */
const TUNNEL_MS = 10_000;

/**
 * An agent whose connections lead through a proxy, by CONNECT where the target has https. Loaded where there is a proxy.
 *
 * @param uri  of an http or https proxy, with a user and a password if it needs them
 */
export function proxyAgent(uri: string, options: Omit<UndiciProxyAgent.Options, 'uri'>): Dispatcher {
  const ProxyAgent = load('undici/lib/dispatcher/proxy-agent.js') as typeof UndiciProxyAgent;
  // mutant: proxy-by-http2 {}#2.2 drop
  return new ProxyAgent({ ...options, uri, proxyTls: { ...options.proxyTls, allowH2: false }, clientFactory: tunnels });
}

/** Sends the CONNECT requests. An agent has that method only once all of undici is loaded. */
function tunnels(_proxy: URL, options: object): Dispatcher {
  const connect = load('undici/lib/api/api-connect.js') as Dispatcher['connect'];
  return Object.assign(new Agent({ ...options, allowH2: false, headersTimeout: TUNNEL_MS }), { connect });
}

/** One dispatcher of several agents. */
export function agentByOrigin(agents: readonly Dispatcher[], choose: (origin: URL) => Dispatcher): Dispatcher {
  const Base = load('undici/lib/dispatcher/dispatcher.js') as new () => Dispatcher;
  const all = async (end: (agent: Dispatcher) => Promise<void>): Promise<void> =>
    void (await Promise.all(agents.map(end)));
  return Object.assign(new Base(), {
    dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) =>
      choose(new URL(String(options.origin))).dispatch(options, handler),
    close: () => all((agent) => agent.close()),
    destroy: () => all((agent) => agent.destroy()),
  });
}

type Connector = (options: Parameters<UndiciConnector.connector>[0], done: UndiciConnector.Callback) => void;

/** Opens the sockets of an agent with its own settings. */
export const connectorWith = load('undici/lib/core/connect.js') as (options: UndiciConnector.BuildOptions) => Connector;

type Send = (this: Dispatcher, options: Dispatcher.RequestOptions<unknown>) => Promise<Dispatcher.ResponseData>;
const send = load('undici/lib/api/api-request.js') as Send;

/** One request, answered once its headers are there. As undici's own, but for the dispatcher, which is to be given. */
export function request(
  url: string,
  {
    dispatcher,
    ...options
  }: Omit<Dispatcher.RequestOptions<unknown>, 'origin' | 'path'> & { readonly dispatcher: Dispatcher },
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url);
  return send.call(dispatcher, { ...options, origin, path: `${pathname}${search}` });
}

/** An answer with all of its body. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Phase of a request when it failed. Only one that is `unsent` certainly had no effect. */
export type Progress = 'unsent' | 'sent' | 'answered';

/** Gathers the body of an answer. */
export interface Body {
  /** Takes a piece. An error that it throws ends the request. */
  add(chunk: Buffer): void;
  /** All of it. */
  text(): string;
}

export interface WholeRequest extends Omit<Dispatcher.DispatchOptions, 'origin' | 'path'> {
  readonly dispatcher: Dispatcher;
  /** Handed on to the dispatcher. */
  readonly opaque?: unknown;
  /** Body for an answer with this status. */
  bodyOf(status: number): Body;
  /** Called when the headers are there. */
  readonly onAnswer?: () => void;
}

/** A request on its way. */
export interface OngoingRequest {
  /** Rejects with `{ error, progress }`. */
  readonly answer: Promise<WholeAnswer>;
  /** Ends it at once, sent or not. What was not sent by then never is. */
  end(reason: Error): void;
}

/** One request, answered once its body is there: without the stream and the signals of {@link request}. Never throws. */
export function requestWhole(url: string, { dispatcher, bodyOf, onAnswer, ...options }: WholeRequest): OngoingRequest {
  const { promise: answer, resolve, reject } = Promise.withResolvers<WholeAnswer>();
  let status = 0;
  let headers: WholeAnswer['headers'] = {};
  let body: Body | undefined;
  let progress: Progress = 'unsent';
  let abort: ((reason: Error) => void) | undefined;
  let ended: Error | undefined;
  const fail = (error: unknown): void => {
    reject({ error, progress });
    if (!(options.body instanceof Readable)) return;
    options.body.on('error', () => undefined);
    options.body.destroy(error as Error);
  };
  const end = (reason: Error): void => {
    ended ??= reason;
    abort?.(reason);
    fail(reason);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      abort = (reason) => controller.abort(reason);
      progress = 'sent'; // it is written in this very turn
      if (ended !== undefined) controller.abort(ended);
    },
    onResponseStart(_, statusCode, given) {
      if (statusCode < 200) return;
      [status, headers, progress] = [statusCode, given, 'answered'];
      body = bodyOf(status);
      onAnswer?.();
    },
    onResponseData(_, chunk) {
      try {
        body?.add(chunk);
      } catch (error) {
        end(error as Error);
      }
    },
    onResponseEnd: () => resolve({ status, headers, text: body?.text() ?? '' }),
    onResponseError: (_, error) => fail(error),
  };
  try {
    const { origin, pathname, search } = new URL(url);
    dispatcher.dispatch({ ...options, origin, path: `${pathname}${search}` }, handler);
  } catch (error) {
    fail(error); // an address or a header that is none
  }
  return { answer, end };
}
