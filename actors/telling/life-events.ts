// What of a life is worth an Event: recognised from the transitions of its statechart, which knows nothing of Events.
//
// Invariants:
//   W1. An id is told of only once it is stored: what lost a race is nobody's news.
//   W2. Waiting, trying again and starting again are no news (I6).
//   W3. Drift is an update for a generation that was complete before: it is not the spec that has changed.
import { EventType } from '../../adapters/kubernetes/mod.ts';
import type { KubeObject, UpdateOutcome } from '../../machines/kind.ts';
import type { ManagedContext, RecordOutput } from '../../machines/managed-context.ts';
import { conditionOf } from './conditions.ts';
import type { Occurrence } from './event-recorder.ts';

/** The event of a statechart that led to a transition; `output` is that of an effect which is done. */
export interface Cause {
  readonly type: string;
  readonly output?: unknown;
}

export interface Transition {
  readonly cause: Cause;
  /** Phases; `from` is empty at the beginning of a life. */
  readonly from: string;
  readonly to: string;
  readonly context: Pick<ManagedContext, 'externalId' | 'object' | 'error'>;
}

const Origin = {
  create: { reason: 'Created', message: (id: string) => `Created ${id}` },
  adopt: { reason: 'Adopted', message: (id: string) => `Adopted ${id}, which was there already` },
  import: { reason: 'Imported', message: (id: string) => `Imported ${id}` },
} as const;

/** The effects that find something, and what it counts as once its id is stored. */
const ORIGINS: Readonly<Record<string, (typeof Origin)[keyof typeof Origin]>> = {
  create: Origin.create,
  adopt: Origin.adopt,
  probe: Origin.adopt,
  import: Origin.import,
};

const normal = (reason: string, message: string): Occurrence => ({ type: EventType.Normal, reason, message });
const warning = (reason: string, message: string): Occurrence => ({ type: EventType.Warning, reason, message });

/** Listens to one life. */
export class LifeEvents {
  #origin: (typeof Origin)[keyof typeof Origin] | undefined;
  /** The resource was made in this life, and is not complete yet. */
  #isNew = false;
  /** The generation that the resource was last brought up to. */
  #doneGeneration: number | undefined;
  #isEndTold = false;

  constructor(object: KubeObject) {
    const progressing = conditionOf(object, 'Progressing');
    if (progressing?.status === 'False' && progressing.reason === 'Success')
      this.#doneGeneration = progressing.observedGeneration;
  }

  /** What a transition means to the user; undefined for nothing new. */
  hear(transition: Transition): Occurrence | undefined {
    const { to, context } = transition;
    const news = this.#news(transition);
    if (to === 'available' || to === 'unavailable') {
      this.#doneGeneration = context.object.generation;
      this.#isNew = false;
    }
    return news;
  }

  #news({ cause, from, to, context }: Transition): Occurrence | undefined {
    const { externalId = '', object, error } = context;
    const effect = /^xstate\.done\.actor\.(.+)$/.exec(cause.type)?.[1];
    if ((to === 'failed' || to === 'deleting.refused') && from !== '' && error !== undefined)
      return warning('Failed', `${error.reason ?? 'InvalidConfiguration'}: ${error.message}`);
    if (to === 'recording' && effect !== undefined) this.#origin = ORIGINS[effect] ?? this.#origin;
    if (effect === 'record') return this.#recorded(cause.output as RecordOutput, externalId);
    if (effect === 'update') return this.#updated(cause.output as UpdateOutcome, object.generation, externalId);
    if (to === 'forgetting') {
      this.#doneGeneration = undefined;
      return warning('Vanished', `${object.externalId} is gone, and was not deleted from here; it is made anew`);
    }
    if (to === 'deleting.unclaiming' && externalId !== '') return this.#ended(effect, from, object, externalId);
    return undefined;
  }

  #recorded({ kind }: RecordOutput, externalId: string): Occurrence | undefined {
    const origin = this.#origin;
    this.#origin = undefined;
    if (origin === undefined || kind !== 'stored') return undefined;
    this.#isNew = origin === Origin.create;
    return normal(origin.reason, origin.message(externalId));
  }

  /** What completes a new resource is part of making it. */
  #updated({ changed, fields = [] }: UpdateOutcome, generation: number, id: string): Occurrence | undefined {
    if (!changed) return undefined;
    const what = fields.length === 0 ? id : `${fields.join(', ')} of ${id}`;
    if (this.#doneGeneration === generation)
      return warning('Drifted', `Changed back ${what}: not as specified, though the spec had not changed`);
    return this.#isNew ? undefined : normal('Updated', `Updated ${what}`);
  }

  #ended(
    effect: string | undefined,
    from: string,
    { detached }: ManagedContext['object'],
    externalId: string,
  ): Occurrence | undefined {
    // The last steps may be tried again.
    if (this.#isEndTold) return undefined;
    this.#isEndTold = true;
    if (effect === 'confirm') return normal('Deleted', `Deleted ${externalId}`);
    // A removal that was asked for, and is not awaited any more.
    if (!detached || from === 'deleting.awaitingRemoval') return undefined;
    return normal('Released', `Left ${externalId} in place`);
  }
}
