// HTTP proxies: which one a URL is reached through, by the variables that programs share and by the rules of Go and kubectl.
import { BlockList, isIP } from 'node:net';
import { TerminalError } from '../../bus/errors.ts';
import type { Settings } from '../api/adapter.ts';

/** Proxies as curl and Go read them from the environment. */
export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts and networks that are reached directly, comma-separated. */
  readonly noProxy?: string;
}

/** Proxies of the environment are not for this machine. */
const LOOPBACK = 'localhost,127.0.0.0/8,::1';

/**
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY in either spelling; undefined without a proxy.
 *
 * @throws {TerminalError} as `checkedProxy`
 */
export function proxyIn(variable: Settings['variable']): ProxySettings | undefined {
  const either = (name: string): string | undefined => variable(name) || variable(name.toLowerCase()) || undefined;
  const proxy = (name: string): string | undefined => {
    const named = either(name);
    return named && checkedProxy(named, name);
  };
  const [httpProxy, httpsProxy, noProxy] = [proxy('HTTP_PROXY'), proxy('HTTPS_PROXY'), either('NO_PROXY')];
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return {
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    noProxy: noProxy === undefined ? LOOPBACK : `${noProxy},${LOOPBACK}`,
  };
}

/** URL of the proxy for an address; undefined: it is reached directly. */
export function proxyFor(url: URL, { httpProxy, httpsProxy, noProxy = '' }: ProxySettings): string | undefined {
  const proxy = url.protocol === 'https:' ? httpsProxy : httpProxy;
  return proxy === undefined || isDirect(url, noProxy) ? undefined : proxy;
}

/**
 * URL of a proxy that a person named, with or without `http://`.
 *
 * @param where  the variable or field that names it
 * @throws {TerminalError} it is none that Troupe can use, such as a SOCKS proxy; without the URL, which may have a password
 */
export function checkedProxy(named: string, where: string): string {
  const proxy = /^\w+:\/\//.test(named) ? named : `http://${named}`;
  const protocol = URL.parse(proxy)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return proxy;
  const what = protocol === undefined ? 'is no URL' : `names a proxy of the kind '${protocol.slice(0, -1)}'`;
  throw new TerminalError(`${where} ${what}; name an http or https proxy there, or remove it to connect directly`);
}

/** Whether a host is reached directly although there is a proxy. */
function isDirect({ protocol, hostname, port }: URL, exceptions: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  const networks = new BlockList();
  const names: string[] = [];
  for (const entry of exceptions.toLowerCase().split(/[,\s]+/)) {
    const [address = '', prefix] = entry.replace(/^\[(.*)\]$/, '$1').split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const longest = family === 'ipv6' ? 128 : 32;
    if (isIP(address) === 0) names.push(entry);
    else if (/^\d+$/.test(prefix ?? '0') && Number(prefix ?? 0) <= longest)
      networks.addSubnet(address, Number(prefix ?? longest), family);
  }
  if (isIP(host) !== 0 && networks.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')) return true;
  return names.some((name) => {
    if (name === '*') return true;
    // `example.com` also means the hosts below it; `.example.com` and `*.example.com` mean only those.
    const below = name.replace(/^\*?\.?/, '.');
    return name !== '' && [hostname, `${hostname}:${ownPort}`].some((own) => own === name || own.endsWith(below));
  });
}
