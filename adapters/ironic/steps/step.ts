// Result of a decision: one step, as data. Nothing here or beside it makes a call, reads a clock or draws a number.
//
// An attempt starts with no facts. It takes steps of one operation until one ends it:
//   send      The requests are sent in this order, each only if the response to the one before was as expected (`verdictOn`). Then
//             `onward` decides again with the facts gathered; `again` starts over immediately; otherwise after the pause.
//   ask       The decision needs something outside of Ironic: it is read, and the decision made again with it.
//   askOwner  The decision needs the owner of the node: whether it belongs to another host.
//   wait      Starts over when the node has changed, which is polled at this pace; or after the pause (`until`).
//   done      The operation has nothing left to do.
//   failed    The host has an error of this type, and backs off.
//   stuck     The state is unknown. Retried soon, then with backoff; the message is for the status and the log.
//   register  Ironic does not know the node: it has to be registered first.
//
// Within an attempt the host and the memory stay as they were at its start. Notes of steps are applied when it ends, however it ends.
import type { JsonObject } from '../../../bus/bus.ts';
import { ironicPauseMs, PAUSES_MS } from '../../../machines/bare-metal-host/delays.ts';
import type { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import type { HostEvent, HostStatus } from '../../../machines/bare-metal-host/host.ts';
import type { IronicRequest } from '../client/client.ts';
import { called, type IronicNode, stateOf, uuidOf } from '../client/node-answer.ts';
import type { Fact } from './facts.ts';
import type { Memory } from './node-memory.ts';
import { type Host, hasErrorOf } from './step-host.ts';

/** Pause until the next attempt. `now` is no pause. */
export type Pace = 'now' | 'short' | 'long' | 'preprovisioningImage' | 'firmwareNotReady' | 'servicingEnded';

/** Record of a change of the node in the status of the host, or of its firmware objects. */
export type Applied = 'rootDeviceHints' | 'raid' | 'softwareRaid' | 'firmwareUpdates' | 'image' | 'customDeploy';

/**
 * Changes other than to the node. For a `send`, true once all requests had the expected response; for any other step,
 * immediately.
 */
export interface Notes {
  readonly events?: readonly HostEvent[];
  /** Members of the host's status that are set; `provisioning` member by member. */
  readonly status?: HostStatus;
  /** The error of the host is over: its type and message are emptied. Its operational status is `OK`, unless `status` says it. */
  readonly isErrorOver?: true;
  /** Annotations that are taken off the host. */
  readonly unannotate?: readonly string[];
  /** Records that become what is wanted now. */
  readonly record?: readonly Applied[];
  /** Records that are cleared. */
  readonly forget?: readonly Applied[];
  readonly remember?: Memory;
}

/** Its body may hold secrets: it is never logged as it is. */
export interface NodeRequest extends IronicRequest {
  /** Status codes of success. */
  readonly expects: readonly number[];
  /** Begins the message of a failure; no secret. */
  readonly failure: string;
  /** Fact that the body of the response becomes; null for an expected 404. */
  readonly into?: Fact;
  /** Request that is sent instead if the response has this code. */
  readonly otherwise?: { readonly status: number; readonly request: NodeRequest };
}

export type Send = Notes & {
  readonly step: 'send';
  readonly requests: readonly NodeRequest[];
  readonly then: 'onward' | 'again' | Pace;
};
export type Ask = Notes & { readonly step: 'ask'; readonly for: 'instanceData' | 'configDrive' | 'firmwareSettings' };
export type AskOwner = { readonly step: 'askOwner'; readonly node: IronicNode };
export type Wait = Notes & {
  readonly step: 'wait';
  readonly pace: Pace;
  /** For people: what is waited for. */
  readonly because: string;
  /** End of the wait: a change of the node, or the end of the pause. */
  readonly until: 'node' | 'pause';
};
export type Failed = Notes & { readonly step: 'failed'; readonly errorType: ErrorType; readonly message: string };
export type Stuck = { readonly step: 'stuck'; readonly message: string };
export type Register = { readonly step: 'register' };
export type Done<Found extends object = object> = Notes & { readonly step: 'done' } & Found;

/** `Found` is what is known, too, when the operation is done. */
export type Step<Found extends object = object> = Done<Found> | Unfinished;
export type Unfinished = Send | Ask | AskOwner | Wait | Failed | Stuck | Register;

export const REGISTER: Register = { step: 'register' };

export function send(requests: readonly NodeRequest[], then: Send['then'], notes: Notes = {}): Send {
  return { step: 'send', requests, then, ...notes };
}

export function wait(pace: Pace, because: string, notes: Notes = {}): Wait {
  return { step: 'wait', pace, because, until: 'pause', ...notes };
}

/** Something is under way that is seen by the node when it is over. */
export function waitForNode(pace: Pace, because: string, notes: Notes = {}): Wait {
  return { ...wait(pace, because, notes), until: 'node' };
}

/** Ironic is at work, and tells by the provision state when it has done. */
export function waitFor(node: IronicNode, pace: Pace, notes: Notes = {}): Wait {
  return waitForNode(pace, `${called(node)} is in provision state "${stateOf(node)}"`, notes);
}

export function failed(errorType: ErrorType, message: string, notes: Notes = {}): Failed {
  return { step: 'failed', errorType, message, ...notes };
}

export function stuck(message: string): Stuck {
  return { step: 'stuck', message };
}

/** @param doing operation that cannot continue: `inspection` */
export function stuckIn(node: IronicNode, doing: string): Stuck {
  return stuck(`${doing} cannot continue while ${called(node)} is in provision state "${stateOf(node)}"`);
}

/**
 * A request that restarts a failed operation: once it is accepted the error is cleared, so that the next failure counts
 * separately.
 */
export function restarting(host: Host, errorType: ErrorType): Notes {
  return hasErrorOf(host, errorType) ? { isErrorOver: true } : {};
}

/** The step with more notes; those that it has come later, or win. */
export function noting<Some extends Step>(step: Some, notes: Notes): Some {
  if (step.step === 'stuck' || step.step === 'register' || step.step === 'askOwner') return step;
  const { events, status, unannotate, forget, remember } = notes;
  return {
    ...notes,
    ...step,
    ...(events !== undefined && { events: [...events, ...(step.events ?? [])] }),
    ...(status !== undefined && { status: mergedStatus(status, step.status) }),
    ...(unannotate !== undefined && { unannotate: [...unannotate, ...(step.unannotate ?? [])] }),
    ...(forget !== undefined && { forget: [...forget, ...(step.forget ?? [])] }),
    ...(remember !== undefined && { remember: { ...remember, ...step.remember } }),
  };
}

function mergedStatus(first: HostStatus, second: HostStatus | undefined): HostStatus {
  const provisioning = { ...first.provisioning, ...second?.provisioning };
  return { ...first, ...second, ...(Object.keys(provisioning).length > 0 && { provisioning }) };
}

/** The path of a node, or of something below it. @param id  UUID or name */
export function nodePath(id: string, ...parts: readonly string[]): string {
  return ['/v1/nodes', encodeURIComponent(id.toWellFormed()), ...parts].join('/');
}

/** Changes the node. @param patch  RFC 6902 */
export function patchNode(node: IronicNode, patch: readonly JsonObject[], into?: Fact): NodeRequest {
  return {
    method: 'PATCH',
    path: nodePath(uuidOf(node)),
    body: patch,
    expects: [200],
    failure: `failed to update ${called(node)}`,
    ...(into !== undefined && { into }),
  };
}

/** Meaning of a response: continue, send the other request, or end the attempt with this step. */
export type Verdict =
  | { readonly kind: 'expected' }
  | { readonly kind: 'otherwise'; readonly request: NodeRequest }
  | { readonly kind: 'ends'; readonly step: Wait | Stuck };

/**
 * Meaning of a response for the attempt in which the request was sent.
 *
 * @param detail  what the answer says of the failure; no secret
 */
export function verdictOn(request: NodeRequest, { status, detail = '' }: { status: number; detail?: string }): Verdict {
  if (request.expects.includes(status)) return { kind: 'expected' };
  if (request.otherwise?.status === status) return { kind: 'otherwise', request: request.otherwise.request };
  // A port that exists already is no matter of waiting.
  const isBusy = status === 409 && !request.path.startsWith('/v1/ports');
  if (isBusy) return { kind: 'ends', step: wait('short', 'Ironic is busy with the node') };
  return { kind: 'ends', step: stuck(`${request.failure}: ${detail || `HTTP status ${status}`}`) };
}

/** Length of a pause. @param random uniform in [0, 1) @returns milliseconds */
export function pauseMs(pace: Pace, random: number): number {
  switch (pace) {
    case 'now':
      return 0;
    case 'short':
      return ironicPauseMs(PAUSES_MS.ironicShort, random);
    case 'long':
      return ironicPauseMs(PAUSES_MS.ironicLong, random);
    case 'preprovisioningImage':
      return PAUSES_MS.preprovisioningImage;
    case 'firmwareNotReady':
      return PAUSES_MS.firmwareNotReady;
    case 'servicingEnded':
      return PAUSES_MS.servicingEnded;
  }
}
