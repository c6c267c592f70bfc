// The proxy settings that programs share.
import type { Settings } from '../api/adapter.ts';
import type { ProxySettings } from './transport.ts';

/** This machine is always reached directly. */
const DIRECT = 'localhost,127.0.0.1,::1';

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY in either spelling; undefined without a proxy. */
export function proxyIn(variable: Settings['variable']): ProxySettings | undefined {
  const either = (name: string): string | undefined => variable(name) || variable(name.toLowerCase()) || undefined;
  const [httpProxy, httpsProxy, noProxy] = [either('HTTP_PROXY'), either('HTTPS_PROXY'), either('NO_PROXY')];
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return {
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    noProxy: noProxy === undefined ? DIRECT : `${noProxy},${DIRECT}`,
  };
}
