// What is seen of a machine.
import type { JsonObject } from '../../../../bus/json.ts';
import type { Claimant, OperationRequest } from '../../../../machines/kind.ts';
import type { Operation } from '../../../adapter.ts';
import { STORAGE_NODES } from '../resources.ts';
import { listOf, mapOf, said, textOf } from '../values.ts';
import { asJson, disksOf, type SeenDisk } from './disks.ts';
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
        const claims = claimsOn(claimants, listOf(object.status?.['disks']).map(mapOf));
        const age = ({ creationTimestamp = '', uid }: { creationTimestamp?: string; uid: string }): string =>
          `${creationTimestamp} ${uid}`;
        const elder = nodes.find(
          ({ metadata, spec }) =>
            spec?.['nodeName'] === object.spec?.['nodeName'] && age(metadata) < age(object.metadata),
        );
        return said({
          machine,
          disks: [
            ...(await Promise.all(
              disks.map(async (disk) => ({
                ...asJson(disk),
                sizeBytes: Number((await host.disk.getDiskStats(disk.number)).totalBytes),
                ...(claims.has(disk.identity) && { claimedBy: claims.get(disk.identity) ?? '' }),
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

/** Who has which disk: whoever had it keeps it while he claims it, else the first by name gets it. */
function claimsOn(claimants: readonly Claimant[], before: readonly JsonObject[]): ReadonlyMap<string, string> {
  const claims = new Map<string, string>();
  const names = (identity: string): readonly string[] =>
    claimants
      .filter(({ plural, attributes }) => plural === 'windowsdisks' && attributes['identity'] === identity)
      .map(({ name }) => name)
      .sort();
  for (const identity of new Set(claimants.map(({ attributes }) => textOf(attributes['identity'])))) {
    const all = names(identity);
    const had = textOf(before.find((disk) => disk['identity'] === identity)?.['claimedBy']);
    const name = all.includes(had) ? had : all[0];
    if (name !== undefined) claims.set(identity, name);
  }
  return claims;
}
