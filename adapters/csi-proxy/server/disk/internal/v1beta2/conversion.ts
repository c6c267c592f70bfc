// Hand-written conversions between disk v1beta2 and the internal types, and the ignored fields.
import type * as pb from '../../../../api/disk/v1beta2/api_generated.ts';
import { uint32FromText } from '../../../decimal.ts';
import { byText } from '../by-text.ts';
import type * as internal from '../types.ts';

export function convert_pb_PartitionDiskRequest_To_internal_PartitionDiskRequest(
  input: pb.PartitionDiskRequest,
  out: internal.PartitionDiskRequest,
): void {
  out.diskNumber = uint32FromText(input.diskID, 'Failed to convert v1beta2.PartitionDiskRequest.DiskID to uint32: ');
}

export function convert_internal_ListDiskLocationsResponse_To_pb_ListDiskLocationsResponse(
  input: internal.ListDiskLocationsResponse,
  out: pb.ListDiskLocationsResponse,
): void {
  out.diskLocations = byText(input.diskLocations);
}

export function convert_internal_ListDiskIDsResponse_To_pb_ListDiskIDsResponse(
  input: internal.ListDiskIDsResponse,
  out: pb.ListDiskIDsResponse,
): void {
  for (const [number, { page83, serialNumber }] of input.diskIDs) {
    const identifiers = new Map([
      ['page83', page83],
      ['serialNumber', serialNumber],
    ]);
    out.diskIDs.set(String(number), { identifiers });
  }
}
