// Floating IPs of the simulated Neutron, and the external ports that hold their addresses.
import type { Json } from '../../../bus/bus.ts';
import { neutronRefusal } from './exchange.ts';
import { fixedIpsOf } from './neutron-addresses.ts';
import { UNTIED } from './neutron-associations.ts';
import {
  type AttributeTable,
  asGiven,
  type Convert,
  invalid,
  toAddressOrNull,
  toText,
  toUuid,
} from './neutron-attributes.ts';
import { newPort } from './neutron-ports.ts';
import { bump, type NeutronDeps, type NeutronResource, notFound } from './neutron-resource.ts';
import { CollectionName, type Item, type Store } from './store.ts';

const NEVER = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;

const toUuidOrNull: Convert = (value, name) => (value === null ? null : toUuid(value, name));

const toAddress: Convert = (value, name) => {
  if (value === null) throw invalid(name, "'None' is not a valid IP address.");
  return toAddressOrNull(value, name);
};

const ATTRIBUTES: AttributeTable = {
  id: NEVER,
  tenant_id: { convert: toText, preset: '', allowed: 'creation' },
  floating_ip_address: { convert: toAddress, preset: null, allowed: 'creation' },
  subnet_id: { convert: toUuidOrNull, preset: null, allowed: 'creation' },
  floating_network_id: { convert: toUuid, allowed: 'creation' },
  router_id: NEVER,
  port_id: { convert: toUuidOrNull, preset: null, allowed: 'always' },
  fixed_ip_address: { convert: toAddressOrNull, preset: null, allowed: 'always' },
  status: NEVER,
  description: { convert: toText, preset: '', allowed: 'always' },
  port_details: NEVER,
  tags: NEVER,
  created_at: NEVER,
  updated_at: NEVER,
  revision_number: NEVER,
};

export function floatingIps(deps: NeutronDeps): NeutronResource {
  const { store, dns } = deps;
  const ports = store.collection(CollectionName.Ports);
  return {
    collection: CollectionName.FloatingIps,
    singular: 'floatingip',
    attributes: ATTRIBUTES,
    filters: [
      'floating_ip_address',
      'floating_network_id',
      'router_id',
      'port_id',
      'fixed_ip_address',
      'status',
      'description',
    ],
    sortKeys: ['floating_ip_address', 'floating_network_id', 'router_id', 'port_id', 'fixed_ip_address', 'status'],
    create(item) {
      const { floating_network_id: networkId, floating_ip_address: address, subnet_id: subnetId } = item;
      const network = store.collection(CollectionName.Networks).get(String(networkId));
      if (network === undefined) throw notFound({ singular: 'network' }, String(networkId));
      if (network['router:external'] !== true) throw bad(`Network ${networkId} is not a valid external network.`);
      const wanted = {
        ...(subnetId !== null && { subnet_id: subnetId ?? null }),
        ...(address !== null && { ip_address: address ?? null }),
      };
      delete item['subnet_id'];
      const outside = newPort(
        {
          network_id: networkId ?? null,
          tenant_id: '',
          project_id: '',
          device_id: item['id'] ?? '',
          device_owner: OWNER,
          ...(Object.keys(wanted).length > 0 && { fixed_ips: [wanted] }),
        },
        deps,
      );
      outside['status'] = 'N/A';
      try {
        const inner = fixedIpsOf(outside)[0]?.ip_address;
        if (inner === undefined) throw bad('no addresses are left on the external network.');
        const { port_id: portId, fixed_ip_address: fixed } = item;
        Object.assign(item, UNTIED, { floating_ip_address: inner, revision_number: 0 });
        tie(item, portId ?? null, fixed ?? null, store);
        // The association with a port is a change of its own, counted after the answer was made.
        if (portId !== null && portId !== undefined) queueMicrotask(() => Object.assign(item, { revision_number: 1 }));
      } catch (error) {
        ports.delete(String(outside['id']));
        throw error;
      }
    },
    update(item, change) {
      const { port_id: portId, fixed_ip_address: fixed, ...others } = change;
      const isTied = portId !== undefined || fixed !== undefined || Object.keys(change).length === 0;
      if (isTied) tie(item, portId ?? null, fixed ?? null, store);
      Object.assign(item, others);
      bump(item, store);
    },
    remove(item) {
      for (const [id, port] of ports) if (port['device_id'] === item['id']) ports.delete(id);
    },
    show(item) {
      const port = ports.get(String(item['port_id']));
      const details =
        port === undefined
          ? null
          : Object.fromEntries(
              ['name', 'network_id', 'mac_address', 'admin_state_up', 'status', 'device_id', 'device_owner'].map(
                (name) => [name, port[name] ?? null],
              ),
            );
      return { ...item, port_details: details, ...(dns && { dns_domain: '', dns_name: '' }) };
    },
  };
}

/** Owner of the external ports. */
const OWNER = 'network:floatingip';

/** Associates the address with a port, or with none. @throws {Refusal} the error of Neutron */
function tie(item: Item, portId: Json, fixed: Json, store: Store): void {
  if (portId === null) {
    if (fixed !== null) throw bad('fixed_ip_address cannot be specified without a port_id.');
    Object.assign(item, UNTIED);
    return;
  }
  const port = store.collection(CollectionName.Ports).get(String(portId));
  if (port === undefined) throw notFound({ singular: 'port' }, String(portId));
  const own = fixedIpsOf(port).filter(({ ip_address: address }) => !address.includes(':'));
  const inner = fixed === null ? own[0] : own.find(({ ip_address: address }) => address === fixed);
  if (fixed !== null && inner === undefined) throw bad(`Port ${portId} does not have fixed ip ${fixed}.`);
  if (inner === undefined) throw bad(`Cannot add floating IP to port ${portId} that has no fixed IPv4 addresses.`);
  if (fixed === null && own.length > 1) {
    const why = 'Must provide a specific IPv4 address when assigning a floating IP';
    throw bad(`Port ${portId} has multiple fixed IPv4 addresses.  ${why}.`);
  }
  const router = routerBetween(inner.subnet_id, item['floating_network_id'], store);
  if (router === undefined) {
    const what = `External network ${item['floating_network_id']} is not reachable from subnet ${inner.subnet_id}.`;
    throw neutronRefusal(
      404,
      'ExternalGatewayForFloatingIPNotFound',
      `${what}  Therefore, cannot associate Port ${portId} with a Floating IP.`,
    );
  }
  const isTaken = [...store.collection(CollectionName.FloatingIps).values()].some(
    (other) =>
      other['id'] !== item['id'] && other['port_id'] === portId && other['fixed_ip_address'] === inner.ip_address,
  );
  if (isTaken) {
    const what = `Cannot associate floating IP ${item['floating_ip_address']} (${item['id']}) with port ${portId}`;
    const why = `as that fixed IP already has a floating IP on external network ${item['floating_network_id']}.`;
    const message = `${what} using fixed IP ${inner.ip_address}, ${why}`;
    throw neutronRefusal(409, 'FloatingIPPortAlreadyAssociated', message);
  }
  Object.assign(item, {
    port_id: portId,
    fixed_ip_address: inner.ip_address,
    router_id: router,
    // The status that the real control plane without agents shows after its next check.
    status: 'ACTIVE',
  });
}

function routerBetween(subnetId: string, externalId: Json | undefined, store: Store): string | undefined {
  const ports = [...store.collection(CollectionName.Ports).values()];
  const inside = ports.filter(
    (port) =>
      /^network:(router_interface|ha_router)/.test(String(port['device_owner'])) &&
      fixedIpsOf(port).some(({ subnet_id: id }) => id === subnetId),
  );
  const found = inside.find(({ device_id: device }) =>
    ports.some(
      (port) =>
        port['device_owner'] === 'network:router_gateway' &&
        port['device_id'] === device &&
        port['network_id'] === externalId,
    ),
  );
  return found === undefined ? undefined : String(found['device_id']);
}

function bad(reason: string): Error {
  return neutronRefusal(400, 'BadRequest', `Bad floatingip request: ${reason}`);
}
