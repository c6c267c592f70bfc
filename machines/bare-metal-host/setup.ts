// The vocabulary of the chart: its effects, actions, guards and delays. The chart is in `machine.ts`.
import { fromPromise, setup } from 'xstate';
import type { Dependency, ObjectChanged, Tag } from '../lifecycle.ts';
import type { ErrorData } from '../object.ts';
import { assign } from '../statechart.ts';
import { backoffMs, retryMs } from './backoff.ts';
import { admitted, delayed } from './capacity.ts';
import { areUpToDate } from './conditions.ts';
import {
  applied,
  basisOf,
  type CapacityInput,
  type CapacityOutput,
  changed,
  credentialsVersion,
  factsOf,
  type HostContext,
  type HostInput,
  type HostLifecycleEvent,
  type HostLifecycleInput,
  type HostView,
  hasCredentials,
  hostOf,
  inTurn,
  isEdited,
  isJoined,
  isSaved,
  isSecretMissing,
  NOTHING_SEEN_TO,
  NOTHING_SENT,
  NOTHING_TO_SEND,
  type NodeInput,
  type NodeObserved,
  type Plan,
  type PowerEffectInput,
  type RemoveInput,
  report,
  type ServiceInput,
  seen,
  storeDependencies,
  storeObject,
  unannotated,
  type WatchInput,
  type WriteInput,
  withdrawable,
} from './context.ts';
import {
  admittedTo,
  errorNoted,
  failureRecorded,
  limitReached,
  outcomeTaken,
  secretMissed,
} from './context-updates.ts';
import { PAUSES_MS, retryPauseMs } from './delays.ts';
import { deletion } from './deletion.ts';
import { detachedStatus, detachment } from './detachment.ts';
import { clearErrorOf, ErrorType } from './errors.ts';
import { isDeleting, isGiven, isPaused, OperationalStatus, type ProvisioningState } from './host.ts';
import { forgetAttempts, needsProvisioning, retryLimit } from './needs-provisioning.ts';
import type { Outcome, OutcomeKind } from './outcome.ts';
import { clearServicing, type PowerStep, powerErrorMessage, powerStep } from './power.ts';
import { registeredStatus, SECRET_MISSING } from './registration.ts';
import { patchStatus } from './status.ts';
import {
  attempted,
  enterState,
  type HostFacts,
  makeTransition,
  nextTransition,
  type TransitionName,
} from './transitions.ts';

type Failure = { readonly error: unknown };
type Reported = { readonly outcome: Outcome };
type Row = { readonly row: TransitionName };
type Going = Row & { readonly outcome?: HostFacts['outcome'] };
type Taking = Row & { readonly facts?: HostFacts };

/** Number of immediate retries of writes after conflicts; a repeated rejection of the API server is no race. */
const QUICK_RACES = 5;

export const hostSetup = setup({
  types: {
    context: {} as HostContext,
    events: {} as HostLifecycleEvent,
    input: {} as HostLifecycleInput,
    tags: {} as Tag,
  },
  actors: {
    /** Takes over what annotations and other objects bring to the host, and takes the annotations off. */
    restore: fromPromise<void, HostInput>(notProvided),
    /** Stores the own finalizer. */
    addOwnFinalizer: fromPromise<void, HostInput>(notProvided),
    /** Whether there is room in Ironic. */
    capacity: fromPromise<CapacityOutput, CapacityInput>(notProvided),
    /** Makes the node in Ironic what the host wants: enrolled, verified, configured. */
    register: fromPromise<Outcome, NodeInput>(notProvided),
    inspect: fromPromise<Outcome, NodeInput>(notProvided),
    /** RAID, BIOS settings, firmware. */
    prepare: fromPromise<Outcome, NodeInput>(notProvided),
    provision: fromPromise<Outcome, NodeInput>(notProvided),
    /** Lets Ironic know what runs there. */
    adopt: fromPromise<Outcome, NodeInput>(notProvided),
    deprovision: fromPromise<Outcome, NodeInput>(notProvided),
    power: fromPromise<Outcome, PowerEffectInput>(notProvided),
    /** Attaches or detaches the virtual CD that goes with the host. */
    attachDataImage: fromPromise<Outcome, NodeInput>(notProvided),
    /** Firmware of a host that stays as it is otherwise. */
    service: fromPromise<Outcome, ServiceInput>(notProvided),
    /** Takes the node out of Ironic; done when it is not known there any more. */
    remove: fromPromise<Outcome, RemoveInput>(notProvided),
    /** Tells what is new of the node, as `observed`; ends with its failure only. */
    watch: fromPromise<never, WatchInput>(notProvided),
    /**
     * Removes annotations, stores the status with its conditions if it differs, and emits events. It resolves when the
     * state machine has received the stored host.
     */
    writeStatus: fromPromise<void, WriteInput>(notProvided),
    /** Ends all claims; resolves when the bus has acknowledged the tombstones. */
    endClaims: fromPromise<void, HostInput>(notProvided),
    /** Removes the own finalizer. */
    removeOwnFinalizer: fromPromise<void, HostInput>(notProvided),
  },
  actions: {
    /** Publishes the claims as they should be now. Given by the runtime; level-triggered. */
    claim: () => undefined,
    storeObject: assign(({ context }, event: ObjectChanged<HostView>) => storeObject(context, event)),
    storeDependencies: assign(({ context }, event: { dependencies: readonly Dependency[]; at: number }) =>
      storeDependencies(context, event),
    ),
    heed: assign({ unappliedFields: 'nothing' }),
    /** A decision that was not stored is void: the host continues from the stored status. */
    forgetDecisions: assign(({ context: { object, revision } }) => ({
      status: object.host.status ?? {},
      ...NOTHING_TO_SEND,
      sending: NOTHING_SENT,
      written: revision,
      plan: undefined,
      isAdmitted: false,
      joined: undefined,
      isReleased: false,
    })),
    /** A row of the table of transitions is taken now. */
    take: assign(({ context }, { row, facts = {} }: Taking) => {
      const host = hostOf(context);
      const change = makeTransition(host, row, { at: context.heardAt, facts: { ...factsOf(context), ...facts } });
      return applied(context, change);
    }),
    /** The state is entered by the user's deletion. */
    enter: assign(({ context }, { state }: { state: ProvisioningState }) => {
      const change = enterState(hostOf(context), state, context.heardAt);
      return applied(context, change);
    }),
    /** It is taken once there is room. */
    plan: assign((_, plan: Plan) => ({ plan })),
    forgetPlan: assign({ plan: undefined, isAdmitted: false }),
    admit: assign(({ context }, { at }: CapacityOutput) => admittedTo(context, at)),
    delay: assign(({ context }, { state }: { state: string }) => {
      const change = delayed(context.status, state);
      return applied(context, change);
    }),
    /** The operation that waited is not wanted any more. */
    undelay: assign(({ context }) => changed(context, admitted(context.status))),
    noteBasis: assign(({ context }, { state }: { state: string }) => ({ basis: basisOf(context, state) })),
    noteJoined: assign(({ context }, { outcome }: Reported) => ({
      joined: context.basis,
      unconfigured: outcome.isUnconfigured === true ? outcome.node?.revision : undefined,
      ...changed(context, registeredStatus(context.status)),
    })),
    noteUnusable: assign(({ context }) => ({ unusable: credentialsVersion(context.dependencies) })),
    // mutant: host-keeps-node {}.1 drop
    forgetJoined: assign({ joined: undefined, isAdopted: false }),
    noteAdopted: assign(({ context }) => ({
      isAdopted: true,
      ...changed(context, clearErrorOf(context.status, ErrorType.ProvisionedRegistration)),
    })),
    /** Result of an operation. */
    takeOutcome: assign(({ context }, { outcome }: Reported) => outcomeTaken(context, outcome)),
    /** The status must record it. */
    noteFailure: assign(({ context }, { outcome }: Reported) => failureRecorded(context, outcome)),
    /** As `noteFailure`, of a power change. */
    notePowerFailure: assign(({ context }, { outcome, mode }: Reported & { mode: 'hard' | 'soft' | undefined }) =>
      failureRecorded(context, outcome, (message) => powerErrorMessage(message, mode)),
    ),
    yieldCredentials: assign({ withdrawnUids: ({ context }) => [...context.withdrawnUids, ...withdrawable(context)] }),
    noteSecretMissing: assign(({ context }) => secretMissed(context)),
    noteLimitReached: assign(({ context }) => limitReached(context)),
    forgetAttempts: assign(({ context }) =>
      changed(context, patchStatus(context.status, forgetAttempts(hostOf(context)) ?? {})),
    ),
    noteAttempt: assign(({ context }) => changed(context, patchStatus(context.status, attempted(hostOf(context))))),
    notePower: assign(({ context }) => {
      const step = powerStepOf(context);
      return step.step === 'record' ? changed(context, step.status) : {};
    }),
    noteDataImage: assign(({ context }) => ({ seenTo: { ...context.seenTo, dataImage: true } })),
    noteServiceDue: assign(({ context }) =>
      changed(context, patchStatus(context.status, { operationalStatus: OperationalStatus.Servicing })),
    ),
    noteServiced: assign(({ context }) => ({
      seenTo: { ...context.seenTo, servicing: true },
      ...changed(context, clearServicing(context.status)),
    })),
    forgetSeenTo: assign({ seenTo: NOTHING_SEEN_TO }),
    noteRebooted: assign(({ context }) => {
      const step = powerStepOf(context);
      if (step.step !== 'reboot') return {};
      const { keys, removeAnnotation } = step;
      return { reboots: keys, ...unannotated(context, removeAnnotation === undefined ? [] : [removeAnnotation]) };
    }),
    endReboot: assign(({ context }) => {
      const step = powerStepOf(context);
      return step.step === 'removeAnnotation' ? unannotated(context, [step.key]) : {};
    }),
    noteDetached: assign(({ context }) => ({
      ...inTurn(
        context,
        (now) => changed(now, detachedStatus(now.status)),
        (now) => seen(now, undefined),
      ),
      joined: undefined,
      isAdopted: false,
    })),
    attach: assign(({ context }) => {
      const found = detachment(hostOf(context));
      return { joined: undefined, ...(found.kind === 'attach' && changed(context, found.status)) };
    }),
    noteDelayedDeletion: assign(({ context }) => {
      const found = deletion(hostOf(context));
      return found.kind === 'delayed' ? report(context, found) : {};
    }),
    takeNode: assign(({ context }, { node, at }: NodeObserved) => ({
      heardAt: at,
      isAdopted: false,
      // mutant: host-keeps-node drop
      ...(node === undefined && { joined: undefined }),
      ...seen(context, node),
    })),
    /** The current generation was processed without any other effect: the conditions say so. */
    // mutant: host-silent-edit {}#2.1 drop
    noteGeneration: assign(({ context }) =>
      areUpToDate(context.object.host) ? {} : { revision: context.revision + 1 },
    ),
    /** Failure outside of the status; if it is repeated, the conditions report it. */
    noteError: assign(({ context }, { error }: Failure) => errorNoted(context, error as ErrorData)),
    forgetErrors: assign(({ context }) => ({
      error: undefined,
      retries: 0,
      problem: undefined,
      ...(context.problem !== undefined && { revision: context.revision + 1 }),
    })),
    noteWriting: assign(({ context: { revision, unannotate, events, measures } }) => ({
      writing: revision,
      sending: { unannotate: unannotate.length, events: events.length, measures: measures.length },
    })),
    noteWritten: assign(({ context: { writing, sending, unannotate, events, measures } }) => ({
      written: writing,
      writeFailures: 0,
      unannotate: unannotate.slice(sending.unannotate),
      events: events.slice(sending.events),
      measures: measures.slice(sending.measures),
    })),
    countWriteFailure: assign({ writeFailures: ({ context }) => context.writeFailures + 1 }),
    noteReleased: assign({ isReleased: true }),
  },
  guards: {
    isPaused: ({ context }) => isPaused(context.object.host),
    becomesPaused: (_, { object }: { object: HostView }) => isPaused(object.host),
    isEdited: ({ context }, event: { object: HostView }) => isEdited(context, event),
    isNewCredentials: ({ context }, { dependencies }: { dependencies: readonly Dependency[] }) =>
      credentialsVersion(dependencies) !== credentialsVersion(context.dependencies),
    isDeleting: ({ context }) => isDeleting(context.object.host),
    hasNews: ({ context }) => context.unappliedFields !== 'nothing',
    isChanged: ({ context }) => context.unappliedFields === 'change',
    isOwned: ({ context }) => context.object.owned,
    isHeld: ({ context }) => context.object.heldBy.length > 0,
    isGone: ({ context }) => isDeleting(context.object.host) && !context.object.owned,
    brings: ({ context }) => context.object.brings,
    isIn: ({ context }, { states }: { states: readonly string[] }) =>
      states.includes(context.status.provisioning?.state ?? ''),
    /** Another writer has set another state. */
    isElsewhere: ({ context }, { states }: { states: readonly string[] }) =>
      isSaved(context) && context.plan === undefined && !states.includes(context.status.provisioning?.state ?? ''),
    isSaved: ({ context }) => isSaved(context),
    mayWrite: ({ context }) => !isSaved(context) && !context.isReleased && !isPaused(context.object.host),
    /** The user's deletion leads there from the state. */
    deletesTo: ({ context }, { state, to }: { state?: string; to: ProvisioningState }) => {
      const found = deletion(hostOf(context, state));
      return found.kind === 'enter' && found.state === to;
    },
    /** The host is to be taken out of Ironic as it is, or is out already. */
    mustDetach: ({ context }, { state }: { state: string }) =>
      ['detach', 'detached', 'attach'].includes(detachment(hostOf(context, state)).kind),
    isDetachedForGood: ({ context }) => detachment(hostOf(context)).kind === 'detached',
    mustAttach: ({ context }) => detachment(hostOf(context)).kind === 'attach',
    isDetachmentOver: ({ context }) => ['none', 'wait'].includes(detachment(hostOf(context)).kind),
    isAdmitted: ({ context }) => context.isAdmitted,
    isFree: (_, { isFree }: CapacityOutput) => isFree,
    isJoined: ({ context }, { state }: { state: string }) => isJoined(context, state),
    isAdopted: ({ context }) => context.isAdopted,
    isDeployed: ({ context: { status } }) =>
      isGiven(status.provisioning?.image?.url) || isGiven(status.provisioning?.customDeploy?.method),
    hasCredentials: ({ context }) => hasCredentials(context),
    mustWithdraw: ({ context }) => withdrawable(context).length > 0,
    isLackingAtEnd: ({ context }) => isDeleting(context.object.host) && !hasCredentials(context),
    /** The operation that waits for capacity is not the next one any more. */
    isPlanOver: ({ context }) =>
      context.plan !== undefined &&
      'row' in context.plan &&
      nextTransition(hostOf(context), factsOf(context, 'done')) !== context.plan.row,
    isSecretNews: ({ context }) =>
      isSecretMissing(context) && context.status.errorMessage?.startsWith(SECRET_MISSING) !== true,
    /** The table of transitions leads on by this row. */
    goes: ({ context }, { row, outcome }: Going) => nextTransition(hostOf(context), factsOf(context, outcome)) === row,
    wentOn: ({ context }, { outcome, kind, row }: Reported & Row & { kind: 'done' | 'absent' }) =>
      outcome.kind === kind && nextTransition(hostOf(context), factsOf(context, kind)) === row,
    isLimitReached: ({ context }) =>
      needsProvisioning(hostOf(context)) &&
      retryLimit(hostOf(context), context.object.maxProvisioningRetries).isReached,
    mustForgetAttempts: ({ context }) => forgetAttempts(hostOf(context)) !== undefined,
    isPowerStep: ({ context }, { step }: { step: PowerStep['step'] }) => powerStepOf(context).step === step,
    was: (_, { outcome, kind }: Reported & { kind: OutcomeKind }) => outcome.kind === kind,
    /** Ironic says that the power is as it was asked for. */
    wasSwitched: ({ context }, { outcome }: Reported) =>
      outcome.kind === 'done' &&
      outcome.node?.powerState === (powerStepOf(context).step === 'powerOn' ? 'power on' : 'power off'),
    wasRefused: (_, { outcome }: Reported) => wasRefused(outcome),
    wasRefusedAtEnd: ({ context }, { outcome }: Reported) => wasRefused(outcome) && isDeleting(context.object.host),
    isTerminal: (_, { error }: Failure) => (error as ErrorData | undefined)?.code === 'terminal',
    /** Another write was faster, and has been read by now. */
    isLostRace: ({ context }, { error }: Failure) =>
      (error as ErrorData | undefined)?.code === 'conflict' && context.writeFailures < QUICK_RACES,
  },
  delays: {
    /** Pause after an error in the status. The runtime adds jitter, as to others with it. */
    backoff: ({ context }) => backoffMs(context.status.errorCount, 0),
    capacityPause: () => backoffMs(1, 0),
    retryPause: ({ context }) => retryPauseMs(context),
    writePause: ({ context }) => retryMs(context.writeFailures),
    pause: ({ context }) => context.pauseMs,
    detachedPause: PAUSES_MS.detached,
  },
});

function wasRefused(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.until === 'change';
}

/** Next action about the power. */
export function powerStepOf(context: HostContext): PowerStep {
  const { node, seenTo, reboots } = context;
  return powerStep(hostOf(context), { powerState: node?.powerState, seenTo: { ...seenTo, reboots } });
}

function notProvided(): never {
  const error: ErrorData = { code: 'terminal', message: 'the runtime did not provide this effect' };
  throw error;
}
