// Stands for the worker of PowerShell: it does on a machine in memory what the script does on Windows.
//
// Not there: the script itself, and what Windows would say in its own words.

import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { ServiceState, StartMode } from '../../../../adapters/csi-proxy/hosts/host.ts';
import type { MemoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import type {
  AnswerOf,
  ArgumentsOf,
  Failure,
  OperationName,
  StorageRows,
} from '../../../../adapters/csi-proxy/hosts/windows/operations.ts';
import type { Worker } from '../../../../adapters/csi-proxy/hosts/windows/worker.ts';

type Answers = { readonly [Name in OperationName]: (given: ArgumentsOf<Name>) => Promise<AnswerOf<Name>> };

const START_MODES: Readonly<Record<StartMode, string>> = {
  BOOT: 'Boot',
  SYSTEM: 'System',
  AUTOMATIC: 'Auto',
  MANUAL: 'Manual',
  DISABLED: 'Disabled',
};
const STATES: Readonly<Record<ServiceState, string>> = {
  UNKNOWN: '',
  STOPPED: 'Stopped',
  START_PENDING: 'Start Pending',
  STOP_PENDING: 'Stop Pending',
  RUNNING: 'Running',
  CONTINUE_PENDING: 'Continue Pending',
  PAUSE_PENDING: 'Pause Pending',
  PAUSED: 'Paused',
};

export class WorkerDouble implements Worker {
  /** How often each operation was asked for. */
  readonly counts = new Map<OperationName, number>();
  /** What was asked for, in order. */
  readonly asked: { readonly operation: OperationName; readonly given: object }[] = [];
  readonly #answers: Answers;

  constructor(machine: MemoryMachine) {
    this.#answers = answers(machine);
  }

  async ask<Name extends OperationName>(operation: Name, given: ArgumentsOf<Name>): Promise<AnswerOf<Name>> {
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1);
    this.asked.push({ operation, given });
    // A request and its answer are never on the way in no time.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#answers[operation](given);
  }

  ready(): undefined {
    return undefined;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function answers({ host, disks, services }: MemoryMachine): Answers {
  const { disk, volume, smb, iscsi, system } = host;
  const control = services.control();

  const rows = async (only?: number): Promise<StorageRows> => {
    const numbers = only === undefined ? [...(await disk.listDiskLocations()).keys()] : [only];
    const shown = numbers.map((number) => ({ number, ...disks.disk(number) }));
    const partitions = shown.flatMap((one) =>
      one.partitions.map((partition) => ({
        one,
        partition,
        id: one.state === 'online' ? partition.volume?.id : undefined,
      })),
    );
    return {
      disks: shown.map(({ number, location, serialNumber, sizeBytes, style, table, state, isReadOnly }) => ({
        number,
        location,
        serialNumber,
        sizeBytes,
        isRaw: style === 'RAW',
        table,
        isOffline: state === 'offline',
        isReadOnly,
      })),
      partitions: partitions.map(({ one, partition, id }) => ({
        disk: one.number,
        number: partition.number,
        gptType: one.style === 'GPT' ? partition.type : '',
        accessPaths: id === undefined ? [] : [id],
      })),
      volumes: await Promise.all(
        partitions
          .flatMap(({ partition, id }) => (id === undefined ? [] : [{ partition, id }]))
          .map(async ({ partition, id }) => {
            const { totalBytes, usedBytes } = await volume.getVolumeStats(id);
            const fileSystemType = partition.volume?.fileSystem === 'NTFS' ? 14 : 0;
            return { id, fileSystemType, sizeBytes: totalBytes, remainingBytes: totalBytes - usedBytes };
          }),
      ),
    };
  };
  const rowsAfter = async (number: number, work: Promise<void>): Promise<StorageRows> => {
    await work;
    return rows(number);
  };
  const done = async (work: Promise<void>): Promise<undefined> => {
    await work;
    return undefined;
  };

  return {
    listStorage: () => rows(),
    async listIdentifiers() {
      const { disks: named, failures } = await disk.listDiskIDs();
      return [
        ...[...named].map(([number, { page83 }]) => ({ disk: number, descriptor: descriptorOf(page83), failure: '' })),
        ...[...failures].map(([number, failure]) => ({ disk: number, descriptor: new Uint8Array(), failure })),
      ];
    },
    rescan: () => done(disk.rescan()),
    initializeDisk: ({ disk: number }) => rowsAfter(number, disk.initializeDisk(number)),
    createPartition: ({ disk: number }) => rowsAfter(number, disk.createBasicPartition(number)),
    setDiskState: ({ disk: number, isOnline }) =>
      rowsAfter(number, disk.setDiskState(number, isOnline ? 'online' : 'offline')),
    mountVolumes: ({ mounts }) =>
      Promise.all(
        mounts.map(({ volumeId, path }) => volume.mountVolume(volumeId, path).then(() => undefined, failureOf)),
      ),
    unmountVolume: ({ volumeId, path }) => done(volume.unmountVolume(volumeId, path)),
    async mountedVolume({ path }) {
      if (path.length === 3) return disks.volumeOfDrive(path);
      return volume.getVolumeIDFromTargetPath(path).catch(() => undefined);
    },
    flushVolume: ({ volumeId }) => done(volume.writeVolumeCache(volumeId)),
    formatVolume: ({ volumeId }) => rowsAfter(disks.volume(volumeId).number, volume.formatVolume(volumeId)),
    async partitionSizes({ volumeId }) {
      const { disk: holder, partition } = disks.volume(volumeId);
      return { currentBytes: partition.sizeBytes, largestBytes: disks.largestBytes(holder, partition) };
    },
    resizePartition: ({ volumeId, sizeBytes }) =>
      rowsAfter(disks.volume(volumeId).number, volume.resizeVolume(volumeId, BigInt(sizeBytes))),
    async smbMapping({ root }) {
      return { mapped: 0, broken: 2, absent: undefined }[await smb.isSmbMapped(root)];
    },
    newSmbMapping: ({ requirePrivacy, ...mapping }) =>
      done(smb.newSmbGlobalMapping({ ...mapping, encryption: requirePrivacy ? 'required' : 'optional' })),
    removeSmbMapping: ({ root }) => done(smb.removeSmbGlobalMapping(root)),
    listPortals: () => iscsi.listTargetPortals(),
    addPortal: (portal) => done(iscsi.addTargetPortal(portal)),
    removePortal: (portal) => done(iscsi.removeTargetPortal(portal)),
    listTargets: (portal) => iscsi.discoverTargetPortal(portal),
    connectTarget: ({ iqn, authentication, username, secret, ...portal }) =>
      done(iscsi.connectTarget(portal, iqn, { authentication, username, secret })),
    disconnectTarget: ({ iqn, ...portal }) => done(iscsi.disconnectTarget(portal, iqn)),
    targetDisks: ({ iqn, ...portal }) => iscsi.getTargetDisks(portal, iqn),
    setChapSecret: ({ secret }) => done(iscsi.setMutualChapSecret(secret)),
    biosSerialNumber: () => system.getBIOSSerialNumber(),
    async getService({ name }) {
      const { displayName, startType, status } = await control.query(name);
      return { displayName, startMode: START_MODES[startType], state: STATES[status] };
    },
    startService: ({ name }) => control.start(name),
    stopService: ({ name }) => control.stop(name),
    runningDependents: ({ name }) => control.runningDependents(name),
  };
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof StatusError)) throw error;
  const kinds = new Map<number, string>([
    [Code.NotFound, 'absent'],
    [Code.FailedPrecondition, 'state'],
  ]);
  return { kind: kinds.get(error.code) ?? 'other', message: error.message };
}

/** STORAGE_DEVICE_ID_DESCRIPTOR with one identifier of the device, in ASCII; none if it is empty. */
export function descriptorOf(page83: string, codeSet = 2): Uint8Array {
  const identifier = Buffer.from(page83, 'latin1');
  const bytes = Buffer.alloc(12 + (page83 === '' ? 0 : 16 + identifier.length));
  bytes.writeUInt32LE(page83 === '' ? 0 : 1, 8);
  if (page83 === '') return bytes;
  bytes.writeUInt32LE(codeSet, 12);
  bytes.writeUInt16LE(identifier.length, 20);
  identifier.copy(bytes, 28);
  return bytes;
}
