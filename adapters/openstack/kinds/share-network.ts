// ShareNetwork: where in Neutron the shares of Manila are reached.
import { immutable, integer, ref } from '../../api/contract/contract.ts';
import { named, observed, queried, sent } from '../base/fields.ts';
import { plain } from '../base/projection.ts';
import { MANILA } from '../base/services.ts';
import { judgedBy, SHARE_NETWORK_STATES } from '../base/states.ts';
import { instant, openstackName, prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const shareNetwork = defineKind({
  kind: 'ShareNetwork',
  description: 'ShareNetwork is a network on which shares of Manila are reached.',
  service: MANILA,
  collection: 'share-networks',
  member: 'share_network',
  members: 'share_networks',
  listing: { path: 'detail' },
  resource: {
    name: named(openstackName('name is what Manila calls the share network; the name of the object unless stated.')),
    networkRef: sent(
      'neutron_net_id',
      immutable(
        ref('Network', 'networkRef is the Network that shares are reached on.', {
          guarded: true,
          shownBy: 'neutronNetID',
        }),
      ),
    ),
    subnetRef: sent(
      'neutron_subnet_id',
      immutable(
        ref('Subnet', 'subnetRef is the Subnet that their addresses are of.', {
          guarded: true,
          shownBy: 'neutronSubnetID',
        }),
      ),
    ),
    description: sent('description', prose('description is free text about the share network.'), {
      unset: '',
      initial: '',
    }),
  },
  rules: [
    {
      message: 'networkRef and subnetRef must be specified together',
      rule: 'has(self.networkRef) == has(self.subnetRef)',
    },
  ],
  filter: {
    name: queried('name', openstackName('name of the share network.')),
    description: queried('description', prose('description of the share network.')),
  },
  status: {
    name: observed('name', text('name in Manila.'), { omitEmpty: true }),
    neutronNetID: observed('neutron_net_id', text('neutronNetID is the id of the network.'), { omitEmpty: true }),
    neutronSubnetID: observed('neutron_subnet_id', text('neutronSubnetID is the id of the subnet.'), {
      omitEmpty: true,
    }),
    networkType: observed('network_type', text('networkType is how the network is carried: `vlan`, `vxlan`, `flat`.'), {
      omitEmpty: true,
    }),
    segmentationID: observed('segmentation_id', integer('segmentationID tells its traffic from that of others.'), {
      omitEmpty: true,
    }),
    cidr: observed('cidr', text('cidr is the range of the subnet.')),
    ipVersion: observed('ip_version', integer('ipVersion is the version of its addresses.'), { omitEmpty: true }),
    projectID: observed('project_id', text('projectID is the id of the owning project.'), { omitEmpty: true }),
    description: observed('description', text('description in Manila.'), { omitEmpty: true }),
    createdAt: observed('created_at', instant('createdAt is when it was created.')),
    updatedAt: observed('updated_at', instant('updatedAt is when it was changed last.')),
  },
  adoption: { query: ['name'] },
  ...judgedBy(SHARE_NETWORK_STATES, { untold: 'usable' }),
  reads: plain('status'),
});
