// The guard of an object: which finalizers must be stored on it while others claim it, and when they may go.
// It is a region of `managed.ts`, and the whole life of an object that is only guarded, such as a Secret.
//
// The claims themselves are kept by the host. The machine hears which finalizers are held by at least one claim, and
// whether the table of claims is complete.
//
// Invariants:
//   G1. A guard finalizer is added only to an object that is not being deleted (the API server forbids it then).
//   G2. A guard finalizer is removed only from an object that is being deleted (P3), and not while a claim holds it (I3).
//   G3. With an incomplete table a finalizer is removed only after the API server confirmed that it is free (P8).
//   G4. A deleted object that waits asks the API server now and then whether its claimants are still there (P7).
import { assign, fromPromise, setup } from 'xstate';
import type { ErrorData } from './kind.ts';
import type { ObjectView } from './life.ts';

/** How the claims on an object stand. */
export interface Claims {
  /** Finalizers that at least one claim holds: a claim on this incarnation that has not yielded it. */
  readonly held: readonly string[];
  /** Finalizers that are ours to add and to remove: the own finalizers of all kinds hosted here. */
  readonly guards: readonly string[];
  /** Whether every claim on this object must be in the table. After a loss of mail it is not. */
  readonly complete: boolean;
  /** Grows with each change of the table; a confirmation is good for one revision only. */
  readonly revision: number;
}

export interface GuardContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: GuardedView;
  readonly claims: Claims;
  /** Finalizers that the API server confirmed to be free, under this revision of the claims. */
  readonly confirmed: { readonly free: readonly string[]; readonly revision: number };
  readonly guardAttempts: number;
  /** Writes in a row that lost a race. */
  readonly races: number;
}

type GuardedView = Pick<ObjectView, 'uid' | 'deleting' | 'finalizers'>;

export type GuardEvent =
  | { readonly type: 'object.changed'; readonly object: GuardedView }
  | { readonly type: 'claims.changed'; readonly claims: Claims };

export interface GuardInput {
  readonly key: string;
  readonly finalizers: readonly string[];
}

export interface AuditOutput {
  readonly free: readonly string[];
  readonly revision: number;
}

/** The longest pause between two questions to the API server, in milliseconds. */
const AUDIT_LIMIT_MS = 600_000;
const AUDIT_FIRST_MS = 5_000;
/** An incomplete table may miss the end of a claim for good, so the first pause is short. */
const AUDIT_INCOMPLETE_MS = 1_000;

/** So many lost races in a row are run again at once; what the API server refuses each time is no race. */
const QUICK_RACES = 5;

/** Finalizers to add: held, and not stored on this incarnation yet. */
export function missingGuards({ object, claims }: Pick<GuardContext, 'object' | 'claims'>): readonly string[] {
  return object.deleting ? [] : claims.held.filter((finalizer) => !object.finalizers.includes(finalizer));
}

/** Guard finalizers of a deleted object that no known claim holds. */
function unheldGuards({ object, claims }: Pick<GuardContext, 'object' | 'claims'>): readonly string[] {
  if (!object.deleting) return [];
  return object.finalizers.filter((finalizer) => claims.guards.includes(finalizer) && !claims.held.includes(finalizer));
}

/** Finalizers to remove now (G2, G3). */
export function freeGuards(context: Pick<GuardContext, 'object' | 'claims' | 'confirmed'>): readonly string[] {
  const { claims, confirmed } = context;
  return unheldGuards(context).filter(
    (finalizer) => claims.complete || (confirmed.revision === claims.revision && confirmed.free.includes(finalizer)),
  );
}

function carriesGuards({ object, claims }: Pick<GuardContext, 'object' | 'claims'>): boolean {
  return object.deleting && object.finalizers.some((finalizer) => claims.guards.includes(finalizer));
}

/** Guards of the chart, shared with `managed.ts`. */
export const guardConditions = {
  /** Another write was faster, and has been read by now. */
  isLostRace: ({ context }: { context: GuardContext }, { error }: { error: unknown }) =>
    (error as ErrorData | undefined)?.code === 'conflict' && context.races < QUICK_RACES,
  mustStoreGuards: ({ context }: { context: GuardContext }) => missingGuards(context).length > 0,
  mustReleaseGuards: ({ context }: { context: GuardContext }) => freeGuards(context).length > 0,
  mustAuditGuards: ({ context }: { context: GuardContext }) =>
    !context.claims.complete &&
    context.confirmed.revision !== context.claims.revision &&
    unheldGuards(context).length > 0,
  isHeld: ({ context }: { context: GuardContext }) => carriesGuards(context),
  isNotHeld: ({ context }: { context: GuardContext }) => !carriesGuards(context),
};

/** Before a failed write or question is tried again, in milliseconds. */
export function guardBackoffMs({ guardAttempts }: Pick<GuardContext, 'guardAttempts'>): number {
  return Math.min(100 * 2 ** guardAttempts, 60_000);
}

/** Before a deleted object that waits asks the API server for its claimants (again), in milliseconds. */
export function auditPauseMs({ claims, guardAttempts }: Pick<GuardContext, 'claims' | 'guardAttempts'>): number {
  return Math.min((claims.complete ? AUDIT_FIRST_MS : AUDIT_INCOMPLETE_MS) * 2 ** guardAttempts, AUDIT_LIMIT_MS);
}

/** Pauses of the chart, shared with `managed.ts`. */
export const guardDelays = {
  guardBackoff: ({ context }: { context: GuardContext }) => guardBackoffMs(context),
  auditPause: ({ context }: { context: GuardContext }) => auditPauseMs(context),
};

/** Effects of the chart, given by the runtime. */
export const guardActors = {
  /** Adds the finalizers to the object at the API server; rejects unless they are there then. */
  storeGuards: fromPromise<void, GuardInput>(notProvided),
  /** Removes the finalizers; a stale view of the object is refused. Rejects unless they are gone then. */
  releaseGuards: fromPromise<void, GuardInput>(notProvided),
  /** Asks the API server for the claimants of these finalizers; drops the claims of those who are gone. */
  auditGuards: fromPromise<AuditOutput, GuardInput>(notProvided),
};

/** A lost race has been read again, so the next attempt need not wait. */
const afterGuardWrite = [
  {
    guard: { type: 'isLostRace', params: ({ event }: { event: { error: unknown } }) => event },
    target: 'watching',
    actions: 'countRace',
  },
  { target: 'backingOff', actions: 'countGuardAttempt' },
] as const;

/** The region. `always` transitions are taken again whenever the object or the claims change. */
export const guardRegion = {
  description: 'Which finalizers others need on the object.',
  initial: 'watching',
  states: {
    watching: {
      description: 'What is stored is what is needed.',
      always: [
        { guard: 'mustStoreGuards', target: 'storing' },
        { guard: 'mustReleaseGuards', target: 'releasing' },
        { guard: 'mustAuditGuards', target: 'auditing' },
        { guard: 'isHeld', target: 'held' },
      ],
    },
    held: {
      description: 'Being deleted, and still claimed.',
      always: [
        { guard: 'mustReleaseGuards', target: 'releasing' },
        { guard: 'mustAuditGuards', target: 'auditing' },
        { guard: 'isNotHeld', target: 'watching' },
      ],
      after: { auditPause: { target: 'auditing', actions: 'countGuardAttempt' } },
    },
    storing: {
      description: 'Finalizers are being added for those who claim.',
      invoke: {
        id: 'storeGuards',
        src: 'storeGuards',
        input: ({ context }: { context: GuardContext }) => ({ key: context.key, finalizers: missingGuards(context) }),
        onDone: { target: 'watching', actions: 'resetGuardAttempts' },
        onError: afterGuardWrite,
      },
    },
    releasing: {
      description: 'Finalizers that nobody needs any more are being removed.',
      invoke: {
        id: 'releaseGuards',
        src: 'releaseGuards',
        input: ({ context }: { context: GuardContext }) => ({ key: context.key, finalizers: freeGuards(context) }),
        onDone: { target: 'watching', actions: 'resetGuardAttempts' },
        onError: afterGuardWrite,
      },
    },
    auditing: {
      description: 'The API server is asked who still refers to the object.',
      invoke: {
        id: 'auditGuards',
        src: 'auditGuards',
        input: ({ context }: { context: GuardContext }) => ({
          key: context.key,
          finalizers: context.object.finalizers.filter((finalizer) => context.claims.guards.includes(finalizer)),
        }),
        onDone: {
          target: 'watching',
          actions: {
            type: 'confirmGuards',
            params: ({ event }: { event: { output: AuditOutput } }) => event.output,
          },
        },
        onError: { target: 'backingOff', actions: 'countGuardAttempt' },
      },
    },
    backingOff: {
      description: 'A write or a question failed in a way that may pass.',
      after: { guardBackoff: 'watching' },
    },
  },
} as const;

/** The life of an object that is only guarded: it exists, others claim it, and one day it goes. */
export const guardMachine = setup({
  types: {
    context: {} as GuardContext,
    events: {} as GuardEvent,
    input: {} as Pick<GuardContext, 'key' | 'object' | 'claims'>,
  },
  actors: guardActors,
  guards: guardConditions,
  delays: guardDelays,
  actions: {
    storeObject: assign((_, { object }: { object: GuardedView }) => ({ object })),
    storeClaims: assign((_, { claims }: { claims: Claims }) => ({ claims })),
    confirmGuards: assign((_, confirmed: AuditOutput) => ({ confirmed })),
    countGuardAttempt: assign({ guardAttempts: ({ context }) => context.guardAttempts + 1 }),
    resetGuardAttempts: assign({ guardAttempts: 0, races: 0 }),
    countRace: assign({ races: ({ context }) => context.races + 1 }),
  },
}).createMachine({
  id: 'guarded',
  context: ({ input }) => ({ ...input, confirmed: NOTHING_CONFIRMED, guardAttempts: 0, races: 0 }),
  on: {
    'object.changed': { actions: { type: 'storeObject', params: ({ event }) => event } },
    'claims.changed': { actions: { type: 'storeClaims', params: ({ event }) => event } },
  },
  ...guardRegion,
});

/** What a new actor starts with. */
export const NOTHING_CONFIRMED = { free: [], revision: -1 } as const;

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
