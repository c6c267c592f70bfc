// What the servers of the groups do on a Windows machine, whatever it is made of.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code } from '../../../../adapters/csi-proxy/base/status.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import type { MemoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { type GroupOptions, groupDeps } from '../../../../adapters/csi-proxy/server/group-deps.ts';
import { ServiceStatus, StartType } from '../../../../adapters/csi-proxy/server/system/internal/types.ts';
import { Server as VolumeServer } from '../../../../adapters/csi-proxy/server/volume/server.ts';
import type { Clock } from '../../../../bus/mod.ts';
import {
  callContext,
  formattedDisk,
  GIB,
  type GroupServers,
  groupServers,
  KUBELET,
  MIB,
} from '../../../world/windows-groups.ts';
import { refused } from '../hosts/files.suite.ts';
import { quickClock } from '../quick-clock.ts';

/** A machine, and a host that works on it. */
export interface Ground {
  readonly machine: MemoryMachine;
  readonly host: Host;
}

interface Stage extends Ground, GroupServers {
  readonly clock: Clock;
}

const context = callContext();
const NO_VOLUME = '\\\\?\\Volume{ffffffff-0000-4000-8000-000000000000}\\';

export function groupsSuite(name: string, open: (clock: Clock) => Promise<Ground>): void {
  const test = suite(`groups, ${name}`);

  const on = (title: string, run: (stage: Stage) => Promise<void>, options: Partial<GroupOptions> = {}): void => {
    test(title, async () => {
      const clock = quickClock();
      const ground = await open(clock);
      await ground.machine.host.filesystem.mkdir(KUBELET);
      try {
        await run({ ...ground, clock, ...groupServers({ clock, host: ground.host, ...options }) });
      } finally {
        await ground.host.close();
      }
    });
  };

  const volumeOf = async ({ volume }: GroupServers, diskNumber: number): Promise<string> => {
    const { volumeIds } = await volume.listVolumesOnDisk(context, { diskNumber, partitionNumber: 0 }, 'v1');
    assert.is(volumeIds.length, 1);
    return volumeIds[0] ?? '';
  };

  const directory = async ({ machine }: Ground, name: string): Promise<string> => {
    await machine.host.filesystem.mkdir(`${KUBELET}\\${name}`);
    return `${KUBELET}\\${name}`;
  };

  // disk

  on('a disk is seen after a rescan, by its location and its identifiers', async ({ machine, disk }) => {
    const location = 'PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 7';
    machine.disks.attach(
      machine.disks.make({ sizeBytes: GIB, location, page83: 'Google  pv-1', serialNumber: ' vol0219_00000001. ' }),
    );
    machine.disks.attach(machine.disks.make({ sizeBytes: GIB, location: 'Virtual : LUN 3', isOdd: true }));
    for (const location of ['A : B : C : D : E', 'A : B : C : D : Bus Number 0', 'A : B : C : D : Rack 7']) {
      machine.disks.attach(machine.disks.make({ sizeBytes: GIB, location }));
    }
    assert.not.ok((await disk.listDiskIDs(context, {}, 'v1')).diskIDs.has(1));
    await disk.rescan(context, {}, 'v1');
    const { diskLocations } = await disk.listDiskLocations(context, {}, 'v1');
    assert.equal(diskLocations.get(1), { Adapter: '0', Bus: '', Target: '1', LUNID: '7' });
    // Without five parts, and with none in two words, it is no location.
    for (const number of [2, 3, 4]) assert.not.ok(diskLocations.has(number));
    assert.equal(diskLocations.get(5), { Adapter: '', Bus: '', Target: '', LUNID: '' });
    const { diskIDs } = await disk.listDiskIDs(context, {}, 'v1beta1');
    assert.equal(diskIDs.get(1), { page83: 'Google  pv-1', serialNumber: ' vol0219_00000001. ' });
    // One that cannot be asked is left out, and hides no other.
    assert.equal([...diskIDs.keys()], [0, 1, 3, 4, 5]);
    const named = await disk.getDiskNumberByName(context, { diskName: 'Google  pv-1' }, 'v1alpha1');
    assert.is(named.diskNumber, 1);
    for (const diskName of ['Google pv-1', '']) {
      const message = new RegExp(`^could not find disk with Page83 ID ${diskName}: not found$`);
      await refused(disk.getDiskNumberByName(context, { diskName }, 'v1alpha1'), Code.NotFound, message);
    }
  });

  on('a disk is partitioned once, and what is on it is left alone', async (stage) => {
    const { machine, disk } = stage;
    const number = await machine.disks.attachSeen(machine.disks.make({ sizeBytes: 4n * GIB }));
    for (const version of ['v1', 'v1alpha1']) await disk.partitionDisk(context, { diskNumber: number }, version);
    const volumeId = await volumeOf(stage, number);
    assert.match(volumeId, /^\\\\\?\\Volume\{[\w-]+\}\\$/);
    for (const fileSystem of ['NTFS', 'foreign'] as const) {
      const content = { style: 'MBR', fileSystem } as const;
      const other = await machine.disks.attachSeen(machine.disks.make({ sizeBytes: 4n * GIB, content }));
      await disk.partitionDisk(context, { diskNumber: other }, 'v1');
      await volumeOf(stage, other);
    }
    await refused(disk.partitionDisk(context, { diskNumber: 99 }, 'v1'), Code.NotFound);
  });

  on('two callers partition one disk once', async (stage) => {
    const { machine, disk } = stage;
    const number = await machine.disks.attachSeen(machine.disks.make({ sizeBytes: 4n * GIB }));
    await Promise.all(Array.from({ length: 8 }, () => disk.partitionDisk(context, { diskNumber: number }, 'v1')));
    await volumeOf(stage, number);
  });

  on('a disk is online or not, and its volumes with it', async (stage) => {
    const { machine, disk, volume } = stage;
    const number = await formattedDisk(machine);
    const volumeId = await volumeOf(stage, number);
    const isOnline = async () => (await disk.getDiskState(context, { diskNumber: number }, 'v1')).isOnline;
    assert.ok(await isOnline());
    await disk.setDiskState(context, { diskNumber: number, isOnline: true }, 'v1');
    await disk.setDiskState(context, { diskNumber: number, isOnline: false }, 'v1');
    assert.not.ok(await isOnline());
    assert.equal(
      (await volume.listVolumesOnDisk(context, { diskNumber: number, partitionNumber: 0 }, 'v1')).volumeIds,
      [],
    );
    await refused(volume.getVolumeStats(context, { volumeId }, 'v1'), Code.NotFound);
    await disk.partitionDisk(context, { diskNumber: number }, 'v1');
    await disk.setAttachState(context, { diskID: `${number}`, isOnline: true }, 'v1beta2');
    assert.equal(await disk.getAttachState(context, { diskID: `0${number}` }, 'v1beta2'), { isOnline: true });
    assert.is(await volumeOf(stage, number), volumeId);
    await refused(disk.getDiskState(context, { diskNumber: 99 }, 'v1'), Code.NotFound);
    await refused(disk.setDiskState(context, { diskNumber: 99, isOnline: true }, 'v1'), Code.NotFound);
  });

  on('a disk that has grown is as large as it is after a rescan', async ({ machine, disk }) => {
    const number = await formattedDisk(machine, 10n * GIB);
    machine.disks.grow(number, 20n * GIB);
    const total = async () => (await disk.getDiskStats(context, { diskNumber: number }, 'v1')).totalBytes;
    assert.is(await total(), 10n * GIB);
    await disk.rescan(context, {}, 'v1');
    assert.is(await total(), 20n * GIB);
    assert.equal(await disk.diskStats(context, { diskID: `${number}` }, 'v1beta1'), { diskSize: 20n * GIB });
    await refused(disk.getDiskStats(context, { diskNumber: 99 }, 'v1'), Code.NotFound);
  });

  for (const diskID of ['', 'x', ' 1', '1 ', '+1', '-1', '0x1', '1.0', '4294967296', '١']) {
    on(`old calls refuse ${JSON.stringify(diskID)} as the number of a disk`, async ({ disk }) => {
      const message = (request: string) => new RegExp(`^Failed to format ${request}.DiskID with err: `);
      await refused(disk.diskStats(context, { diskID }, 'v1beta1'), Code.InvalidArgument, message('DiskStatsRequest'));
      await refused(
        disk.setAttachState(context, { diskID, isOnline: true }, 'v1beta2'),
        Code.InvalidArgument,
        message('SetAttachStateRequest'),
      );
      await refused(
        disk.getAttachState(context, { diskID }, 'v1beta2'),
        Code.InvalidArgument,
        message('GetAttachStateRequest'),
      );
    });
  }

  // volume

  on('a volume is formatted, mounted and unmounted', async (stage) => {
    const { machine, disk, volume, filesystem } = stage;
    const number = await machine.disks.attachSeen(machine.disks.make({ sizeBytes: 4n * GIB }));
    await disk.partitionDisk(context, { diskNumber: number }, 'v1');
    const volumeId = await volumeOf(stage, number);
    assert.not.ok((await volume.isVolumeFormatted(context, { volumeId }, 'v1')).formatted);
    await volume.formatVolume(context, { volumeId }, 'v1');
    assert.ok((await volume.isVolumeFormatted(context, { volumeId }, 'v1')).formatted);
    const targetPath = await directory(stage, 'mount');
    await refused(
      volume.getVolumeIDFromTargetPath(context, { targetPath }, 'v1'),
      Code.NotFound,
      /not a mounted folder/,
    );
    await volume.mountVolume(context, { volumeId, targetPath }, 'v1');
    await volume.mountVolume(context, { volumeId, targetPath: `${targetPath}\\` }, 'v1');
    assert.is((await volume.getVolumeIDFromTargetPath(context, { targetPath }, 'v1')).volumeId, volumeId);
    assert.is((await volume.getVolumeIDFromMount(context, { mount: targetPath }, 'v1beta1')).volumeId, volumeId);
    assert.ok((await filesystem.isSymlink(context, { path: targetPath }, 'v1')).isSymlink);
    await volume.unmountVolume(context, { volumeId, targetPath }, 'v1');
    assert.ok((await filesystem.pathExists(context, { path: targetPath }, 'v1')).exists);
    assert.not.ok((await filesystem.isSymlink(context, { path: targetPath }, 'v1')).isSymlink);
    await refused(volume.unmountVolume(context, { volumeId, targetPath }, 'v1'), Code.NotFound);
    await volume.writeVolumeCache(context, { volumeId }, 'v1');
  });

  on('only an empty directory is mounted on, and only by one volume', async (stage) => {
    const { machine, volume } = stage;
    const first = await volumeOf(stage, await formattedDisk(machine));
    const second = await volumeOf(stage, await formattedDisk(machine));
    const targetPath = await directory(stage, 'mount');
    await directory(stage, 'mount\\below');
    await refused(volume.mountVolume(context, { volumeId: first, targetPath }, 'v1'), Code.FailedPrecondition);
    await machine.host.filesystem.rmdirContents(targetPath);
    await volume.mountVolume(context, { volumeId: first, targetPath }, 'v1');
    await refused(volume.mountVolume(context, { volumeId: second, targetPath }, 'v1'), Code.FailedPrecondition);
    const absent = { volumeId: first, targetPath: `${KUBELET}\\none` };
    await refused(volume.mountVolume(context, absent, 'v1'), Code.NotFound);
    await refused(volume.mountVolume(context, { volumeId: NO_VOLUME, targetPath }, 'v1'), Code.NotFound);
    // The volume has to answer before it is unmounted.
    await refused(volume.unmountVolume(context, { volumeId: NO_VOLUME, targetPath }, 'v1'), Code.NotFound);
    assert.is((await volume.getVolumeIDFromTargetPath(context, { targetPath }, 'v1')).volumeId, first);
  });

  on('a file system that Windows does not know looks like none', async (stage) => {
    const { machine, volume } = stage;
    const content = { style: 'GPT', fileSystem: 'foreign' } as const;
    const number = await machine.disks.attachSeen(machine.disks.make({ sizeBytes: GIB, content }));
    const volumeId = await volumeOf(stage, number);
    assert.not.ok((await volume.isVolumeFormatted(context, { volumeId }, 'v1')).formatted);
  });

  on('volumes are those of all partitions, or of one', async ({ machine, volume }) => {
    const diskNumber = await formattedDisk(machine);
    const list = async (partitionNumber: number) =>
      (await volume.listVolumesOnDisk(context, { diskNumber, partitionNumber }, 'v1')).volumeIds.length;
    // The first partition is the reserved one.
    assert.equal([await list(0), await list(1), await list(2), await list(3)], [1, 0, 1, 0]);
    await refused(volume.listVolumesOnDisk(context, { diskNumber: 99, partitionNumber: 0 }, 'v1'), Code.NotFound);
  });

  on('a volume grows by 100 MiB or more, or not at all', async (stage) => {
    const { machine, disk, volume } = stage;
    const diskNumber = await formattedDisk(machine, 10n * GIB);
    const volumeId = await volumeOf(stage, diskNumber);
    const total = async () => (await volume.getVolumeStats(context, { volumeId }, 'v1')).totalBytes;
    const before = await total();
    assert.ok(before < 10n * GIB && before > 10n * GIB - 20n * MIB, `${before}`);
    const resize = (sizeBytes: bigint) => volume.resizeVolume(context, { volumeId, sizeBytes }, 'v1');
    await resize(0n);
    await resize(GIB);
    await refused(
      resize(-1n),
      Code.InvalidArgument,
      /^invalid negative size -1 for volume \(\\\\\?\\Volume\{.*\}\\\)$/,
    );
    assert.is(await total(), before);
    machine.disks.grow(diskNumber, 10n * GIB + 90n * MIB);
    await disk.rescan(context, {}, 'v1');
    await resize(0n);
    assert.is(await total(), before);
    machine.disks.grow(diskNumber, 30n * GIB);
    await disk.rescan(context, {}, 'v1');
    await resize(12n * GIB);
    assert.ok((await total()) > 12n * GIB - 20n * MIB && (await total()) < 12n * GIB);
    await refused(resize(31n * GIB), Code.Unknown);
    await resize(0n);
    const stats = await volume.volumeStats(context, { volumeId }, 'v1beta1');
    assert.ok(stats.volumeSize > 30n * GIB - 20n * MIB && stats.volumeUsedSize > 0n);
    assert.ok(stats.volumeUsedSize < stats.volumeSize);
  });

  on('the disk of a volume is told, and its closest volume of a path', async (stage) => {
    const { machine, volume, filesystem } = stage;
    const diskNumber = await formattedDisk(machine);
    const volumeId = await volumeOf(stage, diskNumber);
    const targetPath = await directory(stage, 'mount');
    assert.equal(await volume.getDiskNumberFromVolumeID(context, { volumeId }, 'v1'), { diskNumber });
    assert.equal(await volume.getVolumeDiskNumber(context, { volumeId }, 'v1beta1'), {
      diskNumber: BigInt(diskNumber),
    });
    const closest = async (path: string) =>
      (await volume.getClosestVolumeIDFromTargetPath(context, { targetPath: path }, 'v2alpha1')).volumeId;
    const system = await closest(targetPath);
    assert.is(system, await volumeOf(stage, 0));
    await volume.mountVolume(context, { volumeId, targetPath }, 'v1');
    await directory(stage, 'mount\\sub\\sub');
    await directory(stage, 'pods');
    const link = { sourcePath: targetPath, targetPath: `${KUBELET}\\pods\\link` };
    await filesystem.createSymlink(context, link, 'v1');
    assert.is(await closest(targetPath), volumeId);
    assert.is(await closest(`${targetPath}\\sub\\sub`), volumeId);
    assert.is(await closest(`${KUBELET}\\pods\\link`), volumeId);
    assert.is(await closest(`${KUBELET}\\pods`), system);
    const none = `${KUBELET}\\none`;
    try {
      await closest(none);
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, /^error getting the closest volume for the path=.*none, err=/);
    }
  });

  on('a volume that is not there is not found', async ({ volume }) => {
    const volumeId = NO_VOLUME;
    await refused(volume.isVolumeFormatted(context, { volumeId }, 'v1'), Code.NotFound);
    await refused(volume.formatVolume(context, { volumeId }, 'v1'), Code.NotFound);
    await refused(volume.resizeVolume(context, { volumeId, sizeBytes: 0n }, 'v1'), Code.NotFound);
    await refused(volume.getVolumeStats(context, { volumeId }, 'v1'), Code.NotFound);
    await refused(volume.writeVolumeCache(context, { volumeId }, 'v1'), Code.NotFound);
    await refused(
      volume.getVolumeDiskNumber(context, { volumeId }, 'v1beta1'),
      Code.NotFound,
      /^Forward to GetDiskNumberFromVolumeID failed, err=/,
    );
  });

  on('what is empty is said in the words of the reference', async ({ volume }) => {
    const targetPath = `${KUBELET}\\x`;
    const cases: [work: Promise<unknown>, message: string][] = [
      [volume.mountVolume(context, { volumeId: '', targetPath }, 'v1'), 'MountVolumeRequest.VolumeId is empty'],
      [volume.mountVolume(context, { volumeId: 'x', targetPath: '' }, 'v1'), 'MountVolumeRequest.TargetPath is empty'],
      [volume.unmountVolume(context, { volumeId: '', targetPath }, 'v1'), 'volume id empty'],
      [volume.unmountVolume(context, { volumeId: 'x', targetPath: '' }, 'v1'), 'target path empty'],
      [
        volume.dismountVolume(context, { volumeId: '', path: targetPath }, 'v1alpha1'),
        'Forward to UnmountVolume failed, err=volume id empty',
      ],
      [volume.isVolumeFormatted(context, { volumeId: '' }, 'v1'), 'volume id empty'],
      [volume.formatVolume(context, { volumeId: '' }, 'v1'), 'volume id empty'],
      [volume.resizeVolume(context, { volumeId: '', sizeBytes: 0n }, 'v1'), 'volume id empty'],
      [volume.getVolumeStats(context, { volumeId: '' }, 'v1'), 'volume id empty'],
      [
        volume.volumeStats(context, { volumeId: '' }, 'v1beta1'),
        'Forward to GetVolumeStats failed, err=volume id empty',
      ],
      [volume.getDiskNumberFromVolumeID(context, { volumeId: '' }, 'v1'), 'volume id empty'],
      [volume.writeVolumeCache(context, { volumeId: '' }, 'v1'), 'volume id empty'],
      [volume.getVolumeIDFromTargetPath(context, { targetPath: '' }, 'v1'), 'target path is empty'],
      [
        volume.getVolumeIDFromMount(context, { mount: '' }, 'v1beta1'),
        'Forward to GetVolumeIDFromTargetPath failed, err=target path is empty',
      ],
      [volume.getClosestVolumeIDFromTargetPath(context, { targetPath: '' }, 'v2alpha1'), 'target path is empty'],
    ];
    for (const [work, message] of cases) await refused(work, Code.InvalidArgument, message);
  });

  on('volumes are mounted in allowed directories', async (stage) => {
    const { machine, host, volume, clock } = stage;
    const volumeId = await volumeOf(stage, await formattedDisk(machine));
    const targetPath = 'C:\\elsewhere';
    await machine.host.filesystem.mkdir(targetPath);
    const outside = /is not within the working directories: \[C:\\var\\lib\\kubelet\]$/;
    await refused(volume.mountVolume(context, { volumeId, targetPath }, 'v1'), Code.InvalidArgument, outside);
    await refused(volume.unmountVolume(context, { volumeId, targetPath }, 'v1'), Code.InvalidArgument, outside);
    await refused(volume.getVolumeIDFromTargetPath(context, { targetPath }, 'v1'), Code.InvalidArgument, outside);
    await refused(
      volume.getClosestVolumeIDFromTargetPath(context, { targetPath }, 'v2alpha1'),
      Code.InvalidArgument,
      outside,
    );
    const lenient = new VolumeServer(groupDeps({ clock, host, mountPaths: 'any' }));
    await lenient.mountVolume(context, { volumeId, targetPath }, 'v1');
    assert.is((await lenient.getVolumeIDFromTargetPath(context, { targetPath }, 'v1')).volumeId, volumeId);
  });

  // filesystem

  on('directories come and go', async ({ filesystem }) => {
    const path = `${KUBELET}\\plugins\\a`;
    const exists = async (of: string) => (await filesystem.pathExists(context, { path: of }, 'v1')).exists;
    await filesystem.mkdir(context, { path: `${path}\\b` }, 'v1');
    await filesystem.mkdir(context, { path: `${path}\\b` }, 'v1');
    assert.ok(await exists(`${path}\\B`));
    await refused(filesystem.rmdir(context, { path, force: false }, 'v1'), Code.FailedPrecondition);
    await filesystem.rmdirContents(context, { path }, 'v2alpha1');
    assert.equal([await exists(path), await exists(`${path}\\b`)], [true, false]);
    await filesystem.rmdir(context, { path, force: false }, 'v1alpha1');
    await refused(filesystem.rmdir(context, { path, force: false }, 'v1'), Code.NotFound);
    await filesystem.rmdir(context, { path, force: true }, 'v1');
    await refused(filesystem.rmdirContents(context, { path }, 'v2alpha1'), Code.NotFound);
  });

  on('links are made, told and removed', async (stage) => {
    const { machine, filesystem } = stage;
    const sourcePath = await directory(stage, 'staging');
    const targetPath = `${KUBELET}\\target`;
    await filesystem.linkPath(context, { sourcePath, targetPath }, 'v1alpha1');
    assert.equal(await filesystem.isMountPoint(context, { path: targetPath }, 'v1beta1'), { isMountPoint: true });
    await refused(filesystem.createSymlink(context, { sourcePath, targetPath }, 'v1'), Code.FailedPrecondition);
    await machine.host.filesystem.rmdir(sourcePath, { contents: 'refused' });
    assert.equal(await filesystem.isSymlink(context, { path: targetPath }, 'v1'), { isSymlink: false });
    assert.ok((await filesystem.pathExists(context, { path: targetPath }, 'v1')).exists);
    await filesystem.rmdir(context, { path: targetPath, force: true }, 'v1');
    await refused(filesystem.isSymlink(context, { path: targetPath }, 'v1'), Code.NotFound);
  });

  on('every path but that of a look at a link is checked', async ({ filesystem }) => {
    const path = 'C:\\windows\\x';
    const inside = `${KUBELET}\\x`;
    for (const work of [
      filesystem.pathExists(context, { path }, 'v1'),
      filesystem.mkdir(context, { path }, 'v1'),
      filesystem.rmdir(context, { path, force: false }, 'v1'),
      filesystem.rmdirContents(context, { path }, 'v2alpha1'),
      filesystem.createSymlink(context, { sourcePath: path, targetPath: inside }, 'v1'),
      filesystem.createSymlink(context, { sourcePath: inside, targetPath: path }, 'v1'),
      filesystem.linkPath(context, { sourcePath: path, targetPath: inside }, 'v1alpha1'),
    ]) {
      await refused(work, Code.InvalidArgument, /is not within the working directories/);
    }
    await refused(filesystem.isSymlink(context, { path }, 'v1'), Code.NotFound);
  });

  on(
    'a look at a link is checked where that is asked for',
    async ({ filesystem }) => {
      const work = filesystem.isSymlink(context, { path: 'C:\\windows' }, 'v1');
      await refused(work, Code.InvalidArgument, /is not within the working directories/);
    },
    { linkPaths: 'checked' },
  );

  on('a link out of the allowed directories is no way out', async (stage) => {
    const { machine, filesystem } = stage;
    await machine.host.filesystem.mkdir('C:\\windows\\system32');
    await machine.files.makeLink(`${KUBELET}\\out`, 'C:\\windows');
    const path = `${KUBELET}\\out\\system32`;
    const outside = /^path: C:\\windows.* is not within the working directories/;
    await refused(filesystem.rmdir(context, { path, force: true }, 'v1'), Code.InvalidArgument, outside);
    const contents = filesystem.rmdirContents(context, { path: `${KUBELET}\\out` }, 'v2alpha1');
    await refused(contents, Code.InvalidArgument, outside);
    for (const [sourcePath, targetPath] of [
      [KUBELET, `${KUBELET}\\out\\link`],
      [path, `${KUBELET}\\link`],
    ] as const) {
      await refused(filesystem.createSymlink(context, { sourcePath, targetPath }, 'v1'), Code.InvalidArgument, outside);
    }
    const made = filesystem.mkdir(context, { path: `${KUBELET}\\out\\made` }, 'v1');
    await refused(made, Code.InvalidArgument, outside);
    await refused(filesystem.rmdir(context, { path, force: false }, 'v1'), Code.InvalidArgument, outside);
    const volumeId = await volumeOf(stage, await formattedDisk(machine));
    const mounted = stage.volume.mountVolume(context, { volumeId, targetPath: path }, 'v1');
    await refused(mounted, Code.InvalidArgument, outside);
    assert.ok(await machine.host.filesystem.pathExists('C:\\windows\\system32'));
    assert.not.ok(await machine.host.filesystem.pathExists('C:\\windows\\link'));
    // The link itself is theirs to remove.
    await filesystem.rmdir(context, { path: `${KUBELET}\\out`, force: true }, 'v1');
    assert.ok(await machine.host.filesystem.pathExists('C:\\windows\\system32'));
  });

  on(
    'an allowed directory may lie behind a link itself',
    async ({ machine, filesystem }) => {
      await machine.host.filesystem.mkdir('C:\\large\\kubelet\\x\\y');
      await machine.files.makeLink('C:\\link', 'C:\\large');
      await filesystem.rmdir(context, { path: 'C:\\link\\kubelet\\x', force: true }, 'v1');
      assert.not.ok(await machine.host.filesystem.pathExists('C:\\large\\kubelet\\x'));
    },
    { allowedDirectories: ['C:\\link\\kubelet'] },
  );

  // smb

  const credentials = { username: 'domain\\user', password: 'secret' };

  on('a share is mapped by its root, and linked to in full', async (stage) => {
    const { machine, smb, filesystem } = stage;
    machine.smb.offer('\\\\files\\data', credentials);
    const localPath = `${KUBELET}\\share`;
    const request = { remotePath: '//Files/Data/sub/dir', localPath, ...credentials };
    await smb.newSmbGlobalMapping(context, request, 'v1');
    const entry = await machine.files.look(localPath);
    assert.match(entry.kind === 'link' ? entry.target : '', /^\\\\files\\data\\sub\\dir\\?$/i);
    assert.is(await stage.host.smb.isSmbMapped('\\\\files\\data'), 'mapped');
    // The link is there, and the mapping stays.
    const again = smb.newSmbGlobalMapping(context, request, 'v1alpha1');
    const message = /^creating link C:\\var\\lib\\kubelet\\share to \\\\Files\\Data\\sub\\dir failed with error: /;
    await refused(again, Code.FailedPrecondition, message);
    await smb.newSmbGlobalMapping(context, { ...request, localPath: '', password: 'wrong' }, 'v1');
    await filesystem.rmdir(context, { path: localPath, force: true }, 'v1');
    await smb.removeSmbGlobalMapping(context, { remotePath: '\\\\FILES\\data\\other' }, 'v1');
    await refused(smb.removeSmbGlobalMapping(context, { remotePath: '\\\\files\\data' }, 'v1'), Code.NotFound);
    assert.is(await stage.host.smb.isSmbMapped('\\\\files\\data'), 'absent');
  });

  on('directories are made on a share behind a link, and nothing is removed there with its contents', async (stage) => {
    const { machine, smb, filesystem } = stage;
    machine.smb.offer('\\\\files\\data', credentials);
    const localPath = `${KUBELET}\\share`;
    await smb.newSmbGlobalMapping(context, { remotePath: '//files/data', localPath, ...credentials }, 'v1');
    await filesystem.mkdir(context, { path: `${localPath}\\a\\b` }, 'v1');
    assert.ok(await machine.host.filesystem.pathExists('\\\\files\\data\\a\\b'));
    const outside = /is not within the working directories/;
    const forced = filesystem.rmdir(context, { path: `${localPath}\\a`, force: true }, 'v1');
    await refused(forced, Code.InvalidArgument, outside);
    await filesystem.rmdir(context, { path: `${localPath}\\a\\b`, force: false }, 'v1');
  });

  on('a mapping that does not work is made anew', async ({ machine, host, smb }) => {
    const root = '\\\\files\\data';
    machine.smb.offer(root, credentials);
    const map = (password: string) =>
      smb.newSmbGlobalMapping(context, { remotePath: root, localPath: '', ...credentials, password }, 'v1');
    await refused(map('wrong'), Code.Unknown);
    await map('secret');
    machine.smb.breakMapping(root);
    assert.is(await host.smb.isSmbMapped(root), 'broken');
    await map('secret');
    assert.is(await host.smb.isSmbMapped(root), 'mapped');
    await machine.smb.changePassword(root, 'new');
    assert.not.ok(await host.filesystem.pathValid(root));
    // What is broken is removed even if the new login fails.
    await refused(map('secret'), Code.Unknown);
    assert.is(await host.smb.isSmbMapped(root), 'absent');
    await map('new');
    assert.ok(await host.filesystem.pathValid(root));
  });

  on('one server has one user name', async ({ machine, smb }) => {
    const open = { username: '', password: '' };
    machine.smb.offer('\\\\files\\one', open);
    machine.smb.offer('\\\\files\\two', open);
    await smb.newSmbGlobalMapping(context, { remotePath: '\\\\files\\one', localPath: '', ...open }, 'v1');
    const other = { remotePath: '\\\\files\\two', localPath: '', ...credentials };
    await refused(smb.newSmbGlobalMapping(context, other, 'v1'), Code.Unknown, /1219/);
  });

  for (const [remotePath, message] of [
    ['', 'remote path is empty'],
    ['//', 'remote path (\\\\) is invalid'],
    ['\\\\host', 'remote path (\\\\host) is invalid'],
    ['\\\\?\\C:\\windows', 'remote path (\\\\?\\C:\\windows) is invalid'],
    ['\\\\.\\C$\\windows', 'remote path (\\\\.\\C$\\windows) is invalid'],
    ['\\\\host\\share\\..\\other', 'remote path (\\\\host\\share\\..\\other) is invalid'],
    ['\\\\host\\sh\0are', 'remote path (\\\\host\\sh\0are) is invalid'],
    ['\\\\host\\share"; calc', 'remote path (\\\\host\\share"; calc) is invalid'],
  ] as const) {
    on(`no share: ${JSON.stringify(remotePath)}`, async ({ smb }) => {
      for (const work of [
        smb.newSmbGlobalMapping(context, { remotePath, localPath: '', ...credentials }, 'v1'),
        smb.removeSmbGlobalMapping(context, { remotePath }, 'v1'),
      ]) {
        await refused(work, Code.InvalidArgument, message);
      }
    });
  }

  on('a link to a share that is refused leaves the mapping', async ({ machine, host, smb }) => {
    machine.smb.offer('\\\\files\\data', credentials);
    const request = { remotePath: '\\\\files\\data', localPath: 'C:\\windows\\x', ...credentials };
    await refused(smb.newSmbGlobalMapping(context, request, 'v1'), Code.InvalidArgument, /working directories/);
    assert.is(await host.smb.isSmbMapped('\\\\files\\data'), 'mapped');
  });

  // iscsi

  const portal = { targetAddress: '10.0.0.5', targetPort: 0 };
  const iqn = 'iqn.2026-01.example:one';

  on('a target is found, connected and let go, with its disks', async (stage) => {
    const { machine, iscsi, system, disk } = stage;
    const disks = [GIB, 2n * GIB].map((sizeBytes) => machine.disks.make({ sizeBytes }));
    machine.iscsi.offer({ portal: { address: '10.0.0.5', port: 3260 }, iqn, disks });
    await refused(iscsi.addTargetPortal(context, { targetPortal: portal }, 'v1alpha1'), Code.FailedPrecondition);
    await system.startService(context, { name: 'msiscsi' }, 'v1alpha1');
    await refused(iscsi.discoverTargetPortal(context, { targetPortal: portal }, 'v1alpha1'), Code.NotFound);
    for (const _ of [1, 2]) await iscsi.addTargetPortal(context, { targetPortal: portal }, 'v1alpha1');
    const full = { targetAddress: '10.0.0.5', targetPort: 3260 };
    assert.equal(await iscsi.listTargetPortals(context, {}, 'v1alpha1'), { targetPortals: [full] });
    assert.equal(await iscsi.discoverTargetPortal(context, { targetPortal: full }, 'v1alpha1'), { iqns: [iqn] });
    const target = { targetPortal: portal, iqn };
    const login = { authType: 0, chapUsername: '', chapSecret: '' };
    assert.equal(await iscsi.getTargetDisks(context, target, 'v1alpha1'), { diskIDs: [] });
    for (const _ of [1, 2]) await iscsi.connectTarget(context, { ...target, ...login }, 'v1alpha1');
    assert.equal(await iscsi.getTargetDisks(context, target, 'v1alpha1'), { diskIDs: ['1', '2'] });
    assert.is((await disk.getDiskStats(context, { diskNumber: 2 }, 'v1')).totalBytes, 2n * GIB);
    for (const _ of [1, 2]) await iscsi.disconnectTarget(context, target, 'v1alpha1');
    assert.equal(await iscsi.getTargetDisks(context, target, 'v1alpha1'), { diskIDs: [] });
    await refused(disk.getDiskStats(context, { diskNumber: 2 }, 'v1'), Code.NotFound);
    const unknown = { targetPortal: portal, iqn: 'iqn.none' };
    await refused(iscsi.connectTarget(context, { ...unknown, ...login }, 'v1alpha1'), Code.NotFound);
    await refused(iscsi.disconnectTarget(context, unknown, 'v1alpha1'), Code.NotFound);
    await refused(iscsi.getTargetDisks(context, unknown, 'v1alpha1'), Code.NotFound);
    await iscsi.removeTargetPortal(context, { targetPortal: portal }, 'v1alpha1');
    await refused(iscsi.removeTargetPortal(context, { targetPortal: portal }, 'v1alpha1'), Code.NotFound);
  });

  on('who logs in must know the secrets', async ({ machine, iscsi, system }) => {
    const chap = { username: 'user', secret: 'secretsecret' };
    const where = { address: '10.0.0.5', port: 3260 };
    machine.iscsi.offer({ portal: where, iqn, disks: [], chap, mutualSecret: 'othersecret12' });
    await system.startService(context, { name: 'MSiSCSI' }, 'v1alpha1');
    await iscsi.addTargetPortal(context, { targetPortal: portal }, 'v1alpha1');
    const connect = (authType: number, chapSecret: string) =>
      iscsi.connectTarget(
        context,
        { targetPortal: portal, iqn, authType, chapUsername: 'user', chapSecret },
        'v1alpha1',
      );
    await refused(connect(0, ''), Code.Unknown);
    await refused(connect(1, 'wrongwrong12'), Code.Unknown);
    await refused(connect(2, 'secretsecret'), Code.Unknown);
    await refused(connect(3, 'secretsecret'), Code.InvalidArgument, /^invalid authentication type authType=3$/);
    await refused(iscsi.setMutualChapSecret(context, { MutualChapSecret: 'short' }, 'v1alpha2'), Code.Unknown);
    await iscsi.setMutualChapSecret(context, { MutualChapSecret: 'othersecret12' }, 'v1alpha2');
    await connect(2, 'secretsecret');
  });

  on('a portal must be one', async ({ iscsi }) => {
    for (const targetPortal of [
      undefined,
      { targetAddress: '', targetPort: 1 },
      { targetAddress: 'x', targetPort: 65_536 },
    ]) {
      for (const work of [
        iscsi.addTargetPortal(context, { targetPortal }, 'v1alpha1'),
        iscsi.removeTargetPortal(context, { targetPortal }, 'v1alpha1'),
        iscsi.discoverTargetPortal(context, { targetPortal }, 'v1alpha1'),
        iscsi.getTargetDisks(context, { targetPortal, iqn }, 'v1alpha1'),
        iscsi.disconnectTarget(context, { targetPortal, iqn }, 'v1alpha1'),
        iscsi.connectTarget(context, { targetPortal, iqn, authType: 0, chapUsername: '', chapSecret: '' }, 'v1alpha1'),
      ]) {
        await refused(work, Code.InvalidArgument, /target port/);
      }
    }
  });

  // system

  on('a service is told, started and stopped', async ({ machine, system }) => {
    const name = 'MSiSCSI';
    const expected = { displayName: 'Microsoft iSCSI Initiator Service', startType: StartType.MANUAL };
    const service = () => system.getService(context, { name }, 'v1alpha1');
    assert.equal(await service(), { ...expected, status: ServiceStatus.STOPPED });
    for (const _ of [1, 2]) await system.startService(context, { name }, 'v1alpha1');
    assert.equal(await service(), { ...expected, status: ServiceStatus.RUNNING });
    for (const _ of [1, 2]) await system.stopService(context, { name, force: false }, 'v1alpha1');
    assert.equal(await service(), { ...expected, status: ServiceStatus.STOPPED });
    assert.ok((await system.getBIOSSerialNumber(context, {}, 'v1alpha1')).serialNumber.length > 0);
    machine.services.add({ name, ...expected, startType: 'DISABLED', status: 'STOPPED' });
    await refused(system.startService(context, { name }, 'v1alpha1'), Code.Unknown, /return code 14/);
  });

  const base = { displayName: 'x', startType: 'AUTOMATIC', status: 'STOPPED' } as const;

  on(
    'a service has 30 s',
    async ({ machine, system, clock }) => {
      machine.services.add({ ...base, name: 'slow', takesMs: 29_000 });
      machine.services.add({ ...base, name: 'hung', takesMs: Number.POSITIVE_INFINITY });
      await system.startService(context, { name: 'slow' }, 'v1alpha1');
      const startedAt = clock.now();
      const start = system.startService(context, { name: 'hung' }, 'v1alpha1');
      await refused(start, Code.DeadlineExceeded, /^timed out waiting for service hung to become running$/);
      assert.is(clock.now() - startedAt, 30_000);
      await refused(
        system.stopService(context, { name: 'hung', force: false }, 'v1alpha1'),
        Code.DeadlineExceeded,
        /^timed out waiting for service hung to stop$/,
      );
    },
    { services: 'all' },
  );

  on(
    'what a service depends on stops after it, and only by force',
    async ({ machine, system }) => {
      machine.services.add({ ...base, name: 'base', status: 'RUNNING' });
      machine.services.add({ ...base, name: 'middle', status: 'RUNNING', needs: ['BASE'] });
      machine.services.add({ ...base, name: 'top', status: 'RUNNING', needs: ['middle'] });
      machine.services.add({ ...base, name: 'idle', needs: ['base'] });
      const stop = (force: boolean) => system.stopService(context, { name: 'base', force }, 'v1alpha1');
      await refused(stop(false), Code.FailedPrecondition, /middle/);
      await stop(true);
      for (const name of ['base', 'middle', 'top']) {
        assert.is((await system.getService(context, { name }, 'v1alpha1')).status, ServiceStatus.STOPPED);
      }
      await refused(system.getService(context, { name: 'none' }, 'v1alpha1'), Code.NotFound);
    },
    { services: 'all' },
  );

  on(
    'services that need each other in a circle are started, and their stop ends',
    async ({ machine, system }) => {
      for (const [name, need] of [
        ['a', 'b'],
        ['b', 'C'],
        ['c', 'a'],
      ] as const) {
        machine.services.add({ ...base, name, needs: [need] });
      }
      const get = async (name: string) => (await system.getService(context, { name }, 'v1alpha1')).status;
      await system.startService(context, { name: 'a' }, 'v1alpha1');
      for (const name of ['a', 'b', 'c']) assert.is(await get(name), ServiceStatus.RUNNING);
      await refused(
        system.stopService(context, { name: 'A', force: true }, 'v1alpha1'),
        Code.FailedPrecondition,
        /^service A is not stopped: services need each other in a circle: A, c, b, a$/,
      );
      assert.is(await get('a'), ServiceStatus.RUNNING);
    },
    { services: 'all' },
  );

  on('other services than those allowed are none of the caller’s business', async ({ system }) => {
    for (const name of ['W32Time', 'MSiSCSI*', 'MSiSCSI\0']) {
      await refused(system.getService(context, { name }, 'v1alpha1'), Code.PermissionDenied);
      await refused(system.startService(context, { name }, 'v1alpha1'), Code.PermissionDenied);
      await refused(system.stopService(context, { name, force: true }, 'v1alpha1'), Code.PermissionDenied);
    }
  });

  on('a service without a name is refused before anybody is asked whether it is allowed', async ({ system }) => {
    const name = '';
    await refused(system.getService(context, { name }, 'v1alpha1'), Code.InvalidArgument);
    await refused(system.startService(context, { name }, 'v1alpha1'), Code.InvalidArgument);
    await refused(system.stopService(context, { name, force: true }, 'v1alpha1'), Code.InvalidArgument);
  });

  // versions

  on('a call is for the versions that have it', async ({ disk, volume, filesystem, iscsi }) => {
    const path = `${KUBELET}\\x`;
    const volumeId = NO_VOLUME;
    const cases: [rpc: string, since: string, work: Promise<unknown>][] = [
      ['ListDiskIDs', 'v1beta1', disk.listDiskIDs(context, {}, 'v1alpha1')],
      ['DiskStats', 'v1beta1', disk.diskStats(context, { diskID: '0' }, 'v1alpha1')],
      ['SetAttachState', 'v1beta2', disk.setAttachState(context, { diskID: '0', isOnline: true }, 'v1beta1')],
      ['GetAttachState', 'v1beta2', disk.getAttachState(context, { diskID: '0' }, 'v1beta1')],
      ['GetDiskStats', 'v1beta3', disk.getDiskStats(context, { diskNumber: 0 }, 'v1beta2')],
      ['SetDiskState', 'v1beta3', disk.setDiskState(context, { diskNumber: 0, isOnline: true }, 'v1beta2')],
      ['GetDiskState', 'v1beta3', disk.getDiskState(context, { diskNumber: 0 }, 'v1alpha1')],
      ['WriteVolumeCache', 'v1beta2', volume.writeVolumeCache(context, { volumeId }, 'v1beta1')],
      ['VolumeStats', 'v1beta1', volume.volumeStats(context, { volumeId }, 'v1alpha1')],
      ['UnmountVolume', 'v1beta3', volume.unmountVolume(context, { volumeId, targetPath: path }, 'v1beta2')],
      [
        'GetClosestVolumeIDFromTargetPath',
        'v2alpha1',
        volume.getClosestVolumeIDFromTargetPath(context, { targetPath: path }, 'v1'),
      ],
      ['IsSymlink', 'v1beta2', filesystem.isSymlink(context, { path }, 'v1beta1')],
      ['RmdirContents', 'v2alpha1', filesystem.rmdirContents(context, { path }, 'v1')],
      ['SetMutualChapSecret', 'v1alpha2', iscsi.setMutualChapSecret(context, { MutualChapSecret: 'x' }, 'v1alpha1')],
    ];
    for (const [rpc, since, work] of cases) {
      const message = new RegExp(`^${rpc} requires CSI-Proxy API version ${since} or greater$`);
      await refused(work, Code.InvalidArgument, message);
    }
  });

  test.run();
}
