// Disks, for all versions of the group.

import { Code, StatusError } from '../../base/status.ts';
import type { DiskHost } from '../../hosts/host.ts';
import type { KeyedMutex } from '../../hosts/keyed-mutex.ts';
import { uint32FromText } from '../decimal.ts';
import type { GroupDeps } from '../group-deps.ts';
import type { CallContext } from '../runtime.ts';
import { requireVersion } from '../version-gate.ts';
import type * as internal from './internal/types.ts';
import { parseLocation } from './location.ts';

export class Server {
  readonly #disks: DiskHost;
  readonly #lanes: KeyedMutex;

  constructor({ host, lanes }: GroupDeps) {
    this.#disks = host.disk;
    this.#lanes = lanes;
  }

  async listDiskLocations(
    _context: CallContext,
    _request: internal.ListDiskLocationsRequest,
    _version: string,
  ): Promise<internal.ListDiskLocationsResponse> {
    const diskLocations = new Map<number, internal.DiskLocation>();
    for (const [number, text] of await this.#disks.listDiskLocations()) {
      const location = parseLocation(text);
      if (location !== undefined) diskLocations.set(number, location);
    }
    return { diskLocations };
  }

  async partitionDisk(
    { signal }: CallContext,
    { diskNumber }: internal.PartitionDiskRequest,
    _version: string,
  ): Promise<internal.PartitionDiskResponse> {
    await this.#lanes.run(`disk ${diskNumber}`, signal, async () => {
      if (!(await this.#disks.isDiskInitialized(diskNumber))) await this.#disks.initializeDisk(diskNumber);
      if (!(await this.#disks.basicPartitionsExist(diskNumber))) await this.#disks.createBasicPartition(diskNumber);
    });
    return {};
  }

  async rescan(
    _context: CallContext,
    _request: internal.RescanRequest,
    _version: string,
  ): Promise<internal.RescanResponse> {
    await this.#disks.rescan();
    return {};
  }

  async getDiskNumberByName(
    _context: CallContext,
    { diskName }: internal.GetDiskNumberByNameRequest,
    _version: string,
  ): Promise<internal.GetDiskNumberByNameResponse> {
    // A disk without identifiers is not the one without a name.
    if (diskName === '') throw new StatusError(Code.NotFound, 'could not find disk with Page83 ID : not found');
    return { diskNumber: await this.#disks.getDiskNumberByName(diskName) };
  }

  async listDiskIDs(
    { log }: CallContext,
    _request: internal.ListDiskIDsRequest,
    version: string,
  ): Promise<internal.ListDiskIDsResponse> {
    requireVersion('ListDiskIDs', 'v1beta1', version);
    const { disks, failures } = await this.#disks.listDiskIDs();
    for (const [disk, reason] of failures) log.warn({ disk, reason }, 'a disk does not tell its identifiers');
    return { diskIDs: new Map(disks) };
  }

  async diskStats(
    _context: CallContext,
    { diskID }: internal.DiskStatsRequest,
    version: string,
  ): Promise<internal.DiskStatsResponse> {
    requireVersion('DiskStats', 'v1beta1', version);
    const { totalBytes } = await this.#disks.getDiskStats(parseDiskID('DiskStatsRequest', diskID));
    return { diskSize: totalBytes };
  }

  async getDiskStats(
    _context: CallContext,
    { diskNumber }: internal.GetDiskStatsRequest,
    version: string,
  ): Promise<internal.GetDiskStatsResponse> {
    requireVersion('GetDiskStats', 'v1beta3', version);
    return this.#disks.getDiskStats(diskNumber);
  }

  async setAttachState(
    context: CallContext,
    { diskID, isOnline }: internal.SetAttachStateRequest,
    version: string,
  ): Promise<internal.SetAttachStateResponse> {
    requireVersion('SetAttachState', 'v1beta2', version);
    return this.#setState(context, { diskNumber: parseDiskID('SetAttachStateRequest', diskID), isOnline });
  }

  async setDiskState(
    context: CallContext,
    request: internal.SetDiskStateRequest,
    version: string,
  ): Promise<internal.SetDiskStateResponse> {
    requireVersion('SetDiskState', 'v1beta3', version);
    return this.#setState(context, request);
  }

  async getAttachState(
    _context: CallContext,
    { diskID }: internal.GetAttachStateRequest,
    version: string,
  ): Promise<internal.GetAttachStateResponse> {
    requireVersion('GetAttachState', 'v1beta2', version);
    return this.#getState(parseDiskID('GetAttachStateRequest', diskID));
  }

  async getDiskState(
    _context: CallContext,
    { diskNumber }: internal.GetDiskStateRequest,
    version: string,
  ): Promise<internal.GetDiskStateResponse> {
    requireVersion('GetDiskState', 'v1beta3', version);
    return this.#getState(diskNumber);
  }

  async #setState(
    { signal }: CallContext,
    { diskNumber, isOnline }: internal.SetDiskStateRequest,
  ): Promise<internal.SetDiskStateResponse> {
    const wanted = isOnline ? 'online' : 'offline';
    await this.#lanes.run(`disk ${diskNumber}`, signal, async () => {
      if ((await this.#disks.getDiskState(diskNumber)) === wanted) return;
      await this.#disks.setDiskState(diskNumber, wanted);
    });
    return {};
  }

  async #getState(disk: number): Promise<internal.GetDiskStateResponse> {
    return { isOnline: (await this.#disks.getDiskState(disk)) === 'online' };
  }
}

/** @throws {StatusError} `INVALID_ARGUMENT` */
function parseDiskID(message: string, diskID: string): number {
  try {
    return uint32FromText(diskID, `Failed to format ${message}.DiskID with err: `);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StatusError(Code.InvalidArgument, error.message, { cause: error });
  }
}
