// What the operations ask of a machine: a part of what a host does, and of that a machine behind csi-proxy does not tell all. What is not
// told is not there, so that nobody takes a guess for an answer. A `Host` is a `Storage` as it is.
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
 * `isDiskInitialized` and what goes with it, not there: nobody tells whether a disk is raw, and `createBasicPartition` gives a raw one
 * its table before, and changes nothing on a disk that has a partition. Nor whether a disk is read-only.
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
 * `realPath`, not there: nobody tells where a link leads, and whoever is asked for a path looks himself whether it may be that one.
 * `mountIn`, not there: nobody tells what is in a directory.
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

/** Whether it is told where paths lead. */
export function tellsPlaces(files: StorageFiles): files is StorageFiles & Pick<FilesystemHost, 'realPath'> {
  return files.realPath !== undefined;
}
