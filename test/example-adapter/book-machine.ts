// The life of a book: it is reserved a slot on the press, printed there, bound, and given what it makes for itself.
//
//   awaiting (-> probing) -> addingFinalizer -> reserving -> looking (-> printing | binding | pausing) -> furnishing -> bound
//   deleting (held -> clearing -> landing -> discarding -> endingClaims -> removingFinalizer) -> deleted
//
// Invariants:
//   BOOK-MACHINE-1. A print is begun only when the last look said that none was, and nothing that was asked for may land any more.
//   BOOK-MACHINE-2. A slot is discarded only when nothing that was asked for may land any more: it would be reserved once more. A
//       reservation that was sent is waited for, deletion or not.
//   BOOK-MACHINE-3. What an annotation asks for is done before it is removed, and nothing is printed in between: it prints once,
//       whoever was interrupted.
//   BOOK-MACHINE-4. Paper that is being deleted is yielded when there is no slot, and none can come any more (P1).
//   BOOK-MACHINE-5. It is bound when its children were made for what it is now, not for what it was when that began.
//   BOOK-MACHINE-6. The own finalizer is stored before a slot is reserved, and not before that is next: a book that never had it has no slot,
//       and is deleted without the shop.
import {
  type AnyActorRef,
  and,
  assign,
  type Dependency,
  type ErrorData,
  fromPromise,
  isNeeded,
  isUsable,
  type LifecycleEvent,
  type LifecycleInput,
  not,
  type ObjectChanged,
  Readiness,
  setup,
  Tag,
} from 'troupe/adapter';

/** A book, reduced to what the chart decides by. */
export interface BookView {
  readonly generation: number;
  readonly deleting: boolean;
  readonly owned: boolean;
  /** Finalizers of others. */
  readonly heldBy: readonly string[];
  /** The status says that all of this generation is done. */
  readonly settled: boolean;
  /** Somebody asks for another print. */
  readonly reprint: boolean;
}

export interface Progress {
  readonly sheets: number;
  readonly of: number;
}

export interface BookContext {
  readonly key: string;
  readonly object: BookView;
  readonly dependencies: readonly Dependency[];
  /** The own finalizer was stored in this lifecycle, even if it was removed since, or there is a slot. */
  readonly mayHaveReserved: boolean;
  /** Until when what nobody answered may still be done, milliseconds since the epoch. */
  readonly inDoubtUntil: number;
  /** There is a slot: what it was reserved on is held, whatever becomes of it. */
  readonly reserved: boolean;
  /** Uids of what holds nothing any more, since nothing was built on it. */
  readonly withdrawnUids: readonly string[];
  /** For which generation the children were made. */
  readonly furnishing: number;
  readonly progress: Progress | undefined;
  readonly waiting: readonly string[];
  readonly error: ErrorData | undefined;
  readonly attempts: number;
}

export type SlotState = 'reserved' | 'printing' | 'printed' | 'binding' | 'bound';
export interface Look {
  readonly state: SlotState;
  /** When it was taken, milliseconds since the epoch. */
  readonly at: number;
}
export interface Probe {
  /** There is a slot, whatever is in it. */
  readonly found: boolean;
  /** When it was looked for, milliseconds since the epoch. */
  readonly at: number;
}
export type BookEvent = LifecycleEvent<BookView> | { readonly type: 'progressed'; readonly progress: Progress };
export interface BookInput {
  readonly key: string;
}
export interface PrintInput extends BookInput {
  /** Told of the progress, as `progressed`. */
  readonly parent: AnyActorRef;
}

const BACKOFF_FIRST_MS = 200;
const BACKOFF_LIMIT_MS = 60_000;

type Needs = Pick<BookContext, 'dependencies' | 'reserved' | 'withdrawnUids'>;

export function awaited({ dependencies, reserved, withdrawnUids }: Needs): readonly Dependency[] {
  return dependencies.filter((each) => isNeeded(each, reserved) && !isUsable(each, withdrawnUids));
}

/** What waits for this book to go, or to say that it has built nothing on it. */
function withdrawable({ dependencies, withdrawnUids }: Needs): readonly string[] {
  return dependencies.flatMap(({ answer, finalizers }) =>
    finalizers.length > 0 && answer?.readiness === Readiness.Deleting && !withdrawnUids.includes(answer.uid)
      ? [answer.uid]
      : [],
  );
}

export function backoffMs({ attempts, error }: Pick<BookContext, 'attempts' | 'error'>): number {
  return Math.max(Math.min(BACKOFF_FIRST_MS * 2 ** attempts, BACKOFF_LIMIT_MS), error?.retryAfterMs ?? 0);
}

const book = setup({
  types: {
    context: {} as BookContext,
    events: {} as BookEvent,
    input: {} as LifecycleInput<BookView>,
    tags: {} as Tag,
  },
  actors: {
    addOwnFinalizer: fromPromise<void, BookInput>(notProvided),
    reserve: fromPromise<unknown, BookInput>(notProvided),
    look: fromPromise<Look, BookInput>(notProvided),
    probe: fromPromise<Probe, BookInput>(notProvided),
    print: fromPromise<unknown, PrintInput>(notProvided),
    bind: fromPromise<unknown, BookInput>(notProvided),
    /** Throws the print away, has the status say so, and then takes off the annotation that asked for it. */
    recycle: fromPromise<void, BookInput>(notProvided),
    furnish: fromPromise<readonly string[], BookInput>(notProvided),
    clear: fromPromise<{ readonly gone: boolean }, BookInput>(notProvided),
    discard: fromPromise<unknown, BookInput>(notProvided),
    endClaims: fromPromise<void, BookInput>(notProvided),
    removeOwnFinalizer: fromPromise<void, BookInput>(notProvided),
  },
  actions: {
    claim: () => undefined,
    storeObject: assign(({ context }, { object, dependencies }: ObjectChanged<BookView>) => ({
      object,
      dependencies,
      mayHaveReserved: context.mayHaveReserved || object.owned,
    })),
    storeDependencies: assign((_, { dependencies }: { dependencies: readonly Dependency[] }) => ({ dependencies })),
    noteReserved: assign({ reserved: true, mayHaveReserved: true }),
    forgetReserved: assign({ reserved: false }),
    withdrawClaims: assign(({ context }) => ({ withdrawnUids: [...context.withdrawnUids, ...withdrawable(context)] })),
    noteGeneration: assign(({ context }) => ({ furnishing: context.object.generation })),
    noteProgress: assign((_, { progress }: { progress: Progress }) => ({ progress })),
    forgetProgress: assign({ progress: undefined }),
    noteWaiting: assign((_, { waiting }: { waiting: readonly string[] }) => ({ waiting })),
    noteSuccess: assign({ error: undefined, attempts: 0, waiting: [] }),
    noteFailure: assign(({ context }, { error }: { error: unknown }) => ({
      error: error as ErrorData,
      attempts: context.attempts + 1,
      inDoubtUntil: Math.max(context.inDoubtUntil, (error as ErrorData).inDoubtUntil ?? 0),
    })),
  },
  guards: {
    isDeleting: ({ context }) => context.object.deleting,
    isDeletedUnmade: ({ context }) => context.object.deleting && !context.mayHaveReserved,
    isHeld: ({ context }) => context.object.heldBy.length > 0,
    isOwned: ({ context }) => context.object.owned,
    isSettled: ({ context }) => context.object.settled && !context.object.reprint,
    /** A child went while the book had no host: who comes to it later hears nothing new. */
    lacksChild: ({ context }) =>
      context.dependencies.some(
        ({ neededFor, answer }) => neededFor === 'never' && answer?.readiness === Readiness.Absent,
      ),
    mustReprint: ({ context }) => context.object.reprint,
    isReady: ({ context }) => awaited(context).length === 0,
    mustWithdraw: ({ context }) => withdrawable(context).length > 0,
    wasReserved: (_, { found }: Probe) => found,
    /** There is no slot, and none can come any more. */
    mayYield: ({ context }, { found, at }: Probe) => !found && at >= context.inDoubtUntil,
    isBuiltOnReplaced: ({ context }) => context.furnishing !== context.object.generation,
    isTerminal: (_, { error }: { error: unknown }) => (error as ErrorData | undefined)?.code === 'terminal',
    /** Nothing was begun, and nothing that was asked for can begin any more. */
    mayPrint: ({ context }, look: Look) => isIdle(context, look),
    /** The print that was asked for is the one that is to be begun: what is asked for has been done. */
    mayForgetReprint: ({ context }, look: Look) => context.object.reprint && isIdle(context, look),
    wasPrinted: (_, { state }: Look) => state === 'printed',
    wasBound: (_, { state }: Look) => state === 'bound',
    wasFurnished: (_, { waiting }: { waiting: readonly string[] }) => waiting.length === 0,
    wasCleared: (_, { gone }: { gone: boolean }) => gone,
    isConflict: (_, { error }: { error: unknown }) => (error as ErrorData | undefined)?.code === 'conflict',
    isEdited: ({ context }, { object }: ObjectChanged<BookView>) => object.generation !== context.object.generation,
  },
  delays: {
    lookPause: 500,
    backoff: ({ context }) => backoffMs(context),
    /** Given with the effects: what is the time is not the chart's to know. */
    landing: 0,
  },
});

function isIdle({ inDoubtUntil }: BookContext, { state, at }: Look): boolean {
  return state === 'reserved' && at >= inDoubtUntil;
}

type Answer<Output> = { event: { output: Output } };
type Failed = { event: { error: unknown } };
const storeObject = {
  type: 'storeObject',
  params: ({ event }: { event: ObjectChanged<BookView> }) => event,
} as const;
const noteFailure = { type: 'noteFailure', params: ({ event }: Failed) => event } as const;
const isTerminal = { type: 'isTerminal', params: ({ event }: Failed) => event } as const;
/** A write lost a race, and what is there has been read: no error. */
const again = (target: string) =>
  ({ guard: { type: 'isConflict', params: ({ event }: Failed) => event }, target, reenter: true }) as const;
const backOff = { target: '#backingOff', actions: noteFailure } as const;
const refusedOrNot = [{ guard: isTerminal, target: '#refused', actions: noteFailure }, backOff] as const;
const retry = { target: '#retrying', actions: noteFailure } as const;
const look = ({ event }: Answer<Look>): Look => event.output;
const probe = ({ event }: Answer<Probe>): Probe => event.output;
const who = ({ context: { key } }: { context: BookContext }): BookInput => ({ key });
/** Left at once when the user deletes the object, with the slot given back. */
const unlessDeleted = { guard: 'isDeleting', target: '#deleting' } as const;
/** The same where there may be none. */
const unlessDeleting = [{ guard: 'isDeletedUnmade', target: '#withdrawing' }, unlessDeleted] as const;

export const bookMachine = book.createMachine({
  id: 'book',
  context: ({ input: { key, object, dependencies, inDoubtUntil } }) => ({
    key,
    object,
    dependencies,
    mayHaveReserved: object.owned,
    inDoubtUntil,
    reserved: false,
    withdrawnUids: [],
    furnishing: 0,
    progress: undefined,
    waiting: [],
    error: undefined,
    attempts: 0,
  }),
  on: {
    'object.changed': { actions: storeObject },
    'dependencies.changed': { actions: { type: 'storeDependencies', params: ({ event }) => event } },
  },
  initial: 'starting',
  states: {
    starting: {
      description: 'Determining the state from the object alone.',
      tags: Tag.Busy,
      on: {
        'lifecycle.started': [
          ...unlessDeleting,
          { guard: and(['isSettled', 'lacksChild']), target: 'finished.furnishing' },
          { guard: 'isSettled', target: 'finished.bound' },
          { target: 'working' },
        ],
      },
    },
    working: {
      id: 'working',
      description: 'It is not a book yet.',
      initial: 'awaiting',
      states: {
        awaiting: {
          description: 'What it refers to is not ready yet.',
          tags: Tag.Waiting,
          entry: 'claim',
          always: [
            ...unlessDeleting,
            { guard: 'isReady', target: 'addingFinalizer' },
            { guard: 'mustWithdraw', target: 'probing' },
          ],
          // What it refers to may be another now, and is claimed.
          on: {
            'object.changed': [
              {
                guard: { type: 'isEdited', params: ({ event }) => event },
                target: 'awaiting',
                reenter: true,
                actions: storeObject,
              },
              { actions: storeObject },
            ],
          },
        },
        probing: {
          description: 'What it refers to is being deleted: was a slot reserved on it?',
          tags: Tag.Busy,
          always: [...unlessDeleting],
          invoke: {
            id: 'probe',
            src: 'probe',
            input: who,
            onDone: [
              { guard: { type: 'wasReserved', params: probe }, target: 'looking', actions: 'noteReserved' },
              { guard: { type: 'mayYield', params: probe }, target: 'awaiting', actions: 'withdrawClaims' },
              { target: 'waitingOut' },
            ],
            onError: refusedOrNot,
          },
        },
        waitingOut: {
          description: 'What was asked for last may yet be done.',
          tags: Tag.Waiting,
          always: [...unlessDeleting],
          after: { landing: 'probing' },
        },
        addingFinalizer: {
          description: 'The own finalizer is stored, before anything is asked for.',
          tags: Tag.Busy,
          always: [...unlessDeleting, { guard: 'isOwned', target: 'reserving' }],
          invoke: { id: 'addOwnFinalizer', src: 'addOwnFinalizer', input: who, onDone: 'reserving', onError: backOff },
        },
        reserving: {
          description: 'A slot is reserved under the uid. It is waited for, also when the user deletes the object.',
          tags: Tag.Busy,
          invoke: { id: 'reserve', src: 'reserve', input: who, onDone: 'looking', onError: refusedOrNot },
        },
        looking: {
          id: 'looking',
          description: 'The print shop is asked how far it is.',
          tags: Tag.Busy,
          always: unlessDeleted,
          invoke: {
            id: 'look',
            src: 'look',
            input: who,
            onDone: [
              { guard: { type: 'wasBound', params: look }, target: '#finished' },
              { guard: { type: 'wasPrinted', params: look }, target: 'binding' },
              { guard: { type: 'mayForgetReprint', params: look }, target: '#recycling' },
              { guard: { type: 'mayPrint', params: look }, target: 'printing' },
              { target: 'pausing' },
            ],
            onError: refusedOrNot,
          },
        },
        pausing: {
          description: 'The shop is at work, or may yet begin what was asked for.',
          tags: Tag.Waiting,
          always: unlessDeleted,
          after: { lookPause: 'looking' },
        },
        printing: {
          description: 'It is printed; bounded by the lease, and told of sheet by sheet.',
          exit: 'forgetProgress',
          always: unlessDeleted,
          on: { progressed: { actions: { type: 'noteProgress', params: ({ event }) => event } } },
          invoke: {
            id: 'print',
            src: 'print',
            input: ({ context: { key }, self }) => ({ key, parent: self }),
            onDone: 'looking',
            onError: refusedOrNot,
          },
        },
        binding: {
          description: 'The shop is told to bind it.',
          tags: Tag.Busy,
          always: unlessDeleted,
          invoke: { id: 'bind', src: 'bind', input: who, onDone: 'pausing', onError: refusedOrNot },
        },
      },
    },
    finished: {
      id: 'finished',
      description: 'It can be read, whatever is still made for it.',
      tags: Tag.Available,
      initial: 'furnishing',
      always: [...unlessDeleting],
      states: {
        furnishing: {
          description: 'What it makes for itself is made, or corrected.',
          tags: Tag.Busy,
          entry: 'noteGeneration',
          invoke: {
            id: 'furnish',
            src: 'furnish',
            input: who,
            onDone: [
              { guard: 'isBuiltOnReplaced', target: 'furnishing', reenter: true },
              {
                guard: { type: 'wasFurnished', params: ({ event }) => ({ waiting: event.output }) },
                target: 'bound',
                actions: 'noteSuccess',
              },
              {
                target: 'awaitingChildren',
                actions: { type: 'noteWaiting', params: ({ event }) => ({ waiting: event.output }) },
              },
            ],
            onError: [again('furnishing'), ...refusedOrNot],
          },
        },
        awaitingChildren: {
          description: 'What it made is not ready yet.',
          tags: Tag.Waiting,
          after: { lookPause: 'furnishing' },
        },
        bound: {
          description: 'Nothing is to be done.',
          tags: Tag.Settled,
          entry: 'claim',
          always: { guard: 'mustReprint', target: '#recycling' },
          on: {
            'object.changed': [
              {
                guard: { type: 'isEdited', params: ({ event }) => event },
                target: 'furnishing',
                actions: storeObject,
              },
              { actions: storeObject },
            ],
            // A child that somebody edited, or took away.
            'dependencies.changed': {
              target: 'furnishing',
              actions: { type: 'storeDependencies', params: ({ event }) => event },
            },
          },
        },
      },
    },
    recycling: {
      id: 'recycling',
      description: 'Another print was asked for: this one goes, then the annotation.',
      tags: Tag.Busy,
      always: [...unlessDeleting],
      invoke: {
        id: 'recycle',
        src: 'recycle',
        input: who,
        onDone: 'working',
        onError: [again('#recycling'), ...refusedOrNot],
      },
    },
    refused: {
      id: 'refused',
      description: 'Nothing is tried until the user changes the spec.',
      tags: [Tag.Settled, Tag.Failing, Tag.Terminal],
      entry: 'claim',
      always: [...unlessDeleting],
      on: {
        'object.changed': [
          { guard: { type: 'isEdited', params: ({ event }) => event }, target: 'working', actions: storeObject },
          { actions: storeObject },
        ],
      },
    },
    backingOff: {
      id: 'backingOff',
      description: 'The last step failed in a way that may pass.',
      tags: Tag.Failing,
      always: [...unlessDeleting],
      exit: 'forgetReserved',
      after: { backoff: 'working' },
    },
    withdrawing: {
      id: 'withdrawing',
      description: 'The book goes without us: it never had a slot. Its claims end.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'withdraw',
        src: 'endClaims',
        input: who,
        onDone: 'deleted',
        onError: { target: 'withdrawingAgain', actions: noteFailure },
      },
    },
    withdrawingAgain: {
      description: 'The claims could not be ended.',
      tags: [Tag.Deleting, Tag.Failing],
      after: { backoff: 'withdrawing' },
    },
    deleted: { id: 'deleted', description: 'Nothing is left to do.', tags: [Tag.Deleting, Tag.Busy] },
    deleting: {
      id: 'deleting',
      description: 'The user deleted it.',
      tags: Tag.Deleting,
      // An earlier life may have claimed: only what this one has said does it end.
      entry: 'claim',
      initial: 'held',
      states: {
        held: {
          description: 'Others need it still.',
          tags: Tag.Held,
          always: { guard: not('isHeld'), target: 'clearing' },
        },
        clearing: {
          description: 'What it made for itself goes first.',
          invoke: {
            id: 'clear',
            src: 'clear',
            input: who,
            onDone: [
              { guard: { type: 'wasCleared', params: ({ event }) => event.output }, target: 'landing' },
              { target: 'awaitingClear' },
            ],
            onError: retry,
          },
        },
        awaitingClear: { description: 'They are still there.', after: { lookPause: 'clearing' } },
        landing: {
          description: 'What was asked for last may yet be done.',
          tags: Tag.Waiting,
          after: { landing: 'discarding' },
        },
        discarding: {
          description: 'The slot is given back, with what is in it.',
          invoke: { id: 'discard', src: 'discard', input: who, onDone: 'endingClaims', onError: retry },
        },
        endingClaims: {
          description: 'The claims end, so that what it refers to may go.',
          tags: Tag.Busy,
          invoke: { id: 'endClaims', src: 'endClaims', input: who, onDone: 'removingFinalizer', onError: retry },
        },
        removingFinalizer: {
          description: 'The own finalizer goes.',
          tags: Tag.Busy,
          invoke: {
            id: 'removeOwnFinalizer',
            src: 'removeOwnFinalizer',
            input: who,
            onDone: '#deleted',
            // Who holds it now is looked at again.
            onError: [again('held'), retry],
          },
        },
        retrying: {
          id: 'retrying',
          description: 'The last step failed.',
          tags: Tag.Failing,
          after: { backoff: 'held' },
        },
      },
    },
  },
});

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
