// What may be changed of an object, or of a resource that an operator makes, so that somebody has to look at it.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { isPress } from './kinds.ts';
import { changeOfKind } from './requests.ts';

/** References that users take off, and what they leave in their place. */
const TAKEN_OFF: readonly string[] = ['securityGroupRefs', 'volumes', 'subports'];

/** What may be changed of the spec, changed. */
export function changesOf(object: KubeObject, text: string): JsonObject {
  const { kind, spec = {} } = object;
  if (kind === 'Book') return { title: text };
  if (kind === 'Paper') return { grams: 40 + ((Number(spec['grams']) + text.length * 7) % 300) };
  const resource = spec['resource'] === undefined || isPress(object) ? undefined : changeOfKind(kind, text);
  return resource === undefined ? { resyncPeriod: `${10 + text.length}h` } : { resource };
}

/** Of a resource as it was planned, those references that may be taken off, as they are or without them. */
export function referencesIn(resource: JsonObject, how: 'referred' | 'unreferred'): JsonObject {
  const fields = TAKEN_OFF.filter((field) => resource[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, how === 'referred' ? (resource[field] ?? null) : null]));
}

export function outsideNetwork(name: string, projectId: string): JsonObject {
  return {
    name,
    project_id: projectId,
    tenant_id: projectId,
    description: '',
    status: 'ACTIVE',
    admin_state_up: true,
    shared: true,
    'router:external': true,
    mtu: 1500,
    port_security_enabled: true,
    availability_zone_hints: [],
    availability_zones: [],
    subnets: [],
    tags: [],
    dns_domain: '',
    revision_number: 1,
    created_at: '2030-01-01T00:00:00Z',
    updated_at: '2030-01-01T00:00:00Z',
  };
}
