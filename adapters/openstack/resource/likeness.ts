// Comparison of a resource found by name with the result of an object's create. A deletion whose create was never answered has no other
// evidence, and must not remove a resource that another client made meanwhile.

import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KnownDependencies } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { isCompared, type ResourceField } from '../base/fields.ts';
import { isEmpty } from '../base/observed-values.ts';
import { pathsOf } from '../status/messages.ts';
import { isSame, isShown, unsetAttributes, wiredOf } from './desired.ts';
import type { TableKind } from './table.ts';

type Candidate = Pick<Observation, 'attributes' | 'resource'>;

/** Assumed maximum difference between the clock of a cloud and that of the API server, in milliseconds. */
const CLOCK_DIFFERENCE_MS = 300_000;
/** Generation of an object that is being deleted and was never edited: the deletion counts, too. */
const UNEDITED_GENERATION = 2;

/**
 * Why `seen` is not what the create of this object made, for people; undefined: nothing tells it apart. An object that was edited says
 * no longer what its create asked for.
 *
 * @param object  being deleted
 */
export function unlikeness(
  kind: Pick<TableKind, 'resource' | 'status' | 'adoption'>,
  object: KubeObject,
  known: KnownDependencies,
  seen: Candidate,
): string | undefined {
  // mutant: deletion-takes-what-is-older if -> false
  if (isOlder(object, seen)) return `it was there before ${object.kind}/${object.metadata.name}`;
  // mutant: deletion-leaves-what-was-edited if -> false
  if ((object.metadata.generation ?? 1) > UNEDITED_GENERATION) return undefined;
  const names = Object.entries(kind.resource).flatMap(([name, field]) =>
    isAsAsked(kind, name, field, object, known, seen) ? [] : [name],
  );
  return names.length === 0 ? undefined : `${pathsOf(names)} is another`;
}

function isOlder({ metadata: { creationTimestamp = '' } }: KubeObject, { resource }: Candidate): boolean {
  // An unreadable value is no evidence.
  return Date.parse(String(resource['createdAt'])) + CLOCK_DIFFERENCE_MS < Date.parse(creationTimestamp);
}

function isAsAsked(
  kind: Pick<TableKind, 'status' | 'adoption'>,
  name: string,
  field: ResourceField,
  object: KubeObject,
  known: KnownDependencies,
  { attributes, resource }: Candidate,
): boolean {
  // A step after the create brings tags, and what the cloud changes itself proves nothing.
  if (field.role === 'tags' || field.moves || field.applied !== undefined) return true;
  const wired = wiredOf(name, field, object, known);
  if (wired !== undefined && wired.missing.length > 0) return true;
  const expected: JsonObject =
    wired === undefined ? unsetAttributes(field, attributes) : field.encode(wired.value, wired.published);
  if (!isCompared(field.change))
    return wired === undefined || field.change.kind === 'step' || isShown(kind, expected, resource) !== false;
  const mark = kind.adoption.mark?.(object) ?? {};
  return Object.entries({ ...expected, ...mark }).every(([attribute, value]) => {
    if (!(attribute in expected)) return true;
    const found = attributes[attribute];
    return found === undefined || isSame(value, found, field) || (field.keepsEmpty && isEmpty(found));
  });
}
