// Whether what is about to be made is still wanted.
//
// Invariants:
//   WIN-WANTED-1. In the lane in which something is taken down again, nothing is made for an object that is deleted, however long ago that was
//       asked for: who asked may be gone, and what is taken down only then is never taken down.
//   WIN-WANTED-2. That is asked before the last look at the machine, never between that look and the change: the API server may take its time,
//       and what was seen before it answered may not be so any more.
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
