// Service: an entry of the catalog of Keystone.
import type { JsonObject } from '../../../bus/bus.ts';
import { boolean, required } from '../../api/contract/contract.ts';
import { named, observed, queried, sent } from '../base/fields.ts';
import { KEYSTONE } from '../base/services.ts';
import { openstackName, prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

const SHORT = { maxLength: 255 };

export const service = defineKind({
  kind: 'Service',
  description: 'Service is an entry of the catalog by which clients find what a cloud offers.',
  service: KEYSTONE,
  collection: 'services',
  member: 'service',
  resource: {
    name: named(openstackName('name is what Keystone calls the service; the name of the object unless stated.'), {
      keepsEmpty: true,
    }),
    description: sent('description', prose('description is free text about the service.'), {
      unset: null,
      initial: null,
    }),
    type: sent('type', required(prose('type is what clients look for: `compute`, `network`.')), { update: 'whenSet' }),
    enabled: sent(
      'enabled',
      boolean('enabled is whether the service is in the catalog; true unless stated.', { default: true }),
      { unset: true },
    ),
  },
  filter: {
    name: queried('name', openstackName('name of the service.')),
    type: queried('type', prose('type of the service.')),
  },
  status: {
    name: observed('name', text('name in Keystone.', SHORT)),
    description: observed('description', text('description in Keystone.', SHORT), { omitEmpty: true }),
    type: observed('type', text('type is what clients look for.', SHORT)),
    enabled: observed('enabled', boolean('enabled is whether the service is in the catalog.')),
  },
  restated: ['type'],
  adoption: { query: ['name', 'type'] },
  published: ({ status, spec }) => {
    // It may be announced as ready just before its first status is stored.
    const { type } = (status?.['resource'] ?? spec?.['resource'] ?? {}) as JsonObject;
    return type === undefined ? undefined : { type };
  },
});
