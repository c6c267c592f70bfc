// The parts of undici that are used: its index also loads mocks, caches, WebSockets and `fetch`, some 10 MB in every
// process. These files are internal to undici: hence the exact version in package.json.
import { createRequire } from 'node:module';
import type {
  Dispatcher,
  Agent as UndiciAgent,
  buildConnector as UndiciConnector,
  EnvHttpProxyAgent as UndiciProxyAgent,
} from 'undici';

export type { Dispatcher } from 'undici';

const load = createRequire(import.meta.url);

export const Agent = load('undici/lib/dispatcher/agent.js') as typeof UndiciAgent;
export type Agent = UndiciAgent;

/** Loaded where there is a proxy. */
export function proxyAgent(options: UndiciProxyAgent.Options): UndiciProxyAgent {
  const ProxyAgent = load('undici/lib/dispatcher/env-http-proxy-agent.js') as typeof UndiciProxyAgent;
  return new ProxyAgent(options);
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

/** Phase of a request when it failed. */
export type Progress = 'sent' | 'answered';

export interface WholeRequest extends Omit<Dispatcher.DispatchOptions, 'origin' | 'path'> {
  readonly dispatcher: Dispatcher;
  /** Looks at the size of the body so far, in bytes. What it throws ends the request. */
  readonly onSize?: (bytes: number) => void;
  /** Called when the headers are there, with the way to end the request. */
  readonly onAnswer?: (end: (reason: Error) => void) => void;
}

/** One request, answered once its body is there: without the stream and the signals of {@link request}. Rejects with `{ error, progress }`. */
export function requestWhole(
  url: string,
  { dispatcher, onSize, onAnswer, ...options }: WholeRequest,
): Promise<WholeAnswer> {
  const { origin, pathname, search } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>();
  const chunks: Buffer[] = [];
  let [status, bytes] = [0, 0];
  let headers: WholeAnswer['headers'] = {};
  let progress: Progress = 'sent';
  const fail = (error: unknown): void => reject({ error, progress });
  dispatcher.dispatch(
    { ...options, origin, path: `${pathname}${search}` },
    {
      onRequestStart: () => undefined,
      onResponseStart(controller, statusCode, given) {
        if (statusCode < 200) return;
        [status, headers, progress] = [statusCode, given, 'answered'];
        onAnswer?.((reason) => controller.abort(reason));
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        try {
          onSize?.(bytes);
          chunks.push(chunk);
        } catch (error) {
          controller.abort(error as Error);
        }
      },
      onResponseEnd() {
        const [only] = chunks;
        const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
        resolve({ status, headers, text: body.toString('utf8') });
      },
      onResponseError: (_controller, error) => fail(error),
    },
  );
  return promise;
}
