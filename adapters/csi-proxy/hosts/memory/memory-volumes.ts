// Volume operations of a simulated machine. Mount points are stored in the file system alone.
import { Code, StatusError } from '../../base/status.ts';
import type { Files } from '../files.ts';
import { closestVolume } from '../filesystem.ts';
import type { FilesystemHost, VolumeHost } from '../host.ts';
import { sizeToGive } from '../partitions.ts';
import { type MemoryDisks, requireWritable } from './memory-disks.ts';

export function memoryVolumes({
  disks,
  files,
  filesystem,
}: {
  disks: MemoryDisks;
  files: Files;
  filesystem: FilesystemHost;
}): VolumeHost {
  const mountedAt = async (path: string): Promise<string> => {
    const entry = await files.look(path);
    if (entry.kind === 'absent') throw new StatusError(Code.NotFound, `there is no ${path}`);
    if (entry.kind !== 'mount' || entry.volumeId === undefined) {
      throw new StatusError(Code.NotFound, `${path}: not a mounted folder`);
    }
    return entry.volumeId;
  };

  return {
    listVolumesOnDisk: async (disk, partition) => disks.volumesOf(disk, partition),
    async mountVolume(volumeId, path) {
      disks.volume(volumeId);
      const entry = await files.look(path);
      if (entry.kind === 'mount') {
        if (entry.volumeId === volumeId) return;
        throw new StatusError(Code.FailedPrecondition, `another volume is mounted on ${path}`);
      }
      if (entry.kind === 'absent') throw new StatusError(Code.NotFound, `there is no ${path}`);
      if (entry.kind !== 'directory') throw new StatusError(Code.FailedPrecondition, `${path} is no directory`);
      await files.remove(path);
      await files.makeLink(path, volumeId);
    },
    async unmountVolume(volumeId, path) {
      disks.volume(volumeId);
      await mountedAt(path);
      await files.remove(path);
      await files.makeDirectory(path);
    },
    isVolumeFormatted: async (volumeId) => disks.volume(volumeId).volume.fileSystem === 'NTFS',
    async formatVolume(volumeId) {
      const { number, disk, volume } = disks.volume(volumeId);
      requireWritable(number, disk);
      if (volume.drive !== undefined) throw new StatusError(Code.Unknown, `${volume.drive} is in use`);
      await filesystem.rmdirContents(volumeId);
      await disks.format(volumeId);
    },
    async resizeVolume(volumeId, wantedBytes) {
      const { number, disk, partition } = disks.volume(volumeId);
      requireWritable(number, disk);
      const largestBytes = disks.largestBytes(disk, partition);
      const sizeBytes = sizeToGive({ wantedBytes, currentBytes: partition.sizeBytes, largestBytes });
      if (sizeBytes === undefined) return;
      if (sizeBytes > largestBytes) {
        throw new StatusError(Code.Unknown, `volume ${volumeId} can have ${largestBytes} bytes, not ${sizeBytes}`);
      }
      partition.sizeBytes = sizeBytes;
    },
    async getVolumeStats(volumeId) {
      const { partition, volume } = disks.volume(volumeId);
      // What Windows cannot read has no size for it.
      if (volume.fileSystem !== 'NTFS') return { totalBytes: 0n, usedBytes: 0n };
      return { totalBytes: disks.totalBytes(partition), usedBytes: volume.usedBytes };
    },
    getDiskNumberFromVolumeID: async (volumeId) => disks.volume(volumeId).number,
    getVolumeIDFromTargetPath: mountedAt,
    async writeVolumeCache(volumeId) {
      disks.volume(volumeId);
    },
    getClosestVolumeIDFromTargetPath: (path) =>
      closestVolume(files, path, { mountedAt, ofDrive: async (root) => disks.volumeOfDrive(root) }),
  };
}
