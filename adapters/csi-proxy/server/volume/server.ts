// Volumes, for all versions of the group.

import { StatusError } from '../../base/status.ts';
import { Callers, orGone } from '../../hosts/callers.ts';
import type { FilesystemHost, VolumeHost } from '../../hosts/host.ts';
import type { Caller, KeyedMutex } from '../../hosts/keyed-mutex.ts';
import { require, requireSize } from '../../hosts/rules.ts';
import type { GroupDeps } from '../group-deps.ts';
import type { PathRules } from '../path-rules.ts';
import { requireRealPlace } from '../real-place.ts';
import type { CallContext } from '../runtime.ts';
import { requireVersion } from '../version-gate.ts';
import type * as internal from './internal/types.ts';

/** A repeated request for a running format waits for that one: a second one would destroy data written after it. */
interface Format {
  readonly ended: Promise<void>;
  readonly callers: Callers;
}

export class Server {
  readonly #volumes: VolumeHost;
  readonly #lanes: KeyedMutex;
  readonly #filesystem: FilesystemHost;
  /** Undefined: any path. */
  readonly #paths: PathRules | undefined;
  readonly #formats = new Map<string, Format>();

  constructor({ host, lanes, paths, mountPaths }: GroupDeps) {
    this.#volumes = host.volume;
    this.#filesystem = host.filesystem;
    this.#lanes = lanes;
    this.#paths = mountPaths === 'checked' ? paths : undefined;
  }

  async listVolumesOnDisk(
    _context: CallContext,
    { diskNumber, partitionNumber }: internal.ListVolumesOnDiskRequest,
    _version: string,
  ): Promise<internal.ListVolumesOnDiskResponse> {
    return { volumeIds: [...(await this.#volumes.listVolumesOnDisk(diskNumber, partitionNumber))] };
  }

  async mountVolume(
    context: CallContext,
    { volumeId, targetPath }: internal.MountVolumeRequest,
    _version: string,
  ): Promise<internal.MountVolumeResponse> {
    require(volumeId, 'MountVolumeRequest.VolumeId is empty');
    require(targetPath, 'MountVolumeRequest.TargetPath is empty');
    await this.#requireMountPath(targetPath);
    await this.#change(context.signal, volumeId, () => this.#volumes.mountVolume(volumeId, targetPath));
    return {};
  }

  async dismountVolume(
    context: CallContext,
    { volumeId, path }: internal.DismountVolumeRequest,
    _version: string,
  ): Promise<internal.DismountVolumeResponse> {
    return forwarded('UnmountVolume', () => this.#unmount(context, { volumeId, targetPath: path }));
  }

  async unmountVolume(
    context: CallContext,
    request: internal.UnmountVolumeRequest,
    version: string,
  ): Promise<internal.UnmountVolumeResponse> {
    requireVersion('UnmountVolume', 'v1beta3', version);
    return this.#unmount(context, request);
  }

  async isVolumeFormatted(
    _context: CallContext,
    { volumeId }: internal.IsVolumeFormattedRequest,
    _version: string,
  ): Promise<internal.IsVolumeFormattedResponse> {
    requireId(volumeId);
    return { formatted: await this.#volumes.isVolumeFormatted(volumeId) };
  }

  async formatVolume(
    context: CallContext,
    { volumeId }: internal.FormatVolumeRequest,
    _version: string,
  ): Promise<internal.FormatVolumeResponse> {
    requireId(volumeId);
    const underWay = this.#formats.get(volumeId);
    if (underWay !== undefined) {
      underWay.callers.join(context.signal);
      await orGone(underWay.ended, context.signal);
      return {};
    }
    const callers = new Callers(context.signal);
    const ended = this.#change(callers, volumeId, () => this.#volumes.formatVolume(volumeId));
    this.#formats.set(volumeId, { ended, callers });
    try {
      await ended;
    } finally {
      this.#formats.delete(volumeId);
    }
    return {};
  }

  async resizeVolume(
    context: CallContext,
    { volumeId, sizeBytes }: internal.ResizeVolumeRequest,
    _version: string,
  ): Promise<internal.ResizeVolumeResponse> {
    requireId(volumeId);
    requireSize(sizeBytes, volumeId);
    await this.#change(context.signal, volumeId, () => this.#volumes.resizeVolume(volumeId, sizeBytes));
    return {};
  }

  async volumeStats(
    _context: CallContext,
    { volumeId }: internal.VolumeStatsRequest,
    version: string,
  ): Promise<internal.VolumeStatsResponse> {
    requireVersion('VolumeStats', 'v1beta1', version);
    const { totalBytes, usedBytes } = await forwarded('GetVolumeStats', () => this.#stats(volumeId));
    return { volumeSize: totalBytes, volumeUsedSize: usedBytes };
  }

  async getVolumeStats(
    _context: CallContext,
    { volumeId }: internal.GetVolumeStatsRequest,
    version: string,
  ): Promise<internal.GetVolumeStatsResponse> {
    requireVersion('GetVolumeStats', 'v1beta3', version);
    return this.#stats(volumeId);
  }

  async getVolumeDiskNumber(
    _context: CallContext,
    { volumeId }: internal.VolumeDiskNumberRequest,
    version: string,
  ): Promise<internal.VolumeDiskNumberResponse> {
    requireVersion('GetVolumeDiskNumber', 'v1beta1', version);
    const number = await forwarded('GetDiskNumberFromVolumeID', () => this.#diskNumber(volumeId));
    return { diskNumber: BigInt(number) };
  }

  async getDiskNumberFromVolumeID(
    _context: CallContext,
    { volumeId }: internal.GetDiskNumberFromVolumeIDRequest,
    version: string,
  ): Promise<internal.GetDiskNumberFromVolumeIDResponse> {
    requireVersion('GetDiskNumberFromVolumeID', 'v1beta3', version);
    return { diskNumber: await this.#diskNumber(volumeId) };
  }

  async getVolumeIDFromMount(
    _context: CallContext,
    { mount }: internal.VolumeIDFromMountRequest,
    version: string,
  ): Promise<internal.VolumeIDFromMountResponse> {
    requireVersion('GetVolumeIDFromMount', 'v1beta1', version);
    return { volumeId: await forwarded('GetVolumeIDFromTargetPath', () => this.#mountedAt(mount)) };
  }

  async getVolumeIDFromTargetPath(
    _context: CallContext,
    { targetPath }: internal.GetVolumeIDFromTargetPathRequest,
    version: string,
  ): Promise<internal.GetVolumeIDFromTargetPathResponse> {
    requireVersion('GetVolumeIDFromTargetPath', 'v1beta3', version);
    return { volumeId: await this.#mountedAt(targetPath) };
  }

  async getClosestVolumeIDFromTargetPath(
    _context: CallContext,
    { targetPath }: internal.GetClosestVolumeIDFromTargetPathRequest,
    version: string,
  ): Promise<internal.GetClosestVolumeIDFromTargetPathResponse> {
    requireVersion('GetClosestVolumeIDFromTargetPath', 'v2alpha1', version);
    this.#requireLookupPath(targetPath);
    return explained(`error getting the closest volume for the path=${targetPath}, err=`, async () => ({
      volumeId: await this.#volumes.getClosestVolumeIDFromTargetPath(targetPath),
    }));
  }

  async writeVolumeCache(
    context: CallContext,
    { volumeId }: internal.WriteVolumeCacheRequest,
    version: string,
  ): Promise<internal.WriteVolumeCacheResponse> {
    requireVersion('WriteVolumeCache', 'v1beta2', version);
    requireId(volumeId);
    await this.#change(context.signal, volumeId, () => this.#volumes.writeVolumeCache(volumeId));
    return {};
  }

  async #unmount(
    context: CallContext,
    { volumeId, targetPath }: internal.UnmountVolumeRequest,
  ): Promise<internal.UnmountVolumeResponse> {
    requireId(volumeId);
    require(targetPath, 'target path empty');
    await this.#requireMountPath(targetPath);
    await this.#change(context.signal, volumeId, () => this.#volumes.unmountVolume(volumeId, targetPath));
    return {};
  }

  async #stats(volumeId: string): Promise<internal.GetVolumeStatsResponse> {
    requireId(volumeId);
    return this.#volumes.getVolumeStats(volumeId);
  }

  async #diskNumber(volumeId: string): Promise<number> {
    requireId(volumeId);
    return this.#volumes.getDiskNumberFromVolumeID(volumeId);
  }

  async #mountedAt(path: string): Promise<string> {
    this.#requireLookupPath(path);
    return this.#volumes.getVolumeIDFromTargetPath(path);
  }

  async #requireMountPath(path: string): Promise<void> {
    if (this.#paths === undefined) return;
    this.#paths.check(path);
    await requireRealPlace(this.#filesystem, this.#paths, path, { last: 'kept', shares: 'refused' });
  }

  #requireLookupPath(path: string): void {
    require(path, 'target path is empty');
    this.#paths?.check(path);
  }

  /** One change of a disk at a time. */
  async #change<T>(caller: Caller, volumeId: string, work: () => Promise<T>): Promise<T> {
    const disk = await this.#volumes.getDiskNumberFromVolumeID(volumeId);
    return this.#lanes.run(`disk ${disk}`, caller, work);
  }
}

function requireId(volumeId: string): void {
  require(volumeId, 'volume id empty');
}

/** Asks for a call by its new name. */
function forwarded<T>(rpc: string, work: () => Promise<T>): Promise<T> {
  return explained(`Forward to ${rpc} failed, err=`, work);
}

async function explained<T>(before: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new StatusError(error.code, before + error.message, { cause: error });
  }
}
