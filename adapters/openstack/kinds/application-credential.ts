// ApplicationCredential: credentials for a program, to which a Keystone user delegates roles in a project.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { boolean, list, object, ref, required, string } from '../../api/contract/contract.ts';
import {
  apart,
  compared,
  named,
  observed,
  observedAs,
  observedList,
  queried,
  queriedAs,
  sent,
  sentAs,
} from '../base/fields.ts';
import { plain } from '../base/projection.ts';
import { KEYSTONE } from '../base/services.ts';
import { instant, keystoneTime, openstackName, prose, text } from '../base/values.ts';
import { defineKind } from './kind.ts';

const guarded = { guarded: true };
const fixed = { update: 'ignored' } as const;

const accessRules = list(
  'accessRules are the only requests that it lets through; it lets all through unless stated.',
  object(
    'Requests that are let through.',
    {
      path: string('path is where they are sent, which may hold wildcards.', { maxLength: 1024 }),
      method: string('method is that of HTTP.', {
        enum: ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'],
      }),
      serviceRef: ref('Service', 'serviceRef is the Service to whose type they are sent.', {
        ...guarded,
        attribute: 'type',
      }),
    },
    { minProperties: 1 },
  ),
  { type: 'atomic', maxItems: 256 },
);

export const applicationCredential = defineKind({
  kind: 'ApplicationCredential',
  description: 'ApplicationCredential lets a program log in as a user, in the project of the credentials.',
  service: KEYSTONE,
  collection: 'application_credentials',
  member: 'application_credential',
  ofUser: 'userRef',
  immutable: true,
  resource: {
    name: named(openstackName('name is what Keystone calls it; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about it.'), fixed),
    userRef: apart(
      required(
        ref(
          'User',
          'userRef is the User as whom the program logs in; Keystone lets only that user create it.',
          guarded,
        ),
      ),
    ),
    unrestricted: sent(
      'unrestricted',
      boolean('unrestricted is whether it may make and remove others of its kind, and trusts; false unless stated.'),
      { ...fixed, initial: false },
    ),
    secretRef: sent(
      'secret',
      required(
        ref('Secret', 'secretRef is the Secret whose key `value` holds what the program logs in with.', {
          content: { key: 'value', what: 'Application credential', as: 'text' },
        }),
      ),
      fixed,
    ),
    roleRefs: sentAs(
      list(
        'roleRefs are the Roles that it has; those of the credentials unless stated.',
        ref('Role', 'A Role.', guarded),
        {
          type: 'atomic',
          maxItems: 256,
        },
      ),
      { roles: (ids) => ids.map((id) => ({ id })) },
      fixed,
    ),
    accessRules: sentAs(
      accessRules,
      {
        access_rules: (rules) =>
          rules.map(
            ({ serviceRef, ...rule }): Json => ({ ...rule, ...(serviceRef !== undefined && { service: serviceRef }) }),
          ),
      },
      fixed,
    ),
    expiresAt: sentAs(
      instant('expiresAt is until when it is good; for ever unless stated.'),
      { expires_at: inUtc },
      fixed,
    ),
  },
  filter: {
    name: queried('name', openstackName('name of it.')),
    description: compared('description', string('description of it.', { maxLength: 1024 })),
    userRef: queriedAs(required(ref('User', 'userRef is the User whose it is.')), () => []),
  },
  fewestFiltered: 2,
  status: {
    name: observed('name', text('name in Keystone.')),
    description: observed('description', text('description in Keystone.'), { omitEmpty: true }),
    unrestricted: observed(
      'unrestricted',
      boolean('unrestricted is whether it may make and remove others of its kind.'),
    ),
    projectID: observed('project_id', text('projectID is the id of the project that the program works in.')),
    expiresAt: observedAs(plain('expires_at'), instant('expiresAt is until when it is good.'), ({ expires_at: at }) =>
      keystoneTime(at),
    ),
    roles: observedList('roles', 'roles are those that it has.', {
      items: 'A role.',
      maxItems: 64,
      fields: {
        id: observed('id', text('id of the role.')),
        name: observed('name', text('name of the role.')),
        domainID: observed('domain_id', text('domainID is the id of the domain that the role is of.'), {
          omitEmpty: true,
        }),
      },
    }),
    accessRules: observedList('access_rules', 'accessRules are the only requests that it lets through.', {
      items: 'Requests that are let through.',
      maxItems: 64,
      fields: {
        id: observed('id', text('id of the rule.')),
        path: observed('path', text('path is where they are sent.')),
        method: observed('method', text('method is that of HTTP.', { maxLength: 32 })),
        service: observed('service', text('service is the type of the service that they are sent to.')),
      },
    }),
  },
  adoption: { query: ['name'], check: ['description'] },
  complete(attributes, { accessRules }) {
    const rules = (accessRules ?? []) as readonly JsonObject[];
    // Keystone (Zed) ends the connection when a rule lacks one of them.
    const isWhole = rules.every((rule) => ['path', 'method', 'serviceRef'].every((name) => rule[name] !== undefined));
    if (!isWhole) throw new TerminalError('an access rule needs a path, a method and a serviceRef');
    return attributes;
  },
});

/** As Keystone reads it, which takes a time without a zone, or with `Z`. */
function inUtc(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : new Date(at).toISOString();
}
