// Subset of a host that the operations use; a machine behind csi-proxy does not report all of it. Unreported members
// are undefined, so that no guess is taken for a fact. A `Host` is a `Storage` as it is.
import type {
  DiskHost,
  FilesystemHost,
  IscsiHost,
  SmbHost,
  SmbMapping,
  SystemHost,
  VolumeHost,
} from '../../csi-proxy/hosts/host.ts';

/** With what a share is mapped. */
export type Login = Pick<SmbMapping, 'username' | 'password'>;

/**
 * `isDiskInitialized` and related members are undefined if csi-proxy does not report whether a disk is raw.
 * `createBasicPartition` gives a raw disk its table first, and changes nothing on a disk with a partition. Read-only
 * disks are not reported either.
 */
export type StorageDisks = Pick<
  DiskHost,
  | 'listDiskLocations'
  | 'listDiskIDs'
  | 'getDiskStats'
  | 'getDiskState'
  | 'setDiskState'
  | 'basicPartitionsExist'
  | 'createBasicPartition'
  | 'rescan'
> &
  Partial<Pick<DiskHost, 'isDiskInitialized' | 'initializeDisk' | 'partitionTable' | 'isDiskReadOnly'>>;

export type StorageVolumes = Omit<VolumeHost, 'getDiskNumberFromVolumeID' | 'getClosestVolumeIDFromTargetPath'>;

/**
 * `realPath` is undefined if link targets are not reported: the code behind a path checks itself whether the path is
 * allowed. `mountIn` is undefined if the content of directories is not reported.
 */
export type StorageFiles = Pick<
  FilesystemHost,
  'pathExists' | 'pathValid' | 'mkdir' | 'rmdir' | 'createSymlink' | 'isSymlink'
> &
  Partial<Pick<FilesystemHost, 'realPath' | 'mountIn'>>;

export interface StorageShares extends Omit<SmbHost, 'newSmbLink' | 'isSmbMapped'> {
  /** `untold`: whether Windows knows a mapping is not told; if it does, that does not work. */
  isSmbMapped(root: string): Promise<'mapped' | 'broken' | 'absent' | 'untold'>;
  /** @param login  asked for where a link cannot be made without */
  newSmbLink(localPath: string, remotePath: string, login: () => Promise<Login>): Promise<void>;
}

export interface Storage {
  readonly disk: StorageDisks;
  readonly volume: StorageVolumes;
  readonly filesystem: StorageFiles;
  readonly smb: StorageShares;
  readonly iscsi: IscsiHost;
  readonly system: Pick<SystemHost, 'getBIOSSerialNumber' | 'startService'>;
}

/** Whether targets of paths are reported. */
export function tellsPlaces(files: StorageFiles): files is StorageFiles & Pick<FilesystemHost, 'realPath'> {
  return files.realPath !== undefined;
}
