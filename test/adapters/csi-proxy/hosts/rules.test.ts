// Every rule about what may be named, and every way that leads to a machine: what one of them refuses all refuse, and what one lets
// all let.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crd } from '../../../../adapters/api/contract/crds.ts';
import { Code } from '../../../../adapters/csi-proxy/base/status.ts';
import { KeyedMutex } from '../../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../../adapters/http/egress-policy.ts';
import { windowsContracts } from '../../../../adapters/windows/contracts/mod.ts';
import { iscsiTargetOperations } from '../../../../adapters/windows/operations/iscsi-target.ts';
import type { MachinePorts } from '../../../../adapters/windows/operations/serving.ts';
import { smbMappingOperations } from '../../../../adapters/windows/operations/smb-mapping.ts';
import { windowsMountOperations } from '../../../../adapters/windows/operations/windows-mount.ts';
import { windowsVolumeOperations } from '../../../../adapters/windows/operations/windows-volume.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { callContext, type GroupServers, groupServers, KUBELET } from '../../../world/windows-groups.ts';

const test = suite('rules at every entrance');
const NODE = { 'WindowsStorageNode/one': { id: 'one', ready: true, attributes: { nodeName: 'one' } } };
const VOLUME = '\\\\?\\Volume{00000000-0000-0000-0000-000000000001}\\';
const SHARE = '\\\\files\\data';
const PORTAL = { targetAddress: '192.0.2.1', targetPort: 3260 };
const IQN = 'iqn.2026-01.com.example:one';

type Operations = typeof windowsMountOperations;

interface Entrances {
  readonly servers: GroupServers;
  readonly ports: MachinePorts;
}

async function entrances(): Promise<Entrances> {
  const clock = simulatedClock();
  const { host } = await memoryMachine({ clock });
  const share = { metadata: { name: 'share', uid: 's' }, spec: {} };
  const ports: MachinePorts = {
    clock,
    host,
    lanes: new KeyedMutex(),
    paths: new PathRules([KUBELET]),
    encryption: 'required',
    node: 'one',
    derive: async () => Buffer.of(),
    machine: async () => '',
    foreign: ANYWHERE,
    readSecret: async () => undefined,
    readObject: async ({ kind }) => {
      if (kind === 'SmbMapping') return share as never;
      return { metadata: { name: 'one', uid: 'u' }, spec: { services: ['MSiSCSI'] } } as never;
    },
    listObjects: async () => [],
  };
  return { ports, servers: groupServers({ clock, host, services: 'all' }) };
}

/** Whether somebody refuses it before the machine is touched; that the machine has no such thing is something else. */
async function isRefused(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    const { code } = error as { code: unknown };
    return code === Code.InvalidArgument || code === 'terminal';
  }
}

const ask = (operations: Operations, operation: string, spec: JsonObject, extra: JsonObject = {}) => {
  return async ({ ports }: Entrances): Promise<unknown> => {
    const answer = await operations(ports)[operation]?.({
      object: { kind: 'One', metadata: { name: 'one', namespace: 'a', uid: 'u' }, spec },
      dependencies: NODE,
      ...extra,
    } as never);
    // An attempt that made nothing says so.
    const { undone } = (answer ?? {}) as { readonly undone?: unknown };
    if (undone !== undefined) throw undone;
    return answer;
  };
};

/** Why the schema of the kind refuses a value of that member; undefined: it does not. */
function schemaRefuses(kind: string, member: readonly string[], value: string | number): boolean {
  const contract = windowsContracts.find((each) => each.kind === kind);
  const definition = JSON.parse(JSON.stringify(contract && crd(contract)));
  let schema = definition.spec.versions[0].schema.openAPIV3Schema.properties.spec;
  for (const name of member) schema = schema.properties[name];
  if (typeof value === 'number') return value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity);
  const isLong = value.length < (schema.minLength ?? 0) || value.length > (schema.maxLength ?? Infinity);
  return isLong || (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value));
}

type Way = (value: string) => (at: Entrances) => Promise<unknown>;

interface Rule {
  readonly rule: string;
  /** Member of a spec that says it, and what it cannot say in its schema. */
  readonly schema: readonly [kind: string, ...member: string[]];
  readonly good: readonly string[];
  readonly bad: readonly string[];
  /** Bad ones of which no schema can tell. */
  readonly untold?: readonly string[];
  readonly ways: Readonly<Record<string, Way>>;
}

const at = (name: string): string => `${KUBELET}\\${name}`;
const LONG = at('x'.repeat(260));
/** As a link leads there. */
const linkTo = { mountRef: 'other' };

const RULES: readonly Rule[] = [
  {
    rule: 'a path of the machine',
    schema: ['WindowsMount', 'path'],
    good: [
      at('one'),
      'c:\\VAR\\lib\\kubelet\\one',
      at('a. b'),
      at('.hidden\\a'),
      at('a\\\\b'),
      at("it's"),
      at('größe'),
      at('x\\'),
    ],
    bad: [
      ...[
        '',
        'C:',
        'pv1\\foo',
        '\\var\\lib\\kubelet\\x',
        '\\\\files\\data',
        'C:/var/lib/kubelet/x',
        at('a/b'),
        at('..\\x'),
      ],
      ...[
        at('a..b'),
        at('a:b'),
        at('a*'),
        at('a?'),
        at('a|b'),
        at('a"b'),
        at('a<b'),
        at('a>b'),
        at('a\nb'),
        at('a\0b'),
      ],
      ...[at('x.'), at('x \\y'), at('.\\x'), at('a\u0085'), '\\\\?\\C:\\var\\lib\\kubelet\\x', '1:\\x', LONG],
    ],
    untold: ['C:\\Windows\\x', `${KUBELET}-other\\x`, at('NUL'), at('com1.txt\\x'), at('ä'.repeat(130))],
    ways: {
      'filesystem.PathExists': (path) => (on) => on.servers.filesystem.pathExists(callContext(), { path }, 'v1'),
      'filesystem.Mkdir': (path) => (on) => on.servers.filesystem.mkdir(callContext(), { path }, 'v1'),
      'filesystem.Rmdir': (path) => (on) => on.servers.filesystem.rmdir(callContext(), { path, force: false }, 'v1'),
      'filesystem.RmdirContents': (path) => (on) =>
        on.servers.filesystem.rmdirContents(callContext(), { path }, 'v2alpha1'),
      'filesystem.CreateSymlink, of': (targetPath) => (on) =>
        on.servers.filesystem.createSymlink(callContext(), { sourcePath: at('a'), targetPath }, 'v1'),
      'filesystem.CreateSymlink, to': (sourcePath) => (on) =>
        on.servers.filesystem.createSymlink(callContext(), { sourcePath, targetPath: at('b') }, 'v1'),
      'volume.MountVolume': (targetPath) => (on) =>
        on.servers.volume.mountVolume(callContext(), { volumeId: VOLUME, targetPath }, 'v1'),
      'volume.UnmountVolume': (targetPath) => (on) =>
        on.servers.volume.unmountVolume(callContext(), { volumeId: VOLUME, targetPath }, 'v1'),
      'volume.GetVolumeIDFromTargetPath': (targetPath) => (on) =>
        on.servers.volume.getVolumeIDFromTargetPath(callContext(), { targetPath }, 'v1'),
      'WindowsMount look': (path) => ask(windowsMountOperations, 'look', { path, source: { nodeRef: 'one' } }),
      'WindowsMount make': (path) => ask(windowsMountOperations, 'make', { path, source: { nodeRef: 'one' } }),
      'WindowsMount unmake': (path) => ask(windowsMountOperations, 'unmake', { path, source: { nodeRef: 'one' } }),
      'WindowsMount make, of a link to it': (target) =>
        ask(windowsMountOperations, 'make', { path: at('link'), source: linkTo }, { source: { target } }),
      'WindowsMount look, of a link to it': (target) =>
        ask(windowsMountOperations, 'look', { path: at('link'), source: linkTo }, { source: { target } }),
    },
  },
  {
    rule: 'a share',
    schema: ['SmbMapping', 'remotePath'],
    good: [
      SHARE,
      '//Files/Data/a/b',
      'files/data',
      '\\\\files\\data\\',
      '\\\\10.0.0.5\\c$\\x 1',
      '\\\\files\\da.ta\\.x',
    ],
    bad: [
      '\\\\files',
      '\\\\\\',
      '\\\\?\\C:\\x',
      '\\\\.\\C$\\x',
      '\\\\files\\..\\x',
      '\\\\files\\data\\..',
      '\\\\f:1\\x',
      '\\\\f\\a*',
      '\\\\f\\a\nb',
    ],
    ways: {
      'smb.NewSmbGlobalMapping': (remotePath) => (on) =>
        on.servers.smb.newSmbGlobalMapping(
          callContext(),
          { remotePath, localPath: '', username: '', password: '' },
          'v1',
        ),
      'smb.RemoveSmbGlobalMapping': (remotePath) => (on) =>
        on.servers.smb.removeSmbGlobalMapping(callContext(), { remotePath }, 'v1'),
      'SmbMapping look': (remotePath) => ask(smbMappingOperations, 'look', { remotePath }),
      'SmbMapping map': (remotePath) => ask(smbMappingOperations, 'map', { remotePath }),
      'SmbMapping unmap': (remotePath) => ask(smbMappingOperations, 'unmap', { remotePath }),
      'WindowsMount look': (share) =>
        ask(
          windowsMountOperations,
          'look',
          { path: at('s'), source: { smbMappingRef: 'share' } },
          { source: { share } },
        ),
      'WindowsMount make': (share) =>
        ask(
          windowsMountOperations,
          'make',
          { path: at('s'), source: { smbMappingRef: 'share' } },
          { source: { share } },
        ),
    },
  },
  {
    rule: 'a directory of a share',
    schema: ['WindowsMount', 'source', 'subPath'],
    good: ['a', 'a/b', '\\a\\b\\', 'a b/.c'],
    bad: ['..', '../other', 'a/../../other', '.', 'a\\..', 'a:b', 'a*', 'a\nb', '\\?\\x'],
    ways: {
      'smb.NewSmbGlobalMapping': (sub) => (on) =>
        on.servers.smb.newSmbGlobalMapping(
          callContext(),
          { remotePath: `${SHARE}\\${sub}`, localPath: '', username: '', password: '' },
          'v1',
        ),
      'WindowsMount make': (sub) =>
        ask(
          windowsMountOperations,
          'make',
          { path: at('s'), source: { smbMappingRef: 'share', subPath: sub } },
          { source: { share: `${SHARE}\\${sub}` } },
        ),
    },
  },
  {
    rule: 'the name of a target',
    schema: ['IscsiTarget', 'iqn'],
    good: [IQN, 'eui.02004567A425678D', 'x'],
    bad: ['', 'x'.repeat(224), 'iqn\nx'],
    untold: ['ä'.repeat(120)],
    ways: {
      'iscsi.ConnectTarget': (iqn) => (on) =>
        on.servers.iscsi.connectTarget(
          callContext(),
          { targetPortal: PORTAL, iqn, authType: 0, chapUsername: '', chapSecret: '' },
          'v1alpha2',
        ),
      'iscsi.DisconnectTarget': (iqn) => (on) =>
        on.servers.iscsi.disconnectTarget(callContext(), { targetPortal: PORTAL, iqn }, 'v1alpha2'),
      'iscsi.GetTargetDisks': (iqn) => (on) =>
        on.servers.iscsi.getTargetDisks(callContext(), { targetPortal: PORTAL, iqn }, 'v1alpha2'),
      'IscsiTarget look': (iqn) =>
        ask(iscsiTargetOperations, 'look', { nodeRef: 'one', portal: { address: '192.0.2.1' }, iqn }),
      'IscsiTarget connect': (iqn) =>
        ask(iscsiTargetOperations, 'connect', { nodeRef: 'one', portal: { address: '192.0.2.1' }, iqn }),
    },
  },
  {
    rule: 'the address of a portal',
    schema: ['IscsiTarget', 'portal', 'address'],
    good: ['192.0.2.1', 'storage.example.com', '2001:db8::1'],
    bad: ['', 'a\nb'],
    ways: {
      'iscsi.AddTargetPortal': (targetAddress) => (on) =>
        on.servers.iscsi.addTargetPortal(callContext(), { targetPortal: { targetAddress, targetPort: 0 } }, 'v1alpha2'),
      'iscsi.RemoveTargetPortal': (targetAddress) => (on) =>
        on.servers.iscsi.removeTargetPortal(
          callContext(),
          { targetPortal: { targetAddress, targetPort: 0 } },
          'v1alpha2',
        ),
      'IscsiTarget look': (address) =>
        ask(iscsiTargetOperations, 'look', { nodeRef: 'one', portal: { address }, iqn: IQN }),
      'IscsiTarget connect': (address) =>
        ask(iscsiTargetOperations, 'connect', { nodeRef: 'one', portal: { address }, iqn: IQN }),
    },
  },
];

for (const { rule, schema, good, bad, untold = [], ways } of RULES) {
  const [kind, ...member] = schema;
  for (const [way, enter] of Object.entries(ways)) {
    test(`33.A9: ${rule}: ${way}`, async () => {
      const wrong: string[] = [];
      for (const value of good) {
        if (await isRefused(async () => enter(value)(await entrances()))) wrong.push(`refused: ${value}`);
      }
      for (const value of [...bad, ...untold]) {
        if (!(await isRefused(async () => enter(value)(await entrances())))) wrong.push(`let: ${value}`);
      }
      assert.equal(wrong, []);
    });
  }
  test(`33.A9: ${rule}: the schema of ${kind}.${member.join('.')}`, () => {
    const refused = good.filter((value) => schemaRefuses(kind, member, value));
    const let_ = bad.filter((value) => !schemaRefuses(kind, member, value));
    assert.equal([refused, let_], [[], []]);
  });
}

test('33.A9: numbers: a port, and a size', async () => {
  for (const port of [-1, 65_536, 1.5]) {
    const spec = { nodeRef: 'one', portal: { address: '192.0.2.1', port }, iqn: IQN };
    const isWhole = Number.isInteger(port);
    if (isWhole) {
      for (const operation of ['look', 'connect']) {
        const on = await entrances();
        assert.ok(await isRefused(() => ask(iscsiTargetOperations, operation, spec)(on)), `${operation} ${port}`);
      }
      assert.ok(schemaRefuses('IscsiTarget', ['portal', 'port'], port));
    }
    const { servers } = await entrances();
    const targetPortal = { targetAddress: '192.0.2.1', targetPort: port };
    assert.ok(await isRefused(() => servers.iscsi.addTargetPortal(callContext(), { targetPortal }, 'v1alpha2')));
  }
  const on = await entrances();
  const size = { identity: 'page83:x', volumeID: VOLUME, sizeBytes: -1 };
  assert.ok(await isRefused(() => ask(windowsVolumeOperations, 'resize', { nodeName: 'one' }, size)(on)));
  const request = { volumeId: VOLUME, sizeBytes: -1n };
  assert.ok(await isRefused(() => on.servers.volume.resizeVolume(callContext(), request, 'v1')));
  assert.ok(schemaRefuses('WindowsVolume', ['sizeBytes'], -1));
});

test.run();
