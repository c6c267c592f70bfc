// Bringing an image to a host, and taking it away.
import { and, not } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { ProvisioningState } from './host.ts';
import { hostSetup } from './setup.ts';
import {
  answered,
  backingOffUntil,
  deciding,
  gate,
  goes,
  ofNode,
  pending,
  plan,
  refusedOrNot,
  succeeded,
  take,
  toDeleting,
  toDeprovisioning,
  toPoweringOff,
  was,
  wentOn,
} from './shared-states.ts';
import { adopting } from './steady.ts';

const S = ProvisioningState;

const provisioning = hostSetup.createStateConfig({
  id: 'provisioning',
  description: 'What is wanted is being deployed.',
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({
      state: S.Provisioning,
      waysOut: [toDeleting(S.Provisioning), toDeprovisioning(S.Provisioning)],
      isGated: true,
    }),
    ...gate(S.Provisioning),
    judging: {
      description: 'Deciding whether it is still to be deployed.',
      tags: Tag.Busy,
      entry: 'noteAttempt',
      always: [
        { guard: not('isSaved'), target: 'deciding' },
        { guard: goes('abandoned'), target: '#deprovisioning', actions: plan({ row: 'abandoned' }) },
        { target: 'deploying' },
      ],
    },
    deploying: {
      description: 'The deployment is begun, or how far it is is looked up.',
      tags: Tag.Busy,
      invoke: {
        id: 'provision',
        src: 'provision',
        input: ofNode,
        onDone: [
          {
            guard: wentOn('provisioned', 'done'),
            target: '#provisioned',
            actions: [...succeeded, take('provisioned')],
          },
          // It was canceled meanwhile, or another image is wanted.
          { guard: was('done'), target: 'deciding', actions: succeeded },
          ...answered,
        ],
        onError: refusedOrNot,
      },
    },
    ...pending(S.Provisioning),
  },
});

const deprovisioning = hostSetup.createStateConfig({
  id: 'deprovisioning',
  description: 'What is deployed is being taken away.',
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({
      state: S.Deprovisioning,
      waysOut: [toDeleting(S.Deprovisioning), toPoweringOff(S.Deprovisioning)],
      isGated: true,
      isLeaving: true,
    }),
    ...gate(S.Deprovisioning),
    judging: {
      description: 'Deciding whether Ironic knows what is to be taken away.',
      tags: Tag.Busy,
      always: [
        { guard: and(['isDeployed', not('isAdopted'), not('isLackingAtEnd')]), target: 'adopting' },
        { target: 'undeploying' },
      ],
    },
    adopting,
    undeploying: {
      description: 'The removal is begun, or how far it is is looked up.',
      tags: Tag.Busy,
      invoke: {
        id: 'deprovision',
        src: 'deprovision',
        input: ofNode,
        onDone: [
          {
            guard: wentOn('deprovisionedAtEnd', 'done'),
            target: '#poweringOff',
            actions: [...succeeded, take('deprovisionedAtEnd')],
          },
          { guard: was('done'), target: '#available', actions: [...succeeded, take('deprovisioned')] },
          {
            guard: wentOn('deprovisioningOutOfReach', 'absent'),
            target: '#deleting',
            actions: [...succeeded, take('deprovisioningOutOfReach')],
          },
          ...answered,
        ],
        onError: refusedOrNot,
      },
    },
    ...pending(S.Deprovisioning),
    backingOff: backingOffUntil(toDeleting(S.Deprovisioning), {
      guard: goes('deprovisioningGivenUp', 'failed'),
      target: '#poweringOff',
      actions: take('deprovisioningGivenUp'),
    }),
  },
});

export const deploying = { provisioning, deprovisioning };
