// Role: what a user or a group may do, once it is assigned.
import { immutable, ref } from '../../api/contract/contract.ts';
import { named, observed, queried, sent } from '../base/fields.ts';
import { KEYSTONE } from '../base/services.ts';
import { keystoneName, prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const role = defineKind({
  kind: 'Role',
  description: 'Role is a name for what users and groups may do, which is assigned to them.',
  service: KEYSTONE,
  collection: 'roles',
  member: 'role',
  // Without a domain, Keystone lists the roles of none.
  listing: { within: ['domain_id'] },
  resource: {
    name: named(keystoneName('name is what Keystone calls the role; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the role.'), { unset: '' }),
    domainRef: sent(
      'domain_id',
      immutable(
        ref('Domain', 'domainRef is the Domain that the role is of; it is of none unless stated.', {
          guarded: true,
          shownBy: 'domainID',
        }),
      ),
    ),
  },
  filter: {
    name: queried('name', keystoneName('name of the role.')),
    domainRef: queried('domain_id', ref('Domain', 'domainRef is the Domain that the role is of.')),
  },
  status: {
    name: observed('name', text('name in Keystone.')),
    description: observed('description', text('description in Keystone.'), { omitEmpty: true }),
    domainID: observed('domain_id', text('domainID is the id of the domain that it is of; empty for one of none.')),
  },
  adoption: { query: ['name', 'domainRef'] },
});
