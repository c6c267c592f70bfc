// The address of a BMC (`spec.bmc.address`): a URL, of which people may leave out the scheme or the slashes.
import { isIP } from 'node:net';
import { TerminalError } from '../../../bus/errors.ts';
import { DRIVERS } from './drivers.ts';
import { splitUrl, type UrlParts, withoutUserInformation } from './url-parts.ts';

export interface BmcAddress extends UrlParts {
  /** As it was given, for messages: without a user name and password, which mean nothing here. */
  readonly text: string;
}

/** Scheme of an address that names none. */
const DEFAULT_SCHEME = 'ipmi';

const HOSTNAME =
  /^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;
/** RFC 1035's limit of a name, in characters of its text. */
const LONGEST_HOSTNAME = 253;

const SCHEME = /^([a-z][a-z0-9+.-]*):(.*)$/is;
const BEGINS_WITH_PORT = /^\d+(?:[/?#]|$)/;

/**
 * Takes an address apart. Its host may be empty; whether there is a driver of its scheme is `driverOf`'s to say.
 *
 * `host`, `host:port` and `[IPv6]:port` are IPMI's; `scheme:host` and `scheme:host:port` are read as with slashes.
 *
 * @throws {TerminalError} `missing BMC address`, `failed to parse BMC address information: ...`
 */
export function parseBmcAddress(text: string): BmcAddress {
  if (text === '') throw new TerminalError('missing BMC address');
  const { scheme, rest } = schemeOf(text);
  const split = splitUrl(`${scheme ?? DEFAULT_SCHEME}:${rest.startsWith('/') ? '' : '//'}${rest}`);
  if ('problem' in split) throw malformed(split.problem);
  const { parts } = split;
  const { hostname, isIpv6, port } = parts;
  if (!isIpv6 && !isHost(hostname)) throw malformed(`BMC address hostname/IP : [${hostname}] is invalid`);
  if (isIpv6 && scheme === undefined && port === '') throw malformed('an IPv6 address without scheme needs a port');
  return { ...parts, text: withoutUserInformation(text) };
}

/** `name:123` is a host and its port, unless the name is a driver's. */
function schemeOf(text: string): { readonly scheme: string | undefined; readonly rest: string } {
  const [, scheme, rest = ''] = SCHEME.exec(text) ?? [];
  const isHostWithPort = BEGINS_WITH_PORT.test(rest) && !DRIVERS.has(scheme?.toLowerCase() ?? '');
  return scheme === undefined || isHostWithPort ? { scheme: undefined, rest: text } : { scheme, rest };
}

function isHost(hostname: string): boolean {
  return hostname === '' || isIP(hostname) === 4 || (hostname.length <= LONGEST_HOSTNAME && HOSTNAME.test(hostname));
}

function malformed(problem: string): TerminalError {
  return new TerminalError(`failed to parse BMC address information: ${problem}`);
}
