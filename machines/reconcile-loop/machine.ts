// Lifecycle of an object that is reconciled in attempts: each checks the state, does the next step, and determines when
// another one is due.
//
//   active (awaiting -> reconciling (-> addingFinalizer -> active) -> idle | available | awaitingDependencies | requeued | refused |
//     backingOff)
//   deleting (awaiting -> reconciling -> idle | inUse | requeued | backingOff | held) -> endingClaims -> removingFinalizer -> deleted
//
// Invariants:
//   RECONCILE-LOOP-1. The own finalizer is stored when a pass says that what is next may leave something behind, and not before: an object that
//       never had it is deleted without a pass. It is removed after a pass has said that nothing is left, and after whom it has
//       to outlast.
//   RECONCILE-LOOP-2. One pass at a time; it is waited for, deletion or not.
//   RECONCILE-LOOP-3. What changes while a pass is under way, or after it, is looked at by another one, when all that it refers to has
//       answered. What failed backs off meanwhile, unless the user changes the spec or deletes the object.
//       Who refers to it counts: what they say while a pass is under way was not seen by that.
//   RECONCILE-LOOP-4. A life that begins settled makes no pass before something is news, and stands as the last pass left it.
import { and, not, or } from 'xstate';
import { type Dependency, type ObjectChanged, Tag } from '../lifecycle.ts';
import type { ReconcileLoopContext, ReconcileLoopView, Standing, Verdict } from './context.ts';
import { reconcileLoopSetup } from './setup.ts';

type Failed = { event: { error: unknown } };
type Done = { event: { output: Verdict } };
type Changed = { event: ObjectChanged<ReconcileLoopView> };
type Heard = { event: { dependencies: readonly Dependency[] } };

const storeObject = { type: 'storeObject', params: ({ event }: Changed) => event } as const;
const storeDependencies = { type: 'storeDependencies', params: ({ event }: Heard) => event } as const;
const isEdited = { type: 'isEdited', params: ({ event }: Changed) => event } as const;
const noteFailure = { type: 'noteFailure', params: ({ event }: Failed) => event } as const;
const noteVerdict = { type: 'noteVerdict', params: ({ event }: Done) => event.output } as const;
const isTerminal = { type: 'isTerminal', params: ({ event }: Failed) => event } as const;
const isLostRace = { type: 'isLostRace', params: ({ event }: Failed) => event } as const;
const was = <Next extends Verdict['next']>(next: Next) =>
  ({ type: 'is', params: ({ event }: Done) => ({ verdict: event.output, next }) }) as const;
const stands = (how: Standing) =>
  ({ type: 'stands', params: ({ event }: Done) => ({ verdict: event.output, how }) }) as const;
const passOf = ({ context: { key, dependencies, notes, object } }: { context: ReconcileLoopContext }) => ({
  key,
  dependencies,
  notes,
  owned: object.owned,
  heldBy: object.heldBy,
});
const who = ({ context: { key } }: { context: ReconcileLoopContext }) => ({ key });

/** The user deleted the object: another pass sees to what is left of it, if there can be anything. */
const unlessDeleting = [
  { guard: and(['isDeleting', not('mayHaveMade')]), target: '#withdrawing' },
  { guard: 'isDeleting', target: '#deleting' },
] as const;
const anew = { guard: 'isStale', target: 'awaiting' } as const;

const awaiting = reconcileLoopSetup.createStateConfig({
  description: 'Claimed; what it refers to has not answered yet.',
  tags: [Tag.Waiting, Tag.AwaitsDependencies],
  entry: 'claim',
  always: { guard: 'isAnswered', target: 'reconciling' },
});

const idle = reconcileLoopSetup.createStateConfig({
  description: 'Nothing is left to do.',
  tags: Tag.Settled,
  entry: ['claim', 'noteSettled'],
  always: anew,
  on: { 'relations.changed': { target: 'awaiting', actions: 'noteHeard' } },
  after: { look: 'awaiting' },
});

/** The same in a lifecycle that may have begun so, without a pass: whatever is heard is news. */
const idleAtFirst = reconcileLoopSetup.createStateConfig({
  ...idle,
  on: {
    ...idle.on,
    'dependencies.changed': [
      { guard: 'isUnlooked', target: 'awaiting', actions: storeDependencies },
      { actions: storeDependencies },
    ],
  },
});

const requeued = reconcileLoopSetup.createStateConfig({
  description: 'An attempt is running, will be retried, or is scheduled.',
  tags: Tag.Waiting,
  always: anew,
  after: { pause: 'awaiting' },
});

const backingOff = reconcileLoopSetup.createStateConfig({
  description: 'The last attempt failed temporarily.',
  tags: Tag.Failing,
  after: { backoff: 'awaiting' },
});

const active = reconcileLoopSetup.createStateConfig({
  id: 'active',
  description: 'The object is reconciled.',
  initial: 'awaiting',
  states: {
    awaiting: { ...awaiting, always: [...unlessDeleting, { guard: 'isAnswered', target: 'reconciling' }] },
    reconciling: {
      description: 'An attempt is running.',
      tags: Tag.Busy,
      entry: 'noteBasis',
      invoke: {
        id: 'reconcile',
        src: 'reconcile',
        input: passOf,
        onDone: [
          { guard: was('guard'), target: '#addingFinalizer', actions: 'noteSuccess' },
          { guard: was('pause'), target: 'requeued', actions: ['noteSuccess', noteVerdict] },
          { guard: stands('available'), target: 'available', actions: ['noteSuccess', noteVerdict] },
          {
            guard: stands('awaitingDependencies'),
            target: 'awaitingDependencies',
            actions: ['noteSuccess', noteVerdict],
          },
          { target: 'idle', actions: ['noteSuccess', noteVerdict] },
        ],
        onError: [
          { guard: isLostRace, target: 'awaiting', actions: 'countRace' },
          { guard: isTerminal, target: 'refused', actions: noteFailure },
          { target: 'backingOff', actions: noteFailure },
        ],
      },
    },
    idle: { ...idleAtFirst, always: [...unlessDeleting, anew] },
    available: {
      ...idleAtFirst,
      description: 'Nothing is left to do, and dependents may use the object.',
      tags: [Tag.Settled, Tag.Available],
      always: [...unlessDeleting, anew],
    },
    awaitingDependencies: {
      ...idle,
      description: 'Waiting until every required dependency is ready.',
      tags: [Tag.Waiting, Tag.AwaitsDependencies],
      always: [...unlessDeleting, anew],
    },
    requeued: { ...requeued, always: [...unlessDeleting, anew] },
    refused: {
      description: 'Rejected: nothing is tried until the spec or a dependency changes.',
      tags: [Tag.Settled, Tag.Failing, Tag.Terminal],
      always: [...unlessDeleting, anew],
    },
    backingOff: {
      ...backingOff,
      always: [...unlessDeleting],
      on: {
        'object.changed': [
          { guard: isEdited, target: 'awaiting', actions: [storeObject, 'noteSuccess'] },
          { actions: storeObject },
        ],
      },
    },
  },
});

const deleting = reconcileLoopSetup.createStateConfig({
  id: 'deleting',
  description: 'The user deleted the object; its resources are removed first.',
  tags: Tag.Deleting,
  initial: 'awaiting',
  states: {
    awaiting,
    reconciling: {
      description: 'An attempt is running.',
      tags: Tag.Busy,
      entry: 'noteBasis',
      invoke: {
        id: 'reconcileOnDelete',
        src: 'reconcile',
        input: passOf,
        onDone: [
          { guard: was('leave'), target: 'held', actions: ['noteSuccess', noteVerdict] },
          { guard: was('pause'), target: 'requeued', actions: ['noteSuccess', noteVerdict] },
          { guard: stands('inUse'), target: 'inUse', actions: ['noteSuccess', noteVerdict] },
          { target: 'idle', actions: ['noteSuccess', noteVerdict] },
        ],
        onError: [
          { guard: isLostRace, target: 'awaiting', actions: 'countRace' },
          { target: 'backingOff', actions: noteFailure },
        ],
      },
    },
    idle,
    inUse: {
      ...idle,
      description: 'Dependents use the resource; waiting until they do not.',
      tags: [Tag.Settled, Tag.Held],
    },
    requeued,
    backingOff,
    held: {
      description: 'Nothing of its own is left; others hold it still, if anybody does.',
      tags: Tag.Held,
      always: [anew, { guard: not('isHeld'), target: '#endingClaims' }],
    },
  },
});

export const reconcileLoopMachine = reconcileLoopSetup.createMachine({
  id: 'reconcileLoop',
  context: ({ input: { key, object, dependencies } }) => ({
    key,
    object,
    dependencies,
    mayHaveMade: object.owned,
    basis: undefined,
    wasSettled: false,
    notes: {},
    pauseMs: 0,
    lookMs: undefined,
    withdrawnUids: [],
    heard: 0,
    attempts: 0,
    races: 0,
    error: undefined,
  }),
  on: {
    'object.changed': { actions: storeObject },
    'dependencies.changed': { actions: storeDependencies },
    'relations.changed': { actions: 'noteHeard' },
  },
  initial: 'starting',
  states: {
    starting: {
      description: 'Determining the state from the object alone.',
      tags: Tag.Busy,
      on: {
        'lifecycle.started': [
          ...unlessDeleting,
          { guard: and(['isSettled', 'isOwned', 'isAvailable']), target: 'active.available' },
          { guard: and(['isSettled', 'isOwned']), target: 'active.idle' },
          { target: 'active' },
        ],
      },
    },
    addingFinalizer: {
      id: 'addingFinalizer',
      description: 'The own finalizer is being stored.',
      tags: Tag.Busy,
      always: [...unlessDeleting, { guard: 'isOwned', target: 'active' }],
      invoke: {
        id: 'addOwnFinalizer',
        src: 'addOwnFinalizer',
        input: who,
        onDone: { guard: not('isOwned'), target: 'retryingFinalizer' },
        onError: { target: 'retryingFinalizer', actions: noteFailure },
      },
    },
    retryingFinalizer: {
      description: 'The own finalizer could not be stored.',
      tags: Tag.Failing,
      always: { guard: or(['isDeleting', 'isOwned']), target: 'addingFinalizer' },
      after: { backoff: 'addingFinalizer' },
    },
    active,
    deleting,
    endingClaims: {
      id: 'endingClaims',
      description: 'The claims are being ended.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'endClaims',
        src: 'endClaims',
        input: who,
        onDone: 'removingFinalizer',
        onError: { target: 'retryingEndOfClaims', actions: noteFailure },
      },
    },
    removingFinalizer: {
      description: 'The own finalizer is being removed.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'removeOwnFinalizer',
        src: 'removeOwnFinalizer',
        input: who,
        onDone: 'deleted',
        onError: [
          { guard: isLostRace, target: 'removingFinalizer', reenter: true, actions: 'countRace' },
          { target: 'retryingEndOfClaims', actions: noteFailure },
        ],
      },
    },
    retryingEndOfClaims: {
      description: 'The claims could not be ended, or the own finalizer not removed.',
      tags: [Tag.Deleting, Tag.Failing],
      after: { backoff: 'endingClaims' },
    },
    withdrawing: {
      id: 'withdrawing',
      description: 'The object goes without us: nothing of it was made. Its claims are being ended.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'withdraw',
        src: 'endClaims',
        input: who,
        onDone: 'deleted',
        onError: { target: 'retryingWithdrawal', actions: noteFailure },
      },
    },
    retryingWithdrawal: {
      description: 'The claims could not be ended; nothing else is left to clean up.',
      tags: [Tag.Deleting, Tag.Failing],
      after: { backoff: 'withdrawing' },
    },
    deleted: {
      description: 'Nothing is left to do: the object is deleted, or will be without us.',
      tags: [Tag.Deleting, Tag.Busy],
    },
  },
});
