// Whether what is about to be made is still wanted.
//
// Invariants:
//   WIN-WANTED-1. While the lock of a removal is held, nothing is ever created for a deleted object, however old the
//       request: its caller may have stopped, and the result would never be removed.
//   WIN-WANTED-2. The API server is read before the last check of the machine, never between that check and the change:
//       its response may take time, and an earlier check may be outdated by then.
//   WIN-WANTED-3. What a change of a disk or a volume depends on in the spec is read in the lane, at the same time: an edit
//       while the request waits counts.
import { TransientError } from '../../../bus/errors.ts';
import type { OperationRequest, Resource } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { MachinePorts } from './serving.ts';

/** To be called in the lane, before the machine is looked at. @returns the object as it is now. @throws {TransientError} it is being deleted, or gone */
export async function requireWanted(
  { readObject }: Pick<MachinePorts, 'readObject'>,
  resource: Resource,
  { object: { metadata } }: Pick<OperationRequest, 'object'>,
): Promise<KubeObject> {
  const { namespace = '', name, uid } = metadata;
  const now = await readObject(resource, namespace, name);
  // mutant: wanted-after-deletion if -> true
  if (now?.metadata.uid === uid && now.metadata.deletionTimestamp === undefined) return now;
  throw new TransientError(`${resource.kind} '${name}' is being deleted: nothing is made for it any more`);
}

/**
 * The same for the end of an object. @returns the object as it is now; undefined: it was deleted, and another one may have its name
 * @throws {TransientError} it is not being deleted
 */
export async function leavingOf(
  { readObject }: Pick<MachinePorts, 'readObject'>,
  resource: Resource,
  { object: { metadata } }: Pick<OperationRequest, 'object'>,
): Promise<KubeObject | undefined> {
  const { namespace = '', name, uid } = metadata;
  const now = await readObject(resource, namespace, name);
  if (now?.metadata.uid !== uid) return undefined;
  // mutant: ended-undeleted if -> true
  if (now.metadata.deletionTimestamp !== undefined) return now;
  throw new TransientError(`${resource.kind} '${name}' is not being deleted: nothing of it is taken down`);
}
