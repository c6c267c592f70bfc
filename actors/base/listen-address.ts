// Listen address of a page, from an option.
import { isIPv4 } from 'node:net';

/** Listen address; an empty host means all addresses. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Whether only this machine gets there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** `:8081`, `127.0.0.1:8081`, `[::1]:8081`; `0` is off, undefined. @throws {TypeError} it is neither */
export function parseListenAddress(text: string): ListenAddress | undefined {
  if (text === '' || text === '0') return undefined;
  const parts = /^(?:\[(?<six>[^\]]*)\]|(?<host>[^:[\]]*)):(?<port>\d{1,5})$/.exec(text)?.groups;
  const port = Number(parts?.['port']);
  if (parts === undefined || port > 65_535)
    throw new TypeError("an address like ':8081' or '127.0.0.1:8081', or 0 for none");
  return { host: parts['six'] ?? parts['host'] ?? '', port };
}
