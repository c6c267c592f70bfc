// IscsiTarget and SmbMapping: made, changed and changed back, disturbed from outside, deleted.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { GIB, listIn, type World } from '../../world/windows.ts';
import { type Check, isRefused } from './checks.ts';

const PORTAL = { address: '192.0.2.60', port: 3260 };
const IQN = 'iqn.2026-01.com.example:orders';
const SHARE = '\\\\files\\data';
const [FIRST, SECOND] = ['Wp7-first-of-all', 'Xq8-comes-later'];

const login = (password: string): JsonObject => ({ stringData: { username: 'user', password } });
const count = (world: World, change: string): number =>
  world.machine().changes.filter((each) => each === change).length;

export function describeConnections(check: Check): void {
  describeTargets(check);
  describeMappings(check);
}

function offer(world: World, iqn: string, given: JsonObject = {}): void {
  const { iscsi, disks } = world.machine();
  const page83 = `naa.${iqn}`;
  iscsi.offer({
    portal: PORTAL,
    iqn,
    disks: [disks.make({ sizeBytes: GIB, page83, state: 'offline' })],
    ...given,
  });
}

function describeTargets(check: Check): void {
  check('IscsiTarget: with the least that it takes, connected again when somebody disconnects it', async (world) => {
    const { host } = world.machine();
    await world.create('iscsitargets/target', {
      spec: { nodeRef: 'one', portal: { address: PORTAL.address }, iqn: IQN },
    });
    await world.says('iscsitargets/target', 'TransientError', /there is no target/);
    await world.remove('iscsitargets/target');
    await world.gone('iscsitargets/target');
    assert.equal(await host.iscsi.listTargetPortals(), []);
    await world.create('iscsitargets/target', {
      spec: { nodeRef: 'one', portal: { address: PORTAL.address }, iqn: IQN },
    });
    offer(world, IQN);
    const { status } = await world.ready('iscsitargets/target');
    assert.equal([status?.['connection'], listIn(status, 'diskNumbers')], ['Connected', [1]]);
    await host.iscsi.disconnectTarget(PORTAL, IQN);
    await world.happens('it is connected', async () => (await host.iscsi.getTargetDisks(PORTAL, IQN)).length === 1);
    await world.create('windowsdisks/data', { spec: { nodeRef: 'one', iscsiTargetRef: 'target', index: 0 } });
    await world.ready('windowsdisks/data');
    await isRefused(world.merge('iscsitargets/target', { spec: { iqn: `${IQN}2` } }), /immutable|changed/i);
    await world.remove('iscsitargets/target');
    await world.says('iscsitargets/target', 'WaitingForUsers', /windowsdisk/);
    await world.remove('windowsdisks/data');
    for (const path of ['windowsdisks/data', 'iscsitargets/target']) await world.gone(path);
    assert.equal(await host.iscsi.listTargetPortals(), []);
    const changes = world.machine().changes.filter((change) => change !== 'startService');
    assert.equal(changes.slice(-3), ['setDiskState', 'disconnectTarget', 'removeTargetPortal']);
  });

  check('IscsiTarget: with a login, which is what the spec says whenever it is connected', async (world) => {
    const { host } = world.machine();
    offer(world, IQN, { chap: { username: 'user', secret: FIRST } });
    const auth = { type: 'OneWayCHAP', secretRef: 'chap' };
    await world.create('iscsitargets/target', { spec: { nodeRef: 'one', portal: PORTAL, iqn: IQN, auth } });
    await world.says('iscsitargets/target', 'WaitingForDependency', /Secret\/chap to be created/);
    await world.create('secrets/chap', login(SECOND));
    await world.says('iscsitargets/target', 'TransientError', /refused the login/);
    await world.merge('secrets/chap', login(FIRST));
    await world.ready('iscsitargets/target');
    await world.merge('iscsitargets/target', { spec: { auth: { type: 'None', secretRef: null } } });
    await world.ready('iscsitargets/target');
    await host.iscsi.disconnectTarget(PORTAL, IQN);
    await world.says('iscsitargets/target', 'TransientError', /refused the login/);
    await world.merge('iscsitargets/target', { spec: { auth: { type: 'OneWayCHAP' } } });
    await world.says('iscsitargets/target', 'InvalidConfiguration', /auth\.secretRef is needed/);
    await world.merge('iscsitargets/target', { spec: { auth } });
    await world.ready('iscsitargets/target');
    await world.remove('secrets/chap');
    await world.remove('iscsitargets/target');
    await world.gone('iscsitargets/target');
    assert.equal(await host.iscsi.listTargetPortals(), []);
  });
}

function describeMappings(check: Check): void {
  check('SmbMapping: with the least that it takes, mapped again when somebody removes it', async (world) => {
    const { smb, host } = world.machine();
    await world.create('smbmappings/share', { spec: { nodeRef: 'one', remotePath: SHARE } });
    await world.says('smbmappings/share', 'TransientError', /cannot be found/);
    smb.offer(SHARE, { username: '', password: '' });
    const { status } = await world.ready('smbmappings/share');
    assert.equal([status?.['root'], status?.['origin'], status?.['users']], [SHARE, 'Made', 0]);
    await host.smb.removeSmbGlobalMapping(SHARE);
    await world.happens('it is mapped', async () => (await host.smb.isSmbMapped(SHARE)) === 'mapped');
    // Windows alone tells of that.
    if (!world.isPiped) smb.breakMapping(SHARE);
    await world.happens('it works', async () => (await host.smb.isSmbMapped(SHARE)) === 'mapped');
    await isRefused(world.merge('smbmappings/share', { spec: { remotePath: `${SHARE}2` } }), /immutable|changed/i);
    await world.create('windowsmounts/link', {
      spec: { path: 'C:\\var\\lib\\kubelet\\link', source: { smbMappingRef: 'share' } },
    });
    await world.ready('windowsmounts/link');
    await world.remove('smbmappings/share');
    await world.says('smbmappings/share', 'WaitingForUsers', /windowsmount/);
    await world.remove('windowsmounts/link');
    for (const path of ['windowsmounts/link', 'smbmappings/share']) await world.gone(path);
    assert.is(await host.smb.isSmbMapped(SHARE), 'absent');
    const odd = { spec: { nodeRef: 'one', remotePath: '\\\\files' } };
    await isRefused(world.create('smbmappings/odd', odd), /remotePath/);
  });

  check('SmbMapping: with credentials, other ones of which are used when its rotation says so', async (world) => {
    const { smb } = world.machine();
    smb.offer(SHARE, { username: 'user', password: FIRST });
    await world.create('smbmappings/share', {
      spec: { nodeRef: 'one', remotePath: SHARE, credentialsSecretRef: 'login', rotation: 'Immediate' },
    });
    await world.says('smbmappings/share', 'WaitingForDependency', /Secret\/login to be created/);
    await world.create('secrets/login', { stringData: { username: 'user' } });
    await world.says('smbmappings/share', 'TransientError', /Secret\/login has no 'password'/);
    await world.merge('secrets/login', login(SECOND));
    await world.until('smbmappings/share', 'refused', (raw) => JSON.stringify(raw.status).includes('error 1326'));
    await world.merge('secrets/login', login(FIRST));
    const { status } = await world.ready('smbmappings/share');
    await world.create('secrets/other', login(FIRST));
    await world.merge('smbmappings/share', { spec: { credentialsSecretRef: 'other' } });
    await world.ready('smbmappings/share');
    const before = count(world, 'removeSmbGlobalMapping');
    if (!world.isPiped) assert.is(before, 0, 'the same ones by another name');
    await world.merge('smbmappings/share', { spec: { rotation: 'WhenUnused' } });
    await world.ready('smbmappings/share');
    smb.offer(SHARE, { username: 'user', password: SECOND });
    await world.merge('secrets/other', login(SECOND));
    await world.until('smbmappings/share', 'mapped anew', (raw) => {
      const { credentialHash } = raw.status ?? {};
      return credentialHash !== status?.['credentialHash'];
    });
    assert.is(count(world, 'removeSmbGlobalMapping') - before, 1);
    await world.remove('secrets/other');
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    assert.is(await world.machine().host.smb.isSmbMapped(SHARE), 'absent');
  });
}
