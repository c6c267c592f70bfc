// The life of an object that stands for one external resource.
//
//   claiming -> (importing | adopting -> creating) -> recording -> updating -> available
//   deleting -> guarded -> removing -> confirming -> unclaiming -> releasing -> gone
//
// Invariants:
//   M1. Nothing is created before every needed dependency answered `ready` to this incarnation (I1).
//   M2. The own finalizer is stored before the first claim, and goes after the tombstones were acknowledged (P12).
//   M3. A create that was sent is waited for; whatever it made is recorded or removed, deletion requested or not (I4).
//   M4. Own cleanup starts when the own finalizer is the only one left (I2).
//   M5. A dependency that is being deleted is yielded only when nothing was built on it (P1).
//   M6. Waiting for a dependency arms no timer and makes no call (I6, I7).
//   M7. A terminal failure is not tried again until the spec changes.
import { and, assign, fromPromise, not, setup } from 'xstate';
import { type GuardContext, guardActors, guardConditions, guardDelays, guardRegion, NOTHING_CONFIRMED } from './guard.ts';
import type { AuditOutput, Claims } from './guard.ts';
import type { ErrorData, LifeView, Observation } from './kind.ts';
import { type Dependency, isNeeded, isUsable, type ObjectView, Readiness } from './life.ts';

export interface ManagedContext extends GuardContext {
  readonly object: ObjectView;
  readonly dependencies: readonly Dependency[];
  /** Uids of deleted dependencies that this life yielded (P1). */
  readonly yielded: readonly string[];
  /** The external id: as recorded, or as just learned. */
  readonly externalId: string | undefined;
  readonly observation: Observation | undefined;
  /** Others see the object as usable: the Available condition is True. */
  readonly available: boolean;
  readonly attempts: number;
  readonly error: ErrorData | undefined;
  readonly waiting: readonly string[];
  readonly vanished: boolean;
  /** A create may have been sent, by this life or an earlier one: its result may be out there. */
  readonly mayHaveBuilt: boolean;
  /** When a look-up last found nothing to adopt, milliseconds since the epoch. */
  readonly clearAt: number | undefined;
  /** When the last event arrived, as the runtime says. */
  readonly heardAt: number;
}

export type ManagedEvent =
  | { readonly type: 'life.began' }
  | { readonly type: 'object.changed'; readonly object: ObjectView; readonly dependencies: readonly Dependency[]; readonly at: number }
  | { readonly type: 'dependencies.changed'; readonly dependencies: readonly Dependency[]; readonly at: number }
  | { readonly type: 'claims.changed'; readonly claims: Claims };

export interface ManagedInput {
  readonly key: string;
  readonly object: ObjectView;
  readonly dependencies: readonly Dependency[];
  readonly claims: Claims;
  readonly at: number;
}

/** Input of the effects: who, and what the effect cannot read from the object. */
export interface EffectInput {
  readonly key: string;
  readonly externalId?: string | undefined;
  readonly observation?: Observation | undefined;
}

export interface FindOutput {
  readonly matches: readonly Observation[];
  readonly exact: boolean;
  readonly at: number;
}

/** What became of `status.id`: `lost` when another host had recorded another id first. */
export type RecordOutput = { readonly kind: 'stored' } | { readonly kind: 'lost'; readonly externalId: string };

/** A look-up that found nothing is good for this long, in milliseconds; older, it is made again before a create. */
const CLEAR_FOR_MS = 30_000;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_LIMIT_MS = 120_000;

type Failure = { readonly error: unknown };

const ambiguous: ErrorData = {
  code: 'terminal',
  reason: 'InvalidConfiguration',
  message: 'found more than one matching OpenStack resource during adoption',
};

export const managedMachine = setup({
  types: { context: {} as ManagedContext, events: {} as ManagedEvent, input: {} as ManagedInput },
  actors: {
    ...guardActors,
    /** Stores the own finalizer. */
    guardSelf: fromPromise<void, EffectInput>(notProvided),
    find: fromPromise<FindOutput, EffectInput>(notProvided),
    import: fromPromise<Observation | undefined, EffectInput>(notProvided),
    create: fromPromise<Observation, EffectInput>(notProvided),
    /** Writes `status.id`; without an id, clears it. */
    record: fromPromise<RecordOutput, EffectInput>(notProvided),
    observe: fromPromise<Observation | undefined, EffectInput>(notProvided),
    update: fromPromise<{ readonly changed: boolean; readonly waiting?: readonly string[] }, EffectInput>(notProvided),
    remove: fromPromise<void, EffectInput>(notProvided),
    /** Ends all claims; resolves when the bus has acknowledged the tombstones. */
    unclaim: fromPromise<void, EffectInput>(notProvided),
    /** Removes the own finalizer. */
    releaseSelf: fromPromise<void, EffectInput>(notProvided),
  },
  actions: {
    /** Publishes the claims as they should be now. Given by the runtime; level-triggered. */
    claim: () => undefined,
    storeObject: assign(({ context }, { object, dependencies, at }: Extract<ManagedEvent, { type: 'object.changed' }>) => ({
      object,
      dependencies,
      heardAt: at,
      externalId: object.externalId ?? context.externalId,
    })),
    storeDependencies: assign((_, { dependencies, at }: Extract<ManagedEvent, { type: 'dependencies.changed' }>) => ({
      dependencies,
      heardAt: at,
    })),
    storeClaims: assign((_, { claims }: { claims: Claims }) => ({ claims })),
    confirmGuards: assign((_, confirmed: AuditOutput) => ({ confirmed })),
    countGuardAttempt: assign({ guardAttempts: ({ context }) => context.guardAttempts + 1 }),
    resetGuardAttempts: assign({ guardAttempts: 0 }),
    noteUnbuilt: assign({ mayHaveBuilt: false }),
    noteBuilding: assign({ mayHaveBuilt: true, clearAt: undefined }),
    noteClear: assign((_, { at }: { at: number }) => ({ clearAt: at })),
    noteVanished: assign({ vanished: true, externalId: undefined, observation: undefined, available: false }),
    forgetLoser: assign((_, { externalId }: { externalId: string }) => ({ externalId, observation: undefined })),
    yieldDependencies: assign({
      yielded: ({ context }) => [
        ...context.yielded,
        ...yieldable(context).flatMap(({ answer }) => (answer === undefined ? [] : [answer.uid])),
      ],
    }),
    takeObservation: assign((_, { observation }: { observation: Observation }) => ({
      observation,
      externalId: observation.id,
      waiting: [],
    })),
    noteWaiting: assign((_, { waiting }: { waiting: readonly string[] | undefined }) => ({ waiting: waiting ?? [] })),
    noteSuccess: assign({ error: undefined, attempts: 0, vanished: false }),
    noteAvailability: assign({ available: ({ context }) => context.observation?.available ?? context.available }),
    noteFailure: assign(({ context }, { error }: Failure) => ({
      error: error as ErrorData,
      attempts: context.attempts + 1,
      // A change that fails leaves usable what was read as usable; a read that fails does not (contract, chapter 2).
      available: context.observation?.available ?? false,
    })),
    forgetObservation: assign({ observation: undefined }),
    noteAmbiguous: assign({ error: ambiguous, available: false }),
    forgetFailure: assign({ error: undefined, attempts: 0 }),
    resetAttempts: assign({ attempts: 0 }),
  },
  guards: {
    ...guardConditions,
    isDeleting: ({ context }) => context.object.deleting,
    isOwned: ({ context }) => context.object.owned,
    isManaged: ({ context }) => context.object.managed,
    isDetached: ({ context }) => context.object.detached,
    isRecorded: ({ context }) => context.externalId !== undefined,
    isOnlyOurs: ({ context }) => context.object.finalizers.every((finalizer) => finalizer === context.object.finalizer),
    isSettledAvailable: ({ context }) => context.object.settled === 'available',
    isSettledUnavailable: ({ context }) => context.object.settled === 'unavailable',
    isSettledFailed: ({ context }) => context.object.settled === 'failed',
    isReadyToAct: ({ context }) => unready(context).length === 0,
    isCredentialed: ({ context }) => isCredentialed(context),
    isWorthLookingAhead: ({ context }) => isWorthLookingAhead(context),
    mustYield: ({ context }) => yieldable(context).length > 0,
    mayHaveBuilt: ({ context }) => context.mayHaveBuilt,
    isClear: ({ context }) => context.clearAt !== undefined && context.heardAt - context.clearAt < CLEAR_FOR_MS,
    isAvailable: ({ context }) => context.observation?.available === true,
    isAtWork: ({ context }) => context.observation?.pollAfterMs !== undefined,
    isTerminal: (_, { error }: Failure) => (error as ErrorData | undefined)?.code === 'terminal',
    foundNone: (_, { matches }: FindOutput) => matches.length === 0,
    foundOne: (_, { matches, exact }: FindOutput) => exact && matches.length === 1,
    foundMany: (_, { matches, exact }: FindOutput) => exact && matches.length > 1,
    wasFound: (_, { observation }: { observation: Observation | undefined }) => observation !== undefined,
    wasFoundUnrecorded: ({ context }, { observation }: { observation: Observation | undefined }) =>
      observation !== undefined && observation.id !== context.object.externalId,
    wasStored: (_, { kind }: { kind: RecordOutput['kind'] }) => kind === 'stored',
    wasChanged: (_, { changed }: { changed: boolean }) => changed,
    isWaiting: (_, { waiting }: { waiting: readonly string[] }) => waiting.length > 0,
    isNewGeneration: ({ context }, { object }: { object: ObjectView }) =>
      object.generation !== context.object.generation || object.uid !== context.object.uid || object.deleting,
    isNewCredentials: ({ context }, { dependencies }: { dependencies: readonly Dependency[] }) =>
      credentialsVersion(dependencies) !== credentialsVersion(context.dependencies),
  },
  delays: {
    ...guardDelays,
    backoff: ({ context }) => backoffMs(context),
    importPause: 15_000,
    settlePause: ({ context }) => context.observation?.pollAfterMs ?? 1_000,
    removalPause: 1_000,
    resync: ({ context }) => context.object.resyncInMs ?? Number.POSITIVE_INFINITY,
  },
}).createMachine({
  id: 'managed',
  context: ({ input: { key, object, dependencies, claims, at } }) => ({
    key,
    object,
    dependencies,
    claims,
    confirmed: NOTHING_CONFIRMED,
    guardAttempts: 0,
    yielded: [],
    externalId: object.externalId,
    observation: undefined,
    available: object.settled === 'available',
    attempts: 0,
    error: undefined,
    waiting: [],
    vanished: false,
    mayHaveBuilt: true,
    clearAt: undefined,
    heardAt: at,
  }),
  type: 'parallel',
  on: {
    'object.changed': { actions: { type: 'storeObject', params: ({ event }) => event } },
    'dependencies.changed': { actions: { type: 'storeDependencies', params: ({ event }) => event } },
    'claims.changed': { actions: { type: 'storeClaims', params: ({ event }) => event } },
  },
  states: {
    guard: guardRegion,
    lifecycle: {
      description: 'From the object to its external resource, and back.',
      initial: 'starting',
      states: {
        starting: {
          description: 'Deciding where the life of the object stands, from its status alone.',
          // Not `always`: XState starts the effects of an initial state before its entry actions, a tombstone before
          // the claim it ends.
          on: {
            'life.began': [
              { guard: and(['isDeleting', not('isOwned')]), target: 'gone' },
              { guard: 'isDeleting', target: 'deleting' },
              { guard: 'isSettledAvailable', target: 'available' },
              { guard: 'isSettledUnavailable', target: 'unavailable' },
              { guard: 'isSettledFailed', target: 'failed' },
              { target: 'claiming' },
            ],
          },
        },
        claiming: {
          description: 'Getting hold of what the object depends on.',
          initial: 'guarding',
          states: {
            guarding: {
              description: 'The own finalizer is being stored.',
              always: [
                { guard: 'isDeleting', target: '#managed.lifecycle.deleting' },
                { guard: 'isOwned', target: 'awaiting' },
              ],
              invoke: {
                id: 'guardSelf',
                src: 'guardSelf',
                input: ({ context: { key } }) => ({ key }),
                onDone: [
                  { guard: not('isOwned'), target: '#managed.lifecycle.backingOff' },
                  // It was not there before, so no life before this one has built anything.
                  { target: 'awaiting', actions: 'noteUnbuilt' },
                ],
                onError: { target: '#managed.lifecycle.backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
              },
            },
            awaiting: {
              description: 'Claimed; waiting until every needed dependency is ready.',
              entry: 'claim',
              always: [
                { guard: 'isDeleting', target: '#managed.lifecycle.deleting' },
                { guard: and(['isReadyToAct', 'isRecorded']), target: '#managed.lifecycle.observing' },
                { guard: and(['isReadyToAct', not('isManaged')]), target: '#managed.lifecycle.importing' },
                { guard: and(['isReadyToAct', 'isClear']), target: '#managed.lifecycle.creating' },
                { guard: 'isReadyToAct', target: '#managed.lifecycle.adopting' },
                { guard: and(['mustYield', not('mayHaveBuilt')]), target: 'awaiting', actions: 'yieldDependencies', reenter: true },
                { guard: and(['mustYield', 'isCredentialed']), target: 'probing' },
                { guard: 'isWorthLookingAhead', target: 'lookingAhead' },
              ],
            },
            lookingAhead: {
              description: 'Looking for what an earlier life may have left, while a dependency is still being made.',
              invoke: {
                id: 'lookAhead',
                src: 'find',
                input: ({ context: { key } }) => ({ key }),
                onDone: [
                  {
                    guard: { type: 'foundNone', params: ({ event }) => event.output },
                    target: 'awaiting',
                    actions: { type: 'noteClear', params: ({ event }) => event.output },
                  },
                  { target: 'awaiting', actions: { type: 'noteClear', params: { at: 0 } } },
                ],
                // A look ahead is a service to the future: its failure is found again when it matters.
                onError: { target: 'awaiting', actions: { type: 'noteClear', params: { at: 0 } } },
              },
            },
            probing: {
              description: 'A dependency is being deleted: was anything built on it?',
              invoke: {
                id: 'probe',
                src: 'find',
                input: ({ context: { key } }) => ({ key }),
                onDone: [
                  {
                    guard: { type: 'foundOne', params: ({ event }) => event.output },
                    target: '#managed.lifecycle.recording',
                    actions: { type: 'takeObservation', params: ({ event }) => ({ observation: first(event.output) }) },
                  },
                  {
                    guard: { type: 'foundMany', params: ({ event }) => event.output },
                    target: '#managed.lifecycle.failed',
                    actions: 'noteAmbiguous',
                  },
                  { target: 'awaiting', actions: ['yieldDependencies', 'noteUnbuilt'] },
                ],
                onError: { target: '#managed.lifecycle.backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
              },
            },
          },
        },
        importing: {
          description: 'The resource that the object names is looked for.',
          invoke: {
            id: 'import',
            src: 'import',
            input: ({ context: { key } }) => ({ key }),
            onDone: [
              {
                guard: { type: 'wasFound', params: ({ event }) => ({ observation: event.output }) },
                target: 'recording',
                actions: { type: 'takeObservation', params: ({ event }) => ({ observation: event.output as Observation }) },
              },
              { target: 'awaitingExternal', actions: 'forgetFailure' },
            ],
            onError: [
              { guard: { type: 'isTerminal', params: ({ event }) => event }, target: 'failed', actions: { type: 'noteFailure', params: ({ event }) => event } },
              { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
            ],
          },
        },
        awaitingExternal: {
          description: 'Nothing matches the import filter yet.',
          always: { guard: 'isDeleting', target: 'deleting' },
          after: { importPause: 'claiming' },
          on: {
            'object.changed': [
              {
                guard: { type: 'isNewGeneration', params: ({ event }) => event },
                target: 'claiming',
                actions: { type: 'storeObject', params: ({ event }) => event },
              },
              { actions: { type: 'storeObject', params: ({ event }) => event } },
            ],
          },
        },
        adopting: {
          description: 'Looking for what an earlier, interrupted create left behind.',
          invoke: {
            id: 'adopt',
            src: 'find',
            input: ({ context: { key } }) => ({ key }),
            onDone: [
              {
                guard: { type: 'foundOne', params: ({ event }) => event.output },
                target: 'recording',
                actions: { type: 'takeObservation', params: ({ event }) => ({ observation: first(event.output) }) },
              },
              { guard: { type: 'foundMany', params: ({ event }) => event.output }, target: 'failed', actions: 'noteAmbiguous' },
              { guard: 'isDeleting', target: 'deleting' },
              { guard: not('isReadyToAct'), target: 'claiming' },
              { guard: { type: 'foundNone', params: ({ event }) => event.output }, target: 'creating' },
              { target: 'backingOff' },
            ],
            onError: [
              { guard: { type: 'isTerminal', params: ({ event }) => event }, target: 'failed', actions: { type: 'noteFailure', params: ({ event }) => event } },
              { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
            ],
          },
        },
        creating: {
          description: 'The external resource is being created.',
          entry: 'noteBuilding',
          invoke: {
            id: 'create',
            src: 'create',
            input: ({ context: { key } }) => ({ key }),
            onDone: {
              target: 'recording',
              actions: { type: 'takeObservation', params: ({ event }) => ({ observation: event.output }) },
            },
            onError: [
              { guard: { type: 'isTerminal', params: ({ event }) => event }, target: 'failed', actions: { type: 'noteFailure', params: ({ event }) => event } },
              { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
            ],
          },
        },
        recording: {
          description: 'The external id is being stored in the status.',
          invoke: {
            id: 'record',
            src: 'record',
            input: ({ context: { key, externalId } }) => ({ key, externalId }),
            onDone: [
              { guard: { type: 'wasStored', params: ({ event }) => event.output }, target: 'recorded' },
              { target: 'discarding' },
            ],
            onError: { target: 'recordingAgain', actions: { type: 'noteFailure', params: ({ event }) => event } },
          },
        },
        recorded: {
          description: 'The resource is known, and known to be ours; deciding what follows.',
          always: [
            { guard: 'isDeleting', target: 'deleting' },
            { guard: 'isManaged', target: 'updating' },
            { target: 'judging' },
          ],
        },
        recordingAgain: {
          description: 'Storing the external id failed; the id is not forgotten meanwhile.',
          after: { backoff: 'recording' },
        },
        discarding: {
          description: 'Another host recorded another resource first; what this one made is removed.',
          invoke: {
            id: 'discard',
            src: 'remove',
            input: ({ context: { key, externalId } }) => ({ key, externalId }),
            onDone: {
              target: 'claiming',
              actions: { type: 'forgetLoser', params: ({ context }) => ({ externalId: context.object.externalId ?? '' }) },
            },
            onError: { target: 'discardingAgain', actions: { type: 'noteFailure', params: ({ event }) => event } },
          },
        },
        discardingAgain: {
          description: 'Removing what lost the race failed; it is tried again.',
          after: { backoff: 'discarding' },
        },
        observing: {
          description: 'The external resource is being read.',
          invoke: {
            id: 'observe',
            src: 'observe',
            input: ({ context: { key, externalId } }) => ({ key, externalId }),
            onDone: [
              {
                guard: { type: 'wasFoundUnrecorded', params: ({ event }) => ({ observation: event.output }) },
                target: 'recording',
                actions: { type: 'takeObservation', params: ({ event }) => ({ observation: event.output as Observation }) },
              },
              {
                guard: { type: 'wasFound', params: ({ event }) => ({ observation: event.output }) },
                target: 'recorded',
                actions: { type: 'takeObservation', params: ({ event }) => ({ observation: event.output as Observation }) },
              },
              { target: 'forgetting', actions: 'noteVanished' },
            ],
            onError: [
              { guard: { type: 'isTerminal', params: ({ event }) => event }, target: 'failed', actions: ['forgetObservation', { type: 'noteFailure', params: ({ event }) => event }] },
              { target: 'backingOff', actions: ['forgetObservation', { type: 'noteFailure', params: ({ event }) => event }] },
            ],
          },
        },
        forgetting: {
          description: 'The external resource is gone; its id is being cleared so that another can be made.',
          invoke: {
            id: 'forget',
            src: 'record',
            input: ({ context: { key } }) => ({ key }),
            onDone: 'claiming',
            onError: { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
          },
        },
        updating: {
          description: 'What differs from the spec is being changed.',
          invoke: {
            id: 'update',
            src: 'update',
            input: ({ context: { key, observation } }) => ({ key, observation }),
            onDone: [
              { guard: 'isDeleting', target: 'deleting' },
              { guard: { type: 'wasChanged', params: ({ event }) => event.output }, target: 'observing' },
              { target: 'judging', actions: { type: 'noteWaiting', params: ({ event }) => ({ waiting: event.output.waiting }) } },
            ],
            onError: [
              { guard: { type: 'isTerminal', params: ({ event }) => event }, target: 'failed', actions: { type: 'noteFailure', params: ({ event }) => event } },
              { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
            ],
          },
        },
        judging: {
          description: 'Deciding whether the resource can be used as it was observed.',
          entry: ['noteSuccess', 'noteAvailability'],
          always: [
            { guard: { type: 'isWaiting', params: ({ context }) => context }, target: 'settling' },
            { guard: 'isAvailable', target: 'available' },
            { guard: 'isAtWork', target: 'settling' },
            { target: 'unavailable' },
          ],
        },
        settling: {
          description: 'The foreign system is still at work on the resource.',
          always: { guard: 'isDeleting', target: 'deleting' },
          after: { settlePause: 'observing' },
        },
        available: {
          description: 'The resource is as specified, and usable.',
          // A life that begins here claims too: its claims may have been lost.
          entry: 'claim',
          always: { guard: 'isDeleting', target: 'deleting' },
          after: { resync: 'claiming' },
          on: {
            'object.changed': [
              {
                guard: { type: 'isNewGeneration', params: ({ event }) => event },
                target: 'claiming',
                actions: { type: 'storeObject', params: ({ event }) => event },
              },
              { actions: { type: 'storeObject', params: ({ event }) => event } },
            ],
          },
        },
        unavailable: {
          description: 'The resource is as specified, but not usable as it is.',
          entry: 'claim',
          always: { guard: 'isDeleting', target: 'deleting' },
          after: { resync: 'claiming' },
          on: {
            'object.changed': [
              {
                guard: { type: 'isNewGeneration', params: ({ event }) => event },
                target: 'claiming',
                actions: { type: 'storeObject', params: ({ event }) => event },
              },
              { actions: { type: 'storeObject', params: ({ event }) => event } },
            ],
          },
        },
        failed: {
          description: 'Refused until the user changes the spec.',
          entry: 'claim',
          always: { guard: 'isDeleting', target: 'deleting' },
          on: {
            'object.changed': [
              {
                guard: { type: 'isNewGeneration', params: ({ event }) => event },
                target: 'claiming',
                actions: [{ type: 'storeObject', params: ({ event }) => event }, 'forgetFailure'],
              },
              { actions: { type: 'storeObject', params: ({ event }) => event } },
            ],
          },
        },
        backingOff: {
          description: 'The last step failed in a way that may pass.',
          always: { guard: 'isDeleting', target: 'deleting' },
          after: { backoff: 'claiming' },
          on: {
            'object.changed': [
              {
                guard: { type: 'isNewGeneration', params: ({ event }) => event },
                target: 'claiming',
                actions: [{ type: 'storeObject', params: ({ event }) => event }, 'resetAttempts'],
              },
              { actions: { type: 'storeObject', params: ({ event }) => event } },
            ],
            'dependencies.changed': [
              {
                guard: { type: 'isNewCredentials', params: ({ event }) => event },
                target: 'claiming',
                actions: [{ type: 'storeDependencies', params: ({ event }) => event }, 'resetAttempts'],
              },
              { actions: { type: 'storeDependencies', params: ({ event }) => event } },
            ],
          },
        },
        deleting: {
          description: 'The user deleted the object.',
          // The claims are what holds the credentials and the dependencies for the cleanup.
          entry: ['claim', 'forgetFailure'],
          initial: 'guarded',
          states: {
            guarded: {
              description: 'Others still hold the object by their finalizers.',
              always: [
                { guard: not('isOwned'), target: '#managed.lifecycle.gone' },
                { guard: 'isOnlyOurs', target: 'deciding' },
              ],
            },
            deciding: {
              description: 'Deciding what has to be cleaned up, as soon as it can be.',
              always: [
                { guard: 'isDetached', target: 'unclaiming' },
                { guard: and(['isRecorded', 'isCredentialed']), target: 'removing' },
                { guard: and([not('isRecorded'), not('mayHaveBuilt')]), target: 'unclaiming' },
                { guard: and([not('isRecorded'), 'isCredentialed']), target: 'searching' },
              ],
            },
            searching: {
              description: 'Looking for what a create may have left whose id was never recorded.',
              invoke: {
                id: 'search',
                src: 'find',
                input: ({ context: { key } }) => ({ key }),
                onDone: [
                  {
                    guard: { type: 'foundOne', params: ({ event }) => event.output },
                    target: 'removing',
                    actions: { type: 'takeObservation', params: ({ event }) => ({ observation: first(event.output) }) },
                  },
                  { guard: { type: 'foundNone', params: ({ event }) => event.output }, target: 'unclaiming' },
                  { guard: { type: 'foundMany', params: ({ event }) => event.output }, target: 'refused', actions: 'noteAmbiguous' },
                  { target: 'unresolved' },
                ],
                onError: { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
              },
            },
            unresolved: {
              description: 'Something may have been built, and a reference is needed to tell what (Q10).',
              on: {
                'dependencies.changed': { target: 'deciding', actions: { type: 'storeDependencies', params: ({ event }) => event } },
              },
            },
            refused: {
              description: 'Several resources match; which one to remove is for a person to say.',
              on: {
                'object.changed': [
                  {
                    guard: { type: 'isNewGeneration', params: ({ event }) => ({ object: { ...event.object, deleting: false } }) },
                    target: 'guarded',
                    actions: { type: 'storeObject', params: ({ event }) => event },
                  },
                  { actions: { type: 'storeObject', params: ({ event }) => event } },
                ],
              },
            },
            removing: {
              description: 'The deletion of the external resource is asked for, once.',
              invoke: {
                id: 'remove',
                src: 'remove',
                input: ({ context: { key, externalId } }) => ({ key, externalId }),
                onDone: 'confirming',
                onError: { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
              },
            },
            confirming: {
              description: 'Making sure that the external resource is gone.',
              invoke: {
                id: 'confirm',
                src: 'observe',
                input: ({ context: { key, externalId } }) => ({ key, externalId }),
                onDone: [
                  { guard: { type: 'wasFound', params: ({ event }) => ({ observation: event.output }) }, target: 'awaitingRemoval', actions: 'forgetFailure' },
                  { target: 'unclaiming' },
                ],
                onError: { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
              },
            },
            awaitingRemoval: {
              description: 'The foreign system is still at work on the deletion.',
              after: { removalPause: 'confirming' },
            },
            backingOff: {
              description: 'The last step of the cleanup failed in a way that may pass.',
              after: { backoff: 'guarded' },
              on: {
                'object.changed': [
                  {
                    guard: { type: 'isNewGeneration', params: ({ event }) => ({ object: { ...event.object, deleting: false } }) },
                    target: 'guarded',
                    actions: [{ type: 'storeObject', params: ({ event }) => event }, 'resetAttempts'],
                  },
                  { actions: { type: 'storeObject', params: ({ event }) => event } },
                ],
              },
            },
            unclaiming: {
              description: 'The claims on others are being ended.',
              invoke: {
                id: 'unclaim',
                src: 'unclaim',
                input: ({ context: { key } }) => ({ key }),
                onDone: 'releasing',
                onError: { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
              },
            },
            releasing: {
              description: 'The own finalizer is being removed.',
              invoke: {
                id: 'releaseSelf',
                src: 'releaseSelf',
                input: ({ context: { key } }) => ({ key }),
                onDone: '#managed.lifecycle.gone',
                onError: { target: 'backingOff', actions: { type: 'noteFailure', params: ({ event }) => event } },
              },
            },
          },
        },
        gone: { description: 'Nothing is left to do; the object is gone, or goes without us.' },
      },
    },
  },
});

/** Phases that the last failure led to; in any other the object is on its way again. */
const FAILING: ReadonlySet<string> = new Set([
  'failed',
  'backingOff',
  'recordingAgain',
  'discardingAgain',
  'deleting.backingOff',
  'deleting.refused',
]);

/** What the status of an object says about its life; `phase` is the leaf of the lifecycle region. */
export function lifeView(context: ManagedContext, phase: string): LifeView {
  const { object, externalId, observation, waiting, error, vanished } = context;
  const deleting = phase.startsWith('deleting');
  const held = phase === 'deleting.guarded' ? object.finalizers.filter((finalizer) => finalizer !== object.finalizer) : [];
  const awaited = deleting ? (phase === 'deleting.deciding' ? credentials(context) : []) : needed(context);
  return {
    phase,
    externalId,
    observation,
    awaited: awaited
      .filter((dependency) => !isUsable(dependency, context.yielded))
      .map(({ kind, name, answer }) => ({
        kind,
        name,
        exists: answer !== undefined && answer.readiness !== Readiness.Absent,
      })),
    heldBy: held,
    waiting,
    error: FAILING.has(phase) ? error : undefined,
    vanished,
  };
}

/** The pause before the next attempt, in milliseconds, without jitter. Exported for the runtime, which adds it. */
export function backoffMs({ attempts, error }: Pick<ManagedContext, 'attempts' | 'error'>): number {
  const exponential = Math.min(BACKOFF_FIRST_MS * 2 ** Math.max(0, attempts - 1), BACKOFF_LIMIT_MS);
  return Math.max(exponential, error?.retryAfterMs ?? 0);
}

function needed({ dependencies, externalId }: ManagedContext): readonly Dependency[] {
  return dependencies.filter((dependency) => isNeeded(dependency, { externalId }));
}

function unready(context: ManagedContext): readonly Dependency[] {
  return needed(context).filter((dependency) => !isUsable(dependency, context.yielded));
}

function credentials({ dependencies }: Pick<ManagedContext, 'dependencies'>): readonly Dependency[] {
  return dependencies.filter(({ neededFor }) => neededFor === 'always');
}

function isCredentialed(context: ManagedContext): boolean {
  return credentials(context).every((dependency) => isUsable(dependency, context.yielded));
}

function credentialsVersion(dependencies: readonly Dependency[]): string {
  return credentials({ dependencies })
    .map(({ name, answer }) => `${name}:${answer?.readiness}:${answer?.uid}:${answer?.version}`)
    .join();
}

/** Dependencies that are being deleted while this life has not built on them: they wait for us, we for their successor. */
function yieldable(context: ManagedContext): readonly Dependency[] {
  if (context.object.deleting || context.externalId !== undefined) return [];
  return context.dependencies.filter(
    ({ answer, finalizers }) =>
      finalizers.length > 0 && answer?.readiness === Readiness.Deleting && !context.yielded.includes(answer.uid),
  );
}

/** Everything that is not ready yet exists, so it may be ready soon; a look-up now saves one then. Made once a wait. */
function isWorthLookingAhead(context: ManagedContext): boolean {
  return (
    context.object.managed &&
    context.externalId === undefined &&
    context.clearAt === undefined &&
    isCredentialed(context) &&
    unready(context).every(({ answer }) => answer?.readiness === Readiness.Pending)
  );
}

function first({ matches }: FindOutput): Observation {
  return matches[0] as Observation;
}

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
