// Recorded file systems of a disk, read from the API server: actors may not have received all of them.
import type { KubeObject } from '../../../machines/object.ts';
import { mergedSeen, type SeenFileSystem, seenIn } from '../file-systems.ts';
import { STORAGE_NODES, WINDOWS_DISKS } from '../resources.ts';
import { listOf, mapOf } from '../values.ts';
import { isUnique } from './disks.ts';
import { isOnMachine, type Which } from './same-machine.ts';
import type { MachinePorts } from './serving.ts';

/** Records of nodes about a disk. @param which  the machine that sees it */
export function recordsOfNodes(
  nodes: readonly KubeObject[],
  identity: string,
  which: Which,
): readonly SeenFileSystem[] {
  const all = nodes
    .filter((each) => each.spec?.['nodeName'] === which.node || isOnMachine(each, which) || isUnique(identity))
    .flatMap(({ status }) => listOf(status?.['disks']).map(mapOf));
  return mergedSeen(...all.filter((disk) => disk['identity'] === identity).map((disk) => seenIn(disk['fileSystems'])));
}

/** @param disk  name of the WindowsDisk */
export async function recordsOf(
  { readObject, listObjects, node, machine }: MachinePorts,
  { metadata }: KubeObject,
  { disk, identity }: { readonly disk: string; readonly identity: string },
): Promise<readonly SeenFileSystem[]> {
  const [owner, nodes, serial] = await Promise.all([
    readObject(WINDOWS_DISKS, metadata.namespace ?? '', disk),
    listObjects(STORAGE_NODES),
    machine(),
  ]);
  const isOf = owner?.status?.['identity'] === identity;
  return mergedSeen(
    isOf ? seenIn(owner?.status?.['fileSystems']) : [],
    recordsOfNodes(nodes, identity, { node, serial }),
  );
}
