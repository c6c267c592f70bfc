// Hand-written conversions between volume v1beta1 and the internal types, and the ignored fields.
import type * as pb from '../../../../api/volume/v1beta1/api_generated.ts';
import { uint32FromText } from '../../../decimal.ts';
import type * as internal from '../types.ts';

export function convert_pb_ListVolumesOnDiskRequest_To_internal_ListVolumesOnDiskRequest(
  input: pb.ListVolumesOnDiskRequest,
  out: internal.ListVolumesOnDiskRequest,
): void {
  out.diskNumber = uint32FromText(input.diskId, 'Failed to parse diskId: err=');
}

export function convert_pb_MountVolumeRequest_To_internal_MountVolumeRequest(
  input: pb.MountVolumeRequest,
  out: internal.MountVolumeRequest,
): void {
  out.volumeId = input.volumeId;
  out.targetPath = input.path;
}

export function convert_pb_ResizeVolumeRequest_To_internal_ResizeVolumeRequest(
  input: pb.ResizeVolumeRequest,
  out: internal.ResizeVolumeRequest,
): void {
  out.volumeId = input.volumeId;
  out.sizeBytes = input.size;
}
