// Operations of one disk: it is found, set online and partitioned, and finally set offline. No operation wipes it.
//
// Invariants:
//   WIN-OPERATIONS-WINDOWS-DISK-1. A disk on which a file system was ever seen gets neither table nor partition, unless its object says that just that one may be
//       lost. Of that and of the disk nothing older than the lane is believed.
//   WIN-OPERATIONS-WINDOWS-DISK-2. The spec that a disk is changed by is read afresh in the lane: an edit counts for each change that has not begun, also
//       at the end.
import type { JsonObject } from '../../../bus/json.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Operation } from '../../api/adapter.ts';
import { isReady } from '../conditions.ts';
import { isGivenUp, latestSeen, mergedSeen, type SeenFileSystem, seenIn } from '../file-systems.ts';
import { STORAGE_NODES, WINDOWS_DISKS } from '../resources.ts';
import { listOf, mapOf, numberOf, said, textOf, wordOf } from '../values.ts';
import { changeDisk, disksOf, isUnique, lunOf, type SeenDisk } from './disks.ts';
import { recordsOf } from './records.ts';
import { type Answer, type Extra, type MachinePorts, onLook, onMachine, PATIENT } from './serving.ts';
import { leavingOf, requireWanted } from './wanted.ts';

/** Identity of the wanted disk. */
interface Meant {
  /** Once the disk was found: nothing else counts then. */
  readonly identity: string;
  /** Identities of the disks that may be meant, for one of an iSCSI target. */
  readonly among: readonly string[];
}

export function windowsDiskOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  return {
    /** Answers `{ matches, elsewhere }`: what may be meant, and where else what was meant is seen. */
    look: (request: Extra<Meant>): Answer =>
      onLook(ports, request, async (here) => {
        const { object, identity, among } = request;
        let found = await matches(here, object, { identity, among });
        if (found.length === 0) {
          await here.host.disk.rescan();
          found = await matches(here, object, { identity, among });
        }
        const wanted = wordOf(identity);
        return said({
          matches: await Promise.all(found.map((disk) => closer(here, disk, request))),
          elsewhere: found.length > 0 || wanted === undefined ? undefined : await elsewhere(here, object, wanted),
        });
      }),
    /**
     * Brings the disk closer to where the spec has it. One that is raw is given a partition table with `initialize` alone, and
     * its partition another time. Answers `{ matches, keptFor }`: the disk as it is then, and when a file system was seen on it for which
     * it was given none.
     *
     * @param request.table  without another partition table it is given no partition
     */
    prepare: (request: Extra<{ identity: string; initialize: boolean; table: string }>): Answer =>
      onMachine(ports, request, async (here) => {
        const { host } = here;
        const { object, identity = '', initialize = false, table } = request;
        const keptFor = await changeDisk(here, identity, PATIENT, async (numberNow): Promise<string | undefined> => {
          const wanted = await requireWanted(ports, WINDOWS_DISKS, request);
          const records = await recordsOf(here, wanted, { disk: object.metadata.name, identity });
          // mutant: disk-by-old-spec -> const { spec } = object;
          const { spec } = wanted;
          const online = spec?.['online'] !== false;
          await setState(here, numberNow, online ? 'online' : 'offline');
          if (!online || spec?.['partition'] !== true) return undefined;
          await host.disk.rescan();
          const number = await numberNow();
          const isRaw = (await host.disk.isDiskInitialized?.(number)) === false;
          if (!isRaw && (await host.disk.basicPartitionsExist(number))) return undefined;
          const seenAt = latestSeen(mergedSeen(records, claimedIn(request)));
          if (!isGivenUp(spec, seenAt)) return seenAt;
          if (isRaw) {
            // That a disk is raw is recorded before it is changed.
            // mutant: raw-disk-number-of-before await#2 -> number
            if (initialize) await host.disk.initializeDisk?.(await numberNow());
          } else if (table === undefined || table === (await host.disk.partitionTable?.(number))) {
            // mutant: partition-number-of-before await#2 -> number
            await host.disk.createBasicPartition(await numberNow());
          }
          return undefined;
        });
        const found = await matches(here, object, { identity });
        return said({ keptFor, matches: await Promise.all(found.map((disk) => closer(here, disk, request))) });
      }),
    /** Ends what was begun, and sets the disk offline if it is to be. One that is not there is as good as offline. */
    release: (request: Extra<{ identity: string }>): Answer =>
      onMachine(ports, request, async (here) => {
        const { identity = '' } = request;
        await changeDisk(here, identity, PATIENT, async (numberNow) => {
          const leaving = await leavingOf(ports, WINDOWS_DISKS, request);
          // mutant: offline-by-old-spec if -> leaving !== undefined && request.object.spec?.['offlineOnDelete'] !== false
          if (leaving !== undefined && leaving.spec?.['offlineOnDelete'] !== false)
            await setState(here, numberNow, 'offline');
        });
        return {};
      }),
  };
}

async function setState(
  { host }: MachinePorts,
  numberNow: () => Promise<number>,
  state: 'online' | 'offline',
): Promise<void> {
  const number = await numberNow();
  if ((await host.disk.getDiskState(number)) === state) return;
  // mutant: state-number-of-before await#2 -> number
  await host.disk.setDiskState(await numberNow(), state);
}

/** Disks that match, and those that cannot be distinguished from them. */
async function matches(
  ports: MachinePorts,
  { spec }: KubeObject,
  { identity, among }: { readonly [Member in keyof Meant]?: Meant[Member] | undefined },
): Promise<readonly SeenDisk[]> {
  const disks = (await disksOf(ports)).filter((disk) => disk.identity !== '');
  if (wordOf(identity) !== undefined) return disks.filter((disk) => disk.identity === identity);
  const { page83, serialNumber, lun } = mapOf(spec?.['selector']);
  const isMeant = (disk: SeenDisk): boolean =>
    (page83 === undefined || disk.page83 === page83) &&
    (serialNumber === undefined || disk.serialNumber === textOf(serialNumber).trim()) &&
    (lun === undefined || lunOf(disk) === lun) &&
    (among === undefined || among.includes(disk.identity));
  const meant = disks.filter(isMeant);
  const index = numberOf(spec?.['index']);
  const byIdentity = meant.toSorted((one, other) => (one.identity < other.identity ? -1 : 1));
  const chosen = index === undefined ? meant : byIdentity.slice(index, index + 1);
  return disks.filter((disk) => chosen.some((each) => each.identity === disk.identity));
}

async function closer(
  { host }: MachinePorts,
  { number, identity }: SeenDisk,
  request: Pick<Extra<Meant>, 'claimants'>,
): Promise<JsonObject> {
  const [state, isInitialized, table, isReadOnly, { totalBytes }, volumeIDs] = await Promise.all([
    host.disk.getDiskState(number),
    host.disk.isDiskInitialized?.(number),
    host.disk.partitionTable?.(number),
    host.disk.isDiskReadOnly?.(number),
    host.disk.getDiskStats(number),
    host.volume.listVolumesOnDisk(number, 0),
  ]);
  const isPartitioned = isInitialized !== false && (await host.disk.basicPartitionsExist(number));
  const areFormatted = await Promise.all(volumeIDs.map((id) => host.volume.isVolumeFormatted(id)));
  return {
    ...{ number, identity, state, isPartitioned },
    ...(isInitialized !== undefined && { isInitialized }),
    ...(table !== undefined && { table }),
    ...(isReadOnly === true && { isReadOnly }),
    formatted: volumeIDs.filter((_, index) => areFormatted[index]),
    claimed: [...claimedIn(request)],
    sizeBytes: Number(totalBytes),
    volumeIDs: [...volumeIDs],
  };
}

/** File systems that were seen by volumes on the disk. */
function claimedIn({ claimants = [] }: Pick<Extra<Meant>, 'claimants'>): readonly SeenFileSystem[] {
  return mergedSeen(...claimants.map(({ attributes }) => seenIn(attributes['fileSystems'])));
}

/**
 * Node that sees the disk, by its report; the last report of an unreachable node says nothing. A disk with the same
 * serial number on another machine is another disk.
 */
async function elsewhere(
  { listObjects }: MachinePorts,
  { metadata }: KubeObject,
  identity: string,
): Promise<string | undefined> {
  if (!isUnique(identity)) return undefined;
  const nodes = await listObjects(STORAGE_NODES);
  const other = nodes.find(
    (node) =>
      node.metadata.namespace === metadata.namespace &&
      isReady(node) &&
      listOf(node.status?.['disks'])
        .map(mapOf)
        .some((disk) => disk['identity'] === identity && disk['number'] !== undefined),
  );
  return other?.metadata.name;
}
