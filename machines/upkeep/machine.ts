// The life of an object that is looked after pass by pass: each pass looks at what is there, does the next thing, and says when
// another one is due.
//
//   keeping (awaiting -> tending (-> guarding -> keeping) -> resting | available | lacking | pausing | refused | backingOff)
//   leaving (awaiting -> tending -> resting | used | pausing | backingOff | held) -> unclaiming -> releasing -> gone
//
// Invariants:
//   K1. The own finalizer is stored when a pass says that what is next may leave something behind, and not before: an object that
//       never had it is deleted without a pass. It is removed after a pass has said that nothing is left, and after whom it has
//       to outlast.
//   K2. One pass at a time; it is waited for, deletion or not.
//   K3. What changes while a pass is under way, or after it, is looked at by another one, when all that it refers to has
//       answered. What failed backs off meanwhile, unless the user changes the spec or deletes the object.
//       Who refers to it counts: what they say while a pass is under way was not seen by that.
//   K4. A life that begins settled makes no pass before something is news.
import { and, not, or } from 'xstate';
import { type Dependency, type ObjectChanged, Tag } from '../life.ts';
import type { Standing, UpkeepContext, UpkeepView, Verdict } from './context.ts';
import { upkeepSetup } from './setup.ts';

type Failed = { event: { error: unknown } };
type Done = { event: { output: Verdict } };
type Changed = { event: ObjectChanged<UpkeepView> };
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
const passOf = ({ context: { key, dependencies, notes, object } }: { context: UpkeepContext }) => ({
  key,
  dependencies,
  notes,
  owned: object.owned,
  heldBy: object.heldBy,
});
const who = ({ context: { key } }: { context: UpkeepContext }) => ({ key });

/** The user deleted the object: another pass sees to what is left of it, if there can be anything. */
const unlessDeleting = [
  { guard: and(['isDeleting', not('mayHaveMade')]), target: '#withdrawing' },
  { guard: 'isDeleting', target: '#leaving' },
] as const;
const anew = { guard: 'isStale', target: 'awaiting' } as const;

const awaiting = upkeepSetup.createStateConfig({
  description: 'Claimed; what it refers to has not answered yet.',
  tags: [Tag.Waiting, Tag.AwaitsDependencies],
  entry: 'claim',
  always: { guard: 'isAnswered', target: 'tending' },
});

const resting = upkeepSetup.createStateConfig({
  description: 'There is nothing to do.',
  tags: Tag.Settled,
  entry: ['claim', 'noteSettled'],
  always: anew,
  on: {
    'dependencies.changed': [
      { guard: 'isUnlooked', target: 'awaiting', actions: storeDependencies },
      { actions: storeDependencies },
    ],
    'relations.changed': { target: 'awaiting', actions: 'noteHeard' },
  },
  after: { look: 'awaiting' },
});

const pausing = upkeepSetup.createStateConfig({
  description: 'Something is under way, or is to be tried again, or waits for its time.',
  tags: Tag.Waiting,
  always: anew,
  after: { pause: 'awaiting' },
});

const backingOff = upkeepSetup.createStateConfig({
  description: 'The last pass failed in a way that may pass.',
  tags: Tag.Failing,
  after: { backoff: 'awaiting' },
});

const keeping = upkeepSetup.createStateConfig({
  id: 'keeping',
  description: 'It is looked after.',
  initial: 'awaiting',
  states: {
    awaiting: { ...awaiting, always: [...unlessDeleting, { guard: 'isAnswered', target: 'tending' }] },
    tending: {
      description: 'A pass is under way.',
      tags: Tag.Busy,
      entry: 'noteBasis',
      invoke: {
        id: 'tend',
        src: 'tend',
        input: passOf,
        onDone: [
          { guard: was('guard'), target: '#guarding', actions: 'noteSuccess' },
          { guard: was('pause'), target: 'pausing', actions: ['noteSuccess', noteVerdict] },
          { guard: stands('available'), target: 'available', actions: ['noteSuccess', noteVerdict] },
          { guard: stands('lacking'), target: 'lacking', actions: ['noteSuccess', noteVerdict] },
          { target: 'resting', actions: ['noteSuccess', noteVerdict] },
        ],
        onError: [
          { guard: isLostRace, target: 'awaiting', actions: 'countRace' },
          { guard: isTerminal, target: 'refused', actions: noteFailure },
          { target: 'backingOff', actions: noteFailure },
        ],
      },
    },
    resting: { ...resting, always: [...unlessDeleting, anew] },
    available: {
      ...resting,
      description: 'There is nothing to do, and others may use it.',
      tags: [Tag.Settled, Tag.Available],
      always: [...unlessDeleting, anew],
    },
    lacking: {
      ...resting,
      description: 'There is nothing to do before what it refers to is ready.',
      tags: [Tag.Waiting, Tag.AwaitsDependencies],
      always: [...unlessDeleting, anew],
    },
    pausing: { ...pausing, always: [...unlessDeleting, anew] },
    refused: {
      description: 'Refused as it is: nothing is tried until something changes.',
      tags: [Tag.Settled, Tag.Failing, Tag.Refused],
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

const leaving = upkeepSetup.createStateConfig({
  id: 'leaving',
  description: 'The user deleted it; what is left of it goes first.',
  tags: Tag.Deleting,
  initial: 'awaiting',
  states: {
    awaiting,
    tending: {
      description: 'A pass is under way.',
      tags: Tag.Busy,
      entry: 'noteBasis',
      invoke: {
        id: 'tendAtEnd',
        src: 'tend',
        input: passOf,
        onDone: [
          { guard: was('leave'), target: 'held', actions: ['noteSuccess', noteVerdict] },
          { guard: was('pause'), target: 'pausing', actions: ['noteSuccess', noteVerdict] },
          { guard: stands('used'), target: 'used', actions: ['noteSuccess', noteVerdict] },
          { target: 'resting', actions: ['noteSuccess', noteVerdict] },
        ],
        onError: [
          { guard: isLostRace, target: 'awaiting', actions: 'countRace' },
          { target: 'backingOff', actions: noteFailure },
        ],
      },
    },
    resting,
    used: {
      ...resting,
      description: 'Others use what it stands for, and it goes when they do not.',
      tags: [Tag.Settled, Tag.Held],
    },
    pausing,
    backingOff,
    held: {
      description: 'Nothing of its own is left; others hold it still, if anybody does.',
      tags: Tag.Held,
      always: [anew, { guard: not('isHeld'), target: '#unclaiming' }],
    },
  },
});

export const upkeepMachine = upkeepSetup.createMachine({
  id: 'upkeep',
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
    yielded: [],
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
      description: 'Deciding where the life stands, from the object alone.',
      tags: Tag.Busy,
      on: {
        'life.began': [
          ...unlessDeleting,
          { guard: and(['isSettled', 'isOwned']), target: 'keeping.resting' },
          { target: 'keeping' },
        ],
      },
    },
    guarding: {
      id: 'guarding',
      description: 'The own finalizer is being stored.',
      tags: Tag.Busy,
      always: [...unlessDeleting, { guard: 'isOwned', target: 'keeping' }],
      invoke: {
        id: 'guardSelf',
        src: 'guardSelf',
        input: who,
        onDone: { guard: not('isOwned'), target: 'guardingAgain' },
        onError: { target: 'guardingAgain', actions: noteFailure },
      },
    },
    guardingAgain: {
      description: 'The own finalizer could not be stored.',
      tags: Tag.Failing,
      always: { guard: or(['isDeleting', 'isOwned']), target: 'guarding' },
      after: { backoff: 'guarding' },
    },
    keeping,
    leaving,
    unclaiming: {
      id: 'unclaiming',
      description: 'The claims are being ended.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'unclaim',
        src: 'unclaim',
        input: who,
        onDone: 'releasing',
        onError: { target: 'unclaimingAgain', actions: noteFailure },
      },
    },
    releasing: {
      description: 'The own finalizer is being removed.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'releaseSelf',
        src: 'releaseSelf',
        input: who,
        onDone: 'gone',
        onError: [
          { guard: isLostRace, target: 'releasing', reenter: true, actions: 'countRace' },
          { target: 'unclaimingAgain', actions: noteFailure },
        ],
      },
    },
    unclaimingAgain: {
      description: 'The claims could not be ended, or the own finalizer not removed.',
      tags: [Tag.Deleting, Tag.Failing],
      after: { backoff: 'unclaiming' },
    },
    withdrawing: {
      id: 'withdrawing',
      description: 'The object goes without us: nothing of it was made. Its claims are being ended.',
      tags: [Tag.Deleting, Tag.Busy],
      invoke: {
        id: 'withdraw',
        src: 'unclaim',
        input: who,
        onDone: 'gone',
        onError: { target: 'withdrawingAgain', actions: noteFailure },
      },
    },
    withdrawingAgain: {
      description: 'The claims could not be ended; nothing else is left to clean up.',
      tags: [Tag.Deleting, Tag.Failing],
      after: { backoff: 'withdrawing' },
    },
    gone: {
      description: 'Nothing is left to do; the object is gone, or goes without us.',
      tags: [Tag.Deleting, Tag.Busy],
    },
  },
});
