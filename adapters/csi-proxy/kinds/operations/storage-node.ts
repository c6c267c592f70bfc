// What is seen of a machine.
import type { JsonObject } from '../../../../bus/json.ts';
import type { OperationRequest } from '../../../../machines/kind.ts';
import type { Operation } from '../../../adapter.ts';
import { STORAGE_NODES } from '../resources.ts';
import { said } from '../values.ts';
import { ageOf, claimsOn, type Holder, hadElsewhere } from './claims.ts';
import { asJson, disksOf, type SeenDisk } from './disks.ts';
import { type Answer, type MachinePorts, onMachine } from './serving.ts';

export function storageNodeOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  return {
    /**
     * Answers `{ machine, disks, elder, isLeaving, apiVersions }`; `elder`: another object that stands for the node and was there before;
     * `isLeaving`: a disk is still that of an object which may be gone in a moment.
     */
    look: (request: OperationRequest): Answer =>
      onMachine(ports, request, async (here) => {
        const { host, listObjects, served } = here;
        const { object, claimants = [] } = request;
        const [machine, disks, nodes] = await Promise.all([
          host.system.getBIOSSerialNumber(),
          disksOf(here),
          listObjects(STORAGE_NODES),
        ]);
        const elsewhere = hadElsewhere(nodes, object);
        const { claims, isLeaving } = await claimsOn(here, object, claimants, elsewhere);
        const whose = ({ identity }: SeenDisk): JsonObject =>
          claims.get(identity) ?? said({ claimedOn: elsewhere.get(identity)?.metadata.name });
        const seen = disks.map(async (disk) => ({
          ...asJson(disk),
          sizeBytes: Number((await host.disk.getDiskStats(disk.number)).totalBytes),
          ...whose(disk),
        }));
        const elder = nodes.find(
          (node) => node.spec?.['nodeName'] === object.spec?.['nodeName'] && ageOf(node) < ageOf(object),
        );
        const apiVersions = served === undefined ? undefined : [...(await served())];
        return said({
          machine,
          // mutant: disk-given-away [].2 drop
          disks: [...(await Promise.all(seen)), ...absent(claims, disks)],
          elder: elder && `${elder.metadata.namespace ?? ''}/${elder.metadata.name}`,
          isLeaving: isLeaving || undefined,
          apiVersions,
        });
      }),
  };
}

/** Whoever had a disk that is not there at the moment has it when it comes back. */
function absent(claims: ReadonlyMap<string, Holder>, disks: readonly SeenDisk[]): readonly JsonObject[] {
  return [...claims]
    .filter(([identity]) => !disks.some((disk) => disk.identity === identity))
    .map(([identity, holder]) => ({ identity, ...holder }));
}
