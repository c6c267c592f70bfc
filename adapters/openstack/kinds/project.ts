// Project: a container of resources, within a domain.
import { boolean, immutable, ref } from '../../api/contract/contract.ts';
import { named, observed, queried, sent, sentTags } from '../base/fields.ts';
import { KEYSTONE } from '../base/services.ts';
import { keystoneName, keystoneTags, observedTags, prose, tagFilter, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

const LONG = { maxLength: 65535 };

export const project = defineKind({
  kind: 'Project',
  description: 'Project is a container of resources, owned by a domain.',
  service: KEYSTONE,
  collection: 'projects',
  member: 'project',
  resource: {
    name: named(keystoneName('name is what Keystone calls the project; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the project.', LONG), { unset: '' }),
    domainRef: sent(
      'domain_id',
      immutable(
        ref('Domain', 'domainRef is the Domain that owns the project; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'domainID',
        }),
      ),
    ),
    enabled: sent('enabled', boolean('enabled is whether the project may be used; true unless stated.'), {
      unset: true,
    }),
    tags: sentTags(keystoneTags('tags of the project; others are taken off.')),
  },
  filter: {
    name: queried('name', keystoneName('name of the project.')),
    domainRef: queried('domain_id', ref('Domain', 'domainRef is the Domain that owns the project.')),
    ...tagFilter(keystoneTags),
  },
  status: {
    name: observed('name', text('name in Keystone.')),
    description: observed('description', text('description in Keystone.', LONG), { omitEmpty: true }),
    domainID: observed('domain_id', text('domainID is the id of the owning domain.')),
    enabled: observed('enabled', boolean('enabled is whether the project may be used.')),
    tags: observedTags('Keystone', { maxItems: 80 }),
  },
  adoption: { query: ['name', 'domainRef', 'tags'] },
});
