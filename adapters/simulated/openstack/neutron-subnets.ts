// Subnets of the simulated Neutron.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { formatAddress, formatPrefix, overlap, type Prefix, parseAddress, parsePrefix } from './addresses.ts';
import { neutronRefusal } from './exchange.ts';
import { fixedIpsOf, freeAddress, isRouterPort, isStateless } from './neutron-addresses.ts';
import {
  type AttributeTable,
  asGiven,
  invalidInput,
  oneOf,
  toAddressOrNull,
  toBoolean,
  toNameservers,
  toPools,
  toRoutes,
  toText,
  toUuid,
} from './neutron-attributes.ts';
import { checkPools, defaultPools } from './neutron-pools.ts';
import { bump, type NeutronDeps, type NeutronResource, notFound } from './neutron-resource.ts';
import { CollectionName, type Item, type Store } from './store.ts';

const NEVER = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;
const IPV6_MODES = oneOf('dhcpv6-stateful', 'dhcpv6-stateless', 'slaac');

const SUBNET_ATTRIBUTES: AttributeTable = {
  id: NEVER,
  name: { convert: toText, preset: '', allowed: 'always' },
  tenant_id: { convert: toText, preset: '', allowed: 'creation' },
  ip_version: { convert: oneOf(4, 6), allowed: 'creation' },
  network_id: { convert: toUuid, allowed: 'creation' },
  subnetpool_id: { convert: asGiven, preset: null, allowed: 'creation' },
  cidr: { convert: asGiven, preset: 'unset', allowed: 'creation' },
  gateway_ip: { convert: toAddressOrNull, preset: 'unset', allowed: 'always' },
  allocation_pools: { convert: toPools, preset: 'unset', allowed: 'always' },
  dns_nameservers: { convert: toNameservers, preset: [], allowed: 'always' },
  host_routes: { convert: toRoutes, preset: [], allowed: 'always' },
  enable_dhcp: { convert: toBoolean, preset: true, allowed: 'always' },
  ipv6_ra_mode: { convert: IPV6_MODES, preset: null, allowed: 'creation' },
  ipv6_address_mode: { convert: IPV6_MODES, preset: null, allowed: 'creation' },
  description: { convert: toText, preset: '', allowed: 'always' },
  service_types: { convert: asGiven, preset: [], allowed: 'always' },
  dns_publish_fixed_ip: { convert: toBoolean, preset: false, allowed: 'always' },
  tags: NEVER,
  created_at: NEVER,
  updated_at: NEVER,
  revision_number: NEVER,
};

export function subnets({ store }: NeutronDeps): NeutronResource {
  const items = store.collection(CollectionName.Subnets);
  const networks = store.collection(CollectionName.Networks);
  const ports = store.collection(CollectionName.Ports);
  const bumpNetwork = (item: Item): void => {
    const network = networks.get(String(item['network_id']));
    if (network !== undefined) bump(network, store);
  };
  return {
    collection: CollectionName.Subnets,
    singular: 'subnet',
    attributes: SUBNET_ATTRIBUTES,
    filters: Object.keys(SUBNET_ATTRIBUTES).filter(
      (name) => !['allocation_pools', 'dns_nameservers', 'host_routes', 'service_types', 'tags'].includes(name),
    ),
    create(item) {
      if (item['cidr'] === undefined) {
        const reason = 'a subnetpool must be specified in the absence of a cidr';
        throw neutronRefusal(400, 'BadRequest', `Bad subnets request: ${reason}.`);
      }
      if (!networks.has(String(item['network_id'])))
        throw notFound({ singular: 'network' }, String(item['network_id']));
      const prefix = parsePrefix(String(item['cidr']));
      if (prefix === undefined) throw invalidInput(`${item['cidr']} is not in a CIDR format`);
      checkPrefix(item, prefix);
      checkIpv6Modes(item, prefix);
      item['cidr'] = formatPrefix(prefix);
      if (item['gateway_ip'] === undefined) {
        item['gateway_ip'] = formatAddress({
          version: prefix.version,
          value: prefix.first + (prefix.version === 4 ? 1n : 0n),
        });
      }
      checkGateway(item['gateway_ip'], prefix);
      // An empty list counts as none.
      if (item['allocation_pools'] === undefined || String(item['allocation_pools']) === '')
        item['allocation_pools'] = defaultPools(prefix, item['gateway_ip']);
      else checkPools(item['allocation_pools'], prefix, item['gateway_ip']);
      for (const other of items.values()) {
        const taken = parsePrefix(String(other['cidr']));
        if (other['network_id'] !== item['network_id'] || taken === undefined || !overlap(prefix, taken)) continue;
        throw invalidInput(
          `Requested subnet with cidr: ${item['cidr']} for network: ${item['network_id']} overlaps with another subnet`,
        );
      }
      item['revision_number'] = 0;
      bumpNetwork(item);
      reachOut(item, store);
    },
    update(item, change) {
      const prefix = parsePrefix(String(item['cidr']));
      if (prefix === undefined) throw new Error(`subnet '${item['id']}' has no prefix`);
      const gateway = change['gateway_ip'] === undefined ? item['gateway_ip'] : change['gateway_ip'];
      if (change['gateway_ip'] !== undefined) checkGateway(change['gateway_ip'], prefix);
      if (change['gateway_ip'] !== undefined || change['allocation_pools'] !== undefined) {
        checkPools(change['allocation_pools'] ?? item['allocation_pools'] ?? [], prefix, gateway ?? null);
      }
      Object.assign(item, change);
      if (Object.keys(change).length > 0) bump(item, store);
      bumpNetwork(item);
    },
    remove(item) {
      const users = [...ports.values()].filter((port) => isOn(port, item));
      // Addresses that hosts made themselves do not hold a subnet: they go with it.
      if (users.some((port) => !isStateless(item) || isRouterPort(port))) {
        const reason = 'One or more ports have an IP allocation from this subnet';
        throw neutronRefusal(409, 'SubnetInUse', `Unable to complete operation on subnet ${item['id']}: ${reason}.`);
      }
      for (const port of users) {
        port['fixed_ips'] = fixedIpsOf(port).filter(({ subnet_id: id }) => id !== item['id']);
        bump(port, store);
      }
      bumpNetwork(item);
    },
    show: (item) => ({ ...item }),
  };
}

/**
 * Ports that were there before the subnet get an address on it: all but those of routers where hosts configure
 * themselves, and gateways that had no address yet.
 */
function reachOut(subnet: Item, store: Store): void {
  for (const port of store.collection(CollectionName.Ports).values()) {
    if (port['network_id'] !== subnet['network_id']) continue;
    const own = fixedIpsOf(port);
    const isMeant = isStateless(subnet)
      ? !isRouterPort(port)
      : port['device_owner'] === 'network:router_gateway' && own.length === 0;
    const free = isMeant ? freeAddress(port, subnet, new Set(), store) : undefined;
    if (free === undefined) continue;
    port['fixed_ips'] = [...own, { subnet_id: String(subnet['id']), ip_address: free }];
    bump(port, store);
  }
}

function isOn(port: JsonObject, { id }: Item): boolean {
  return fixedIpsOf(port).some(({ subnet_id: subnetId }) => subnetId === id);
}

function checkPrefix(item: Item, prefix: Prefix): void {
  if (item['ip_version'] !== prefix.version) {
    throw invalidInput(`cidr '${item['cidr']}' does not match the ip_version '${item['ip_version']}'`);
  }
  if (item['enable_dhcp'] !== true) return;
  const high = prefix.version === 4 ? prefix.first >> 24n : prefix.first >> 120n;
  if (prefix.length > (prefix.version === 4 ? 30 : 126)) {
    throw invalidInput('Subnet has a prefix length that is incompatible with DHCP service enabled');
  }
  if (prefix.version === 4 ? high >= 224n && high < 240n : high === 255n) {
    throw invalidInput('Multicast IP subnet is not supported if enable_dhcp is True');
  }
  if (prefix.version === 4 && high === 127n) {
    throw invalidInput('Loopback IP subnet is not supported if enable_dhcp is True');
  }
  if (prefix.version === 4 && prefix.first === 0n) {
    throw invalidInput("First IP '0.0.0.0' of network is not supported if enable_dhcp is True.");
  }
}

function checkIpv6Modes(item: Item, prefix: Prefix): void {
  const { ipv6_ra_mode: ra = null, ipv6_address_mode: address = null } = item;
  if (ra === null && address === null) return;
  const given = ra === null ? 'ipv6_address_mode' : 'ipv6_ra_mode';
  if (prefix.version === 4) throw invalidInput(`${given} is not valid when ip_version is 4`);
  if (item['enable_dhcp'] !== true) {
    throw invalidInput('ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False');
  }
  if (ra !== null && address !== null && ra !== address) {
    const what = `ipv6_ra_mode set to '${ra}' with ipv6_address_mode set to '${address}' is not valid`;
    throw invalidInput(`${what}. If both attributes are set, they must be the same value`);
  }
  if ([ra, address].some((mode) => mode === 'slaac' || mode === 'dhcpv6-stateless') && prefix.length !== 64) {
    const why = 'OpenStack uses the EUI-64 address format, which requires the prefix to be /64';
    throw invalidInput(`Invalid CIDR ${item['cidr']} for IPv6 address mode. ${why}`);
  }
}

/** A gateway outside of the prefix is fine with Neutron. */
function checkGateway(gateway: Json, prefix: Prefix): void {
  if (gateway === null) return;
  const address = parseAddress(String(gateway));
  if (address === undefined || address.version !== prefix.version) {
    throw invalidInput(`gateway_ip '${gateway}' does not match the ip_version '${prefix.version}'`);
  }
  if (prefix.version === 4 && prefix.length < 31 && (address.value === prefix.first || address.value === prefix.last)) {
    throw invalidInput('Gateway is not valid on subnet');
  }
}
