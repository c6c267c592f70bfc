// Routers of the simulated Neutron, and the ports that they have: gateways and interfaces.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { overlap, parsePrefix } from './addresses.ts';
import { neutronRefusal, pythonRepr } from './exchange.ts';
import { fixedIpsOf } from './neutron-addresses.ts';
import { tiedThrough } from './neutron-associations.ts';
import {
  type AttributeTable,
  asGiven,
  type Convert,
  invalid,
  toBoolean,
  toHints,
  toText,
  toUuid,
} from './neutron-attributes.ts';
import { newPort } from './neutron-ports.ts';
import { bump, type NeutronDeps, type NeutronResource, notFound } from './neutron-resource.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

const GATEWAY_KEYS = ['network_id', 'enable_snat', 'external_fixed_ips'];
const NEVER = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;

const toGateway: Convert = (value, name) => {
  if (value === null) return null;
  const gateway = asObject(value);
  if (gateway === undefined) throw invalid(name, `'${value}' is not a dictionary.`);
  const keys = Object.keys(gateway);
  if (keys.length === 0) return null;
  const unknown = keys.filter((key) => !GATEWAY_KEYS.includes(key));
  if (unknown.length > 0) throw invalid(name, `Unexpected keys supplied: ${unknown.join(', ')}.`);
  if (gateway['network_id'] === undefined) {
    const found = `Expected keys: {'network_id'} Provided keys: {${keys.map((key) => `'${key}'`).join(', ')}}.`;
    throw invalid(name, `Validation of dictionary's keys failed. ${found}`);
  }
  toUuid(gateway['network_id'], name);
  return gateway;
};

const ATTRIBUTES: AttributeTable = {
  id: NEVER,
  name: { convert: toText, preset: '', allowed: 'always' },
  tenant_id: { convert: toText, preset: '', allowed: 'creation' },
  admin_state_up: { convert: toBoolean, preset: true, allowed: 'always' },
  status: NEVER,
  external_gateway_info: { convert: toGateway, preset: null, allowed: 'always' },
  description: { convert: toText, preset: '', allowed: 'always' },
  availability_zones: NEVER,
  distributed: { convert: toBoolean, preset: false, allowed: 'always' },
  ha: { convert: toBoolean, preset: false, allowed: 'always' },
  availability_zone_hints: { convert: toHints, preset: [], allowed: 'creation' },
  routes: NEVER,
  flavor_id: NEVER,
  tags: NEVER,
  created_at: NEVER,
  updated_at: NEVER,
  revision_number: NEVER,
};

export function routers(deps: NeutronDeps): NeutronResource {
  const { store, availabilityZones } = deps;
  const ports = store.collection(CollectionName.Ports);
  const portsOf = (router: Item): readonly Item[] =>
    store.sorted(CollectionName.Ports).filter((port) => port['device_id'] === router['id']);
  const setGateway = (router: Item, gateway: JsonObject | null): void => {
    if (gateway !== null) checkGateway(gateway, store);
    const known = asObject(router['external_gateway_info'])?.['network_id'];
    if (
      known !== undefined &&
      known !== gateway?.['network_id'] &&
      tiedThrough(String(router['id']), undefined, store)
    ) {
      const why = `since a gateway to external network ${known} is required by one or more floating IPs.`;
      const message = `Gateway cannot be updated for router ${router['id']}, ${why}`;
      throw neutronRefusal(409, 'RouterExternalGatewayInUseByFloatingIp', message);
    }
    const old = portsOf(router).filter(isGateway);
    for (const port of old) ports.delete(String(port['id']));
    router['external_gateway_info'] = null;
    if (gateway === null) return;
    const fixed = gateway['external_fixed_ips'];
    newPort(
      {
        network_id: gateway['network_id'] ?? null,
        tenant_id: '',
        project_id: '',
        device_id: router['id'] ?? '',
        device_owner: 'network:router_gateway',
        ...(fixed === undefined ? {} : { fixed_ips: fixed }),
      },
      deps,
    );
    router['external_gateway_info'] = {
      network_id: gateway['network_id'] ?? null,
      enable_snat: gateway['enable_snat'] ?? true,
    };
  };
  return {
    collection: CollectionName.Routers,
    singular: 'router',
    attributes: ATTRIBUTES,
    filters: ['name', 'admin_state_up', 'description'],
    sortKeys: ['name', 'admin_state_up', 'status', 'flavor_id'],
    create(item) {
      const hints = item['availability_zone_hints'];
      for (const zone of Array.isArray(hints) ? hints : []) {
        if (availabilityZones.includes(String(zone))) continue;
        throw neutronRefusal(404, 'AvailabilityZoneNotFound', `AvailabilityZone ${zone} could not be found.`);
      }
      const gateway = item['external_gateway_info'];
      Object.assign(item, { status: 'ACTIVE', flavor_id: null, routes: [], revision_number: 1 });
      setGateway(item, asObject(gateway) ?? null);
    },
    update(item, change) {
      for (const [name, what] of [
        ['distributed', "the 'distributed' attribute"],
        ['ha', 'HA attribute'],
      ] as const) {
        const { [name]: value } = change;
        if (value === undefined || value === item[name] || item['admin_state_up'] === false) continue;
        const why = 'Please set router admin_state_up to False prior to upgrade.';
        throw badRouter(`Cannot change ${what} of active routers. ${why}`);
      }
      const { external_gateway_info: gateway, ...others } = change;
      // A value that is there already counts as none of these two.
      const counts = Object.entries(others).some(
        ([name, value]) => !['distributed', 'ha'].includes(name) || item[name] !== value,
      );
      if (gateway !== undefined) setGateway(item, asObject(gateway) ?? null);
      Object.assign(item, others);
      if (counts || gateway !== undefined) bump(item, store);
    },
    remove(item) {
      const used = portsOf(item).filter((port) => !isGateway(port));
      if (used.length > 0) {
        const list = used.map((port) => port['id']).join(', ');
        throw neutronRefusal(409, 'RouterInUse', `Router ${item['id']} has ports still attached: ${list}`);
      }
      for (const port of portsOf(item)) ports.delete(String(port['id']));
    },
    show(item) {
      const gateway = asObject(item['external_gateway_info']);
      const port = portsOf(item).find(isGateway);
      return {
        ...item,
        availability_zones: [],
        external_gateway_info:
          gateway === undefined ? null : { ...gateway, external_fixed_ips: port === undefined ? [] : fixedIpsOf(port) },
      };
    },
    actions: {
      add_router_interface: (router, body) => addInterface(router, body, deps),
      remove_router_interface: (router, body) => removeInterface(router, body, store),
    },
  };
}

function isGateway(port: JsonObject): boolean {
  return port['device_owner'] === 'network:router_gateway';
}

function badRouter(reason: string): Error {
  return neutronRefusal(400, 'BadRequest', `Bad router request: ${reason}`);
}

function checkGateway({ network_id: id }: JsonObject, store: Store): void {
  const network = store.collection(CollectionName.Networks).get(String(id));
  if (network === undefined) throw notFound({ singular: 'network' }, String(id));
  if (network['router:external'] !== true) throw badRouter(`Network ${id} is not an external network.`);
}

/** The interface of a router: a subnet, by a port that is made for it, or an existing port. */
function addInterface(router: Item, body: JsonObject, deps: NeutronDeps): JsonObject {
  const { store } = deps;
  const { subnet_id: subnetId, port_id: portId } = stated(body);
  if (subnetId !== undefined && portId !== undefined) throw badRouter('Cannot specify both subnet-id and port-id.');
  const owner = ownerFor(router);
  if (portId !== undefined) {
    const port = store.collection(CollectionName.Ports).get(portId);
    if (port === undefined) throw notFound({ singular: 'port' }, portId);
    if (port['device_id'] !== '') {
      const message = `Unable to complete operation on port ${portId} for network ${port['network_id']}. Port already has an attached device ${port['device_id']}.`;
      throw neutronRefusal(409, 'PortInUse', message);
    }
    const [first] = fixedIpsOf(port);
    if (first === undefined) throw badRouter('Router port must have at least one fixed IP.');
    refuseOverlap(router, [first.subnet_id], store);
    Object.assign(port, { device_id: router['id'], device_owner: owner, status: statusFor(owner, port) });
    bump(port, store);
    bump(router, store);
    return plugged(router, port, store);
  }
  const subnet = subnetId === undefined ? undefined : store.collection(CollectionName.Subnets).get(subnetId);
  if (subnetId === undefined) throw badRouter('Either subnet_id or port_id must be specified.');
  if (subnet === undefined) {
    if (!/^[0-9a-f-]{32,36}$/.test(subnetId)) throw badRouter(`${pythonRepr(subnetId)} is not a valid UUID.`);
    throw notFound({ singular: 'subnet' }, subnetId);
  }
  if (subnet['gateway_ip'] === null) throw badRouter('Subnet for router interface must have a gateway IP.');
  refuseOverlap(router, [subnetId], store);
  const shared = subnet['ip_version'] === 6 ? ipv6PortOf(router, subnet['network_id'], store) : undefined;
  const address = { subnet_id: subnetId, ip_address: subnet['gateway_ip'] ?? null };
  if (shared !== undefined) {
    shared['fixed_ips'] = [...(fixedIpsOf(shared) as unknown as Json[]), address];
    bump(shared, store);
    bump(router, store);
    return { ...plugged(router, shared, store), subnet_id: subnetId, subnet_ids: [subnetId] };
  }
  const port = newPort(
    {
      network_id: subnet['network_id'] ?? null,
      tenant_id: router['tenant_id'] ?? '',
      project_id: router['project_id'] ?? '',
      device_id: router['id'] ?? '',
      device_owner: owner,
      fixed_ips: [address],
    },
    deps,
  );
  bump(router, store);
  return plugged(router, port, store);
}

/** Port of the router that has IPv6 addresses of the network: Neutron adds further IPv6 subnets of the network to it. */
function ipv6PortOf(router: Item, networkId: Json | undefined, store: Store): Item | undefined {
  const subnets = store.collection(CollectionName.Subnets);
  return store
    .sorted(CollectionName.Ports)
    .find(
      (port) =>
        port['device_id'] === router['id'] &&
        !isGateway(port) &&
        port['network_id'] === networkId &&
        fixedIpsOf(port).some(({ subnet_id: id }) => subnets.get(id)?.['ip_version'] === 6),
    );
}

function removeInterface(router: Item, body: JsonObject, store: Store): JsonObject {
  const { subnet_id: subnetId, port_id: portId } = stated(body);
  if (subnetId === undefined && portId === undefined) throw badRouter('Either subnet_id or port_id must be specified.');
  const id = String(router['id']);
  const own = store
    .sorted(CollectionName.Ports)
    .filter((port) => port['device_id'] === router['id'] && !isGateway(port));
  if (portId === undefined && !store.collection(CollectionName.Subnets).has(String(subnetId))) {
    throw notFound({ singular: 'subnet' }, String(subnetId));
  }
  const port = own.find((candidate) =>
    portId === undefined
      ? fixedIpsOf(candidate).some(({ subnet_id: subnet }) => subnet === subnetId)
      : candidate['id'] === portId,
  );
  if (port === undefined) {
    if (portId !== undefined) {
      const message = `Router ${id} does not have an interface with id ${portId}`;
      throw neutronRefusal(404, 'RouterInterfaceNotFound', message);
    }
    const message = `Router ${id} has no interface on subnet ${subnetId}`;
    throw neutronRefusal(404, 'RouterInterfaceNotFoundForSubnet', message);
  }
  const held = fixedIpsOf(port).find(({ subnet_id: subnet }) => tiedThrough(id, subnet, store));
  if (held !== undefined) {
    const why = 'cannot be deleted, as it is required by one or more floating IPs.';
    const message = `Router interface for subnet ${held.subnet_id} on router ${id} ${why}`;
    throw neutronRefusal(409, 'RouterInterfaceInUseByFloatingIP', message);
  }
  const answer = plugged(router, port, store);
  const others = fixedIpsOf(port).filter(({ subnet_id: subnet }) => subnet !== subnetId);
  bump(router, store);
  if (portId === undefined && others.length > 0) {
    port['fixed_ips'] = others as unknown as Json[];
    bump(port, store);
    return { ...answer, subnet_id: subnetId ?? null, subnet_ids: [subnetId ?? null] };
  }
  store.collection(CollectionName.Ports).delete(String(port['id']));
  return answer;
}

function stated(body: JsonObject): { readonly subnet_id?: string; readonly port_id?: string } {
  const text = (value: Json | undefined): string | undefined =>
    value === undefined || value === null ? undefined : String(value);
  const [subnet, port] = [text(body['subnet_id']), text(body['port_id'])];
  return { ...(subnet === undefined ? {} : { subnet_id: subnet }), ...(port === undefined ? {} : { port_id: port }) };
}

function ownerFor(router: Item): string {
  if (router['distributed'] === true) return 'network:router_interface_distributed';
  return router['ha'] === true ? 'network:ha_router_replicated_interface' : 'network:router_interface';
}

function statusFor(owner: string, port: Item): Json {
  return owner === 'network:router_interface' ? 'ACTIVE' : (port['status'] ?? 'DOWN');
}

/** A router knows one way to an address: subnets that it has must not overlap. */
function refuseOverlap(router: Item, subnetIds: readonly string[], store: Store): void {
  const subnets = store.collection(CollectionName.Subnets);
  const own = [...store.collection(CollectionName.Ports).values()]
    .filter((port) => port['device_id'] === router['id'])
    .flatMap((port) => fixedIpsOf(port).map(({ subnet_id: id }) => id));
  for (const id of subnetIds) {
    if (own.includes(id)) throw badRouter(`Router already has a port on subnet ${id}.`);
    const [cidr, prefix] = rangeOf(subnets.get(id));
    for (const otherId of own) {
      const [otherCidr, other] = rangeOf(subnets.get(otherId));
      if (prefix === undefined || other === undefined || !overlap(prefix, other)) continue;
      throw badRouter(`Cidr ${cidr} of subnet ${id} overlaps with cidr ${otherCidr} of subnet ${otherId}.`);
    }
  }
}

function rangeOf(subnet: Item | undefined): readonly [string, ReturnType<typeof parsePrefix>] {
  const cidr = String(subnet?.['cidr']);
  return [cidr, parsePrefix(cidr)];
}

function plugged(router: Item, port: Item, store: Store): JsonObject {
  const ids = fixedIpsOf(port).map(({ subnet_id: id }) => id);
  const network = store.collection(CollectionName.Networks).get(String(port['network_id']));
  return {
    id: router['id'] ?? null,
    tenant_id: router['tenant_id'] ?? '',
    port_id: port['id'] ?? null,
    network_id: network?.['id'] ?? null,
    subnet_id: ids[0] ?? null,
    subnet_ids: ids,
  };
}
