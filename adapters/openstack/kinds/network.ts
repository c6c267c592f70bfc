// Network: a layer 2 network of Neutron.
import { boolean, immutable, integer, ref, string } from '../../api/contract/contract.ts';
import { named, observed, observedObject, queried, sent, tagged } from '../base/fields.ts';
import { NEUTRON } from '../base/services.ts';
import { judgedBy, NETWORK_STATES } from '../base/states.ts';
import {
  availabilityZoneHints,
  instant,
  neutronTags,
  observedTags,
  openstackName,
  prose,
  tagFilter,
  text,
  texts,
} from '../base/values.ts';
import { defineKind } from './kind.ts';

export const network = defineKind({
  kind: 'Network',
  description: 'Network is a layer 2 network of Neutron.',
  service: NEUTRON,
  collection: 'networks',
  member: 'network',
  resource: {
    name: named(openstackName('name is what Neutron calls the network; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the network.'), { unset: '' }),
    adminStateUp: sent(
      'admin_state_up',
      boolean('adminStateUp is whether the network carries traffic; true unless stated.'),
      {
        unset: true,
      },
    ),
    availabilityZoneHints: sent(
      'availability_zone_hints',
      immutable(availabilityZoneHints('availabilityZoneHints are the zones to schedule the network in, if possible.')),
    ),
    dnsDomain: sent(
      'dns_domain',
      immutable(
        string('dnsDomain is the domain under which the ports of the network get their DNS names.', {
          minLength: 1,
          maxLength: 255,
          pattern: '^[A-Za-z0-9]{1,63}(.[A-Za-z0-9-]{1,63})*(.[A-Za-z]{2,63})*.?$',
        }),
      ),
    ),
    external: sent(
      'router:external',
      boolean('external is whether routers may use the network as their gateway to the outside.'),
      {
        update: 'whenSet',
        extension: true,
      },
    ),
    mtu: sent('mtu', integer('mtu is the size in bytes of the largest packet.', { minimum: 68, maximum: 9216 }), {
      update: 'whenSet',
      extension: true,
    }),
    portSecurityEnabled: sent(
      'port_security_enabled',
      boolean('portSecurityEnabled is whether new ports filter spoofed addresses and obey security groups.'),
      { update: 'whenSet', extension: true },
    ),
    projectRef: sent(
      'project_id',
      immutable(
        ref('Project', 'projectRef is the Project that owns the network; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'projectID',
        }),
      ),
    ),
    shared: sent('shared', boolean('shared is whether every project may use the network; false unless stated.'), {
      unset: false,
    }),
    tags: tagged(neutronTags('tags of the network; others are taken off.')),
  },
  filter: {
    name: queried('name', openstackName('name of the network.')),
    description: queried('description', prose('description of the network.')),
    external: queried('router:external', boolean('external or internal networks.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the network.')),
    ...tagFilter(neutronTags),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    adminStateUp: observed('admin_state_up', boolean('adminStateUp is whether the network carries traffic.')),
    availabilityZoneHints: observed(
      'availability_zone_hints',
      texts('availabilityZoneHints are the zones that were asked for.', { maxItems: 64 }),
    ),
    dnsDomain: observed('dns_domain', text('dnsDomain is the domain of the names of ports.'), { omitEmpty: true }),
    external: observed('router:external', boolean('external is whether routers may use the network as a gateway.')),
    mtu: observed('mtu', integer('mtu is the size in bytes of the largest packet.')),
    portSecurityEnabled: observed(
      'port_security_enabled',
      boolean('portSecurityEnabled is what new ports start with.'),
    ),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    provider: observedObject(
      'provider:network_type',
      'provider tells how the network is made, where the cloud says so.',
      {
        networkType: observed('provider:network_type', text('networkType is the mechanism: `vlan`, `vxlan`, `flat`.')),
        physicalNetwork: observed(
          'provider:physical_network',
          text('physicalNetwork is the network that carries this one.'),
        ),
        segmentationID: observed(
          'provider:segmentation_id',
          integer('segmentationID is the number of the VLAN or tunnel.'),
          {
            omitEmpty: true,
          },
        ),
      },
    ),
    revisionNumber: observed('revision_number', integer('revisionNumber grows with each change.', { format: 'int64' })),
    shared: observed('shared', boolean('shared is whether every project may use the network.')),
    status: observed('status', text('status is the operational state in Neutron: `ACTIVE`, `BUILD`, `DOWN`, `ERROR`.')),
    subnets: observed('subnets', texts('subnets are the ids of the subnets.', { maxItems: 256 })),
    tags: observedTags('Neutron', { maxItems: 64 }),
    createdAt: observed('created_at', instant('createdAt is when the network was made.')),
    updatedAt: observed('updated_at', instant('updatedAt is when the network was last changed.')),
  },
  adoption: { query: ['name', 'projectRef'] },
  ...judgedBy(NETWORK_STATES),
});
