// Attributes of ports of the simulated Neutron, and how their values are checked.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { parseAddress, parsePrefix } from './addresses.ts';
import { neutronRefusal } from './exchange.ts';
import {
  type AttributeTable,
  asGiven,
  type Convert,
  invalid,
  invalidInput,
  oneOf,
  toBoolean,
  toDnsDomain,
  toText,
  toUuid,
} from './neutron-attributes.ts';
import { asObject } from './tokens.ts';

/** `max_allowed_address_pair`, as the real control plane is set up. */
const MOST_PAIRS = 64;

const NEVER = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;
const TEXT = { convert: toText, preset: '', allowed: 'always' } as const;

function isMac(value: Json | undefined): boolean {
  return typeof value === 'string' && /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(value);
}

const toMac: Convert = (value, name) => {
  if (!isMac(value)) throw invalid(name, `'${value}' is not a valid MAC address.`);
  return value;
};

const toFixedIps: Convert = (value, name) => {
  if (!Array.isArray(value)) throw invalid(name, `Invalid data format for fixed IP: '${value}'.`);
  const seen = new Set<Json>();
  for (const each of value) {
    const { subnet_id: subnet, ip_address: address } = asObject(each) ?? {};
    if (address !== undefined) {
      if (parseAddress(String(address)) === undefined) throw invalid(name, `'${address}' is not a valid IP address.`);
      if (seen.has(address)) throw invalid(name, `Duplicate IP address '${address}'.`);
      seen.add(address);
    }
    if (subnet !== undefined) toUuid(subnet, name);
  }
  return value;
};

const toGroups: Convert = (value, name) => {
  if (value === null) return [];
  if (!Array.isArray(value)) throw invalid(name, `'${value}' is not a list.`);
  for (const id of value) toUuid(id, name);
  return value;
};

/** Complaints about pairs do not name the attribute. */
const toPairs: Convert = (value) => {
  const refuse = (message: string, type = 'HTTPBadRequest'): Error => neutronRefusal(400, type, message);
  if (value === null) return [];
  if (!Array.isArray(value)) throw refuse('Allowed address pairs must be a list.');
  if (value.length > MOST_PAIRS) {
    const message = `The number of allowed address pair exceeds the maximum ${MOST_PAIRS}.`;
    throw refuse(message, 'AllowedAddressPairExhausted');
  }
  const seen = new Set<string>();
  for (const pair of value) {
    const { ip_address: ip, mac_address: mac = null, ...others } = (asObject(pair) ?? {}) as JsonObject;
    if (ip === undefined) throw refuse('AllowedAddressPair must contain ip_address', 'AllowedAddressPairsMissingIP');
    if (mac !== null && !isMac(mac)) throw refuse(`'${mac}' is not a valid MAC address`);
    const key = `mac_address ${mac === null ? 'None' : mac} ip_address ${ip}`;
    if (seen.has(key)) {
      throw refuse(`Request contains duplicate address pair: ${key}.`, 'DuplicateAddressPairInRequest');
    }
    seen.add(key);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw refuse(`Unrecognized attribute(s) '${unknown}'`);
    const text = String(ip);
    if ((text.includes('/') ? parsePrefix(text) : parseAddress(text)) === undefined) {
      throw refuse(`'${ip}' is not a valid IP ${text.includes('/') ? 'subnet' : 'address'}`);
    }
  }
  return value;
};

const toProfile: Convert = (value, name) => {
  if (value === null) return {};
  if (asObject(value) === undefined) throw invalid(name, `'${value}' is not a dictionary.`);
  return value;
};

const toOptions: Convert = (value) => {
  if (!Array.isArray(value)) throw invalidInput(`'${value}' is not a list`);
  return value.map((option) => ({ ...asObject(option), ip_version: asObject(option)?.['ip_version'] ?? 4 }));
};

const toDnsName: Convert = (value, name) => {
  const text = String(toText(value, name));
  const bad = text === '' ? undefined : text.split('.').find((part) => !/^[a-z0-9-]{1,63}$/i.test(part));
  if (bad === undefined) return text;
  const rule = 'must be 1-63 characters long, each of which can only be alphanumeric or a hyphen.';
  throw invalid(name, `'${text}' not a valid PQDN or FQDN. Reason: Name '${bad}' ${rule}`);
};

const VNIC_TYPES = oneOf(
  'normal',
  'direct',
  'macvtap',
  'baremetal',
  'direct-physical',
  'virtio-forwarder',
  'smart-nic',
  'vdpa',
  'accelerator-direct',
  'accelerator-direct-physical',
  'remote-managed',
);

export function portAttributes(dns: boolean): AttributeTable {
  return {
    id: NEVER,
    name: TEXT,
    network_id: { convert: toUuid, allowed: 'creation' },
    tenant_id: { convert: toText, preset: '', allowed: 'creation' },
    mac_address: { convert: toMac, preset: 'unset', allowed: 'always' },
    admin_state_up: { convert: toBoolean, preset: true, allowed: 'always' },
    status: NEVER,
    device_id: TEXT,
    device_owner: TEXT,
    fixed_ips: { convert: toFixedIps, preset: 'unset', allowed: 'always' },
    allowed_address_pairs: { convert: toPairs, preset: [], allowed: 'always' },
    extra_dhcp_opts: { convert: toOptions, preset: [], allowed: 'always' },
    security_groups: { convert: toGroups, preset: 'unset', allowed: 'always' },
    description: TEXT,
    'binding:vnic_type': { convert: VNIC_TYPES, preset: 'normal', allowed: 'always' },
    'binding:profile': { convert: toProfile, preset: {}, allowed: 'always' },
    'binding:host_id': TEXT,
    'binding:vif_type': NEVER,
    'binding:vif_details': NEVER,
    port_security_enabled: { convert: toBoolean, preset: 'unset', allowed: 'always' },
    ...(dns
      ? ({
          dns_name: { convert: toDnsName, preset: '', allowed: 'always' },
          dns_assignment: NEVER,
          dns_domain: { convert: toDnsDomain, preset: '', allowed: 'always' },
        } as const)
      : {}),
    propagate_uplink_status: { convert: toBoolean, preset: true, allowed: 'creation' },
    tags: NEVER,
    created_at: NEVER,
    updated_at: NEVER,
    revision_number: NEVER,
  };
}
