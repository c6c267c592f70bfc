// Of several iSCSI targets that go together, the process of the machine knows which have left.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../../adapters/api/adapter.ts';
import type { Host } from '../../../adapters/csi-proxy/hosts/host.ts';
import { KeyedMutex } from '../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../adapters/http/egress-policy.ts';
import { iscsiTargetOperations } from '../../../adapters/windows/operations/iscsi-target.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';
import { GIB } from '../../world/windows.ts';

const test = suite('iSCSI targets that leave');
const clock = simulatedClock();

const PORTAL = { address: '10.0.0.1', port: 3260 };
const SERIAL = 'serial-of-one';
const iqnOf = (name: string): string => `iqn.2024-01.org.example:${name}`;

/** Deleted, and with the guard of its disk, which goes with its own finalizer. */
function leaving(name: string): KubeObject {
  const finalizers = ['windows.troupe.dev/iscsitarget', 'windows.troupe.dev/windowsdisk'];
  return {
    apiVersion: 'windows.troupe.dev/v1alpha1',
    kind: 'IscsiTarget',
    metadata: {
      name,
      namespace: 'storage',
      uid: name,
      resourceVersion: '1',
      deletionTimestamp: '2030-01-01T00:00:00Z',
      finalizers,
    },
    spec: { nodeRef: 'one', portal: PORTAL, iqn: iqnOf(name) },
    status: { nodeName: 'one', connection: 'Connected', origin: 'Made', madeBy: name, portalMadeBy: 'one' },
  };
}

/** As it was before. */
function standing(name: string): KubeObject {
  const { deletionTimestamp: _, ...metadata } = leaving(name).metadata;
  return { ...leaving(name), metadata };
}

/** What is asked of a machine while the API server knows these objects. */
function operationsOn(host: Host, objects: readonly KubeObject[], stored = standing) {
  const node = { ...leaving('node'), spec: { nodeName: 'one', services: ['MSiSCSI'] } };
  const { look, connect, disconnect } = iscsiTargetOperations({
    clock,
    host,
    lanes: new KeyedMutex(),
    paths: new PathRules([]),
    encryption: 'required',
    node: 'one',
    derive: async () => Buffer.of(),
    machine: async () => SERIAL,
    foreign: ANYWHERE,
    readSecret: async () => undefined,
    readObject: async ({ kind }, _, name) => (kind === 'IscsiTarget' ? stored(name) : node),
    listObjects: async () => objects,
  });
  const dependencies = { 'WindowsStorageNode/one': { id: '', ready: true, attributes: { nodeName: 'one' } } };
  const ask = (operation: Operation | undefined, object: KubeObject, extra: object = {}) =>
    operation?.({ object, dependencies, ...extra } as never);
  return { look, connect, disconnect, ask };
}

test('one that has left keeps the portal for nobody, though its guards are on it still (WIN-OPERATIONS-ISCSI-TARGET-2)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  const objects = ['one', 'two'].map(leaving);
  for (const { metadata } of objects) {
    const disk = disks.make({ sizeBytes: GIB, page83: `naa.${metadata.name}` });
    iscsi.offer({ portal: PORTAL, iqn: iqnOf(metadata.name), disks: [disk] });
  }
  const { connect, disconnect, ask } = operationsOn(host, objects);
  for (const object of objects) await ask(connect, object);
  await ask(disconnect, objects[0] as KubeObject);
  assert.is((await host.iscsi.listTargetPortals()).length, 1, 'the other one is connected');
  await ask(disconnect, objects[1] as KubeObject);
  assert.equal(await host.iscsi.listTargetPortals(), []);
});

test('33.C3: a target that an object of another namespace has connected is neither found nor touched (HTTP-EGRESS-POLICY-3)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  iscsi.offer({ portal: PORTAL, iqn: iqnOf('one'), disks: [disks.make({ sizeBytes: GIB, page83: 'naa.one' })] });
  const { metadata, ...victim } = standing('one');
  const objects = [{ ...victim, metadata: { ...metadata, namespace: 'victim', uid: 'victim' } }];
  Object.assign(objects[0] ?? {}, { status: { ...victim.status, madeBy: 'victim' } });
  const { connect, ask } = operationsOn(host, objects);
  const own = { ...standing('one'), status: { ...standing('one').status, connection: 'Connecting' } };
  assert.equal(await ask(connect, own), { isOthers: true });
  // By another name of the node it is the same machine.
  Object.assign(objects[0]?.status ?? {}, { nodeName: 'before', machine: SERIAL });
  assert.equal(await ask(connect, own), { isOthers: true });
  await host.system.startService('MSiSCSI');
  assert.equal(await host.iscsi.listTargetPortals(), []);
});

const READY = [{ type: 'Ready', status: 'True', reason: 'Found' }];

/** The first of two goes. @returns what it answers, and what is left */
async function oneLeaves(two: KubeObject) {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  for (const name of ['one', 'two'])
    iscsi.offer({ portal: PORTAL, iqn: iqnOf(name), disks: [disks.make({ sizeBytes: GIB, page83: `naa.${name}` })] });
  const before = operationsOn(host, []);
  await before.ask(before.connect, standing('one'));
  const { disconnect, ask } = operationsOn(host, [two]);
  const answer = (await ask(disconnect, leaving('one'))) as JsonObject;
  const portals = (await host.iscsi.listTargetPortals()).length;
  const isConnected = portals > 0 && (await host.iscsi.getTargetDisks(PORTAL, iqnOf('one'))).length > 0;
  return { answer, isConnected, portals };
}

/** Another object for the same portal, which was found by it. */
function finder(status: JsonObject, iqn = iqnOf('two'), metadata: object = {}): KubeObject {
  const object = standing('two');
  const { madeBy: _, portalMadeBy: __, ...known } = object.status ?? {};
  return {
    ...object,
    metadata: { ...object.metadata, ...metadata },
    spec: { ...object.spec, iqn },
    status: { ...known, origin: 'Found', conditions: READY, ...status },
  };
}

test('33.A6: who made a connection or a portal waits until those that use it, too, have that on record (HTTP-EGRESS-POLICY-4)', async () => {
  const waiting = { answer: { heirs: ['two'] }, isConnected: true, portals: 1 };
  assert.equal(await oneLeaves(finder({})), waiting, 'a portal');
  assert.equal(await oneLeaves(finder({ portalMadeBy: 'one' }, iqnOf('one'))), waiting, 'a connection');
  const used = { deletionTimestamp: '2030-01-01T00:00:00Z' };
  const unready = { conditions: [{ type: 'Ready', status: 'False', reason: 'WaitingForUsers' }] };
  assert.equal(
    await oneLeaves(finder(unready, iqnOf('two'), used)),
    waiting,
    'who is deleted, and used, looks no more',
  );
});

test('33.A6: it is left to those that have (HTTP-EGRESS-POLICY-2), and nobody waits for one that fails (I11)', async () => {
  const left = { answer: {}, isConnected: false, portals: 1 };
  assert.equal(await oneLeaves(finder({ portalMadeBy: 'one' })), left, 'a portal');
  const made = { madeBy: 'one', portalMadeBy: 'one' };
  assert.equal(await oneLeaves(finder(made, iqnOf('one'))), { ...left, isConnected: true }, 'a connection');
  assert.equal(await oneLeaves(finder({ conditions: [] })), left, 'one that fails');
});

test('33.C3: nobody waits for one of another namespace that has made the same (HTTP-EGRESS-POLICY-3, HTTP-EGRESS-POLICY-4)', async () => {
  const theirs = finder({ madeBy: 'two', portalMadeBy: 'one' }, iqnOf('one'), { namespace: 'other' });
  assert.equal(await oneLeaves(theirs), { answer: {}, isConnected: true, portals: 1 });
  const found = finder({ portalMadeBy: 'one' }, iqnOf('one'), { namespace: 'other' });
  assert.equal(await oneLeaves(found), { answer: {}, isConnected: false, portals: 1 }, 'what was made here');
});

test('33.C3: of two namespaces that record one target at once, one connects it, however often both ask (HTTP-EGRESS-POLICY-5)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  iscsi.offer({ portal: PORTAL, iqn: iqnOf('one'), disks: [disks.make({ sizeBytes: GIB, page83: 'naa.one' })] });
  const elder = { namespace: 'other', creationTimestamp: '2020-01-01T00:00:00Z' };
  const theirs = finder({ connection: 'Connecting', madeBy: 'two' }, iqnOf('one'), elder);
  const { connect, ask } = operationsOn(host, [theirs]);
  for (const mayBeOwn of [false, true]) {
    const { metadata, status, ...rest } = standing('one');
    const later = { ...metadata, creationTimestamp: '2030-01-01T00:00:00Z' };
    const own = { ...rest, metadata: later, status: { ...status, connection: 'Connecting' } };
    assert.equal(await ask(connect, own, { mayBeOwn }), { isOthers: true });
  }
  await host.system.startService('MSiSCSI');
  assert.equal(await host.iscsi.listTargetPortals(), []);
});

test('one whose end failed half-way is there again: who came meanwhile hears who made the portal (HTTP-EGRESS-POLICY-4)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  for (const name of ['one', 'two'])
    iscsi.offer({ portal: PORTAL, iqn: iqnOf(name), disks: [disks.make({ sizeBytes: GIB, page83: `naa.${name}` })] });
  const objects: KubeObject[] = [];
  const { look, connect, disconnect, ask } = operationsOn(host, objects);
  await ask(connect, standing('one'));
  const { removeTargetPortal } = host.iscsi;
  Object.assign(host.iscsi, { removeTargetPortal: () => Promise.reject(new Error('not now')) });
  assert.match(String(await Promise.resolve(ask(disconnect, leaving('one'))).catch(String)), /not now/);
  Object.assign(host.iscsi, { removeTargetPortal });
  objects.push(leaving('one'), finder({}));
  assert.is(((await ask(look, standing('two'))) as JsonObject)['portalMadeBy'], 'one', 'it has not left');
  await ask(connect, standing('two'));
  assert.equal(await ask(disconnect, leaving('one')), { heirs: ['two'] });
  assert.is(((await ask(look, standing('two'))) as JsonObject)['portalMadeBy'], 'one');
});

test('one that has left a portal to who failed then, and is asked again, is there again (WIN-SHARED-4)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  iscsi.offer({ portal: PORTAL, iqn: iqnOf('one'), disks: [disks.make({ sizeBytes: GIB, page83: 'naa.one' })] });
  const objects = [leaving('one'), finder({ conditions: [] })];
  const { look, connect, disconnect, ask } = operationsOn(host, objects);
  await ask(connect, standing('one'));
  assert.equal(await ask(disconnect, leaving('one')), {});
  const stranger = { ...standing('one'), metadata: { ...standing('one').metadata, namespace: 'other', uid: 'other' } };
  const isOthers = async (): Promise<unknown> => ((await ask(look, stranger)) as JsonObject)['isOthers'];
  assert.is(await isOthers(), false, 'it has left');
  objects.splice(1, 1, finder({}));
  assert.equal(await ask(disconnect, leaving('one')), { heirs: ['two'] });
  assert.is(((await ask(look, standing('two'))) as JsonObject)['portalMadeBy'], 'one');
  assert.is(await isOthers(), true, 'it is there again');
});

test('a portal that was removed after it was found is added only after its maker is recorded (WIN-KINDS-ISCSI-TARGET-1)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  iscsi.offer({ portal: PORTAL, iqn: iqnOf('two'), disks: [disks.make({ sizeBytes: GIB, page83: 'naa.two' })] });
  const found = finder({ connection: 'Connecting', madeBy: 'two' });
  let stored = found;
  const { look, connect, ask } = operationsOn(host, [], () => stored);
  await host.system.startService('MSiSCSI');
  await host.iscsi.addTargetPortal(PORTAL);
  assert.is(((await ask(look, found)) as JsonObject)['hasPortal'], true);
  await host.iscsi.removeTargetPortal(PORTAL);
  const { undone } = (await ask(connect, found)) as { readonly undone: JsonObject };
  assert.match(String(undone['message']), /10\.0\.0\.1 was removed meanwhile/);
  assert.equal(await host.iscsi.listTargetPortals(), []);
  stored = { ...found, status: { ...found.status, portalMadeBy: 'two' } };
  assert.is(((await ask(connect, stored)) as JsonObject)['isPortalFound'], false);
  assert.equal(await host.iscsi.listTargetPortals(), [PORTAL]);
});

test('a session that shows only once the portal is registered was there before (WIN-SHARED-1)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  iscsi.offer({ portal: PORTAL, iqn: iqnOf('one'), disks: [disks.make({ sizeBytes: GIB, page83: 'naa.one' })] });
  await connectOutside(host, PORTAL, iqnOf('one'));
  await host.iscsi.removeTargetPortal(PORTAL);
  const { connect, ask } = operationsOn(host, []);
  const { isFound, isPortalFound, madeBy } = (await ask(connect, standing('one'))) as JsonObject;
  assert.equal([isFound, isPortalFound, madeBy], [true, false, undefined]);
});

/** Another portal that leads to the same targets. */
const OTHER_PORTAL = { address: '10.0.0.2', port: 3260 };

async function connectOutside(host: Host, portal: typeof PORTAL, iqn: string): Promise<void> {
  await host.system.startService('MSiSCSI');
  await host.iscsi.addTargetPortal(portal);
  await host.iscsi.discoverTargetPortal(portal);
  await host.iscsi.connectTarget(portal, iqn, { authentication: 'NONE', username: '', secret: '' });
}

test('a target that an object has through another portal is that one’s, in another namespace too (WIN-SHARED-1, WIN-SHARED-3)', async () => {
  for (const [namespace, expected] of [
    ['storage', { isFound: true, madeBy: 'two', isOthers: undefined, portals: 2 }],
    ['other', { isFound: undefined, madeBy: undefined, isOthers: true, portals: 1 }],
  ] as const) {
    const { host, iscsi, disks } = await memoryMachine({ clock });
    const disk = disks.make({ sizeBytes: GIB, page83: 'naa.one' });
    for (const portal of [PORTAL, OTHER_PORTAL]) iscsi.offer({ portal, iqn: iqnOf('one'), disks: [disk] });
    const theirs = finder({ origin: 'Made', madeBy: 'two', portalMadeBy: 'two' }, iqnOf('one'), { namespace });
    const { connect, ask } = operationsOn(host, [{ ...theirs, spec: { ...theirs.spec, portal: OTHER_PORTAL } }]);
    await connectOutside(host, OTHER_PORTAL, iqnOf('one'));
    const own = standing('one');
    const { isFound, madeBy, isOthers } = (await ask(connect, own)) as JsonObject;
    const portals = (await host.iscsi.listTargetPortals()).length;
    assert.equal({ isFound, madeBy, isOthers, portals }, expected, namespace);
  }
});

test('a portal that was added for a target which refused the login has a maker (WIN-SHARED-4)', async () => {
  const { host } = await memoryMachine({ clock });
  const one = { ...standing('one'), status: { nodeName: 'one', connection: 'Connecting', portalMadeBy: 'one' } };
  const { look, ask } = operationsOn(host, [one]);
  assert.is(((await ask(look, finder({}))) as JsonObject)['portalMadeBy'], 'one');
});

test('a portal stays while another client has a target connected through it (WIN-SHARED-1)', async () => {
  const { host, iscsi, disks } = await memoryMachine({ clock });
  for (const name of ['one', 'driver'])
    iscsi.offer({ portal: PORTAL, iqn: iqnOf(name), disks: [disks.make({ sizeBytes: GIB, page83: `naa.${name}` })] });
  const { connect, disconnect, ask } = operationsOn(host, []);
  await ask(connect, standing('one'));
  await connectOutside(host, PORTAL, iqnOf('driver'));
  assert.equal(await ask(disconnect, leaving('one')), {});
  assert.equal(await host.iscsi.listTargetPortals(), [PORTAL]);
  assert.is((await host.iscsi.getTargetDisks(PORTAL, iqnOf('one'))).length, 0);
});

test.run();
