// Keeping a recorded resource as it is specified: the part of the chart between building and resting.
import { Tag } from '../lifecycle.ts';
import { ResourceTag } from './context.ts';
import { isToReport } from './outcomes.ts';
import { resourceSetup } from './setup.ts';
import {
  anewIfUnsettled,
  anewIfUsurped,
  countUnwatchedOf,
  isNewCredentials,
  isTerminal,
  noteFailure,
  ofObject,
  ofResource,
  storeDependencies,
  takeObserved,
  takeSeen,
  wasFound,
  wasReplaced,
  wasSeen,
  wasSeenUnrecorded,
} from './steps.ts';

export const keeping = resourceSetup.createStateConfig({
  description: 'The resource is compared with the spec, and brought up to it.',
  initial: 'observing',
  states: {
    recorded: {
      id: 'recorded',
      description: 'The resource is known, and known to be ours; deciding what follows.',
      tags: Tag.Busy,
      always: [
        { guard: 'isDeleting', target: '#deleting' },
        { guard: 'isOwnershipDisputed', target: '#resolvingOwnership' },
        { guard: 'isManaged', target: 'updating' },
        { target: 'evaluating' },
      ],
    },
    observing: {
      id: 'observing',
      description: 'The external resource is being read.',
      tags: Tag.Busy,
      entry: ['noteTry', 'noteLook'],
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ofResource,
        onDone: [
          // mutant: replacement-discarded drop
          { guard: wasReplaced, target: 'clearingId', actions: 'noteVanished' },
          {
            guard: { type: 'wasFoundUnrecorded', params: ({ event }) => ({ observation: event.output }) },
            target: '#resolvingOwnership',
            actions: takeObserved,
          },
          { guard: wasFound, target: 'recorded', actions: takeObserved },
          { guard: 'isToReport', target: '#failed', actions: 'noteLoss' },
          { target: 'clearingId', actions: 'noteVanished' },
        ],
        onError: [
          { guard: isTerminal, target: '#failed', actions: ['forgetObservation', noteFailure] },
          { target: '#backingOff', actions: ['forgetObservation', noteFailure] },
        ],
      },
      on: { 'object.changed': anewIfUsurped },
    },
    clearingId: {
      description: 'The external resource was deleted; clearing its id so that another can be created.',
      tags: ResourceTag.Vanished,
      invoke: {
        id: 'forget',
        src: 'record',
        input: ofObject,
        // The created resource is deleted: a resource found from here on is another one (EXTERNAL-RESOURCE-9).
        // mutant: vanished-resource-intended {}.1 drop
        onDone: { target: '#claiming', actions: 'discardIntents' },
        // The next lifecycle would not know resources created under another id (I4).
        // mutant: uncleared-id-forgotten [].1 drop
        onError: { target: '#backingOff', actions: ['recallRecorded', noteFailure] },
      },
    },
    updating: {
      description: 'What differs from the spec is being changed.',
      tags: Tag.Busy,
      entry: ['noteTry', 'noteBasis'],
      invoke: {
        id: 'update',
        src: 'update',
        input: ({ context }) => ({ key: context.key, observation: context.observation, report: isToReport(context) }),
        onDone: [
          { guard: 'isDeleting', target: '#deleting' },
          {
            guard: { type: 'wasChangedInVain', params: ({ event }) => event.output },
            target: 'recheckingUpdate',
            actions: 'countChange',
          },
          {
            guard: { type: 'wasChanged', params: ({ event }) => event.output },
            target: 'observing',
            actions: 'countChange',
          },
          {
            guard: { type: 'wasEmpty', params: ({ event }) => event.output },
            target: '#transferringContent',
            actions: 'noteAvailability',
          },
          { target: 'evaluating', actions: { type: 'notePass', params: ({ event }) => event.output } },
        ],
        onError: [
          { guard: isTerminal, target: '#failed', actions: ['noteAvailability', noteFailure] },
          { target: '#backingOff', actions: ['noteAvailability', noteFailure] },
        ],
      },
    },
    recheckingUpdate: {
      description: 'The cloud accepts changes without applying them; polling with backoff.',
      tags: ResourceTag.AwaitsChange,
      after: { rereadPause: 'observing' },
      on: { 'object.changed': anewIfUnsettled },
    },
    evaluating: {
      description: 'Deciding whether the resource can be used as it was observed.',
      tags: Tag.Busy,
      entry: ['noteSuccess', 'noteAvailability'],
      always: [
        // mutant: edit-while-compared drop
        { guard: 'isBuiltOnReplaced', target: '#claiming' },
        { guard: 'isOwnershipDisputed', target: '#claiming' },
        { guard: 'isPassStale', target: 'updating' },
        { guard: 'isPassOnOld', target: 'observing' },
        // mutant: news-during-pass-missed drop
        { guard: 'hasNews', target: 'observing' },
        { guard: 'isWaiting', target: 'awaitingReady' },
        { guard: 'isAvailable', target: '#idle.available' },
        { guard: 'isAtWork', target: 'awaitingReady' },
        { target: '#idle.unavailable' },
      ],
    },
    awaitingReady: {
      id: 'awaitingReady',
      description: 'The external system is still working on the resource, or an update waits for a dependency.',
      tags: [Tag.Waiting, ResourceTag.AwaitsReadiness],
      // An edit during the update may have brought the dependency for which it waits.
      // mutant: edit-during-update-unclaimed [].1 drop
      entry: ['claim', 'countLook'],
      always: [
        { guard: 'isPassStale', target: 'updating' },
        // An unused dependency waits for us, as we wait for its successor (P1).
        { guard: 'mustYieldUnused', actions: ['withdrawUnused', 'claim'] },
        { guard: 'mayBeUnused', target: 'observing' },
      ],
      invoke: {
        id: 'watch',
        src: 'watch',
        input: ({ context: { key, externalId, observation }, self }) => ({
          key,
          externalId,
          observation,
          pollAfterMs: observation?.pollAfterMs,
          parent: self,
        }),
        onError: [
          { guard: isTerminal, target: '#failed', actions: ['forgetObservation', noteFailure] },
          { target: '#backingOff', actions: ['forgetObservation', noteFailure, countUnwatchedOf] },
        ],
      },
      after: { repassPause: 'observing' },
      on: {
        observed: [
          { guard: wasSeenUnrecorded, target: '#resolvingOwnership', actions: [takeSeen, 'resetUnwatched'] },
          { guard: wasSeen, target: 'recorded', actions: [takeSeen, 'resetUnwatched'] },
          { guard: 'isToReport', target: '#failed', actions: 'noteLoss' },
          { target: 'clearingId', actions: 'noteVanished' },
        ],
        'object.changed': anewIfUnsettled,
        // The awaited change may be in dependents.
        'relations.changed': { target: 'observing', actions: 'expectEcho' },
        // A watch with the old credentials may fail.
        // mutant: watched-with-old-credentials drop
        'dependencies.changed': { guard: isNewCredentials, target: 'observing', actions: storeDependencies },
      },
    },
  },
});
