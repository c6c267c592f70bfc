// Ports of the simulated Neutron. Like the real control plane without agents: a port with a host is bound at once and
// ACTIVE, and so is one that a router has; any other is DOWN.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { neutronRefusal } from './exchange.ts';
import { allocate, fixedIpsOf } from './neutron-addresses.ts';
import { untie } from './neutron-associations.ts';
import { portAttributes } from './neutron-port-attributes.ts';
import { bump, type NeutronDeps, type NeutronResource, notFound } from './neutron-resource.ts';
import { defaultGroup } from './neutron-security-groups.ts';
import { refuseTrunked } from './neutron-trunks.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

/** Owners whose ports are ACTIVE as soon as they are there. */
const WIRED: ReadonlySet<unknown> = new Set(['network:router_interface', 'network:router_gateway']);
/** Owners that remove their ports themselves. */
const KEEPERS =
  /^network:(router_interface|router_gateway|floatingip|router_interface_distributed|ha_router_replicated_interface)$/;
const FILTERS = [
  'name',
  'network_id',
  'mac_address',
  'admin_state_up',
  'status',
  'device_id',
  'device_owner',
  'fixed_ips',
  'security_groups',
  'description',
  'binding:host_id',
];
const SORT_KEYS = ['name', 'network_id', 'mac_address', 'admin_state_up', 'status', 'device_id', 'device_owner'];
const UNBOUND = { 'binding:vif_type': 'unbound', 'binding:vif_details': {} };
const BOUND = {
  'binding:vif_type': 'ovs',
  'binding:vif_details': { port_filter: true, ovs_hybrid_plug: false, connectivity: 'l2' },
};
/** The zone of names that Neutron gives to addresses, as the real control plane is set up. */
const DNS_DOMAIN = 'test.example.';

export function ports({ store, dns }: NeutronDeps): NeutronResource {
  return {
    collection: CollectionName.Ports,
    singular: 'port',
    attributes: portAttributes(dns),
    filters: FILTERS,
    sortKeys: SORT_KEYS,
    matches: {
      fixed_ips: hasAddress,
      security_groups: ({ security_groups: groups }, values) => values.some((value) => includes(groups, value)),
    },
    create: (item) => completePort(item, store),
    update(item, change) {
      const next: Item = { ...item, ...change };
      refuseSameMac(next, store);
      if (next['mac_address'] !== item['mac_address'] && item['binding:vif_type'] === 'ovs') {
        const what = `Unable to complete operation on port ${item['id']}, port is already bound, port type: ovs`;
        const macs = `old_mac ${item['mac_address']}, new_mac ${next['mac_address']}`;
        throw neutronRefusal(409, 'PortBound', `${what}, ${macs}.`);
      }
      if (change['fixed_ips'] !== undefined) next['fixed_ips'] = allocate(item, change['fixed_ips'], store);
      guard(next, change['security_groups'], store);
      fillPairs(next);
      wire(next);
      Object.assign(item, next);
      if (Object.keys(change).length > 0) bump(item, store);
    },
    remove(item) {
      const { id, device_owner: owner, device_id: device } = item;
      refuseTrunked(String(id), store);
      const keepers = [CollectionName.Routers, CollectionName.FloatingIps];
      const isKept = KEEPERS.test(String(owner)) && keepers.some((name) => store.collection(name).has(String(device)));
      if (!isKept) {
        untie(String(id), store);
        return;
      }
      const message = `Port ${id} cannot be deleted directly via the port API: has device owner ${owner}.`;
      throw neutronRefusal(409, 'ServicePortInUse', message);
    },
    show: (item) => (dns ? { ...item, dns_assignment: namesOf(item) } : { ...item }),
  };
}

/** Finishes a new port; the caller stores it. @throws Neutron's refusal */
export function completePort(item: Item, store: Store): void {
  const network = store.collection(CollectionName.Networks).get(String(item['network_id']));
  if (network === undefined) throw notFound({ singular: 'network' }, String(item['network_id']));
  if (item['mac_address'] === undefined) item['mac_address'] = newMac(item, store);
  else refuseSameMac(item, store);
  const { fixed_ips: wanted } = item;
  item['fixed_ips'] = [];
  item['fixed_ips'] = allocate(item, wanted, store);
  // What Neutron itself plugs in is trusted.
  const isTrusted = String(item['device_owner']).startsWith('network:');
  item['port_security_enabled'] ??= !isTrusted && network['port_security_enabled'] !== false;
  const { security_groups: groups } = item;
  const isGuarded = item['port_security_enabled'] === true && !isTrusted;
  // Ports that Neutron makes for itself have no owner.
  const ownGroup = item['project_id'] === '' ? undefined : defaultGroup(String(item['project_id']), store);
  item['security_groups'] ??= isGuarded && ownGroup !== undefined ? [String(ownGroup['id'])] : [];
  guard(item, groups, store);
  fillPairs(item);
  wire(item);
  item['revision_number'] = 1;
}

/** A port as Neutron makes it for itself. @returns it, stored */
export function newPort(attributes: JsonObject, { store, dns }: Pick<NeutronDeps, 'store' | 'dns'>): Item {
  const presets = Object.entries(portAttributes(dns)).flatMap(([name, { preset }]) =>
    preset === undefined || preset === 'unset' ? [] : [[name, preset] as const],
  );
  const now = store.now();
  const item: Item = {
    id: store.newUuid(),
    ...Object.fromEntries(presets),
    ...attributes,
    tags: [],
    created_at: now,
    updated_at: now,
  };
  completePort(item, store);
  store.collection(CollectionName.Ports).set(String(item['id']), item);
  return item;
}

function refuseSameMac(port: Item, store: Store): void {
  const { network_id: network, mac_address: mac } = port;
  if (!othersMacs(port, store).has(String(mac).toLowerCase())) return;
  const message = `Unable to complete operation for network ${network}. The mac address ${mac} is in use.`;
  throw neutronRefusal(409, 'MacAddressInUse', message);
}

/** MAC addresses, in lower case, of the other ports of the port's network. */
function othersMacs({ id, network_id: network }: Item, store: Store): ReadonlySet<string> {
  const macs = new Set<string>();
  for (const other of store.collection(CollectionName.Ports).values()) {
    if (other['id'] !== id && other['network_id'] === network) macs.add(String(other['mac_address']).toLowerCase());
  }
  return macs;
}

/** Refuses what cannot be with the port's security. `groups`: those that the request states. */
function guard(port: Item, groups: Json | undefined, store: Store): void {
  const stated = Array.isArray(groups) ? groups : [];
  if (port['port_security_enabled'] !== true) {
    if (stated.length > 0) {
      const message = 'Port security must be enabled and port must have an IP address in order to use security groups.';
      throw neutronRefusal(400, 'PortSecurityAndIPRequiredForSecurityGroups', message);
    }
    if (isFilled(port['security_groups'])) {
      const why = 'Cannot disable port security or IP address until security group is removed.';
      throw neutronRefusal(409, 'PortSecurityPortHasSecurityGroup', `Port has security group associated. ${why}`);
    }
    if (isFilled(port['allowed_address_pairs'])) {
      const message = 'Port Security must be enabled in order to have allowed address pairs on a port.';
      throw neutronRefusal(409, 'AddressPairAndPortSecurityRequired', message);
    }
  }
  for (const id of stated) {
    if (store.collection(CollectionName.SecurityGroups).has(String(id))) continue;
    throw notFound({ singular: 'security_group' }, String(id));
  }
}

function isFilled(list: Json | undefined): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** A pair without a hardware address gets that of the port. */
function fillPairs(port: Item): void {
  const { allowed_address_pairs: pairs, mac_address: own = null } = port;
  if (!Array.isArray(pairs)) return;
  port['allowed_address_pairs'] = pairs.map((pair) => {
    const { ip_address: ip = null, mac_address: mac = null } = asObject(pair) ?? {};
    return { mac_address: mac ?? own, ip_address: ip };
  });
}

function wire(port: Item): void {
  Object.assign(port, wired(port));
}

/** The port with what follows from where it is. */
export function wired(port: Item): Item {
  const isBound = port['binding:host_id'] !== '';
  const status = isBound || WIRED.has(port['device_owner']) ? 'ACTIVE' : 'DOWN';
  return { ...port, ...(isBound ? BOUND : UNBOUND), status };
}

/** Prefix of Neutron's own hardware addresses, by default. */
/** A MAC address that no other port of the network has: of a thousand drawn by chance, two are the same once in 34 times. */
function newMac(port: Item, store: Store): string {
  const taken = othersMacs(port, store);
  for (;;) {
    const tail = [0, 0, 0].map(() => store.pick(0, 255).toString(16).padStart(2, '0'));
    const mac = ['fa', '16', '3e', ...tail].join(':');
    if (!taken.has(mac)) return mac;
  }
}

function namesOf(port: Item): readonly JsonObject[] {
  return fixedIpsOf(port).map(({ ip_address: address }) => {
    const own = port['dns_name'];
    const hostname = typeof own === 'string' && own !== '' ? own : `host-${address.replaceAll(/[.:]/g, '-')}`;
    return { ip_address: address, hostname, fqdn: `${hostname}.${DNS_DOMAIN}` };
  });
}

function includes(list: Json | undefined, value: string): boolean {
  return Array.isArray(list) && list.includes(value);
}

/** `fixed_ips=<key>=<value>`: alternatives of one key, and all keys must hold. An unknown key counts for nothing. */
function hasAddress(port: JsonObject, values: readonly string[]): boolean {
  const wanted = new Map<string, string[]>();
  for (const value of values) {
    const [key = '', ...rest] = value.split('=');
    if (rest.length === 0) {
      const message = `Invalid input for operation: '${value}' is not of the form <key>=[value].`;
      throw neutronRefusal(400, 'InvalidInput', message);
    }
    wanted.set(key, [...(wanted.get(key) ?? []), rest.join('=')]);
  }
  const addresses = fixedIpsOf(port);
  const holds = (key: string, test: (ip: (typeof addresses)[number], value: string) => boolean): boolean =>
    wanted.get(key)?.some((value) => addresses.some((ip) => test(ip, value))) ?? true;
  return (
    holds('subnet_id', ({ subnet_id: id }, value) => id === value) &&
    holds('ip_address', ({ ip_address: address }, value) => address === value) &&
    holds('ip_address_substr', ({ ip_address: address }, value) => address.includes(value))
  );
}
