// The published 23 versions: compared with themselves, released one after another, and each as if it were its successor.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareVersionNames } from '../../../../adapters/csi-proxy/base/version-name.ts';
import { compareTrees, Policy } from '../../../../adapters/csi-proxy/check/compare.ts';
import type { Finding } from '../../../../adapters/csi-proxy/check/finding.ts';
import { History } from '../../../../adapters/csi-proxy/check/history.ts';
import { type ApiTree, apiTree } from '../../../../adapters/csi-proxy/check/tree.ts';
import { brief } from './trees.ts';

const test = suite('published versions');
const PROTOS = new URL('../../../../../shared/reference/csi-proxy-protos/', import.meta.url);

/** `<group>/<version>`, by group and age. */
const NAMES = globSync('*/*/api.proto', { cwd: fileURLToPath(PROTOS) })
  .map((path) => path.replaceAll('\\', '/').replace('/api.proto', ''))
  .sort((a, b) => {
    const [[left = '', older = ''], [right = '', newer = '']] = [a.split('/'), b.split('/')];
    return left < right ? -1 : left > right ? 1 : compareVersionNames(older, newer);
  });

const read = (name: string): string => readFileSync(new URL(`${name}/api.proto`, PROTOS), 'utf8');
const ALL = existsSync(PROTOS)
  ? apiTree({ name: 'api', files: new Map(NAMES.map((name) => [`${name}/api.proto`, read(name)])) })
  : { name: 'api', versions: [] };
const treeOf = (names: readonly string[]): ApiTree => ({
  ...ALL,
  versions: ALL.versions.filter(({ group, version }) => names.includes(`${group}/${version}`)),
});
const compared = (base: ApiTree, current: ApiTree, policy: Policy = Policy.Compatible): readonly Finding[] =>
  compareTrees({ base, current, history: new History([]), policy, today: '2026-06-15' });

/** What changes from a version to the next one, the messages that go with RPCs aside. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  'disk/v1beta1': ['C04 break Disk.GetDiskNumberByName', 'C20 info Disk.DiskStats', 'C20 info Disk.ListDiskIDs'],
  'disk/v1beta2': ['C20 info Disk.GetAttachState', 'C20 info Disk.SetAttachState'],
  'disk/v1beta3': [
    'C04 break Disk.DiskStats',
    'C04 break Disk.GetAttachState',
    'C04 break Disk.SetAttachState',
    'C09 break DiskIDs.identifiers',
    'C09 break PartitionDiskRequest.diskID',
    'C11 break DiskIDs.page83',
    'C11 break PartitionDiskRequest.disk_number',
    'C12 break ListDiskIDsResponse.diskIDs',
    'C12 break ListDiskLocationsResponse.disk_locations',
    'C18 info DiskIDs.serial_number',
    'C20 info Disk.GetDiskState',
    'C20 info Disk.GetDiskStats',
    'C20 info Disk.SetDiskState',
  ],
  'disk/v1': [],
  'filesystem/v1beta1': [],
  'filesystem/v1beta2': [
    'C04 break Filesystem.IsMountPoint',
    'C04 break Filesystem.LinkPath',
    'C09 break MkdirRequest.context',
    'C09 break MkdirResponse.error',
    'C09 break PathExistsRequest.context',
    'C09 break PathExistsResponse.error',
    'C09 break RmdirRequest.context',
    'C09 break RmdirResponse.error',
    'C10 break PathExistsResponse.exists',
    'C10 break RmdirRequest.force',
    'C17 break PathContext',
    'C20 info Filesystem.CreateSymlink',
    'C20 info Filesystem.IsSymlink',
  ],
  'filesystem/v1': [],
  'filesystem/v2alpha1': ['C20 info Filesystem.RmdirContents'],
  'iscsi/v1alpha2': ['C20 info Iscsi.SetMutualChapSecret'],
  'smb/v1beta1': [],
  'smb/v1beta2': ['C09 break NewSmbGlobalMappingResponse.error', 'C09 break RemoveSmbGlobalMappingResponse.error'],
  'smb/v1': [],
  'volume/v1beta1': [
    'C20 info Volume.GetVolumeDiskNumber',
    'C20 info Volume.GetVolumeIDFromMount',
    'C20 info Volume.VolumeStats',
  ],
  'volume/v1beta2': ['C20 info Volume.WriteVolumeCache'],
  'volume/v1beta3': [
    'C04 break Volume.DismountVolume',
    'C04 break Volume.GetVolumeDiskNumber',
    'C04 break Volume.GetVolumeIDFromMount',
    'C04 break Volume.VolumeStats',
    'C09 break ListVolumesOnDiskRequest.disk_id',
    'C11 break ListVolumesOnDiskRequest.disk_number',
    'C14 break MountVolumeRequest.path',
    'C14 break ResizeVolumeRequest.size',
    'C18 info ListVolumesOnDiskRequest.partition_number',
    'C20 info Volume.GetDiskNumberFromVolumeID',
    'C20 info Volume.GetVolumeIDFromTargetPath',
    'C20 info Volume.GetVolumeStats',
    'C20 info Volume.UnmountVolume',
  ],
  'volume/v1': [],
  'volume/v2alpha1': ['C20 info Volume.GetClosestVolumeIDFromTargetPath'],
};

test('all 23 are compatible with themselves, by either policy', () => {
  assert.is(NAMES.length, 23);
  const all = treeOf(NAMES);
  for (const policy of Object.values(Policy)) assert.equal(compared(all, all, policy), []);
});

test('released one after another, none breaks a rule of graduation', () => {
  for (const [index, name] of NAMES.entries()) {
    if (index > 0) assert.equal(compared(treeOf(NAMES.slice(0, index)), treeOf(NAMES.slice(0, index + 1))), [], name);
  }
});

test('a beta beside a stable version comes too late (C28)', () => {
  const early = NAMES.filter((name) => !name.endsWith('beta3'));
  assert.equal(brief(compared(treeOf(early), treeOf(NAMES))), ['C28 break v1beta3', 'C28 break v1beta3']);
});

test('none goes unannounced, except with a warning an alpha (C01, C02)', () => {
  for (const name of NAMES) {
    const [group = '', version = ''] = name.split('/');
    const left = NAMES.filter((other) => other !== name);
    const rule = left.some((other) => other.startsWith(group)) ? 'C01' : 'C02';
    const severity = version.includes('alpha') ? 'warn' : 'break';
    assert.equal(brief(compared(treeOf(NAMES), treeOf(left))), [`${rule} ${severity} ${version}`]);
  }
});

test('each as if it were its successor: where versions differ is found, and nothing else', () => {
  const seen = NAMES.flatMap((name, index) => {
    const before = NAMES[index - 1];
    const [group] = name.split('/');
    if (before === undefined || !before.startsWith(`${group}/`)) return [];
    const [base, current] = [before, name].map((one) => {
      const text = read(one).replace(/^package .*;/m, 'package v9;');
      return apiTree({ name: one, files: new Map([[`${group}/v9/api.proto`, text]]) });
    });
    if (base === undefined || current === undefined) throw new Error('two trees');
    const found = compared(base, current).filter(({ rule }) => rule !== 'C08');
    return [[name, brief(found)] as const];
  });
  assert.equal(Object.fromEntries(seen), CHANGES);
});

if (existsSync(PROTOS)) test.run();
else process.stdout.write('skipped: the published protos are not here\n');
