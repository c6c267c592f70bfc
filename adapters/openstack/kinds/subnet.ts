// Subnet: a range of IP addresses on a network of Neutron. `resource` has the fields of the spec with their attributes in Neutron,
// `filter` the criteria of an import, `status` the attributes that are shown, `adoption` the fields by which an interrupted create is
// found again.
//
// A `ref` is a claim; with `guarded` it also puts a finalizer on the dependency, and `shownBy` is the status field that shows a
// replaced one. `defineKind` adds the claim on the Secret with the credentials. A field is `sent` as an attribute of the request, or
// `apart`: handled separately. `unwritten` fields of the status exist only for compatibility with ORC.
import type { JsonObject } from '../../../bus/bus.ts';
import { boolean, immutable, integer, list, object, ref, required, string } from '../../api/contract/contract.ts';
import { equalTo } from '../base/criteria.ts';
import {
  apart,
  named,
  observed,
  observedList,
  queried,
  queriedAs,
  sent,
  sentAs,
  tagged,
  unwritten,
} from '../base/fields.ts';
import { NEUTRON } from '../base/services.ts';
import {
  cidr,
  instant,
  ip,
  ipVersion,
  neutronTags,
  observedTags,
  openstackName,
  prose,
  tagFilter,
  text,
  texts,
} from '../base/values.ts';
import { defineKind } from './kind.ts';

const MODES = ['slaac', 'dhcpv6-stateful', 'dhcpv6-stateless'] as const;

const ipv6 = object(
  'ipv6 says how hosts get their addresses; for subnets of IP version 6 only.',
  {
    addressMode: string('addressMode is how hosts get their address.', { enum: MODES }),
    raMode: string('raMode is what routers advertise.', { enum: MODES }),
  },
  { minProperties: 1 },
);

const gateway = object('gateway is the default gateway; one that Neutron chooses unless stated.', {
  type: required(
    string('type is `Automatic` for an address that Neutron chooses, `IP` for a given one, `None` for no gateway.', {
      enum: ['None', 'Automatic', 'IP'],
    }),
  ),
  ip: ip('ip is the address of the gateway, for type `IP`.'),
});

const allocationPools = list(
  'allocationPools are the ranges that addresses of ports are taken from; all of the subnet unless stated.',
  object('A range of addresses.', {
    start: required(ip('start is the first address of the range.')),
    end: required(ip('end is the last address of the range.')),
  }),
  { type: 'atomic', maxItems: 32 },
);

const hostRoutes = list(
  'hostRoutes are routes that DHCP hands to hosts.',
  object('A route.', {
    destination: required(cidr('destination is the range that the route leads to.')),
    nextHop: required(ip('nextHop is the router on the way.')),
  }),
  { type: 'atomic', maxItems: 256 },
);

const dnsNameservers = list(
  'dnsNameservers are the name servers of the hosts, the preferred one first.',
  ip('A name server.'),
  {
    type: 'set',
    maxItems: 16,
  },
);

export const subnet = defineKind({
  kind: 'Subnet',
  description: 'Subnet is a range of IP addresses on a network of Neutron.',
  service: NEUTRON,
  collection: 'subnets',
  member: 'subnet',
  resource: {
    name: named(openstackName('name is what Neutron calls the subnet; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the subnet.'), { unset: '' }),
    networkRef: sent(
      'network_id',
      required(
        immutable(ref('Network', 'networkRef is the Network of the subnet.', { guarded: true, shownBy: 'networkID' })),
      ),
    ),
    routerRef: apart(immutable(ref('Router', 'routerRef is the Router to connect the subnet to.', { guarded: true }))),
    projectRef: sent(
      'project_id',
      immutable(
        ref('Project', 'projectRef is the Project that owns the subnet; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'projectID',
        }),
      ),
    ),
    ipVersion: sent('ip_version', required(immutable(ipVersion('ipVersion is the IP version of the addresses.')))),
    cidr: sent('cidr', required(immutable(cidr('cidr is the range of the addresses, in the notation of ipVersion.')))),
    allocationPools: sent('allocation_pools', allocationPools, { update: 'whenSet', unordered: true }),
    dnsNameservers: sent('dns_nameservers', dnsNameservers, { unset: [] }),
    dnsPublishFixedIP: sent(
      'dns_publish_fixed_ip',
      immutable(
        boolean('dnsPublishFixedIP is whether fixed addresses are made known to the DNS; false unless stated.'),
      ),
    ),
    enableDHCP: sent(
      'enable_dhcp',
      boolean('enableDHCP is whether hosts get their addresses by DHCP; true unless stated.'),
      {
        unset: true,
      },
    ),
    gateway: sentAs(
      gateway,
      { gateway_ip: ({ type, ip }) => (type === 'None' ? null : type === 'IP' ? ip : undefined) },
      { update: 'whenSet' },
    ),
    hostRoutes: sentAs(
      hostRoutes,
      { host_routes: (routes) => routes.map(({ destination, nextHop }) => ({ destination, nexthop: nextHop })) },
      { unset: { host_routes: [] }, unordered: true },
    ),
    ipv6: sentAs(immutable(ipv6), {
      ipv6_address_mode: ({ addressMode }) => addressMode,
      ipv6_ra_mode: ({ raMode }) => raMode,
    }),
    tags: tagged(neutronTags('tags of the subnet; others are taken off.')),
  },
  filter: {
    name: queried('name', openstackName('name of the subnet.')),
    description: queried('description', prose('description of the subnet.')),
    ipVersion: queried('ip_version', ipVersion('ipVersion of the addresses.')),
    gatewayIP: queried('gateway_ip', ip('gatewayIP is the address of the default gateway.')),
    cidr: queried('cidr', cidr('cidr is the range of the addresses.')),
    ipv6: queriedAs(ipv6, ({ addressMode, raMode }) => [
      ...(addressMode === undefined ? [] : [equalTo('ipv6_address_mode', addressMode)]),
      ...(raMode === undefined ? [] : [equalTo('ipv6_ra_mode', raMode)]),
    ]),
    networkRef: queried('network_id', ref('Network', 'networkRef is the Network of the subnet.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the subnet.')),
    ...tagFilter(neutronTags),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    allocationPools: observedList('allocation_pools', 'allocationPools are the ranges that addresses are taken from.', {
      items: 'A range of addresses.',
      maxItems: 32,
      fields: {
        start: observed('start', text('start is the first address of the range.')),
        end: observed('end', text('end is the last address of the range.')),
      },
    }),
    cidr: observed('cidr', text('cidr is the range of the addresses.')),
    dnsNameservers: observed(
      'dns_nameservers',
      texts('dnsNameservers are the name servers of the hosts.', { maxItems: 16 }),
    ),
    dnsPublishFixedIP: observed(
      'dns_publish_fixed_ip',
      boolean('dnsPublishFixedIP is whether the DNS knows fixed addresses.'),
    ),
    enableDHCP: observed('enable_dhcp', boolean('enableDHCP is whether hosts get their addresses by DHCP.')),
    gatewayIP: observed('gateway_ip', text('gatewayIP is the default gateway; empty when there is none.')),
    hostRoutes: observedList('host_routes', 'hostRoutes are routes that DHCP hands to hosts.', {
      items: 'A route.',
      maxItems: 256,
      fields: {
        destination: observed('destination', text('destination is the range that the route leads to.')),
        nextHop: observed('nexthop', text('nextHop is the router on the way.')),
      },
    }),
    ipVersion: observed('ip_version', integer('ipVersion is the IP version of the addresses.')),
    ipv6AddressMode: observed('ipv6_address_mode', text('ipv6AddressMode is how hosts get their address.'), {
      omitEmpty: true,
    }),
    ipv6RAMode: observed('ipv6_ra_mode', text('ipv6RAMode is what routers advertise.'), { omitEmpty: true }),
    networkID: observed('network_id', text('networkID is the id of the network.')),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    revisionNumber: observed('revision_number', integer('revisionNumber grows with each change.', { format: 'int64' })),
    subnetPoolID: unwritten(text('subnetPoolID is the id of the pool that the range was taken from.')),
    tags: observedTags('Neutron', { maxItems: 64 }),
    createdAt: unwritten(instant('createdAt is when the subnet was made.')),
    updatedAt: unwritten(instant('updatedAt is when the subnet was last changed.')),
  },
  // The connection to the router is a child object, created and deleted with the subnet.
  owns: 'RouterInterface',
  children({ metadata: { name, generation = 1, deletionTimestamp }, spec }) {
    const routerRef = (spec?.['resource'] as JsonObject | undefined)?.['routerRef'];
    const child = { kind: 'RouterInterface', name: `${name}-subnet`, onDrift: 'replace' } as const;
    if (typeof routerRef === 'string')
      return [{ ...child, content: { spec: { type: 'Subnet', routerRef, subnetRef: name } } }];
    // A deletion counts as a generation, too.
    const isEdited = generation > (deletionTimestamp === undefined ? 1 : 2);
    return isEdited ? [{ ...child, content: {}, isUnwanted: true }] : [];
  },
  adoption: { query: ['name', 'networkRef', 'cidr', 'ipVersion', 'projectRef'] },
  // Attributes of the answer `ready`. Dependents that need an address of the subnet request it from its network.
  published: ({ status }) => {
    const { networkID } = (status?.['resource'] ?? {}) as JsonObject;
    return networkID === undefined ? undefined : { networkID };
  },
});
