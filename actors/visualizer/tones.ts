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

type Standings = Pick<Registry, 'standing'>;

export function toneOfTags(tags: readonly unknown[]): Tone {
  return TONES.find(([wanted]) => wanted.every((tag) => tags.includes(tag)))?.[1] ?? Tone.Busy;
}

/**
 * What a tone that was told comes to, as the object is now.
 *
 * @param told.generation  of the object when the state was told, as far as it is known
 * @throws what the code of the kind throws
 */
export function toneNow(
  { tone: told, generation: toldAt }: { readonly tone: Tone; readonly generation: number | undefined },
  object: KubeObject,
  kind: Kind,
  registry: Standings,
): Tone {
  if (isDeleted(object)) return KEPT_WHEN_DELETED.has(told) ? told : Tone.Deleting;
  if (!AT_REST.has(told)) return told;
  const { generation } = object.metadata;
  const observed = progressOf(object)?.observedGeneration;
  const isBehind = generation !== undefined && observed !== undefined && generation > Math.max(observed, toldAt ?? 0);
  if (isBehind) return Tone.Unseen;
  // Of some kinds the status alone says whether others may use it, and no state of their lives.
  // mutant: tones-unavailable return -> $3
  return told === Tone.Unavailable && registry.standing(kind, object, false).ready ? Tone.Available : told;
}

/** By the status alone. @throws what the code of the kind throws */
export function toneOfObject(object: KubeObject, kind: Kind, registry: Standings & Pick<Registry, 'claimants'>): Tone {
  if (isDeleted(object)) {
    const { finalizers = [] } = object.metadata;
    const isHeld = finalizers.some((each) => each !== kind.finalizer && registry.claimants(each).length > 0);
    return isHeld ? Tone.Held : Tone.Deleting;
  }
  if (kind.life.glance !== undefined) {
    const glance = kind.life.glance(object);
    const tone = glance === undefined ? Tone.Unseen : toneOfTags(glance.tags);
    return AT_REST.has(tone) ? toneAtRest(object, kind, registry) : tone;
  }
  const progressing = progressOf(object);
  if (progressing === undefined || progressing.observedGeneration !== object.metadata.generation) return Tone.Unseen;
  if (progressing.status !== 'False') return progressing.reason === 'TransientError' ? Tone.Failing : Tone.Waiting;
  if (progressing.reason !== 'Success') return Tone.Failed;
  return toneAtRest(object, kind, registry);
}

function toneAtRest(object: KubeObject, kind: Kind, registry: Standings): Tone {
  return registry.standing(kind, object).ready ? Tone.Available : Tone.Unavailable;
}
