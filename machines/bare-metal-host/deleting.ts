// The end of a host: the part of the chart after the user deleted it.
import { not } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { ErrorType } from './errors.ts';
import { ProvisioningState } from './host.ts';
import { hostSetup } from './setup.ts';
import {
  answered,
  backingOffUntil,
  deciding,
  goes,
  noteError,
  pending,
  refusedOrNot,
  succeeded,
  take,
  toDeleting,
  waits,
  was,
  wentOn,
  who,
} from './shared-states.ts';

const S = ProvisioningState;

const poweringOff = hostSetup.createStateConfig({
  id: 'poweringOff',
  description: 'It is switched off for the last time.',
  tags: Tag.Deleting,
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({
      state: S.PoweringOffBeforeDelete,
      waysOut: [toDeleting(S.PoweringOffBeforeDelete)],
      isLeaving: true,
    }),
    judging: {
      description: 'Deciding whether it may be switched off.',
      tags: Tag.Busy,
      always: [
        { guard: goes('poweredOff'), target: '#deleting', actions: take('poweredOff') },
        { target: 'switchingOff' },
      ],
    },
    switchingOff: {
      description: 'It is being switched off.',
      tags: Tag.Busy,
      invoke: {
        id: 'powerOff',
        src: 'power',
        input: ({ context: { key, node, status } }) => ({
          key,
          node,
          target: 'off' as const,
          mode: 'hard' as const,
          force: status.errorType === ErrorType.PowerManagement,
        }),
        onDone: [
          { guard: was('done'), target: '#deleting', actions: [...succeeded, take('poweredOff')] },
          {
            guard: wentOn('powerOffOutOfReach', 'absent'),
            target: '#deleting',
            actions: [...succeeded, take('powerOffOutOfReach')],
          },
          ...answered,
        ],
        onError: refusedOrNot,
      },
    },
    ...pending(S.PoweringOffBeforeDelete),
    backingOff: backingOffUntil(toDeleting(S.PoweringOffBeforeDelete), {
      guard: goes('powerOffGivenUp', 'failed'),
      target: '#deleting',
      actions: take('powerOffGivenUp'),
    }),
  },
});

const releaseAgain = { target: 'retryingRelease', actions: noteError } as const;

const deleting = hostSetup.createStateConfig({
  id: 'deleting',
  description: 'It is taken out of Ironic, and let go.',
  tags: Tag.Deleting,
  initial: 'deciding',
  states: {
    deciding: {
      description: 'Storing the decision and checking the holders of the host.',
      tags: Tag.Busy,
      entry: 'claim',
      exit: 'heed',
      always: [
        { guard: 'isGone', target: '#deleted' },
        // mutant: host-leaves-holders drop
        { guard: 'isHeld', target: 'held' },
        // mutant: host-leaves-node :#2 -> 'endingClaims'
        { guard: 'isSaved', target: 'removing' },
      ],
    },
    held: {
      description: 'Others hold it by their finalizers.',
      tags: [Tag.Held, Tag.Waiting],
      always: { guard: not('isHeld'), target: 'deciding' },
    },
    removing: {
      description: 'It is being taken out of Ironic.',
      tags: Tag.Busy,
      invoke: {
        id: 'remove',
        src: 'remove',
        input: ({ context: { key, node } }) => ({ key, node, force: false }),
        onDone: [
          { guard: was('done'), target: 'endingClaims', actions: succeeded },
          { guard: was('absent'), target: 'endingClaims', actions: succeeded },
          ...answered,
        ],
        onError: refusedOrNot,
      },
    },
    ...waits,
    endingClaims: {
      description: 'The claims are being ended.',
      tags: Tag.Busy,
      invoke: { id: 'endClaims', src: 'endClaims', input: who, onDone: 'removingFinalizer', onError: releaseAgain },
    },
    removingFinalizer: {
      description: 'The own finalizer is being removed.',
      tags: Tag.Busy,
      entry: 'noteReleased',
      invoke: {
        id: 'removeOwnFinalizer',
        src: 'removeOwnFinalizer',
        input: who,
        onDone: '#deleted',
        onError: releaseAgain,
      },
    },
    retryingRelease: {
      description: 'The claims could not be ended, or the own finalizer not removed.',
      tags: Tag.Failing,
      after: { retryPause: 'endingClaims' },
    },
  },
});

export const leaving = { poweringOff, deleting };
