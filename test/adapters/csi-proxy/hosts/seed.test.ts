// A machine in memory as a file describes it, and what goes wrong on it.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { Code } from '../../../../adapters/csi-proxy/base/status.ts';
import { type Fault, FaultKind, withFaults } from '../../../../adapters/csi-proxy/hosts/memory/faults.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { parseSeed, plant } from '../../../../adapters/csi-proxy/hosts/memory/seed.ts';
import { failureOf } from '../echo-group.ts';
import { quickClock } from '../quick-clock.ts';

const test = suite('a seeded machine');

const GIB = 2n ** 30n;

async function machineOf(text: string) {
  const seed = parseSeed(parse(text));
  const clock = quickClock();
  const machine = await memoryMachine({ clock, unknownShares: seed.unknownShares });
  await plant(machine, seed);
  return { ...machine, clock, host: withFaults(machine.host, seed.faults, clock) };
}

test('disks are as described: seen at once or at the next rescan, larger after it, full or empty', async () => {
  const { host } = await machineOf(`
    disks:
      - {sizeGib: 20, lun: 7, page83: 'Google  data', serialNumber: vol0123, state: offline}
      - {content: ntfs, grownGib: 30}
      - {content: foreign, identifiers: untold}
      - {page83: late, attached: on-rescan}
  `);
  assert.equal([...(await host.disk.listDiskLocations()).keys()], [0, 1, 2, 3]);
  assert.match((await host.disk.listDiskLocations()).get(1) ?? '', /LUN 7$/);
  assert.is(await host.disk.getDiskNumberByName('Google  data'), 1);
  assert.equal(await host.disk.getDiskStats(1), { totalBytes: 20n * GIB });
  assert.is(await host.disk.getDiskState(1), 'offline');
  assert.not(await host.disk.isDiskInitialized(1));
  const [ntfs = ''] = await host.volume.listVolumesOnDisk(2, 0);
  const [foreign = ''] = await host.volume.listVolumesOnDisk(3, 0);
  assert.equal(
    [await host.volume.isVolumeFormatted(ntfs), await host.volume.isVolumeFormatted(foreign)],
    [true, false],
  );
  assert.equal([...(await host.disk.listDiskIDs()).failures.keys()], [3]);
  assert.equal(await host.disk.getDiskStats(2), { totalBytes: 10n * GIB });
  await host.disk.rescan();
  assert.equal(await host.disk.getDiskStats(2), { totalBytes: 30n * GIB });
  assert.is(await host.disk.getDiskNumberByName('late'), 4);
});

test('shares, targets and services let in who is told to be', async () => {
  const { host } = await machineOf(`
    unknownShares: absent
    shares: [{path: //Files/Data/sub, username: me, password: hunter2}]
    targets:
      - portal: {address: 192.0.2.1, port: 3261}
        iqn: iqn.2026-01.example:data
        chap: {username: node, secret: of-16-characters}
        disks: [{page83: far}]
    services: [{name: Spooler, status: RUNNING, startType: AUTOMATIC}]
  `);
  const mapping = { username: 'me', password: 'hunter2', encryption: 'required' } as const;
  await host.smb.newSmbGlobalMapping({ root: '\\\\files\\data', ...mapping });
  assert.is(
    (await failureOf(host.smb.newSmbGlobalMapping({ root: '\\\\files\\other', ...mapping }))).code,
    Code.NotFound,
  );
  assert.is((await host.system.getService('spooler')).status, 'RUNNING');
  await host.system.startService('MSiSCSI');
  const portal = { address: '192.0.2.1', port: 3261 };
  await host.iscsi.addTargetPortal(portal);
  const login = { authentication: 'ONEWAYCHAP', username: 'node', secret: 'of-16-characters' } as const;
  const [iqn = ''] = await host.iscsi.discoverTargetPortal(portal);
  assert.match((await failureOf(host.iscsi.connectTarget(portal, iqn, { ...login, secret: 'x' }))).message, 'refused');
  await host.iscsi.connectTarget(portal, iqn, login);
  assert.equal(await host.iscsi.getTargetDisks(portal, iqn), [await host.disk.getDiskNumberByName('far')]);
});

test('a fault is met as often as told, by its operation alone', async () => {
  const { host, clock } = await machineOf(`
    disks: [{}, {}]
    faults:
      - {operation: disk.SetDiskState, kind: refused, skip: 1, times: 2, message: the device is not ready}
      - {operation: disk.InitializeDisk, kind: lost}
      - {operation: disk.Rescan, kind: begun-late, delayMs: 500}
      - {operation: disk.CreateBasicPartition, kind: answered-late, delayMs: 700}
  `);
  const outcomes: unknown[] = [];
  for (const state of ['offline', 'online', 'online', 'online'] as const) {
    outcomes.push(
      await host.disk.setDiskState(1, state).then(
        () => state,
        ({ message }) => message,
      ),
    );
  }
  assert.equal(outcomes, ['offline', 'the device is not ready', 'the device is not ready', 'online']);
  assert.is((await failureOf(host.disk.initializeDisk(1))).code, Code.Unknown);
  assert.ok(await host.disk.isDiskInitialized(1), 'it was done all the same');
  await host.disk.initializeDisk(2);
  const startedAt = clock.now();
  await host.disk.rescan();
  assert.is(clock.now() - startedAt, 500);
  await host.disk.createBasicPartition(1);
  assert.is(clock.now() - startedAt, 1_200);
});

test('what is late is begun late, or done at once and answered late', async () => {
  const { host: plain, clock } = await machineOf('disks: [{}]');
  for (const [kind, expected] of [
    [FaultKind.BegunLate, 'online'],
    [FaultKind.AnsweredLate, 'offline'],
  ] as const) {
    await plain.disk.setDiskState(1, 'online');
    const letGo = Promise.withResolvers<void>();
    const fault: Fault = { operation: 'disk.setDiskState', kind, skip: 0, times: 1, delayMs: 1, message: '' };
    const host = withFaults(plain, [fault], { ...clock, sleep: () => letGo.promise });
    const change = host.disk.setDiskState(1, 'offline');
    await Promise.resolve();
    assert.is(await plain.disk.getDiskState(1), expected);
    letGo.resolve();
    await change;
    assert.is(await plain.disk.getDiskState(1), 'offline');
  }
});

test('what the document shows is a machine', async () => {
  const document = readFileSync(new URL('../../../../adapters/csi-proxy/hosts/README.md', import.meta.url), 'utf8');
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(document) ?? [];
  const { host } = await machineOf(text);
  assert.is(await host.disk.getDiskNumberByName('Google  pvc-1'), 1);
});

test('a mistake says where it is, the rule, and what it got', async () => {
  for (const [text, message] of [
    ['[]', 'the machine must be an object'],
    ['disks: {}', 'disks must be a list; got {}'],
    ['disks: [{sizeGib: 0}]', 'disks[0].sizeGib must be a whole number, at least 1; got 0'],
    ['disks: [{}, {content: fat}]', 'disks[1].content must be one of raw, unformatted, foreign, ntfs; got "fat"'],
    ['disks: [{pages83: x}]', "disks[0] has no 'pages83'; did you mean 'page83'?"],
    ['targets: [{disks: [{attached: now}], iqn: x}]', "targets[0].disks[0] has no 'attached'"],
    ['targets: [{}]', 'targets[0].iqn must be there'],
    ['shares: [{path: data}]', 'shares: remote path (data) is invalid'],
    ['services: [{name: x, needs: [1]}]', 'services[0].needs[0] must be a text; got 1'],
    ['faults: [{operation: disk.Resca}]', "there is no operation 'disk.Resca'; did you mean 'disk.rescan'?"],
  ] as const) {
    const { code, message: said } = await failureOf(machineOf(text));
    assert.is(code, 'terminal', said);
    assert.ok(said.includes(message), `${said} lacks ${message}`);
  }
});

test.run();
