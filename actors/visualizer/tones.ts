// How an object looks at a glance: by the tags of the state that its actor told, or, where nobody told, by its status.
import type { Kind } from '../../machines/kind.ts';
import { Tag } from '../../machines/life.ts';
import type { KubeObject } from '../../machines/object.ts';
import { isDeleted } from '../inquiry/causes.ts';
import type { Registry } from '../object/registry.ts';
import { progressOf } from '../telling/conditions.ts';
import { Tone } from './wire.ts';

/** What the tags of a state amount to; the first that fits. */
const TONES: readonly (readonly [tags: readonly string[], tone: Tone])[] = [
  [[Tag.Refused], Tone.Failed],
  [[Tag.Failing], Tone.Failing],
  [[Tag.Deleting, Tag.Held], Tone.Held],
  [[Tag.Deleting], Tone.Deleting],
  [[Tag.Settled, Tag.Available], Tone.Available],
  [[Tag.Settled], Tone.Unavailable],
  [[Tag.Waiting], Tone.Waiting],
];

/** Tones that say more of a deleted object than that it is deleted. */
const KEPT_WHEN_DELETED: ReadonlySet<Tone> = new Set([
  Tone.Deleting,
  Tone.Held,
  Tone.Failing,
  Tone.Failed,
  Tone.Quarantined,
]);

const AT_REST: ReadonlySet<Tone> = new Set([Tone.Available, Tone.Unavailable]);

export function toneOfTags(tags: readonly unknown[]): Tone {
  return TONES.find(([wanted]) => wanted.every((tag) => tags.includes(tag)))?.[1] ?? Tone.Busy;
}

/**
 * What a tone that was told comes to, as the object is now.
 *
 * @param toldAt  generation of the object when the state was told, as far as it is known
 */
export function toneNow(told: Tone, object: KubeObject, toldAt: number | undefined): Tone {
  if (isDeleted(object)) return KEPT_WHEN_DELETED.has(told) ? told : Tone.Deleting;
  const { generation } = object.metadata;
  const observed = progressOf(object)?.observedGeneration;
  if (!AT_REST.has(told) || generation === undefined || observed === undefined) return told;
  return generation > Math.max(observed, toldAt ?? 0) ? Tone.Unseen : told;
}

/** By the status alone. @throws what the code of the kind throws */
export function toneOfObject(object: KubeObject, kind: Kind, registry: Pick<Registry, 'standing' | 'claimants'>): Tone {
  if (isDeleted(object)) {
    const { finalizers = [] } = object.metadata;
    const isHeld = finalizers.some((each) => each !== kind.finalizer && registry.claimants(each).length > 0);
    return isHeld ? Tone.Held : Tone.Deleting;
  }
  const progressing = progressOf(object);
  if (progressing === undefined) return registry.standing(kind, object).ready ? Tone.Available : Tone.Unseen;
  if (progressing.observedGeneration !== object.metadata.generation) return Tone.Unseen;
  if (progressing.status !== 'False') return progressing.reason === 'TransientError' ? Tone.Failing : Tone.Waiting;
  if (progressing.reason !== 'Success') return Tone.Failed;
  return registry.standing(kind, object).ready ? Tone.Available : Tone.Unavailable;
}
