// Hints for users about objects that need an action. Pure.
import type { Hint } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { Reason, reasonOf } from './conditions.ts';
import { NODE_GONE, ROLE } from './names.ts';

const NODE = 'the WindowsStorageNode';

/** Undefined: resolves automatically, or the message is sufficient. */
const TODO: Readonly<Record<Reason, string | undefined>> = {
  [Reason.Success]: undefined,
  [Reason.WaitingForDependency]: undefined,
  [Reason.WaitingForUsers]: undefined,
  [Reason.TransientError]: undefined,
  [Reason.InvalidConfiguration]: undefined,
  [Reason.Formatting]: undefined,
  [Reason.Found]: undefined,
  [Reason.RotationPending]: undefined,
  [Reason.NodeUnreachable]: `see that a process of troupe with the role '${ROLE}' runs on that node`,
  [Reason.NodeGone]: `delete it, which asks nothing of that machine; or, if the machine is there, take the annotation ${NODE_GONE} off ${NODE}`,
  [Reason.DifferentMachine]: `give the machine that is there now a WindowsStorageNode of its own, or bring the other one back`,
  [Reason.NodeTaken]: 'name another node in its spec.nodeName, or take the other object away',
  [Reason.CsiProxyUnreachable]: `see that csi-proxy runs where spec.endpoint of ${NODE} says, and lets troupe in`,
  [Reason.ApiNotServed]: `let spec.apiVersions of ${NODE} name a version that is served, or update csi-proxy there`,
  [Reason.DiskAbsent]: 'see that the machine has the disk, and that the spec says which one it is',
  [Reason.DiskMoved]: 'attach the disk to this machine again, or have an object for it on the other node',
  [Reason.AmbiguousDisk]: 'see on the machine which disks these are, and have the spec say what only one of them has',
  [Reason.DiskTaken]: 'name another disk, or see to the object that has this one',
  [Reason.DiskReadOnly]: 'do as the message says, if it is to be written',
  [Reason.VolumeAbsent]: 'see on the machine that the disk is online and has the partition',
  [Reason.AmbiguousVolume]: 'name one of them with spec.partitionNumber',
  [Reason.NotFormatted]: 'format it by hand, or order it as the message says, if nothing on it is wanted',
  [Reason.RawNotTold]: 'choose another spec.formatPolicy',
  [Reason.NotPartitioned]: 'partition it by hand, or order it as the message says, if nothing on it is wanted',
  [Reason.FormatUncertain]: 'check its result on the machine',
  [Reason.MappingBroken]: 'repair or remove the mapping on the node, which another client made',
  [Reason.PathTaken]: 'check what is at the path; the object continues automatically once the path is free',
  [Reason.OfOtherNamespace]: 'ask the owner of the object in the other namespace, or use another machine',
};

const isReason = (reason: string): reason is Reason => Object.hasOwn(TODO, reason);

/** @returns undefined: nothing to say beyond what the object says itself */
export function hintOn(object: KubeObject): Hint | undefined {
  const reason = reasonOf(object);
  const todo = isReason(reason) ? TODO[reason] : undefined;
  return todo === undefined ? undefined : { todo };
}
