// URL parser that keeps the spelling (RFC 3986): nothing is normalized, since Ironic receives the URL as it is written.
import { isIPv6 } from 'node:net';

export interface UrlParts {
  /** Lower case. Empty for a relative reference. */
  readonly scheme: string;
  /** As written, an IPv6 address without its brackets. Empty when there is none. */
  readonly hostname: string;
  readonly isIpv6: boolean;
  /** Digits, 1 to 65535. Empty when there is none. */
  readonly port: string;
  /** Without percent-encoding. */
  readonly path: string;
  /** As written, without its question mark. */
  readonly query: string;
}

export type SplitUrl = { readonly parts: UrlParts } | { readonly problem: string };

const URL_TEXT = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/is;
const BRACKETED = /^\[([^\]]*)\](?::(\d*))?$/;
const PLAIN = /^([^[\]]*?)(?::(\d*))?$/;
const USER_INFORMATION = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?)[^/?#]*@/i;

/** The parts of a URL, or what keeps it from being one. Names of hosts are not looked at, and user information is left out. */
export function splitUrl(text: string): SplitUrl {
  if (/\p{Cc}/u.test(text)) return { problem: 'it has a control character' };
  const [, scheme = '', authority = '', escaped = '', query = ''] = URL_TEXT.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isBracketed = host.startsWith('[');
  const found = (isBracketed ? BRACKETED : PLAIN).exec(host);
  if (found === null) return { problem: 'its host or port is malformed' };
  const [, hostname = '', port = ''] = found;
  // A zone is part of an address for node:net, and means nothing on another machine.
  if (isBracketed && (!isIPv6(hostname) || hostname.includes('%'))) {
    return { problem: 'what it has in brackets is no IPv6 address' };
  }
  if (port !== '' && !isPort(Number(port))) return { problem: 'its port is not between 1 and 65535' };
  const path = decoded(escaped);
  if (path === undefined) return { problem: 'its path has a malformed escape' };
  return { parts: { scheme: scheme.toLowerCase(), hostname, isIpv6: isBracketed, port, path, query } };
}

/** Reason why a URL does not name a valid host; undefined if it does. */
export function hostProblem({ hostname, isIpv6 }: UrlParts): string | undefined {
  if (hostname === '') return 'it has no host';
  return !isIpv6 && hostname.includes(':') ? 'its host or port is malformed' : undefined;
}

/** The text for people: a user name and password before the host are not shown. */
export function withoutUserInformation(text: string): string {
  return text.replace(USER_INFORMATION, '$1');
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined; // a URIError: there is nothing else that it throws
  }
}
