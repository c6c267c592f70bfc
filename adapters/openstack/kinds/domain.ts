// Domain: the topmost container of Keystone, for projects, users and groups.
import { boolean } from '../../api/contract/contract.ts';
import { named, observed, queried, sent } from '../base/fields.ts';
import { KEYSTONE } from '../base/services.ts';
import { keystoneName, prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const domain = defineKind({
  kind: 'Domain',
  description: 'Domain is a container of projects, users and groups in Keystone.',
  service: KEYSTONE,
  collection: 'domains',
  member: 'domain',
  resource: {
    name: named(keystoneName('name is what Keystone calls the domain; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the domain.'), { unset: '' }),
    enabled: sent('enabled', boolean('enabled is whether users of the domain may log in; true unless stated.'), {
      unset: true,
    }),
  },
  filter: {
    name: queried('name', keystoneName('name of the domain.')),
    enabled: queried('enabled', boolean('enabled or disabled domains.')),
  },
  status: {
    name: observed('name', text('name in Keystone.')),
    description: observed('description', text('description in Keystone.'), { omitEmpty: true }),
    enabled: observed('enabled', boolean('enabled is whether users of the domain may log in.')),
  },
  adoption: { query: ['name'] },
  // Keystone removes none that is enabled.
  removable: { refusal: 403, attributes: { enabled: false }, askedBy: { field: 'enabled', value: false } },
});
