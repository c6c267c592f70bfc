// Getting hold of what an object depends on: the part of the chart before anything is done outside.
import { and, not, or } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { resourceSetup } from './setup.ts';
import { foundNone, isNewGeneration, look, noteFailure, ofObject, storeObject } from './steps.ts';

/** Any other change is stored as everywhere (`machine.ts`). */
const editedWhileWaiting = {
  guard: isNewGeneration,
  target: 'awaitingDependencies',
  reenter: true,
  actions: [storeObject, 'forgetClear'],
} as const;

export const claiming = resourceSetup.createStateConfig({
  id: 'claiming',
  description: 'Getting hold of what the object depends on.',
  tags: Tag.AwaitsDependencies,
  initial: 'checkingFinalizer',
  states: {
    checkingFinalizer: {
      description: 'Deciding whether the own finalizer has to be stored first: there is a resource.',
      tags: Tag.Busy,
      always: [
        { guard: 'isDeleting', target: '#deleting' },
        // mutant: recorded-resource-unguarded drop
        { guard: and(['isRecorded', not('isOwned')]), target: '#addingFinalizer' },
        { target: 'awaitingDependencies' },
      ],
    },
    awaitingDependencies: {
      description: 'Claimed; waiting until every needed dependency is ready.',
      tags: Tag.Waiting,
      entry: 'claim',
      always: [
        { guard: 'isDeleting', target: '#deleting' },
        // Before all else: the next step may need none of what is being deleted, and end in a wait for something else.
        {
          // mutant: yields-what-was-built-on : -> 'mustWithdraw'
          guard: and(['mustWithdraw', or([not('mayHaveBuilt'), 'isProvedUnbuilt'])]),
          target: 'awaitingDependencies',
          actions: 'withdrawClaims',
          reenter: true,
        },
        { guard: and(['mustWithdraw', 'isAbleToLook']), target: 'probing' },
        { guard: and(['isReadyToAct', 'isRecorded']), target: '#observing' },
        { guard: and(['isReadyToAct', not('isManaged')]), target: '#importing' },
        { guard: and(['isReadyToAct', 'isClear']), target: '#making' },
        // mutant: creates-without-look :#2 -> '#making'
        { guard: 'isReadyToAct', target: '#adopting' },
        { guard: 'isWorthLookingAhead', target: 'prefetching' },
      ],
      // References may have changed, and are claimed; the lookup may have changed too.
      on: { 'object.changed': editedWhileWaiting },
    },
    prefetching: {
      description: 'Looking up the result of an earlier lifecycle while a dependency is still being created.',
      tags: Tag.Busy,
      invoke: {
        id: 'prefetch',
        src: 'find',
        input: ofObject,
        onDone: [
          {
            guard: foundNone,
            target: 'awaitingDependencies',
            actions: { type: 'noteClear', params: ({ event }) => event.output },
          },
          { target: 'awaitingDependencies', actions: { type: 'noteClear', params: { at: 0 } } },
        ],
        // Prefetching is best effort: a failure shows up again at the real lookup.
        onError: { target: 'awaitingDependencies', actions: { type: 'noteClear', params: { at: 0 } } },
      },
    },
    probing: {
      description: 'A dependency is being deleted: was anything built on it?',
      tags: Tag.Busy,
      entry: ['noteTry', 'noteBasis', 'noteLook'],
      invoke: look('probe', {
        one: '#resolvingOwnership',
        many: '#failed',
        none: [{ guard: foundNone, target: 'awaitingDependencies', actions: ['withdrawClaims', 'noteUnbuilt'] }],
        later: '#backingOff',
        unclear: 'undetermined',
        onError: { target: '#backingOff', actions: noteFailure },
      }),
    },
    undetermined: {
      description: 'A resource may have been created, and identifying it needs a reference; no claim is withdrawn.',
      tags: Tag.Waiting,
      always: [
        { guard: 'isDeleting', target: '#deleting' },
        { guard: 'isLookStale', target: 'awaitingDependencies' },
      ],
      after: { unclearPause: 'awaitingDependencies' },
      on: { 'object.changed': editedWhileWaiting },
    },
  },
});
