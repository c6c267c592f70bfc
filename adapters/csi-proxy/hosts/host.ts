// Windows host: operations that the servers of the groups need, one function each. Requests are validated before;
// comparisons with the machine's state are the host's task.
//
// A promise settles when the work has ended, however long it takes: a caller that stops waiting does not stop the work.
// Nothing is retried. All throw StatusError: NOT_FOUND for a missing named thing, FAILED_PRECONDITION for a state that
// must change first, UNKNOWN for the rest; an UnknownEndError if it is unknown whether the work has ended.

export interface Host {
  readonly disk: DiskHost;
  readonly volume: VolumeHost;
  readonly filesystem: FilesystemHost;
  readonly smb: SmbHost;
  readonly iscsi: IscsiHost;
  readonly system: SystemHost;
  /** Why no call can be answered at the moment; undefined, or not there: it can. */
  ready?(): string | undefined;
  /** Ends what the host keeps running. Work under way is given up. */
  close(): Promise<void>;
}

export interface DiskIdentity {
  /** Empty where the disk has none. */
  readonly page83: string;
  /** As the disk tells it, blanks included. */
  readonly serialNumber: string;
}

export interface DiskHost {
  /** Locations by the disk's number, in Windows' format: `PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 0`. */
  listDiskLocations(): Promise<ReadonlyMap<number, string>>;
  isDiskInitialized(disk: number): Promise<boolean>;
  /** The GUID of its partition table, in lower case and braces; empty where there is none, or one of the kind MBR. */
  partitionTable(disk: number): Promise<string>;
  /** Whether Windows has attached it read-only. */
  isDiskReadOnly(disk: number): Promise<boolean>;
  /** With a partition table of the kind GPT, whose GUID no other has. */
  initializeDisk(disk: number): Promise<void>;
  /** Whether there is a partition other than the one that Microsoft reserves. */
  basicPartitionsExist(disk: number): Promise<boolean>;
  /** One of the largest size, without a drive letter. */
  createBasicPartition(disk: number): Promise<void>;
  /** Sees disks that were attached and disks that have grown. */
  rescan(): Promise<void>;
  /** @param name  page 83, compared exactly */
  getDiskNumberByName(name: string): Promise<number>;
  listDiskIDs(): Promise<DiskListing>;
  getDiskStats(disk: number): Promise<{ readonly totalBytes: bigint }>;
  setDiskState(disk: number, state: DiskState): Promise<void>;
  getDiskState(disk: number): Promise<DiskState>;
}

export type DiskState = 'online' | 'offline';

export interface DiskListing {
  readonly disks: ReadonlyMap<number, DiskIdentity>;
  /** Disks that could not be asked, and why: one odd disk hides no other. */
  readonly failures: ReadonlyMap<number, string>;
}

export interface VolumeHost {
  /** @param partition  0 for all of the disk */
  listVolumesOnDisk(disk: number, partition: number): Promise<readonly string[]>;
  /** Nothing is done if the volume is mounted there already. */
  mountVolume(volumeId: string, path: string): Promise<void>;
  /** The cache is flushed first; if that fails the volume stays mounted. */
  unmountVolume(volumeId: string, path: string): Promise<void>;
  isVolumeFormatted(volumeId: string): Promise<boolean>;
  /** Quick, to NTFS, whatever is on the volume. */
  formatVolume(volumeId: string): Promise<void>;
  /** @param sizeBytes  0 for as large as can be; what is hardly larger than now, or smaller, changes nothing */
  resizeVolume(volumeId: string, sizeBytes: bigint): Promise<void>;
  getVolumeStats(volumeId: string): Promise<{ readonly totalBytes: bigint; readonly usedBytes: bigint }>;
  getDiskNumberFromVolumeID(volumeId: string): Promise<number>;
  getVolumeIDFromTargetPath(path: string): Promise<string>;
  writeVolumeCache(volumeId: string): Promise<void>;
  /** Links and mounts are followed, then it goes up to the drive's own volume. */
  getClosestVolumeIDFromTargetPath(path: string): Promise<string>;
}

export interface FilesystemHost {
  /** Whether something is at the path itself: a link to nowhere is. */
  pathExists(path: string): Promise<boolean>;
  /** Whether the path leads somewhere: links are followed, a share is asked. */
  pathValid(path: string): Promise<boolean>;
  /** With the directories above; one that is there is as good. */
  mkdir(path: string): Promise<void>;
  /** @param options.contents  `removed`: with all below, links not followed, and nothing is done if the path is absent */
  rmdir(path: string, options: { readonly contents: 'removed' | 'refused' }): Promise<void>;
  /** The first mount of a volume below a directory, links not followed; undefined: there is none. */
  mountIn(path: string): Promise<string | undefined>;
  /** Removes all below a directory and keeps it. */
  rmdirContents(path: string): Promise<void>;
  createSymlink(source: string, target: string): Promise<void>;
  /** Whether it is a link or a mount that leads somewhere. */
  isSymlink(path: string): Promise<boolean>;
  /**
   * The path without links in it, as far as it exists.
   *
   * @param options.last  whether the last name, too, is followed
   */
  realPath(path: string, options: { readonly last: 'followed' | 'kept' }): Promise<string>;
}

export interface SmbMapping {
  /** `\\host\share`, in lower case. */
  readonly root: string;
  /** Empty: no credentials. */
  readonly username: string;
  readonly password: string;
  readonly encryption: 'required' | 'optional';
}

export interface SmbHost {
  /** `broken`: Windows knows the mapping, and it does not work. */
  isSmbMapped(root: string): Promise<'mapped' | 'broken' | 'absent'>;
  newSmbGlobalMapping(mapping: SmbMapping): Promise<void>;
  removeSmbGlobalMapping(root: string): Promise<void>;
  /** @param remotePath  `\\host\share\…\`, with the backslash at the end */
  newSmbLink(localPath: string, remotePath: string): Promise<void>;
}

export interface Portal {
  readonly address: string;
  readonly port: number;
}

export interface ChapLogin {
  readonly authentication: 'NONE' | 'ONEWAYCHAP' | 'MUTUALCHAP';
  readonly username: string;
  readonly secret: string;
}

export interface IscsiHost {
  addTargetPortal(portal: Portal): Promise<void>;
  /** The names (IQN) of the targets behind it. */
  discoverTargetPortal(portal: Portal): Promise<readonly string[]>;
  listTargetPortals(): Promise<readonly Portal[]>;
  removeTargetPortal(portal: Portal): Promise<void>;
  /** Nothing is done, nor the login checked, if the target is connected. */
  connectTarget(portal: Portal, iqn: string, login: ChapLogin): Promise<void>;
  disconnectTarget(portal: Portal, iqn: string): Promise<void>;
  /** The numbers of the target's disks; none if it is not connected. */
  getTargetDisks(portal: Portal, iqn: string): Promise<readonly number[]>;
  setMutualChapSecret(secret: string): Promise<void>;
}

export type StartMode = 'BOOT' | 'SYSTEM' | 'AUTOMATIC' | 'MANUAL' | 'DISABLED';

export type ServiceState =
  | 'UNKNOWN'
  | 'STOPPED'
  | 'START_PENDING'
  | 'STOP_PENDING'
  | 'RUNNING'
  | 'CONTINUE_PENDING'
  | 'PAUSE_PENDING'
  | 'PAUSED';

export interface Service {
  readonly displayName: string;
  readonly startType: StartMode;
  readonly status: ServiceState;
}

export interface SystemHost {
  getBIOSSerialNumber(): Promise<string>;
  getService(name: string): Promise<Service>;
  /** Ends when the service runs. */
  startService(name: string): Promise<void>;
  /** Ends when the service has stopped. @param options.dependents  running services that need it */
  stopService(name: string, options: { readonly dependents: 'stopped' | 'refused' }): Promise<void>;
}
