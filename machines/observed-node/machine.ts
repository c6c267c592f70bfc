// Lifecycle of an object that shows a part of a host's node: it is read, stored in the status, and read again after a
// change: the object was edited, the host has another node, or the node made a transition.
//
//   deciding -> awaiting | nodeMissing | reading -> creatingRelated (-> lacking) -> storing -> upToDate (watching | resuming)
//   any of these -> failing -> reading; deleted
//
// Invariants:
//   OBSERVED-NODE-1. No request is sent while the host must not be touched, or its state is unknown.
//   OBSERVED-NODE-2. Others may rely on what the status says only where that was read of the node that the host has now, and not while it is
//       read again after a transition.
//   OBSERVED-NODE-3. An idle object never sends more than occasional requests of its own: the shared list of nodes
//       reports transitions.
//   OBSERVED-NODE-4. What was read is judged by the object as it is stored then, and written only where that says something else.
//   OBSERVED-NODE-5. It leaves nothing behind, so that it holds up no deletion.
import { fromPromise, not, setup } from 'xstate';
import { type Dependency, type ObjectChanged, Tag } from '../lifecycle.ts';
import type { ErrorData } from '../object.ts';
import { assign } from '../statechart.ts';
import {
  basisOf,
  type EffectInput,
  type FurnishOutput,
  heard,
  hostIn,
  isRobbed,
  isServed,
  type ObservedContext,
  type ObservedEvent,
  type ObservedInput,
  type ObservedView,
  type ReadingInput,
  type ReadOutput,
  type StoreOutput,
  type Transition,
  WATCH_PAUSE_MS,
  type WatchInput,
  type WatchOutput,
} from './context.ts';

type Failure = { readonly error: unknown };
type Heard = { readonly dependencies: readonly Dependency[] };

/** Number of immediate retries of writes after conflicts. */
const QUICK_RACES = 5;
/** Number of consecutive waits for a created object before all is read again. */
const QUICK_LACKS = 1;

const observed = setup({
  types: {
    context: {} as ObservedContext,
    events: {} as ObservedEvent,
    input: {} as ObservedInput,
    tags: {} as Tag,
  },
  actors: {
    /** Asks for what there is to see of the node. */
    read: fromPromise<ReadOutput, EffectInput>(notProvided),
    /** Makes what goes with it, and lets go of what went with what was before. */
    furnish: fromPromise<FurnishOutput, ReadingInput>(notProvided),
    /** Stores the status if it differs, and emits events about problems. */
    store: fromPromise<StoreOutput, ReadingInput>(notProvided),
    /** Resolves when the node has completed a transition. */
    watch: fromPromise<WatchOutput, WatchInput>(notProvided),
  },
  actions: {
    /** Publishes the claims as they should be now. Given by the runtime; level-triggered. */
    claim: () => undefined,
    storeObject: assign(({ context }, { object, dependencies }: ObjectChanged<ObservedView>) => ({
      object,
      ...heard(context, dependencies),
    })),
    storeDependencies: assign(({ context }, { dependencies }: Heard) => heard(context, dependencies)),
    noteBasis: assign(({ context }) => ({ basis: basisOf(context) })),
    noteReading: assign((_, { reading, at }: ReadOutput) => ({ reading, readAt: at, lacks: 0 })),
    countLack: assign({ lacks: ({ context }) => context.lacks + 1 }),
    noteStored: assign(({ context: { object } }, { pollAfterMs, rereadAfterMs }: StoreOutput) => ({
      said: object.says,
      reading: undefined,
      pollAfterMs,
      rereadAfterMs,
      failures: 0,
      races: 0,
      error: undefined,
    })),
    noteSeen: assign((_, { seen }: { seen: Transition }) => ({ seen })),
    forgetReading: assign({ reading: undefined }),
    countRace: assign({ races: ({ context }) => context.races + 1 }),
    noteFailure: assign(({ context }, { error }: Failure) => ({
      error: error as ErrorData,
      failures: context.failures + 1,
      races: 0,
      reading: undefined,
    })),
  },
  guards: {
    isDeleting: ({ context }) => context.object.deleting,
    isServed: ({ context }) => isServed(context),
    /** It is not known yet how the host is. */
    isUnheard: ({ context }) => hostIn(context)?.answer === undefined,
    isBuiltOnReplaced: ({ context }) => context.basis !== basisOf(context),
    /** Another writer changed the status. */
    isContradicted: ({ context }) => context.said !== context.object.says,
    isRobbed: ({ context }, { dependencies }: Heard) => isRobbed(context, dependencies),
    isFurnished: (_, { waiting }: FurnishOutput) => waiting.length === 0,
    /** Others may make it otherwise: what they share is seen by reading. */
    isContended: ({ context }) => context.lacks > QUICK_LACKS,
    isLostRace: ({ context }, { error }: Failure) =>
      (error as ErrorData | undefined)?.code === 'conflict' && context.races < QUICK_RACES,
    /** The watch ended for a reason that lies not with the node. */
    isPassing: (_, { error }: Failure) => (error as ErrorData | undefined)?.code === 'transient',
  },
  delays: {
    /** A created object appears soon. */
    furnishPause: 500,
    watchPause: WATCH_PAUSE_MS,
    rereadPause: ({ context }) => context.rereadAfterMs,
    /** Given with the effects. */
    failurePause: 0,
  },
});

type Answer<Output> = { event: { output: Output } };
type Failed = { event: Failure };

const storeObject = {
  type: 'storeObject',
  params: ({ event }: { event: ObjectChanged<ObservedView> }) => event,
} as const;
const storeDependencies = { type: 'storeDependencies', params: ({ event }: { event: Heard }) => event } as const;
const isRobbedNow = { type: 'isRobbed', params: ({ event }: { event: Heard }) => event } as const;
const noteFailure = { type: 'noteFailure', params: ({ event }: Failed) => event } as const;
const failed = { target: '#failing', actions: noteFailure } as const;
const isLostRace = { type: 'isLostRace', params: ({ event }: Failed) => event } as const;
/** A missing object was read by now: no error. */
const again = (target: 'creatingRelated' | 'storing') =>
  ({ guard: isLostRace, target, reenter: true, actions: 'countRace' }) as const;
const output = <Output>({ event }: Answer<Output>): Output => event.output;
const who = ({ context: { key } }: { context: ObservedContext }): EffectInput => ({ key });
const whatWasRead = ({ context: { key, reading = {} } }: { context: ObservedContext }): ReadingInput => ({
  key,
  reading,
});
/** Left at once when the object goes, or its host is not to be touched any more. */
const left = [
  { guard: 'isDeleting', target: '#deleted' },
  { guard: not('isServed'), target: '#deciding' },
] as const;

export const observedNodeMachine = observed.createMachine({
  id: 'observedNode',
  context: ({ input: { key, object, dependencies } }) => ({
    key,
    object,
    dependencies,
    basis: '',
    reading: undefined,
    readAt: 0,
    said: '',
    seen: undefined,
    pollAfterMs: 0,
    rereadAfterMs: 0,
    failures: 0,
    races: 0,
    lacks: 0,
    error: undefined,
  }),
  on: {
    'object.changed': { actions: storeObject },
    'dependencies.changed': { actions: storeDependencies },
  },
  initial: 'starting',
  states: {
    starting: {
      description: 'Its life is about to begin.',
      tags: Tag.Busy,
      on: { 'lifecycle.started': 'deciding' },
    },
    deciding: {
      id: 'deciding',
      description: 'Deciding whether there is a node to look at.',
      tags: Tag.Busy,
      entry: ['claim', 'forgetReading'],
      always: [
        { guard: 'isDeleting', target: 'deleted' },
        { guard: 'isServed', target: 'reading' },
        { guard: 'isUnheard', target: 'awaiting' },
        { target: 'nodeMissing' },
      ],
    },
    awaiting: {
      description: 'No message about the host was received yet.',
      tags: Tag.Waiting,
      always: [
        { guard: 'isDeleting', target: 'deleted' },
        { guard: 'isServed', target: 'reading' },
        { guard: not('isUnheard'), target: 'nodeMissing' },
      ],
    },
    nodeMissing: {
      description: 'The host has no node to look at, or is not to be touched.',
      tags: Tag.Settled,
      always: [
        { guard: 'isDeleting', target: 'deleted' },
        { guard: 'isServed', target: 'reading' },
      ],
    },
    reading: {
      id: 'reading',
      description: 'The node is read.',
      tags: Tag.Busy,
      entry: 'noteBasis',
      always: left,
      invoke: {
        id: 'read',
        src: 'read',
        input: who,
        onDone: { target: 'creatingRelated', actions: { type: 'noteReading', params: output } },
        onError: failed,
      },
    },
    creatingRelated: {
      description: 'What goes with what was read is made.',
      tags: Tag.Busy,
      always: left,
      invoke: {
        id: 'furnish',
        src: 'furnish',
        input: whatWasRead,
        onDone: [{ guard: { type: 'isFurnished', params: output }, target: 'storing' }, { target: 'lacking' }],
        onError: [again('creatingRelated'), failed],
      },
    },
    lacking: {
      description: 'What was made is not there yet.',
      tags: Tag.Waiting,
      entry: 'countLack',
      always: left,
      after: { furnishPause: [{ guard: 'isContended', target: 'reading' }, { target: 'creatingRelated' }] },
    },
    storing: {
      description: 'The status is to say what was read.',
      tags: Tag.Busy,
      invoke: {
        id: 'store',
        src: 'store',
        input: whatWasRead,
        onDone: { target: 'upToDate', actions: { type: 'noteStored', params: output } },
        onError: [again('storing'), failed],
      },
    },
    upToDate: {
      description: 'The status says how the node is.',
      tags: Tag.Available,
      entry: 'claim',
      always: [
        ...left,
        { guard: 'isBuiltOnReplaced', target: '#reading' },
        { guard: 'isContradicted', target: '#reading' },
      ],
      on: {
        'dependencies.changed': [
          { guard: isRobbedNow, target: '#reading', actions: storeDependencies },
          { actions: storeDependencies },
        ],
      },
      initial: 'watching',
      states: {
        watching: {
          description: 'It is read again when the node has done something.',
          tags: Tag.Settled,
          after: { rereadPause: '#reading' },
          invoke: {
            id: 'watch',
            src: 'watch',
            input: ({ context: { key, seen, readAt, pollAfterMs } }) => ({ key, seen, readAt, pollAfterMs }),
            onDone: { target: '#reading', actions: { type: 'noteSeen', params: output } },
            onError: [{ guard: { type: 'isPassing', params: ({ event }) => event }, target: 'resuming' }, failed],
          },
        },
        resuming: {
          description: 'The node is not being watched; waiting until the watch restarts.',
          tags: Tag.Settled,
          after: { watchPause: 'watching' },
        },
      },
    },
    failing: {
      id: 'failing',
      description: 'The last attempt failed; it is made again.',
      tags: Tag.Failing,
      always: [...left, { guard: 'isBuiltOnReplaced', target: 'reading' }],
      after: { failurePause: 'reading' },
    },
    deleted: {
      id: 'deleted',
      description: 'The object goes, and nothing of it is left to be done.',
      tags: [Tag.Deleting, Tag.Settled],
    },
  },
});

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
