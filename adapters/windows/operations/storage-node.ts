// Observation of a machine.
import type { JsonObject } from '../../../bus/json.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Operation } from '../../api/adapter.ts';
import { latestSeen, mergedSeen, type SeenFileSystem, seenIn } from '../file-systems.ts';
import { holderOf } from '../node-names.ts';
import { STORAGE_NODES } from '../resources.ts';
import { listOf, mapOf, said, textOf } from '../values.ts';
import { claimsOn, type Holder, hadElsewhere } from './claims.ts';
import { asJson, changeDisk, disksOf, type SeenDisk } from './disks.ts';
import { recordsOfNodes } from './records.ts';
import type { Which } from './same-machine.ts';
import { type Answer, type MachinePorts, onLook, PATIENT } from './serving.ts';

/** Disks without an object that are not there any more, and on which a file system was seen: the latest. */
const MOST_REMEMBERED = 128;

export function storageNodeOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  return {
    /**
     * Returns `{ machine, disks, elder, isLeaving, apiVersions }`; `elder`: another object that represents the node;
     * `isLeaving`: a disk is still held by an object that may be deleted in a moment.
     */
    look: (request: OperationRequest): Answer =>
      onLook(ports, request, async (here) => {
        const { host, listObjects, served } = here;
        const { object, claimants = [] } = request;
        // For all that is on the machine: disks that were attached, and those that have grown.
        // mutant: disk-growth-unseen drop
        await host.disk.rescan();
        const [machine, disks, nodes] = await Promise.all([
          host.system.getBIOSSerialNumber(),
          disksOf(here),
          listObjects(STORAGE_NODES),
        ]);
        const which = { node: here.node, serial: machine };
        const elsewhere = hadElsewhere(nodes, object, which);
        // Read in the lane, after changes that have begun (WIN-CLAIMS-4). A disk whose state is unknown may be online.
        const isOnline = (identity: string): Promise<boolean> =>
          changeDisk(here, identity, PATIENT, async (numberNow) => host.disk.getDiskState(await numberNow())).then(
            (state) => state === 'online',
            () => true,
          );
        const { claims, isLeaving } = await claimsOn(here, object, claimants, { elsewhere, which, isOnline });
        const whose = ({ identity }: SeenDisk): JsonObject =>
          claims.get(identity) ?? said({ claimedOn: elsewhere.get(identity)?.metadata.name });
        const records = (identity: string): JsonObject =>
          identity === '' ? {} : said({ fileSystems: [...recordsOn(request, nodes, identity, which)] });
        const seen = disks.map(
          async (disk): Promise<JsonObject> => ({
            ...asJson(disk),
            sizeBytes: Number((await host.disk.getDiskStats(disk.number)).totalBytes),
            ...whose(disk),
            ...records(disk.identity),
          }),
        );
        const holder = holderOf(nodes, here.node);
        const elder = holder?.metadata.uid === object.metadata.uid ? undefined : holder;
        const [apiVersions, ...present] = await Promise.all([served?.(), ...seen]);
        return said({
          machine,
          // mutant: disk-given-away [].2 drop
          disks: [...present, ...absent(object, claims, disks).map((disk) => ({ ...disk, ...records(disk.identity) }))],
          elder: elder && `${elder.metadata.namespace ?? ''}/${elder.metadata.name}`,
          isLeaving: isLeaving || undefined,
          apiVersions: apiVersions && [...apiVersions],
        });
      }),
  };
}

/** Observations of the disk by any object, including deleted ones (WIN-FILE-SYSTEMS-1). */
function recordsOn(
  { object, claimants = [] }: OperationRequest,
  nodes: readonly KubeObject[],
  identity: string,
  which: Which,
): readonly SeenFileSystem[] {
  const claimed = claimants
    .filter(({ attributes }) => attributes['identity'] === identity)
    .map(({ attributes }) => seenIn(attributes['fileSystems']));
  const others = nodes.filter((node) => node.metadata.uid !== object.metadata.uid);
  return mergedSeen(...claimed, recordsOfNodes([...others, object], identity, which));
}

/** A type, as an interface would be no JSON. */
type AbsentDisk = { readonly identity: string } & Partial<Holder>;

/** Disks that are missing at the moment: a missing disk stays assigned, and its observations are kept. */
function absent(
  { status }: KubeObject,
  claims: ReadonlyMap<string, Holder>,
  disks: readonly SeenDisk[],
): readonly AbsentDisk[] {
  const isThere = (identity: string): boolean => disks.some((disk) => disk.identity === identity);
  const had = [...claims]
    .filter(([identity]) => !isThere(identity))
    .map(([identity, holder]) => ({ identity, ...holder }));
  const remembered = listOf(status?.['disks'])
    .map(mapOf)
    .map((disk) => ({ identity: textOf(disk['identity']), seenAt: latestSeen(seenIn(disk['fileSystems'])) }))
    .filter(({ identity, seenAt }) => seenAt !== undefined && !isThere(identity) && !claims.has(identity))
    .sort((one, other) => ((one.seenAt ?? '') < (other.seenAt ?? '') ? 1 : -1))
    .slice(0, MOST_REMEMBERED);
  return [...had, ...remembered.map(({ identity }) => ({ identity }))];
}
