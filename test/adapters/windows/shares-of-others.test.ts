// Shares that objects of several namespaces map on one machine: to find what is mapped is for those of one namespace.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedMutex } from '../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../adapters/http/egress-policy.ts';
import { smbMappingOperations } from '../../../adapters/windows/operations/smb-mapping.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('shares of others');
const SHARE = '\\\\files\\data';
const LOGIN = { username: 'user', password: 'Wp7-of-the-other' };

function mapping(namespace: string, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'windows.troupe.dev/v1alpha1',
    kind: 'SmbMapping',
    metadata: {
      name: 'share',
      namespace,
      uid: `uid-${namespace}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
    },
    spec: { nodeRef: 'one', remotePath: SHARE.toUpperCase() },
    status,
  };
}

/** What an object without credentials is told and does, beside one of another namespace that has mapped the share. */
async function beside(theirs: KubeObject, recorded: JsonObject = {}) {
  const clock = simulatedClock();
  const { host, smb } = await memoryMachine({ clock });
  smb.offer(SHARE, LOGIN);
  await host.smb.newSmbGlobalMapping({ root: SHARE, ...LOGIN, encryption: 'required' });
  const own = mapping('mine', { nodeName: 'one', root: SHARE, madeBy: 'uid-mine', origin: 'Made', ...recorded });
  const operations = smbMappingOperations({
    clock,
    host,
    lanes: new KeyedMutex(),
    paths: new PathRules([]),
    encryption: 'required',
    node: 'one',
    derive: async () => Buffer.of(),
    machine: async () => 'serial-of-one',
    foreign: ANYWHERE,
    readSecret: async () => undefined,
    readObject: async () => own,
    listObjects: async () => [own, theirs],
  });
  const dependencies = { 'WindowsStorageNode/one': { id: '', ready: true, attributes: { nodeName: 'one' } } };
  const ask = (name: 'look' | 'map' | 'unmap', extra: object = {}) =>
    operations[name]?.({ object: own, dependencies, ...extra } as never) as Promise<JsonObject>;
  return { ask, host, smb };
}

const THEIRS = { nodeName: 'one', root: SHARE, madeBy: 'uid-theirs', origin: 'Made', credentialHash: 'theirs' };

test('33.C3: a share that an object of another namespace has mapped is not found, nor taken for the own (HTTP-EGRESS-POLICY-3, WIN-OPERATIONS-SMB-MAPPING-1)', async () => {
  const { ask } = await beside(mapping('theirs', THEIRS));
  const look = await ask('look');
  assert.equal([look['isOthers'], look['mapper'], look['madeBy']], [true, undefined, undefined]);
  assert.equal(await ask('map', { mayBeOwn: true }), { isFound: true, isOthers: true });
});

test('33.C3: nor is one that another one there has found, which is of somebody else there (HTTP-EGRESS-POLICY-3)', async () => {
  const { ask } = await beside(mapping('theirs', { ...THEIRS, madeBy: 'uid-of-one-that-is-gone', origin: 'Found' }));
  assert.is((await ask('look'))['isOthers'], true);
});

test('33.C3: what was mapped beside all objects is found in every namespace (WIN-OPERATIONS-SMB-MAPPING-1)', async () => {
  const { ask } = await beside(mapping('theirs', { nodeName: 'one', root: SHARE, origin: 'Found' }));
  const look = await ask('look');
  assert.equal([look['isOthers'], look['state']], [undefined, 'mapped']);
  assert.equal(await ask('map'), { isFound: true });
});

test('a mapping that is found at the last moment comes with its maker, so that its last user removes it (WIN-SHARED-4)', async () => {
  const first = mapping('mine', { ...THEIRS, madeBy: 'uid-first' });
  const { ask } = await beside({ ...first, metadata: { ...first.metadata, name: 'first', uid: 'uid-first' } });
  assert.equal(await ask('map'), { isFound: true, madeBy: 'uid-first', isOthers: false });
});

test('a mapping of another client that stops working just before the request is left as it is (WIN-SHARED-1)', async () => {
  const { ask, host, smb } = await beside(mapping('theirs'));
  smb.breakMapping(SHARE);
  assert.equal(await ask('map'), { isFound: true, isBroken: true });
  assert.is(await host.smb.isSmbMapped(SHARE), 'broken');
  // One that was ours is made again.
  assert.match(JSON.stringify(await ask('map', { isOurs: true })), /undone/, 'without credentials the server refuses');
  assert.is(await host.smb.isSmbMapped(SHARE), 'absent');
});

test('33.C3: a mapping of another namespace is not taken away (HTTP-EGRESS-POLICY-2, HTTP-EGRESS-POLICY-3)', async () => {
  const { ask, host } = await beside(mapping('theirs', THEIRS));
  await ask('unmap');
  assert.is(await host.smb.isSmbMapped(SHARE), 'mapped');
});

test('33.C3: one by another name of its node, on the same machine, is one there (HTTP-EGRESS-POLICY-3)', async () => {
  const renamed = { ...THEIRS, nodeName: 'before', machine: 'serial-of-one' };
  assert.is((await (await beside(mapping('theirs', renamed))).ask('look'))['isOthers'], true);
  const another = { ...THEIRS, machine: 'serial-of-another' };
  assert.is((await (await beside(mapping('theirs', another))).ask('look'))['isOthers'], undefined);
});

test('33.A6: who mapped a share waits until those that use it, too, have that on record, and leaves it to them (HTTP-EGRESS-POLICY-2, HTTP-EGRESS-POLICY-4)', async () => {
  const found = { nodeName: 'one', root: SHARE, origin: 'Found', conditions: [{ type: 'Ready', status: 'True' }] };
  const neighbor = (status: JsonObject): KubeObject => {
    const object = mapping('mine', status);
    return { ...object, metadata: { ...object.metadata, name: 'neighbor', uid: 'uid-neighbor' } };
  };
  assert.equal(await (await beside(neighbor(found))).ask('unmap'), { heirs: ['neighbor'] });
  const { ask, host } = await beside(neighbor({ ...found, madeBy: 'uid-mine' }));
  assert.equal(await ask('unmap'), {});
  assert.is(await host.smb.isSmbMapped(SHARE), 'mapped');
});

test('33.C3: nobody waits for one of another namespace, and what the own one made is left to none there (HTTP-EGRESS-POLICY-3, HTTP-EGRESS-POLICY-4)', async () => {
  const found = { nodeName: 'one', root: SHARE, origin: 'Found', conditions: [{ type: 'Ready', status: 'True' }] };
  const { ask, host } = await beside(mapping('theirs', found));
  assert.equal(await ask('unmap'), {});
  assert.is(await host.smb.isSmbMapped(SHARE), 'absent');
});

test('33.C3: of two namespaces that record one share at once, one maps it (HTTP-EGRESS-POLICY-5)', async () => {
  const { credentialHash: _, ...recorded } = THEIRS;
  for (const [created, isTheirs] of [
    ['2029-01-01T00:00:00Z', true],
    ['2031-01-01T00:00:00Z', false],
  ] as const) {
    const theirs = mapping('theirs', recorded);
    const { ask, host } = await beside({ ...theirs, metadata: { ...theirs.metadata, creationTimestamp: created } });
    await host.smb.removeSmbGlobalMapping(SHARE);
    assert.is(((await ask('map').catch(String)) as JsonObject)['isOthers'], isTheirs || undefined, created);
  }
  const { ask } = await beside(mapping('theirs', recorded));
  assert.is((await ask('map'))['isOthers'], true, 'whoever is there already has it');
});

test('who has not taken its mapping away yet is there still for all that look (WIN-SHARED-3, WIN-SHARED-4)', async () => {
  const later = mapping('theirs');
  const { ask, host } = await beside(later, { credentialHash: 'mine' });
  Object.assign(host.smb, { removeSmbGlobalMapping: () => Promise.reject(new Error('not now')) });
  assert.match(String(await ask('unmap').catch(String)), /not now/);
  assert.is((await ask('look', { object: later }))['isOthers'], true, 'in another namespace');
  const { metadata, ...rest } = mapping('mine');
  const neighbor = { ...rest, metadata: { ...metadata, uid: 'uid-neighbor' } };
  assert.is((await ask('look', { object: neighbor }))['madeBy'], 'uid-mine', 'in its own one');
});

test.run();
