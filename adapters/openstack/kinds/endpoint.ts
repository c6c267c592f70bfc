// Endpoint: address of a service in Keystone's catalog.
import { boolean, immutable, ref, required, string } from '../../api/contract/contract.ts';
import { checked } from '../base/criteria.ts';
import { observed, queried, queriedAs, sent } from '../base/fields.ts';
import { KEYSTONE } from '../base/services.ts';
import { prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

const place = (description: string) => string(description, { enum: ['admin', 'internal', 'public'] });
const url = (description: string) => string(description, { maxLength: 1024 });

export const endpoint = defineKind({
  kind: 'Endpoint',
  description: 'Endpoint is a URL by which clients reach a Service.',
  service: KEYSTONE,
  collection: 'endpoints',
  member: 'endpoint',
  resource: {
    description: sent('description', immutable(prose('description is free text about the endpoint.'))),
    enabled: sent('enabled', boolean('enabled is whether the endpoint is in the catalog.'), { update: 'whenSet' }),
    interface: sent(
      'interface',
      required(place('interface is for whom it is: `public` for users, `internal` for services, `admin`.')),
      { update: 'whenSet' },
    ),
    serviceRef: sent(
      'service_id',
      required(
        immutable(
          ref('Service', 'serviceRef is the Service that is reached there.', { guarded: true, shownBy: 'serviceID' }),
        ),
      ),
    ),
    url: sent('url', required(url('url is where the service is reached.')), { update: 'whenSet' }),
  },
  filter: {
    interface: queried('interface', place('interface is for whom it is.')),
    serviceRef: queried('service_id', ref('Service', 'serviceRef is the Service that is reached there.')),
    url: queriedAs(url('url is where the service is reached.'), (value) => [checked('url', value)]),
  },
  status: {
    description: observed('description', prose('description in Keystone.'), { omitEmpty: true }),
    enabled: observed('enabled', boolean('enabled is whether the endpoint is in the catalog.')),
    interface: observed('interface', text('interface is for whom it is.', { maxLength: 128 })),
    serviceID: observed('service_id', text('serviceID is the id of the service.')),
    url: observed('url', text('url is where the service is reached.')),
  },
  // Keystone has no filter by URL.
  adoption: { query: ['interface', 'serviceRef'], check: ['url'] },
});
