// Bringing content to a resource that was made empty: the part of the chart that an update asks for (`UpdateOutcome.empty`).
//
// Invariants:
//   CONTENT-TRANSFER-1. An attempt is stored in the status before anything of it is done, so that a crash is an attempt, too.
//   CONTENT-TRANSFER-2. What is brought is bounded by the lease, and ended when the user deletes the object.
//   CONTENT-TRANSFER-3. It may be brought twice: a resource that is not empty any more is left as it is.
import { Tag } from '../lifecycle.ts';
import { ResourceTag } from './context.ts';
import { resourceSetup } from './setup.ts';
import { isLostRace, isTerminal, noteFailure, ofResource, refusedOrNot } from './steps.ts';

const noteFillFailure = {
  type: 'noteFillFailure',
  params: ({ event }: { event: { error: unknown } }) => event,
} as const;

export const filling = resourceSetup.createStateConfig({
  id: 'transferringContent',
  description: 'The resource is there, and its content is brought to it.',
  initial: 'announcing',
  entry: 'beginFilling',
  always: [
    { guard: 'isDeleting', target: '#deleting' },
    { guard: 'isOwnershipDisputed', target: '#claiming' },
  ],
  states: {
    announcing: {
      description: 'That it begins is being said.',
      tags: Tag.Busy,
      invoke: {
        id: 'announce',
        src: 'announce',
        input: ({ context: { key } }) => ({ key, step: 'begun' as const }),
        onDone: 'delegating',
        onError: [{ guard: isLostRace, target: 'announcing', reenter: true, actions: 'countRace' }, ...refusedOrNot],
      },
    },
    delegating: {
      description: 'Requesting the external system to fetch the content itself, if it can.',
      tags: Tag.Busy,
      invoke: {
        id: 'delegate',
        src: 'delegate',
        input: ofResource,
        onDone: [
          {
            guard: { type: 'wasDelegated', params: ({ event }) => ({ outcome: event.output }) },
            target: 'delegated',
            actions: { type: 'noteDelegation', params: ({ event }) => ({ outcome: event.output }) },
          },
          { target: 'attempting' },
        ],
        onError: refusedOrNot,
      },
    },
    delegated: {
      description: 'Storing the status that the external system fetches the content.',
      tags: Tag.Busy,
      invoke: {
        id: 'announceDelegation',
        src: 'announce',
        input: ({ context: { key } }) => ({ key, step: 'delegated' as const }),
        onDone: '#awaitingReady',
        onError: [{ guard: isLostRace, target: 'delegated', reenter: true, actions: 'countRace' }, ...refusedOrNot],
      },
    },
    attempting: {
      description: 'That this is one more attempt is being stored.',
      tags: Tag.Busy,
      invoke: {
        id: 'announceAttempt',
        src: 'announce',
        input: ({ context: { key } }) => ({ key, step: 'attempted' as const }),
        onDone: { target: 'uploading', actions: 'resetRaces' },
        onError: [{ guard: isLostRace, target: 'attempting', reenter: true, actions: 'countRace' }, ...refusedOrNot],
      },
    },
    uploading: {
      description: 'The content is on its way; it takes as long as it takes.',
      tags: [Tag.Waiting, ResourceTag.ContentTransfer],
      invoke: {
        id: 'fill',
        src: 'fill',
        input: ({ context: { key, externalId }, self }) => ({ key, externalId, parent: self }),
        onDone: '#observing',
        onError: [
          { guard: isTerminal, target: '#failed', actions: [noteFailure, noteFillFailure] },
          { target: '#backingOff', actions: [noteFailure, noteFillFailure] },
        ],
      },
      on: {
        'content.progressed': { actions: { type: 'noteFilled', params: ({ event }) => event } },
      },
    },
  },
});
