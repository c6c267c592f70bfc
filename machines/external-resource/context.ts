// What the life of an external resource knows, hears and asks for, and the questions its statechart decides by.
import type { AnyActorRef } from 'xstate';
import { growingPauseMs } from '../backoff.ts';
import {
  type CompletedLookup,
  type Dependency,
  type HoldersByFinalizer,
  isNeeded,
  isServing,
  isUsable,
  type LifecycleEvent,
  type LifecycleInput,
  Readiness,
  type ResourceOwner,
} from '../lifecycle.ts';
import type { ErrorData, JsonObject } from '../object.ts';
import type { Observation, UpdateOutcome } from './operations.ts';
import { pollBackoff } from './polling.ts';

/** Tags of this chart beside those that every life has. */
export const ResourceTag = {
  /** Nothing that the import names is there yet. */
  AwaitsImport: 'awaits.import',
  /** The foreign system is at work on the resource. */
  AwaitsReadiness: 'awaits.readiness',
  /** Its content is on its way. */
  ContentTransfer: 'transferring.content',
  /** It takes changes and does not make them. */
  AwaitsChange: 'awaits.change',
  /** Another object has what it would have. */
  Taken: 'owned.elsewhere',
  /** Of a deleted object: the resource is still there, or may be. */
  Removing: 'removing',
  /** Waiting until the children are gone. */
  AwaitsChildren: 'awaits.children',
  /** Steps that users are told of when they are done. */
  Contending: 'resolving.ownership',
  Guarding: 'adding.finalizer',
  Recording: 'recording',
  Vanished: 'vanished',
  AwaitsRemoval: 'awaits.removal',
  Unclaiming: 'ending.claims',
} as const;

/** An object, reduced to what the chart decides by. */
export interface ResourceView {
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  /** Those that hold it. */
  readonly finalizers: readonly string[];
  /** The kind's own finalizer, and whether it is stored. */
  readonly finalizer: string;
  readonly owned: boolean;
  /** `status.id`. */
  readonly externalId: string | undefined;
  readonly managed: boolean;
  /** The external resource outlives the object. */
  readonly detached: boolean;
  /** Others of its namespace may have the same resource, which goes with the last of them. */
  readonly shares?: boolean;
  /** What the stored status says, for an object that nothing has to be done for. */
  readonly settled: 'no' | 'available' | 'unavailable' | 'failed';
  /** The stored status says that others may use it, settled or not. */
  readonly available: boolean;
  /** Milliseconds until the object wants another look; undefined for never. Counted from when this view was made. */
  readonly resyncInMs: number | undefined;
  /** Between two later looks; undefined for never. */
  readonly resyncEveryMs: number | undefined;
  /** Who holds the deleted object, as far as it is known: told, and nothing is decided by it. */
  readonly holders?: HoldersByFinalizer;
  /**
   * What drifts is told and left as it is. `applied`: the generation that the resource was brought up to, as the stored status has
   * it; what is edited after that is brought to the resource. Undefined: what drifts is brought back.
   */
  readonly reporting?: { readonly applied: number | undefined } | undefined;
  /** Another value than before: the user wants it tried again. */
  readonly retry?: string;
}

export interface ResourceContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: ResourceView;
  readonly dependencies: readonly Dependency[];
  /** Writes in a row that lost a race. */
  readonly races: number;
  /** Uids of deleted dependencies that this life yielded (P1). */
  readonly withdrawnUids: readonly string[];
  /** The external id: as recorded, or as just learned. */
  readonly externalId: string | undefined;
  readonly observation: Observation | undefined;
  /** Others see the object as usable: the Available condition is True. */
  readonly available: boolean;
  readonly attempts: number;
  /** Changes in a row after which the resource was still not as specified. */
  readonly changes: number;
  /** How often in a row it began to wait for the cloud. */
  readonly looks: number;
  /** Looks that are left to see what somebody does who used it. */
  readonly echoes: number;
  /** Looks in a row that were made since the foreign system said what only it can mend. */
  readonly relooks: number;
  /** Watches in a row that failed with nothing new to tell. */
  readonly unwatched: number;
  /** Generation of the object that the last step outside was made for. */
  readonly tried: number;
  readonly error: ErrorData | undefined;
  /** What the last update pass waits for, and when another one is worth while if nothing changes. */
  readonly waiting: readonly string[];
  readonly repassMs: number | undefined;
  /** References, as `<Kind>/<name>`, that the last update pass saw the resource not to rest on. */
  readonly unused: readonly string[];
  /** Uids of dependencies that were being deleted when the resource was looked at: nothing that used them was begun since. */
  readonly lookedOn: readonly string[];
  /** The dependencies as the last update pass, or the last look for what was built, knew them. */
  readonly basis: string;
  /** The ids of what it refers to, as the last update pass knew them. */
  readonly passedOn: Readonly<Record<string, string>>;
  /** The generation that this life brought the resource up to. */
  readonly applied: number | undefined;
  /** Fields that the last pass found not as specified and left so; undefined: it was not to leave any. */
  readonly left: readonly string[] | undefined;
  /** What the last update pass has to say of a resource that stays as it is. */
  readonly statusNotes: readonly string[];
  readonly vanished: boolean;
  /** What is known of bringing its content; undefined: nothing is brought, nor was it tried last. */
  readonly filling: ContentTransfer | undefined;
  /** A create may have been sent, by this life or an earlier one: its result may be out there. */
  readonly mayHaveBuilt: boolean;
  /** When a look-up last found nothing to adopt, milliseconds since the epoch. */
  readonly clearAt: number | undefined;
  /** Until when a create that nobody answered may still be done, milliseconds since the epoch. */
  readonly inDoubtUntil: number;
  /** How long that was still to come at the last look, in milliseconds, if it is all that a create waits for. */
  readonly landsInMs: number | undefined;
  /** Whether another object has the recorded id, too, or may have. */
  readonly isOwnershipDisputed: boolean;
  /** The recorded id is from somebody else's hand. */
  readonly isIdFromOtherWriter: boolean;
  /** What the last look was for that may be relied upon; undefined: its kind does not say. */
  readonly completedLookup: CompletedLookup | undefined;
  /** What was found is what an earlier create was to make, as the object was then. */
  readonly isEarlier: boolean;
  /** The id of what a create of the object made, as that answered, or as its intent tells; undefined once it is recorded. */
  readonly made: string | undefined;
  /** Who has what this object would have. */
  readonly conflictingOwner: ResourceOwner | undefined;
  /** When the last event arrived, as the runtime says. */
  readonly heardAt: number;
}

export type ResourceEvent = LifecycleEvent<ResourceView> | Observed | ContentProgressed;

/** How far the content is, or why it did not come, in the words of the adapter. */
export interface ContentTransfer {
  readonly progress?: JsonObject;
  readonly error?: ErrorData;
}

/** More of the content is there. */
export interface ContentProgressed {
  readonly type: 'content.progressed';
  readonly progress: JsonObject;
}

/** What is watched is not as it was; without an observation it is gone. */
export interface Observed {
  readonly type: 'observed';
  readonly observation: Observation | undefined;
}

export type ResourceInput = LifecycleInput<ResourceView>;

/** Input of the effects: who, and what the effect cannot read from the object. */
export interface EffectInput {
  readonly key: string;
  readonly externalId?: string | undefined;
  readonly observation?: Observation | undefined;
}

export interface UpdateInput extends EffectInput {
  /** Nothing is to be changed. */
  readonly report?: boolean;
}

export interface CreateInput extends EffectInput {
  readonly completedLookup: CompletedLookup | undefined;
}

export interface OwnershipInput extends CreateInput {
  readonly isIdFromOtherWriter: boolean;
  /** A create of the object made it. */
  readonly isMade: boolean;
  /** The object is at its end. */
  readonly isLeaving?: boolean;
}

export function isMade({ externalId, made }: Pick<ResourceContext, 'externalId' | 'made'>): boolean {
  return externalId !== undefined && externalId === made;
}

export function contendInput(context: ResourceContext): OwnershipInput {
  const { key, externalId, isIdFromOtherWriter, completedLookup } = context;
  return {
    key,
    externalId,
    isIdFromOtherWriter,
    completedLookup,
    // mutant: own-create-contended : -> false
    isMade: isMade(context),
  };
}

/** Whose the resource is; without a rival it is the object's own. */
export interface OwnershipOutput {
  readonly conflictingOwner: ResourceOwner | undefined;
  readonly at: number;
}

export interface WatchInput extends EffectInput {
  /** Undefined: the foreign system has nothing to do, and is not looked at. */
  readonly pollAfterMs: number | undefined;
  /** Told what is new, as `observed`. */
  readonly parent: AnyActorRef;
}

/** What is said of bringing content: that it begins, that one more attempt does, that the foreign system does it by itself. */
export type FillStep = 'begun' | 'attempted' | 'delegated';

export interface AnnounceInput extends EffectInput {
  readonly step: FillStep;
}

export interface FillInput extends EffectInput {
  /** Told of the progress, as `content.progressed`. */
  readonly parent: AnyActorRef;
}

/** Why a watch ended, and how long it had lasted by then. */
export interface WatchFailure extends ErrorData {
  readonly heldMs: number;
}

export interface FindOutput {
  readonly matches: readonly Observation[];
  readonly exact: boolean;
  readonly at: number;
  readonly completedLookup?: string;
  readonly earlier?: boolean;
  readonly intended?: boolean;
  /** What to say of several. */
  readonly ambiguity?: string;
}

/** What became of `status.id`: `lost` when another host had recorded another id first. */
export type RecordOutput = { readonly kind: 'stored' } | { readonly kind: 'lost'; readonly externalId: string };

/** A look-up that found nothing is good for this long, in milliseconds; older, it is made again before a create. */
export const CLEAR_FOR_MS = 30_000;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_LIMIT_MS = 120_000;
/** Room comes when somebody makes it: the first pause, longer than any other's. */
const NO_ROOM_FIRST_MS = 5_000;
/** What refuses the spec as it is, or has no room for it, may take it one day: ten minutes, less a quarter for what chance adds to a pause. */
const REFUSED_LIMIT_MS = 480_000;

/** An update pass that waits for a dependency is made again when one changes, and otherwise when it asks for it. */
export function repassPauseMs({ repassMs, looks }: ResourceContext): number {
  return repassMs === undefined ? Number.POSITIVE_INFINITY : pollBackoff(repassMs, looks);
}

/** A watch that fails each time, though every look succeeds, is begun ever later; one that lasted was sound. */
export function countUnwatched(
  { unwatched: before, attempts }: Pick<ResourceContext, 'unwatched' | 'attempts'>,
  heldMs: number,
): Pick<ResourceContext, 'unwatched' | 'attempts'> {
  // mutant: watch-begun-ten-a-second + -> Math.min($, $2)
  const unwatched = heldMs < SOUND_WATCH_MS ? before + 1 : 1;
  return { unwatched, attempts: Math.max(attempts, unwatched) };
}

/** How the dependencies stand, as far as an update pass depends on it. */
export function basisOf(dependencies: readonly Dependency[]): string {
  return JSON.stringify(dependencies.map(({ kind, name, answer }) => [kind, name, answer]));
}

export function notePass(
  { echoes }: Pick<ResourceContext, 'echoes'>,
  { waiting = [], unused = [], pollAfterMs, left, statusNotes = [], used }: UpdateOutcome,
): Pick<ResourceContext, 'waiting' | 'unused' | 'repassMs' | 'left' | 'statusNotes' | 'echoes'> {
  return { waiting, unused, repassMs: pollAfterMs, left, statusNotes, echoes: used === true ? echoes : 0 };
}

/** Longer than the longest pause after a failure. */
const SOUND_WATCH_MS = 2 * BACKOFF_LIMIT_MS;

/** The pause before the next attempt, in milliseconds, without jitter. */
export function backoffMs({
  attempts,
  error,
  landsInMs = Number.POSITIVE_INFINITY,
}: Pick<ResourceContext, 'attempts' | 'error'> & { readonly landsInMs?: number | undefined }): number {
  const isRefused = error?.fault === 'spec' || error?.fault === 'quota';
  const firstMs = error?.fault === 'quota' ? NO_ROOM_FIRST_MS : BACKOFF_FIRST_MS;
  // mutant: refused-spec-backs-off-like-any ?: -> $3
  const limit = isRefused ? REFUSED_LIMIT_MS : BACKOFF_LIMIT_MS;
  return growingPauseMs(attempts, { firstMs, limitMs: Math.min(limit, landsInMs) }, error);
}

/** Without credentials nothing else is looked at, so nothing else is reported. */
export function nextNeeded(context: ResourceContext): readonly Dependency[] {
  return isCredentialed(context) ? needed(context) : credentials(context);
}

function needed({ dependencies, externalId }: ResourceContext): readonly Dependency[] {
  return dependencies.filter((dependency) => isNeeded(dependency, externalId !== undefined));
}

export function unready(context: ResourceContext): readonly Dependency[] {
  return needed(context).filter((dependency) => !isThere(dependency, context));
}

export function credentials({ dependencies }: Pick<ResourceContext, 'dependencies'>): readonly Dependency[] {
  return dependencies.filter(({ neededFor }) => neededFor === 'always');
}

export function isCredentialed(context: ResourceContext): boolean {
  return credentials(context).every((dependency) => isThere(dependency, context));
}

/** What is being deleted does for a look, which leaves nothing behind. */
export function isAbleToLook(context: ResourceContext): boolean {
  return credentials(context).every((each) => isUsable(each, context.withdrawnUids) || isServing(each));
}

/**
 * Whether a dependency does for what has to be done next. Nothing new is built with what is itself being deleted, since its
 * guard may be on its way off (I3); what is built already holds it, and is cared for and cleaned up with it.
 */
export function isThere(dependency: Dependency, { object, externalId, withdrawnUids }: ResourceContext): boolean {
  // mutant: built-with-going-credentials ||.2 -> true
  const isToKeep = dependency.neededFor === 'always' && (object.deleting || externalId !== undefined);
  return isUsable(dependency, withdrawnUids) || (isToKeep && isServing(dependency));
}

/**
 * What we would have built on, and guarded, does not exist, or was never built itself: so nothing was built (I2). Of an
 * object that was edited the absence of what it may not always have referred to proves nothing: it may have referred to
 * something else when an earlier life sent a create (I4). Without the credentials that it names there is no way to look at
 * all.
 */
export function isProvedUnbuilt({ object, externalId, dependencies }: ResourceContext): boolean {
  // A deletion counts as a generation, too.
  const isEdited = object.generation > (object.deleting ? 2 : 1);
  const isUnbuilt = ({ finalizers, neededFor, fixed, answer }: Dependency): boolean => {
    if (answer === undefined) return false;
    // mutant: absent-reference-proves-of-edited === -> $1 !== undefined
    const isOld = finalizers.length > 0 && (neededFor === 'always' || fixed === true || !isEdited);
    if (answer.readiness === Readiness.Absent) return isOld;
    if (answer.externalId !== undefined || answer.version !== undefined) return false;
    // Guarded or our owner, which waits for us: it had no resource, or its resource could not have gone with ours on it.
    if (neededFor === 'always') return true;
    // It waits for us as well, and never had an id by which what was built on it could be told from what others built.
    const isBlank = answer.readiness === Readiness.Deleting && answer.attributes === undefined;
    // mutant: blank-deletion-waits return -> false
    return isBlank && neededFor === 'create' && isOld;
  };
  return externalId === undefined && dependencies.some(isUnbuilt);
}

/** What the resource was a part of is gone: so is the resource, and there is nobody who could be asked. */
export function isGoneWithOther({ dependencies }: Pick<ResourceContext, 'dependencies'>): boolean {
  return dependencies.some(
    ({ isContainedIn, answer }) => isContainedIn === true && answer?.readiness === Readiness.Absent,
  );
}

/** A child that is not known to be gone. */
export function isChildStill({ neededFor, answer }: Dependency): boolean {
  return neededFor === 'never' && answer?.readiness !== Readiness.Absent;
}

export function credentialsVersion(dependencies: readonly Dependency[]): string {
  return credentials({ dependencies })
    .map(({ name, answer }) => `${name}:${answer?.readiness}:${answer?.uid}:${answer?.version}`)
    .join();
}

/** Dependencies that are being deleted while this life has not built on them: they wait for us, we for their successor. */
export function withdrawable(context: ResourceContext): readonly Dependency[] {
  return context.externalId === undefined ? goingWith(context) : [];
}

/**
 * The same of what a step after the create was to use, and the last pass saw no use of. `looked`: the resource was looked at since,
 * so that no such step can have been sent after the look.
 */
export function unusedAndGoing(
  context: ResourceContext,
  { looked }: { readonly looked: boolean },
): readonly Dependency[] {
  const { unused, lookedOn } = context;
  return goingWith(context).filter(
    // mutant: yields-what-came-into-use === -> $2
    // mutant: yields-what-is-in-use && -> true || $
    ({ kind, name, answer }) => unused.includes(`${kind}/${name}`) && lookedOn.includes(answer?.uid ?? '') === looked,
  );
}

/** Guarded dependencies that are being deleted, and that this life has not yielded. */
function goingWith({ object, dependencies, withdrawnUids }: ResourceContext): readonly Dependency[] {
  // mutant: dependent-never-lets-go if -> true
  if (object.deleting) return [];
  return dependencies.filter(
    ({ answer, finalizers }) =>
      finalizers.length > 0 && answer?.readiness === Readiness.Deleting && !withdrawnUids.includes(answer.uid),
  );
}

export function uidsOfGoing(context: ResourceContext): readonly string[] {
  return uidsOf(goingWith(context));
}

export function uidsOf(dependencies: readonly Dependency[]): readonly string[] {
  return dependencies.flatMap(({ answer }) => (answer === undefined ? [] : [answer.uid]));
}

/** Everything that is not ready yet exists, so it may be ready soon; a look-up now saves one then. Made once a wait. */
export function isWorthLookingAhead(context: ResourceContext): boolean {
  // mutant: waiting-costs-calls &&.5 -> $0.1.length > 0
  return (
    context.object.managed &&
    context.externalId === undefined &&
    context.clearAt === undefined &&
    isCredentialed(context) &&
    unready(context).every(({ answer }) => answer?.readiness === Readiness.Pending)
  );
}

/** Whether the id in the status is from another hand than this life's, and is to be asked about. */
export function isIdReplaced(context: ResourceContext, { uid, externalId }: ResourceView): boolean {
  const { object } = context;
  return (
    externalId !== undefined &&
    externalId !== object.externalId &&
    externalId !== context.externalId &&
    uid === object.uid &&
    !isBeingRemoved(context)
  );
}

/**
 * Whether the object has the id that it has, whatever its status says: one that is learned and not recorded yet is not forgotten
 * for one that somebody else recorded first (I4), and a removal ends with what it began with.
 */
export function keepsId(context: ResourceContext): boolean {
  const { object, externalId } = context;
  // mutant: unstored-id-forgotten return -> $2
  return (externalId !== undefined && externalId !== object.externalId) || isBeingRemoved(context);
}

function isBeingRemoved({ object, externalId }: ResourceContext): boolean {
  // mutant: removal-with-foreign-id return -> false
  return object.deleting && externalId !== undefined;
}

/** Several may be its own: adopting one of them would be a guess. */
export function ambiguityOf({ matches, ambiguity }: FindOutput): Pick<ResourceContext, 'error' | 'available'> {
  const message = ambiguity ?? `${matches.length} resources match`;
  return { error: { code: 'terminal', reason: 'InvalidConfiguration', message }, available: false };
}

export function lookupOf({
  completedLookup,
  at,
}: Pick<FindOutput, 'completedLookup' | 'at'>): CompletedLookup | undefined {
  return completedLookup === undefined ? undefined : { name: completedLookup, at };
}
