// The bodies of requests and answers: which form a service gives to one resource, and to a change of it.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { isJsonObject } from '../base/fields.ts';
import type { Service } from '../base/services.ts';
import { type Identity, resourcesIn } from './identity.ts';
import type { Call } from './session.ts';

/** Description of a request body. */
export interface Bodied {
  readonly service: Service;
  /** Member of a body that holds one resource. */
  readonly member: string;
  /** See `KindTable`. */
  readonly unwrapped?: (reported: JsonObject) => JsonObject;
  /** Identity of a resource that has no id. */
  readonly identity?: Identity;
}

/** The resource that a body holds, as its kind reads it. */
export function resourceIn({ service, member, unwrapped }: Bodied, body: JsonObject): Json | undefined {
  const reported = service.bodies === 'bare' ? body : body[member];
  return unwrapped !== undefined && isJsonObject(reported) ? unwrapped(reported) : reported;
}

/** Resources of a list, in the form that the kind reads. */
export function resourcesOf(of: Bodied, reported: readonly JsonObject[]): readonly JsonObject[] {
  const { unwrapped } = of;
  return resourcesIn(of, unwrapped === undefined ? reported : reported.map((each) => unwrapped(each)));
}

/** The body of a create; what of it is beside the resource, the kind says. */
export function bodyOf(
  { service, member, beside = [] }: Bodied & { readonly beside?: readonly string[] },
  attributes: JsonObject,
): JsonObject {
  const entries = Object.entries(attributes);
  const isBeside = ([name]: readonly [string, unknown]): boolean => beside.includes(name);
  return {
    ...holding({ service, member }, Object.fromEntries(entries.filter((entry) => !isBeside(entry)))),
    ...Object.fromEntries(entries.filter(isBeside)),
  };
}

/** Part of a call that sets these attributes. */
export function changeRequest(of: Bodied, attributes: JsonObject): Pick<Call, 'method' | 'headers' | 'body'> {
  const { patch, updateMethod: method } = of.service;
  if (patch === undefined) return { method, body: holding(of, attributes) };
  const body = Object.entries(attributes).map(([name, value]) => ({ op: 'replace', path: pointerTo(name), value }));
  return { method, headers: { 'content-type': patch }, body };
}

function holding({ service, member }: Bodied, resource: JsonObject): JsonObject {
  return service.bodies === 'bare' ? resource : { [member]: resource };
}

/** RFC 6901. */
function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
