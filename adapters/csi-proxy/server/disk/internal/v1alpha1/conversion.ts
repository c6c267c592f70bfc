// Hand-written conversions between disk v1alpha1 and the internal types, and the ignored fields.
import type * as pb from '../../../../api/disk/v1alpha1/api_generated.ts';
import { uint32FromText } from '../../../decimal.ts';
import { byText } from '../by-text.ts';
import type * as internal from '../types.ts';

export function convert_pb_PartitionDiskRequest_To_internal_PartitionDiskRequest(
  input: pb.PartitionDiskRequest,
  out: internal.PartitionDiskRequest,
): void {
  out.diskNumber = uint32FromText(input.diskID, 'Failed to convert v1alpha1.PartitionDiskRequest.DiskID to uint32: ');
}

export function convert_internal_ListDiskLocationsResponse_To_pb_ListDiskLocationsResponse(
  input: internal.ListDiskLocationsResponse,
  out: pb.ListDiskLocationsResponse,
): void {
  out.diskLocations = byText(input.diskLocations);
}

export function convert_internal_GetDiskNumberByNameResponse_To_pb_GetDiskNumberByNameResponse(
  input: internal.GetDiskNumberByNameResponse,
  out: pb.GetDiskNumberByNameResponse,
): void {
  out.diskNumber = String(input.diskNumber);
}
