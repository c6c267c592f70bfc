// From a host that is new to one that is available: the part of the chart before anything is deployed.
import { and, not } from 'xstate';
import { Tag } from '../lifecycle.ts';
import { ProvisioningState } from './host.ts';
import type { Outcome } from './outcome.ts';
import { hostSetup } from './setup.ts';
import {
  answered,
  deciding,
  gate,
  goes,
  noteError,
  noteStill,
  ofNode,
  onEdited,
  pending,
  plan,
  refusedOrNot,
  succeeded,
  take,
  toDeleting,
  toPoweringOff,
  was,
  who,
} from './shared-states.ts';

const S = ProvisioningState;
const isIn = (...states: readonly ProvisioningState[]) => ({ type: 'isIn', params: { states } }) as const;
const again = { target: 'retrying', actions: noteError } as const;
/** An inspection that is wanted no more, and has just ended, has ended all the same. */
const takeInspected = {
  type: 'take',
  params: ({ event: { output } }: { event: { output: Outcome } }) => ({
    row: 'inspected' as const,
    facts: output.kind === 'done' && output.hardware !== undefined ? { hardware: output.hardware } : {},
  }),
} as const;

/** Before anything else: what the host brings is taken over, and its own finalizer stored. */
export const admitting = hostSetup.createStateConfig({
  id: 'admitting',
  description: 'The host is taken into care.',
  initial: 'deciding',
  states: {
    deciding: {
      description: 'Deciding what has to be done before anything else.',
      tags: Tag.Busy,
      always: [
        { guard: 'isGone', target: '#deleted' },
        // A running write would overwrite the restored status.
        // mutant: host-stores-over drop
        { guard: and(['brings', not('isSaved')]), target: 'retrying' },
        { guard: 'brings', target: 'restoring' },
        { guard: 'isDeleting', target: '#routing' },
        { guard: 'isOwned', target: '#routing' },
        // mutant: host-unclaimed-node : -> '#routing'
        { target: 'guarding' },
      ],
    },
    restoring: {
      description:
        'What annotations or other objects bring is taken over: a status, hardware details, an architecture.',
      tags: Tag.Busy,
      invoke: {
        id: 'restore',
        src: 'restore',
        input: who,
        onDone: [
          { guard: 'brings', target: 'retrying', actions: noteStill('what the host brings is still there') },
          { target: 'deciding', actions: 'forgetErrors' },
        ],
        onError: again,
      },
    },
    guarding: {
      description: 'The own finalizer is stored, before anything is asked for.',
      tags: Tag.Busy,
      invoke: {
        id: 'addOwnFinalizer',
        src: 'addOwnFinalizer',
        input: who,
        onDone: [
          { guard: not('isOwned'), target: 'retrying', actions: noteStill('the own finalizer is not there') },
          { target: 'deciding', actions: 'forgetErrors' },
        ],
        onError: again,
      },
    },
    retrying: {
      description: 'The host could not be written; it is tried again soon.',
      tags: Tag.Failing,
      after: { retryPause: 'deciding' },
      on: { 'object.changed': onEdited('deciding') },
    },
  },
});

/** Entry state of a host, by its status alone. */
export const routing = hostSetup.createStateConfig({
  id: 'routing',
  description: 'Deciding where the life of the host stands, from its status alone.',
  tags: Tag.Busy,
  always: [
    { guard: isIn(S.None), target: '#new' },
    { guard: isIn(S.Unmanaged), target: '#unmanaged' },
    { guard: isIn(S.Registering), target: '#registering' },
    { guard: isIn(S.Inspecting), target: '#inspecting' },
    { guard: isIn(S.MatchProfile), target: '#matchingProfile' },
    { guard: isIn(S.Preparing), target: '#preparing' },
    { guard: isIn(S.Available, S.Ready), target: '#available' },
    { guard: isIn(S.Provisioning), target: '#provisioning' },
    { guard: isIn(S.Provisioned), target: '#provisioned' },
    { guard: isIn(S.ExternallyProvisioned), target: '#externallyProvisioned' },
    { guard: isIn(S.Deprovisioning), target: '#deprovisioning' },
    { guard: isIn(S.PoweringOffBeforeDelete), target: '#poweringOff' },
    { guard: isIn(S.Deleting), target: '#deleting' },
    { target: '#unknown' },
  ],
});

export const unknown = hostSetup.createStateConfig({
  id: 'unknown',
  description: 'The status names a state that nobody knows: nothing is done until somebody changes it.',
  tags: [Tag.Settled, Tag.Failing, Tag.Terminal],
  entry: 'claim',
  always: [toDeleting(), toPoweringOff()],
  on: { 'object.changed': onEdited('#routing') },
});

const fresh = hostSetup.createStateConfig({
  id: 'new',
  description: 'Nothing is known of it yet.',
  tags: Tag.Busy,
  always: [
    toDeleting(S.None),
    { guard: goes('managed'), target: '#registering', actions: take('managed') },
    { guard: goes('discovered'), target: '#unmanaged', actions: take('discovered') },
  ],
});

const unmanaged = hostSetup.createStateConfig({
  id: 'unmanaged',
  description: 'Nothing says how to reach its BMC.',
  tags: Tag.Settled,
  entry: ['claim', 'noteGeneration'],
  always: [toDeleting(S.Unmanaged), { guard: goes('managed'), target: '#registering', actions: take('managed') }],
  on: { 'object.changed': onEdited('#routing') },
});

const registering = hostSetup.createStateConfig({
  id: 'registering',
  description: 'It is enrolled in Ironic, and its BMC verified.',
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({ state: S.Registering, waysOut: [toDeleting(S.Registering)] }),
    judging: {
      description: 'It is registered.',
      tags: Tag.Busy,
      always: [
        {
          guard: goes('registeredExternal', 'done'),
          target: '#externallyProvisioned',
          actions: take('registeredExternal'),
        },
        { guard: goes('registeredUninspected', 'done'), target: '#preparing', actions: take('registeredUninspected') },
        { guard: goes('registered', 'done'), target: '#inspecting', actions: plan({ row: 'registered' }) },
      ],
    },
    ...pending(S.Registering),
  },
});

const inspecting = hostSetup.createStateConfig({
  id: 'inspecting',
  description: 'Its hardware is being looked at.',
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({
      state: S.Inspecting,
      waysOut: [toDeleting(S.Inspecting), toPoweringOff(S.Inspecting)],
      isGated: true,
    }),
    ...gate(S.Inspecting),
    judging: {
      description: 'Deciding whether there is to be an inspection at all.',
      tags: Tag.Busy,
      always: [
        { guard: goes('inspectionSkipped'), target: '#preparing', actions: take('inspectionSkipped') },
        { target: 'examining' },
      ],
    },
    examining: {
      description: 'The inspection is begun, or what it found is fetched.',
      tags: Tag.Busy,
      invoke: {
        id: 'inspect',
        src: 'inspect',
        input: ofNode,
        onDone: [{ guard: was('done'), target: '#preparing', actions: [...succeeded, takeInspected] }, ...answered],
        onError: refusedOrNot,
      },
    },
    ...pending(S.Inspecting),
  },
});

const matchingProfile = hostSetup.createStateConfig({
  id: 'matchingProfile',
  description: 'An older operator left it there: it goes on.',
  tags: Tag.Busy,
  always: [
    toDeleting(S.MatchProfile),
    toPoweringOff(S.MatchProfile),
    { guard: goes('profileMatched'), target: '#preparing', actions: take('profileMatched') },
  ],
});

const preparing = hostSetup.createStateConfig({
  id: 'preparing',
  description: 'RAID, BIOS settings and firmware are being applied.',
  initial: 'deciding',
  exit: 'forgetPlan',
  states: {
    deciding: deciding({ state: S.Preparing, waysOut: [toDeleting(S.Preparing), toPoweringOff(S.Preparing)] }),
    judging: { description: 'It is registered.', tags: Tag.Busy, always: 'applying' },
    applying: {
      description: 'What differs is applied, or how far that is is looked up.',
      tags: Tag.Busy,
      invoke: {
        id: 'prepare',
        src: 'prepare',
        input: ofNode,
        onDone: [{ guard: was('done'), target: '#available', actions: [...succeeded, take('prepared')] }, ...answered],
        onError: refusedOrNot,
      },
    },
    ...pending(S.Preparing),
  },
});

export const arriving = { new: fresh, unmanaged, registering, inspecting, matchingProfile, preparing };
