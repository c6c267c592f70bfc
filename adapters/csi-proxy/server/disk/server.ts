// The server of group disk.
import { Code, StatusError } from '../../status.ts';
import type { CallContext } from '../runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async diskStats(
    _context: CallContext,
    _request: internal.DiskStatsRequest,
    _version: Version,
  ): Promise<internal.DiskStatsResponse> {
    throw new StatusError(Code.Unimplemented, 'DiskStats is not implemented');
  }

  /** Stub. */
  async getAttachState(
    _context: CallContext,
    _request: internal.GetAttachStateRequest,
    _version: Version,
  ): Promise<internal.GetAttachStateResponse> {
    throw new StatusError(Code.Unimplemented, 'GetAttachState is not implemented');
  }

  /** Stub. */
  async getDiskNumberByName(
    _context: CallContext,
    _request: internal.GetDiskNumberByNameRequest,
    _version: Version,
  ): Promise<internal.GetDiskNumberByNameResponse> {
    throw new StatusError(Code.Unimplemented, 'GetDiskNumberByName is not implemented');
  }

  /** Stub. */
  async getDiskState(
    _context: CallContext,
    _request: internal.GetDiskStateRequest,
    _version: Version,
  ): Promise<internal.GetDiskStateResponse> {
    throw new StatusError(Code.Unimplemented, 'GetDiskState is not implemented');
  }

  /** Stub. */
  async getDiskStats(
    _context: CallContext,
    _request: internal.GetDiskStatsRequest,
    _version: Version,
  ): Promise<internal.GetDiskStatsResponse> {
    throw new StatusError(Code.Unimplemented, 'GetDiskStats is not implemented');
  }

  /** Stub. */
  async listDiskIDs(
    _context: CallContext,
    _request: internal.ListDiskIDsRequest,
    _version: Version,
  ): Promise<internal.ListDiskIDsResponse> {
    throw new StatusError(Code.Unimplemented, 'ListDiskIDs is not implemented');
  }

  /** Stub. */
  async listDiskLocations(
    _context: CallContext,
    _request: internal.ListDiskLocationsRequest,
    _version: Version,
  ): Promise<internal.ListDiskLocationsResponse> {
    throw new StatusError(Code.Unimplemented, 'ListDiskLocations is not implemented');
  }

  /** Stub. */
  async partitionDisk(
    _context: CallContext,
    _request: internal.PartitionDiskRequest,
    _version: Version,
  ): Promise<internal.PartitionDiskResponse> {
    throw new StatusError(Code.Unimplemented, 'PartitionDisk is not implemented');
  }

  /** Stub. */
  async rescan(
    _context: CallContext,
    _request: internal.RescanRequest,
    _version: Version,
  ): Promise<internal.RescanResponse> {
    throw new StatusError(Code.Unimplemented, 'Rescan is not implemented');
  }

  /** Stub. */
  async setAttachState(
    _context: CallContext,
    _request: internal.SetAttachStateRequest,
    _version: Version,
  ): Promise<internal.SetAttachStateResponse> {
    throw new StatusError(Code.Unimplemented, 'SetAttachState is not implemented');
  }

  /** Stub. */
  async setDiskState(
    _context: CallContext,
    _request: internal.SetDiskStateRequest,
    _version: Version,
  ): Promise<internal.SetDiskStateResponse> {
    throw new StatusError(Code.Unimplemented, 'SetDiskState is not implemented');
  }
}
