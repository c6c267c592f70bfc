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
