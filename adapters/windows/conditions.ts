// The conditions of all kinds: standard ones of Kubernetes, brought up to date. Pure.
//
// Invariant: `lastTransitionTime` moves with `status` alone.
import type { JsonObject } from '../../bus/json.ts';
import type { KubeObject } from '../../machines/object.ts';
import { listOf, mapOf, textOf } from './values.ts';

/** Why an object is ready, or not. Shown, and stored. */
export const Reason = {
  Success: 'Success',
  /** A dependency is not ready. */
  WaitingForDependency: 'WaitingForDependency',
  /** It is deleted, and others use it. */
  WaitingForUsers: 'WaitingForUsers',
  TransientError: 'TransientError',
  InvalidConfiguration: 'InvalidConfiguration',
  /** No process serves the role on the node. */
  NodeUnreachable: 'NodeUnreachable',
  /** The node was declared permanently deleted. */
  NodeGone: 'NodeGone',
  /** The node is not the machine that it was. */
  DifferentMachine: 'DifferentMachine',
  /** Another object represents the node. */
  NodeTaken: 'NodeTaken',
  /** The endpoint of the node's csi-proxy does not respond, or rejects connections. */
  CsiProxyUnreachable: 'CsiProxyUnreachable',
  /** csi-proxy serves no version of a group that may be used. */
  ApiNotServed: 'ApiNotServed',
  /** No disk of the machine is the one that is meant. */
  DiskAbsent: 'DiskAbsent',
  /** The machine sees the disk no more, and another machine does. */
  DiskMoved: 'DiskMoved',
  /** Several disks may be the one that is meant, or have its identity. */
  AmbiguousDisk: 'AmbiguousDisk',
  /** Windows has made the disk read-only. */
  DiskReadOnly: 'DiskReadOnly',
  /** Another object has the disk. */
  DiskTaken: 'DiskTaken',
  VolumeAbsent: 'VolumeAbsent',
  AmbiguousVolume: 'AmbiguousVolume',
  /** There is no file system that Windows knows, and the policy does not let one be made. */
  NotFormatted: 'NotFormatted',
  /** It is to be formatted if its disk was raw, which csi-proxy does not tell. */
  RawNotTold: 'RawNotTold',
  Formatting: 'Formatting',
  /** It has no partition, had a file system, and no user has allowed that to be lost. */
  NotPartitioned: 'NotPartitioned',
  /** A format was started and its outcome is unknown. */
  FormatUncertain: 'FormatUncertain',
  /** Something is at the path that the object has not made. */
  PathTaken: 'PathTaken',
  /** An object of another namespace has it on this machine. */
  OfOtherNamespace: 'OfOtherNamespace',
  /** The mapping or the connection works, but another owner made it. */
  Found: 'Found',
  /** The mapping does not work, and another owner made it. */
  MappingBroken: 'MappingBroken',
  /** The mapping works; new credentials are applied when it is no longer used. */
  RotationPending: 'RotationPending',
} as const;
export type Reason = (typeof Reason)[keyof typeof Reason];

/** Whether an object is as specified, with reason and message. */
export interface Verdict {
  readonly ready: boolean;
  readonly reason: string;
  readonly message: string;
}

export const READY: Verdict = { ready: true, reason: Reason.Success, message: 'it is as specified' };

export function unready(reason: Reason, message: string): Verdict {
  return { ready: false, reason, message };
}

const TYPE = 'Ready';
/** The longest message that a condition holds. */
const MESSAGE_LENGTH = 32_768;

/** `status.conditions` after a verdict on the object as it is now. @param now  milliseconds since the epoch */
export function conditionsOf(object: KubeObject, { ready, reason, message }: Verdict, now: number): JsonObject[] {
  const stored = readyIn(object);
  const status = ready ? 'True' : 'False';
  const isSame = stored['status'] === status;
  return [
    {
      type: TYPE,
      status,
      reason,
      message: message.slice(0, MESSAGE_LENGTH),
      lastTransitionTime: isSame ? textOf(stored['lastTransitionTime']) : timeOf(now),
      observedGeneration: object.metadata.generation ?? 0,
    },
  ];
}

/** Whether the object was judged since its spec was last edited. */
export function isCurrent(object: KubeObject): boolean {
  return readyIn(object)['observedGeneration'] === (object.metadata.generation ?? 0);
}

export function isReady(object: KubeObject): boolean {
  return readyIn(object)['status'] === 'True';
}

export function reasonOf(object: KubeObject): string {
  return textOf(readyIn(object)['reason']);
}

function readyIn({ status }: KubeObject): JsonObject {
  return (
    listOf(status?.['conditions'])
      .map(mapOf)
      .find(({ type }) => type === TYPE) ?? {}
  );
}

/** RFC 3339 in UTC, whole seconds: the API server keeps no more. */
export function timeOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
