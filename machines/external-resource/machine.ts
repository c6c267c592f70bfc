// Lifecycle of an object that represents one external resource.
//
//   claiming -> building (importing | adopting -> creating, recording) -> keeping (updating (-> filling), judging) -> resting
//   deleting (guarded -> removing -> confirming -> unclaiming -> releasing) -> gone
//
// Invariants:
//   EXTERNAL-RESOURCE-1. Nothing is created before every needed dependency answered `ready` to this incarnation (I1).
//   EXTERNAL-RESOURCE-2. The own finalizer is always stored before a create is sent and before an id is recorded, and
//       not before one of these is next: without it nothing was ever built. It is removed after the tombstones were
//       acknowledged (P12); those of credentials follow, since a lifecycle that starts in between cleans up once more.
//   EXTERNAL-RESOURCE-3. A create that was sent is waited for; whatever it made is recorded or removed, deletion requested or not (I4).
//   EXTERNAL-RESOURCE-4. Own cleanup starts when nothing but the own finalizer holds the object (I2).
//   EXTERNAL-RESOURCE-5. A dependency that is being deleted is yielded when, and only when, nothing was built on it (P1): before the resource is there,
//       or while a step after its create was seen not to have used it.
//   EXTERNAL-RESOURCE-6. Waiting for a dependency arms no timer and makes no call (I6, I7).
//   EXTERNAL-RESOURCE-7. A rejected spec is never retried until it changes, or a dependency of it is deleted. A failure that
//       only the external system can repair is always polled again, with backoff up to a limit: a reported state is never final.
//   EXTERNAL-RESOURCE-8. A found resource, or an id set by another writer, belongs to the object only if no other
//       existing object has it: one managed object for each external resource. Otherwise the object never touches it,
//       reports the owner, and tries again when that one is deleted. Objects of one namespace may share if their kind
//       allows it: the resource belongs to all of them, and is removed with the last.
//   EXTERNAL-RESOURCE-9. For an existing object only an unrecorded resource of its own create is ever removed: the
//       create's response or intent identifies it. A resource that was only found stays. A deleted object that recorded
//       nothing removes what is found only if nothing tells it from what the object's create asked for.
import { and, not } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { building } from './building.ts';
import { claiming } from './claiming.ts';
import { filling } from './content-transfer.ts';
import { deleting } from './deleting.ts';
import { keeping } from './reconciling.ts';
import { resourceSetup } from './setup.ts';
import {
  anewIfUnsettled,
  isNewCredentials,
  isNewGeneration,
  isUnsettled,
  noteFailure,
  ofObject,
  storeDependencies,
  storeObject,
} from './steps.ts';

/** Nothing is to be done until something changes. A life that begins here claims too: its claims may have been lost. */
const resting = resourceSetup.createStateConfig({
  id: 'idle',
  description: 'The resource is as specified.',
  tags: Tag.Settled,
  entry: ['claim', 'resetLooks'],
  after: { resync: '#claiming' },
  on: {
    'object.changed': anewIfUnsettled,
    'relations.changed': { target: '#claiming', actions: 'expectEcho' },
  },
  initial: 'available',
  states: {
    available: {
      description: 'It can be used.',
      entry: 'resetRelooks',
      // mutant: use-ends-unseen drop
      after: { echo: { target: '#claiming', actions: 'countEcho' } },
    },
    unavailable: {
      description: 'The resource is not usable; polling it with backoff.',
      // mutant: unusable-is-final drop
      after: { relook: { target: '#claiming', actions: 'countRelook' } },
    },
  },
});

export const externalResourceMachine = resourceSetup.createMachine({
  id: 'externalResource',
  context: ({ input: { key, object, dependencies, at, inDoubtUntil, isOwnershipDisputed } }) => ({
    key,
    object,
    dependencies,
    withdrawnUids: [],
    externalId: object.externalId,
    observation: undefined,
    available: object.available,
    attempts: 0,
    changes: 0,
    looks: 0,
    relooks: 0,
    echoes: 0,
    hasNews: false,
    isOwnershipDisputed,
    isIdFromOtherWriter: false,
    isEarlier: false,
    made: undefined,
    conflictingOwner: undefined,
    completedLookup: undefined,
    unwatched: 0,
    tried: object.generation,
    races: 0,
    error: undefined,
    waiting: [],
    repassMs: undefined,
    unused: [],
    lookedOn: [],
    basis: '',
    passedOn: {},
    applied: undefined,
    left: undefined,
    statusNotes: [],
    vanished: false,
    filling: undefined,
    // No create is sent before the own finalizer is stored, and that is removed last.
    // mutant: unguarded-taken-for-built : -> true
    mayHaveBuilt: object.owned || inDoubtUntil > 0,
    clearAt: undefined,
    // A recorded id was the response to a create.
    // mutant: life-ignores-earlier-creates ?:.2 -> 0
    inDoubtUntil: object.externalId === undefined ? inDoubtUntil : 0,
    landsInMs: undefined,
    heardAt: at,
  }),
  type: 'parallel',
  on: {
    'object.changed': { actions: storeObject },
    'dependencies.changed': { actions: storeDependencies },
    'relations.changed': { actions: 'expectEcho' },
  },
  states: {
    lifecycle: {
      description: 'From the object to its external resource, and back.',
      initial: 'starting',
      states: {
        starting: {
          description: 'Determining the state of the object from its status alone.',
          tags: Tag.Busy,
          // Not `always`: XState starts the effects of an initial state before its entry actions, a tombstone before
          // the claim it ends.
          on: {
            'lifecycle.started': [
              { guard: and(['isDeleting', not('isOwned')]), target: 'withdrawing' },
              { guard: 'isDeleting', target: 'deleting' },
              { guard: and(['isSettledAvailable', not('isOwnershipDisputed')]), target: 'idle.available' },
              { guard: and(['isSettledUnavailable', not('isOwnershipDisputed')]), target: 'idle.unavailable' },
              { guard: 'isSettledFailed', target: 'failed' },
              { target: 'claiming' },
            ],
          },
        },
        claiming,
        building,
        reconciling: keeping,
        transferringContent: filling,
        idle: resting,
        failed: {
          id: 'failed',
          description:
            'Rejected until the user changes the spec; failures that only the external system can repair are polled again.',
          tags: [Tag.Settled, Tag.Failing, Tag.Terminal],
          entry: 'claim',
          // mutant: broken-is-final drop
          after: { relook: { target: '#claiming', actions: 'countRelook' } },
          always: [
            { guard: 'isDeleting', target: 'deleting' },
            { guard: 'isBuiltOnReplaced', target: 'claiming', actions: 'forgetFailure' },
            // A rejected create has built nothing, and an earlier one may have.
            // mutant: refused-never-lets-go drop
            { guard: 'mustProbe', target: 'claiming', actions: 'forgetFailure' },
          ],
          on: {
            'object.changed': [
              { guard: isNewGeneration, target: 'claiming', actions: [storeObject, 'forgetFailure'] },
              { guard: isUnsettled, target: 'claiming', actions: [storeObject, 'forgetFailure'] },
              { actions: storeObject },
            ],
          },
        },
        backingOff: {
          id: 'backingOff',
          description: 'The last step failed in a way that may pass.',
          tags: Tag.Failing,
          always: [
            { guard: 'isDeleting', target: 'deleting' },
            { guard: 'isBuiltOnReplaced', target: 'claiming', actions: 'resetAttempts' },
          ],
          after: { backoff: 'claiming' },
          on: {
            'object.changed': [
              { guard: isNewGeneration, target: 'claiming', actions: [storeObject, 'resetAttempts'] },
              { actions: storeObject },
            ],
            'dependencies.changed': [
              { guard: isNewCredentials, target: 'claiming', actions: [storeDependencies, 'resetAttempts'] },
              { actions: storeDependencies },
            ],
          },
        },
        deleting,
        withdrawing: {
          id: 'withdrawing',
          description: 'The object goes without us: it never had a resource. Its claims are being ended.',
          tags: [Tag.Deleting, Tag.Busy],
          invoke: {
            id: 'withdraw',
            src: 'endClaims',
            input: ofObject,
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
          id: 'deleted',
          description: 'Nothing is left to do: the object is deleted, or will be without us.',
          tags: [Tag.Deleting, Tag.Busy],
        },
      },
    },
    availability: {
      description: 'Whether others may use the resource, whatever is being done for it.',
      initial: 'unusable',
      states: {
        unusable: {
          description: 'The resource is not usable, or its state is unknown.',
          always: { guard: 'isUsable', target: 'usable' },
        },
        usable: {
          description: 'Others may build on it.',
          tags: Tag.Available,
          always: { guard: not('isUsable'), target: 'unusable' },
        },
      },
    },
  },
});
