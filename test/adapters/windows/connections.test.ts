// long
// What connects a machine to others: shares and iSCSI targets, and what they ask for to let it in.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../adapters/csi-proxy/base/status.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { GIB, inWorld, listIn, readyOf, type World } from '../../world/windows.ts';

const test = suite('connections');
const SHARE = '\\\\files\\data';
const [FIRST, SECOND, MUTUAL] = ['Wp7-first-of-all', 'Xq8-comes-later', 'Mz3-the-target'];

const login = (password: string) => ({ stringData: { username: 'user', password } });
const mapping = (more: JsonObject = {}) => ({
  spec: { nodeRef: 'one', remotePath: `${SHARE}\\sub`, credentialsSecretRef: 'login', ...more },
});
const count = (world: World, change: string): number =>
  world.machine().changes.filter((each) => each === change).length;

async function withShare(world: World, more = {}): Promise<void> {
  world.machine().smb.offer(SHARE, { username: 'user', password: FIRST });
  await world.create('secrets/login', login(FIRST));
  await world.create('smbmappings/share', mapping(more));
}

/** Nothing that was said, logged or stored has one of these in it. */
async function assertHidden(world: World, ...secrets: readonly string[]): Promise<void> {
  const text = await world.everything();
  for (const secret of secrets) {
    assert.not.ok(text.includes(secret), 'a secret is told');
    assert.not.ok(text.includes(Buffer.from(secret).toString('base64')), 'a secret is told in base64');
  }
}

test('a share is mapped, a link leads to it, and nothing is left of either in the end', () =>
  inWorld({}, async (world) => {
    await withShare(world);
    const { status } = await world.ready('smbmappings/share');
    assert.equal([status?.['root'], status?.['origin']], [SHARE, 'Made']);
    const path = 'C:\\var\\lib\\kubelet\\shared';
    await world.machine().host.filesystem.mkdir(`${SHARE}\\sub\\a`);
    await world.create('windowsmounts/shared', { spec: { path, source: { smbMappingRef: 'share', subPath: 'a' } } });
    await world.ready('windowsmounts/shared');
    await world.until('smbmappings/share', 'used', (raw) => raw.status?.['users'] === 1);
    assert.is(await world.machine().host.filesystem.realPath(path, { last: 'followed' }), `${SHARE}\\sub\\a`);
    await world.remove('smbmappings/share');
    await world.says('smbmappings/share', 'WaitingForUsers');
    await world.remove('windowsmounts/shared');
    await world.gone('windowsmounts/shared');
    await world.gone('smbmappings/share');
    assert.is(await world.machine().host.smb.isSmbMapped(SHARE), 'absent');
    assert.not.ok(await world.machine().host.filesystem.pathExists(path));
    await assertHidden(world, FIRST);
  }));

test('an actor that begins anew while a share is mapped takes the mapping for its own, and removes it (WIN-KINDS-SMB-MAPPING-1)', () =>
  inWorld({}, async (world) => {
    const held = Promise.withResolvers<void>();
    world.machine().before.set('newSmbGlobalMapping', () => held.promise);
    await withShare(world);
    await world.until('smbmappings/share', 'on record', (raw) => raw.status?.['origin'] === 'Made');
    await world.restartActors();
    held.resolve();
    await world.ready('smbmappings/share');
    await world.settle();
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    assert.is(await world.machine().host.smb.isSmbMapped(SHARE), 'absent');
  }));

test('a share that was mapped by somebody else is used and stays (WIN-KINDS-SMB-MAPPING-1)', () =>
  inWorld({}, async (world) => {
    const { host, smb } = world.machine();
    smb.offer(SHARE, { username: 'user', password: FIRST });
    await host.smb.newSmbGlobalMapping({ root: SHARE, username: 'user', password: FIRST, encryption: 'required' });
    await withShare(world);
    await world.says('smbmappings/share', 'Found');
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    assert.is(await host.smb.isSmbMapped(SHARE), 'mapped');
  }));

test('other credentials wait until nobody uses the share, or not, as is said (WIN-KINDS-SMB-MAPPING-2)', () =>
  inWorld({}, async (world) => {
    await withShare(world);
    const before = await world.ready('smbmappings/share');
    const path = 'C:\\var\\lib\\kubelet\\shared';
    await world.machine().host.filesystem.mkdir(`${SHARE}\\sub`);
    await world.create('windowsmounts/shared', { spec: { path, source: { smbMappingRef: 'share' } } });
    await world.ready('windowsmounts/shared');
    await world.merge('secrets/login', login(SECOND));
    await world.says('smbmappings/share', 'RotationPending');
    assert.is(count(world, 'newSmbGlobalMapping'), 1);
    // The server takes the new one only from those who come anew.
    world.machine().smb.offer(SHARE, { username: 'user', password: SECOND });
    await world.merge('smbmappings/share', { spec: { rotation: 'Immediate' } });
    const after = await world.until(
      'smbmappings/share',
      'mapped anew',
      ({ status }) => status?.['credentialHash'] !== before.status?.['credentialHash'],
    );
    assert.match(String(after.status?.['credentialHash']), /^[0-9a-f]{32}$/);
    assert.is(count(world, 'newSmbGlobalMapping'), 2);
    await assertHidden(world, FIRST, SECOND);
  }));

test('who comes to use a share while it is about to get other credentials keeps it as it is (WIN-KINDS-SMB-MAPPING-2)', () =>
  inWorld({}, async (world) => {
    await withShare(world);
    await world.ready('smbmappings/share');
    const { smb, host } = world.machine();
    await host.filesystem.mkdir(`${SHARE}\\sub`);
    const { isSmbMapped } = host.smb;
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let looks = 0;
    host.smb.isSmbMapped = async (root) => {
      await gates[looks++]?.promise;
      return isSmbMapped(root);
    };
    await world.happens('a look is under way', () => looks === 1);
    smb.offer(SHARE, { username: 'user', password: SECOND });
    await world.merge('secrets/login', login(SECOND));
    gates[0].resolve();
    await world.happens('a look has the other credentials', () => looks === 2);
    const path = 'C:\\var\\lib\\kubelet\\shared';
    await world.create('windowsmounts/shared', { spec: { path, source: { smbMappingRef: 'share' } } });
    await world.ready('windowsmounts/shared');
    gates[1].resolve();
    await world.says('smbmappings/share', 'RotationPending', /1 users/);
    assert.is(count(world, 'newSmbGlobalMapping'), 1);
    await world.remove('windowsmounts/shared');
    await world.happens('it is mapped anew', () => count(world, 'newSmbGlobalMapping') === 2);
  }));

test('a share that refuses the password says so without it (WIN-OPERATIONS-SMB-MAPPING-2)', () =>
  inWorld({}, async (world) => {
    world.machine().smb.offer(SHARE, { username: 'user', password: SECOND });
    world.machine().before.set('newSmbGlobalMapping', async () => {
      throw new StatusError(Code.Unknown, `error 1326: ${FIRST} is no password`);
    });
    await world.create('secrets/login', login(FIRST));
    await world.create('smbmappings/share', mapping());
    assert.match(await world.says('smbmappings/share', 'TransientError'), /error 1326: \*\*\*/);
    await assertHidden(world, FIRST);
  }));

test('targets of one portal are connected with CHAP; the portal goes with the last; disks go before', () =>
  inWorld({}, async (world) => {
    const { iscsi, disks, host } = world.machine();
    const portal = { address: '10.0.0.1', port: 3260 };
    const [one, two] = ['iqn.2024-01.org.example:one', 'iqn.2024-01.org.example:two'] as const;
    const chap = { username: 'user', secret: FIRST };
    const made = (page83: string) => [disks.make({ sizeBytes: GIB, page83, state: 'offline' })];
    iscsi.offer({ portal, iqn: one, disks: made('naa.a'), chap, mutualSecret: MUTUAL });
    iscsi.offer({ portal, iqn: two, disks: made('naa.b') });
    await world.create('secrets/chap', login(FIRST));
    await world.create('secrets/mutual', { stringData: { password: MUTUAL } });
    await world.merge('windowsstoragenodes/one', { spec: { mutualChapSecretRef: 'mutual' } });
    const target = (iqn: string, auth?: JsonObject) => ({
      spec: { nodeRef: 'one', portal: { address: portal.address }, iqn, ...(auth && { auth }) },
    });
    await world.create('iscsitargets/one', target(one, { type: 'MutualCHAP', secretRef: 'chap' }));
    await world.create('iscsitargets/two', target(two));
    await world.ready('iscsitargets/two');
    const { status } = await world.ready('iscsitargets/one');
    assert.is(listIn(status, 'diskNumbers').length, 1);
    await world.create('windowsdisks/a', { spec: { nodeRef: 'one', iscsiTargetRef: 'one', index: 0 } });
    assert.is((await world.ready('windowsdisks/a')).status?.['identity'], 'page83:naa.a');
    await world.remove('iscsitargets/one');
    await world.says('iscsitargets/one', 'WaitingForUsers');
    await world.remove('windowsdisks/a');
    for (const path of ['windowsdisks/a', 'iscsitargets/one']) await world.gone(path);
    assert.is((await host.iscsi.listTargetPortals()).length, 1);
    assert.equal(await host.iscsi.getTargetDisks(portal, one), []);
    await world.remove('iscsitargets/two');
    await world.gone('iscsitargets/two');
    assert.equal(await host.iscsi.listTargetPortals(), []);
    await assertHidden(world, FIRST, MUTUAL);
  }));

test('a disk of a target is the one that it was when the target was looked at, whatever its number is by now', () =>
  inWorld({}, async (world) => {
    const { iscsi, disks, before } = world.machine();
    const iqn = 'iqn.2024-01.org.example:one';
    const remote = disks.make({ sizeBytes: GIB, page83: 'naa.remote', state: 'offline' });
    iscsi.offer({ portal: { address: '10.0.0.1', port: 3260 }, iqn, disks: [remote] });
    await world.create('iscsitargets/one', { spec: { nodeRef: 'one', portal: { address: '10.0.0.1' }, iqn } });
    await world.ready('iscsitargets/one');
    const held = Promise.withResolvers<void>();
    before.set('startService', () => held.promise);
    await disks.detach(1);
    assert.is(await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.local', state: 'offline' })), 1);
    await disks.attachSeen(remote);
    await world.create('windowsdisks/a', { spec: { nodeRef: 'one', iscsiTargetRef: 'one', index: 0 } });
    const found = await world.until('windowsdisks/a', 'found', ({ status }) => status?.['identity'] !== undefined);
    assert.equal([found.status?.['identity'], found.status?.['number']], ['page83:naa.remote', 2]);
    held.resolve();
    await world.ready('windowsdisks/a');
    assert.is(disks.disk(1).state, 'offline');
  }));

test('a target that two objects stand for is disconnected with the second of them (WIN-OPERATIONS-ISCSI-TARGET-2)', () =>
  inWorld({}, async (world) => {
    const { iscsi, disks, host } = world.machine();
    const [portal, iqn] = [{ address: '10.0.0.1', port: 3260 }, 'iqn.2024-01.org.example:one'];
    iscsi.offer({ portal, iqn, disks: [disks.make({ sizeBytes: GIB, page83: 'naa.remote' })] });
    for (const name of ['one', 'two']) {
      await world.create(`iscsitargets/${name}`, { spec: { nodeRef: 'one', portal, iqn } });
      await world.ready(`iscsitargets/${name}`);
    }
    await world.remove('iscsitargets/one');
    await world.gone('iscsitargets/one');
    assert.is(count(world, 'disconnectTarget'), 0);
    await world.remove('iscsitargets/two');
    await world.gone('iscsitargets/two');
    assert.equal(await host.iscsi.listTargetPortals(), []);
  }));

test('of targets that are deleted at once nothing is left, nor of their portal (WIN-OPERATIONS-ISCSI-TARGET-2)', () =>
  inWorld({}, async (world) => {
    const { iscsi, disks, host } = world.machine();
    const portal = { address: '10.0.0.1', port: 3260 };
    const iqns = {
      one: 'iqn.2024-01.org.example:one',
      same: 'iqn.2024-01.org.example:one',
      two: 'iqn.2024-01.org.example:two',
    };
    iscsi.offer({ portal, iqn: iqns.one, disks: [disks.make({ sizeBytes: GIB, page83: 'naa.one' })] });
    iscsi.offer({ portal, iqn: iqns.two, disks: [disks.make({ sizeBytes: GIB, page83: 'naa.two' })] });
    const paths = Object.keys(iqns).map((name) => `iscsitargets/${name}`);
    for (const [name, iqn] of Object.entries(iqns)) {
      await world.create(`iscsitargets/${name}`, { spec: { nodeRef: 'one', portal, iqn } });
    }
    for (const path of paths) await world.ready(path);
    await Promise.all(paths.map((path) => world.remove(path)));
    for (const path of paths) await world.gone(path);
    assert.equal(await host.iscsi.listTargetPortals(), []);
    assert.is((await host.disk.listDiskIDs()).disks.size, 1);
  }));

test('of targets whose disks were used until the end nothing is left, nor of their portal (WIN-OPERATIONS-ISCSI-TARGET-2)', () =>
  inWorld({}, async (world) => {
    const { iscsi, disks, host } = world.machine();
    const portal = { address: '10.0.0.1', port: 3260 };
    const names = ['one', 'two'];
    const paths = names.flatMap((name) => [`windowsdisks/${name}`, `iscsitargets/${name}`]);
    for (const name of names) {
      const iqn = `iqn.2024-01.org.example:${name}`;
      iscsi.offer({ portal, iqn, disks: [disks.make({ sizeBytes: GIB, page83: `naa.${name}` })] });
      await world.create(`iscsitargets/${name}`, { spec: { nodeRef: 'one', portal, iqn } });
      await world.create(`windowsdisks/${name}`, { spec: { nodeRef: 'one', iscsiTargetRef: name, index: 0 } });
    }
    for (const path of paths) await world.ready(path);
    await Promise.all(paths.map((path) => world.remove(path)));
    for (const path of paths) await world.gone(path);
    assert.equal(await host.iscsi.listTargetPortals(), []);
  }));

/** A target with a disk, of which nothing is connected. */
function offered(world: World) {
  const { iscsi, disks, host } = world.machine();
  const [portal, iqn] = [{ address: '10.0.0.1', port: 3260 }, 'iqn.2024-01.org.example:one'];
  iscsi.offer({ portal, iqn, disks: [disks.make({ sizeBytes: GIB, page83: 'naa.remote' })] });
  const connect = async (): Promise<void> => {
    await host.system.startService('MSiSCSI');
    await host.iscsi.addTargetPortal(portal);
    await host.iscsi.discoverTargetPortal(portal);
    await host.iscsi.connectTarget(portal, iqn, { authentication: 'NONE', username: '', secret: '' });
  };
  return { portal, iqn, host, connect, spec: { spec: { nodeRef: 'one', portal, iqn } } };
}

test('33.A6: a session that was there before is used, and stays with its portal (WIN-KINDS-ISCSI-TARGET-1, WIN-SHARED-1)', () =>
  inWorld({}, async (world) => {
    const { portal, iqn, host, connect, spec } = offered(world);
    await connect();
    await world.create('iscsitargets/one', spec);
    const { status } = await world.ready('iscsitargets/one');
    assert.equal([status?.['origin'], status?.['madeBy'], status?.['portalMadeBy']], ['Found', undefined, undefined]);
    assert.is(readyOf((await world.read('iscsitargets/one')) as never)['reason'], 'Found');
    await world.remove('iscsitargets/one');
    await world.gone('iscsitargets/one');
    assert.is((await host.iscsi.getTargetDisks(portal, iqn)).length, 1);
    assert.equal([count(world, 'disconnectTarget'), count(world, 'removeTargetPortal')], [0, 0]);
  }));

test('33.A6: a session that somebody makes between the look and the request is not its own (WIN-KINDS-ISCSI-TARGET-1)', () =>
  inWorld({}, async (world) => {
    const { portal, iqn, host, connect, spec } = offered(world);
    let isDone = false;
    world.machine().before.set('startService', async () => {
      const { status } = (await world.read('iscsitargets/one')) ?? {};
      if (status?.['connection'] === undefined || isDone) return;
      isDone = true;
      await connect();
    });
    await world.create('iscsitargets/one', spec);
    assert.is((await world.ready('iscsitargets/one')).status?.['origin'], 'Found');
    await world.remove('iscsitargets/one');
    await world.gone('iscsitargets/one');
    assert.is((await host.iscsi.getTargetDisks(portal, iqn)).length, 1);
  }));

test('a session that a person makes after an attempt that certainly made none is not its own (WIN-KINDS-ISCSI-TARGET-1)', () =>
  inWorld({}, async (world) => {
    const { portal, iqn, host, connect, spec } = offered(world);
    const auth = { type: 'OneWayCHAP', secretRef: 'login' };
    await world.create('secrets/login', { stringData: { username: 'user' } });
    await world.create('iscsitargets/one', { spec: { ...spec.spec, auth } });
    await world.says('iscsitargets/one', 'TransientError', /has no 'password'/);
    const refused = await world.read('iscsitargets/one');
    assert.equal([refused?.status?.['madeBy'], refused?.status?.['origin']], [undefined, undefined]);
    await connect();
    assert.is((await world.ready('iscsitargets/one')).status?.['origin'], 'Found');
    await world.remove('iscsitargets/one');
    await world.gone('iscsitargets/one');
    assert.is((await host.iscsi.getTargetDisks(portal, iqn)).length, 1);
    assert.equal([count(world, 'disconnectTarget'), count(world, 'removeTargetPortal')], [0, 0]);
  }));

test('a login that a target refuses leaves no connection on record, and the portal that was added goes in the end (WIN-KINDS-ISCSI-TARGET-1)', () =>
  inWorld({}, async (world) => {
    const { iscsi, disks, host } = world.machine();
    const [portal, iqn] = [{ address: '10.0.0.1', port: 3260 }, 'iqn.2024-01.org.example:one'];
    const chap = { username: 'user', secret: SECOND };
    iscsi.offer({ portal, iqn, chap, disks: [disks.make({ sizeBytes: GIB, page83: 'naa.remote' })] });
    await world.create('secrets/login', login(FIRST));
    const auth = { type: 'OneWayCHAP', secretRef: 'login' };
    await world.create('iscsitargets/one', { spec: { nodeRef: 'one', portal, iqn, auth } });
    await world.says('iscsitargets/one', 'TransientError', /refused the login/);
    const { status } = (await world.read('iscsitargets/one')) ?? {};
    assert.equal([status?.['connection'], status?.['madeBy']], ['Connecting', undefined]);
    assert.equal(await host.iscsi.listTargetPortals(), [portal]);
    await world.remove('iscsitargets/one');
    await world.gone('iscsitargets/one');
    assert.equal(await host.iscsi.listTargetPortals(), []);
  }));

test('a share that a person maps after an attempt that was refused is not its own (WIN-KINDS-SMB-MAPPING-1)', () =>
  inWorld({}, async (world) => {
    const { host, smb } = world.machine();
    smb.offer(SHARE, { username: 'user', password: SECOND });
    await world.create('secrets/login', login(FIRST));
    await world.create('smbmappings/share', mapping());
    await world.says('smbmappings/share', 'TransientError');
    await host.smb.newSmbGlobalMapping({ root: SHARE, username: 'user', password: SECOND, encryption: 'required' });
    await world.says('smbmappings/share', 'Found');
    assert.is(count(world, 'removeSmbGlobalMapping'), 0);
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    assert.is(await host.smb.isSmbMapped(SHARE), 'mapped');
  }));

test('a mapping of another client that does not work is left to people, and used again once it works (WIN-SHARED-1)', () =>
  inWorld({}, async (world) => {
    const { host, smb } = world.machine();
    smb.offer(SHARE, { username: 'user', password: FIRST });
    const map = () =>
      host.smb.newSmbGlobalMapping({ root: SHARE, username: 'user', password: FIRST, encryption: 'required' });
    await map();
    await withShare(world);
    await world.says('smbmappings/share', 'Found');
    smb.breakMapping(SHARE);
    await world.says('smbmappings/share', 'MappingBroken', /repair or remove it/);
    await world.settle();
    assert.equal([count(world, 'removeSmbGlobalMapping'), count(world, 'newSmbGlobalMapping')], [0, 1]);
    await host.smb.removeSmbGlobalMapping(SHARE);
    await map();
    await world.says('smbmappings/share', 'Found');
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    assert.is(await host.smb.isSmbMapped(SHARE), 'mapped');
  }));

test('a directory that a person makes where a mount was recorded, and certainly not made, is not its own (WIN-KINDS-WINDOWS-MOUNT-1)', () =>
  inWorld({}, async (world) => {
    const { host, before } = world.machine();
    const path = 'C:\\var\\lib\\kubelet\\data';
    await world.ready('windowsstoragenodes/one');
    before.set('mkdir', async () => {
      throw new StatusError(Code.Unknown, 'not now');
    });
    let isAsked = false;
    const { pathExists } = host.filesystem;
    host.filesystem.pathExists = async (at) => {
      const { status } = (await world.read('windowsmounts/data')) ?? {};
      if (status?.['path'] === undefined || isAsked) return pathExists(at);
      isAsked = true;
      throw new StatusError(Code.Unknown, 'not now');
    };
    await world.create('windowsmounts/data', {
      spec: { path, source: { nodeRef: 'one' }, deletionPolicy: 'RemoveContents' },
    });
    await world.says('windowsmounts/data', 'TransientError');
    assert.ok(isAsked);
    before.delete('mkdir');
    await host.filesystem.mkdir(`${path}\\of-a-person`);
    await world.says('windowsmounts/data', 'PathTaken');
    await world.remove('windowsmounts/data');
    await world.gone('windowsmounts/data');
    assert.ok(await host.filesystem.pathExists(`${path}\\of-a-person`));
  }));

test('33.A6: a portal that was there before stays; what was connected through it goes (WIN-KINDS-ISCSI-TARGET-1, WIN-SHARED-1)', () =>
  inWorld({}, async (world) => {
    const { portal, iqn, host, spec } = offered(world);
    await host.system.startService('MSiSCSI');
    await host.iscsi.addTargetPortal(portal);
    await world.create('iscsitargets/one', spec);
    assert.is((await world.ready('iscsitargets/one')).status?.['origin'], 'Made');
    await world.remove('iscsitargets/one');
    await world.gone('iscsitargets/one');
    assert.equal([await host.iscsi.getTargetDisks(portal, iqn), await host.iscsi.listTargetPortals()], [[], [portal]]);
  }));

test('33.A6: a share that two objects map goes with the last of them, whichever made the mapping (WIN-OPERATIONS-SMB-MAPPING-1, WIN-SHARED-2)', () =>
  inWorld({}, async (world) => {
    await withShare(world);
    const made = await world.ready('smbmappings/share');
    await world.create('smbmappings/other', mapping({ remotePath: SHARE.toUpperCase() }));
    await world.says('smbmappings/other', 'Found');
    const { status } = await world.ready('smbmappings/other');
    assert.equal(
      [status?.['origin'], status?.['madeBy'], status?.['credentialHash']],
      ['Found', made.metadata.uid, undefined],
    );
    const path = 'C:\\var\\lib\\kubelet\\shared';
    await world.create('windowsmounts/shared', { spec: { path, source: { smbMappingRef: 'other' } } });
    await world.ready('windowsmounts/shared');
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    const { isSmbMapped } = world.machine().host.smb;
    assert.is(await isSmbMapped(SHARE), 'mapped');
    for (const each of ['windowsmounts/shared', 'smbmappings/other']) await world.remove(each);
    await world.gone('smbmappings/other');
    assert.is(await isSmbMapped(SHARE), 'absent');
  }));

test('33.A6: a share that somebody maps between the look and the request is not its own (WIN-KINDS-SMB-MAPPING-1, WIN-OPERATIONS-SMB-MAPPING-1)', () =>
  inWorld({}, async (world) => {
    const { host, before } = world.machine();
    let isDone = false;
    before.set('isSmbMapped', async () => {
      const { status } = (await world.read('smbmappings/share')) ?? {};
      if (status?.['origin'] !== 'Made' || isDone) return;
      isDone = true;
      await host.smb.newSmbGlobalMapping({ root: SHARE, username: 'user', password: FIRST, encryption: 'required' });
    });
    await withShare(world);
    await world.says('smbmappings/share', 'Found');
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    assert.is(await host.smb.isSmbMapped(SHARE), 'mapped');
  }));

test('33.A6: of objects that map a share at once one has made it, and the others say so (WIN-KINDS-SMB-MAPPING-1, WIN-OPERATIONS-SMB-MAPPING-1)', () =>
  inWorld({}, async (world) => {
    const held = Promise.withResolvers<void>();
    let isAsked = false;
    world.machine().before.set('newSmbGlobalMapping', () => {
      isAsked = true;
      return held.promise;
    });
    await withShare(world);
    await world.happens('the first one is at it', () => isAsked);
    await world.create('secrets/wrong', login(SECOND));
    await world.create('smbmappings/other', mapping({ credentialsSecretRef: 'wrong' }));
    for (const path of ['smbmappings/share', 'smbmappings/other']) {
      await world.until(path, 'on record', (raw) => raw.status?.['origin'] === 'Made');
    }
    held.resolve();
    await world.ready('smbmappings/share');
    await world.says('smbmappings/other', 'Found');
    const all = await Promise.all(['share', 'other'].map((name) => world.read(`smbmappings/${name}`)));
    assert.equal(
      all.map((each) => [each?.status?.['origin'], typeof each?.status?.['credentialHash']]),
      [
        ['Made', 'string'],
        ['Found', 'undefined'],
      ],
    );
    assert.is(count(world, 'newSmbGlobalMapping'), 1);
  }));

test('a service that the node does not allow is not started', () =>
  inWorld({}, async (world) => {
    await world.merge('windowsstoragenodes/one', { spec: { services: [] } });
    await world.create('iscsitargets/one', {
      spec: { nodeRef: 'one', portal: { address: '10.0.0.1' }, iqn: 'iqn.2024-01.org.example:one' },
    });
    assert.match(await world.says('iscsitargets/one', 'InvalidConfiguration'), /MSiSCSI/);
    assert.is(count(world, 'startService'), 0);
  }));

for (const isRestarted of [false, true])
  test(`33.A6: a portal goes with the last that uses it, connected after who made it had gone${isRestarted ? ' and its process had ended' : ''} (WIN-SHARED-2)`, () =>
    inWorld({}, async (world) => {
      const { iscsi, disks, host } = world.machine();
      const portal = { address: '192.0.2.61', port: 3260 };
      const iqnOf = (name: string): string => `iqn.2026-01.com.example:${name}`;
      const offer = (name: string): void =>
        iscsi.offer({ portal, iqn: iqnOf(name), disks: [disks.make({ sizeBytes: GIB, page83: `naa.${name}` })] });
      const target = (name: string) => ({ spec: { nodeRef: 'one', portal, iqn: iqnOf(name) } });
      offer('first');
      await world.create('iscsitargets/first', target('first'));
      await world.ready('iscsitargets/first');
      await world.create('iscsitargets/second', target('second'));
      await world.says('iscsitargets/second', 'TransientError', /there is no target/);
      await world.remove('iscsitargets/first');
      await world.gone('iscsitargets/first');
      assert.is((await host.iscsi.listTargetPortals()).length, 1, 'the other one needs it');
      if (isRestarted) await world.crashNode('one');
      offer('second');
      await world.ready('iscsitargets/second');
      await world.remove('iscsitargets/second');
      await world.gone('iscsitargets/second');
      assert.equal(await host.iscsi.listTargetPortals(), []);
    }));

test.run();
