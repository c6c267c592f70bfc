// The disks of a made-up machine, their partitions and volumes.
//
// Not there: partitions that end before the disk does, other than on a disk that has grown;
// MBR disks larger than 2 TiB.
import { Code, StatusError } from '../../base/status.ts';
import type { DetachableFiles } from '../files.ts';
import type { DiskHost, DiskIdentity, DiskState } from '../host.ts';
import { BASIC_PARTITION, RESERVED_PARTITION } from '../partitions.ts';

export interface MemoryVolume {
  readonly id: string;
  /** `foreign`: a file system that Windows does not know. */
  fileSystem: 'none' | 'foreign' | 'NTFS';
  usedBytes: bigint;
  /** Such as `C:\`. */
  readonly drive?: string;
}

interface MemoryPartition {
  readonly number: number;
  readonly type: string;
  sizeBytes: bigint;
  readonly volume: MemoryVolume | undefined;
}

export interface MemoryDisk {
  readonly location: string;
  readonly page83: string;
  readonly serialNumber: string;
  /** What Windows knows; a disk that has grown is larger after the next rescan. */
  sizeBytes: bigint;
  trueSizeBytes: bigint;
  style: 'RAW' | 'MBR' | 'GPT';
  /** GUID of a table of the kind GPT, or empty. */
  table: string;
  state: DiskState;
  /** Nothing is written to it. */
  isReadOnly: boolean;
  readonly partitions: MemoryPartition[];
  /** Does not tell its page 83. */
  readonly isOdd: boolean;
}

export interface NewDisk {
  readonly sizeBytes: bigint;
  readonly location?: string;
  readonly page83?: string;
  readonly serialNumber?: string;
  readonly state?: DiskState;
  readonly isReadOnly?: boolean;
  readonly isOdd?: boolean;
  /** Content: none, or one volume that fills the disk. */
  readonly content?: {
    readonly style: 'MBR' | 'GPT';
    readonly fileSystem: MemoryVolume['fileSystem'];
    readonly drive?: string;
  };
}

const MIB = 2n ** 20n;
/** Before the first partition and behind the last. */
const MARGIN_BYTES = MIB;
const RESERVED_BYTES = 16n * MIB;
/** Overhead of a file system in its partition. */
const OVERHEAD_BYTES = 65_536n;
const FRESH_NTFS_BYTES = 30n * MIB;

export class MemoryDisks {
  readonly #files: DetachableFiles;
  readonly #disks = new Map<number, MemoryDisk>();
  /** Attached, and not seen yet. */
  readonly #unseen: MemoryDisk[] = [];
  #lastTable = 0;
  #lastVolume = 0;

  constructor({ files }: { files: DetachableFiles }) {
    this.#files = files;
  }

  make({ content, ...given }: NewDisk): MemoryDisk {
    const disk: MemoryDisk = {
      location: '',
      page83: '',
      serialNumber: '',
      state: 'online',
      isReadOnly: false,
      isOdd: false,
      style: 'RAW',
      table: '',
      partitions: [],
      trueSizeBytes: given.sizeBytes,
      ...given,
    };
    if (content === undefined) return disk;
    this.#initialize(disk, content.style);
    const { fileSystem, drive } = content;
    this.#addPartition(disk, { fileSystem, ...(drive === undefined ? {} : { drive }) });
    return disk;
  }

  /** The machine sees the disk at its next rescan. */
  attach(disk: MemoryDisk): void {
    this.#unseen.push(disk);
  }

  /** @returns the number under which the machine sees the disk at once */
  async attachSeen(disk: MemoryDisk): Promise<number> {
    let number = 0;
    while (this.#disks.has(number)) number++;
    this.#disks.set(number, disk);
    if (disk.state === 'online') await this.#showVolumes(disk);
    return number;
  }

  /** @returns the disk, which can be attached again with what is on it */
  async detach(number: number): Promise<MemoryDisk> {
    const disk = this.disk(number);
    if (disk.state === 'online') await this.#hideVolumes(disk);
    this.#disks.delete(number);
    return disk;
  }

  /** The machine sees it at its next rescan. */
  grow(number: number, sizeBytes: bigint): void {
    this.disk(number).trueSizeBytes = sizeBytes;
  }

  disk(number: number): MemoryDisk {
    const disk = this.#disks.get(number);
    if (disk === undefined) throw new StatusError(Code.NotFound, `there is no disk ${number}`);
    return disk;
  }

  numberOf(disk: MemoryDisk): number | undefined {
    return [...this.#disks].find(([, other]) => other === disk)?.[0];
  }

  /** A volume of a disk that is online, and where it is. */
  volume(id: string): { number: number; disk: MemoryDisk; partition: MemoryPartition; volume: MemoryVolume } {
    for (const [number, disk] of this.#disks) {
      const partition = disk.partitions.find(({ volume }) => volume?.id === id);
      if (partition?.volume && disk.state === 'online') return { number, disk, partition, volume: partition.volume };
    }
    throw new StatusError(Code.NotFound, `there is no volume ${id}`);
  }

  volumeOfDrive(root: string): string {
    for (const { partitions } of this.#disks.values()) {
      const found = partitions.find(({ volume }) => volume?.drive === root)?.volume;
      if (found !== undefined) return found.id;
    }
    throw new StatusError(Code.NotFound, `there is no drive ${root}`);
  }

  /** All partitions' sizes, and what is left of the disk for the last one of them. */
  largestBytes(disk: MemoryDisk, partition: MemoryPartition): bigint {
    const others = disk.partitions.filter((other) => other !== partition);
    return others.reduce((left, { sizeBytes }) => left - sizeBytes, disk.sizeBytes - 2n * MARGIN_BYTES);
  }

  totalBytes(partition: MemoryPartition): bigint {
    return partition.sizeBytes - OVERHEAD_BYTES;
  }

  async format(id: string): Promise<void> {
    const { volume } = this.volume(id);
    volume.fileSystem = 'NTFS';
    volume.usedBytes = FRESH_NTFS_BYTES;
  }

  host(): DiskHost {
    const partitionsExist = (disk: MemoryDisk): boolean =>
      disk.partitions.some(({ type }) => type !== RESERVED_PARTITION);
    return {
      listDiskLocations: async () => new Map([...this.#disks].map(([number, { location }]) => [number, location])),
      isDiskInitialized: async (disk) => this.disk(disk).style !== 'RAW',
      partitionTable: async (disk) => this.disk(disk).table,
      isDiskReadOnly: async (disk) => this.disk(disk).isReadOnly,
      initializeDisk: async (number) => {
        const disk = this.disk(number);
        requireOnline(number, disk);
        requireWritable(number, disk);
        if (disk.style !== 'RAW') throw new StatusError(Code.FailedPrecondition, `disk ${number} is initialized`);
        this.#initialize(disk, 'GPT');
      },
      basicPartitionsExist: async (disk) => partitionsExist(this.disk(disk)),
      createBasicPartition: async (number) => {
        const disk = this.disk(number);
        requireOnline(number, disk);
        requireWritable(number, disk);
        if (disk.style === 'RAW') throw new StatusError(Code.FailedPrecondition, `disk ${number} is not initialized`);
        const { volume } = this.#addPartition(disk, { fileSystem: 'none' });
        if (volume !== undefined) await this.#files.attach(volume.id);
      },
      rescan: async () => {
        for (const disk of this.#unseen.splice(0)) await this.attachSeen(disk);
        for (const disk of this.#disks.values()) disk.sizeBytes = disk.trueSizeBytes;
      },
      getDiskNumberByName: async (name) => {
        const found = [...this.#disks].find(([, { page83, isOdd }]) => page83 === name && !isOdd);
        if (found === undefined) {
          throw new StatusError(Code.NotFound, `could not find disk with Page83 ID ${name}: not found`);
        }
        return found[0];
      },
      listDiskIDs: async () => {
        const disks = new Map<number, DiskIdentity>();
        const failures = new Map<number, string>();
        for (const [number, { page83, serialNumber, isOdd }] of this.#disks) {
          if (isOdd) failures.set(number, 'the device does not tell its identifiers');
          else disks.set(number, { page83, serialNumber });
        }
        return { disks, failures };
      },
      getDiskStats: async (disk) => ({ totalBytes: this.disk(disk).sizeBytes }),
      setDiskState: async (number, state) => {
        const disk = this.disk(number);
        if (disk.state === state) return;
        if (disk.partitions.some(({ volume }) => volume?.drive !== undefined)) {
          throw new StatusError(Code.FailedPrecondition, `disk ${number} holds a drive that is in use`);
        }
        disk.state = state;
        await (state === 'online' ? this.#showVolumes(disk) : this.#hideVolumes(disk));
      },
      getDiskState: async (disk) => this.disk(disk).state,
    };
  }

  /** Volumes of an online disk; Windows has none on others. */
  volumesOf(number: number, partition: number): string[] {
    const disk = this.disk(number);
    if (disk.state === 'offline') return [];
    const asked = disk.partitions.filter((other) => partition === 0 || other.number === partition);
    return asked.flatMap(({ volume }) => (volume === undefined ? [] : [volume.id]));
  }

  #initialize(disk: MemoryDisk, style: 'MBR' | 'GPT'): void {
    disk.style = style;
    if (style === 'GPT') {
      disk.table = `{${guidOf(++this.#lastTable)}}`;
      disk.partitions.push({ number: 1, type: RESERVED_PARTITION, sizeBytes: RESERVED_BYTES, volume: undefined });
    }
  }

  #addPartition(
    disk: MemoryDisk,
    content: { fileSystem: MemoryVolume['fileSystem']; drive?: string },
  ): MemoryPartition {
    const number = disk.partitions.length + 1;
    const id = `\\\\?\\Volume{${guidOf(++this.#lastVolume)}}\\`;
    const used = content.fileSystem === 'none' ? 0n : FRESH_NTFS_BYTES;
    const partition: MemoryPartition = {
      number,
      type: disk.style === 'GPT' ? BASIC_PARTITION : 'IFS',
      sizeBytes: 0n,
      volume: { id, usedBytes: used, ...content },
    };
    partition.sizeBytes = this.largestBytes(disk, partition);
    if (partition.sizeBytes < MIB) throw new StatusError(Code.Unknown, 'the disk has no room for a partition');
    disk.partitions.push(partition);
    return partition;
  }

  async #showVolumes({ partitions }: MemoryDisk): Promise<void> {
    for (const { volume } of partitions) if (volume !== undefined) await this.#files.attach(volume.id);
  }

  async #hideVolumes({ partitions }: MemoryDisk): Promise<void> {
    for (const { volume } of partitions) if (volume !== undefined) await this.#files.detach(volume.id);
  }
}

function requireOnline(number: number, { state }: MemoryDisk): void {
  if (state === 'offline') throw new StatusError(Code.FailedPrecondition, `disk ${number} is offline`);
}

export function requireWritable(number: number, { isReadOnly }: Pick<MemoryDisk, 'isReadOnly'>): void {
  if (isReadOnly) throw new StatusError(Code.Unknown, `disk ${number}: the media is write protected`);
}

/** Unique id for each thing of one kind. */
function guidOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}
