// From an object whose dependencies are ready to a resource that is recorded as its own: the part of the chart in which
// resources are made.
import { and, not } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { ResourceTag } from './context.ts';
import { resourceSetup } from './setup.ts';
import {
  anewIfEdited,
  anewIfUnsettled,
  anewIfUsurped,
  askOwner,
  hasEarlierRival,
  hasOwner,
  isLacking,
  isLostRace,
  isNewCredentials,
  look,
  lostReservation,
  mayCreate,
  mustTakeBack,
  noteClear,
  noteFailure,
  noteLack,
  noteOwner,
  ofObject,
  ofRecord,
  ofResource,
  refusedOrNot,
  storeDependencies,
  takeObserved,
  wasFound,
} from './steps.ts';

/** The winner's resource is the object's, unless its id has been taken away meanwhile. */
const forgetLoser = ['recallRecorded', 'forgetObservation'] as const;

export const building = resourceSetup.createStateConfig({
  description: 'The external resource is being found, or made, and recorded.',
  initial: 'importing',
  states: {
    importing: {
      id: 'importing',
      description: 'The resource that the object names is looked for.',
      tags: Tag.Busy,
      entry: 'noteTry',
      invoke: {
        id: 'import',
        src: 'import',
        input: ofObject,
        onDone: [
          { guard: wasFound, target: 'taking', actions: takeObserved },
          { target: 'awaitingExternal', actions: 'forgetFailure' },
        ],
        onError: refusedOrNot,
      },
    },
    awaitingExternal: {
      description: 'Nothing matches the import filter yet.',
      tags: ResourceTag.AwaitsImport,
      always: [
        { guard: 'isDeleting', target: '#deleting' },
        { guard: 'isBuiltOnReplaced', target: '#claiming' },
      ],
      after: { importPause: '#claiming' },
      on: { 'object.changed': anewIfEdited },
    },
    adopting: {
      id: 'adopting',
      description: 'Looking for what an earlier, interrupted create left behind.',
      tags: Tag.Busy,
      entry: 'noteTry',
      invoke: look('adopt', {
        one: 'resolvingOwnership',
        many: '#failed',
        none: [
          { guard: 'isDeleting', target: '#deleting' },
          { guard: mayCreate, target: 'making', actions: noteClear },
        ],
        later: '#backingOff',
        unclear: '#backingOff',
        onError: refusedOrNot,
      }),
    },
    resolvingOwnership: {
      id: 'resolvingOwnership',
      description: 'Finding out whether another object has what was found, or what is recorded.',
      tags: [Tag.Busy, ResourceTag.Contending],
      invoke: askOwner('resolveOwnership', {
        later: '#backingOff',
        // Whose it is was not found out: it is looked for again.
        lost: 'reservationLost',
        undo: forgetLoser,
        others: [
          { guard: mustTakeBack, target: 'clearingLostId' },
          // A found resource that this object must not own.
          { guard: hasEarlierRival, target: '#claiming', actions: ['discardIntents', ...forgetLoser] },
          // mutant: foreign-resource-recorded drop
          { guard: hasOwner, target: 'ownedElsewhere', actions: [...forgetLoser, noteOwner] },
          { guard: 'isStored', target: '#recorded', actions: 'noteOwn' },
          { target: 'taking', actions: 'noteOwn' },
        ],
      }),
      // mutant: verdict-of-earlier-id drop
      on: { 'object.changed': anewIfUsurped },
    },
    reservationLost: {
      description: 'Another object is creating the resource, or may have created it: looking it up again.',
      tags: Tag.Busy,
      entry: 'forgetClear',
      after: { turnPause: '#claiming' },
    },
    clearingLostId: {
      description: "The recorded id is taken back: the resource is another object's.",
      tags: Tag.Busy,
      invoke: {
        id: 'yield',
        src: 'record',
        input: ofObject,
        // It may have one of its own, which is found by what it is like.
        onDone: { target: '#claiming', actions: 'forgetResource' },
        onError: { target: '#backingOff', actions: [...forgetLoser, noteFailure] },
      },
    },
    ownedElsewhere: {
      id: 'ownedElsewhere',
      description: 'Another object owns the resource: waiting until that object is deleted, or has another resource.',
      tags: [Tag.Waiting, ResourceTag.Taken],
      entry: ['watchOwner', 'forgetFailure'],
      exit: 'forgetRival',
      always: [
        { guard: 'isDeleting', target: '#deleting' },
        // The verdict is on what the spec before leads to, and its owner may stay for ever.
        // mutant: edit-while-contended drop
        { guard: 'isBuiltOnReplaced', target: '#claiming' },
        // Nothing was built on it.
        { guard: and(['mustWithdraw', not('mayHaveBuilt')]), target: '#claiming' },
      ],
      on: {
        'owner.released': '#claiming',
        'object.changed': anewIfUnsettled,
        'dependencies.changed': [
          { guard: isNewCredentials, target: '#claiming', actions: storeDependencies },
          { actions: storeDependencies },
        ],
      },
    },
    making: {
      id: 'making',
      description: 'Deciding whether the own finalizer has to be stored before the create.',
      tags: Tag.Busy,
      always: [
        // mutant: creates-unguarded {}.1 drop
        { guard: 'isOwned', target: 'creating' },
        // With the finalizer it would look as if it had made something: at its deletion a resource of another client would be
        // taken for its own.
        // mutant: unsendable-create-guarded drop
        { guard: 'isUnsendable', target: '#failed', actions: ['noteTry', 'noteRefusal'] },
        { target: 'addingFinalizer' },
      ],
    },
    taking: {
      description: 'Deciding whether the own finalizer has to be stored before the id of what was found.',
      tags: Tag.Busy,
      always: [{ guard: 'isOwned', target: 'recording' }, { target: 'addingFinalizer' }],
    },
    addingFinalizer: {
      id: 'addingFinalizer',
      description: 'The own finalizer is being stored: what comes next may leave something behind.',
      tags: [Tag.Busy, ResourceTag.Guarding],
      entry: 'noteTry',
      invoke: {
        id: 'addOwnFinalizer',
        src: 'addOwnFinalizer',
        input: ofObject,
        onDone: [
          { guard: not('isOwned'), target: '#backingOff', actions: forgetLoser },
          { guard: and(['isRecorded', not('isStored')]), target: 'recording' },
          // The create may not be wanted any more, or dependencies have changed meanwhile.
          { target: '#claiming' },
        ],
        onError: { target: '#backingOff', actions: [...forgetLoser, noteFailure] },
      },
    },
    creating: {
      id: 'creating',
      description: 'The external resource is being created.',
      tags: Tag.Busy,
      // mutant: deletion-overtakes-create -> $, always: { guard: 'isDeleting', target: '#deleting' }
      entry: ['noteTry', 'noteBuilding', 'noteBasis'],
      invoke: {
        id: 'create',
        src: 'create',
        input: ({ context: { key, completedLookup } }) => ({ key, completedLookup }),
        onDone: { target: 'recording', actions: [takeObserved, 'noteMade'] },
        onError: [
          { guard: lostReservation, target: 'reservationLost' },
          { guard: isLacking, target: 'awaitingPrerequisite', actions: noteLack },
          ...refusedOrNot,
        ],
      },
    },
    awaitingPrerequisite: {
      description: 'Something that the resource is to be made of is not there yet; waiting until a dependency changes.',
      tags: Tag.Waiting,
      // An edit during the step before may have brought the dependency for which it waits.
      // mutant: edit-during-lookup-unclaimed [].1 drop
      entry: ['claim', 'forgetFailure'],
      exit: 'forgetLack',
      always: [
        { guard: 'isDeleting', target: '#deleting' },
        { guard: 'isBuiltOnReplaced', target: '#claiming' },
        { guard: 'isPassStale', target: '#claiming' },
        // It went while the resource was looked for.
        { guard: 'mustWithdraw', target: '#claiming' },
      ],
      on: { 'object.changed': anewIfUnsettled },
    },
    recording: {
      id: 'recording',
      description: 'The external id is being stored in the status.',
      tags: [Tag.Busy, ResourceTag.Recording],
      invoke: {
        id: 'record',
        src: 'record',
        input: ofRecord,
        onDone: [
          {
            // The former owner may have removed it between the lookup and the decision about ownership, and be deleted.
            guard: { type: 'wasSoughtAndStored', params: ({ event }) => event.output },
            target: '#observing',
            actions: 'noteRecorded',
          },
          {
            guard: { type: 'wasStored', params: ({ event }) => event.output },
            target: '#recorded',
            actions: 'noteRecorded',
          },
          // A resource that was only found, or imported, must not be removed (EXTERNAL-RESOURCE-9).
          // mutant: found-resource-discarded drop
          { guard: not('isMade'), target: '#claiming', actions: forgetLoser },
          { target: 'discarding' },
        ],
        onError: [
          { guard: isLostRace, target: 'recording', reenter: true, actions: 'countRace' },
          { target: 'retryingRecord', actions: noteFailure },
        ],
      },
    },
    retryingRecord: {
      description: 'Storing the external id failed; the id is not forgotten meanwhile.',
      tags: Tag.Failing,
      // Its time may have passed, and another object have found it.
      after: { backoff: [{ guard: 'isManaged', target: 'resolvingOwnership' }, { target: 'recording' }] },
    },
    discarding: {
      description: 'Another id was recorded first; what the own create made is removed.',
      tags: Tag.Busy,
      invoke: {
        id: 'discard',
        src: 'remove',
        input: ofResource,
        onDone: { target: '#claiming', actions: forgetLoser },
        onError: { target: 'retryingDiscard', actions: noteFailure },
      },
    },
    retryingDiscard: {
      description: 'Removing what lost the race failed; it is tried again.',
      tags: Tag.Failing,
      // Its time may have passed, and another object have found it.
      // mutant: discard-repeated-unasked :#2 -> 'discarding'
      after: { backoff: 'resolvingDiscard' },
    },
    resolvingDiscard: {
      description: 'Finding out whether another object has what is to be removed: then it is left.',
      tags: Tag.Busy,
      invoke: askOwner('resolveDiscard', {
        later: 'retryingDiscard',
        lost: 'retryingDiscard',
        undo: [],
        others: [{ guard: hasOwner, target: '#claiming', actions: forgetLoser }, { target: 'discarding' }],
      }),
    },
  },
});
