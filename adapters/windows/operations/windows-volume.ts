// Operations of one volume: it is formatted, resized and flushed. Its content is never touched otherwise.
//
// Invariants:
//   WIN-OPERATIONS-WINDOWS-VOLUME-1. A volume is formatted only while the lock of its disk is held, after a last check
//       there: the disk is the wanted one, it has this volume, and Windows, which rescans before, knows no file system
//       on it. Between that check and the format there is no other request or wait.
//   WIN-OPERATIONS-WINDOWS-VOLUME-2. A running format always continues when no caller waits for it any more; a check
//       reports that it does.
//   WIN-OPERATIONS-WINDOWS-VOLUME-3. A format is reported as failed only if it was not started, or is known to have
//       ended.
//   WIN-OPERATIONS-WINDOWS-VOLUME-4. Whatever the actor knows, nothing is formatted where a file system was seen by any object, unless the object that wants it
//       formatted says that just that one may be lost. Both are read afresh in the lane.
//   WIN-OPERATIONS-WINDOWS-VOLUME-5. The policy of a format and the size of a resize are those of the moment, read afresh in the lane; what IfRaw asks of
//       the disk is, too, and holds for the partition table that the disk has then.
import { TransientError, TroupeError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import type { LongCallRequest } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Operation } from '../../api/adapter.ts';
import { StatusError } from '../../csi-proxy/base/status.ts';
import { requireSize } from '../../csi-proxy/hosts/rules.ts';
import { isGivenUp, latestOf, seenOn } from '../file-systems.ts';
import { explained } from '../read-only.ts';
import { WINDOWS_DISKS, WINDOWS_VOLUMES } from '../resources.ts';
import { mapOf, numberOf, said, textOf, wordOf } from '../values.ts';
import { requireAlone, requireHeld } from './claims.ts';
import { changeDisk, diskOf } from './disks.ts';
import { recordsOf } from './records.ts';
import { type Answer, type Extra, isEnded, type MachinePorts, onLook, onMachine, PATIENT } from './serving.ts';
import { requireWanted } from './wanted.ts';

/** A volume, and the disk that it is on. */
interface Meant {
  readonly identity: string;
  readonly volumeID: string;
}

export function windowsVolumeOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  /** Ids of volumes that are being formatted by this process. */
  const formats = new Set<string>();
  const isOn = async ({ host }: MachinePorts, number: number, volumeID: string): Promise<boolean> =>
    (await host.volume.listVolumesOnDisk(number, 0)).includes(volumeID);
  return {
    /**
     * Answers `{ volumes, present, diskBytes }`: id, whether it is formatted and is being formatted, sizes; ids of all volumes on the disk,
     * and how large that is. Nothing if it is not there.
     */
    look: (request: Extra<Pick<Meant, 'identity'>>): Answer =>
      onLook(ports, request, async (here) => {
        const { host } = here;
        const { object, identity = '' } = request;
        const disk = await diskOf(here, identity);
        if (disk === undefined) return {};
        const partition = numberOf(object.spec?.['partitionNumber']) ?? 0;
        const ids = await host.volume.listVolumesOnDisk(disk.number, partition);
        const present = partition === 0 ? ids : await host.volume.listVolumesOnDisk(disk.number, 0);
        const volumes = ids.map(async (id): Promise<JsonObject> => {
          const isFormatted = await host.volume.isVolumeFormatted(id);
          const { totalBytes, usedBytes } = await host.volume.getVolumeStats(id);
          const sizes = { capacityBytes: Number(totalBytes), usedBytes: Number(usedBytes) };
          return { id, isFormatted, isFormatting: formats.has(id), ...(isFormatted && sizes) };
        });
        const [{ totalBytes }, ...seen] = await Promise.all([host.disk.getDiskStats(disk.number), ...volumes]);
        return said({ volumes: seen, present: [...present], diskBytes: Number(totalBytes) });
      }),
    /**
     * Returns `{ formatted }`, or `{ failed }`: the reason of a failure that is known to have ended. Without a response
     * the outcome is unknown.
     */
    format: (request: LongCallRequest & Partial<Meant>): Answer =>
      onMachine(ports, request, async (here) => {
        const { host } = here;
        const { identity = '', volumeID = '', signal } = request;
        let isBegun = false;
        const work = async (numberNow: () => Promise<number>): Promise<JsonObject> => {
          const wanted = await requireWanted(ports, WINDOWS_VOLUMES, request);
          const disk = await ownerOf(here, wanted);
          const held = await requireHeld(here, disk, identity);
          requireAlone(held, identity);
          const records = await recordsOf(here, { disk, nodes: held.nodes, identity });
          // What Windows said before may be what it knew long ago.
          // mutant: format-by-old-listing drop
          await host.disk.rescan();
          const present = await host.volume.listVolumesOnDisk(await numberNow(), 0);
          // mutant: format-on-another-disk if -> false
          if (!present.includes(volumeID)) return { failed: `volume ${volumeID} is not on the disk any more` };
          const table = await host.disk.partitionTable?.(await numberNow());
          const refusal = refusalOf(wanted, disk, table);
          // mutant: format-by-old-policy if -> false
          if (refusal !== undefined) return { failed: refusal };
          const own = wordOf(mapOf(wanted.status?.['fileSystem'])['seenAt']);
          const seenAt = latestOf(own, seenOn(records, volumeID, present));
          if (!isGivenUp(wanted.spec, seenAt)) return { failed: `a file system was seen on it at ${seenAt}` };
          // mutant: format-asked-again if -> false
          // mutant: format-of-formatted if -> false
          if (await host.volume.isVolumeFormatted(volumeID))
            return { failed: 'another program formatted it meanwhile' };
          formats.add(volumeID);
          isBegun = true;
          try {
            await host.volume.formatVolume(volumeID);
            return { formatted: true };
          } catch (error) {
            // mutant: format-under-way-failed if -> !(error instanceof StatusError)
            if (!isEnded(error)) throw error;
            return { failed: explained(error.message) };
          } finally {
            formats.delete(volumeID);
          }
        };
        const failedBefore = (error: unknown): JsonObject => {
          const isTold = error instanceof StatusError || error instanceof TroupeError;
          // mutant: format-nobody-begun if -> true
          if (isBegun || !isTold) throw error;
          return { failed: error.message };
        };
        const done = changeDisk(here, identity, signal, work).catch(failedBefore);
        return (await orAbort(done, signal)) ?? { failed: 'the disk is not there any more' };
      }),
    resize: (request: Extra<Meant & { sizeBytes: number }>): Answer =>
      onMachine(ports, request, async (here) => {
        const { identity = '', volumeID = '', sizeBytes = 0 } = request;
        requireSize(BigInt(sizeBytes), volumeID);
        await changeDisk(here, identity, PATIENT, async (numberNow) => {
          const wanted = await requireWanted(ports, WINDOWS_VOLUMES, request);
          // A volume never shrinks, so a size that is not wanted any more cannot be taken back.
          // mutant: volume-grown-by-old-spec if -> false
          if (numberOf(wanted.spec?.['sizeBytes']) !== sizeBytes)
            throw new TransientError(`its sizeBytes is not ${sizeBytes} any more: it is not resized to that`);
          requireAlone(await requireHeld(here, await ownerOf(here, wanted), identity), identity);
          if (await isOn(here, await numberNow(), volumeID))
            await here.host.volume.resizeVolume(volumeID, BigInt(sizeBytes));
        });
        return {};
      }),
    /** A missing volume has no cache. */
    flush: (request: Extra<Meant>): Answer =>
      onMachine(ports, request, async (here) => {
        const { identity = '', volumeID = '' } = request;
        await changeDisk(here, identity, PATIENT, async (numberNow) => {
          if (await isOn(here, await numberNow(), volumeID)) await here.host.volume.writeVolumeCache(volumeID);
        });
        return {};
      }),
  };
}

/** The disk that the volume is on, read afresh. @throws {TransientError} it was deleted */
async function ownerOf({ readObject }: MachinePorts, { metadata, spec }: KubeObject): Promise<KubeObject> {
  const name = textOf(spec?.['diskRef']);
  const disk = await readObject(WINDOWS_DISKS, metadata.namespace ?? '', name);
  if (disk !== undefined) return disk;
  throw new TransientError(`WindowsDisk '${name}' is not there: nothing is changed on it`);
}

/**
 * Why the policy does not let it be formatted now (WIN-KINDS-WINDOWS-VOLUME-2).
 *
 * @param table  the partition table of the disk at the moment; undefined: it has none, or csi-proxy does not report it
 */
function refusalOf({ spec }: KubeObject, { status = {} }: KubeObject, table: string | undefined): string | undefined {
  const policy = spec?.['formatPolicy'];
  if (policy === 'IfUnknown') return undefined;
  if (policy !== 'IfRaw') return 'formatPolicy is Never by now';
  // mutant: format-in-another-table &&.1 -> true
  const isOwn = status['seenRaw'] !== undefined && table !== undefined && status['partitionTable'] === table;
  return isOwn
    ? undefined
    : 'formatPolicy is IfRaw, and the partition table is not one that its disk was given when raw';
}

/** Stops waiting, not the work (WIN-SERVING-2). */
async function orAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(new Error('the caller stopped waiting'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    // Its result is not needed then, but its rejection must be handled.
    work.catch(() => undefined);
  }
}
