// HTTP proxies in front of an API server: which one is used, and connections through it, as kubectl does.
import type { ConnectionOptions } from 'node:tls';
import type { buildConnector, Agent as UndiciAgent } from 'undici';
import { checkedProxy, proxyFor, proxyIn } from '../http/proxies.ts';
import { type Dispatcher, proxyAgent } from '../http/undici.ts';
import type { Environment } from './exec-plugin.ts';

/**
 * URL of the proxy in front of an API server. `proxy-url` of the cluster precedes the environment, and alone applies to
 * servers on loopback and in NO_PROXY.
 *
 * @param server  URL of the API server
 * @param named  `proxy-url` of the cluster
 * @returns undefined if the API server is reached directly
 * @throws {TerminalError} the proxy is not one that Troupe can use, such as a SOCKS proxy; names the field or variable
 */
export function proxyOf(server: string, named: string | undefined, env: Environment): string | undefined {
  if (named !== undefined) return checkedProxy(named, "the cluster's field 'proxy-url'");
  const url = URL.parse(server);
  const settings = proxyIn((name) => env[name]);
  return url === null || settings === undefined ? undefined : proxyFor(url, settings);
}

/**
 * An agent for connections to an API server through a proxy.
 *
 * @param proxy  URL of an http or https proxy, with a user and a password if it asks for them
 * @param options.connect  options of the TLS connection to the API server. An https proxy must have a certificate of the
 *   same authority, as with kubectl.
 */
export function agentThrough(
  proxy: string,
  { connect, ...options }: Omit<UndiciAgent.Options, 'connect'> & { readonly connect: buildConnector.BuildOptions },
): Dispatcher {
  const { ca, rejectUnauthorized } = connect as ConnectionOptions;
  const proxyTls = { rejectUnauthorized: rejectUnauthorized !== false, ...(ca !== undefined && { ca }) };
  return proxyAgent(proxy, { ...options, requestTls: connect, proxyTls });
}
