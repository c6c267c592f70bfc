// Context and events of an external resource's lifecycle, and the guards of its state machine.
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
  /** The external system is working on the resource. */
  AwaitsReadiness: 'awaits.readiness',
  /** Its content is on its way. */
  ContentTransfer: 'transferring.content',
  /** It takes changes and does not make them. */
  AwaitsChange: 'awaits.change',
  /** Another object has what it would have. */
  Taken: 'owned.elsewhere',
  /** The resource of a deleted object still exists, or may. */
  Removing: 'removing',
  /** Waiting until the children are deleted. */
  AwaitsChildren: 'awaits.children',
  /** Steps that are reported to users when they are complete. */
  Contending: 'resolving.ownership',
  Guarding: 'adding.finalizer',
  Recording: 'recording',
  Vanished: 'vanished',
  AwaitsRemoval: 'awaits.removal',
  Unclaiming: 'ending.claims',
} as const;

/** An object, reduced to what the chart decides by. */
export interface ResourceView {
  /** `metadata.uid`. */
  readonly uid: string;
  /** `metadata.generation`. */
  readonly generation: number;
  /** The user deleted the object. */
  readonly deleting: boolean;
  /** Those that hold it. */
  readonly finalizers: readonly string[];
  /** The kind's own finalizer. */
  readonly finalizer: string;
  /** The own finalizer is stored. */
  readonly owned: boolean;
  /** `status.id`. */
  readonly externalId: string | undefined;
  /** The object creates and deletes the resource; an imported one is only read. */
  readonly managed: boolean;
  /** The external resource outlives the object. */
  readonly detached: boolean;
  /** Others of its namespace may have the same resource, which goes with the last of them. */
  readonly shares?: boolean;
  /** Settled result in the stored status, for an object that needs no action. */
  readonly settled: 'no' | 'available' | 'unavailable' | 'failed';
  /** The stored status says that others may use it, settled or not. */
  readonly available: boolean;
  /** Milliseconds until the next resync of the object; undefined for never. Counted from the creation of this view. */
  readonly resyncInMs: number | undefined;
  /** Between two later looks; undefined for never. */
  readonly resyncEveryMs: number | undefined;
  /** Holders of the deleted object, if known: reported only, without effect on decisions. */
  readonly holders?: HoldersByFinalizer;
  /**
   * Drift is reported and not repaired. `applied`: the generation that was last applied, from the stored status; later
   * edits are applied. Undefined: drift is repaired.
   */
  readonly reporting?: { readonly applied: number | undefined } | undefined;
  /** Another value than before: the user wants it tried again. */
  readonly retry?: string;
  /** Why no create of the object can be sent, whatever its dependencies are. Undefined: it may be sent, or was sent. */
  readonly refusal?: string;
}

/** Context of the state machine of an external resource. */
export interface ResourceContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: ResourceView;
  readonly dependencies: readonly Dependency[];
  /** Writes in a row that lost a race. */
  readonly races: number;
  /** Uids of deleted dependencies from which this lifecycle withdrew (P1). */
  readonly withdrawnUids: readonly string[];
  /** The external id: as recorded, or as just learned. */
  readonly externalId: string | undefined;
  readonly observation: Observation | undefined;
  /** Others see the object as usable: the Available condition is True. */
  readonly available: boolean;
  /** Consecutive failures. */
  readonly attempts: number;
  /** Changes in a row after which the resource was still not as specified. */
  readonly changes: number;
  /** Number of consecutive waits for the cloud. */
  readonly looks: number;
  /** Remaining polls for the effects of a former user of the resource. */
  readonly echoes: number;
  /** A dependency or dependent reported a change that no observation followed yet. */
  readonly hasNews: boolean;
  /** Number of consecutive polls since the external system reported a failure that only it can repair. */
  readonly relooks: number;
  /** Watches in a row that failed with nothing new to tell. */
  readonly unwatched: number;
  /** Generation of the object that the last step outside was made for. */
  readonly tried: number;
  readonly error: ErrorData | undefined;
  /** Messages of what the last update waits for. */
  readonly waiting: readonly string[];
  /** Time until another update is useful without a change, in milliseconds. */
  readonly repassMs: number | undefined;
  /** References, as `<Kind>/<name>`, that the last update pass saw the resource not to rest on. */
  readonly unused: readonly string[];
  /** Uids of dependencies that were being deleted when the resource was looked at: nothing that used them was begun since. */
  readonly lookedOn: readonly string[];
  /** Dependencies as of the last update, or the last lookup. */
  readonly basis: string;
  /** The ids of what it refers to, as the last update pass knew them. */
  readonly passedOn: Readonly<Record<string, string>>;
  /** Generation that this lifecycle has applied. */
  readonly applied: number | undefined;
  /** Fields that the last pass found not as specified and left so; undefined: it was not to leave any. */
  readonly left: readonly string[] | undefined;
  /** Notes of the last update about a resource that stays as it is. */
  readonly statusNotes: readonly string[];
  /** The resource of `status.id` was found deleted, and is being created again. */
  readonly vanished: boolean;
  /** State of the content transfer; undefined if there is none, and the last attempt was none. */
  readonly filling: ContentTransfer | undefined;
  /** Whether a create may have been sent, by this lifecycle or an earlier one: its result may exist. */
  readonly mayHaveBuilt: boolean;
  /** Time of the last lookup that found nothing to adopt, in milliseconds since the epoch. */
  readonly clearAt: number | undefined;
  /** Time until which a create without a response may still take effect, in milliseconds since the epoch. */
  readonly inDoubtUntil: number;
  /** Remaining time at the last lookup, in milliseconds, if a create waits for nothing else. */
  readonly landsInMs: number | undefined;
  /** Whether another object has the recorded id, too, or may have. */
  readonly isOwnershipDisputed: boolean;
  /** Whether another writer set the recorded id. */
  readonly isIdFromOtherWriter: boolean;
  /** Last lookup that may be used; undefined if its kind names none. */
  readonly completedLookup: CompletedLookup | undefined;
  /** The found resource matches an earlier create, of an earlier spec. */
  readonly isEarlier: boolean;
  /** The id of what a create of the object made, as that answered, or as its intent tells; undefined once it is recorded. */
  readonly made: string | undefined;
  /** Owner of the resource that this object would have. */
  readonly conflictingOwner: ResourceOwner | undefined;
  /** When the last event arrived, as the runtime says. */
  readonly heardAt: number;
}

export type ResourceEvent = LifecycleEvent<ResourceView> | Observed | ContentProgressed;

/** Progress of the content, or the reason of its failure, as the adapter describes it. */
export interface ContentTransfer {
  readonly progress?: JsonObject;
  readonly error?: ErrorData;
}

/** More of the content is there. */
export interface ContentProgressed {
  readonly type: 'content.progressed';
  readonly progress: JsonObject;
}

/** The watched resource has changed; without an observation it is deleted. */
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

export interface ChildrenInput extends EffectInput {
  /** The external resources of the children stay. */
  readonly isDetached: boolean;
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
  /** Undefined: the external system is not working, and is not polled. */
  readonly pollAfterMs: number | undefined;
  /** Told what is new, as `observed`. */
  readonly parent: AnyActorRef;
}

/** Step of a content transfer: start, another attempt, or transfer by the external system itself. */
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
  readonly unlike?: readonly string[];
  /** Message about several matches. */
  readonly ambiguity?: string;
}

/** Result of recording `status.id`: `lost` when another host had recorded another id first. */
export type RecordOutput = { readonly kind: 'stored' } | { readonly kind: 'lost'; readonly externalId: string };

/** A look-up that found nothing is good for this long, in milliseconds; older, it is made again before a create. */
export const CLEAR_FOR_MS = 30_000;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_LIMIT_MS = 120_000;
/** Capacity must be freed by a user: the first pause, longer than any other, in milliseconds. */
const NO_ROOM_FIRST_MS = 5_000;
/**
 * A rejected spec, or one without capacity, may be accepted later: ten minutes, less a quarter for the jitter of a
 * pause.
 */
const REFUSED_LIMIT_MS = 480_000;

/** An update pass that waits for a dependency is made again when one changes, and otherwise when it asks for it. */
export function repassPauseMs({ repassMs, looks }: ResourceContext): number {
  return repassMs === undefined ? Number.POSITIVE_INFINITY : pollBackoff(repassMs, looks);
}

/** A watch that fails each time, though every poll succeeds, is restarted with backoff; one that lasted was sound. */
export function countUnwatched(
  { unwatched: before, attempts }: Pick<ResourceContext, 'unwatched' | 'attempts'>,
  heldMs: number,
): Pick<ResourceContext, 'unwatched' | 'attempts'> {
  // mutant: watch-begun-ten-a-second + -> Math.min($, $2)
  const unwatched = heldMs < SOUND_WATCH_MS ? before + 1 : 1;
  return { unwatched, attempts: Math.max(attempts, unwatched) };
}

/** Fingerprint of the dependencies that matter for an update. */
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

/** A dependency that is being deleted is sufficient for a lookup, which leaves nothing behind. */
export function isAbleToLook(context: ResourceContext): boolean {
  return credentials(context).every((each) => isUsable(each, context.withdrawnUids) || isServing(each));
}

/**
 * Whether a dependency is sufficient for the next step. A resource is never built on a dependency that is being
 * deleted, since its guard may be about to be removed (I3); an existing resource holds it, and is managed and cleaned
 * up with it.
 */
export function isThere(dependency: Dependency, { object, externalId, withdrawnUids }: ResourceContext): boolean {
  // mutant: built-with-going-credentials ||.2 -> true
  const isToKeep = dependency.neededFor === 'always' && (object.deleting || externalId !== undefined);
  return isUsable(dependency, withdrawnUids) || (isToKeep && isServing(dependency));
}

/**
 * A guarded dependency to build on does not exist, or was never built itself: so nothing was built (I2). After an edit
 * the absence of a dependency that may be new proves nothing: an earlier lifecycle may have sent a create with another
 * one (I4). Without its credentials no lookup is possible at all.
 */
export function isProvedUnbuilt({ object, externalId, dependencies }: ResourceContext): boolean {
  // A deletion counts as a generation, too.
  const isEdited = object.generation > (object.deleting ? 2 : 1);
  const isUnbuilt = ({ finalizers, neededFor, fixed, answer }: Dependency): boolean => {
    if (answer === undefined) return false;
    // mutant: absent-reference-proves-of-edited =.2 -> true
    const isOriginal = fixed === true || !isEdited;
    const isOld = finalizers.length > 0 && isOriginal;
    // A dependency that is used only after the create may go while a create is in doubt.
    // mutant: absent-use-proves-unbuilt return -> $2
    if (answer.readiness === Readiness.Absent) return neededFor !== 'update' && isOld;
    if (answer.externalId !== undefined || answer.version !== undefined) return false;
    // Guarded or our owner, which waits for us: it had no resource, or its resource could not have gone with ours on it.
    if (neededFor === 'always') return isOriginal;
    // It waits for us as well, and never had an id by which resources built on it could be identified.
    const isBlank = answer.readiness === Readiness.Deleting && answer.attributes === undefined;
    // mutant: blank-deletion-waits return -> false
    return isBlank && neededFor === 'create' && isOld;
  };
  return externalId === undefined && dependencies.some(isUnbuilt);
}

/** The resource that contained this one is deleted: so is this one, and no lookup is possible. */
export function isGoneWithOther({ dependencies }: Pick<ResourceContext, 'dependencies'>): boolean {
  return dependencies.some(
    ({ isContainedIn, answer }) => isContainedIn === true && answer?.readiness === Readiness.Absent,
  );
}

/** A child that is not known to be deleted. */
export function isChildStill({ neededFor, answer }: Dependency): boolean {
  return neededFor === 'never' && answer?.readiness !== Readiness.Absent;
}

export function credentialsVersion(dependencies: readonly Dependency[]): string {
  return credentials({ dependencies })
    .map(({ name, answer }) => `${name}:${answer?.readiness}:${answer?.uid}:${answer?.version}`)
    .join();
}

/**
 * Dependencies that are being deleted while this lifecycle has not built on them: they wait for us, we for their
 * successor.
 */
export function withdrawable(context: ResourceContext): readonly Dependency[] {
  return context.externalId === undefined ? goingWith(context) : [];
}

/** Whether one of them was deleted after the last lookup. */
export function isToProbe(context: ResourceContext): boolean {
  // mutant: refused-looks-for-ever ! -> true || $
  return uidsOf(withdrawable(context)).some((uid) => !context.lookedOn.includes(uid));
}

/**
 * The same for dependencies of a step after the create that the last update did not use. `looked`: the resource was
 * observed since, so that no such step can have been sent afterwards.
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

/** Guarded dependencies that are being deleted, and from which this lifecycle has not withdrawn. */
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

/**
 * Every dependency that is not ready exists, so it may be ready soon; a lookup now saves one then. Made once per wait.
 */
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

/** Whether another writer than this lifecycle set the id in the status, so that ownership must be checked. */
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
 * Whether the object keeps its id, whatever its status says: an id that is known and not recorded yet is not replaced
 * by one that another writer recorded first (I4), and a removal ends with the id that it began with.
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
