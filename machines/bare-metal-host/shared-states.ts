// States and transitions that occur in many parts of the chart: deciding what is next in a `provisioning.state`, registering,
// waiting, backing off. Each part has them as its own, beside what it does itself (`judging` and what follows from that).
import { and, not } from 'xstate';
import { type Dependency, type ObjectChanged, Tag } from '../lifecycle.ts';
import type { CapacityOutput, HostContext, HostInput, HostView, NodeInput, NodeObserved, Plan } from './context.ts';
import { ProvisioningState } from './host.ts';
import type { Outcome, OutcomeKind } from './outcome.ts';
import { hostSetup } from './setup.ts';
import type { HostFacts, TransitionName } from './transitions.ts';

type Answer<Output> = { event: { output: Output } };
type Failed = { event: { error: unknown } };
type Changed = { event: ObjectChanged<HostView> };
type Heard = { event: { dependencies: readonly Dependency[]; at: number } };

export const who = ({ context: { key } }: { context: HostContext }): HostInput => ({ key });
export const ofNode = ({ context: { key, node } }: { context: HostContext }): NodeInput => ({ key, node });

export const storeObject = { type: 'storeObject', params: ({ event }: Changed) => event } as const;
export const storeDependencies = { type: 'storeDependencies', params: ({ event }: Heard) => event } as const;
export const becomesPaused = { type: 'becomesPaused', params: ({ event }: Changed) => event } as const;
const isEdited = { type: 'isEdited', params: ({ event }: Changed) => event } as const;
const isNewCredentials = { type: 'isNewCredentials', params: ({ event }: Heard) => event } as const;

/** Whether an operation had this outcome. */
export const was = (kind: OutcomeKind) =>
  ({ type: 'was', params: ({ event }: Answer<Outcome>) => ({ outcome: event.output, kind }) }) as const;
export const takeOutcome = {
  type: 'takeOutcome',
  params: ({ event }: Answer<Outcome>) => ({ outcome: event.output }),
} as const;
const noteFailure = { ...takeOutcome, type: 'noteFailure' } as const;
const noteJoined = { ...takeOutcome, type: 'noteJoined' } as const;
const wasRefused = { ...takeOutcome, type: 'wasRefused' } as const;
const wasRefusedAtEnd = { ...takeOutcome, type: 'wasRefusedAtEnd' } as const;
export const wasSwitched = { ...takeOutcome, type: 'wasSwitched' } as const;
export const noteError = { type: 'noteError', params: ({ event }: Failed) => event } as const;
export const isTerminal = { type: 'isTerminal', params: ({ event }: Failed) => event } as const;
export const noteStill = (message: string) =>
  ({ type: 'noteError', params: { error: { code: 'transient', message } } }) as const;
/** An answer that leads nowhere, as an error. */
export const noteStuck = {
  type: 'noteError',
  params: ({ event: { output } }: Answer<Outcome>) => ({ error: { code: 'transient', message: stuckMessage(output) } }),
} as const;

function stuckMessage(outcome: Outcome): string {
  if (outcome.kind === 'stuck') return outcome.message;
  return outcome.kind === 'absent'
    ? 'Ironic does not know the node'
    : 'Ironic reported a change as done that is not in effect';
}

/** Rows of the transition table that the state machine follows. */
export const goes = (row: TransitionName, outcome?: HostFacts['outcome']) =>
  ({ type: 'goes', params: { row, ...(outcome !== undefined && { outcome }) } }) as const;
/** The same, by how an operation ended. */
export const wentOn = (row: TransitionName, kind: 'done' | 'absent') =>
  ({ type: 'wentOn', params: ({ event }: Answer<Outcome>) => ({ outcome: event.output, kind, row }) }) as const;
export const take = (row: TransitionName) => ({ type: 'take', params: { row } }) as const;
/** For a state that is entered only when there is room. */
export const plan = (planned: Plan) => ({ type: 'plan', params: planned }) as const;
const enter = (state: ProvisioningState) => ({ type: 'enter', params: { state } }) as const;

/** Common part of successes: facts are stored, and errors are cleared. */
export const succeeded = [takeOutcome, 'forgetErrors'] as const;

/** Every answer but the success, which comes before. */
export const answered = [
  { guard: was('waiting'), target: 'awaiting', actions: succeeded },
  { guard: was('pausing'), target: 'requeued', actions: succeeded },
  { guard: wasRefused, target: 'refused', actions: [...succeeded, noteFailure] },
  { guard: was('failed'), target: 'backingOff', actions: [...succeeded, noteFailure] },
  { guard: was('absent'), target: 'retrying', actions: [takeOutcome, 'forgetJoined', noteStuck] },
  { target: 'retrying', actions: [takeOutcome, noteStuck] },
] as const;

/** An effect that rejects: of that no status tells. */
export const refusedOrNot = [
  { guard: isTerminal, target: 'refused', actions: noteError },
  { target: 'retrying', actions: noteError },
] as const;

/** Whatever is new of the host is decided upon. */
export const onEdited = (target: string) =>
  [
    { guard: becomesPaused, target: '#paused', actions: storeObject },
    { guard: isEdited, target, actions: storeObject },
    { actions: storeObject },
  ] as const;

/** Events that may change the decision. */
const whenNews = {
  'object.changed': onEdited('deciding'),
  'dependencies.changed': { target: 'deciding', actions: storeDependencies },
} as const;

/** The same, of what others say only the credentials. */
const whenChanged = {
  'object.changed': onEdited('deciding'),
  'dependencies.changed': [
    { guard: isNewCredentials, target: 'deciding', actions: storeDependencies },
    { actions: storeDependencies },
  ],
} as const;

/** The same, of what was heard while something was under way (BARE-METAL-HOST-12). */
const unlessNews = { guard: 'hasNews', target: 'deciding' } as const;
const unlessChanged = { guard: 'isChanged', target: 'deciding' } as const;

/** Target of the user's deletion from a state. */
export const toDeleting = (state?: string) =>
  ({
    guard: {
      type: 'deletesTo',
      params: { ...(state !== undefined && { state }), to: ProvisioningState.Deleting },
    },
    target: '#deleting',
    actions: enter(ProvisioningState.Deleting),
  }) as const;
export const toPoweringOff = (state?: string) =>
  ({
    guard: {
      type: 'deletesTo',
      params: { ...(state !== undefined && { state }), to: ProvisioningState.PoweringOffBeforeDelete },
    },
    target: '#poweringOff',
    actions: enter(ProvisioningState.PoweringOffBeforeDelete),
  }) as const;
export const toDeprovisioning = (state: string) =>
  ({
    guard: { type: 'deletesTo', params: { state, to: ProvisioningState.Deprovisioning } },
    target: '#deprovisioning',
    actions: plan({ state: ProvisioningState.Deprovisioning }),
  }) as const;

type WayOut = ReturnType<typeof toDeleting> | ReturnType<typeof toPoweringOff> | ReturnType<typeof toDeprovisioning>;

interface Deciding {
  /** State of the host in this part of the machine. */
  readonly state: ProvisioningState;
  /** Other names of that. */
  readonly aliases?: readonly ProvisioningState[];
  readonly waysOut: readonly WayOut[];
  /** It is entered only when there is room. */
  readonly isGated?: boolean;
  /** Whether a deleted host gets the cleanup that is possible without credentials. */
  readonly isLeaving?: boolean;
}

/** Deletion, detachment, room, registration: what comes before anything is done in a state, in the order of the contract. */
export function deciding({ state, aliases = [], waysOut, isGated = false, isLeaving = false }: Deciding) {
  const isJoined = { type: 'isJoined', params: { state } } as const;
  return hostSetup.createStateConfig({
    description: 'What was decided is stored, and what comes next is decided.',
    tags: Tag.Busy,
    entry: 'claim',
    exit: 'heed',
    always: [
      { guard: { type: 'isElsewhere', params: { states: [state, ...aliases] } }, target: '#routing' },
      { guard: 'brings', target: '#admitting' },
      ...waysOut,
      { guard: { type: 'mustDetach', params: { state } }, target: '#detaching' },
      ...(isGated ? [{ guard: not('isAdmitted'), target: 'queueing' }] : []),
      { guard: and(['isSaved', isJoined]), target: 'judging' },
      ...(isLeaving ? [{ guard: and(['isSaved', 'isLackingAtEnd']), target: 'judging' }] : []),
      { guard: and(['isSaved', 'hasCredentials']), target: 'enrollingNode' },
      { guard: 'isSaved', target: 'awaitingCredentials' },
    ],
  });
}

/** Registering the node in a state, and all that an operation may have to wait for. */
export function pending(state: ProvisioningState) {
  return {
    awaitingCredentials: hostSetup.createStateConfig({
      description: 'The Secret with the credentials of the BMC is not there yet.',
      tags: Tag.Waiting,
      entry: ['claim', 'noteGeneration'],
      always: [
        { guard: 'hasCredentials', target: 'deciding' },
        { guard: 'mustWithdraw', actions: ['yieldCredentials', 'claim'] },
        { guard: 'isSecretNews', actions: 'noteSecretMissing' },
      ],
      on: { 'object.changed': onEdited('deciding') },
    }),
    enrollingNode: hostSetup.createStateConfig({
      // Left by the answer only: a node that is being enrolled is not forgotten, deletion or not.
      description: 'The node in Ironic is made what the host wants: enrolled, verified, configured.',
      tags: Tag.Busy,
      entry: { type: 'noteBasis', params: { state } },
      invoke: {
        id: 'register',
        src: 'register',
        input: ofNode,
        onDone: [
          { guard: was('done'), target: 'deciding', actions: [takeOutcome, noteJoined] },
          { guard: wasRefusedAtEnd, target: 'deciding', actions: 'noteUnusable' },
          ...answered,
        ],
        onError: refusedOrNot,
      },
    }),
    ...waits,
  };
}

/** Looking on while Ironic is at work. */
const awaiting = hostSetup.createStateConfig({
  description: 'Ironic is at work on the node, or the BMC is; it is looked on.',
  tags: Tag.Waiting,
  entry: 'noteGeneration',
  always: unlessNews,
  invoke: {
    id: 'watch',
    src: 'watch',
    input: ({ context: { key, node, pauseMs }, self }) => ({ key, node, pollAfterMs: pauseMs, parent: self }),
    onError: { target: 'retrying', actions: noteError },
  },
  on: {
    observed: {
      target: 'deciding',
      actions: { type: 'takeNode', params: ({ event }: { event: NodeObserved }) => event },
    },
    ...whenNews,
  },
});

const requeued = hostSetup.createStateConfig({
  description: 'Something else than the node is waited for.',
  tags: Tag.Waiting,
  entry: 'noteGeneration',
  always: unlessNews,
  after: { pause: 'deciding' },
  on: whenNews,
});

const backingOff = hostSetup.createStateConfig({
  description: 'A failure that the status reports; retried with backoff.',
  tags: Tag.Failing,
  entry: ['forgetPlan', 'noteGeneration'],
  always: unlessChanged,
  after: { backoff: 'deciding' },
  on: whenChanged,
});

export interface GivenUp {
  readonly guard: ReturnType<typeof goes>;
  readonly target: string;
  readonly actions: ReturnType<typeof take>;
}

/** The same, where the way out may open with a failure. */
export function backingOffUntil(beyondReach: WayOut, givenUp: GivenUp) {
  return hostSetup.createStateConfig({
    description: 'A failure that the status reports; retried with backoff, and finally given up.',
    tags: Tag.Failing,
    entry: ['forgetPlan', 'noteGeneration'],
    always: [beyondReach, givenUp, unlessChanged],
    after: { backoff: 'deciding' },
    on: whenChanged,
  });
}

const retrying = hostSetup.createStateConfig({
  description: 'An unexpected failure; retried soon.',
  tags: Tag.Failing,
  always: unlessChanged,
  after: { retryPause: 'deciding' },
  on: whenChanged,
});

const refused = hostSetup.createStateConfig({
  description: 'Nothing is tried until the host, or its Secret, changes.',
  tags: [Tag.Settled, Tag.Failing, Tag.Terminal],
  entry: ['claim', 'forgetPlan', 'noteGeneration'],
  always: unlessChanged,
  on: whenChanged,
});

/** Waiting states of any operation. */
export const waits = { awaiting, requeued, backingOff, retrying, refused };

/** Waiting for room before a state, and in it. */
export function gate(state: ProvisioningState) {
  return {
    queueing: hostSetup.createStateConfig({
      description: 'Ironic is asked whether there is room; the host is still in the state before.',
      tags: Tag.Busy,
      invoke: {
        id: 'capacity',
        src: 'capacity',
        input: ({ context: { key } }) => ({ key, state }),
        onDone: [
          { guard: 'isPlanOver', target: '#routing', actions: 'forgetErrors' },
          {
            guard: { type: 'isFree', params: ({ event }: Answer<CapacityOutput>) => event.output },
            target: 'deciding',
            actions: [{ type: 'admit', params: ({ event }: Answer<CapacityOutput>) => event.output }, 'forgetErrors'],
          },
          { target: 'delayed', actions: ['forgetErrors', { type: 'delay', params: { state } }] },
        ],
        onError: { target: 'queueingAgain', actions: noteError },
      },
    }),
    delayed: hostSetup.createStateConfig({
      description: 'There is no room in Ironic.',
      tags: Tag.Waiting,
      entry: 'noteGeneration',
      after: { capacityPause: 'queueing' },
      on: { 'object.changed': onEdited('#routing') },
    }),
    queueingAgain: hostSetup.createStateConfig({
      description: 'The available capacity is unknown.',
      tags: Tag.Failing,
      after: { retryPause: 'queueing' },
      on: { 'object.changed': onEdited('#routing') },
    }),
  };
}
