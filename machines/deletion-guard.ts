// The guard of an object: which finalizers must be stored on it while others claim it, and when they may go.
// An actor of its own beside any life, there while it has something to do.
//
// The claims themselves are kept by the host. The machine hears which finalizers are held by at least one claim, and
// whether the table of claims is complete.
//
// Invariants:
//   DELETION-GUARD-1. A guard finalizer is added only to an object that is not being deleted (the API server forbids it then).
//   DELETION-GUARD-2. A guard finalizer is removed only from an object that is being deleted (P3), and not while a claim holds it (I3).
//   DELETION-GUARD-3. With an incomplete table a finalizer is removed only after the API server confirmed that it is free (P8).
//   DELETION-GUARD-4. A deleted object that waits always checks the API server periodically for its claimants (P7).
import { fromPromise, setup } from 'xstate';
import { Tag } from './lifecycle.ts';
import type { ErrorData } from './object.ts';
import { assign } from './statechart.ts';

/** Claims on an object. */
export interface Claims {
  /** Finalizers that at least one claim holds: a claim on this incarnation that has not yielded it. */
  readonly held: readonly string[];
  /** Finalizers that are ours to add and to remove: the own finalizers of all kinds hosted here. */
  readonly guards: readonly string[];
  /** Whether every claim on this object must be in the table. After a loss of the mailbox it is not. */
  readonly complete: boolean;
  /** Grows with each change of the table; a confirmation is good for one revision only. */
  readonly revision: number;
}

export interface GuardContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: GuardView;
  readonly claims: Claims;
  /** Finalizers that the API server confirmed to be free, under this revision of the claims. */
  readonly confirmed: { readonly free: readonly string[]; readonly revision: number };
  readonly guardAttempts: number;
  /** Writes in a row that lost a race. */
  readonly races: number;
}

/** An object, as far as its guard decides by it. */
export interface GuardView {
  readonly uid: string;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  /**
   * Its lifecycle removes free guards together with its own finalizer, in one write. Guards that need an audit are
   * removed before (DELETION-GUARD-3).
   */
  readonly leaves: boolean;
}

export type GuardEvent =
  | { readonly type: 'object.changed'; readonly object: GuardView }
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

/** Number of immediate retries after conflicts; a repeated rejection of the API server is no race. */
const QUICK_RACES = 5;

/** Finalizers to add: held, and not stored on this incarnation yet. */
export function missingGuards({ object, claims }: Pick<GuardContext, 'object' | 'claims'>): readonly string[] {
  // mutant: guard-on-deleting return -> $3
  return object.deleting ? [] : claims.held.filter((finalizer) => !object.finalizers.includes(finalizer));
}

/** Guard finalizers of a deleted object that no known claim holds. */
function unheldGuards({ object, claims }: Pick<GuardContext, 'object' | 'claims'>): readonly string[] {
  // mutant: guard-off-living drop
  if (!object.deleting) return [];
  // mutant: guard-off-claimed && -> $1
  return object.finalizers.filter((finalizer) => claims.guards.includes(finalizer) && !claims.held.includes(finalizer));
}

/**
 * Guard finalizers of a deleted object that are ours and free by a complete table: its lifecycle treats them as
 * removed, and removes them together with its own (I2 holds by the table).
 */
export function freeByTable(context: Pick<GuardContext, 'object' | 'claims'>): readonly string[] {
  // mutant: guard-off-incomplete return -> $2
  return context.claims.complete ? unheldGuards(context) : [];
}

/** Finalizers to remove now (DELETION-GUARD-2, DELETION-GUARD-3). */
export function freeGuards(context: Pick<GuardContext, 'object' | 'claims' | 'confirmed'>): readonly string[] {
  const { object, claims, confirmed } = context;
  // mutant: free-guards-cost-a-write return -> $3
  if (claims.complete) return object.leaves ? [] : unheldGuards(context);
  return unheldGuards(context).filter(
    // mutant: guard-needs-no-confirmation -> () => true
    // mutant: guard-confirmed-by-older-table && -> $2
    (finalizer) => confirmed.revision === claims.revision && confirmed.free.includes(finalizer),
  );
}

/** It is being deleted, and carries guards that its lifecycle must not remove. */
function isHeld({ object, claims }: Pick<GuardContext, 'object' | 'claims'>): boolean {
  const left = object.leaves ? freeByTable({ object, claims }) : [];
  return (
    object.deleting &&
    object.finalizers.some((finalizer) => claims.guards.includes(finalizer) && !left.includes(finalizer))
  );
}

/** Whether a guard has work here, now or later. */
export function needsGuarding(about: Pick<GuardContext, 'object' | 'claims'>): boolean {
  return missingGuards(about).length > 0 || isHeld(about);
}

const guards = {
  /** Another write was faster, and has been read by now. */
  // mutant: guard-races-for-ever <.2 -> 1_000 * $
  isLostRace: ({ context }: { context: GuardContext }, { error }: { error: unknown }) =>
    (error as ErrorData | undefined)?.code === 'conflict' && context.races < QUICK_RACES,
  mustStoreGuards: ({ context }: { context: GuardContext }) => missingGuards(context).length > 0,
  mustReleaseGuards: ({ context }: { context: GuardContext }) => freeGuards(context).length > 0,
  mustAuditGuards: ({ context }: { context: GuardContext }) =>
    !context.claims.complete &&
    context.confirmed.revision !== context.claims.revision &&
    unheldGuards(context).length > 0,
  isHeld: ({ context }: { context: GuardContext }) => isHeld(context),
  isNotHeld: ({ context }: { context: GuardContext }) => !isHeld(context),
};

/** Before a failed write or question is tried again, in milliseconds. */
export function guardBackoffMs({ guardAttempts }: Pick<GuardContext, 'guardAttempts'>): number {
  // mutant: guard-refused-ten-a-second *.2 -> 1
  return Math.min(100 * 2 ** guardAttempts, 60_000);
}

/** Before a deleted object that waits asks the API server for its claimants (again), in milliseconds. */
export function auditPauseMs({ claims, guardAttempts }: Pick<GuardContext, 'claims' | 'guardAttempts'>): number {
  // mutant: guard-audits-as-often **.2 -> Math.min($, 1)
  return Math.min((claims.complete ? AUDIT_FIRST_MS : AUDIT_INCOMPLETE_MS) * 2 ** guardAttempts, AUDIT_LIMIT_MS);
}

/** Given by the runtime. */
const actors = {
  /** Adds the finalizers to the object at the API server; rejects unless they are there then. */
  storeGuards: fromPromise<void, GuardInput>(notProvided),
  /** Removes the finalizers; a stale view of the object is rejected. Rejects unless they are removed then. */
  releaseGuards: fromPromise<void, GuardInput>(notProvided),
  /** Looks up the claimants of these finalizers in the API server; drops the claims of deleted ones. */
  auditGuards: fromPromise<AuditOutput, GuardInput>(notProvided),
};

/** A lost race has been read again, so the next attempt need not wait. */
const afterGuardWrite = [
  {
    guard: { type: 'isLostRace', params: ({ event }: { event: { error: unknown } }) => event },
    target: 'idle',
    actions: 'countRace',
  },
  { target: 'backingOff', actions: 'countGuardAttempt' },
] as const;

/** `always` transitions are taken again whenever the object or the claims change. */
export const deletionGuardMachine = setup({
  types: {
    context: {} as GuardContext,
    events: {} as GuardEvent,
    input: {} as Pick<GuardContext, 'key' | 'object' | 'claims'>,
    tags: {} as Tag,
  },
  actors,
  guards,
  delays: {
    guardBackoff: ({ context }) => guardBackoffMs(context),
    auditPause: ({ context }) => auditPauseMs(context),
  },
  actions: {
    storeObject: assign((_, { object }: { object: GuardView }) => ({ object })),
    storeClaims: assign((_, { claims }: { claims: Claims }) => ({ claims })),
    confirmGuards: assign((_, confirmed: AuditOutput) => ({ confirmed })),
    countGuardAttempt: assign({ guardAttempts: ({ context }) => context.guardAttempts + 1 }),
    resetGuardAttempts: assign({ guardAttempts: 0, races: 0 }),
    countRace: assign({ races: ({ context }) => context.races + 1 }),
  },
}).createMachine({
  id: 'deletionGuard',
  context: ({ input }) => ({ ...input, confirmed: { free: [], revision: -1 }, guardAttempts: 0, races: 0 }),
  on: {
    'object.changed': { actions: { type: 'storeObject', params: ({ event }) => event } },
    'claims.changed': { actions: { type: 'storeClaims', params: ({ event }) => event } },
  },
  initial: 'idle',
  states: {
    idle: {
      description: 'What is stored is what is needed.',
      tags: Tag.Settled,
      always: [
        { guard: 'mustStoreGuards', target: 'addingFinalizers' },
        { guard: 'mustReleaseGuards', target: 'removingFinalizers' },
        { guard: 'mustAuditGuards', target: 'checkingReferences' },
        { guard: 'isHeld', target: 'held' },
      ],
    },
    held: {
      description: 'Being deleted, and still claimed.',
      tags: [Tag.Deleting, Tag.Held],
      always: [
        { guard: 'mustReleaseGuards', target: 'removingFinalizers' },
        { guard: 'mustAuditGuards', target: 'checkingReferences' },
        { guard: 'isNotHeld', target: 'idle' },
      ],
      // mutant: guard-never-audits drop
      after: { auditPause: { target: 'checkingReferences', actions: 'countGuardAttempt' } },
    },
    addingFinalizers: {
      description: 'Finalizers are being added for those who claim.',
      tags: Tag.Busy,
      invoke: {
        id: 'storeGuards',
        src: 'storeGuards',
        input: ({ context }) => ({ key: context.key, finalizers: missingGuards(context) }),
        onDone: { target: 'idle', actions: 'resetGuardAttempts' },
        onError: afterGuardWrite,
      },
    },
    removingFinalizers: {
      description: 'Removing finalizers that are no longer needed.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'releaseGuards',
        src: 'releaseGuards',
        input: ({ context }) => ({ key: context.key, finalizers: freeGuards(context) }),
        onDone: { target: 'idle', actions: 'resetGuardAttempts' },
        onError: afterGuardWrite,
      },
    },
    checkingReferences: {
      description: 'The API server is asked who still refers to the object.',
      tags: [Tag.Deleting, Tag.Held],
      invoke: {
        id: 'auditGuards',
        src: 'auditGuards',
        input: ({ context }) => ({
          key: context.key,
          finalizers: context.object.finalizers.filter((finalizer) => context.claims.guards.includes(finalizer)),
        }),
        onDone: {
          target: 'idle',
          actions: {
            type: 'confirmGuards',
            params: ({ event }) => event.output,
          },
        },
        onError: { target: 'backingOff', actions: 'countGuardAttempt' },
      },
    },
    backingOff: {
      description: 'A write or a question failed in a way that may pass.',
      tags: Tag.Failing,
      after: { guardBackoff: 'idle' },
    },
  },
});

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
