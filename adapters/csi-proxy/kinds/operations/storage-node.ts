// What is seen of a machine.
//
// Invariants:
//   N1. A disk that several machines see is had on one of them: two that write to it would spoil what is on it. Only what is known
//       by a page 83 identifier is known to be one disk; serial numbers are much the same on many machines.
import type { JsonObject } from '../../../../bus/json.ts';
import type { Claimant, OperationRequest } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Operation } from '../../../adapter.ts';
import { Reason, reasonOf } from '../conditions.ts';
import { STORAGE_NODES } from '../resources.ts';
import { listOf, mapOf, said, textOf } from '../values.ts';
import { asJson, disksOf, PAGE83, type SeenDisk } from './disks.ts';
import { type Answer, type MachinePorts, onMachine } from './serving.ts';

export function storageNodeOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { host, listObjects } = ports;
  return {
    /** Answers `{ machine, disks, elder }`; `elder`: another object that stands for the node and was there before. */
    look: (request: OperationRequest): Answer =>
      onMachine(ports, request, async () => {
        const { object, claimants = [] } = request;
        const [machine, disks, nodes] = await Promise.all([
          ports.machine(),
          disksOf(ports),
          listObjects(STORAGE_NODES),
        ]);
        const elsewhere = hadElsewhere(nodes, object);
        const claims = claimsOn(object, claimants, elsewhere);
        const elder = nodes.find(
          (node) => node.spec?.['nodeName'] === object.spec?.['nodeName'] && ageOf(node) < ageOf(object),
        );
        const whoseIs = ({ identity }: SeenDisk): JsonObject =>
          said(
            claims.has(identity)
              ? { claimedBy: claims.get(identity) }
              : { claimedOn: elsewhere.get(identity)?.metadata.name },
          );
        return said({
          machine,
          disks: [
            ...(await Promise.all(
              disks.map(async (disk) => ({
                ...asJson(disk),
                sizeBytes: Number((await host.disk.getDiskStats(disk.number)).totalBytes),
                ...whoseIs(disk),
              })),
            )),
            ...absent(claims, disks),
          ],
          elder: elder && `${elder.metadata.namespace ?? ''}/${elder.metadata.name}`,
        });
      }),
  };
}

/** Whoever had a disk that is not there at the moment has it when it comes back. */
function absent(claims: ReadonlyMap<string, string>, disks: readonly SeenDisk[]): readonly JsonObject[] {
  return [...claims]
    .filter(([identity]) => !disks.some((disk) => disk.identity === identity))
    .map(([identity, claimedBy]) => ({ identity, claimedBy }));
}

/** Earlier ones come first. */
function ageOf({ metadata: { creationTimestamp = '', uid } }: KubeObject): string {
  return `${creationTimestamp} ${uid}`;
}

/**
 * Disks that objects have on other machines, each with the first of these. Of a machine of which nothing is heard the last that was
 * seen counts, unless it is said to be gone: it may be at work as ever.
 */
function hadElsewhere(nodes: readonly KubeObject[], object: KubeObject): ReadonlyMap<string, KubeObject> {
  const others = nodes
    .filter((node) => node.metadata.uid !== object.metadata.uid && reasonOf(node) !== Reason.NodeGone)
    .sort((one, other) => (ageOf(one) < ageOf(other) ? 1 : -1));
  const had = ({ status }: KubeObject): readonly string[] =>
    listOf(status?.['disks'])
      .map(mapOf)
      .filter(({ number, claimedBy }) => number !== undefined && claimedBy !== undefined)
      .map(({ identity }) => textOf(identity))
      .filter((identity) => identity.startsWith(PAGE83));
  return new Map(others.flatMap((node) => had(node).map((identity) => [identity, node] as const)));
}

/**
 * Who has which disk: whoever had it keeps it while he claims it, else the first by name gets it. What is had elsewhere nobody gets;
 * if two machines gave it away at the same time the later one takes it back (N1).
 */
function claimsOn(
  object: KubeObject,
  claimants: readonly Claimant[],
  elsewhere: ReadonlyMap<string, KubeObject>,
): ReadonlyMap<string, string> {
  const before = listOf(object.status?.['disks']).map(mapOf);
  const claims = new Map<string, string>();
  const names = (identity: string): readonly string[] =>
    claimants
      .filter(({ plural, attributes }) => plural === 'windowsdisks' && attributes['identity'] === identity)
      .map(({ name }) => name)
      .sort();
  for (const identity of new Set(claimants.map(({ attributes }) => textOf(attributes['identity'])))) {
    const all = names(identity);
    const had = textOf(before.find((disk) => disk['identity'] === identity)?.['claimedBy']);
    const isKept = all.includes(had);
    const rival = elsewhere.get(identity);
    if (rival !== undefined && (!isKept || ageOf(rival) < ageOf(object))) continue;
    const name = isKept ? had : all[0];
    if (name !== undefined) claims.set(identity, name);
  }
  return claims;
}
