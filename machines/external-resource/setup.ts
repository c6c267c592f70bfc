// The vocabulary of the chart: its effects, actions, guards and delays. The chart is in `machine.ts`.
import { fromPromise, setup } from 'xstate';
import { isRetried } from '../annotations.ts';
import type { Dependency, Tag } from '../lifecycle.ts';
import type { ErrorData } from '../object.ts';
import { assign } from '../statechart.ts';
import {
  type AnnounceInput,
  ambiguityOf,
  backoffMs,
  basisOf,
  type ChildrenInput,
  CLEAR_FOR_MS,
  type ContentProgressed,
  type CreateInput,
  countUnwatched,
  credentialsVersion,
  type EffectInput,
  type FillInput,
  type FindOutput,
  isAbleToLook,
  isChildStill,
  isCredentialed,
  isGoneWithOther,
  isIdReplaced,
  isMade,
  isProvedUnbuilt,
  isToProbe,
  isWorthLookingAhead,
  keepsId,
  lookupOf,
  notePass,
  type OwnershipInput,
  type OwnershipOutput,
  type RecordOutput,
  type ResourceContext,
  type ResourceEvent,
  type ResourceInput,
  type ResourceTag,
  type ResourceView,
  repassPauseMs,
  type UpdateInput,
  uidsOf,
  uidsOfGoing,
  unready,
  unusedAndGoing,
  type WatchInput,
  withdrawable,
} from './context.ts';
import type { Observation, UpdateOutcome } from './operations.ts';
import { failed, idsOf, isAnew, isToReport, noteLoss, noteSuccess } from './outcomes.ts';
import { ECHOES, echoMs, relookMs, removalPatienceMs, resyncMs } from './polling.ts';

export type ObjectChanged = Extract<ResourceEvent, { readonly type: 'object.changed' }>;
export type DependenciesChanged = Extract<ResourceEvent, { readonly type: 'dependencies.changed' }>;
type Failure = { readonly error: unknown };

/**
 * Number of consecutive changes that are read again immediately. A cloud that accepts a change without applying it is
 * given time.
 */
const QUICK_CHANGES = 2;

/** Number of immediate retries after conflicts; a repeated rejection of the API server is no race. */
const QUICK_RACES = 5;

export const resourceSetup = setup({
  types: {
    context: {} as ResourceContext,
    events: {} as ResourceEvent,
    input: {} as ResourceInput,
    tags: {} as Tag | (typeof ResourceTag)[keyof typeof ResourceTag],
  },
  actors: {
    /** Stores the own finalizer. */
    addOwnFinalizer: fromPromise<void, EffectInput>(notProvided),
    find: fromPromise<FindOutput, EffectInput>(notProvided),
    import: fromPromise<Observation | undefined, EffectInput>(notProvided),
    /** Asks whose a resource is that was found, or that is recorded. */
    resolveOwnership: fromPromise<OwnershipOutput, OwnershipInput>(notProvided),
    create: fromPromise<Observation, CreateInput>(notProvided),
    /** Writes `status.id`; without an id, clears it. */
    record: fromPromise<RecordOutput, EffectInput>(notProvided),
    observe: fromPromise<Observation | undefined, EffectInput>(notProvided),
    /** Tells what is new of the resource, as `observed`; ends with its failure only. */
    watch: fromPromise<never, WatchInput>(notProvided),
    update: fromPromise<UpdateOutcome, UpdateInput>(notProvided),
    /** Stores the status of the content transfer. */
    announce: fromPromise<void, AnnounceInput>(notProvided),
    delegate: fromPromise<UpdateOutcome | undefined, EffectInput>(notProvided),
    fill: fromPromise<unknown, FillInput>(notProvided),
    remove: fromPromise<void, EffectInput>(notProvided),
    /** Asks for the deletion of the children, and says whether none was left. */
    removeChildren: fromPromise<{ readonly gone: boolean }, ChildrenInput>(notProvided),
    /** Ends all claims; resolves when the bus has acknowledged the tombstones. */
    endClaims: fromPromise<void, EffectInput>(notProvided),
    /** Removes the own finalizer. */
    removeOwnFinalizer: fromPromise<void, EffectInput>(notProvided),
  },
  actions: {
    /** Publishes the claims as they should be now. Given by the runtime; level-triggered. */
    claim: () => undefined,
    /** As `claim`, and claims the rival. */
    watchOwner: () => undefined,
    /** Earlier creates are none of the object's any more. Given by the runtime. */
    discardIntents: () => undefined,
    storeObject: assign(({ context }, { object, dependencies, at }: ObjectChanged) => ({
      object,
      dependencies,
      heardAt: at,
      ...(isIdReplaced(context, object) && { isOwnershipDisputed: true, isIdFromOtherWriter: true }),
      externalId: keepsId(context) ? context.externalId : (object.externalId ?? context.externalId),
    })),
    storeDependencies: assign((_, { dependencies, at }: DependenciesChanged) => ({
      dependencies,
      heardAt: at,
    })),
    countRace: assign({ races: ({ context }) => context.races + 1 }),
    resetRaces: assign({ races: 0 }),
    /** From here on it is in use. */
    // mutant: recorded-resource-discarded {}.2 drop
    noteRecorded: assign({ races: 0, made: undefined, mayHaveBuilt: true }),
    noteMade: assign({ made: ({ context }) => context.externalId }),
    /** From here on the current generation of the object is processed. */
    noteTry: assign({ tried: ({ context }) => context.object.generation, landsInMs: undefined }),
    countLook: assign({ looks: ({ context }) => context.looks + 1 }),
    resetLooks: assign({ looks: 0, unwatched: 0 }),
    countRelook: assign({ relooks: ({ context }) => context.relooks + 1 }),
    resetRelooks: assign({ relooks: 0 }),
    resetUnwatched: assign({ unwatched: 0 }),
    countUnwatched: assign(({ context }, { heldMs }: { heldMs: number }) => countUnwatched(context, heldMs)),
    countChange: assign({ changes: ({ context }) => context.changes + 1 }),
    forgetClear: assign({ clearAt: undefined }),
    noteUnbuilt: assign({ mayHaveBuilt: false }),
    // mutant: life-forgets-its-create {}.1 drop
    noteBuilding: assign({ mayHaveBuilt: true, clearAt: undefined }),
    noteClear: assign((_, found: Pick<FindOutput, 'at' | 'completedLookup'>) => ({
      clearAt: found.at,
      completedLookup: lookupOf(found),
    })),
    takeFound: assign((_, found: FindOutput) => ({
      observation: found.matches[0] as Observation,
      externalId: (found.matches[0] as Observation).id,
      completedLookup: lookupOf(found),
      isEarlier: found.earlier === true,
      ...((found.earlier === true || found.intended === true) && { made: (found.matches[0] as Observation).id }),
      waiting: [],
      unused: [],
      repassMs: undefined,
    })),
    noteVanished: assign({ vanished: true, externalId: undefined, observation: undefined, available: false }),
    /** Nothing was built: what was found is another's, and nothing is on its way. */
    noteOwner: assign((_, { conflictingOwner }: OwnershipOutput) => ({
      conflictingOwner,
      mayHaveBuilt: false,
      isOwnershipDisputed: false,
    })),
    forgetRival: assign({ conflictingOwner: undefined }),
    forgetResource: assign({
      externalId: undefined,
      observation: undefined,
      available: false,
      isOwnershipDisputed: false,
      isIdFromOtherWriter: false,
      mayHaveBuilt: true,
    }),
    noteOwn: assign({
      conflictingOwner: undefined,
      isOwnershipDisputed: false,
      isIdFromOtherWriter: false,
      isEarlier: false,
    }),
    /**
     * The lifecycle keeps the id in the status until it is cleared there; ownership is checked for another id than its
     * own.
     */
    recallRecorded: assign(({ context: { object, externalId } }) => ({
      externalId: object.externalId,
      ...(object.externalId !== undefined &&
        externalId !== undefined &&
        object.externalId !== externalId && { isOwnershipDisputed: true, isIdFromOtherWriter: true }),
    })),
    withdrawClaims: assign({
      withdrawnUids: ({ context }) => [...context.withdrawnUids, ...uidsOf(withdrawable(context))],
    }),
    withdrawUnused: assign({
      withdrawnUids: ({ context }) => [...context.withdrawnUids, ...uidsOf(unusedAndGoing(context, { looked: true }))],
    }),
    noteLook: assign({ lookedOn: ({ context }) => uidsOfGoing(context), hasNews: false }),
    takeObservation: assign((_, { observation }: { observation: Observation }) => ({
      observation,
      externalId: observation.id,
      completedLookup: undefined,
      isEarlier: false,
      waiting: [],
      unused: [],
      repassMs: undefined,
    })),
    noteBasis: assign(({ context: { dependencies } }) => ({
      basis: basisOf(dependencies),
      passedOn: idsOf(dependencies),
    })),
    notePass: assign(({ context }, outcome: UpdateOutcome) => notePass(context, outcome)),
    expectEcho: assign({ echoes: ECHOES, hasNews: true }),
    countEcho: assign({ echoes: ({ context }) => context.echoes - 1 }),
    noteLack: assign((_, { error }: Failure) => ({
      waiting: [(error as ErrorData).message],
      unused: [],
      repassMs: undefined,
    })),
    noteRefusal: assign(({ context }) =>
      failed(context, {
        code: 'terminal',
        reason: 'InvalidConfiguration',
        message: context.object.refusal ?? '',
      }),
    ),
    forgetLack: assign({ waiting: [] }),
    noteSuccess: assign(({ context }) => noteSuccess(context)),
    noteLoss: assign(noteLoss),
    beginFilling: assign({ filling: {}, vanished: false }),
    noteDelegation: assign(({ context }, { outcome }: { outcome: UpdateOutcome | undefined }) => ({
      ...notePass(context, outcome ?? { changed: false }),
      filling: undefined,
      error: undefined,
    })),
    noteFilled: assign((_, { progress }: ContentProgressed) => ({ filling: { progress } })),
    noteFillFailure: assign((_, { error }: Failure) => ({ filling: { error: error as ErrorData } })),
    noteAvailability: assign({ available: ({ context }) => context.observation?.available ?? context.available }),
    noteFailure: assign(({ context }, { error }: Failure) => failed(context, error as ErrorData)),
    forgetObservation: assign({ observation: undefined }),
    noteAmbiguous: assign((_, found: FindOutput) => ambiguityOf(found)),
    forgetFailure: assign({ error: undefined, attempts: 0, races: 0, relooks: 0 }),
    resetAttempts: assign({ attempts: 0 }),
    /** No resource was found, but a create without a response may take effect: no later lookup would show more. */
    awaitLanding: assign(({ context }, { at }: Pick<FindOutput, 'at'>) => ({
      attempts: context.attempts + 1,
      landsInMs: context.inDoubtUntil - at,
    })),
  },
  guards: {
    /** Another write was faster, and has been read by now. */
    isLostRace: ({ context }, { error }: Failure) =>
      (error as ErrorData | undefined)?.code === 'conflict' && context.races < QUICK_RACES,
    isDeleting: ({ context }) => context.object.deleting,
    wasEarlier: ({ context }) => context.isEarlier,
    isMade: ({ context }) => isMade(context),
    isOwnershipDisputed: ({ context }) => context.isOwnershipDisputed,
    isIdReplaced: ({ context }, { object }: { object: ResourceView }) => isIdReplaced(context, object),
    /** It is stored in the status that the object has it. */
    isStored: ({ context }) => context.externalId !== undefined && context.externalId === context.object.externalId,
    mustTakeBack: ({ context }, { conflictingOwner }: OwnershipOutput) =>
      conflictingOwner !== undefined && conflictingOwner.externalId === context.object.externalId,
    hasOwner: (_, { conflictingOwner }: OwnershipOutput) => conflictingOwner !== undefined,
    /** The resource of an earlier create belongs to another object. */
    hasEarlierRival: ({ context }, { conflictingOwner }: OwnershipOutput) =>
      conflictingOwner !== undefined && context.isEarlier,
    /** A create without a response may still take effect, beside the found resource. */
    mayStillLand: ({ context }, { conflictingOwner, at }: OwnershipOutput) =>
      conflictingOwner !== undefined && at < context.inDoubtUntil,
    isOwned: ({ context }) => context.object.owned,
    isShared: ({ context }) => context.object.shares === true,
    isToReport: ({ context }) => isToReport(context),
    isManaged: ({ context }) => context.object.managed,
    isDetached: ({ context }) => context.object.detached,
    isRecorded: ({ context }) => context.externalId !== undefined,
    isOnlyOurs: ({ context }) => context.object.finalizers.every((finalizer) => finalizer === context.object.finalizer),
    isSettledAvailable: ({ context }) => context.object.settled === 'available',
    isSettledUnavailable: ({ context }) => context.object.settled === 'unavailable',
    isSettledFailed: ({ context }) => context.object.settled === 'failed',
    isReadyToAct: ({ context }) => unready(context).length === 0,
    isCredentialed: ({ context }) => isCredentialed(context),
    isAbleToLook: ({ context }) => isAbleToLook(context),
    isWorthLookingAhead: ({ context }) => isWorthLookingAhead(context),
    mustWithdraw: ({ context }) => withdrawable(context).length > 0,
    /** The same, and it was not looked yet whether anything was built on it. */
    mustProbe: ({ context }) => isToProbe(context),
    mustYieldUnused: ({ context }) => unusedAndGoing(context, { looked: true }).length > 0,
    /** The dependency being deleted may have been used since the observation. */
    mayBeUnused: ({ context }) => unusedAndGoing(context, { looked: false }).length > 0,
    mayHaveBuilt: ({ context }) => context.mayHaveBuilt,
    // mutant: clear-for-ever && -> $1
    isClear: ({ context }) => context.clearAt !== undefined && context.heardAt - context.clearAt < CLEAR_FOR_MS,
    isAvailable: ({ context }) => context.observation?.available === true,
    isAtWork: ({ context }) => context.observation?.pollAfterMs !== undefined,
    /** Another object creates, or may have created, the resource of the lookup. */
    lostReservation: (_, { error }: Failure) => (error as ErrorData | undefined)?.code === 'conflict',
    /** The create lacks a prerequisite. */
    isLacking: (_, { error }: Failure) => (error as ErrorData | undefined)?.waiting === true,
    isTerminal: (_, { error }: Failure) => (error as ErrorData | undefined)?.code === 'terminal',
    isUnsendable: ({ context }) => context.object.refusal !== undefined,
    /** There is nothing, and nothing is on its way. */
    // mutant: nothing-found-too-early && -> $1
    foundNone: ({ context }, { matches, at }: FindOutput) => matches.length === 0 && at >= context.inDoubtUntil,
    foundNothingYet: ({ context }, { matches, at }: FindOutput) => matches.length === 0 && at < context.inDoubtUntil,
    /** Nothing is there, nor on its way, and everything needed is ready still. */
    // mutant: create-without-dependency &&.3 drop
    mayCreate: ({ context }, { matches, at }: FindOutput) =>
      matches.length === 0 && at >= context.inDoubtUntil && unready(context).length === 0,
    foundOne: (_, { matches, exact }: FindOutput) => exact && matches.length === 1,
    foundMany: (_, { matches, exact }: FindOutput) => exact && matches.length > 1,
    wasFound: (_, { observation }: { observation: Observation | undefined }) => observation !== undefined,
    wasGone: (_, { observation }: { observation: Observation | undefined }) => observation === undefined,
    wasFoundUnrecorded: ({ context }, { observation }: { observation: Observation | undefined }) =>
      observation !== undefined && observation.id !== context.object.externalId,
    /** Another one is in the place of what is recorded. */
    wasReplaced: ({ context: { object, externalId } }, { observation }: { observation: Observation | undefined }) =>
      externalId === object.externalId && observation !== undefined && observation.id !== externalId,
    wasStored: (_, { kind }: { kind: RecordOutput['kind'] }) => kind === 'stored',
    /** It was found by what it is like, and not made for the object. */
    // mutant: sought-counts-as-stored && -> false
    wasSoughtAndStored: ({ context: { object, completedLookup } }, { kind }: { kind: RecordOutput['kind'] }) =>
      kind === 'stored' && object.managed && completedLookup !== undefined,
    wasChanged: (_, { changed }: { changed: boolean }) => changed,
    wasEmpty: (_, { empty }: UpdateOutcome) => empty === true,
    wasDelegated: (_, { outcome }: { outcome: UpdateOutcome | undefined }) => outcome !== undefined,
    wasChangedInVain: ({ context }, { changed }: { changed: boolean }) => changed && context.changes >= QUICK_CHANGES,
    isWaiting: ({ context }) => context.waiting.length > 0,
    hasNews: ({ context }) => context.hasNews,
    /** The dependency that the last update waited for may be ready by now. */
    isPassStale: ({ context }) => context.waiting.length > 0 && context.basis !== basisOf(context.dependencies),
    /** A dependency was replaced during the last update. */
    isPassOnOld: ({ context }) => context.object.managed && isAnew(context),
    /** A reference missing from a lookup may have arrived during it. */
    isLookStale: ({ context }) => context.basis !== basisOf(context.dependencies),
    isGoneWithOther: ({ context }) => isGoneWithOther(context),
    isProvedUnbuilt: ({ context }) => isProvedUnbuilt(context),
    hasChildren: ({ context }) => context.dependencies.some(({ neededFor }) => neededFor === 'never'),
    wereChildrenGone: (_, { gone }: { gone: boolean }) => gone,
    areChildrenGone: ({ context }) => !context.dependencies.some(isChildStill),
    areChildrenNowGone: (_, { dependencies }: { dependencies: readonly Dependency[] }) =>
      !dependencies.some(isChildStill),
    isUsable: ({ context }) => context.available,
    isNewGeneration: ({ context }, { object }: { object: ResourceView }) =>
      isRetried(context.object, object) ||
      object.generation !== context.object.generation ||
      object.uid !== context.object.uid ||
      object.deleting,
    /** The spec was edited after the last step outside began: its outcome is that of a spec that is no more. */
    isBuiltOnReplaced: ({ context }) => context.tried !== context.object.generation,
    /**
     * Another writer removed the status or the id, changed the id, reset its state, or changed the handling of drift.
     */
    isUnsettled: ({ context }, { object }: { object: ResourceView }) =>
      isIdReplaced(context, object) ||
      (context.object.reporting === undefined) !== (object.reporting === undefined) ||
      (context.object.settled !== 'no' && object.settled === 'no') ||
      (context.object.externalId !== undefined && object.externalId === undefined),
    isNewCredentials: ({ context }, { dependencies }: { dependencies: readonly Dependency[] }) =>
      credentialsVersion(dependencies) !== credentialsVersion(context.dependencies),
  },
  delays: {
    backoff: ({ context }) => backoffMs(context),
    importPause: 15_000,
    /** Others have done by then what they were at. */
    turnPause: 1_000,
    /** A user may delete one of the matches. */
    unclearPause: 15_000,
    repassPause: ({ context }) => repassPauseMs(context),
    removalPatience: ({ context }) => removalPatienceMs(context.looks),
    childrenPause: 1_000,
    rereadPause: ({ context }) => backoffMs({ attempts: context.changes, error: undefined }),
    resync: ({ context }) => resyncMs(context),
    relook: ({ context }) => relookMs(context),
    echo: ({ context }) => echoMs(context.echoes),
  },
});

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
