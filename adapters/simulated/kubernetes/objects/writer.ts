// The writer of an object, and the fields that it may write: input of the record of managed fields.

import type { JsonMap } from '../../../text/json.ts';
import type { Writer } from '../apply/managers.ts';
import { type Api, type Resource, type ResourceRequest, timeText } from '../resources/api.ts';
import { inVersion, toStored } from '../resources/registry.ts';
import { setDefaults } from '../schemas/pruning.ts';

/** The identity of a request's writer. */
export function writerOf(api: Api, { resource, query, userAgent, subresource }: ResourceRequest): Writer {
  const { schema, apiVersion } = resource;
  const agent = (userAgent.split('/', 1)[0] ?? '').slice(0, 128);
  return {
    manager: query.get('fieldManager') || agent || 'unknown',
    apiVersion,
    subresource,
    ignored: ignoredFields(resource, subresource),
    blank: blankOf(resource),
    time: timeText(api.clock.now()),
    schema,
    version(wanted) {
      const found = api.registry.ofStoreKey(resource.storeKey).find((one) => one.apiVersion === wanted);
      if (found === undefined) return undefined;
      // The request brings the conversions that it has; those of several versions need no detour.
      const other = { ...found, versions: resource.versions };
      const isDirect = resource.versions !== undefined;
      return {
        schema: found.schema,
        see: (object) => inVersion(other, isDirect ? object : toStored(resource, object)),
      };
    },
  };
}

/** Fields that built-in kinds always have: no writer adds them as such. */
function blankOf(resource: Resource): JsonMap {
  const blank = structureOf(resource);
  if (resource.builtin) setDefaults(resource.schema, blank);
  return blank;
}

/** The same without the values that the schema gives. */
export function structureOf({ builtin, apiVersion, kind, schema }: Resource): JsonMap {
  const structure: JsonMap = { apiVersion, kind, metadata: {} };
  if (!builtin) return structure;
  for (const [name, { properties, nullable }] of schema.properties ?? []) {
    if (properties !== undefined && !nullable) structure[name] = {};
  }
  return structure;
}

function ignoredFields({ subresources }: Resource, subresource: string): string[] {
  if (subresource === 'status') return ['spec'];
  return subresources.includes('status') ? ['status'] : [];
}
