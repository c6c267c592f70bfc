// The life of an object that stands for one external resource.
//
//   claiming -> (importing | adopting -> creating) -> recording -> updating -> available
//   deleting -> guarded -> removing -> confirming -> unclaiming -> releasing -> gone
//
// Invariants:
//   M1. Nothing is created before every needed dependency answered `ready` to this incarnation (I1).
//   M2. The own finalizer is stored before the first claim, and goes after the tombstones were acknowledged (P12); those of
//       credentials follow it, since a life that begins in between cleans up once more.
//   M3. A create that was sent is waited for; whatever it made is recorded or removed, deletion requested or not (I4).
//   M4. Own cleanup starts when the own finalizer is the only one left (I2).
//   M5. A dependency that is being deleted is yielded only when nothing was built on it (P1).
//   M6. Waiting for a dependency arms no timer and makes no call (I6, I7).
//   M7. A terminal failure is not tried again until the spec changes.
import { and, not } from 'xstate';
import { guardRegion, NOTHING_CONFIRMED } from './guard.ts';
import { claiming } from './managed-claiming.ts';
import { deleting } from './managed-deleting.ts';
import {
  anewIfEdited,
  anewIfUnsettled,
  awaitLanding,
  foundMany,
  foundNothingYet,
  foundOne,
  isLostRace,
  isNewCredentials,
  isNewGeneration,
  isTerminal,
  isUnsettled,
  managedSetup,
  mayCreate,
  noteFailure,
  refusedOrNot,
  storeDependencies,
  storeObject,
  takeFound,
  takeObserved,
  wasFound,
} from './managed-setup.ts';

/** The winner's resource is the object's, unless its id has been taken away meanwhile. */
const forgetLoser = ['recallRecorded', 'forgetObservation'] as const;

/** Nothing is to be done until something changes. A life that begins here claims too: its claims may have been lost. */
const atRest = managedSetup.createStateConfig({
  entry: ['claim', 'resetLooks'],
  after: { resync: 'claiming' },
  on: { 'object.changed': anewIfUnsettled },
});

export const managedMachine = managedSetup.createMachine({
  id: 'managed',
  context: ({ input: { key, object, dependencies, claims, at, landedBy } }) => ({
    key,
    object,
    dependencies,
    claims,
    confirmed: NOTHING_CONFIRMED,
    guardAttempts: 0,
    yielded: [],
    externalId: object.externalId,
    observation: undefined,
    available: object.available,
    attempts: 0,
    changes: 0,
    looks: 0,
    tried: object.generation,
    races: 0,
    error: undefined,
    waiting: [],
    repassMs: undefined,
    basis: '',
    vanished: false,
    mayHaveBuilt: true,
    clearAt: undefined,
    landedBy,
    landsInMs: undefined,
    heardAt: at,
  }),
  type: 'parallel',
  on: {
    'object.changed': { actions: storeObject },
    'dependencies.changed': { actions: storeDependencies },
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
        claiming,
        importing: {
          description: 'The resource that the object names is looked for.',
          entry: 'noteTry',
          invoke: {
            id: 'import',
            src: 'import',
            input: ({ context: { key } }) => ({ key }),
            onDone: [
              {
                guard: wasFound,
                target: 'recording',
                actions: takeObserved,
              },
              { target: 'awaitingExternal', actions: 'forgetFailure' },
            ],
            onError: refusedOrNot,
          },
        },
        awaitingExternal: {
          description: 'Nothing matches the import filter yet.',
          always: { guard: 'isDeleting', target: 'deleting' },
          after: { importPause: 'claiming' },
          on: { 'object.changed': anewIfEdited },
        },
        adopting: {
          description: 'Looking for what an earlier, interrupted create left behind.',
          entry: 'noteTry',
          invoke: {
            id: 'adopt',
            src: 'find',
            input: ({ context: { key } }) => ({ key }),
            onDone: [
              {
                guard: foundOne,
                target: 'recording',
                actions: takeFound,
              },
              { guard: foundMany, target: 'failed', actions: 'noteAmbiguous' },
              { guard: 'isDeleting', target: 'deleting' },
              { guard: mayCreate, target: 'creating' },
              { guard: foundNothingYet, target: 'backingOff', actions: awaitLanding },
              { target: 'backingOff' },
            ],
            onError: refusedOrNot,
          },
        },
        creating: {
          description: 'The external resource is being created.',
          entry: ['noteTry', 'noteBuilding'],
          invoke: {
            id: 'create',
            src: 'create',
            input: ({ context: { key } }) => ({ key }),
            onDone: {
              target: 'recording',
              actions: takeObserved,
            },
            onError: refusedOrNot,
          },
        },
        recording: {
          description: 'The external id is being stored in the status.',
          invoke: {
            id: 'record',
            src: 'record',
            input: ({ context: { key, externalId } }) => ({ key, externalId }),
            onDone: [
              {
                guard: { type: 'wasStored', params: ({ event }) => event.output },
                target: 'recorded',
                actions: 'resetRaces',
              },
              // What was only imported is not ours to remove.
              { guard: not('isManaged'), target: 'claiming', actions: forgetLoser },
              { target: 'discarding' },
            ],
            onError: [
              { guard: isLostRace, target: 'recording', reenter: true, actions: 'countRace' },
              { target: 'recordingAgain', actions: noteFailure },
            ],
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
              actions: forgetLoser,
            },
            onError: { target: 'discardingAgain', actions: noteFailure },
          },
        },
        discardingAgain: {
          description: 'Removing what lost the race failed; it is tried again.',
          after: { backoff: 'discarding' },
        },
        observing: {
          description: 'The external resource is being read.',
          entry: 'noteTry',
          invoke: {
            id: 'observe',
            src: 'observe',
            input: ({ context: { key, externalId } }) => ({ key, externalId }),
            onDone: [
              {
                guard: { type: 'wasFoundUnrecorded', params: ({ event }) => ({ observation: event.output }) },
                target: 'recording',
                actions: takeObserved,
              },
              {
                guard: wasFound,
                target: 'recorded',
                actions: takeObserved,
              },
              { target: 'forgetting', actions: 'noteVanished' },
            ],
            onError: [
              { guard: isTerminal, target: 'failed', actions: ['forgetObservation', noteFailure] },
              { target: 'backingOff', actions: ['forgetObservation', noteFailure] },
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
            // Whoever comes next would know of nothing that was made under another id (I4).
            onError: { target: 'backingOff', actions: ['recallRecorded', noteFailure] },
          },
        },
        updating: {
          description: 'What differs from the spec is being changed.',
          entry: ['noteTry', 'noteBasis'],
          invoke: {
            id: 'update',
            src: 'update',
            input: ({ context: { key, observation } }) => ({ key, observation }),
            onDone: [
              { guard: 'isDeleting', target: 'deleting' },
              {
                guard: { type: 'wasChangedInVain', params: ({ event }) => event.output },
                target: 'rereading',
                actions: 'countChange',
              },
              {
                guard: { type: 'wasChanged', params: ({ event }) => event.output },
                target: 'observing',
                actions: 'countChange',
              },
              {
                target: 'judging',
                actions: { type: 'notePass', params: ({ event }) => event.output },
              },
            ],
            onError: [
              { guard: isTerminal, target: 'failed', actions: ['noteAvailability', noteFailure] },
              { target: 'backingOff', actions: ['noteAvailability', noteFailure] },
            ],
          },
        },
        rereading: {
          description: 'The cloud takes changes and does not make them; it is looked at again, ever less often.',
          after: { rereadPause: 'observing' },
          on: { 'object.changed': anewIfEdited },
        },
        judging: {
          description: 'Deciding whether the resource can be used as it was observed.',
          entry: ['noteSuccess', 'noteAvailability'],
          always: [
            { guard: 'isOutdated', target: 'claiming' },
            { guard: 'isPassStale', target: 'updating' },
            { guard: 'isWaiting', target: 'settling' },
            { guard: 'isAvailable', target: 'available' },
            { guard: 'isAtWork', target: 'settling' },
            { target: 'unavailable' },
          ],
        },
        settling: {
          description: 'The foreign system is still at work on the resource, or an update waits for a dependency.',
          entry: 'countLook',
          always: { guard: 'isPassStale', target: 'updating' },
          after: { settlePause: 'observing' },
          on: { 'object.changed': anewIfEdited },
        },
        available: { description: 'The resource is as specified, and usable.', ...atRest },
        unavailable: { description: 'The resource is as specified, but not usable as it is.', ...atRest },
        failed: {
          description: 'Refused until the user changes the spec.',
          entry: 'claim',
          always: [
            { guard: 'isDeleting', target: 'deleting' },
            { guard: 'isOutdated', target: 'claiming', actions: 'forgetFailure' },
          ],
          on: {
            'object.changed': [
              {
                guard: isNewGeneration,
                target: 'claiming',
                actions: [storeObject, 'forgetFailure'],
              },
              { guard: isUnsettled, target: 'claiming', actions: [storeObject, 'forgetFailure'] },
              { actions: storeObject },
            ],
          },
        },
        backingOff: {
          description: 'The last step failed in a way that may pass.',
          always: [
            { guard: 'isDeleting', target: 'deleting' },
            { guard: 'isOutdated', target: 'claiming', actions: 'resetAttempts' },
          ],
          after: { backoff: 'claiming' },
          on: {
            'object.changed': [
              {
                guard: isNewGeneration,
                target: 'claiming',
                actions: [storeObject, 'resetAttempts'],
              },
              { actions: storeObject },
            ],
            'dependencies.changed': [
              {
                guard: isNewCredentials,
                target: 'claiming',
                actions: [storeDependencies, 'resetAttempts'],
              },
              { actions: storeDependencies },
            ],
          },
        },
        deleting,
        gone: { description: 'Nothing is left to do; the object is gone, or goes without us.' },
      },
    },
  },
});
