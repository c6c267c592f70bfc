// A real Windows machine. Files are its own; the rest is asked of PowerShell, or answered by what that has listed.
import type { Clock } from '../../../../bus/mod.ts';
import { Code, StatusError } from '../../base/status.ts';
import type { Files } from '../files.ts';
import { closestVolume, filesystem as filesystemOn } from '../filesystem.ts';
import type {
  DiskHost,
  DiskIdentity,
  DiskListing,
  Host,
  IscsiHost,
  ServiceState,
  SmbHost,
  StartMode,
  VolumeHost,
} from '../host.ts';
import { RESERVED_PARTITION, sizeToGive } from '../partitions.ts';
import { RequestBatcher } from '../request-batcher.ts';
import { type ServiceControl, services } from '../services.ts';
import { SharedList } from '../shared-list.ts';
import { withBackslash } from '../windows-path.ts';
import { type Failure, failureError, type IdentifierRow, type Mount } from './operations.ts';
import { page83 } from './page83.ts';
import { StorageView } from './storage-view.ts';
import type { Worker } from './worker.ts';

/** Identifiers do not change; disks come and go. */
const IDENTIFIERS_MAX_AGE_MS = 1_000;

/** In one request: as many as take about as long as a listing. */
const MOST_MOUNTS = 25;

/** Status of MSFT_SmbGlobalMapping: a mapping that works. */
const MAPPING_OK = 0;

export interface WindowsHostDeps {
  readonly worker: Worker;
  readonly files: Files;
  readonly clock: Clock;
}

export function windowsHost(deps: WindowsHostDeps): Host {
  const { worker, files, clock } = deps;
  const storage = new StorageView(deps);
  return {
    disk: disks(deps, storage),
    volume: volumes(deps, storage),
    filesystem: filesystemOn({ files }),
    smb: smb(deps),
    iscsi: iscsi(deps, storage),
    system: {
      getBIOSSerialNumber: () => worker.ask('biosSerialNumber', {}),
      ...services({ control: serviceControl(deps), clock }),
    },
    ready: () => worker.ready(),
    close: () => worker.close(),
  };
}

function disks({ worker, clock }: WindowsHostDeps, storage: StorageView): DiskHost {
  const identifiers = new SharedList({
    list: () => worker.ask('listIdentifiers', {}),
    clock,
    maxAgeMs: IDENTIFIERS_MAX_AGE_MS,
  });
  // A caller that arrives during a rescan needs the next one: its disk may have been attached meanwhile.
  const rescans = new SharedList({
    list: () =>
      storage.disturb(async () => {
        await worker.ask('rescan', {});
        identifiers.forget();
      }),
    clock,
    maxAgeMs: 0,
  });
  const listDiskIDs = async (): Promise<DiskListing> => {
    const [now, rows] = await Promise.all([storage.now(), identifiers.get()]);
    const named = new Map(rows.map((row) => [row.disk, row]));
    const found = new Map<number, DiskIdentity>();
    const failures = new Map<number, string>();
    for (const { number, serialNumber } of now.rows.disks) {
      const name = nameOf(named.get(number));
      if ('failure' in name) failures.set(number, name.failure);
      else found.set(number, { ...name, serialNumber });
    }
    return { disks: found, failures };
  };
  return {
    listDiskLocations: async () =>
      new Map((await storage.now()).rows.disks.map(({ number, location }) => [number, location])),
    isDiskInitialized: (disk) => storage.find((now) => !now.disk(disk).isRaw),
    partitionTable: (disk) => storage.find((now) => now.disk(disk).table),
    isDiskReadOnly: (disk) => storage.find((now) => now.disk(disk).isReadOnly),
    initializeDisk: (disk) => storage.change(() => worker.ask('initializeDisk', { disk })),
    basicPartitionsExist: (disk) =>
      storage.find((now) => now.partitions(disk).some(({ gptType }) => gptType !== RESERVED_PARTITION)),
    createBasicPartition: (disk) => storage.change(() => worker.ask('createPartition', { disk })),
    rescan: () => rescans.get(),
    async getDiskNumberByName(name) {
      for (const [number, identity] of (await listDiskIDs()).disks) if (identity.page83 === name) return number;
      throw new StatusError(Code.NotFound, `could not find disk with Page83 ID ${name}: not found`);
    },
    listDiskIDs,
    getDiskStats: (disk) => storage.find((now) => ({ totalBytes: now.disk(disk).sizeBytes })),
    setDiskState: (disk, state) =>
      storage.change(() => worker.ask('setDiskState', { disk, isOnline: state === 'online' })),
    getDiskState: (disk) => storage.find((now) => (now.disk(disk).isOffline ? 'offline' : 'online')),
  };
}

function nameOf(row: IdentifierRow | undefined): { readonly page83: string } | { readonly failure: string } {
  if (row === undefined) return { failure: 'the disk came while disks were asked' };
  if (row.failure !== '') return { failure: row.failure };
  try {
    return { page83: page83(row.descriptor) };
  } catch (error) {
    if (error instanceof RangeError) return { failure: error.message };
    throw error;
  }
}

function volumes({ worker, files }: WindowsHostDeps, storage: StorageView): VolumeHost {
  const mountedAt = async (path: string): Promise<string> => {
    const volumeId = await worker.ask('mountedVolume', { path: withBackslash(path) });
    if (volumeId !== undefined) return volumeId;
    const { kind } = await files.look(path);
    throw new StatusError(Code.NotFound, kind === 'absent' ? `there is no ${path}` : `${path}: not a mounted folder`);
  };
  const mounts = new RequestBatcher<Mount, Failure | undefined>({
    ask: (all) => worker.ask('mountVolumes', { mounts: all }),
    most: MOST_MOUNTS,
  });
  return {
    listVolumesOnDisk: (disk, partition) =>
      storage.find((now) => {
        const asked = now.partitions(disk).filter(({ number }) => partition === 0 || number === partition);
        return asked.flatMap((one) => now.volumesOf(one));
      }),
    async mountVolume(volumeId, path) {
      await storage.find((now) => now.volume(volumeId));
      const failure = await mounts.ask({ volumeId, path: withBackslash(path) });
      if (failure !== undefined) throw failureError(failure);
    },
    async unmountVolume(volumeId, path) {
      await worker.ask('unmountVolume', { volumeId, path: withBackslash(path) });
    },
    isVolumeFormatted: (volumeId) => storage.find((now) => now.volume(volumeId).volume.fileSystemType !== 0),
    formatVolume: (volumeId) => storage.change(() => worker.ask('formatVolume', { volumeId })),
    async resizeVolume(volumeId, wantedBytes) {
      const sizes = await worker.ask('partitionSizes', { volumeId });
      const sizeBytes = sizeToGive({ wantedBytes, ...sizes });
      if (sizeBytes === undefined) return;
      await storage.change(() => worker.ask('resizePartition', { volumeId, sizeBytes: `${sizeBytes}` }));
    },
    getVolumeStats: (volumeId) =>
      storage.find((now) => {
        const { sizeBytes, remainingBytes } = now.volume(volumeId).volume;
        return { totalBytes: sizeBytes, usedBytes: sizeBytes - remainingBytes };
      }),
    getDiskNumberFromVolumeID: (volumeId) => storage.find((now) => now.volume(volumeId).partition.disk),
    getVolumeIDFromTargetPath: mountedAt,
    writeVolumeCache: (volumeId) => worker.ask('flushVolume', { volumeId }),
    getClosestVolumeIDFromTargetPath: (path) => closestVolume(files, path, { mountedAt, ofDrive: mountedAt }),
  };
}

function smb({ worker, files }: WindowsHostDeps): SmbHost {
  return {
    async isSmbMapped(root) {
      const status = await worker.ask('smbMapping', { root });
      if (status === undefined) return 'absent';
      return status === MAPPING_OK ? 'mapped' : 'broken';
    },
    newSmbGlobalMapping: ({ root, username, password, encryption }) =>
      worker.ask('newSmbMapping', { root, username, password, requirePrivacy: encryption === 'required' }),
    removeSmbGlobalMapping: (root) => worker.ask('removeSmbMapping', { root }),
    newSmbLink: (localPath, remotePath) => files.makeLink(localPath, remotePath),
  };
}

function iscsi({ worker }: WindowsHostDeps, storage: StorageView): IscsiHost {
  return {
    addTargetPortal: (portal) => worker.ask('addPortal', portal),
    discoverTargetPortal: (portal) => worker.ask('listTargets', portal),
    listTargetPortals: () => worker.ask('listPortals', {}),
    removeTargetPortal: (portal) => worker.ask('removePortal', portal),
    connectTarget: (portal, iqn, login) =>
      storage.disturb(() => worker.ask('connectTarget', { ...portal, iqn, ...login })),
    disconnectTarget: (portal, iqn) => storage.disturb(() => worker.ask('disconnectTarget', { ...portal, iqn })),
    getTargetDisks: (portal, iqn) => worker.ask('targetDisks', { ...portal, iqn }),
    setMutualChapSecret: (secret) => worker.ask('setChapSecret', { secret }),
  };
}

const START_TYPES: Readonly<Record<string, StartMode>> = {
  Boot: 'BOOT',
  System: 'SYSTEM',
  Auto: 'AUTOMATIC',
  Manual: 'MANUAL',
  Disabled: 'DISABLED',
};

const STATES: Readonly<Record<string, ServiceState>> = {
  Stopped: 'STOPPED',
  'Start Pending': 'START_PENDING',
  'Stop Pending': 'STOP_PENDING',
  Running: 'RUNNING',
  'Continue Pending': 'CONTINUE_PENDING',
  'Pause Pending': 'PAUSE_PENDING',
  Paused: 'PAUSED',
};

function serviceControl({ worker }: WindowsHostDeps): ServiceControl {
  return {
    async query(name) {
      const { displayName, startMode, state } = await worker.ask('getService', { name });
      return {
        displayName,
        startType: START_TYPES[startMode] ?? 'BOOT',
        status: STATES[state] ?? 'UNKNOWN',
      };
    },
    start: (name) => worker.ask('startService', { name }),
    stop: (name) => worker.ask('stopService', { name }),
    runningDependents: (name) => worker.ask('runningDependents', { name }),
  };
}
