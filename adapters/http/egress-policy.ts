// Egress policy: the hosts that a cloud may be on. Tenants name hosts in Secrets and, with a catalog of their own, in
// responses, but the process runs in another network (SSRF). The policy also covers other systems that connect to hosts
// that tenants name: Ironic, BMCs, Windows.
//
// Invariants:
//   HTTP-EGRESS-POLICY-1. An address is judged as it will be connected to: after the name was resolved, at the socket. What the name leads to
//       a moment later does not matter.
//   HTTP-EGRESS-POLICY-2. However an address is spelled (mapped into IPv6, translated by NAT64 or SIIT, tunneled by 6to4, Teredo or ISATAP), it is the
//       same address.
//   HTTP-EGRESS-POLICY-3. Who is refused hears which kind of place it is, never the address that a name led to.
//   HTTP-EGRESS-POLICY-5. If another system connects, literal addresses are checked in each spelling, and names by the
//       patterns and, in a pod, by the addresses that they resolve to; a name that does not resolve there is allowed.
//   HTTP-EGRESS-POLICY-4. In a pod a name is a whole one: no search domain of the cluster makes a Service of it.
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { TerminalError, TransientError } from '../../bus/errors.ts';
import type { Reach } from './transport.ts';

export interface EgressPolicyOptions {
  /** Hosts that are always allowed: names, `*.example.com`, addresses, CIDRs, `*`. */
  readonly allow: readonly string[];
  /** Hosts that are not, in the same words. */
  readonly deny: readonly string[];
  /** `host:port` of the API server, if it is known; refused unless allowed. */
  readonly apiServer?: string | undefined;
  /** Whether loopback addresses are allowed: only on a machine without other tenants. False by default. */
  readonly isLoopbackReached?: boolean;
  /**
   * Address in the service network, as a pod's environment has it. Its network, and names without a domain, are denied
   * unless allowed.
   */
  readonly serviceHost?: string | undefined;
  /** Whether Services of the cluster, and names without a domain, are reached; refused unless stated. */
  readonly areServicesReached?: boolean;
  /** For tests. */
  readonly lookup?: LookupFunction;
}

/** Default targets. */
const CLOUDS = 'clouds';
const LOOPBACK = 'a loopback address';
/** Networks that contain no cloud but private services: metadata services, this pod, the cluster. */
const REFUSED: readonly (readonly [place: string, networks: readonly string[]])[] = [
  [LOOPBACK, ['127.0.0.0/8', '::1/128']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  [
    'an address of a metadata service',
    ['fd00:ec2::254/128', 'fd20:ce::254/128', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
  ],
  ['no address of a host', ['0.0.0.0/8', '::/128', '224.0.0.0/4', 'ff00::/8', '240.0.0.0/4']],
];
/** Names of services of the cluster. */
const SERVICE_NAMES = ['*.svc', '*.svc.*', '*.cluster.local', 'kubernetes', 'kubernetes.default'];
/** Prefix of the service network. Most clusters have no smaller one; Kubernetes does not publish its size. */
const SERVICE_PREFIX = { 4: 16, 6: 112 } as const;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** @throws {TerminalError} a pattern is none */
export function egressPolicyOf({
  allow,
  deny,
  apiServer,
  isLoopbackReached = false,
  serviceHost: given,
  areServicesReached = false,
  lookup = systemLookup,
}: EgressPolicyOptions): Reach {
  const serviceHost = areServicesReached ? undefined : given;
  const [allowed, denied] = [patternsOf(allow), patternsOf(deny)];
  const serviceNetwork = serviceHost !== undefined && isIP(serviceHost) > 0 ? [serviceCidr(serviceHost)] : [];
  const refused = REFUSED.filter(([place]) => !(isLoopbackReached && place === LOOPBACK));
  const places = [...refused, ['the network of services of the cluster', serviceNetwork] as const].map(
    ([place, networks]) => ({ place, patterns: patternsOf(networks) }),
  );
  const serviceNames = patternsOf(areServicesReached ? [] : SERVICE_NAMES);

  /** The kind of place, if it is not to be reached. */
  const refusedPlace = (address: string): string | undefined => {
    if (denied.hasAddress(address)) return 'where --cloud-deny forbids';
    return places.find(({ patterns }) => patterns.hasAddress(address))?.place;
  };
  const hostRefusal = (host: string, port: number): string | undefined => {
    if (allowed.hasName(host)) return undefined;
    if (isIP(host) > 0) {
      if (allowed.hasAddress(host)) return undefined;
      return `${host}:${port}` === apiServer ? 'the API server' : refusedPlace(host);
    }
    if (denied.hasName(host)) return 'where --cloud-deny forbids';
    if (`${host}:${port}` === apiServer) return 'the API server';
    if (serviceNames.hasName(host)) return 'a service of the cluster';
    return serviceHost !== undefined && !host.includes('.') ? 'a name without a domain' : undefined;
  };

  const reachFor = (what: string): Reach => ({
    forThe: reachFor,
    checkUrl(url) {
      const host = hostOf(url);
      const place = hostRefusal(host, Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0));
      if (place !== undefined) throw refusal(host, place, what);
    },
    lookupFor: (port) => (name, options, done) => {
      const isAllowed = allowed.hasName(plainName(name));
      // mutant: reach-by-search-domain ?:.1 -> false
      const asked = serviceHost !== undefined && !isAllowed ? `${plainName(name)}.` : name;
      lookup(asked, { ...options, all: true }, (error, found) => {
        if (error !== null) return done(error, '');
        const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
        const place = addresses
          .filter(({ address }) => !isAllowed && !allowed.hasAddress(address))
          .map(({ address }) => (`${address}:${port}` === apiServer ? 'the API server' : refusedPlace(address)))
          .find((each) => each !== undefined);
        // One that may not be reached among several is no accident: none of them is.
        // mutant: reach-by-name drop
        if (place !== undefined) return done(refusal(name, place, what) as NodeJS.ErrnoException, '');
        const [first] = addresses;
        if (options.all === true || first === undefined) return done(null, addresses);
        return done(null, first.address, first.family);
      });
    },
  });
  return reachFor(CLOUDS);
}

/** Targets that tenants name, and other systems connect to. */
export type Foreign =
  | 'BMCs'
  | 'destinations of BMC events'
  | 'sources of firmware'
  | 'images'
  | 'iSCSI portals'
  | 'SMB servers'
  | 'switches';

/** Whether what tenants name may be connected to by others. */
export interface ForeignReach {
  /**
   * Reason why it is denied; undefined if it is allowed, if this process can decide that (HTTP-EGRESS-POLICY-5).
   *
   * @param what  is to be there
   * @param host  as it is written, brackets of an IPv6 address or none
   */
  refusalOf(what: Foreign, host: string, port?: number): Promise<string | undefined>;
}

/** For who judges nothing. */
export const ANYWHERE: ForeignReach = { refusalOf: async () => undefined };

/** Services of the cluster are let through: Ironic, and what it fetches from, may be some. @throws {TerminalError} as `egressPolicyOf` */
export function foreignReachOf(options: EgressPolicyOptions): ForeignReach {
  const reach = egressPolicyOf({ ...options, areServicesReached: true });
  const isInPod = options.serviceHost !== undefined;
  return {
    async refusalOf(what, written, port = 0) {
      const host = spelled(written);
      if (host === undefined) return undefined;
      const there = reach.forThe(what);
      try {
        there.checkUrl(new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`));
      } catch (error) {
        return (error as Error).message;
      }
      // mutant: foreign-names-unresolved if -> true
      if (isIP(host) > 0 || !isInPod) return undefined;
      return new Promise((resolve) => {
        there.lookupFor(port)(host, { all: true }, (error) =>
          resolve(error instanceof TransientError ? error.message : undefined),
        );
      });
    },
  };
}

/** A host as it is connected to: numbers in all their spellings, and Windows' own of IPv6. Undefined: no URL could name it. */
function spelled(written: string): string | undefined {
  const [, windows] = /^([0-9a-f-]+)(?:s[0-9a-z]+)?\.ipv6-literal\.net$/i.exec(written) ?? [];
  const plain = (windows?.replaceAll('-', ':') ?? written).replace(/^\[(.*)\]$/, '$1').split('%')[0] ?? '';
  const url = `http://${isIPv6(plain) ? `[${plain}]` : plain}/`;
  return URL.canParse(url) ? hostOf(new URL(url)) : undefined;
}

/** The host of a URL as it is connected to: without brackets, without a final dot. */
export function hostOf(url: URL): string {
  return plainName(url.hostname.replace(/^\[(.*)\]$/, '$1'));
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function refusal(host: string, place: string, what: string): TransientError {
  return new TransientError(
    `'${host}' is ${place}, which is not allowed for ${what}; the operator of Troupe can allow it with --cloud-allow`,
  );
}

interface Patterns {
  hasName(name: string): boolean;
  hasAddress(address: string): boolean;
}

function patternsOf(texts: readonly string[]): Patterns {
  const networks = new BlockList();
  const names: RegExp[] = [];
  for (const text of texts) {
    const [address = '', prefix] = text.replace(/^\[(.*)\]$/, '$1').split('/');
    const version = isIP(address);
    if (version > 0) {
      const family = version === 6 ? 'ipv6' : 'ipv4';
      const longest = version === 6 ? 128 : 32;
      const length = prefix === undefined ? longest : Number(prefix);
      if (!/^\d+$/.test(prefix ?? '0') || length > longest) throw malformed(text);
      networks.addSubnet(address, length, family);
    } else if (text === '*' || /^(\*\.)?[a-z0-9_-]+(\.([a-z0-9_-]+|\*))*\.?$/i.test(text)) {
      names.push(new RegExp(`^${plainName(text).replaceAll('.', '\\.').replaceAll('*', '.+')}$`));
    } else {
      throw malformed(text);
    }
  }
  return {
    hasName: (name) => names.some((pattern) => pattern.test(name)),
    hasAddress: (address) =>
      [address, ...embedded(address)].some((each) => networks.check(each, isIPv6(each) ? 'ipv6' : 'ipv4')) ||
      names.some((pattern) => pattern.source === '^.+$'),
  };
}

function malformed(text: string): TerminalError {
  return new TerminalError(
    `must list names such as *.example.com, addresses and CIDRs, separated by commas; got '${text}'`,
  );
}

/**
 * IPv4 addresses within an IPv6 address: mapped, compatible, SIIT, NAT64, 6to4, Teredo, ISATAP (HTTP-EGRESS-POLICY-2).
 */
function embedded(address: string): readonly string[] {
  const plain = address.split('%')[0] ?? '';
  if (!isIPv6(plain)) return [];
  const groups = groupsOf(plain);
  const [first, second, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0, eighth = 0] = groups;
  const v4 = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const last = v4(seventh, eighth);
  const isUpperEmpty = groups.slice(0, 4).every((group) => group === 0);
  // `::` and `::1` are compatible with nothing.
  if (isUpperEmpty && fifth === 0 && (sixth === 0xffff || (sixth === 0 && seventh > 0))) return [last];
  // mutant: reach-by-siit drop
  if (isUpperEmpty && fifth === 0xffff && sixth === 0) return [last];
  // The second one is that of a prefix of 48 bits, around the eight that stay free.
  // mutant: reach-by-nat64 drop
  if (first === 0x64 && second === 0xff9b) return [last, v4(fourth, ((fifth & 255) << 8) | (sixth >> 8))];
  if (first === 0x2002) return [v4(second ?? 0, third)];
  // The server, and the client, whose bits are turned.
  // mutant: reach-by-teredo drop
  if (first === 0x2001 && second === 0) return [v4(third, fourth), v4(seventh ^ 0xffff, eighth ^ 0xffff)];
  // In any network.
  // mutant: reach-by-isatap drop
  if (sixth === 0x5efe && (fifth & ~0x300) === 0) return [last];
  return [];
}

function groupsOf(address: string): readonly number[] {
  // The URL's own spelling has no dots.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [parse(head), parse(tail ?? '')];
  return tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
}

function serviceCidr(host: string): string {
  return isIPv6(host) ? `${host}/${SERVICE_PREFIX[6]}` : `${host}/${SERVICE_PREFIX[4]}`;
}
