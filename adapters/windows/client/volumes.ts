// Volumes by csi-proxy.
//
// Invariant: a failed format is reported as ended only if there is a file system now (otherwise WIN-OUTCOME-1 would
// allow a second format while the first is running).
import { TransientError } from '../../../bus/errors.ts';
import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import * as v1 from '../../csi-proxy/client/volume/v1/client_generated.ts';
import * as v1beta2 from '../../csi-proxy/client/volume/v1beta2/client_generated.ts';
import * as v1beta3 from '../../csi-proxy/client/volume/v1beta3/client_generated.ts';
import * as v2alpha1 from '../../csi-proxy/client/volume/v2alpha1/client_generated.ts';
import type { StorageFiles, StorageVolumes } from '../operations/storage.ts';
import { explained } from '../read-only.ts';
import { type Groups, needs } from './groups.ts';
import { done, isAnswered, withCode } from './outcome.ts';

/** Older versions do not flush, or do not report mount points. */
export const VOLUME = [v2alpha1, v1, v1beta3, v1beta2] as const;

/** Space that csi-proxy leaves out of a resize, and overhead of a file system in its partition, in bytes. */
const NEGLIGIBLE_BYTES = (100n + 20n) * 2n ** 20n;

export function pipeVolumes(
  groups: Groups,
  { pathExists, isSymlink }: Pick<StorageFiles, 'pathExists' | 'isSymlink'>,
): StorageVolumes {
  const open = () => groups.open(VOLUME);
  const mountedAt = async (path: string): Promise<string> => {
    const opened = await open();
    return opened.version === 'v1beta2'
      ? (await opened.client.getVolumeIDFromMount({ mount: path })).volumeId
      : (await opened.client.getVolumeIDFromTargetPath({ targetPath: path })).volumeId;
  };
  const isFormatted = async (volumeId: string): Promise<boolean> => {
    const { client } = await open();
    return (await client.isVolumeFormatted({ volumeId })).formatted;
  };
  const stats = async (volumeId: string): Promise<{ totalBytes: bigint; usedBytes: bigint }> => {
    const opened = await open();
    if (opened.version !== 'v1beta2') return opened.client.getVolumeStats({ volumeId });
    const { volumeSize, volumeUsedSize } = await opened.client.volumeStats({ volumeId });
    return { totalBytes: volumeSize, usedBytes: volumeUsedSize };
  };
  /** A path that still exists but is not a mount any more. */
  const isUnmounted = async (path: string): Promise<boolean> => {
    try {
      await mountedAt(path);
      return false;
    } catch (error) {
      if (!isAnswered(error)) throw error;
      return (await pathExists(path)) && !(await isSymlink(path));
    }
  };
  const isKnown = async (volumeId: string): Promise<boolean> => {
    try {
      await isFormatted(volumeId);
      return true;
    } catch (error) {
      if (!isAnswered(error)) throw error;
      return false;
    }
  };
  return {
    async listVolumesOnDisk(disk, partition) {
      const opened = await open();
      if (opened.version !== 'v1beta2') {
        return (await opened.client.listVolumesOnDisk({ diskNumber: disk, partitionNumber: partition })).volumeIds;
      }
      if (partition !== 0) throw needs('volume', opened.version, 'partition number in ListVolumesOnDisk', 'v1beta3');
      return (await opened.client.listVolumesOnDisk({ diskId: String(disk) })).volumeIds;
    },
    async mountVolume(volumeId, path) {
      const opened = await open();
      const change =
        opened.version === 'v1beta2'
          ? opened.client.mountVolume({ volumeId, path })
          : opened.client.mountVolume({ volumeId, targetPath: path });
      await done(change, async () => (await mountedAt(path)) === volumeId);
    },
    async unmountVolume(volumeId, path) {
      const opened = await open();
      const change =
        opened.version === 'v1beta2'
          ? opened.client.dismountVolume({ volumeId, path })
          : opened.client.unmountVolume({ volumeId, targetPath: path });
      try {
        await done(change, () => isUnmounted(path));
      } catch (error) {
        if (isAnswered(error) && !(await isKnown(volumeId))) throw withCode(Code.NotFound, error);
        throw error;
      }
    },
    isVolumeFormatted: isFormatted,
    async formatVolume(volumeId) {
      const { client } = await open();
      try {
        await done(client.formatVolume({ volumeId }), () => isFormatted(volumeId));
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        const message = `csi-proxy does not tell whether the format has ended: ${explained(error.message)}`;
        // mutant: pipe-format-again throw -> $2.1.2
        throw new TransientError(message, { cause: error });
      }
    },
    async resizeVolume(volumeId, sizeBytes) {
      const opened = await open();
      const change =
        opened.version === 'v1beta2'
          ? opened.client.resizeVolume({ volumeId, size: sizeBytes })
          : opened.client.resizeVolume({ volumeId, sizeBytes });
      const isLargeEnough = async (): Promise<boolean> =>
        sizeBytes > 0n && (await stats(volumeId)).totalBytes >= sizeBytes - NEGLIGIBLE_BYTES;
      await done(change, isLargeEnough);
    },
    getVolumeStats: stats,
    async getVolumeIDFromTargetPath(path) {
      try {
        return await mountedAt(path);
      } catch (error) {
        if (!isAnswered(error)) throw error;
        // The caller checks whether the path exists and where it leads.
        await pathExists(path);
        throw withCode(Code.NotFound, error);
      }
    },
    async writeVolumeCache(volumeId) {
      const { client } = await open();
      await client.writeVolumeCache({ volumeId });
    },
  };
}
