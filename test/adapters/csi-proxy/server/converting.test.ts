// Conversions of the six groups, as the servers of their versions make them: what is handed to the group, and what comes
// back of its answer.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as disk from '../../../../adapters/csi-proxy/api/disk/v1beta2/api_generated.ts';
import * as iscsi from '../../../../adapters/csi-proxy/api/iscsi/v1alpha1/api_generated.ts';
import * as volume from '../../../../adapters/csi-proxy/api/volume/v1beta1/api_generated.ts';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import { requestFrom, responseFrom } from '../../../../adapters/csi-proxy/server/converting.ts';
import {
  convert_internal_ListDiskIDsResponse_To_pb_ListDiskIDsResponse,
  convert_internal_ListDiskLocationsResponse_To_pb_ListDiskLocationsResponse,
  convert_pb_PartitionDiskRequest_To_internal_PartitionDiskRequest,
} from '../../../../adapters/csi-proxy/server/disk/internal/v1beta2/conversion.ts';
import { defaults as iscsiDefaults } from '../../../../adapters/csi-proxy/server/iscsi/internal/types_generated.ts';
import { convert_pb_ConnectTargetRequest_To_internal_ConnectTargetRequest } from '../../../../adapters/csi-proxy/server/iscsi/internal/v1alpha1/conversion_generated.ts';
import {
  convert_pb_ListVolumesOnDiskRequest_To_internal_ListVolumesOnDiskRequest,
  convert_pb_MountVolumeRequest_To_internal_MountVolumeRequest,
  convert_pb_ResizeVolumeRequest_To_internal_ResizeVolumeRequest,
} from '../../../../adapters/csi-proxy/server/volume/internal/v1beta1/conversion.ts';

const test = suite('conversions of the groups');

test('numbers of disks are read from text, and nothing but such numbers', () => {
  const number = (diskID: string): number =>
    requestFrom(convert_pb_PartitionDiskRequest_To_internal_PartitionDiskRequest, { diskID }, { diskNumber: 0 })
      .diskNumber;
  assert.is(number('0'), 0);
  assert.is(number('4294967295'), 4294967295);
  for (const text of ['', ' 1', '1 ', '+1', '-1', '0x1', '1.0', '1e1', '4294967296', '99999999999999999999', '१']) {
    assert.throws(
      () => number(text),
      (error: unknown) =>
        error instanceof StatusError &&
        error.code === Code.InvalidArgument &&
        error.message.startsWith('Failed to convert v1beta2.PartitionDiskRequest.DiskID to uint32: '),
    );
  }
});

test('disks are listed by the text of their numbers, with both identifiers even when they are empty', () => {
  const { diskLocations } = responseFrom(
    convert_internal_ListDiskLocationsResponse_To_pb_ListDiskLocationsResponse,
    { diskLocations: new Map([[2, { Adapter: '0', Bus: '', Target: '1', LUNID: '4' }]]) },
    disk.ListDiskLocationsResponse.create(),
  );
  assert.equal(diskLocations, new Map([['2', { Adapter: '0', Bus: '', Target: '1', LUNID: '4' }]]));
  const { diskIDs } = responseFrom(
    convert_internal_ListDiskIDsResponse_To_pb_ListDiskIDsResponse,
    { diskIDs: new Map([[3, { page83: 'Google  x', serialNumber: '' }]]) },
    disk.ListDiskIDsResponse.create(),
  );
  const identifiers = new Map([
    ['page83', 'Google  x'],
    ['serialNumber', ''],
  ]);
  assert.equal(diskIDs, new Map([['3', { identifiers }]]));
});

test('old names of volume fields mean what the new ones do', () => {
  const list = volume.ListVolumesOnDiskRequest.create({ diskId: '7' });
  assert.equal(
    requestFrom(convert_pb_ListVolumesOnDiskRequest_To_internal_ListVolumesOnDiskRequest, list, {
      diskNumber: 0,
      partitionNumber: 0,
    }),
    { diskNumber: 7, partitionNumber: 0 },
  );
  assert.throws(
    () =>
      requestFrom(
        convert_pb_ListVolumesOnDiskRequest_To_internal_ListVolumesOnDiskRequest,
        { diskId: 'x' },
        { diskNumber: 0, partitionNumber: 0 },
      ),
    /^Failed to parse diskId: err/,
  );
  assert.equal(
    requestFrom(
      convert_pb_MountVolumeRequest_To_internal_MountVolumeRequest,
      { volumeId: 'v', path: 'p' },
      { volumeId: '', targetPath: '' },
    ),
    { volumeId: 'v', targetPath: 'p' },
  );
  assert.equal(
    requestFrom(
      convert_pb_ResizeVolumeRequest_To_internal_ResizeVolumeRequest,
      { volumeId: 'v', size: -1n },
      { volumeId: '', sizeBytes: 0n },
    ),
    { volumeId: 'v', sizeBytes: -1n },
  );
});

test('an absent message stays absent, a given one is copied, and a number without a name passes', () => {
  const convert = (request: Partial<iscsi.ConnectTargetRequest>) =>
    requestFrom(
      convert_pb_ConnectTargetRequest_To_internal_ConnectTargetRequest,
      iscsi.ConnectTargetRequest.create(request),
      iscsiDefaults.ConnectTargetRequest(),
    );
  assert.is(convert({}).targetPortal, undefined);
  const targetPortal = { targetAddress: 'a', targetPort: 1 };
  const converted = convert({ targetPortal, authType: 9 });
  assert.equal(converted.targetPortal, targetPortal);
  assert.is.not(converted.targetPortal, targetPortal);
  assert.is(converted.authType, 9);
});

test("what a conversion throws is a status: its own, the caller's or the server's fault", () => {
  const failing = (error: unknown) => (): void => {
    throw error;
  };
  const codeOf = (call: () => unknown): unknown => {
    try {
      call();
    } catch (error) {
      return error instanceof StatusError ? [error.code, error.message] : error;
    }
    return undefined;
  };
  assert.equal(
    codeOf(() => requestFrom(failing(new Error('a')), {}, {})),
    [Code.InvalidArgument, 'a'],
  );
  assert.equal(
    codeOf(() => responseFrom(failing(new RangeError('b')), {}, {})),
    [Code.Internal, 'b'],
  );
  const own = new StatusError(Code.NotFound, 'c');
  assert.equal(
    codeOf(() => responseFrom(failing(own), {}, {})),
    [Code.NotFound, 'c'],
  );
});

test.run();
