// The server of group volume.
import { Code, StatusError } from '../../status.ts';
import type { CallContext } from '../runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async dismountVolume(
    _context: CallContext,
    _request: internal.DismountVolumeRequest,
    _version: Version,
  ): Promise<internal.DismountVolumeResponse> {
    throw new StatusError(Code.Unimplemented, 'DismountVolume is not implemented');
  }

  /** Stub. */
  async formatVolume(
    _context: CallContext,
    _request: internal.FormatVolumeRequest,
    _version: Version,
  ): Promise<internal.FormatVolumeResponse> {
    throw new StatusError(Code.Unimplemented, 'FormatVolume is not implemented');
  }

  /** Stub. */
  async getClosestVolumeIDFromTargetPath(
    _context: CallContext,
    _request: internal.GetClosestVolumeIDFromTargetPathRequest,
    _version: Version,
  ): Promise<internal.GetClosestVolumeIDFromTargetPathResponse> {
    throw new StatusError(Code.Unimplemented, 'GetClosestVolumeIDFromTargetPath is not implemented');
  }

  /** Stub. */
  async getDiskNumberFromVolumeID(
    _context: CallContext,
    _request: internal.GetDiskNumberFromVolumeIDRequest,
    _version: Version,
  ): Promise<internal.GetDiskNumberFromVolumeIDResponse> {
    throw new StatusError(Code.Unimplemented, 'GetDiskNumberFromVolumeID is not implemented');
  }

  /** Stub. */
  async getVolumeDiskNumber(
    _context: CallContext,
    _request: internal.VolumeDiskNumberRequest,
    _version: Version,
  ): Promise<internal.VolumeDiskNumberResponse> {
    throw new StatusError(Code.Unimplemented, 'GetVolumeDiskNumber is not implemented');
  }

  /** Stub. */
  async getVolumeIDFromMount(
    _context: CallContext,
    _request: internal.VolumeIDFromMountRequest,
    _version: Version,
  ): Promise<internal.VolumeIDFromMountResponse> {
    throw new StatusError(Code.Unimplemented, 'GetVolumeIDFromMount is not implemented');
  }

  /** Stub. */
  async getVolumeIDFromTargetPath(
    _context: CallContext,
    _request: internal.GetVolumeIDFromTargetPathRequest,
    _version: Version,
  ): Promise<internal.GetVolumeIDFromTargetPathResponse> {
    throw new StatusError(Code.Unimplemented, 'GetVolumeIDFromTargetPath is not implemented');
  }

  /** Stub. */
  async getVolumeStats(
    _context: CallContext,
    _request: internal.GetVolumeStatsRequest,
    _version: Version,
  ): Promise<internal.GetVolumeStatsResponse> {
    throw new StatusError(Code.Unimplemented, 'GetVolumeStats is not implemented');
  }

  /** Stub. */
  async isVolumeFormatted(
    _context: CallContext,
    _request: internal.IsVolumeFormattedRequest,
    _version: Version,
  ): Promise<internal.IsVolumeFormattedResponse> {
    throw new StatusError(Code.Unimplemented, 'IsVolumeFormatted is not implemented');
  }

  /** Stub. */
  async listVolumesOnDisk(
    _context: CallContext,
    _request: internal.ListVolumesOnDiskRequest,
    _version: Version,
  ): Promise<internal.ListVolumesOnDiskResponse> {
    throw new StatusError(Code.Unimplemented, 'ListVolumesOnDisk is not implemented');
  }

  /** Stub. */
  async mountVolume(
    _context: CallContext,
    _request: internal.MountVolumeRequest,
    _version: Version,
  ): Promise<internal.MountVolumeResponse> {
    throw new StatusError(Code.Unimplemented, 'MountVolume is not implemented');
  }

  /** Stub. */
  async resizeVolume(
    _context: CallContext,
    _request: internal.ResizeVolumeRequest,
    _version: Version,
  ): Promise<internal.ResizeVolumeResponse> {
    throw new StatusError(Code.Unimplemented, 'ResizeVolume is not implemented');
  }

  /** Stub. */
  async unmountVolume(
    _context: CallContext,
    _request: internal.UnmountVolumeRequest,
    _version: Version,
  ): Promise<internal.UnmountVolumeResponse> {
    throw new StatusError(Code.Unimplemented, 'UnmountVolume is not implemented');
  }

  /** Stub. */
  async volumeStats(
    _context: CallContext,
    _request: internal.VolumeStatsRequest,
    _version: Version,
  ): Promise<internal.VolumeStatsResponse> {
    throw new StatusError(Code.Unimplemented, 'VolumeStats is not implemented');
  }

  /** Stub. */
  async writeVolumeCache(
    _context: CallContext,
    _request: internal.WriteVolumeCacheRequest,
    _version: Version,
  ): Promise<internal.WriteVolumeCacheResponse> {
    throw new StatusError(Code.Unimplemented, 'WriteVolumeCache is not implemented');
  }
}
