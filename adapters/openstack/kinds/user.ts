// User: login of Keystone.
import { boolean, immutable, ref } from '../../api/contract/contract.ts';
import { named, observed, observedAs, queried, recorded, sent } from '../base/fields.ts';
import { plain } from '../base/projection.ts';
import { KEYSTONE } from '../base/services.ts';
import { keystoneTime, openstackName, prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

export const user = defineKind({
  kind: 'User',
  description: 'User is somebody, or something, that may log in, owned by a domain.',
  service: KEYSTONE,
  collection: 'users',
  member: 'user',
  resource: {
    name: named(openstackName('name is what Keystone calls the user; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the user.'), { unset: '' }),
    domainRef: sent(
      'domain_id',
      immutable(
        ref('Domain', 'domainRef is the Domain that owns the user; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'domainID',
        }),
      ),
    ),
    defaultProjectRef: sent(
      'default_project_id',
      immutable(
        ref('Project', 'defaultProjectRef is the Project of a login that names none.', {
          guarded: true,
          shownBy: 'defaultProjectID',
        }),
      ),
    ),
    enabled: sent('enabled', boolean('enabled is whether the user may log in; true unless stated.'), { unset: true }),
    passwordRef: sent(
      'password',
      ref(
        'Secret',
        'passwordRef is the Secret whose key `password` holds the password; the user has none unless stated. Another password takes another Secret: what changes in one is not looked at.',
        { content: { key: 'password', what: 'Password', as: 'text' } },
      ),
      { update: 'ignored', applied: 'appliedPasswordRef' },
    ),
  },
  rules: [
    {
      message: 'passwordRef may not be removed once set',
      rule: '!has(oldSelf.passwordRef) || has(self.passwordRef)',
    },
  ],
  filter: {
    name: queried('name', openstackName('name of the user.')),
    domainRef: queried('domain_id', ref('Domain', 'domainRef is the Domain that owns the user.')),
  },
  status: {
    name: observed('name', text('name in Keystone.')),
    description: observed('description', text('description in Keystone.'), { omitEmpty: true }),
    domainID: observed('domain_id', text('domainID is the id of the owning domain.')),
    defaultProjectID: observed('default_project_id', text('defaultProjectID is the id of the default project.'), {
      omitEmpty: true,
    }),
    enabled: observed('enabled', boolean('enabled is whether the user may log in.')),
    passwordExpiresAt: observedAs(
      plain('password_expires_at'),
      text('passwordExpiresAt is until when the password may be used, as ISO 8601.'),
      ({ password_expires_at: at }) => keystoneTime(at),
    ),
    appliedPasswordRef: recorded(text('appliedPasswordRef is the Secret whose password was set last.')),
  },
  adoption: { query: ['name', 'domainRef'] },
});
