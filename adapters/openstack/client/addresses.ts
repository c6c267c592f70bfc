// Spellings of IP addresses and prefixes. OpenStack stores the shortest one; users may write any.
import { isIPv6 } from 'node:net';

/**
 * The spelling of RFC 5952 of an IPv6 address or prefix: `FD00:0::1` is `fd00::1`. Whatever is neither is returned as it is.
 *
 * A prefix keeps its host bits: refusing them is the cloud's.
 */
export function canonicalAddress(text: string): string {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  // A zone (`fe80::1%eth0`) is part of an address for node:net, not for a URL.
  if (!isIPv6(address) || address.includes('%')) return text;
  const host = new URL(`http://[${address}]`).hostname;
  return host.slice(1, -1) + (slash < 0 ? '' : text.slice(slash));
}
