// Group: Keystone users that share role assignments.
import { immutable, ref } from '../../api/contract/contract.ts';
import { named, observed, queried, sent } from '../base/fields.ts';
import { KEYSTONE } from '../base/services.ts';
import { keystoneName, prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const group = defineKind({
  kind: 'Group',
  description: 'Group is a group of users, owned by a domain. Who is in it is not looked at.',
  service: KEYSTONE,
  collection: 'groups',
  member: 'group',
  resource: {
    name: named(keystoneName('name is what Keystone calls the group; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the group.'), { unset: '' }),
    domainRef: sent(
      'domain_id',
      immutable(
        ref('Domain', 'domainRef is the Domain that owns the group; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'domainID',
        }),
      ),
    ),
  },
  filter: {
    name: queried('name', keystoneName('name of the group.')),
    domainRef: queried('domain_id', ref('Domain', 'domainRef is the Domain that owns the group.')),
  },
  status: {
    name: observed('name', text('name in Keystone.')),
    description: observed('description', text('description in Keystone.'), { omitEmpty: true }),
    domainID: observed('domain_id', text('domainID is the id of the owning domain.')),
  },
  adoption: { query: ['name', 'domainRef'] },
});
