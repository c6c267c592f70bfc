// Operations of one disk: it is found, set online and partitioned, and finally set offline. No operation wipes it.
//
// Invariants:
//   WIN-OPERATIONS-WINDOWS-DISK-1. A disk on which a file system was ever seen gets neither table nor partition, unless its object says that just that one may be
//       lost. Of that and of the disk nothing older than the lane is believed.
//   WIN-OPERATIONS-WINDOWS-DISK-2. The spec that a disk is changed by is read afresh in the lane: an edit counts for each change that has not begun, also
//       at the end.
//   WIN-OPERATIONS-WINDOWS-DISK-3. A disk is set offline for another machine only if it is on record that its object had it online, and no mount has a volume of
//       it. Otherwise the condition says that it is online still, and what a person can do.
import type { JsonObject } from '../../../bus/json.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Operation } from '../../api/adapter.ts';
import { isReady } from '../conditions.ts';
import { isGivenUp, latestSeen, mergedSeen, type SeenFileSystem, seenIn } from '../file-systems.ts';
import { ageOf } from '../node-names.ts';
import { STORAGE_NODES, WINDOWS_DISKS, WINDOWS_MOUNTS } from '../resources.ts';
import { listOf, mapOf, numberOf, said, textOf, wordOf } from '../values.ts';
import { heldBy, requireAlone, requireHeld } from './claims.ts';
import { changeDisk, disksOf, isUnique, lunOf, type SeenDisk } from './disks.ts';
import { nameOf } from './neighbors.ts';
import { recordsOf } from './records.ts';
import { isOnMachine } from './same-machine.ts';
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
          const held = await requireHeld(here, wanted, identity);
          const records = await recordsOf(here, { disk: wanted, nodes: held.nodes, identity });
          // mutant: disk-by-old-spec -> const { spec } = object;
          const { spec } = wanted;
          const online = spec?.['online'] !== false;
          if (online) requireAlone(held, identity);
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
          // mutant: offline-by-old-spec if -> leaving === undefined || request.object.spec?.['offlineOnDelete'] === false
          if (leaving === undefined || leaving.spec?.['offlineOnDelete'] === false) return;
          // mutant: unheld-disk-offline if -> true
          if (await heldBy(here, leaving, identity)) await setState(here, numberNow, 'offline');
        });
        return {};
      }),
    /**
     * Sets the disk offline for an elder claim of another node (WIN-CLAIMS-4), if the object has set it online and no mount uses it. Answers
     * `{ state, kept }`: why it stays online, and what a person can do.
     */
    yield: (request: Extra<{ identity: string }>): Answer =>
      onMachine(ports, request, async (here) => {
        const { identity = '' } = request;
        const answer = await changeDisk(here, identity, PATIENT, async (numberNow) => {
          const wanted = await requireWanted(ports, WINDOWS_DISKS, request);
          const { own, rival } = await requireHeld(here, wanted, identity);
          const [mounts, serial] = await Promise.all([here.listObjects(WINDOWS_MOUNTS), here.machine()]);
          const number = await numberNow();
          const state = await here.host.disk.getDiskState(number);
          // mutant: elder-claim-yields ||.3 -> false
          if (state !== 'online' || rival === undefined || ageOf(rival) > ageOf(own)) return { state };
          const volumeIDs = await here.host.volume.listVolumesOnDisk(number, 0);
          const user = mounts
            .filter((each) => isOnMachine(each, { node: here.node, serial }) && each.status?.['path'] !== undefined)
            .find((each) => volumeIDs.includes(textOf(each.status?.['volumeID'])));
          const kept = reasonToStay(wanted, identity, user);
          // mutant: used-disk-yielded if -> false
          if (kept !== undefined) return { state, kept };
          await setState(here, numberNow, 'offline');
          return { state: 'offline' };
        });
        return answer ?? {};
      }),
  };
}

/** Why a disk that an elder claim is for stays online on this machine (WIN-OPERATIONS-WINDOWS-DISK-3). */
function reasonToStay(
  { spec, status }: KubeObject,
  identity: string,
  user: KubeObject | undefined,
): string | undefined {
  const byHand = 'set it offline by hand';
  if (user !== undefined) return `${nameOf(user)} uses it: delete that one, or ${byHand}`;
  // Its deletion leaves the disk online, too.
  if (spec?.['offlineOnDelete'] === false) return `offlineOnDelete is false: ${byHand}`;
  const isOwn = status?.['identity'] === identity && status['state'] === 'Online';
  return isOwn ? undefined : `it is not on record that this object set it online: ${byHand}, or delete this object`;
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
    number,
    identity,
    state,
    isPartitioned,
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
