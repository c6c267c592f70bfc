// Networks of the simulated Neutron.
import type { JsonObject } from '../../../bus/bus.ts';
import { neutronRefusal } from './exchange.ts';
import {
  type AttributeTable,
  asGiven,
  invalidInput,
  toBoolean,
  toDnsDomain,
  toHints,
  toMtu,
  toText,
} from './neutron-attributes.ts';
import { bump, type NeutronDeps, type NeutronResource } from './neutron-resource.ts';
import { defaultGroup } from './neutron-security-groups.ts';
import { CollectionName } from './store.ts';

/** Greatest MTU of a network by its type, as the real control plane is set up. */
const LARGEST_MTU: Readonly<Record<string, number>> = {
  geneve: 1442,
  vxlan: 1450,
  vlan: 1500,
  flat: 1500,
  local: 1500,
};

function attributeTable(dns: boolean): AttributeTable {
  const never = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;
  const text = { convert: toText, preset: '', allowed: 'always' } as const;
  const provider = { convert: asGiven, preset: 'unset', allowed: 'always' } as const;
  return {
    id: never,
    name: text,
    tenant_id: { convert: toText, preset: '', allowed: 'creation' },
    admin_state_up: { convert: toBoolean, preset: true, allowed: 'always' },
    mtu: { convert: toMtu, preset: 0, allowed: 'always' },
    status: never,
    subnets: never,
    shared: { convert: toBoolean, preset: false, allowed: 'always' },
    availability_zone_hints: { convert: toHints, preset: [], allowed: 'creation' },
    availability_zones: never,
    ipv4_address_scope: never,
    ipv6_address_scope: never,
    'router:external': { convert: toBoolean, preset: false, allowed: 'always' },
    is_default: { convert: toBoolean, preset: 'unset', allowed: 'always' },
    description: text,
    port_security_enabled: { convert: toBoolean, preset: true, allowed: 'always' },
    ...(dns ? { dns_domain: { convert: toDnsDomain, preset: '', allowed: 'always' } as const } : {}),
    'provider:network_type': provider,
    'provider:physical_network': provider,
    'provider:segmentation_id': provider,
    tags: never,
    created_at: never,
    updated_at: never,
    revision_number: never,
  };
}

export function networks({ store, dns, availabilityZones }: NeutronDeps): NeutronResource {
  const items = store.collection(CollectionName.Networks);
  const subnets = store.collection(CollectionName.Subnets);
  const ports = store.collection(CollectionName.Ports);
  const largestMtu = (type: unknown): number => LARGEST_MTU[String(type)] ?? 0;
  const attributes = attributeTable(dns);
  const refuseMtu = (mtu: unknown, type: unknown): void => {
    if (Number(mtu) > largestMtu(type)) {
      throw invalidInput(`Requested MTU is too big, maximum is ${largestMtu(type)}`);
    }
  };
  const refuseInternal = (id: unknown): void => {
    const isGateway = ({ network_id: network, device_owner: owner }: JsonObject): boolean =>
      network === id && owner === 'network:router_gateway';
    if (![...ports.values()].some(isGateway)) return;
    const why = 'cannot be updated to be made non-external, since it has existing gateway ports';
    throw neutronRefusal(409, 'ExternalNetworkInUse', `External network ${id} ${why}.`);
  };
  return {
    collection: CollectionName.Networks,
    singular: 'network',
    attributes,
    filters: Object.keys(attributes).filter((name) => !['subnets', 'tags', 'availability_zones'].includes(name)),
    create(item) {
      const hints = item['availability_zone_hints'];
      for (const zone of Array.isArray(hints) ? hints : []) {
        if (availabilityZones.includes(String(zone))) continue;
        throw neutronRefusal(404, 'AvailabilityZoneNotFound', `AvailabilityZone ${zone} could not be found.`);
      }
      const type = item['provider:network_type'] ?? 'geneve';
      if (largestMtu(type) === 0) throw invalidInput(`network_type value '${type}' not supported`);
      refuseMtu(item['mtu'], type);
      Object.assign(item, {
        mtu: item['mtu'] === 0 ? largestMtu(type) : item['mtu'],
        status: 'ACTIVE',
        'provider:network_type': type,
        'provider:physical_network': item['provider:physical_network'] ?? null,
        'provider:segmentation_id': item['provider:segmentation_id'] ?? store.pick(1, 16_000),
        revision_number: 1,
      });
      defaultGroup(String(item['project_id']), store);
    },
    update(item, change) {
      if (change['mtu'] !== undefined) refuseMtu(change['mtu'], item['provider:network_type']);
      if (Object.keys(change).some((name) => name.startsWith('provider:'))) {
        throw invalidInput('Only VLAN type networks can be updated.');
      }
      if (item['router:external'] === true && change['router:external'] === false) refuseInternal(item['id']);
      // Sharing and being external live in tables of their own: there, only a difference counts as a change.
      const counts = Object.entries(change).some(
        ([name, value]) => !['shared', 'router:external'].includes(name) || item[name] !== value,
      );
      Object.assign(item, change);
      if (counts) bump(item, store);
    },
    remove(item) {
      // Floating IPs do not hold a network either.
      const goes = ({ device_owner: owner }: JsonObject): boolean => owner === 'network:floatingip';
      const used = store
        .sorted(CollectionName.Ports)
        .filter((port) => port['network_id'] === item['id'] && !goes(port))
        .map((port) => port['id']);
      if (used.length > 0) {
        throw neutronRefusal(
          409,
          'NetworkInUse',
          `Unable to complete operation on network ${item['id']}. There are one or more ports still in use on the network, id for these ports is: ${used.join(',')}.`,
        );
      }
      // Subnets do not hold a network: they go with it.
      for (const [id, port] of ports) if (port['network_id'] === item['id']) ports.delete(id);
      const floating = store.collection(CollectionName.FloatingIps);
      for (const [id, each] of floating) if (each['floating_network_id'] === item['id']) floating.delete(id);
      for (const [id, subnet] of subnets) if (subnet['network_id'] === item['id']) subnets.delete(id);
    },
    show(item) {
      const own = store
        .sorted(CollectionName.Subnets)
        .filter((subnet) => subnet['network_id'] === item['id'])
        .map((subnet) => subnet['id'] ?? null);
      const shown: JsonObject = {
        ...item,
        subnets: own,
        availability_zones: [],
        ipv4_address_scope: null,
        ipv6_address_scope: null,
      };
      return items.has(String(item['id'])) && item['router:external'] !== true
        ? shown
        : { ...shown, is_default: false };
    },
  };
}
