// Recorded file systems of a disk, read from the API server: actors may not have received all of them.
import type { KubeObject } from '../../../machines/object.ts';
import { mergedSeen, type SeenFileSystem, seenIn } from '../file-systems.ts';
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

/** @param disk  the WindowsDisk, and `nodes` those of the API server, all as they are now */
export async function recordsOf(
  { node, machine }: MachinePorts,
  {
    disk,
    nodes,
    identity,
  }: { readonly disk: KubeObject; readonly nodes: readonly KubeObject[]; readonly identity: string },
): Promise<readonly SeenFileSystem[]> {
  const isOf = disk.status?.['identity'] === identity;
  return mergedSeen(
    isOf ? seenIn(disk.status?.['fileSystems']) : [],
    recordsOfNodes(nodes, identity, { node, serial: await machine() }),
  );
}
