// Router: what connects subnets of Neutron with each other and with the outside.
import { boolean, immutable, list, object, ref, required } from '../../api/contract/contract.ts';
import { isJsonObject, named, observed, observedAs, queried, sent, sentAs, tagged } from '../base/fields.ts';
import { plain } from '../base/projection.ts';
import { NEUTRON } from '../base/services.ts';
import { judgedBy, ROUTER_STATES } from '../base/states.ts';
import {
  availabilityZoneHints,
  neutronTags,
  observedTags,
  openstackName,
  prose,
  tagFilter,
  text,
  texts,
} from '../base/values.ts';
import { defineKind } from './kind.ts';

const externalGateways = list(
  'externalGateways connect the router with the outside; one at most.',
  object('A gateway.', {
    networkRef: required(
      ref('Network', 'networkRef is the external Network that it is on.', {
        guarded: true,
        shownBy: 'externalGateways',
      }),
    ),
  }),
  { type: 'atomic', maxItems: 1 },
);

export const router = defineKind({
  kind: 'Router',
  description: 'Router connects subnets of Neutron with each other and with the outside.',
  service: NEUTRON,
  collection: 'routers',
  member: 'router',
  resource: {
    name: named(openstackName('name is what Neutron calls the router; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the router.'), { unset: '' }),
    adminStateUp: sent(
      'admin_state_up',
      boolean('adminStateUp is whether the router forwards traffic; true unless stated.'),
      { unset: true },
    ),
    availabilityZoneHints: sent(
      'availability_zone_hints',
      immutable(availabilityZoneHints('availabilityZoneHints are the zones to schedule the router in, if possible.')),
    ),
    distributed: sent(
      'distributed',
      immutable(boolean('distributed is whether the compute hosts do the routing themselves.')),
    ),
    externalGateways: sentAs(
      immutable(externalGateways),
      { external_gateway_info: (gateways) => gateways.map(({ networkRef }) => ({ network_id: networkRef }))[0] },
      { initial: { external_gateway_info: {} } },
    ),
    projectRef: sent(
      'project_id',
      immutable(
        ref('Project', 'projectRef is the Project that owns the router; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'projectID',
        }),
      ),
    ),
    tags: tagged(neutronTags('tags of the router; others are taken off.')),
  },
  filter: {
    name: queried('name', openstackName('name of the router.')),
    description: queried('description', prose('description of the router.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the router.')),
    ...tagFilter(neutronTags),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    adminStateUp: observed('admin_state_up', boolean('adminStateUp is whether the router forwards traffic.')),
    availabilityZoneHints: observed(
      'availability_zone_hints',
      texts('availabilityZoneHints are the zones that were asked for.', { maxItems: 64 }),
    ),
    externalGateways: observedAs(
      { external_gateway_info: plain('network_id') },
      list(
        'externalGateways connect the router with the outside.',
        object('A gateway.', { networkID: text('networkID is the id of the external network that it is on.') }),
        { type: 'atomic', maxItems: 32 },
      ),
      ({ external_gateway_info: gateway }) => {
        const networkID = isJsonObject(gateway) ? gateway['network_id'] : undefined;
        return typeof networkID === 'string' && networkID !== '' ? [{ networkID }] : [];
      },
    ),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    status: observed('status', text('status is the operational state in Neutron: `ACTIVE`, `ALLOCATING`, `ERROR`.')),
    tags: observedTags('Neutron', { maxItems: 64 }),
  },
  // Neutron refuses to filter by `distributed`.
  adoption: { query: ['name', 'projectRef'], check: ['distributed'] },
  ...judgedBy(ROUTER_STATES),
  // Its interfaces are made with its credentials.
  published: ({ spec }) => {
    const cloudCredentialsRef = spec?.['cloudCredentialsRef'];
    return cloudCredentialsRef === undefined ? undefined : { cloudCredentialsRef };
  },
});
