// A machine by way of csi-proxy: each operation by the newest versions and by the oldest that are used, what the API does not tell, and
// what is made of calls that end badly.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import { pipeShares } from '../../../../adapters/windows/client/files.ts';
import type { Groups } from '../../../../adapters/windows/client/groups.ts';
import { lunOf } from '../../../../adapters/windows/operations/disks.ts';
import type { StorageFiles } from '../../../../adapters/windows/operations/storage.ts';
import { failureOf, GIB, onPipedMachine, saysFailed, withDisk } from '../../../world/windows-pipe-storage.ts';
import type { Served } from '../../../world/windows-pipes.ts';

const test = suite('a machine by way of csi-proxy');

const ROOT = 'C:\\var\\lib\\kubelet';
const SHARE = '\\\\files\\data';
const PORTAL = { address: '192.0.2.60', port: 3260 };
const IQN = 'iqn.2026-01.com.example:orders';
const NO_LOGIN = { authentication: 'NONE', username: '', secret: '' } as const;

/** Oldest supported versions. */
const OLDEST: Served = {
  disk: ['v1alpha1', 'v1beta1', 'v1beta2'],
  volume: ['v1alpha1', 'v1beta1', 'v1beta2'],
  filesystem: ['v1alpha1'],
  smb: ['v1alpha1'],
  iscsi: ['v1alpha1'],
};

for (const [title, only] of [
  ['the newest', {}],
  ['the oldest', OLDEST],
] as const) {
  test(`disks and volumes by ${title} versions`, () =>
    onPipedMachine({ only }, async ({ machine, storage: { disk, volume, filesystem } }) => {
      const location = 'PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 4';
      machine.disks.attach(
        machine.disks.make({ sizeBytes: 8n * GIB, page83: 'naa.1', serialNumber: 'S-1', state: 'offline', location }),
      );
      await disk.rescan();
      assert.equal((await disk.listDiskIDs()).disks.get(1), { page83: 'naa.1', serialNumber: 'S-1' });
      const seen = (await disk.listDiskLocations()).get(1) ?? '';
      assert.is(lunOf({ number: 1, identity: '', page83: '', serialNumber: '', location: seen }), 4);
      assert.is((await disk.getDiskStats(1)).totalBytes, 8n * GIB);
      assert.is(await disk.getDiskState(1), 'offline');
      await disk.setDiskState(1, 'online');
      assert.is(await disk.getDiskState(1), 'online');
      assert.is(await disk.basicPartitionsExist(1), false);
      await disk.createBasicPartition(1);
      assert.is(await disk.basicPartitionsExist(1), true);
      assert.equal(machine.changes, ['setDiskState', 'initializeDisk', 'createBasicPartition']);
      const [id = ''] = await volume.listVolumesOnDisk(1, 0);
      assert.is(await volume.isVolumeFormatted(id), false);
      await volume.formatVolume(id);
      assert.is(await volume.isVolumeFormatted(id), true);
      await filesystem.mkdir(`${ROOT}\\pub`);
      await volume.mountVolume(id, `${ROOT}\\pub`);
      assert.is(await volume.getVolumeIDFromTargetPath(`${ROOT}\\pub`), id);
      machine.disks.grow(1, 16n * GIB);
      await disk.rescan();
      await volume.resizeVolume(id, 0n);
      assert.ok((await volume.getVolumeStats(id)).totalBytes > 15n * GIB);
      await volume.writeVolumeCache(id);
      await volume.unmountVolume(id, `${ROOT}\\pub`);
      assert.is((await failureOf(volume.getVolumeIDFromTargetPath(`${ROOT}\\pub`))).code, Code.NotFound);
    }));

  test(`directories, links and shares by ${title} versions`, () =>
    onPipedMachine({ only }, async ({ machine, storage: { filesystem, smb } }) => {
      const [one, link, shared] = [`${ROOT}\\one`, `${ROOT}\\link`, `${ROOT}\\shared`];
      assert.is(await filesystem.pathExists(one), false);
      await filesystem.mkdir(`${one}\\within`);
      assert.equal([await filesystem.pathExists(one), await filesystem.isSymlink(one)], [true, false]);
      await filesystem.createSymlink(one, link);
      assert.is(await filesystem.isSymlink(link), true);
      assert.is((await failureOf(filesystem.rmdir(one, { contents: 'refused' }))).code, Code.FailedPrecondition);
      await filesystem.rmdir(link, { contents: 'refused' });
      await filesystem.rmdir(one, { contents: 'removed' });
      assert.is(await filesystem.pathExists(one), false);
      const login = { username: 'user', password: 'Wp7-first-of-all' };
      machine.smb.offer(SHARE, login);
      assert.is(await smb.isSmbMapped(SHARE), 'untold');
      await smb.newSmbGlobalMapping({ root: SHARE, ...login, encryption: 'required' });
      assert.equal([await smb.isSmbMapped(SHARE), await filesystem.pathValid(SHARE)], ['mapped', true]);
      await smb.newSmbLink(shared, `${SHARE}\\`, async () => login);
      assert.is(await filesystem.isSymlink(shared), true);
      await smb.removeSmbGlobalMapping(SHARE);
      assert.is(await machine.host.smb.isSmbMapped(SHARE), 'absent');
      await smb.removeSmbGlobalMapping(SHARE);
    }));

  test(`targets and services by ${title} versions`, () =>
    onPipedMachine({ only }, async ({ machine, storage: { iscsi, system } }) => {
      const { disks } = machine;
      machine.iscsi.offer({ portal: PORTAL, iqn: IQN, disks: [disks.make({ sizeBytes: GIB })] });
      assert.is(await system.getBIOSSerialNumber(), 'serial-one');
      await system.startService('MSiSCSI');
      assert.equal(await iscsi.listTargetPortals(), []);
      assert.is((await failureOf(iscsi.getTargetDisks(PORTAL, IQN))).code, Code.NotFound);
      assert.is((await failureOf(iscsi.disconnectTarget(PORTAL, IQN))).code, Code.NotFound);
      await iscsi.addTargetPortal(PORTAL);
      assert.equal([await iscsi.listTargetPortals(), await iscsi.discoverTargetPortal(PORTAL)], [[PORTAL], [IQN]]);
      assert.equal(await iscsi.getTargetDisks(PORTAL, IQN), []);
      await iscsi.connectTarget(PORTAL, IQN, NO_LOGIN);
      assert.equal(await iscsi.getTargetDisks(PORTAL, IQN), [1]);
      await iscsi.disconnectTarget(PORTAL, IQN);
      await iscsi.removeTargetPortal(PORTAL);
      assert.equal(await iscsi.listTargetPortals(), []);
    }));
}

test('a missing call of an old version is reported, with the version that has it', () =>
  onPipedMachine({ only: OLDEST }, async ({ machine, storage: { volume, iscsi } }) => {
    const number = await withDisk(machine);
    const partition = await failureOf(volume.listVolumesOnDisk(number, 2));
    assert.equal([partition.code, partition.reason], ['transient', 'ApiNotServed']);
    assert.match(partition.message, /volume v1beta2.* v1beta3 or a later version is needed/);
    assert.match((await failureOf(iscsi.setMutualChapSecret('twelve-bytes'))).message, /iscsi v1alpha1.* v1alpha2 or/);
  }));

test('raw state, partition table and link targets are undefined', () =>
  onPipedMachine({}, async ({ storage }) => {
    assert.is(storage.disk.isDiskInitialized, undefined);
    assert.is(storage.disk.initializeDisk, undefined);
    assert.is(storage.disk.partitionTable, undefined);
    assert.is(storage.filesystem.realPath, undefined);
  }));

test('a disk that has a partition is not given another one, whatever is on it', () =>
  onPipedMachine({}, async ({ machine, storage: { disk } }) => {
    const number = await withDisk(machine, { state: 'online', content: { style: 'MBR', fileSystem: 'foreign' } });
    const before = structuredClone(machine.disks.disk(number));
    await disk.createBasicPartition(number);
    assert.equal(machine.disks.disk(number), before);
    assert.equal(machine.changes, []);
  }));

test('a change that is said to have failed, and is seen to be done, is done; it is not made again (WIN-OUTCOME-1)', () =>
  onPipedMachine({}, async ({ machine, storage: { disk, volume, filesystem, smb, iscsi, system } }) => {
    const number = await withDisk(machine);
    const path = `${ROOT}\\one`;
    machine.smb.offer(SHARE, { username: '', password: '' });
    machine.iscsi.offer({ portal: PORTAL, iqn: IQN, disks: [machine.disks.make({ sizeBytes: GIB })] });
    const once = async (call: string, change: () => Promise<unknown>): Promise<void> => {
      saysFailed(machine, call);
      machine.changes.length = 0;
      await change();
      assert.equal(machine.changes, [call]);
    };
    await once('startService', () => system.startService('MSiSCSI'));
    await once('setDiskState', () => disk.setDiskState(number, 'online'));
    await machine.host.disk.initializeDisk(number);
    await once('createBasicPartition', () => disk.createBasicPartition(number));
    const [id = ''] = await volume.listVolumesOnDisk(number, 0);
    await once('formatVolume', () => volume.formatVolume(id));
    await once('mkdir', () => filesystem.mkdir(path));
    await once('mountVolume', () => volume.mountVolume(id, path));
    await once('unmountVolume', () => volume.unmountVolume(id, path));
    await once('createSymlink', () => filesystem.createSymlink(path, `${ROOT}\\link`));
    await once('rmdir', () => filesystem.rmdir(`${ROOT}\\link`, { contents: 'refused' }));
    await once('addTargetPortal', () => iscsi.addTargetPortal(PORTAL));
    await once('connectTarget', () => iscsi.connectTarget(PORTAL, IQN, NO_LOGIN));
    await once('disconnectTarget', () => iscsi.disconnectTarget(PORTAL, IQN));
    await once('removeTargetPortal', () => iscsi.removeTargetPortal(PORTAL));
    await smb.newSmbGlobalMapping({ root: SHARE, username: '', password: '', encryption: 'required' });
    await once('newSmbLink', () =>
      smb.newSmbLink(`${ROOT}\\shared`, `${SHARE}\\`, async () => ({ username: '', password: '' })),
    );
    await once('removeSmbGlobalMapping', () => smb.removeSmbGlobalMapping(SHARE));
  }));

test('a change that failed, and is not seen to be done, has failed', () =>
  onPipedMachine({}, async ({ machine, storage: { disk, filesystem } }) => {
    const number = await withDisk(machine);
    machine.before.set('setDiskState', async () => {
      throw new StatusError(Code.NotFound, 'the device is not ready');
    });
    machine.before.set('mkdir', async () => {
      throw new StatusError(Code.Unknown, 'the disk is full');
    });
    const failure = await failureOf(disk.setDiskState(number, 'online'));
    assert.equal([failure.code, failure.message], [Code.Unknown, 'the device is not ready']);
    assert.match((await failureOf(filesystem.mkdir(`${ROOT}\\one`))).message, /the disk is full/);
  }));

test('a format that failed may be under way still, and is not said to have ended', () =>
  onPipedMachine({}, async ({ machine, storage: { disk, volume } }) => {
    const number = await withDisk(machine, { state: 'online' });
    await disk.createBasicPartition(number);
    const [id = ''] = await volume.listVolumesOnDisk(number, 0);
    machine.before.set('formatVolume', async () => {
      throw new StatusError(Code.FailedPrecondition, 'the disk is busy');
    });
    const failure = await failureOf(volume.formatVolume(id));
    assert.not.instance(failure, StatusError);
    assert.match(failure.message, /does not tell whether the format has ended: the disk is busy/);
  }));

test('unmounting a deleted volume reports that it is deleted', () =>
  onPipedMachine({}, async ({ machine, storage: { disk, volume, filesystem } }) => {
    const number = await withDisk(machine, { state: 'online' });
    await disk.createBasicPartition(number);
    const [id = ''] = await volume.listVolumesOnDisk(number, 0);
    await filesystem.mkdir(`${ROOT}\\pub`);
    await volume.mountVolume(id, `${ROOT}\\pub`);
    await machine.disks.detach(number);
    assert.is((await failureOf(volume.unmountVolume(id, `${ROOT}\\pub`))).code, Code.NotFound);
  }));

test('a link to a share that is not mapped maps it, with what it asks for', () =>
  onPipedMachine({}, async ({ machine, storage: { smb, filesystem } }) => {
    const login = { username: 'user', password: 'Wp7-first-of-all' };
    machine.smb.offer(SHARE, login);
    await filesystem.mkdir(ROOT);
    const refused = smb.newSmbLink(`${ROOT}\\one`, `${SHARE}\\`, async () => ({ username: '', password: '' }));
    assert.match((await failureOf(refused)).message, /error 1326/);
    await smb.newSmbLink(`${ROOT}\\one`, `${SHARE}\\`, async () => login);
    assert.equal([await smb.isSmbMapped(SHARE), await filesystem.isSymlink(`${ROOT}\\one`)], ['mapped', true]);
  }));

test('a mapping that does not work gives way to a new one, and one that works stays as it is', () =>
  onPipedMachine({}, async ({ machine, storage: { smb } }) => {
    machine.smb.offer(SHARE, { username: 'user', password: 'first' });
    const login = { root: SHARE, username: 'user', encryption: 'required' } as const;
    assert.match((await failureOf(smb.newSmbGlobalMapping({ ...login, password: 'wrong' }))).message, /error 1326/);
    await smb.newSmbGlobalMapping({ ...login, password: 'first' });
    machine.changes.length = 0;
    await smb.newSmbGlobalMapping({ ...login, password: 'other' });
    assert.equal(machine.changes, []);
    await machine.smb.changePassword(SHARE, 'second');
    assert.is(await smb.isSmbMapped(SHARE), 'untold');
    // As the original: it does not see that a mapping which does not work is in the way.
    Object.assign(machine.host.smb, { isSmbMapped: async () => 'absent' });
    await smb.newSmbGlobalMapping({ ...login, password: 'second' });
    assert.is(await smb.isSmbMapped(SHARE), 'mapped');
    const [tried, removed, made] = machine.changes;
    assert.equal([tried, removed, made], ['newSmbGlobalMapping', 'removeSmbGlobalMapping', 'newSmbGlobalMapping']);
  }));

test('33.B10: a mapping that is gone already is removed, though its share can be reached without one', async () => {
  const removing = (code: Code): Promise<void> => {
    const client = { removeSmbGlobalMapping: () => Promise.reject(new StatusError(code, `${SHARE} is not mapped`)) };
    const groups = { open: async () => ({ version: 'v1', client }) } as unknown as Groups;
    const files = { pathValid: async () => true } as unknown as StorageFiles;
    return pipeShares(groups, files).removeSmbGlobalMapping(SHARE);
  };
  await removing(Code.NotFound);
  for (const code of [Code.Unknown, Code.Unavailable]) assert.is((await failureOf(removing(code))).code, code);
});

test.run();
