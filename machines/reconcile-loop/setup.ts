// The vocabulary of the chart: its effects, actions, guards and delays. The chart is in `machine.ts`.
import { fromPromise, setup } from 'xstate';
import { isRetried } from '../annotations.ts';
import type { Dependency, ObjectChanged, Tag } from '../lifecycle.ts';
import type { ErrorData } from '../object.ts';
import { assign } from '../statechart.ts';
import {
  backoffMs,
  basisOf,
  type EffectInput,
  isAnswered,
  isStale,
  type ReconcileAttemptInput,
  type ReconcileLoopContext,
  type ReconcileLoopEvent,
  type ReconcileLoopInput,
  type ReconcileLoopView,
  type Standing,
  type Verdict,
} from './context.ts';

type Failure = { readonly error: unknown };

/** Number of immediate retries after conflicts; a repeated rejection of the API server is no race. */
const QUICK_RACES = 5;

export const reconcileLoopSetup = setup({
  types: {
    context: {} as ReconcileLoopContext,
    events: {} as ReconcileLoopEvent,
    input: {} as ReconcileLoopInput,
    tags: {} as Tag,
  },
  actors: {
    /** Stores the own finalizer. */
    addOwnFinalizer: fromPromise<void, EffectInput>(notProvided),
    /** Attempt: checks the state, does the next step, and writes the status. */
    reconcile: fromPromise<Verdict, ReconcileAttemptInput>(notProvided),
    /** Ends all claims; resolves when the bus has acknowledged the tombstones. */
    endClaims: fromPromise<void, EffectInput>(notProvided),
    /** Removes the own finalizer. */
    removeOwnFinalizer: fromPromise<void, EffectInput>(notProvided),
  },
  actions: {
    /** Publishes the claims as they should be now. Given by the runtime; level-triggered. */
    claim: () => undefined,
    storeObject: assign(({ context }, { object, dependencies }: ObjectChanged<ReconcileLoopView>) => ({
      object,
      dependencies,
      mayHaveMade: context.mayHaveMade || object.owned,
    })),
    storeDependencies: assign((_, { dependencies }: { dependencies: readonly Dependency[] }) => ({ dependencies })),
    noteBasis: assign(({ context }) => ({ basis: basisOf(context), wasSettled: false })),
    noteSettled: assign(({ context }) => ({ wasSettled: context.object.settled })),
    noteSuccess: assign({ attempts: 0, races: 0, error: undefined }),
    noteVerdict: assign((_, verdict: Verdict) => ({
      pauseMs: verdict.next === 'pause' ? verdict.pauseMs : 0,
      notes: (verdict.next === 'pause' ? verdict.notes : undefined) ?? {},
      lookMs: verdict.next === 'rest' ? verdict.lookAgainMs : undefined,
      withdrawnUids: (verdict.next === 'rest' ? verdict.withdrawnUids : undefined) ?? [],
    })),
    noteHeard: assign({ heard: ({ context }) => context.heard + 1 }),
    countRace: assign({ races: ({ context }) => context.races + 1 }),
    noteFailure: assign(({ context }, { error }: Failure) => ({
      error: error as ErrorData,
      attempts: context.attempts + 1,
    })),
  },
  guards: {
    isDeleting: ({ context }) => context.object.deleting,
    isOwned: ({ context }) => context.object.owned,
    mayHaveMade: ({ context }) => context.mayHaveMade,
    isHeld: ({ context }) => context.object.heldBy.length > 0,
    isSettled: ({ context }) => context.object.settled,
    isAvailable: ({ context }) => context.object.available === true,
    isAnswered: ({ context }) => isAnswered(context),
    isStale: ({ context }) => isStale(context),
    /** No pass was made yet, since the status said that there was nothing to do. */
    isUnlooked: ({ context }) => context.basis === undefined,
    is: (_, { verdict, next }: { verdict: Verdict; next: Verdict['next'] }) => verdict.next === next,
    stands: (_, { verdict, how }: { verdict: Verdict; how: Standing }) =>
      verdict.next === 'rest' && verdict.stands === how,
    isEdited: ({ context }, { object }: ObjectChanged<ReconcileLoopView>) =>
      isRetried(context.object, object) || object.generation !== context.object.generation || object.deleting,
    isTerminal: (_, { error }: Failure) => (error as ErrorData | undefined)?.code === 'terminal',
    /** Another write was faster, and has been read by now. */
    isLostRace: ({ context }, { error }: Failure) =>
      (error as ErrorData | undefined)?.code === 'conflict' && context.races < QUICK_RACES,
  },
  delays: {
    pause: ({ context }) => context.pauseMs,
    look: ({ context }) => context.lookMs ?? Number.POSITIVE_INFINITY,
    backoff: ({ context }) => backoffMs(context),
  },
});

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
