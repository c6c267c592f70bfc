// What is seen of a machine.
//
// Invariant:
//   N1. A disk that a WindowsDisk has is given to no other while that is there, whether its claim is known or not: mail may be lost.
import type { Claimant, OperationRequest } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Operation } from '../../../adapter.ts';
import { STORAGE_NODES, WINDOWS_DISKS } from '../resources.ts';
import { listOf, mapOf, said, textOf } from '../values.ts';
import { asJson, disksOf } from './disks.ts';
import { type Answer, type MachinePorts, onMachine } from './serving.ts';

export function storageNodeOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { host, listObjects } = ports;
  return {
    /**
     * Answers `{ machine, disks, elder, isLeaving }`; `elder`: another object that stands for the node and was there before;
     * `isLeaving`: a disk is still that of an object which may be gone in a moment.
     */
    look: (request: OperationRequest): Answer =>
      onMachine(ports, request, async () => {
        const { object, claimants = [] } = request;
        const [machine, disks, nodes] = await Promise.all([
          host.system.getBIOSSerialNumber(),
          disksOf(ports),
          listObjects(STORAGE_NODES),
        ]);
        const { claims, isLeaving } = await claimsOn(ports, object, claimants);
        const age = ({ creationTimestamp = '', uid }: { creationTimestamp?: string; uid: string }): string =>
          `${creationTimestamp} ${uid}`;
        const elder = nodes.find(
          ({ metadata, spec }) =>
            spec?.['nodeName'] === object.spec?.['nodeName'] && age(metadata) < age(object.metadata),
        );
        return said({
          machine,
          disks: await Promise.all(
            disks.map(async (disk) => ({
              ...asJson(disk),
              sizeBytes: Number((await host.disk.getDiskStats(disk.number)).totalBytes),
              ...claims.get(disk.identity),
            })),
          ),
          elder: elder && `${elder.metadata.namespace ?? ''}/${elder.metadata.name}`,
          isLeaving: isLeaving || undefined,
        });
      }),
  };
}

/** A type, as an interface would be no JSON. */
type Holder = { readonly claimedBy: string; readonly claimedByUID: string };

/** Who has which disk, by its identity: whoever had it keeps it (N1), else the first by name of those who claim it gets it. */
async function claimsOn(
  { readObject }: MachinePorts,
  { metadata, status }: KubeObject,
  claimants: readonly Claimant[],
): Promise<{ readonly claims: ReadonlyMap<string, Holder>; readonly isLeaving: boolean }> {
  const claims = new Map<string, Holder>();
  let isLeaving = false;
  const ofDisks = claimants
    .filter(({ plural }) => plural === WINDOWS_DISKS.plural)
    .map(({ name, attributes }) => ({
      identity: textOf(attributes['identity']),
      holder: { claimedBy: name, claimedByUID: textOf(attributes['uid']) },
    }))
    .sort((one, other) => (one.holder.claimedBy < other.holder.claimedBy ? -1 : 1));
  for (const disk of listOf(status?.['disks']).map(mapOf)) {
    const [identity, claimedBy, claimedByUID] = ['identity', 'claimedBy', 'claimedByUID'].map((of) => textOf(disk[of]));
    if (!identity || !claimedBy || !claimedByUID) continue;
    const isClaimed = ofDisks.some((one) => one.identity === identity && one.holder.claimedByUID === claimedByUID);
    const known = isClaimed ? undefined : await readObject(WINDOWS_DISKS, metadata.namespace ?? '', claimedBy);
    const isThere = known?.metadata.uid === claimedByUID && known.status?.['identity'] === identity;
    if (!isClaimed && !isThere) continue;
    claims.set(identity, { claimedBy, claimedByUID });
    isLeaving ||= known?.metadata.deletionTimestamp !== undefined;
  }
  for (const { identity, holder } of ofDisks) if (!claims.has(identity)) claims.set(identity, holder);
  return { claims, isLeaving };
}
