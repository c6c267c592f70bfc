// The end of an object: the part of the chart after the user deleted it.
import { and, not } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { ResourceTag } from './context.ts';
import { REMOVAL_POLL_MS } from './polling.ts';
import { resourceSetup } from './setup.ts';
import {
  areChildrenNowGone,
  askOwner,
  countUnwatchedOf,
  foundNone,
  hasOwner,
  isEdited,
  isLostRace,
  isNewCredentials,
  look,
  noteFailure,
  ofObject,
  ofRecord,
  ofResource,
  storeDependencies,
  storeObject,
  wasFound,
  wasSeenGone,
  wereChildrenGone,
} from './steps.ts';

/** The credentials may have changed: they are claimed, or the cleanup would never end. */
const editedWhileDeleting = [{ guard: isEdited, actions: [storeObject, 'claim'] }, { actions: storeObject }] as const;

/** An edit may open another way to continue. */
const decideIfEdited = [
  { guard: isEdited, target: 'deciding', actions: [storeObject, 'claim'] },
  { actions: storeObject },
] as const;

export const deleting = resourceSetup.createStateConfig({
  id: 'deleting',
  description: 'The user deleted the object.',
  tags: Tag.Deleting,
  // The claims are what holds the credentials and the dependencies for the cleanup.
  // mutant: cleanup-without-claims [].1 drop
  entry: ['claim', 'forgetFailure', 'resetLooks'],
  initial: 'blocked',
  on: { 'object.changed': editedWhileDeleting },
  states: {
    blocked: {
      description: 'Others still hold the object by their finalizers.',
      tags: [Tag.Held, Tag.Waiting],
      always: [
        { guard: not('isOwned'), target: '#withdrawing' },
        { guard: and(['isOnlyOurs', 'hasChildren']), target: 'removingChildren' },
        // mutant: cleanup-while-held {}.1 drop
        { guard: 'isOnlyOurs', target: 'deciding' },
      ],
    },
    deciding: {
      description: 'Deciding what has to be cleaned up, as soon as it can be.',
      tags: [Tag.Waiting, ResourceTag.Removing, Tag.AwaitsDependencies],
      always: [
        // mutant: finalizer-off-before-claims-end :#2 -> 'removingFinalizer'
        { guard: 'isDetached', target: 'endingClaims' },
        { guard: 'isGoneWithOther', target: 'endingClaims' },
        { guard: and(['isOwnershipDisputed', 'isRecorded', 'isCredentialed']), target: 'resolvingOwnership' },
        // mutant: shared-resource-removed drop
        { guard: and(['isShared', 'isRecorded', 'isCredentialed']), target: 'resolvingOwnership' },
        // Its id was taken out of the status: another object may have recorded the resource since.
        // mutant: unrecorded-id-removed drop
        { guard: and(['isRecorded', not('isStored'), 'isCredentialed']), target: 'resolvingOwnership' },
        { guard: and(['isRecorded', 'isCredentialed']), target: 'removing' },
        { guard: and([not('isRecorded'), not('mayHaveBuilt')]), target: 'endingClaims' },
        { guard: 'isProvedUnbuilt', target: 'endingClaims' },
        { guard: and([not('isRecorded'), 'isCredentialed']), target: 'searching' },
      ],
    },
    removingChildren: {
      // That one is absent may have been said before it was made: the API server knows.
      description: 'The deletion of the children is asked for.',
      tags: Tag.Busy,
      invoke: {
        id: 'removeChildren',
        src: 'removeChildren',
        input: ({ context: { key, object } }) => ({ key, isDetached: object.detached }),
        // mutant: gone-before-children {}.1 drop
        onDone: [{ guard: wereChildrenGone, target: 'deciding' }, { target: 'awaitingChildren' }],
        onError: { target: 'backingOff', actions: noteFailure },
      },
    },
    awaitingChildren: {
      description: 'Waiting until the children are deleted.',
      tags: [Tag.Waiting, ResourceTag.AwaitsChildren],
      on: {
        // The external resources of the children may be to stay now.
        'object.changed': [
          { guard: isEdited, target: 'removingChildren', actions: [storeObject, 'claim'] },
          { actions: storeObject },
        ],
        'dependencies.changed': [
          { guard: areChildrenNowGone, target: 'removingChildren', actions: storeDependencies },
          { actions: storeDependencies },
        ],
      },
      // It may have been said while the API server was asked.
      after: { childrenPause: { guard: 'areChildrenGone', target: 'removingChildren' } },
    },
    searching: {
      description: 'Looking for what a create may have left whose id was never recorded.',
      tags: [Tag.Busy, ResourceTag.Removing],
      entry: ['noteTry', 'noteBasis'],
      invoke: look('search', {
        one: 'resolvingOwnership',
        many: 'refused',
        none: [{ guard: foundNone, target: 'endingClaims' }],
        later: 'backingOff',
        unclear: 'undetermined',
        onError: { target: 'backingOff', actions: noteFailure },
      }),
    },
    resolvingOwnership: {
      description: 'Finding out whether another object has the resource: then it is not removed.',
      tags: [Tag.Busy, ResourceTag.Removing],
      invoke: askOwner('resolveOwnershipOnDelete', {
        isLeaving: true,
        later: 'backingOff',
        lost: 'undetermined',
        undo: ['recallRecorded'],
        others: [
          // mutant: foreign-resource-removed drop
          { guard: hasOwner, target: 'endingClaims', actions: 'forgetResource' },
          // mutant: intent-removed-unrecorded drop
          { guard: 'wasEarlier', target: 'recordingFound', actions: 'noteOwn' },
          { target: 'removing', actions: 'noteOwn' },
        ],
      }),
    },
    recordingFound: {
      description: 'Recording the result of an earlier create first: the current spec does not identify it.',
      tags: [Tag.Busy, ResourceTag.Removing],
      invoke: {
        id: 'recordFound',
        src: 'record',
        input: ofRecord,
        onDone: [
          { guard: { type: 'wasStored', params: ({ event }) => event.output }, target: 'removing' },
          { target: 'backingOff', actions: 'recallRecorded' },
        ],
        onError: { target: 'backingOff', actions: ['recallRecorded', noteFailure] },
      },
    },
    undetermined: {
      description: 'A resource may have been created, and identifying it needs a reference.',
      tags: ResourceTag.Removing,
      always: { guard: 'isLookStale', target: 'deciding' },
      after: { unclearPause: 'deciding' },
      on: { 'object.changed': decideIfEdited },
    },
    refused: {
      description: 'Several resources match; which one to remove is for a person to say.',
      tags: [Tag.Failing, Tag.Terminal],
      // A person has said it during the lookup.
      always: { guard: 'isBuiltOnReplaced', target: 'deciding' },
      on: {
        'object.changed': decideIfEdited,
      },
    },
    removing: {
      description: 'The deletion of the external resource is asked for, once.',
      tags: [Tag.Busy, ResourceTag.Removing],
      invoke: {
        id: 'remove',
        src: 'remove',
        input: ofResource,
        onDone: 'confirming',
        onError: { target: 'backingOff', actions: noteFailure },
      },
    },
    confirming: {
      description: 'Verifying that the external resource was deleted.',
      tags: [Tag.Busy, ResourceTag.Removing],
      invoke: {
        id: 'confirm',
        src: 'observe',
        input: ofResource,
        onDone: [{ guard: wasFound, target: 'awaitingRemoval', actions: 'forgetFailure' }, { target: 'endingClaims' }],
        onError: { target: 'backingOff', actions: noteFailure },
      },
    },
    awaitingRemoval: {
      description: 'The external system is still deleting the resource.',
      tags: [Tag.Waiting, ResourceTag.Removing, ResourceTag.AwaitsRemoval],
      entry: 'countLook',
      always: { guard: 'isDetached', target: 'endingClaims' },
      invoke: {
        id: 'watchRemoval',
        src: 'watch',
        input: ({ context: { key, externalId, observation }, self }) => ({
          key,
          externalId,
          observation,
          pollAfterMs: REMOVAL_POLL_MS,
          parent: self,
        }),
        onError: { target: 'backingOff', actions: [noteFailure, countUnwatchedOf] },
      },
      // A deletion that the cloud accepted and has not completed for long may be lost there. Whose the resource is by now
      // is decided again.
      // mutant: removal-asked-once drop
      // mutant: removal-repeated-unasked :#2 -> 'removing'
      after: { removalPatience: 'deciding' },
      on: {
        observed: { guard: wasSeenGone, target: 'endingClaims' },
        'dependencies.changed': { guard: isNewCredentials, target: 'confirming', actions: storeDependencies },
      },
    },
    backingOff: {
      description: 'The last step of the cleanup failed in a way that may pass.',
      tags: [Tag.Failing, ResourceTag.Removing],
      after: { backoff: 'blocked' },
      on: {
        'object.changed': [
          {
            guard: isEdited,
            target: 'blocked',
            actions: [storeObject, 'claim', 'resetAttempts'],
          },
          { actions: storeObject },
        ],
        'dependencies.changed': [
          { guard: isNewCredentials, target: 'blocked', actions: [storeDependencies, 'resetAttempts'] },
          { actions: storeDependencies },
        ],
      },
    },
    endingClaims: {
      tags: [Tag.Busy, ResourceTag.Unclaiming],
      description:
        'The claims are being ended, but for those that a cleanup needs: it may yet be this one again, elsewhere.',
      on: { 'object.changed': { actions: storeObject } },
      invoke: {
        id: 'endClaims',
        src: 'endClaims',
        input: ofObject,
        onDone: 'removingFinalizer',
        onError: { target: 'retryingRelease', actions: noteFailure },
      },
    },
    removingFinalizer: {
      description: 'The own finalizer is being removed.',
      tags: Tag.Busy,
      on: { 'object.changed': { actions: storeObject } },
      invoke: {
        id: 'removeOwnFinalizer',
        src: 'removeOwnFinalizer',
        input: ofObject,
        onDone: '#deleted',
        onError: [
          { guard: isLostRace, target: 'removingFinalizer', reenter: true, actions: 'countRace' },
          { target: 'retryingRelease', actions: noteFailure },
        ],
      },
    },
    retryingRelease: {
      description: 'The claims could not be ended, or the own finalizer not removed; nothing else is left to clean up.',
      tags: Tag.Failing,
      on: { 'object.changed': { actions: storeObject } },
      after: { backoff: 'endingClaims' },
    },
  },
});
