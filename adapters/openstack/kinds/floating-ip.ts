// FloatingIP: an address of an external network of Neutron, which a port inside may be reached by.
import type { JsonObject } from '../../../bus/bus.ts';
import { immutable, integer, ref } from '../../api/contract/contract.ts';
import { observed, queried, sent, sentAs, tagged } from '../base/fields.ts';
import { NEUTRON } from '../base/services.ts';
import { FLOATING_IP_STATES, judgedBy } from '../base/states.ts';
import { instant, ip, neutronTags, observedTags, prose, tagFilter, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const floatingIP = defineKind({
  kind: 'FloatingIP',
  description: 'FloatingIP is an address of an external network, which a port may be reached by.',
  service: NEUTRON,
  collection: 'floatingips',
  member: 'floatingip',
  resource: {
    description: sent('description', prose('description is free text about the floating IP.'), { unset: '' }),
    floatingNetworkRef: sent(
      'floating_network_id',
      immutable(
        ref('Network', 'floatingNetworkRef is the external Network that it is of.', {
          guarded: true,
          shownBy: 'floatingNetworkID',
        }),
      ),
    ),
    floatingSubnetRef: sentAs(
      immutable(
        ref('Subnet', 'floatingSubnetRef is the Subnet of an external Network that it is of.', {
          guarded: true,
          reads: ['networkID'],
        }),
      ),
      { subnet_id: (id) => id, floating_network_id: (_, { networkID }) => networkID },
    ),
    floatingIP: sent(
      'floating_ip_address',
      immutable(ip('floatingIP is the address; one that Neutron chooses unless stated.')),
    ),
    portRef: sent(
      'port_id',
      immutable(ref('Port', 'portRef is the Port that is reached by it.', { guarded: true, shownBy: 'portID' })),
      // A port that was replaced is associated with the address again. What another client has moved stays.
      { update: 'whenLost' },
    ),
    fixedIP: sent(
      'fixed_ip_address',
      immutable(ip('fixedIP is the address of the port, where it has several.')),
      // Lost with the port, and sent again with it.
      { update: 'whenLost' },
    ),
    projectRef: sent(
      'project_id',
      immutable(
        ref('Project', 'projectRef is the Project that owns the floating IP; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'projectID',
        }),
      ),
    ),
    tags: tagged(neutronTags('tags of the floating IP; others are taken off.')),
  },
  rules: [
    {
      message: "Exactly one of 'floatingNetworkRef' or 'floatingSubnetRef' must be set",
      rule: 'has(self.floatingNetworkRef) != has(self.floatingSubnetRef)',
    },
  ],
  filter: {
    description: queried('description', prose('description of the floating IP.')),
    floatingIP: queried('floating_ip_address', ip('floatingIP is the address.')),
    floatingNetworkRef: queried(
      'floating_network_id',
      ref('Network', 'floatingNetworkRef is the Network that it is of.'),
    ),
    portRef: queried('port_id', ref('Port', 'portRef is the Port that is reached by it.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the floating IP.')),
    status: queried('status', text('status is the operational state in Neutron.')),
    ...tagFilter(neutronTags),
  },
  status: {
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    floatingNetworkID: observed('floating_network_id', text('floatingNetworkID is the id of the external network.')),
    floatingIP: observed('floating_ip_address', text('floatingIP is the address.')),
    portID: observed('port_id', text('portID is the id of the port that is reached by it.')),
    fixedIP: observed('fixed_ip_address', text('fixedIP is the address of the port.')),
    tenantID: observed('tenant_id', text('tenantID is the id of the owning project, under its old name.')),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    status: observed('status', text('status is the operational state in Neutron: `ACTIVE`, `DOWN`, `ERROR`.')),
    routerID: observed('router_id', text('routerID is the id of the router between the two.')),
    tags: observedTags('Neutron', { maxItems: 64 }),
    createdAt: observed('created_at', instant('createdAt is when it was created.')),
    updatedAt: observed('updated_at', instant('updatedAt is when it was changed last.')),
    revisionNumber: observed('revision_number', integer('revisionNumber grows with each change.', { format: 'int64' })),
  },
  adoption: {
    query: ['floatingNetworkRef', 'floatingIP', 'portRef', 'projectRef'],
    // Neutron knows no filter by the subnet.
    check: ['floatingSubnetRef', 'fixedIP'],
    mark: ({ metadata, spec }) => {
      const { floatingIP: address } = (spec?.['resource'] ?? {}) as JsonObject;
      // An address is given out once. A port has one, too, but as long as its id is not known any other looks like it.
      // mutant: floating-ip-any === -> $ && (spec?.['resource'])['portRef'] === $2
      return address === undefined ? { description: `made for ${metadata.uid}` } : {};
    },
  },
  ...judgedBy(FLOATING_IP_STATES),
  columns: [{ name: 'Address', description: 'Allocated address', jsonPath: '.status.resource.floatingIP' }],
});
