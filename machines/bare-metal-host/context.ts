// Context and events of a host's lifecycle, and the guards of its state machine.
import type { AnyActorRef } from 'xstate';
import {
  type Dependency,
  isServing,
  isUsable,
  type LifecycleEvent,
  type LifecycleInput,
  Readiness,
} from '../lifecycle.ts';
import type { ErrorData } from '../object.ts';
import type { NodeCondition } from './conditions.ts';
import type { BareMetalHost, HostChange, HostEvent, HostStatus, Measure } from './host.ts';
import { annotationOf, isDeleting, OperationalStatus } from './host.ts';
import type { HostNode } from './outcome.ts';
import { isRebootAnnotation, rebootAnnotationEvents } from './reboot.ts';
import { isEqual, withStatus } from './status.ts';
import type { HostFacts, TransitionName } from './transitions.ts';

/** Host, with facts that its state machine cannot see itself. */
export interface HostView {
  readonly host: BareMetalHost;
  /** The own finalizer is stored. */
  readonly owned: boolean;
  /** Finalizers of others that hold it. */
  readonly heldBy: readonly string[];
  /** Something is to be taken over first: a status or hardware details that an annotation or another object brings. */
  readonly brings: boolean;
  /** Wanted root device hints or RAID are not those of the status. */
  readonly isUnprepared: boolean;
  /** 0: there is no limit. */
  readonly maxProvisioningRetries: number;
}

/** Attributes about firmware of a kind that goes with a host. */
export interface FirmwareAttributes {
  readonly isChanged?: boolean;
  readonly isValid?: boolean;
}

/** A state that is entered once there is room for it. */
export type Plan = { readonly row: TransitionName } | { readonly state: 'deprovisioning' };

interface Sending {
  readonly unannotate: number;
  readonly events: number;
  readonly measures: number;
}

export interface HostContext {
  /** Address of the object, as one string. */
  readonly key: string;
  readonly object: HostView;
  readonly dependencies: readonly Dependency[];
  /** As it is to be stored. */
  readonly status: HostStatus;
  /** Annotations that are to be taken off. */
  readonly unannotate: readonly string[];
  /** Events to be emitted with the write. */
  readonly events: readonly HostEvent[];
  readonly measures: readonly Measure[];
  /** Grows with everything that is to be stored or told; which of it is being stored, and which has been. */
  readonly revision: number;
  readonly writing: number;
  readonly written: number;
  /** Number of these that go with the running write. */
  readonly sending: Sending;
  /** Writes in a row that lost a race, or failed. */
  readonly writeFailures: number;
  /** Uids of deleted Secrets from which this lifecycle has withdrawn (P1). */
  readonly withdrawnUids: readonly string[];
  /** As it was seen last. */
  readonly node: HostNode | undefined;
  /** Fingerprint of the inputs of the running registration, and of those that the node is registered with. */
  readonly basis: string;
  readonly joined: string | undefined;
  /** Revision of the node that the registration could not configure, since Ironic was at work on it; undefined: it was configured. */
  readonly unconfigured: string | undefined;
  /** Credentials with which it cannot be registered as they are, by `credentialsVersion`. */
  readonly unusable: string | undefined;
  /** Whether Ironic knows the deployed image. */
  readonly isAdopted: boolean;
  /** There is room for what the host is at. */
  readonly isAdmitted: boolean;
  readonly plan: Plan | undefined;
  readonly seenTo: { readonly dataImage: boolean; readonly servicing: boolean };
  /** Annotations that have led to a reboot, of a host that must not be switched off. */
  readonly reboots: readonly string[];
  /** Pause until the next poll, or the next attempt, in milliseconds. */
  readonly pauseMs: number;
  /** Attempts in a row of which no status tells. */
  readonly retries: number;
  readonly error: ErrorData | undefined;
  /** The last of them, once it is more than an accident. */
  readonly problem: string | undefined;
  /** The own finalizer is being removed: there may be nothing to write to any more. */
  readonly isReleased: boolean;
  /** Events that were received during an operation and not processed since. */
  readonly unappliedFields: Unheeded;
  /** When the last event arrived that tells the time, milliseconds since the epoch. */
  readonly heardAt: number;
}

/** `change`: of the host or its credentials, which what failed is tried again for. */
export type Unheeded = 'nothing' | 'something' | 'change';

export type HostLifecycleEvent = LifecycleEvent<HostView> | NodeObserved;
export type HostLifecycleInput = LifecycleInput<HostView>;

/** The node is not as it was; without one, Ironic does not know it. */
export interface NodeObserved {
  readonly type: 'observed';
  readonly node: HostNode | undefined;
  readonly at: number;
}

/** Input of the effects: who, and what the effect cannot read from the object. */
export interface HostInput {
  readonly key: string;
}
export interface NodeInput extends HostInput {
  readonly node: HostNode | undefined;
}
export interface CapacityInput extends HostInput {
  /** The `provisioning.state` that there is to be room for. */
  readonly state: string;
}
export interface CapacityOutput {
  readonly isFree: boolean;
  readonly at: number;
}
export interface PowerEffectInput extends NodeInput {
  /** `reboot` is done when Ironic has taken it, the others when the power is so. */
  readonly target: 'on' | 'off' | 'reboot';
  readonly mode: 'hard' | 'soft';
  /** Whether an operation is tried in spite of an earlier failure. */
  readonly force: boolean;
}
export interface ServiceInput extends NodeInput {
  /** False: it is only asked whether there is anything to be done (`due`). */
  readonly isBegun: boolean;
}
export interface RemoveInput extends NodeInput {
  /** Whatever is under way there is interrupted. */
  readonly force: boolean;
}
export interface WatchInput extends NodeInput {
  /** Polling interval in milliseconds; undefined: that of an idle host. */
  readonly pollAfterMs: number | undefined;
  /** Told what is new, as `observed`. */
  readonly parent: AnyActorRef;
}
export interface WriteInput extends HostInput {
  /** All that is to be stored but the conditions and `lastUpdated`. */
  readonly status: HostStatus;
  readonly node: NodeCondition | undefined;
  readonly problem: string | undefined;
  /** Taken off before. */
  readonly unannotate: readonly string[];
  /** Told after. */
  readonly events: readonly HostEvent[];
  readonly measures: readonly Measure[];
}

/** The host with the status that it is to have. @param state  the `provisioning.state` that it is taken to be in */
export function hostOf({ object, status }: Pick<HostContext, 'object' | 'status'>, state?: string): BareMetalHost {
  if (state === undefined) return withStatus(object.host, status);
  return withStatus(object.host, { ...status, provisioning: { ...status.provisioning, state } });
}

export function factsOf(context: HostContext, outcome?: HostFacts['outcome']): HostFacts {
  const { isUnprepared, maxProvisioningRetries } = context.object;
  return {
    outcome,
    hasCredentials: hasCredentials(context),
    isUnprepared,
    isFirmwareChanged: isFirmwareChanged(context),
    maxProvisioningRetries,
  };
}

function credentials({ dependencies }: Pick<HostContext, 'dependencies'>): readonly Dependency[] {
  return dependencies.filter(({ neededFor }) => neededFor === 'always');
}

/**
 * A credentials Secret that is being deleted is held while it is needed, and is sufficient for an existing node that
 * was registered by this lifecycle or an earlier one.
 */
export function hasCredentials(
  context: Pick<HostContext, 'dependencies' | 'withdrawnUids' | 'unusable' | keyof Kept>,
): boolean {
  // A host that is being deleted continues without credentials, since the Secret's guard is being removed.
  if (isDeleting(context.object.host) && context.unusable === credentialsVersion(context.dependencies)) return false;
  const isKept = isToKeep(context);
  return credentials(context).every((each) => isUsable(each, context.withdrawnUids) || (isKept && isServing(each)));
}

type Kept = Pick<HostContext, 'object' | 'joined' | 'status'>;

function isToKeep({ object, joined, status }: Kept): boolean {
  return isDeleting(object.host) || joined !== undefined || (status.provisioning?.ID ?? '') !== '';
}

/** Uids of Secrets that are being deleted while there is nothing of the host: they wait for it, and it for their successors. */
export function withdrawable(
  context: Pick<HostContext, 'dependencies' | 'withdrawnUids' | keyof Kept>,
): readonly string[] {
  if (isToKeep(context)) return [];
  return credentials(context).flatMap(({ answer }) =>
    answer?.readiness === Readiness.Deleting && !context.withdrawnUids.includes(answer.uid) ? [answer.uid] : [],
  );
}

/** It is known that the Secret is not there. */
export function isSecretMissing(context: Pick<HostContext, 'dependencies'>): boolean {
  return credentials(context).some(({ answer }) => answer?.readiness === Readiness.Absent);
}

export function credentialsVersion(dependencies: readonly Dependency[]): string {
  return JSON.stringify(
    credentials({ dependencies }).map(({ name, answer }) => [name, answer?.readiness, answer?.uid, answer?.version]),
  );
}

const FIRMWARE_KINDS: ReadonlySet<string> = new Set(['HostFirmwareSettings', 'HostFirmwareComponents']);

function isFirmwareChanged({ dependencies }: Pick<HostContext, 'dependencies'>): boolean {
  return dependencies.some(({ kind, answer }) => {
    const { isChanged, isValid } = (answer?.attributes ?? {}) as FirmwareAttributes;
    return FIRMWARE_KINDS.has(kind) && isChanged === true && isValid === true;
  });
}

/** Inputs of a registration: any change makes it be repeated. @param state  assumed state of the host */
export function basisOf({ object, dependencies, status }: HostContext, state: string): string {
  const isServicing = status.operationalStatus === OperationalStatus.Servicing;
  const others = dependencies
    .filter(({ kind }) => !FIRMWARE_KINDS.has(kind))
    .map(({ kind, name, answer }) => [kind, name, answer]);
  // mutant: host-ignores-credentials [].2 -> $.length
  return JSON.stringify([object.host.metadata?.generation, others, state, isServicing]);
}

/**
 * Whether the node is registered with the inputs as they are. A busy node that could not be configured counts until it
 * changes (BARE-METAL-HOST-13).
 *
 * @param state  assumed state of the host
 */
export function isJoined(context: HostContext, state: string): boolean {
  const { joined, unconfigured, node } = context;
  // mutant: host-keeps-unconfigured return -> $1
  return joined === basisOf(context, state) && (unconfigured === undefined || unconfigured === node?.revision);
}

/** The edit may require another operation. */
export function isEdited(context: HostContext, { object }: { readonly object: HostView }): boolean {
  const { host: before, ...more } = context.object;
  const { host: now, ...others } = object;
  return (
    !isEqual(more, others) ||
    !isEqual(wantedOf(before), wantedOf(now)) ||
    (isSaved(context) && isRewritten(context, now))
  );
}

function wantedOf({ metadata, spec }: BareMetalHost): object {
  const { generation, deletionTimestamp } = metadata ?? {};
  return { generation, annotations: annotationsOf({ metadata }), deletionTimestamp, spec };
}

/** None, and an empty map of them, is the same. */
function annotationsOf({ metadata }: BareMetalHost): object {
  return metadata?.annotations ?? {};
}

/** Another writer changed the status: it differs from the decision. */
function isRewritten({ status }: HostContext, { status: stored }: BareMetalHost): boolean {
  return !isEqual(decidedOf(status), decidedOf(stored ?? {}));
}

function decidedOf({ conditions: _conditions, lastUpdated: _lastUpdated, ...decided }: HostStatus): HostStatus {
  return decided;
}

export function isSaved({ revision, written }: Pick<HostContext, 'revision' | 'written'>): boolean {
  return revision === written;
}

/** Current answers of the dependencies. */
export function storeDependencies(
  context: HostContext,
  { dependencies, at }: { dependencies: readonly Dependency[]; at: number },
): Partial<HostContext> {
  const isChange = credentialsVersion(dependencies) !== credentialsVersion(context.dependencies);
  return {
    dependencies,
    heardAt: at,
    unappliedFields: isChange ? 'change' : more(context.unappliedFields, 'something'),
  };
}

function more(before: Unheeded, now: Unheeded): Unheeded {
  return before === 'change' || now === 'nothing' ? before : now;
}

/** The host as it is known now. What of its status is not stored yet is not forgotten. */
export function storeObject(
  context: HostContext,
  { object, dependencies, at }: { object: HostView; dependencies: readonly Dependency[]; at: number },
): Partial<HostContext> {
  const { status } = context;
  const isChange =
    isEdited(context, { object }) || credentialsVersion(dependencies) !== credentialsVersion(context.dependencies);
  const isNew = !isEqual(annotationsOf(context.object.host), annotationsOf(object.host));
  const events = isNew ? rebootAnnotationEvents(object.host) : [];
  return {
    object,
    dependencies,
    heardAt: at,
    unappliedFields: more(context.unappliedFields, isChange ? 'change' : 'nothing'),
    status: isSaved(context) ? (object.host.status ?? {}) : status,
    reboots: context.reboots.filter((key) => isRebootAnnotation(key) && annotationOf(object.host, key) !== undefined),
    ...(isRespecified(context.object, object) && { seenTo: NOTHING_SEEN_TO }),
    ...report(context, { events }),
  };
}

function isRespecified(before: HostView, now: HostView): boolean {
  return before.host.metadata?.generation !== now.host.metadata?.generation;
}

export const NOTHING_SEEN_TO = { dataImage: false, servicing: false } as const;

/** The context with another status, to be stored unless it is the same. */
export function changed(context: HostContext, status: HostStatus): Partial<HostContext> {
  return status === context.status ? {} : { status, revision: context.revision + 1 };
}

/** Adds further reports. */
export function report(
  context: HostContext,
  { events = [], measures = [] }: { events?: readonly HostEvent[]; measures?: readonly Measure[] },
): Partial<HostContext> {
  if (events.length === 0 && measures.length === 0) return {};
  return {
    events: [...context.events, ...events],
    measures: [...context.measures, ...measures],
    revision: context.revision + 1,
  };
}

/** Annotations that are to be taken off, as far as they are there. */
export function unannotated(context: HostContext, keys: readonly string[] = []): Partial<HostContext> {
  const there = keys.filter((key) => annotationOf(context.object.host, key) !== undefined);
  if (there.length === 0) return {};
  return { unannotate: [...context.unannotate, ...there], revision: context.revision + 1 };
}

export const NOTHING_TO_SEND = { unannotate: [], events: [], measures: [] } as const;
export const NOTHING_SENT: Sending = { unannotate: 0, events: 0, measures: 0 };

/** Result of a decision. */
export function applied(context: HostContext, change: HostChange): Partial<HostContext> {
  return inTurn(
    context,
    (now) => changed(now, change.status),
    (now) => report(now, change),
  );
}

/** Node as it was read. Its facts for the conditions are to be stored. */
export function seen(context: HostContext, node: HostNode | undefined): Partial<HostContext> {
  const isNews = node?.fault !== context.node?.fault || node?.health !== context.node?.health;
  return { node, ...(isNews && { revision: context.revision + 1 }) };
}

/** One change upon the other, as if they were made one by one. */
export function inTurn(
  context: HostContext,
  ...changes: readonly ((context: HostContext) => Partial<HostContext>)[]
): Partial<HostContext> {
  let now = context;
  for (const change of changes) now = { ...now, ...change(now) };
  return now;
}
