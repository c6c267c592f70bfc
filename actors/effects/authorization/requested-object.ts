// A request for an operation as it came over the bus: anybody may have written it.
import type { Json, JsonObject } from '../../../bus/mod.ts';

/** The object that a request is for, as it says. */
export interface RequestedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number | undefined;
  readonly resourceVersion: string;
  readonly spec: Json | undefined;
}

/** As Kubernetes has them: nothing else becomes part of a path. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Undefined: it names none that there could be. */
export function requestedObjectIn({ object }: JsonObject): RequestedObject | undefined {
  if (!isObject(object) || !isObject(object['metadata'])) return undefined;
  const { name, namespace = '', uid, resourceVersion = '', generation } = object['metadata'];
  if (typeof name !== 'string' || !NAME.test(name)) return undefined;
  if (typeof namespace !== 'string' || (namespace !== '' && !NAME.test(namespace))) return undefined;
  if (typeof uid !== 'string' || typeof resourceVersion !== 'string') return undefined;
  if (generation !== undefined && typeof generation !== 'number') return undefined;
  return { name, namespace, uid, generation, resourceVersion, spec: object['spec'] };
}

/** Whether the common and optional parameters of operations have their types. */
export function isValidRequest(request: JsonObject, bound: 'deadline' | 'caller'): boolean {
  const {
    dependencies,
    deadlineAt,
    traceparent,
    credentialsVersion,
    claimants = [],
    intents = [],
    id,
    observation,
  } = request;
  const { pollAfterMs, report } = request;
  return (
    isObject(dependencies) &&
    Object.values(dependencies).every(isDependency) &&
    (bound === 'caller' || typeof deadlineAt === 'number') &&
    isTextIfAny(traceparent) &&
    isTextIfAny(credentialsVersion) &&
    isTextIfAny(id) &&
    (pollAfterMs === undefined || typeof pollAfterMs === 'number') &&
    (report === undefined || typeof report === 'boolean') &&
    (observation === undefined || (isObject(observation) && typeof observation['id'] === 'string')) &&
    [claimants, intents].every((each) => Array.isArray(each) && each.every(isObject))
  );
}

function isDependency(value: Json): boolean {
  if (!isObject(value)) return false;
  const { id, ready, attributes } = value;
  return typeof id === 'string' && typeof ready === 'boolean' && (attributes === undefined || isObject(attributes));
}

function isTextIfAny(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string';
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether all given members are equal. The API server may have more members by now, such as a default of a newer
 * definition.
 */
export function isSubsetOf(said: Json | undefined, whole: Json | undefined): boolean {
  if (isObject(said)) {
    return isObject(whole) && Object.entries(said).every(([name, value]) => isSubsetOf(value, own(whole, name)));
  }
  if (Array.isArray(said)) {
    return (
      Array.isArray(whole) &&
      said.length === whole.length &&
      said.every((value, index) => isSubsetOf(value, whole[index]))
    );
  }
  return Object.is(said, whole);
}

function own(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
