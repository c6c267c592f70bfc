// AddressScope: a domain of Neutron within which no two subnets share an address.
import { boolean, immutable, integer, ref, required } from '../../api/contract/contract.ts';
import { named, observed, queried, sent } from '../base/fields.ts';
import { NEUTRON } from '../base/services.ts';
import { ipVersion, openstackName, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const addressScope = defineKind({
  kind: 'AddressScope',
  description: 'AddressScope is a domain of Neutron within which addresses of subnets do not overlap.',
  service: NEUTRON,
  collection: 'address-scopes',
  member: 'address_scope',
  members: 'address_scopes',
  resource: {
    name: named(openstackName('name is what Neutron calls the address scope; the name of the object unless stated.')),
    projectRef: sent(
      'project_id',
      immutable(
        ref(
          'Project',
          'projectRef is the Project that owns the address scope; that of the credentials unless stated.',
          { guarded: true, shownBy: 'projectID' },
        ),
      ),
    ),
    ipVersion: sent('ip_version', required(immutable(ipVersion('ipVersion is the version of its addresses.')))),
    shared: sent(
      'shared',
      boolean('shared is whether all projects may use it; Neutron never takes that back. False unless stated.', {
        rules: [{ message: "shared address scope can't be unshared", rule: '!(oldSelf && !self)' }],
      }),
      { unset: false },
    ),
  },
  filter: {
    name: queried('name', openstackName('name of the address scope.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the address scope.')),
    ipVersion: queried('ip_version', ipVersion('ipVersion is the version of its addresses.')),
    shared: queried('shared', boolean('shared is whether all projects may use it.')),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    ipVersion: observed('ip_version', integer('ipVersion is the version of its addresses.')),
    shared: observed('shared', boolean('shared is whether all projects may use it.')),
  },
  adoption: { query: ['name', 'ipVersion', 'projectRef'] },
});
