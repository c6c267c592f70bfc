// Networks of other clients that an object may take for what its own unanswered create made: such a create leaves no other evidence than
// what it asked for. The object removes one when it is deleted, or when another writer has recorded another id first.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { idOf, ownFinalizerOf } from './kinds.ts';

/** What tells a network from another of its name, as far as a spec of a history says it. */
export function askedOfNetwork({ description = '', shared = false, external = false }: JsonObject): JsonObject {
  return { description, shared, 'router:external': external };
}

/** Nothing tells it from what the create asked for: it is the same in all that the spec says, or the spec was edited since. */
export function isTakenForOwn(object: KubeObject | undefined, foreign: JsonObject): boolean {
  const { deletionTimestamp, finalizers = [], generation = 0 } = object?.metadata ?? {};
  if (object === undefined || (deletionTimestamp === undefined) !== (idOf(object) !== undefined)) return false;
  if (!finalizers.includes(ownFinalizerOf(object.kind) ?? '')) return false;
  const asked = askedOfNetwork((object.spec?.['resource'] ?? {}) as JsonObject);
  // A deletion is the second.
  return (
    generation > (deletionTimestamp === undefined ? 1 : 2) ||
    Object.entries(asked).every(([name, value]) => foreign[name] === value)
  );
}
