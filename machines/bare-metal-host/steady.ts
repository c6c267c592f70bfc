// Steady host, available or provisioned: its power is managed, and it continues when its spec changes.
import { not } from 'xstate';
import { Tag } from '../lifecycle.ts';
import type { HostContext, NodeObserved, PowerEffectInput } from './context.ts';
import { ProvisioningState } from './host.ts';
import type { Outcome } from './outcome.ts';
import type { PowerStep } from './power.ts';
import { hostSetup, powerStepOf } from './setup.ts';
import {
  answered,
  deciding,
  goes,
  noteError,
  noteStuck,
  ofNode,
  onEdited,
  pending,
  plan,
  refusedOrNot,
  storeDependencies,
  succeeded,
  take,
  takeOutcome,
  toDeleting,
  toDeprovisioning,
  toPoweringOff,
  was,
  wasSwitched,
} from './shared-states.ts';

const S = ProvisioningState;
const must = (step: PowerStep['step']) => ({ type: 'isPowerStep', params: { step } }) as const;

/** Input of a power change, for the effect and for the report of its failure. */
function powerInput({ context }: { context: HostContext }): PowerEffectInput {
  const { key, node } = context;
  const step = powerStepOf(context);
  if (step.step === 'reboot') return { key, node, target: 'reboot', mode: step.mode, force: step.force };
  if (step.step === 'powerOff') return { key, node, target: 'off', mode: step.mode, force: step.force };
  return { key, node, target: 'on', mode: 'hard', force: step.step === 'powerOn' && step.force };
}

const notePowerFailure = {
  type: 'notePowerFailure',
  params: ({ context, event }: { context: HostContext; event: { output: Outcome } }) => {
    const { target, mode } = powerInput({ context });
    return { outcome: event.output, mode: target === 'on' ? undefined : mode };
  },
} as const;
const powerFailed = { guard: was('failed'), target: 'backingOff', actions: [notePowerFailure, ...succeeded] } as const;

const unlessSaved = { guard: not('isSaved'), target: 'deciding' } as const;
const decidedOnPower = [
  { guard: must('record'), target: 'deciding', actions: 'notePower' },
  { guard: must('removeAnnotation'), target: 'deciding', actions: 'endReboot' },
  { guard: must('service'), target: 'servicing' },
  { guard: must('powerOn'), target: 'switching' },
  { guard: must('powerOff'), target: 'switching' },
  { guard: must('reboot'), target: 'rebooting' },
  { target: 'idle' },
] as const;

const judgingPower = hostSetup.createStateConfig({
  description: 'Deciding what is to be done about the power.',
  tags: Tag.Busy,
  entry: 'undelay',
  always: [unlessSaved, { guard: must('dataImage'), target: 'attachingDataImage' }, ...decidedOnPower],
});

/** Only what is provisioned has a virtual CD. */
const judgingPowerAlone = hostSetup.createStateConfig({
  description: 'Deciding what is to be done about the power.',
  tags: Tag.Busy,
  entry: 'undelay',
  always: [unlessSaved, ...decidedOnPower],
});

const attachingDataImage = hostSetup.createStateConfig({
  description: 'Before it is switched on, its virtual CD is attached or detached.',
  tags: Tag.Busy,
  invoke: {
    id: 'attachDataImage',
    src: 'attachDataImage',
    input: ofNode,
    onDone: [{ guard: was('done'), target: 'deciding', actions: [...succeeded, 'noteDataImage'] }, ...answered],
    onError: refusedOrNot,
  },
});

const servicing = hostSetup.createStateConfig({
  description: 'Firmware that is to be seen to at a reboot is seen to.',
  tags: Tag.Busy,
  invoke: {
    id: 'service',
    src: 'service',
    input: ({ context }) => ({
      ...ofNode({ context }),
      isBegun: context.status.operationalStatus === 'servicing' || context.status.errorType === 'servicing error',
    }),
    onDone: [
      { guard: was('done'), target: 'deciding', actions: [...succeeded, 'noteServiced'] },
      { guard: was('due'), target: 'deciding', actions: [...succeeded, 'noteServiceDue'] },
      ...answered,
    ],
    onError: refusedOrNot,
  },
});

const switching = hostSetup.createStateConfig({
  description: 'It is being switched on or off.',
  tags: Tag.Busy,
  invoke: {
    id: 'power',
    src: 'power',
    input: powerInput,
    onDone: [
      { guard: wasSwitched, target: 'deciding', actions: succeeded },
      { guard: was('done'), target: 'retrying', actions: [takeOutcome, noteStuck] },
      powerFailed,
      ...answered,
    ],
    onError: refusedOrNot,
  },
});

const rebooting = hostSetup.createStateConfig({
  description: 'It must not be switched off, and is rebooted instead.',
  tags: Tag.Busy,
  invoke: {
    id: 'reboot',
    src: 'power',
    input: powerInput,
    onDone: [
      { guard: was('done'), target: 'deciding', actions: ['noteRebooted', ...succeeded] },
      powerFailed,
      ...answered,
    ],
    onError: refusedOrNot,
  },
});

const idle = hostSetup.createStateConfig({
  description: 'Everything is as it is to be; the node is looked on.',
  tags: Tag.Settled,
  entry: ['claim', 'forgetSeenTo', 'forgetErrors', 'noteGeneration'],
  invoke: {
    id: 'watch',
    src: 'watch',
    input: ({ context: { key, node }, self }) => ({ key, node, pollAfterMs: undefined, parent: self }),
    onError: { target: 'retrying', actions: noteError },
  },
  on: {
    observed: {
      target: 'deciding',
      actions: { type: 'takeNode', params: ({ event }: { event: NodeObserved }) => event },
    },
    'object.changed': onEdited('deciding'),
    'dependencies.changed': { target: 'deciding', actions: storeDependencies },
  },
});

const powerAlone = { judgingPower: judgingPowerAlone, servicing, switching, rebooting, idle };
const power = { ...powerAlone, judgingPower, attachingDataImage };

/** Lets Ironic know what runs on the machine, whatever became of its database. */
export const adopting = hostSetup.createStateConfig({
  description: 'Ironic is told what runs there, unless it knows.',
  tags: Tag.Busy,
  invoke: {
    id: 'adopt',
    src: 'adopt',
    input: ofNode,
    onDone: [{ guard: was('done'), target: 'deciding', actions: [...succeeded, 'noteAdopted'] }, ...answered],
    onError: refusedOrNot,
  },
});

const available = hostSetup.createStateConfig({
  id: 'available',
  description: 'It is free.',
  tags: Tag.Available,
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({
      state: S.Available,
      aliases: [S.Ready],
      waysOut: [toDeleting(S.Available), toPoweringOff(S.Available)],
    }),
    judging: {
      description: 'Deciding whether something is wanted of it.',
      tags: Tag.Busy,
      always: [
        {
          guard: goes('externallyProvisioned'),
          target: '#externallyProvisioned',
          actions: take('externallyProvisioned'),
        },
        { guard: goes('inspectedAgain'), target: '#inspecting', actions: plan({ row: 'inspectedAgain' }) },
        { guard: goes('preparedAgain'), target: '#preparing', actions: take('preparedAgain') },
        { guard: goes('wanted'), target: '#provisioning', actions: plan({ row: 'wanted' }) },
        { guard: 'isLimitReached', target: 'exhausted', actions: 'noteLimitReached' },
        { guard: 'mustForgetAttempts', target: 'deciding', actions: 'forgetAttempts' },
        { target: 'judgingPower' },
      ],
    },
    exhausted: {
      description: 'The image has failed as often as it may: it is not tried again until something changes.',
      tags: [Tag.Settled, Tag.Failing, Tag.Terminal],
      entry: ['claim', 'forgetErrors', 'noteGeneration'],
      on: { 'object.changed': onEdited('deciding') },
    },
    ...powerAlone,
    ...pending(S.Available),
  },
});

const provisioned = hostSetup.createStateConfig({
  id: 'provisioned',
  description: 'What was wanted is deployed.',
  tags: Tag.Available,
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({
      state: S.Provisioned,
      waysOut: [toDeleting(S.Provisioned), toDeprovisioning(S.Provisioned)],
    }),
    judging: {
      description: 'Deciding whether what is deployed is still wanted.',
      tags: Tag.Busy,
      always: [
        { guard: goes('canceled'), target: '#deprovisioning', actions: plan({ row: 'canceled' }) },
        { guard: not('isAdopted'), target: 'adopting' },
        { target: 'judgingPower' },
      ],
    },
    adopting,
    ...power,
    ...pending(S.Provisioned),
  },
});

const externallyProvisioned = hostSetup.createStateConfig({
  id: 'externallyProvisioned',
  description: 'Something runs there that somebody else has deployed.',
  tags: Tag.Available,
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({
      state: S.ExternallyProvisioned,
      waysOut: [toDeleting(S.ExternallyProvisioned), toPoweringOff(S.ExternallyProvisioned)],
    }),
    judging: {
      description: 'Deciding whether it is still so.',
      tags: Tag.Busy,
      always: [
        { guard: goes('takenOver'), target: '#provisioned', actions: take('takenOver') },
        { guard: not('isAdopted'), target: 'adopting' },
        { target: 'judgingPower' },
      ],
    },
    adopting,
    ...power,
    ...pending(S.ExternallyProvisioned),
  },
});

export const keeping = { available, provisioned, externallyProvisioned };
