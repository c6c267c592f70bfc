// SecurityGroup: what traffic the ports of Neutron let through. Its rules are resources of their own, kept as a set.
import { boolean, immutable, integer, list, object, ref, required, string } from '../../api/contract/contract.ts';
import { apart, named, observed, observedAs, observedList, queried, sent, tagged, unwritten } from '../base/fields.ts';
import { plain } from '../base/projection.ts';
import { NEUTRON } from '../base/services.ts';
import { cidr, instant, neutronTags, observedTags, openstackName, prose, tagFilter, text } from '../base/values.ts';
import { isAsSpecified, RULES_READ, rulesStep } from '../steps/security-group-rules.ts';
import { defineKind } from './kind.ts';

/** Neutron may take its time over rules. */
const RULES_POLL_MS = 15_000;

const PROTOCOLS = [
  'ah',
  'dccp',
  'egp',
  'esp',
  'gre',
  'icmp',
  'icmpv6',
  'igmp',
  'ipip',
  'ipv6-encap',
  'ipv6-frag',
  'ipv6-icmp',
  'ipv6-nonxt',
  'ipv6-opts',
  'ipv6-route',
  'ospf',
  'pgm',
  'rsvp',
  'sctp',
  'tcp',
  'udp',
  'udplite',
  'vrrp',
] as const;

const portRange = object('portRange is the ports of TCP, UDP and the like, or the type and code of ICMP.', {
  min: required(integer('min is the first port, or the type of ICMP.', { minimum: 0, maximum: 65535 })),
  max: required(integer('max is the last port, or the code of ICMP.', { minimum: 0, maximum: 65535 })),
});

const rule = object(
  'What is let through.',
  {
    description: prose('description is free text about the rule.'),
    direction: string('direction is `ingress` for what ports receive, `egress` for what they send.', {
      enum: ['ingress', 'egress'],
    }),
    ethertype: required(
      string('ethertype is the IP version of the traffic: `IPv4` or `IPv6`.', { enum: ['IPv4', 'IPv6'] }),
    ),
    portRange,
    protocol: string('protocol is the IP protocol; any unless stated.', { enum: PROTOCOLS }),
    remoteIPPrefix: cidr('remoteIPPrefix is the addresses of the other side; all unless stated.'),
  },
  {
    minProperties: 1,
    rules: [
      {
        message: 'portRangeMax should be equal or greater than portRange.min',
        rule: "(!has(self.portRange)|| !(self.protocol == 'tcp'|| self.protocol == 'udp' || self.protocol == 'dccp' || self.protocol == 'sctp' || self.protocol == 'udplite') || (self.portRange.min <= self.portRange.max))",
      },
      icmpRule('min'),
      icmpRule('max'),
    ],
  },
);

/** Types and codes of ICMP are bytes. */
function icmpRule(bound: 'min' | 'max'): { readonly message: string; readonly rule: string } {
  return {
    message: `When protocol is ICMP or ICMPv6 portRange.${bound} should be between 0 and 255`,
    rule: `!(self.protocol == 'icmp' || self.protocol == 'icmpv6') || !has(self.portRange)|| (self.portRange.${bound} >= 0 && self.portRange.${bound} <= 255)`,
  };
}

export const securityGroup = defineKind({
  kind: 'SecurityGroup',
  description: 'SecurityGroup says what traffic the ports of Neutron let through.',
  service: NEUTRON,
  collection: 'security-groups',
  member: 'security_group',
  members: 'security_groups',
  resource: {
    name: named(openstackName('name is what Neutron calls the group; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the group.'), { unset: '' }),
    projectRef: sent(
      'project_id',
      immutable(
        ref('Project', 'projectRef is the Project that owns the group; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'projectID',
        }),
      ),
    ),
    stateful: sent(
      'stateful',
      immutable(boolean('stateful is whether answers to what was let through pass too; true unless stated.')),
    ),
    rules: apart(
      list('rules are all that is let through; others are taken off, those that Neutron adds by itself too.', rule, {
        type: 'atomic',
        maxItems: 256,
      }),
    ),
    tags: tagged(neutronTags('tags of the group; others are taken off.')),
  },
  filter: {
    name: queried('name', openstackName('name of the group.')),
    description: queried('description', prose('description of the group.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the group.')),
    ...tagFilter(neutronTags),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    stateful: observed('stateful', boolean('stateful is whether answers to what was let through pass too.')),
    rules: observedList('security_group_rules', 'rules are all that is let through.', {
      items: 'What is let through.',
      maxItems: 256,
      fields: {
        id: observed('id', text('id of the rule.')),
        description: observed('description', text('description in Neutron.')),
        direction: observed('direction', text('direction is `ingress` or `egress`.')),
        ethertype: observed('ethertype', text('ethertype is the IP version of the traffic.')),
        portRange: observedAs(
          plain('port_range_min', 'port_range_max'),
          object('portRange is the ports, or the type and code of ICMP.', {
            min: integer('min is the first port.'),
            max: integer('max is the last port.'),
          }),
          ({ port_range_min: first, port_range_max: last }) => {
            // mutant: icmp-zero-not-shown === -> first
            const range = {
              ...(typeof first === 'number' && { min: first }),
              ...(typeof last === 'number' && { max: last }),
            };
            return Object.keys(range).length === 0 ? undefined : range;
          },
        ),
        protocol: observed('protocol', text('protocol is the IP protocol; any when empty.')),
        remoteGroupID: observed('remote_group_id', text('remoteGroupID is the group that the other side is in.')),
        remoteIPPrefix: observed('remote_ip_prefix', text('remoteIPPrefix is the addresses of the other side.')),
      },
    }),
    revisionNumber: unwritten(integer('revisionNumber grows with each change.', { format: 'int64' })),
    tags: observedTags('Neutron', { maxItems: 64 }),
    createdAt: observed('created_at', instant('createdAt is when the group was made.')),
    updatedAt: observed('updated_at', instant('updatedAt is when the group was last changed.')),
  },
  // Neutron refuses to filter by `stateful`.
  adoption: { query: ['name', 'projectRef'], check: ['stateful'] },
  available: (attributes, resource) => resource?.['rules'] === undefined || isAsSpecified(resource, attributes),
  pollAfterMs: (attributes, resource) =>
    resource === undefined || isAsSpecified(resource, attributes) ? undefined : RULES_POLL_MS,
  reads: RULES_READ,
  steps: [rulesStep],
});
