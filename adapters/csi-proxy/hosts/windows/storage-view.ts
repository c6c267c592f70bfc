// Windows' storage data, as one listing that all queries share.
import type { Clock } from '../../../../bus/mod.ts';
import { Code, StatusError } from '../../base/status.ts';
import { SharedList } from '../shared-list.ts';
import type { DiskRow, PartitionRow, StorageRows, VolumeRow } from './operations.ts';
import type { Worker } from './worker.ts';

/** Windows' own data is hardly newer, and a rescan starts a new listing anyway. */
const MAX_AGE_MS = 1_000;

interface VolumePlace {
  readonly volume: VolumeRow;
  readonly partition: PartitionRow;
}

/** The listing, as it is asked. */
class Storage {
  readonly rows: StorageRows;
  readonly #disks: ReadonlyMap<number, DiskRow>;
  readonly #volumes = new Map<string, VolumePlace>();

  constructor(rows: StorageRows) {
    this.rows = rows;
    this.#disks = new Map(rows.disks.map((disk) => [disk.number, disk]));
    const volumes = new Map(rows.volumes.map((volume) => [volume.id, volume]));
    for (const partition of rows.partitions) {
      for (const path of partition.accessPaths) {
        const volume = volumes.get(path);
        if (volume !== undefined && !this.#volumes.has(volume.id)) this.#volumes.set(volume.id, { volume, partition });
      }
    }
  }

  disk(number: number): DiskRow {
    const disk = this.#disks.get(number);
    if (disk === undefined) throw new StatusError(Code.NotFound, `there is no disk ${number}`);
    return disk;
  }

  partitions(disk: number): readonly PartitionRow[] {
    this.disk(disk);
    return this.rows.partitions.filter((partition) => partition.disk === disk);
  }

  volume(id: string): VolumePlace {
    const place = this.#volumes.get(id);
    if (place === undefined) throw new StatusError(Code.NotFound, `there is no volume ${id}`);
    return place;
  }

  volumesOf(partition: PartitionRow): readonly string[] {
    return partition.accessPaths.filter((path) => this.#volumes.has(path));
  }

  /** With `rows` for the disks that they are of. */
  with(rows: StorageRows): Storage {
    const changed = new Set(rows.disks.map(({ number }) => number));
    const gone = new Set(
      this.rows.partitions.filter(({ disk }) => changed.has(disk)).flatMap(({ accessPaths }) => accessPaths),
    );
    const isNew = new Set(rows.volumes.map(({ id }) => id));
    return new Storage({
      disks: [...this.rows.disks.filter(({ number }) => !changed.has(number)), ...rows.disks],
      partitions: [...this.rows.partitions.filter(({ disk }) => !changed.has(disk)), ...rows.partitions],
      volumes: [...this.rows.volumes.filter(({ id }) => !gone.has(id) && !isNew.has(id)), ...rows.volumes],
    });
  }
}

export class StorageView {
  readonly #listing: SharedList<Storage>;

  constructor({ worker, clock, maxAgeMs = MAX_AGE_MS }: { worker: Worker; clock: Clock; maxAgeMs?: number }) {
    const list = async (): Promise<Storage> => new Storage(await worker.ask('listStorage', {}));
    this.#listing = new SharedList({ list, clock, maxAgeMs });
  }

  now(): Promise<Storage> {
    return this.#listing.get();
  }

  /** Looks something up. A missing item is looked up once more in a new listing: it may have appeared meanwhile. */
  async find<T>(look: (storage: Storage) => T): Promise<T> {
    try {
      return look(await this.#listing.get());
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== Code.NotFound) throw error;
    }
    this.#listing.forget();
    return look(await this.#listing.get());
  }

  /** Changes one disk; the result is its present state. After a failure that is unknown. */
  async change(work: () => Promise<StorageRows>): Promise<void> {
    try {
      const rows = await work();
      this.#listing.update((known) => known.with(rows));
    } catch (error) {
      this.#listing.forget();
      throw error;
    }
  }

  /** Does something that may change any disk. */
  async disturb<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#listing.forget();
    }
  }
}
