// Rules of the simulated Neutron's security groups: they are made and removed, never changed.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { formatAddress, formatPrefix, parseAddress, parsePrefix } from './addresses.ts';
import { neutronRefusal } from './exchange.ts';
import { type AttributeTable, asGiven, type Convert, oneOf, toText, toUuid } from './neutron-attributes.ts';
import { bump, type NeutronDeps, type NeutronResource, notFound } from './neutron-resource.ts';
import { CollectionName, type Item } from './store.ts';

/** Numbers of the protocols that have names, in the order in which Neutron lists them. */
const PROTOCOLS: Readonly<Record<string, number>> = {
  ah: 51,
  dccp: 33,
  egp: 8,
  esp: 50,
  gre: 47,
  hopopt: 0,
  icmp: 1,
  igmp: 2,
  ip: 0,
  ipip: 4,
  'ipv6-encap': 41,
  'ipv6-frag': 44,
  'ipv6-icmp': 58,
  icmpv6: 58,
  'ipv6-nonxt': 59,
  'ipv6-opts': 60,
  'ipv6-route': 43,
  ospf: 89,
  pgm: 113,
  rsvp: 46,
  sctp: 132,
  tcp: 6,
  udp: 17,
  udplite: 136,
  vrrp: 112,
};
const ICMP: ReadonlySet<number | undefined> = new Set([1, 58]);
const WITH_PORTS: ReadonlySet<number | undefined> = new Set([33, 132, 6, 17, 136]);

function refused(type: string, message: string): Error {
  return neutronRefusal(400, type, message);
}

const toProtocol: Convert = (value) => {
  if (value === null) return null;
  const text = String(value).toLowerCase();
  if (/^\d+$/.test(text) ? Number(text) <= 255 : PROTOCOLS[text] !== undefined) return text;
  const names = Object.keys(PROTOCOLS).map((name) => `'${name}'`);
  const known = `Only protocol values [None, ${names.join(', ')}] and integer representations [0 to 255] are supported.`;
  throw refused('SecurityGroupRuleInvalidProtocol', `Security group rule protocol ${value} not supported. ${known}`);
};

const toEthertype: Convert = (value) => {
  const found = ['IPv4', 'IPv6'].find((name) => name.toLowerCase() === String(value).toLowerCase());
  if (found !== undefined) return found;
  const message = `Security group rule for ethertype '${value === null ? 'None' : value}' not supported. Allowed values are ['IPv4', 'IPv6'].`;
  throw refused('SecurityGroupRuleInvalidEtherType', message);
};

const toPort: Convert = (value) => {
  if (value === null) return null;
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw refused('SecurityGroupInvalidPortValue', `Invalid value for port ${value}`);
};

const toCidr: Convert = (value) => {
  if (value === null || value === '') return null;
  const text = String(value);
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw refused('InvalidCIDR', `Invalid CIDR ${value} given as IP prefix.`);
  // In its shortest spelling, host bits and all.
  const [address = ''] = text.split('/');
  return `${formatAddress(parseAddress(address) ?? { version: prefix.version, value: prefix.first })}/${prefix.length}`;
};

const NEVER = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;
const NULL = { preset: null, allowed: 'creation' } as const;

const ATTRIBUTES: AttributeTable = {
  id: NEVER,
  tenant_id: { convert: toText, preset: '', allowed: 'creation' },
  security_group_id: { convert: asGiven, allowed: 'creation' },
  ethertype: { convert: toEthertype, preset: 'IPv4', allowed: 'creation' },
  direction: { convert: oneOf('ingress', 'egress'), allowed: 'creation' },
  protocol: { convert: toProtocol, ...NULL },
  port_range_min: { convert: toPort, ...NULL },
  port_range_max: { convert: toPort, ...NULL },
  remote_ip_prefix: { convert: toCidr, ...NULL },
  remote_address_group_id: { convert: (value, name) => (value === null ? null : toUuid(value, name)), ...NULL },
  normalized_cidr: NEVER,
  remote_group_id: { convert: asGiven, ...NULL },
  description: { convert: toText, preset: '', allowed: 'always' },
  created_at: NEVER,
  updated_at: NEVER,
  revision_number: NEVER,
};

export function securityGroupRules({ store }: NeutronDeps): NeutronResource {
  const rules = store.collection(CollectionName.SecurityGroupRules);
  const groups = store.collection(CollectionName.SecurityGroups);
  const bumpGroup = ({ security_group_id: id }: Item): void => {
    const group = groups.get(String(id));
    if (group !== undefined) bump(group, store);
  };
  return {
    collection: CollectionName.SecurityGroupRules,
    singular: 'security_group_rule',
    attributes: ATTRIBUTES,
    filters: [
      'security_group_id',
      'ethertype',
      'direction',
      'protocol',
      'port_range_min',
      'port_range_max',
      'remote_ip_prefix',
      'normalized_cidr',
      'remote_group_id',
      'description',
    ],
    tags: 'none',
    checkAll(items) {
      if (new Set(items.map(({ security_group_id: id }) => id)).size > 1) {
        const message = 'Only allowed to update rules for one security profile at a time';
        throw refused('SecurityGroupNotSingleGroupRules', message);
      }
      items.forEach(check);
      if (new Set(items.map(sense)).size < items.length) {
        throw neutronRefusal(409, 'DuplicateSecurityGroupRuleInPost', 'Duplicate Security Group Rule in POST.');
      }
    },
    create(item) {
      check(item);
      for (const id of [item['security_group_id'], item['remote_group_id']]) {
        if (id === null || groups.has(String(id))) continue;
        throw notFound({ singular: 'security_group' }, String(id));
      }
      for (const other of rules.values()) {
        if (other['security_group_id'] !== item['security_group_id'] || sense(other) !== sense(item)) continue;
        const message = `Security group rule already exists. Rule id is ${other['id']}.`;
        throw neutronRefusal(409, 'SecurityGroupRuleExists', message);
      }
      const prefix = parsePrefix(String(item['remote_ip_prefix']));
      Object.assign(item, {
        protocol: storedProtocol(item),
        normalized_cidr: prefix === undefined ? null : formatPrefix(prefix),
        revision_number: 0,
      });
      delete item['tags'];
      bumpGroup(item);
    },
    /** The real one of this release breaks off: a rule is found by a name that it does not have. */
    update(_item, change) {
      if (Object.keys(change).length === 0) return;
      const message = 'Request Failed: internal server error while processing your request.';
      throw neutronRefusal(500, 'HTTPInternalServerError', message);
    },
    remove: bumpGroup,
    show: (item) => ({ ...item }),
  };
}

function numberOf(protocol: Json | undefined): number | undefined {
  if (protocol === null || protocol === undefined) return undefined;
  return PROTOCOLS[String(protocol)] ?? Number(protocol);
}

/** ICMP of IPv6 is a protocol of its own, whatever it is called. */
function storedProtocol({ protocol = null, ethertype }: JsonObject): Json {
  if (protocol === 'icmpv6' || (protocol === 'icmp' && ethertype === 'IPv6')) return 'ipv6-icmp';
  return protocol;
}

/** The traffic that a rule permits: of two equal ones the second is refused. */
function sense(rule: JsonObject): string {
  const { ethertype, direction, port_range_min: min, port_range_max: max, remote_group_id: group } = rule;
  const prefix = rule['remote_ip_prefix'];
  const all = prefix === '0.0.0.0/0' || prefix === '::/0';
  const protocol = numberOf(storedProtocol(rule)) ?? null;
  return JSON.stringify([ethertype, direction, protocol, min, max, all ? null : prefix, group]);
}

/** Refuses what makes no sense in itself. */
function check(rule: JsonObject): void {
  const { protocol, ethertype, port_range_min: min, port_range_max: max } = rule;
  const number = numberOf(storedProtocol(rule));
  if (min !== null || max !== null) checkPorts(rule, number);
  if (String(storedProtocol(rule)).startsWith('ipv6-') && ethertype === 'IPv4') {
    const message = `Invalid ethertype ${ethertype} for protocol ${protocol}.`;
    throw refused('SecurityGroupEthertypeConflictWithProtocol', message);
  }
  const { remote_ip_prefix: prefix, remote_group_id: group, remote_address_group_id: addresses } = rule;
  if ([prefix, group, addresses].filter((remote) => remote !== null).length > 1) {
    const message = 'Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.';
    throw refused('SecurityGroupMultipleRemoteEntites', message);
  }
  const parsed = prefix === null ? undefined : parsePrefix(String(prefix));
  if (parsed !== undefined && ethertype !== `IPv${parsed.version}`) {
    const message = `Conflicting value ethertype ${ethertype} for CIDR ${prefix}`;
    throw refused('SecurityGroupRuleParameterConflict', message);
  }
}

function checkPorts({ port_range_min: min, port_range_max: max }: JsonObject, number: number | undefined): void {
  if (number === undefined) {
    const message = 'Must also specify protocol if port range is given.';
    throw refused('SecurityGroupProtocolRequiredWithPorts', message);
  }
  if (ICMP.has(number)) {
    for (const [what, field, value] of [
      ['type', 'port_range_min', min],
      ['code', 'port_range_max', max],
    ] as const) {
      if (value === null || Number(value) <= 255) continue;
      const message = `Invalid value for ICMP ${what} (${field}) ${value}. It must be 0 to 255.`;
      throw refused('SecurityGroupInvalidIcmpValue', message);
    }
    if (min !== null) return;
    const message = `ICMP code (port-range-max) ${max} is provided but ICMP type (port-range-min) is missing.`;
    throw refused('SecurityGroupMissingIcmpType', message);
  }
  if (!WITH_PORTS.has(number)) {
    const message = `Ports cannot be specified for protocol ${number}. Ports are only supported for DCCP, SCTP, TCP, UDP, UDPLITE.`;
    throw refused('SecurityGroupInvalidProtocolForPort', message);
  }
  for (const port of [min, max]) {
    if (port === 0) throw refused('SecurityGroupInvalidPortValue', 'Invalid value for port 0');
  }
  if (min !== null && max !== null && Number(min) <= Number(max)) return;
  const message = 'For TCP/UDP protocols, port_range_min must be <= port_range_max';
  throw refused('SecurityGroupInvalidPortRange', message);
}
