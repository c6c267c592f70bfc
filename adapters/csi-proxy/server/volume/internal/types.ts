// Internal types of the server of volumes: the union of all versions. Written by hand.
import type { bool, Empty, int64, text, uint32 } from '../../../codec/scalars.ts';

/** The old name of `UnmountVolumeRequest`. */
export interface DismountVolumeRequest {
  volumeId: text;
  path: text;
}

export type DismountVolumeResponse = Empty;

export interface FormatVolumeRequest {
  volumeId: text;
}

export type FormatVolumeResponse = Empty;

export interface GetClosestVolumeIDFromTargetPathRequest {
  targetPath: text;
}

export interface GetClosestVolumeIDFromTargetPathResponse {
  volumeId: text;
}

export interface GetDiskNumberFromVolumeIDRequest {
  volumeId: text;
}

export interface GetDiskNumberFromVolumeIDResponse {
  diskNumber: uint32;
}

export interface GetVolumeIDFromTargetPathRequest {
  targetPath: text;
}

export interface GetVolumeIDFromTargetPathResponse {
  volumeId: text;
}

export interface GetVolumeStatsRequest {
  volumeId: text;
}

export interface GetVolumeStatsResponse {
  totalBytes: int64;
  usedBytes: int64;
}

export interface IsVolumeFormattedRequest {
  volumeId: text;
}

export interface IsVolumeFormattedResponse {
  formatted: bool;
}

export interface ListVolumesOnDiskRequest {
  diskNumber: uint32;
  /** 0 for all partitions of the disk. */
  partitionNumber: uint32;
}

export interface ListVolumesOnDiskResponse {
  volumeIds: text[];
}

export interface MountVolumeRequest {
  volumeId: text;
  targetPath: text;
}

export type MountVolumeResponse = Empty;

export interface ResizeVolumeRequest {
  volumeId: text;
  /** 0 for the largest that the partition can have. */
  sizeBytes: int64;
}

export type ResizeVolumeResponse = Empty;

export interface UnmountVolumeRequest {
  volumeId: text;
  targetPath: text;
}

export type UnmountVolumeResponse = Empty;

/** The old name of `GetDiskNumberFromVolumeIDRequest`. */
export interface VolumeDiskNumberRequest {
  volumeId: text;
}

export interface VolumeDiskNumberResponse {
  diskNumber: int64;
}

/** The old name of `GetVolumeIDFromTargetPathRequest`. */
export interface VolumeIDFromMountRequest {
  mount: text;
}

export interface VolumeIDFromMountResponse {
  volumeId: text;
}

/** The old name of `GetVolumeStatsRequest`. */
export interface VolumeStatsRequest {
  volumeId: text;
}

export interface VolumeStatsResponse {
  volumeSize: int64;
  volumeUsedSize: int64;
}

export interface WriteVolumeCacheRequest {
  volumeId: text;
}

export type WriteVolumeCacheResponse = Empty;
