// Port: where something is plugged into a network of Neutron.
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';
import {
  boolean,
  immutable,
  integer,
  list,
  object,
  type Rule,
  ref,
  required,
  type Schema,
  string,
} from '../../api/contract/contract.ts';
import { apart, named, observed, observedList, queried, sent, sentAs, tagged } from '../base/fields.ts';
import { NEUTRON } from '../base/services.ts';
import { judgedBy, PORT_STATES } from '../base/states.ts';
import {
  instant,
  ip,
  mac,
  neutronTags,
  observedTags,
  openstackName,
  prose,
  tagFilter,
  text,
  texts,
} from '../base/values.ts';
import { publishedUsers, serverStep, showsServer } from '../steps/port-server.ts';
import { defineKind } from './kind.ts';

/** Attributes that a user must not smuggle in by `valueSpecs`. */
const RESERVED_KEYS: ReadonlySet<string> = new Set(['shared', 'tenant_id']);

const addresses = list(
  'addresses are the addresses of the port; none unless stated.',
  object('An address.', {
    ip: ip('ip is the address; one that Neutron chooses unless stated.'),
    subnetRef: required(
      ref('Subnet', 'subnetRef is the Subnet that it is on.', { guarded: true, shownBy: 'fixedIPs' }),
    ),
  }),
  { type: 'atomic', maxItems: 128 },
);

const allowedAddressPairs = list(
  'allowedAddressPairs are addresses that the port may use besides its own.',
  object('A pair.', {
    ip: required(ip('ip is the address, or the range where Neutron takes one.')),
    mac: mac('mac is the hardware address; that of the port unless stated.'),
  }),
  { type: 'atomic', maxItems: 128 },
);

const hostID: Schema<{ readonly id?: string; readonly serverRef?: string }> = {
  ...object(
    'hostID says which host the port is bound to. A server that the port is attached to later may move it.',
    {
      id: string('id is the name of the host.', { maxLength: 36 }),
      serverRef: ref('Server', 'serverRef is the Server whose host it is.', { attribute: 'hostID' }),
    },
    {
      minProperties: 1,
      maxProperties: 1,
      rules: [
        {
          message: 'exactly one of id or serverRef must be set',
          rule: '(has(self.id) && size(self.id) > 0) != (has(self.serverRef) && size(self.serverRef) > 0)',
        },
      ],
    },
  ),
};

const portSecurity = string(
  'portSecurity is `Enabled` for a port that filters spoofed addresses and obeys security groups, `Disabled` for one that does neither, `Inherit` for what the network says.',
  {
    enum: ['Enabled', 'Disabled', 'Inherit'],
    default: 'Inherit',
    rules: [
      {
        message: 'portSecurity cannot be changed to Inherit',
        rule: "!(oldSelf != 'Inherit' && self == 'Inherit')",
      },
    ],
  },
);

const valueSpecs = list(
  'valueSpecs are attributes that are sent to Neutron as they are.',
  object('An attribute.', {
    key: required(string('key is the name of the attribute.', { minLength: 1, maxLength: 255 })),
    value: required(string('value is what it is set to.', { maxLength: 255 })),
  }),
  { type: 'map', keys: ['key'], maxItems: 128 },
);

/** Port security settings are meaningless without it. */
function emptyWhenDisabled(field: string): Rule {
  return {
    message: `${field} must be empty when portSecurity is set to Disabled`,
    rule: `has(self.portSecurity) && self.portSecurity == 'Disabled' ? !has(self.${field}) : true`,
  };
}

export const port = defineKind({
  kind: 'Port',
  description: 'Port is where something is plugged into a network of Neutron.',
  service: NEUTRON,
  collection: 'ports',
  member: 'port',
  resource: {
    name: named(openstackName('name is what Neutron calls the port; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the port.'), { unset: '' }),
    networkRef: sent(
      'network_id',
      required(
        immutable(ref('Network', 'networkRef is the Network of the port.', { guarded: true, shownBy: 'networkID' })),
      ),
    ),
    addresses: sentAs(
      immutable(addresses),
      {
        fixed_ips: (fixed) =>
          fixed.map(({ ip, subnetRef }) => ({
            subnet_id: subnetRef,
            ...(ip === undefined ? {} : { ip_address: ip }),
          })),
      },
      { initial: { fixed_ips: [] } },
    ),
    securityGroupRefs: sent(
      'security_groups',
      list(
        'securityGroupRefs are the SecurityGroups of the port; none unless stated.',
        ref('SecurityGroup', 'The name of a SecurityGroup.', { guarded: true, shownBy: 'securityGroups' }),
        { type: 'set', maxItems: 64 },
      ),
      { unset: [], initial: [], unordered: true },
    ),
    projectRef: sent(
      'project_id',
      immutable(
        ref('Project', 'projectRef is the Project that owns the port; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'projectID',
        }),
      ),
    ),
    hostID: sentAs(immutable(hostID), { 'binding:host_id': ({ id, serverRef }) => id ?? serverRef }, { moves: true }),
    adminStateUp: sent(
      'admin_state_up',
      boolean('adminStateUp is whether the port carries traffic.', { default: true }),
      { update: 'whenSet' },
    ),
    allowedAddressPairs: sentAs(
      allowedAddressPairs,
      {
        allowed_address_pairs: (pairs) =>
          pairs.map(({ ip, mac }) => ({
            ip_address: ip,
            ...(mac === undefined ? {} : { mac_address: mac }),
          })),
      },
      { unset: { allowed_address_pairs: [] }, sameItem: isSamePair },
    ),
    macAddress: sent(
      'mac_address',
      string('macAddress is the hardware address; one that Neutron chooses unless stated.', { maxLength: 32 }),
      { update: 'ignored' },
    ),
    portSecurity: sentAs(
      portSecurity,
      { port_security_enabled: (choice) => (choice === 'Inherit' ? undefined : choice === 'Enabled') },
      { update: 'whenSet', extension: true },
    ),
    propagateUplinkStatus: sent(
      'propagate_uplink_status',
      immutable(boolean('propagateUplinkStatus is whether the state of the uplink is shown to the port.')),
    ),
    trustedVIF: sent(
      'trusted',
      boolean('trustedVIF is whether the virtual function behind the port may do what needs trust.'),
      { update: 'whenSet', extension: true },
    ),
    valueSpecs: apart(immutable(valueSpecs)),
    vnicType: sent(
      'binding:vnic_type',
      string('vnicType is how the port is attached: `normal`, `direct`, `macvtap`.', { maxLength: 64 }),
      { update: 'whenSet', extension: true },
    ),
    tags: tagged(neutronTags('tags of the port; others are taken off.')),
  },
  rules: [emptyWhenDisabled('securityGroupRefs'), emptyWhenDisabled('allowedAddressPairs')],
  filter: {
    name: queried('name', openstackName('name of the port.')),
    description: queried('description', prose('description of the port.')),
    networkRef: queried('network_id', ref('Network', 'networkRef is the Network of the port.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the port.')),
    adminStateUp: queried('admin_state_up', boolean('adminStateUp is whether the port carries traffic.')),
    macAddress: queried('mac_address', string('macAddress is the hardware address.', { maxLength: 32 })),
    ...tagFilter(neutronTags),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    adminStateUp: observed('admin_state_up', boolean('adminStateUp is whether the port carries traffic.')),
    allowedAddressPairs: observedList(
      'allowed_address_pairs',
      'allowedAddressPairs are addresses that the port may use besides its own.',
      {
        items: 'A pair.',
        maxItems: 128,
        fields: {
          ip: observed('ip_address', text('ip is the address or the range.')),
          mac: observed('mac_address', text('mac is the hardware address.')),
        },
      },
    ),
    deviceID: observed('device_id', text('deviceID is the id of what is plugged in.'), { omitEmpty: true }),
    deviceOwner: observed('device_owner', text('deviceOwner is the kind of what is plugged in.'), { omitEmpty: true }),
    fixedIPs: observedList('fixed_ips', 'fixedIPs are the addresses of the port.', {
      items: 'An address.',
      maxItems: 128,
      fields: {
        ip: observed('ip_address', text('ip is the address.')),
        subnetID: observed('subnet_id', text('subnetID is the id of the subnet that it is on.')),
      },
    }),
    hostID: observed('binding:host_id', text('hostID is the host that the port is bound to.', { maxLength: 128 })),
    macAddress: observed('mac_address', text('macAddress is the hardware address.')),
    networkID: observed('network_id', text('networkID is the id of the network.')),
    portSecurityEnabled: observed(
      'port_security_enabled',
      boolean('portSecurityEnabled is whether spoofed addresses are filtered and security groups obeyed.'),
    ),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    propagateUplinkStatus: observed(
      'propagate_uplink_status',
      boolean('propagateUplinkStatus is whether the state of the uplink is shown to the port.'),
      { omitEmpty: true },
    ),
    revisionNumber: observed('revision_number', integer('revisionNumber grows with each change.', { format: 'int64' })),
    securityGroups: observed(
      'security_groups',
      texts('securityGroups are the ids of the security groups.', { maxItems: 64 }),
    ),
    status: observed('status', text('status is the operational state in Neutron: `ACTIVE`, `DOWN`, `BUILD`.')),
    tags: observedTags('Neutron', { maxItems: 64 }),
    trustedVIF: observed('trusted', boolean('trustedVIF is whether the virtual function is trusted.'), {
      omitEmpty: true,
    }),
    vnicType: observed('binding:vnic_type', text('vnicType is how the port is attached.', { maxLength: 64 })),
    createdAt: observed('created_at', instant('createdAt is when the port was made.')),
    updatedAt: observed('updated_at', instant('updatedAt is when the port was last changed.')),
  },
  columns: [
    {
      name: 'Addresses',
      description: 'IP addresses of the port',
      jsonPath: '.status.resource.fixedIPs[*].ip',
    },
  ],
  adoption: { query: ['name', 'networkRef', 'macAddress', 'projectRef'] },
  ...judgedBy(PORT_STATES),
  complete: withValueSpecs,
  steps: [serverStep],
  isReflected: showsServer,
  published: publishedUsers,
});

/** A pair without a hardware address matches any. */
function isSamePair(wanted: JsonObject, found: JsonObject): boolean {
  const [left, right] = [wanted, found].map(({ mac_address: address }) =>
    typeof address === 'string' ? address.toLowerCase() : undefined,
  );
  return wanted['ip_address'] === found['ip_address'] && (left === undefined || left === right);
}

/** @throws {TerminalError} an attribute is given twice, or may not be given; port security is off, and something needs it */
function withValueSpecs(attributes: JsonObject, resource: JsonObject): JsonObject {
  const refuse = (why: string): never => {
    throw new TerminalError(`invalid configuration creating resource: ${why}`);
  };
  const specs = (resource['valueSpecs'] ?? []) as readonly { readonly key: string; readonly value: string }[];
  for (const { key } of specs) {
    if (RESERVED_KEYS.has(key)) refuse(`valueSpecs must not set '${key}'`);
    if (key in attributes) refuse(`valueSpecs sets '${key}', which another field sets`);
  }
  if (resource['portSecurity'] === 'Disabled') {
    for (const field of ['securityGroupRefs', 'allowedAddressPairs']) {
      const { [field]: value } = resource;
      if (Array.isArray(value) && value.length > 0) refuse(`${field} must be empty when portSecurity is Disabled`);
    }
  }
  return { ...attributes, ...Object.fromEntries(specs.map(({ key, value }) => [key, value])) };
}
