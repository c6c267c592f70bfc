// What objects of all six kinds do on machines in memory, whatever the API server: made, changed and changed back, disturbed from
// outside, and deleted. Three nodes, each with a process of its own, and two pods for the actors.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { GIB, inWorld, listIn, readyOf, type World, type WorldOptions } from '../../world/windows.ts';
import { type Check, failsOnce, isRefused, PAGE83, withDisk } from './checks.ts';
import { describeConnections } from './connections.suite.ts';
import { describeMounts } from './mounts.suite.ts';

/** @param given  which API server it is, and how machines are asked */
export function describeKinds(test: Test, given: Pick<WorldOptions, 'kubeconfig' | 'isPiped'> = {}): void {
  const check: Check = (title, run) =>
    void test(title, () => inWorld({ nodes: ['one', 'two', 'three'], pods: 2, ...given }, run));
  describeNodes(check);
  describeUnmade(check);
  describeDisks(check);
  describeVolumes(check);
  describeConnections(check);
  describeMounts(check);
  describeNodesApart(check);
}

function describeNodes(check: Check): void {
  check('WindowsStorageNode: made, changed and changed back, deleted after who uses it', async (world) => {
    const path = 'windowsstoragenodes/one';
    await world.remove(path);
    await world.gone(path);
    await world.create(path, { spec: { nodeName: 'one' } });
    const { status } = await world.ready(path);
    assert.equal([status?.['nodeName'], status?.['machine']], ['one', 'serial-one']);
    assert.is(listIn(status, 'disks').length, 1);
    await world.create('iscsitargets/target', {
      spec: { nodeRef: 'one', portal: { address: '192.0.2.60' }, iqn: 'iqn.2026-01.com.example:a' },
    });
    await world.says('iscsitargets/target', 'InvalidConfiguration', /MSiSCSI is not among the services/);
    world.machine().iscsi.offer({
      portal: { address: '192.0.2.60', port: 3260 },
      iqn: 'iqn.2026-01.com.example:a',
      disks: [],
    });
    await world.merge(path, { spec: { services: ['msiscsi'] } });
    await world.ready('iscsitargets/target');
    await world.merge(path, { spec: { services: null } });
    await world.says('iscsitargets/target', 'InvalidConfiguration');
    await world.merge(path, { spec: { services: ['MSiSCSI'], mutualChapSecretRef: 'mutual' } });
    await world.says(path, 'WaitingForDependency', /Secret\/mutual to be created/);
    await world.create('secrets/mutual', { stringData: { password: 'twelve-bytes' } });
    await world.ready(path);
    await world.remove('windowsstoragenodes/two');
    await world.gone('windowsstoragenodes/two');
    await world.merge(path, { spec: { nodeName: 'two', mutualChapSecretRef: null } });
    await world.says(path, 'DifferentMachine', /serial-two, and was the one with serial-one/);
    await world.merge(path, { spec: { nodeName: 'one' } });
    await world.ready(path);
    await world.ready('iscsitargets/target');
    await world.remove(path);
    await world.says(path, 'WaitingForUsers', /iscsitarget/);
    await world.remove('iscsitargets/target');
    for (const each of ['iscsitargets/target', path]) await world.gone(each);
  });
}

function describeUnmade(check: Check): void {
  check(
    '33.F1: what has nothing on a machine yet carries no finalizer of its own, and goes by itself',
    async (world) => {
      const cases = {
        'windowsdisks/data': { spec: { nodeRef: 'late', selector: { serialNumber: 'S-1' } } },
        'windowsvolumes/data': { spec: { diskRef: 'none' } },
        'windowsmounts/data': { spec: { path: 'C:\\var\\lib\\kubelet\\data', source: { volumeRef: 'none' } } },
        'smbmappings/share': { spec: { nodeRef: 'late', remotePath: '\\\\nas\\a' } },
        'iscsitargets/lun': {
          spec: { nodeRef: 'late', portal: { address: '192.0.2.60' }, iqn: 'iqn.2026-01.com.example:a' },
        },
      };
      for (const [path, body] of Object.entries(cases)) await world.create(path, body);
      for (const path of Object.keys(cases)) {
        await world.says(path, 'WaitingForDependency');
        assert.equal((await world.read(path))?.metadata.finalizers ?? [], [], path);
      }
      for (const path of Object.keys(cases)) await world.remove(path);
      for (const path of Object.keys(cases)) await world.gone(path);
    },
  );

  check('33.F1: what a status tells of is guarded before what it refers to is there', async (world) => {
    const path = 'windowsdisks/data';
    await world.create(path, { spec: { nodeRef: 'late', selector: { serialNumber: 'S-1' } } });
    await world.says(path, 'WaitingForDependency');
    await world.record(path, { identity: 'page83:naa.1' });
    await world.restartActors();
    await world.until(path, 'guarded', ({ metadata }) => (metadata.finalizers ?? []).length > 0);
  });
}

function describeDisks(check: Check): void {
  check('WindowsDisk: with the least that it takes, before its node and the disk are there', async (world) => {
    await world.create('windowsdisks/data', { spec: { nodeRef: 'late', selector: { serialNumber: 'S-1' } } });
    await world.says('windowsdisks/data', 'WaitingForDependency', /WindowsStorageNode\/late/);
    await world.remove('windowsstoragenodes/one');
    await world.gone('windowsstoragenodes/one');
    await world.create('windowsstoragenodes/late', { spec: { nodeName: 'one' } });
    await world.says('windowsdisks/data', 'DiskAbsent', /no disk like that/);
    const { disks } = world.machine();
    disks.attach(disks.make({ sizeBytes: GIB, page83: PAGE83, serialNumber: 'S-1', state: 'offline' }));
    const { status } = await world.ready('windowsdisks/data');
    assert.equal(
      [status?.['identity'], status?.['number'], status?.['sizeBytes'], status?.['state']],
      [`page83:${PAGE83}`, 1, Number(GIB), 'Online'],
    );
    assert.equal([status?.['seenRaw'], disks.disk(1).style], [undefined, 'RAW'], 'nobody asked for a partition');
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    assert.is(disks.disk(1).state, 'offline');
  });

  check('WindowsDisk: with all of it, each field changed and changed back', async (world) => {
    const location = 'PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 4';
    const number = await withDisk(world, { location });
    const selector = { page83: PAGE83, serialNumber: 'S-1', lun: 4 };
    await world.create('windowsdisks/data', {
      spec: { nodeRef: 'one', selector, online: true, partition: false, offlineOnDelete: true },
    });
    await world.ready('windowsdisks/data');
    const disk = world.machine().disks.disk(number);
    await world.merge('windowsdisks/data', { spec: { online: false } });
    await world.until('windowsdisks/data', 'offline', ({ status }) => status?.['state'] === 'Offline');
    assert.is(disk.state, 'offline');
    await world.merge('windowsdisks/data', { spec: { online: true, partition: true } });
    await world.ready('windowsdisks/data');
    const { status } = await world.until('windowsdisks/data', 'partitioned', (object) => hasVolumes(object.status, 1));
    const seenRaw = world.isPiped ? 'undefined' : 'string';
    assert.equal([disk.state, disk.style, typeof status?.['seenRaw']], ['online', 'GPT', seenRaw]);
    await world.merge('windowsdisks/data', { spec: { partition: false } });
    await world.ready('windowsdisks/data');
    assert.is(disk.partitions.length, 2, 'what is there stays');
    await isRefused(world.merge('windowsdisks/data', { spec: { selector: { lun: 5 } } }), /immutable|changed/i);
    await world.merge('windowsdisks/data', { spec: { offlineOnDelete: false } });
    await world.ready('windowsdisks/data');
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    assert.equal([disk.state, disk.style], ['online', 'GPT']);
  });

  check('WindowsDisk: what is done to it by hand is undone, and what fails is tried again', async (world) => {
    const number = await withDisk(world);
    failsOnce(world, 'setDiskState');
    await world.create('windowsdisks/data', { spec: { nodeRef: 'one', selector: { page83: PAGE83 } } });
    await world.ready('windowsdisks/data');
    const { disks } = world.machine();
    await disks.host().setDiskState(number, 'offline');
    await world.happens('it is online again', () => disks.disk(number).state === 'online');
    const away = await disks.detach(number);
    await world.says('windowsdisks/data', 'DiskAbsent');
    await disks.attachSeen(away);
    await world.ready('windowsdisks/data');
  });
}

function hasVolumes(status: JsonObject | undefined, count: number): boolean {
  return listIn(status, 'volumeIDs').length === count;
}

function describeVolumes(check: Check): void {
  const formats = (world: World): number => world.machine().changes.filter((each) => each === 'formatVolume').length;

  check('WindowsVolume: formatted once its policy lets it be, and not again; kept in the end', async (world) => {
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data' } });
    await world.says('windowsvolumes/data', 'WaitingForDependency', /WindowsDisk\/data to be created/);
    const number = await withDisk(world);
    await world.create('windowsdisks/data', {
      spec: { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true },
    });
    await world.says('windowsvolumes/data', 'NotFormatted', /formatPolicy is Never/);
    // By way of csi-proxy nobody knows what became of it then.
    if (!world.isPiped) failsOnce(world, 'formatVolume');
    await world.merge('windowsvolumes/data', { spec: { formatPolicy: world.formatPolicy } });
    const { status, metadata } = await world.ready('windowsvolumes/data');
    assert.equal([status?.['formattedBy'], formats(world)], [metadata.uid, 1]);
    for (const formatPolicy of ['Never', 'IfUnknown']) {
      await world.merge('windowsvolumes/data', { spec: { formatPolicy } });
      await world.ready('windowsvolumes/data');
    }
    await world.remove('windowsdisks/data');
    await world.says('windowsdisks/data', 'WaitingForUsers', /windowsvolume/);
    await world.remove('windowsvolumes/data');
    for (const path of ['windowsvolumes/data', 'windowsdisks/data']) await world.gone(path);
    const left = world.machine().disks.disk(number);
    assert.equal([left.state, left.partitions.at(-1)?.volume?.fileSystem, formats(world)], ['offline', 'NTFS', 1]);
  });

  check('WindowsVolume: with all of it, as large as it is to be at least', async (world) => {
    const number = await withDisk(world);
    await world.create('windowsdisks/data', {
      spec: { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true },
    });
    await world.create('windowsvolumes/none', { spec: { diskRef: 'data', partitionNumber: 7 } });
    await world.create('windowsvolumes/data', {
      spec: { diskRef: 'data', partitionNumber: 2, formatPolicy: world.formatPolicy, sizeBytes: Number(GIB) },
    });
    await world.says('windowsvolumes/none', 'VolumeAbsent');
    const first = Number((await world.ready('windowsvolumes/data')).status?.['capacityBytes']);
    assert.ok(first > Number(7n * GIB));
    await world.merge('windowsvolumes/data', { spec: { sizeBytes: Number(12n * GIB) } });
    await world.says('windowsvolumes/data', 'TransientError', /can have \d+ bytes/);
    world.machine().disks.grow(number, 16n * GIB);
    await world.machine().host.disk.rescan();
    const grown = Number((await world.ready('windowsvolumes/data')).status?.['capacityBytes']);
    assert.ok(grown >= Number(11n * GIB) && grown < Number(13n * GIB), String(grown));
    await world.merge('windowsvolumes/data', { spec: { sizeBytes: 0 } });
    await world.until('windowsvolumes/data', 'all', (raw) => Number(raw.status?.['capacityBytes']) > Number(15n * GIB));
    await world.merge('windowsvolumes/data', { spec: { sizeBytes: Number(GIB) } });
    const { status } = await world.ready('windowsvolumes/data');
    assert.ok(Number(status?.['capacityBytes']) > Number(15n * GIB), 'it never shrinks');
    await isRefused(world.merge('windowsvolumes/data', { spec: { diskRef: 'other' } }), /immutable|changed/i);
  });
}

function describeNodesApart(check: Check): void {
  check('each machine has its own, also of the same paths, whichever pod has the objects', async (world) => {
    const nodes = ['one', 'two', 'three'];
    for (const node of nodes) {
      await withDisk(world, { page83: `naa.${node}`, serialNumber: node }, node);
      await world.create(`windowsdisks/${node}`, {
        spec: { nodeRef: node, selector: { page83: `naa.${node}` }, partition: true },
      });
      await world.create(`windowsvolumes/${node}`, { spec: { diskRef: node, formatPolicy: world.formatPolicy } });
      await world.create(`windowsmounts/${node}`, {
        spec: { path: 'C:\\var\\lib\\kubelet\\same', source: { volumeRef: node } },
      });
    }
    for (const node of nodes) {
      const { status } = await world.ready(`windowsmounts/${node}`);
      assert.equal([status?.['nodeName'], status?.['machine']], [node, `serial-${node}`]);
      const { changes } = world.machine(node);
      assert.equal(
        changes.filter((change) => change !== 'mkdir'),
        ['setDiskState', 'initializeDisk', 'createBasicPartition', 'formatVolume', 'mountVolume'],
      );
    }
    await world.remove('windowsmounts/two');
    await world.gone('windowsmounts/two');
    await world.stopNode('three');
    await world.says('windowsstoragenodes/three', 'NodeUnreachable');
    assert.is(readyOf(await world.ready('windowsmounts/one'))['status'], 'True', 'one node is no other’s affair');
    const kinds = await Promise.all(
      nodes.map(async (node) => (await world.machine(node).files.look('C:\\var\\lib\\kubelet\\same')).kind),
    );
    assert.equal(kinds, ['mount', 'absent', 'mount']);
    await world.startNode('three');
    await world.ready('windowsmounts/three');
  });
}
