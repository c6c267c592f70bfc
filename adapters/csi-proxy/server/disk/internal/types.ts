// Internal types of the server of disks: the union of all versions. Written by hand.
import type { bool, Empty, int64, text, uint32 } from '../../../codec/scalars.ts';

export interface DiskIDs {
  page83: text;
  serialNumber: text;
}

export interface DiskLocation {
  Adapter: text;
  Bus: text;
  Target: text;
  LUNID: text;
}

/** The old name of `GetDiskStatsRequest`. */
export interface DiskStatsRequest {
  /** A decimal number: the server parses it. */
  diskID: text;
}

export interface DiskStatsResponse {
  diskSize: int64;
}

/** The old name of `GetDiskStateRequest`. */
export interface GetAttachStateRequest {
  /** A decimal number: the server parses it. */
  diskID: text;
}

export interface GetAttachStateResponse {
  isOnline: bool;
}

export interface GetDiskNumberByNameRequest {
  diskName: text;
}

export interface GetDiskNumberByNameResponse {
  diskNumber: uint32;
}

export interface GetDiskStateRequest {
  diskNumber: uint32;
}

export interface GetDiskStateResponse {
  isOnline: bool;
}

export interface GetDiskStatsRequest {
  diskNumber: uint32;
}

export interface GetDiskStatsResponse {
  totalBytes: int64;
}

export type ListDiskIDsRequest = Empty;

export interface ListDiskIDsResponse {
  /** Ids by the number of the disk. */
  diskIDs: Map<uint32, DiskIDs>;
}

export type ListDiskLocationsRequest = Empty;

export interface ListDiskLocationsResponse {
  /** Locations by the number of the disk. */
  diskLocations: Map<uint32, DiskLocation>;
}

export interface PartitionDiskRequest {
  diskNumber: uint32;
}

export type PartitionDiskResponse = Empty;

export type RescanRequest = Empty;

export type RescanResponse = Empty;

/** The old name of `SetDiskStateRequest`. */
export interface SetAttachStateRequest {
  /** A decimal number: the server parses it. */
  diskID: text;
  isOnline: bool;
}

export type SetAttachStateResponse = Empty;

export interface SetDiskStateRequest {
  diskNumber: uint32;
  isOnline: bool;
}

export type SetDiskStateResponse = Empty;
