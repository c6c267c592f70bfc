// long
// A node whose csi-proxy is asked: where it is, what it serves, and what of it cannot be relied upon.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import { KeyedMutex } from '../../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../../adapters/http/egress-policy.ts';
import type { Login } from '../../../../adapters/windows/operations/storage.ts';
import { windowsMountOperations } from '../../../../adapters/windows/operations/windows-mount.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { inWorld, listIn, type World } from '../../../world/windows.ts';
import { isRefused, PAGE83, withDisk } from '../checks.ts';

const test = suite('nodes with a csi-proxy');

const NODE = 'windowsstoragenodes/one';
const SHARE = '\\\\files\\data';
const ROOT = 'C:\\var\\lib\\kubelet';
const [FIRST, SECOND] = ['Wp7-first-of-all', 'Xq8-comes-later'];
const DISK = { spec: { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true } };

const login = (password: string): JsonObject => ({ stringData: { username: 'user', password } });
const count = (world: World, change: string): number =>
  world.machine().changes.filter((each) => each === change).length;

test('it says where it is asked and what is served; what is on it has the same endpoint', () =>
  inWorld({ isPiped: true }, async (world) => {
    await withDisk(world);
    const { status } = await world.ready(NODE);
    assert.is(status?.['endpoint'], world.endpointOf('one'));
    assert.equal(
      listIn(status, 'apiVersions').find((each) => (each as JsonObject)['group'] === 'iscsi'),
      { group: 'iscsi', served: ['v1alpha2', 'v1alpha1'], used: 'v1alpha2' },
    );
    await world.create('windowsdisks/data', DISK);
    assert.is((await world.ready('windowsdisks/data')).status?.['endpoint'], world.endpointOf('one'));
  }));

test('where nobody serves the condition says so; another endpoint is used as soon as it is said', () =>
  inWorld({ isPiped: true }, async (world) => {
    await withDisk(world);
    await world.create('windowsdisks/data', DISK);
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfUnknown' } });
    await world.ready('windowsvolumes/data');
    await world.stopServing('one');
    await world.says(NODE, 'CsiProxyUnreachable', /pipes-one': csi-proxy does not run there/);
    await world.says('windowsdisks/data', 'WaitingForDependency');
    await world.serve('else');
    await world.merge(NODE, { spec: { endpoint: world.endpointOf('else') } });
    await world.ready('windowsvolumes/data');
    await world.until('windowsvolumes/data', 'there', (raw) => raw.status?.['endpoint'] === world.endpointOf('else'));
    for (const path of ['windowsvolumes/data', 'windowsdisks/data']) await world.remove(path);
    for (const path of ['windowsvolumes/data', 'windowsdisks/data']) await world.gone(path);
    assert.is(world.machine().disks.disk(1).state, 'offline');
    await isRefused(world.merge(NODE, { spec: { endpoint: 'run/csi-proxy' } }), /endpoint/);
    await isRefused(world.merge(NODE, { spec: { limits: { callsInFlight: 0 } } }), /callsInFlight/);
    if (process.platform === 'win32') return;
    await world.merge(NODE, { spec: { endpoint: '\\\\.\\pipe' } });
    await world.says(NODE, 'InvalidConfiguration', /there are no named pipes on the node/);
  }));

test('without an endpoint the machine itself is asked, from then on, and not before', () =>
  inWorld({ isPiped: true }, async (world) => {
    await world.ready(NODE);
    await world.merge(NODE, { spec: { endpoint: null } });
    await world.until(NODE, 'refused', (raw) => JSON.stringify(raw.status).includes('access is denied'));
    await world.merge(NODE, { spec: { endpoint: world.endpointOf('one') } });
    await world.ready(NODE);
  }));

test('a group of which none may be used is said by who asks for it, and by the node if its spec does', () =>
  inWorld({ isPiped: true, served: { smb: [], iscsi: ['v1alpha1'] } }, async (world) => {
    await world.ready(NODE);
    await world.create('smbmappings/share', { spec: { nodeRef: 'one', remotePath: SHARE } });
    await world.says('smbmappings/share', 'ApiNotServed', /group smb: no version of it is served/);
    const { status } = await world.ready(NODE);
    assert.ok(listIn(status, 'apiVersions').some((each) => JSON.stringify(each) === '{"group":"smb"}'));
    await world.merge(NODE, { spec: { apiVersions: [{ group: 'iscsi', versions: ['v1alpha2'] }] } });
    await world.says(NODE, 'ApiNotServed', /serves v1alpha1 of group iscsi, and none of those that may be used/);
    await world.merge(NODE, { spec: { apiVersions: [{ group: 'iscsi', versions: ['v1alpha2', 'v1alpha1'] }] } });
    await world.ready(NODE);
    await world.merge(NODE, { spec: { apiVersions: [{ group: 'disk', versions: ['v1alpha1'] }] } });
    await world.says(NODE, 'ApiNotServed', /group disk: v1, .* may be used/);
  }));

test('IfRaw is refused, as nobody tells whether the disk was raw, and the condition says what to do (WIN-KINDS-WINDOWS-VOLUME-2)', () =>
  inWorld({ isPiped: true }, async (world) => {
    await withDisk(world);
    await world.create('windowsdisks/data', DISK);
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfRaw' } });
    const reported = await world.says('windowsvolumes/data', 'RawNotTold');
    assert.match(reported, /IfRaw, and csi-proxy does not tell whether the disk was raw: IfUnknown .* Never/);
    await world.settle();
    assert.is(count(world, 'formatVolume'), 0);
    await world.merge('windowsvolumes/data', { spec: { formatPolicy: 'IfUnknown' } });
    const { status, metadata } = await world.ready('windowsvolumes/data');
    assert.equal([status?.['formattedBy'], count(world, 'formatVolume')], [metadata.uid, 1]);
  }));

test('a disk that has partitions keeps them, those that Windows makes nothing of too (WIN-KINDS-WINDOWS-DISK-2)', () =>
  inWorld({ isPiped: true }, async (world) => {
    const { disks } = world.machine();
    const number = await withDisk(world, { content: { style: 'GPT', fileSystem: 'foreign' } });
    await world.create('windowsdisks/data', DISK);
    assert.is((await world.ready('windowsdisks/data')).status?.['seenRaw'], undefined);
    assert.equal(world.machine().changes, ['setDiskState']);
    const before = disks.disk(number).partitions.length;
    Object.assign(world.machine().host.volume, { listVolumesOnDisk: async () => [] });
    await world.says('windowsdisks/data', 'TransientError', /csi-proxy reports no volume on it/);
    assert.is(disks.disk(number).partitions.length, before);
    assert.equal(world.machine().changes, ['setDiskState']);
  }));

test('a format that failed is not asked for again: nobody tells whether it goes on (WIN-KINDS-WINDOWS-VOLUME-1)', () =>
  inWorld({ isPiped: true, env: { WINDOWS_FORMAT_MS: '500' } }, async (world) => {
    let tries = 0;
    world.machine().before.set('formatVolume', async () => {
      tries += 1;
      throw new StatusError(Code.Unknown, 'the disk is busy');
    });
    await withDisk(world);
    await world.create('windowsdisks/data', DISK);
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfUnknown' } });
    await world.says('windowsvolumes/data', 'FormatUncertain', /by hand/);
    await world.settle();
    assert.is(tries, 1);
  }));

test('a share is linked to by way of csi-proxy, also with another password, and nobody is told of either (WIN-OPERATIONS-SMB-MAPPING-2)', () =>
  inWorld({ isPiped: true }, async (world) => {
    const { smb, before, host } = world.machine();
    smb.offer(SHARE, { username: 'user', password: FIRST });
    await world.create('secrets/login', login(FIRST));
    await world.create('smbmappings/share', {
      spec: { nodeRef: 'one', remotePath: SHARE, credentialsSecretRef: 'login' },
    });
    await world.ready('smbmappings/share');
    before.set('newSmbLink', async () => {
      throw new StatusError(Code.Unknown, `${FIRST} leads nowhere`);
    });
    await world.create('windowsmounts/shared', {
      spec: { path: `${ROOT}\\shared`, source: { smbMappingRef: 'share' } },
    });
    await world.says('windowsmounts/shared', 'TransientError', /leads nowhere/);
    // Its mapping does not work any more.
    await smb.changePassword(SHARE, SECOND);
    before.delete('newSmbLink');
    await world.merge('secrets/login', login(SECOND));
    await world.ready('windowsmounts/shared');
    assert.is(await host.filesystem.realPath(`${ROOT}\\shared`, { last: 'followed' }), `${SHARE}\\`);
    const everything = await world.everything();
    for (const secret of [FIRST, SECOND]) {
      assert.not.ok(everything.includes(secret));
      assert.not.ok(everything.includes(Buffer.from(secret).toString('base64')));
    }
  }));

test('what was mapped or mounted before stays, and what cannot be told apart is left (WIN-KINDS-SMB-MAPPING-1, WIN-OPERATIONS-WINDOWS-MOUNT-1)', () =>
  inWorld({ isPiped: true }, async (world) => {
    const { host, smb, files } = world.machine();
    smb.offer(SHARE, { username: 'user', password: FIRST });
    await host.smb.newSmbGlobalMapping({ root: SHARE, username: 'user', password: FIRST, encryption: 'required' });
    await world.create('smbmappings/share', { spec: { nodeRef: 'one', remotePath: SHARE } });
    await world.says('smbmappings/share', 'Found');
    await world.remove('smbmappings/share');
    await world.gone('smbmappings/share');
    assert.is(await host.smb.isSmbMapped(SHARE), 'mapped');
    await withDisk(world);
    await world.create('windowsdisks/data', DISK);
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfUnknown' } });
    const path = `${ROOT}\\pub`;
    await world.create('windowsmounts/pub', { spec: { path, source: { volumeRef: 'data' } } });
    const { status } = await world.ready('windowsmounts/pub');
    await host.volume.unmountVolume(String(status?.['volumeID']), path);
    await host.filesystem.rmdir(path, { contents: 'refused' });
    await host.filesystem.createSymlink(ROOT, path);
    await world.remove('windowsmounts/pub');
    await world.says('windowsmounts/pub', 'TransientError', /does not tell which volume is mounted on/);
    assert.is((await files.look(path)).kind, 'link');
    await host.filesystem.rmdir(path, { contents: 'refused' });
    await world.gone('windowsmounts/pub');
  }));

test('a csi-proxy that tells a password in what it says is not quoted with it (WIN-OPERATIONS-SMB-MAPPING-2)', async () => {
  const clock = simulatedClock();
  const { host } = await memoryMachine({ clock });
  const says = async (_path: string, _share: string, login: () => Promise<Login>): Promise<never> => {
    throw new StatusError(Code.Unknown, `${(await login()).password} is no password`);
  };
  const share = { metadata: { name: 'share', uid: 'u' }, spec: { credentialsSecretRef: 'login' } };
  const data = { password: Buffer.from(FIRST).toString('base64') };
  const { make } = windowsMountOperations({
    clock,
    host,
    lanes: new KeyedMutex(),
    paths: new PathRules([ROOT]),
    encryption: 'required',
    node: 'one',
    derive: async () => Buffer.of(),
    machine: async () => '',
    foreign: ANYWHERE,
    readSecret: async () => ({ uid: 's', resourceVersion: '1', data }),
    readObject: async ({ kind }) => (kind === 'SmbMapping' ? share : { metadata: { uid: 'm' } }) as never,
    listObjects: async () => [],
    behind: async () => ({ host: { ...host, smb: { ...host.smb, newSmbLink: says } }, machine: async () => '' }),
  });
  const spec = { path: `${ROOT}\\shared`, source: { smbMappingRef: 'share' } };
  const attributes = { nodeName: 'one', endpoint: '/run/csi-proxy' };
  const dependencies = { 'SmbMapping/share': { id: '', ready: true, attributes } };
  const request = { object: { metadata: { name: 'shared', uid: 'm' }, spec }, dependencies, source: { share: SHARE } };
  assert.equal(await make?.(request as never), { undone: { code: 'transient', message: '*** is no password' } });
});

test.run();
