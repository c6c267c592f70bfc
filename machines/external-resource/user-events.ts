// User events of a lifecycle: recognized from the transitions of its state machine, which does not know Events.
//
// Invariants:
//   USER-EVENTS-1. An id is reported only once it is stored: a resource that lost a race is never reported.
//   USER-EVENTS-2. Waiting and restarts are never reported (I6). A transient failure is reported when it happens twice
//       in a row or, if no action is needed, when it lasts.
//   USER-EVENTS-3. Drift is an update for a generation that was complete before: it is not the spec that has changed.
import { type Lifecycle, Tag, type UserEvent } from '../lifecycle.ts';
import type { ErrorData, KubeObject } from '../object.ts';
import { type FindOutput, type RecordOutput, type ResourceContext, ResourceTag, type ResourceView } from './context.ts';
import type { UpdateOutcome } from './operations.ts';
import { isPostponed } from './outcomes.ts';

/** A snapshot of the chart, as far as news are concerned. */
export interface SnapshotView {
  readonly context: Pick<ResourceContext, 'externalId' | 'object' | 'error' | 'attempts' | 'conflictingOwner'>;
  hasTag(tag: string): boolean;
}

/** One transition; `from` is undefined at the start of a lifecycle. */
export interface TransitionView {
  readonly cause: { readonly type: string; readonly output?: unknown };
  readonly from: SnapshotView | undefined;
  readonly to: SnapshotView;
  readonly object?: KubeObject | undefined;
}

/** Number of consecutive failures before a report; the fifth comes after some two seconds. */
function tellingAttempts({ fault }: ErrorData): number {
  // mutant: one-failure-is-news return -> 1
  return fault === undefined ? 5 : 2;
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

const normal = (reason: string, message: string): UserEvent => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): UserEvent => ({ type: 'Warning', reason, message });

/** Detector of user events in one lifecycle. */
export class UserEventDetector {
  #origin: (typeof Origin)[keyof typeof Origin] | undefined;
  /** Whether the resource was created in this lifecycle, and is not complete yet. */
  #isNew = false;
  /** The generation that the resource was last brought up to. */
  #doneGeneration: number | undefined;
  #isEndTold = false;
  /** Resource that was reported as left in place. */
  readonly #leftTold = new Set<string>();
  /** Generation whose fields without effect were reported. */
  #unheededGeneration: number | undefined;
  /** Reported notes about a resource that stays as it is. */
  #statusNotes: ReadonlySet<string> = new Set();
  readonly #hintFor: Lifecycle['hintFor'];

  /** @param doneGeneration  the generation that the stored status calls complete */
  constructor(doneGeneration: number | undefined, hintFor?: Lifecycle['hintFor']) {
    this.#doneGeneration = doneGeneration;
    this.#hintFor = hintFor;
  }

  /** User event for a transition; undefined if there is nothing new. */
  hear(step: TransitionView): UserEvent | undefined {
    const { to } = step;
    const news = this.#news(step);
    if (to.hasTag(Tag.Settled) && !to.hasTag(Tag.Failing)) {
      this.#doneGeneration = to.context.object.generation;
      this.#isNew = false;
    }
    return news;
  }

  #news({ cause, from, to, object: about }: TransitionView): UserEvent | undefined {
    const { externalId = '', object, error, attempts, conflictingOwner } = to.context;
    const effect = /^xstate\.done\.actor\.(.+)$/.exec(cause.type)?.[1];
    const enters = (tag: string): boolean => to.hasTag(tag) && from?.hasTag(tag) !== true;
    // A repeated failure that the status already contains was reported when it arose.
    // mutant: each-relook-is-news &&.4 drop
    if (enters(Tag.Terminal) && from !== undefined && error !== undefined && !isSaid(about, error))
      return this.#failed(error.reason ?? 'InvalidConfiguration', error.message, about);
    const isFailure = enters(Tag.Failing) && cause.type.startsWith('xstate.error.actor.');
    if (isFailure && error !== undefined && !isPostponed(to.context) && attempts >= tellingAttempts(error))
      return this.#failed('TransientError', error.message, about);
    // A found resource is not recorded before the own finalizer is stored; a resource to be created has no id then.
    const isFound = enters(ResourceTag.Contending) || (externalId !== '' && enters(ResourceTag.Guarding));
    if (effect !== undefined && (isFound || enters(ResourceTag.Recording)))
      this.#origin = ORIGINS[effect] ?? this.#origin;
    const left = effect === 'search' ? this.#leftInPlace(cause.output as FindOutput) : undefined;
    if (left !== undefined) return left;
    if (effect === 'record') return this.#recorded(cause.output as RecordOutput, externalId);
    if (effect === 'update') {
      const outcome = cause.output as UpdateOutcome;
      const updated = this.#updated(outcome, object.generation, externalId);
      if (updated !== undefined) return updated;
      const [remarked, unappliedFields] = [
        this.#remarked(outcome, externalId),
        this.#unappliedFields(outcome, object.generation, about),
      ];
      // The same field is reported once: after an edit, the edit had no effect.
      return this.#doneGeneration === object.generation ? (remarked ?? unappliedFields) : (unappliedFields ?? remarked);
    }
    if (enters(ResourceTag.Taken) && conflictingOwner !== undefined)
      return warning(
        'OwnershipConflict',
        `${conflictingOwner.externalId} is what ${conflictingOwner.kind} ${conflictingOwner.namespace}/${conflictingOwner.name} has`,
      );
    if (enters(ResourceTag.Vanished)) {
      this.#doneGeneration = undefined;
      return warning('DeletedExternally', `${object.externalId} was deleted outside of Troupe; re-creating it`);
    }
    if (enters(ResourceTag.Unclaiming) && externalId !== '')
      return this.#ended(cause, from?.hasTag(ResourceTag.AwaitsRemoval) === true, object, externalId);
    return undefined;
  }

  /** Resource that a deletion found and does not remove, since it has another owner. */
  #leftInPlace({ unlike = [] }: FindOutput): UserEvent | undefined {
    const news = unlike.filter((each) => !this.#leftTold.has(each));
    for (const each of news) this.#leftTold.add(each);
    return news.length === 0
      ? undefined
      : warning('NotRemoved', `Left in place, as not made for this object: ${news.join('; ')}`);
  }

  #recorded({ kind }: RecordOutput, externalId: string): UserEvent | undefined {
    const origin = this.#origin;
    this.#origin = undefined;
    // mutant: lost-id-is-news if -> $1
    if (origin === undefined || kind !== 'stored') return undefined;
    this.#isNew = origin === Origin.create;
    return normal(origin.reason, origin.message(externalId));
  }

  /** Completing a new resource is part of its creation. */
  #updated({ changed, fields = [] }: UpdateOutcome, generation: number, id: string): UserEvent | undefined {
    if (!changed) return undefined;
    const what = fields.length === 0 ? id : `${fields.join(', ')} of ${id}`;
    // mutant: drift-is-an-edit if -> false
    if (this.#doneGeneration === generation)
      return warning('Drifted', `Changed back ${what}: not as specified, though the spec had not changed`);
    return this.#isNew ? undefined : normal('Updated', `Updated ${what}`);
  }

  /** Each note is reported once, until it is resolved. */
  #remarked({ left = [], statusNotes = [] }: UpdateOutcome, id: string): UserEvent | undefined {
    const drift = left.length === 0 ? [] : [warning('Drifted', `${driftMessage(left)}: ${id}`)];
    const all = [...drift, ...statusNotes.map((message) => warning('DependencyReplaced', message))];
    const reported = this.#statusNotes;
    const news = all.find(({ message }) => !reported.has(message));
    this.#statusNotes = new Set(
      all.flatMap(({ message }) => (reported.has(message) || message === news?.message ? [message] : [])),
    );
    return news;
  }

  #failed(reason: string, message: string, object: KubeObject | undefined): UserEvent {
    const { what, todo } = (object && this.#hintFor?.(object, message)) ?? {};
    return warning(
      'Failed',
      [reason, what, message].filter(Boolean).join(': ') + (todo === undefined ? '' : `; ${todo}`),
    );
  }

  #unappliedFields(
    { unappliedFields = [] }: UpdateOutcome,
    generation: number,
    object: KubeObject | undefined,
  ): UserEvent | undefined {
    // mutant: unheeded-told-each-pass ||.3 drop
    if (unappliedFields.length === 0 || object === undefined || this.#unheededGeneration === generation)
      return undefined;
    this.#unheededGeneration = generation;
    return warning('FieldsNotApplied', unheededMessage(object, unappliedFields));
  }

  #ended(
    { type: cause }: TransitionView['cause'],
    wasAwaited: boolean,
    { detached }: Pick<ResourceView, 'detached'>,
    externalId: string,
  ): UserEvent | undefined {
    // The last steps may be tried again.
    if (this.#isEndTold) return undefined;
    this.#isEndTold = true;
    // An observation found it deleted.
    if (cause === 'xstate.done.actor.confirm' || cause === 'observed')
      return normal('Deleted', `Deleted ${externalId}`);
    // A removal that was asked for, and is not awaited any more.
    if (!detached || wasAwaited) return undefined;
    return normal('Detached', `Left ${externalId} in place`);
  }
}

/** For people: what is not as the spec says, and stays so. Fields alone: their values may be secrets. */
export function driftMessage(left: readonly string[]): string {
  return `differs from the spec, and is not corrected: ${[...left].sort().join(', ')}`;
}

/** For people: what of the spec has no effect, and what would give it one. */
export function unheededMessage({ kind, metadata: { name } }: KubeObject, fields: readonly string[]): string {
  return `${fields.join(', ')} cannot be set once the resource is made, and has no effect; delete ${kind}/${name} and create it again`;
}

/** Whether the stored status says already that the object has failed so. */
function isSaid(object: KubeObject | undefined, { message }: ErrorData): boolean {
  const progressing = object && progressingIn(object);
  return (
    progressing?.['status'] === 'False' &&
    progressing['message'] === message &&
    progressing['observedGeneration'] === (object?.metadata.generation ?? 0)
  );
}

/** The generation that the status of `object` calls complete, by the Progressing condition that Kubernetes' conventions name. */
export function doneGenerationOf(object: Pick<KubeObject, 'status'>): number | undefined {
  const progressing = progressingIn(object);
  if (progressing?.['status'] !== 'False' || progressing['reason'] !== 'Success') return undefined;
  return progressing['observedGeneration'] as number | undefined;
}

function progressingIn({ status }: Pick<KubeObject, 'status'>): Readonly<Record<string, unknown>> | undefined {
  const conditions = status?.['conditions'];
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly Readonly<Record<string, unknown>>[]).find(({ type }) => type === 'Progressing');
}
