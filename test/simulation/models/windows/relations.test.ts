import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KubeObject } from '../../../../machines/object.ts';
import { isUsed } from './relations.ts';

const test = suite('who uses what of Windows storage');

const object = (kind: string, given: object): KubeObject =>
  ({ kind, metadata: { name: 'data', uid: kind }, ...given }) as unknown as KubeObject;
const DELETED = { name: 'data', uid: 'deleted', deletionTimestamp: '2030-01-01T00:00:00Z' };
const DISK = object('WindowsDisk', { metadata: DELETED, status: { identity: 'page83:naa.one' } });
const OFFLINE = { spec: { diskRef: 'data' }, status: {} };
const MOUNTED = object('WindowsMount', { spec: { source: { volumeRef: 'data' } }, status: { path: 'C:\\data' } });

const isDiskUsed = (...others: readonly KubeObject[]): boolean =>
  isUsed({ objects: (plural) => others.filter(({ kind }) => `${kind.toLowerCase()}s` === plural) }, DISK);

test('a volume that has something uses its disk', () => {
  assert.ok(isDiskUsed(object('WindowsVolume', { ...OFFLINE, status: { volumeID: 'one' } })));
});

test('a deleted volume of a disk that is offline uses it for as long as something is mounted', () => {
  const volume = object('WindowsVolume', { ...OFFLINE, metadata: DELETED });
  assert.ok(isDiskUsed(volume, MOUNTED));
  assert.not.ok(isDiskUsed(volume));
  assert.not.ok(isDiskUsed(volume, { ...MOUNTED, status: {} }));
});

test('one that is not deleted lets such a disk go', () => {
  assert.not.ok(isDiskUsed(object('WindowsVolume', OFFLINE), MOUNTED));
});

test.run();
