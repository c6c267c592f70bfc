// The tone of an object: by the tags of its actor's last state, or, without one, by its status.
import type { Kind } from '../../machines/kind.ts';
import { Tag } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { progressOf } from '../base/conditions.ts';
import { isDeleted } from '../diagnosis/root-causes.ts';
import type { Registry } from '../object/registry.ts';
import { StatusColor } from './wire.ts';

/** Tone of the tags of a state; the first that fits. */
const TONES: readonly (readonly [tags: readonly string[], tone: StatusColor])[] = [
  [[Tag.Terminal], StatusColor.Failed],
  [[Tag.Failing], StatusColor.Failing],
  [[Tag.Deleting, Tag.Held], StatusColor.Held],
  [[Tag.Deleting], StatusColor.Deleting],
  [[Tag.Settled, Tag.Available], StatusColor.Available],
  [[Tag.Settled], StatusColor.Unavailable],
  [[Tag.Waiting], StatusColor.Waiting],
];

/** Tones that say more of a deleted object than that it is deleted. */
const KEPT_WHEN_DELETED: ReadonlySet<StatusColor> = new Set([
  StatusColor.Deleting,
  StatusColor.Held,
  StatusColor.Failing,
  StatusColor.Failed,
  StatusColor.Quarantined,
]);

const AT_REST: ReadonlySet<StatusColor> = new Set([StatusColor.Available, StatusColor.Unavailable]);

type Standings = Pick<Registry, 'standing'>;

export function toneOfTags(tags: readonly unknown[]): StatusColor {
  return TONES.find(([wanted]) => wanted.every((tag) => tags.includes(tag)))?.[1] ?? StatusColor.Busy;
}

/**
 * The reported tone, corrected by the object's present state.
 *
 * @param reported.generation  of the object at the time of the state, as far as it is known
 * @throws what the code of the kind throws
 */
export function toneNow(
  { tone: reported, generation: toldAt }: { readonly tone: StatusColor; readonly generation: number | undefined },
  object: KubeObject,
  kind: Kind,
  registry: Standings,
): StatusColor {
  if (isDeleted(object)) return KEPT_WHEN_DELETED.has(reported) ? reported : StatusColor.Deleting;
  if (!AT_REST.has(reported)) return reported;
  const { generation } = object.metadata;
  const observed = progressOf(object)?.observedGeneration;
  const isBehind = generation !== undefined && observed !== undefined && generation > Math.max(observed, toldAt ?? 0);
  if (isBehind) return StatusColor.Unseen;
  // For some kinds the status alone decides whether others may use it, and no state of their lifecycles.
  // mutant: tones-unavailable return -> $3
  return reported === StatusColor.Unavailable && registry.standing(kind, object, false).ready
    ? StatusColor.Available
    : reported;
}

/** Tone derived from the status alone. @throws errors of the kind's code */
export function toneOfObject(
  object: KubeObject,
  kind: Kind,
  registry: Standings & Pick<Registry, 'claimants'>,
): StatusColor {
  if (isDeleted(object)) {
    const { finalizers = [] } = object.metadata;
    const isHeld = finalizers.some((each) => each !== kind.finalizer && registry.claimants(each).length > 0);
    return isHeld ? StatusColor.Held : StatusColor.Deleting;
  }
  if (kind.life.summarize !== undefined) {
    const summary = kind.life.summarize(object);
    const tone = summary === undefined ? StatusColor.Unseen : toneOfTags(summary.tags);
    return AT_REST.has(tone) ? toneAtRest(object, kind, registry) : tone;
  }
  const progressing = progressOf(object);
  if (progressing === undefined || progressing.observedGeneration !== object.metadata.generation)
    return StatusColor.Unseen;
  if (progressing.status !== 'False')
    return progressing.reason === 'TransientError' ? StatusColor.Failing : StatusColor.Waiting;
  if (progressing.reason !== 'Success') return StatusColor.Failed;
  return toneAtRest(object, kind, registry);
}

function toneAtRest(object: KubeObject, kind: Kind, registry: Standings): StatusColor {
  return registry.standing(kind, object).ready ? StatusColor.Available : StatusColor.Unavailable;
}
