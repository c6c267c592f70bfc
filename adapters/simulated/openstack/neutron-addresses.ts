// Addresses that ports of the simulated Neutron have on subnets: which are free, and which a port gets.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { formatAddress, type Prefix, parseAddress, parsePrefix } from './addresses.ts';
import { neutronRefusal } from './exchange.ts';
import { invalidInput } from './neutron-attributes.ts';
import { notFound } from './neutron-resource.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

/** An address of a port, as `fixed_ips` lists it. */
export interface FixedIp extends JsonObject {
  readonly subnet_id: string;
  readonly ip_address: string;
}

/** Number of free addresses out of which one is picked. */
const CANDIDATES = 16;

export function fixedIpsOf(port: JsonObject): readonly FixedIp[] {
  const { fixed_ips: addresses } = port;
  return Array.isArray(addresses) ? (addresses as readonly FixedIp[]) : [];
}

/** Whether a router sits at the port, which may have what hosts may not. */
export function isRouterPort({ device_owner: owner }: JsonObject): boolean {
  return /^network:(router_|ha_router_)/.test(String(owner));
}

/** Addresses for `port`: those it wants, or, if it does not say, one of each version. @throws what Neutron says */
export function allocate(port: Item, wanted: Json | undefined, store: Store): readonly FixedIp[] {
  const subnets = subnetsOf(port, store);
  const taken = new Set<string>();
  for (const other of store.collection(CollectionName.Ports).values()) {
    if (other['id'] === port['id'] || other['network_id'] !== port['network_id']) continue;
    for (const { subnet_id: subnet, ip_address: address } of fixedIpsOf(other)) taken.add(`${subnet} ${address}`);
  }
  const kept = [...fixedIpsOf(port)];
  if (!Array.isArray(wanted)) return automatic(port, subnets, taken, store);
  const picked = wanted.map((each) => {
    const { subnet_id: subnetId, ip_address: text } = asObject(each) ?? {};
    if (subnetId === undefined && text === undefined) {
      throw invalidInput('IP allocation requires subnet_id or ip_address');
    }
    const subnet = subnetFor(port, subnetId, text, subnets, store);
    const id = String(subnet['id']);
    if (text === undefined) {
      const own = kept.findIndex(({ subnet_id: other }) => other === id);
      if (own >= 0) return kept.splice(own, 1)[0] as FixedIp;
      const free = freeAddress(port, subnet, taken, store);
      if (free === undefined) throw noneLeft(port);
      taken.add(`${id} ${free}`);
      return { subnet_id: id, ip_address: free };
    }
    const address = parseAddress(String(text));
    const shown = address === undefined ? String(text) : formatAddress(address);
    if (taken.has(`${id} ${shown}`)) {
      const message = `IP address ${shown} already allocated in subnet ${id}`;
      throw neutronRefusal(409, 'IpAddressAlreadyAllocated', message);
    }
    taken.add(`${id} ${shown}`);
    return { subnet_id: id, ip_address: shown };
  });
  return [
    ...picked,
    ...ownAddresses(port, subnets).filter((own) => !picked.some((ip) => ip.subnet_id === own.subnet_id)),
  ];
}

function subnetsOf(port: Item, store: Store): readonly Item[] {
  return store.sorted(CollectionName.Subnets).filter((subnet) => subnet['network_id'] === port['network_id']);
}

function subnetFor(
  port: Item,
  subnetId: Json | undefined,
  text: Json | undefined,
  subnets: readonly Item[],
  store: Store,
): Item {
  if (subnetId === undefined) {
    const found = subnets.find((subnet) => isUsable(text, subnet));
    if (found !== undefined) return found;
    const message = `IP address ${text} is not a valid IP for any of the subnets on the specified network.`;
    throw neutronRefusal(400, 'InvalidIpForNetwork', message);
  }
  const subnet = store.collection(CollectionName.Subnets).get(String(subnetId));
  if (subnet === undefined) throw notFound({ singular: 'subnet' }, String(subnetId));
  if (subnet['network_id'] !== port['network_id']) {
    throw invalidInput(
      `Failed to create port on network ${port['network_id']}, because fixed_ips included invalid subnet ${subnetId}`,
    );
  }
  if (text !== undefined && !isUsable(text, subnet)) {
    const message = `IP address ${text} is not a valid IP for the specified subnet.`;
    throw neutronRefusal(400, 'InvalidIpForSubnet', message);
  }
  if (text !== undefined && isStateless(subnet) && !isRouterPort(port)) {
    const message = `IPv6 address ${text} cannot be directly assigned to a port on subnet ${subnetId} as the subnet is configured for automatic addresses`;
    throw neutronRefusal(400, 'AllocationOnAutoAddressSubnet', message);
  }
  return subnet;
}

/** Whether a host may have the address on the subnet. */
function isUsable(text: Json | undefined, subnet: Item): boolean {
  const prefix = prefixOf(subnet);
  const address = parseAddress(String(text));
  if (address?.version !== prefix.version || address.value < prefix.first || address.value > prefix.last) return false;
  const bits = prefix.version === 4 ? 32 : 128;
  if (bits - prefix.length < 2) return true;
  return prefix.version === 6 || (address.value !== prefix.first && address.value !== prefix.last);
}

function automatic(port: Item, subnets: readonly Item[], taken: ReadonlySet<string>, store: Store): readonly FixedIp[] {
  const picked: FixedIp[] = [];
  for (const version of [4, 6]) {
    const candidates = subnets.filter((subnet) => subnet['ip_version'] === version && !isStateless(subnet));
    if (candidates.length === 0) continue;
    const found = candidates
      .map((subnet) => ({ subnet, free: freeAddress(port, subnet, taken, store) }))
      .find(({ free }) => free !== undefined);
    if (found?.free === undefined) throw noneLeft(port);
    picked.push({ subnet_id: String(found.subnet['id']), ip_address: found.free });
  }
  return [...picked, ...ownAddresses(port, subnets)];
}

/** Addresses that a host gives itself, whatever else it has. */
function ownAddresses(port: Item, subnets: readonly Item[]): readonly FixedIp[] {
  const stateless = isRouterPort(port) ? [] : subnets.filter(isStateless);
  return stateless.map((subnet) => ({ subnet_id: String(subnet['id']), ip_address: fromMac(port, subnet) }));
}

/** An address on the subnet that is not taken; undefined: there is none. */
export function freeAddress(port: Item, subnet: Item, taken: ReadonlySet<string>, store: Store): string | undefined {
  if (isStateless(subnet)) return fromMac(port, subnet);
  const { version } = prefixOf(subnet);
  const free: string[] = [];
  for (const pool of subnet['allocation_pools'] as readonly JsonObject[]) {
    const [first, last] = [pool['start'], pool['end']].map((end) => parseAddress(String(end))?.value ?? 0n) as [
      bigint,
      bigint,
    ];
    for (let value = first; value <= last && free.length < CANDIDATES; value++) {
      const text = formatAddress({ version, value });
      if (!taken.has(`${subnet['id']} ${text}`)) free.push(text);
    }
  }
  return free.length === 0 ? undefined : free[store.pick(0, free.length - 1)];
}

/** Hosts on the subnet make their addresses themselves, from their hardware address. */
export function isStateless({ ipv6_address_mode: mode }: JsonObject): boolean {
  return mode === 'slaac' || mode === 'dhcpv6-stateless';
}

/** The address by which a host calls itself on a subnet of 64 bits: EUI-64. */
function fromMac(port: Item, subnet: Item): string {
  const bytes = String(port['mac_address'])
    .split(':')
    .map((byte) => BigInt(`0x${byte}`));
  const eui = [...bytes.slice(0, 3), 0xffn, 0xfen, ...bytes.slice(3)].reduce((sum, byte) => sum * 256n + byte, 0n);
  return formatAddress({ version: 6, value: prefixOf(subnet).first + (eui ^ (1n << 57n)) });
}

function prefixOf(subnet: Item): Prefix {
  const prefix = parsePrefix(String(subnet['cidr']));
  if (prefix === undefined) throw new Error(`subnet '${subnet['id']}' has no prefix`);
  return prefix;
}

function noneLeft(port: Item): Error {
  const message = `No more IP addresses available on network ${port['network_id']}.`;
  return neutronRefusal(409, 'IpAddressGenerationFailure', message);
}
