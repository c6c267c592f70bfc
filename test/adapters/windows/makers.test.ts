// Makers of shares, targets and portals: only what certainly made one is recorded as its maker by an object that finds it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../../adapters/api/adapter.ts';
import { Code, StatusError, UnknownEndError } from '../../../adapters/csi-proxy/base/status.ts';
import { KeyedMutex } from '../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../adapters/http/egress-policy.ts';
import { attempt } from '../../../adapters/windows/kinds/windows-kind.ts';
import { iscsiTargetOperations } from '../../../adapters/windows/operations/iscsi-target.ts';
import type { MachinePorts } from '../../../adapters/windows/operations/serving.ts';
import { smbMappingOperations } from '../../../adapters/windows/operations/smb-mapping.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';
import { GIB } from '../../world/windows.ts';

const test = suite('makers');
const clock = simulatedClock();

const SHARE = '\\\\files\\data';
const LOGIN = { username: 'user', password: 'Wp7-of-the-share' };
const PORTAL = { address: '10.0.0.1', port: 3260 };
const IQN = 'iqn.2024-01.org.example:one';
const NODE = { nodeName: 'one' };
const SOURCE = { nodeRef: 'one' };

const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Machine = Awaited<ReturnType<typeof memoryMachine>>;

/** Kinds whose resources several objects may share. */
interface Shared {
  readonly kind: string;
  readonly spec: JsonObject;
  /** Status of an object that is about to make the resource. */
  readonly intended: JsonObject;
  /** Added to the status once it is made. */
  readonly done: JsonObject;
  /** Members of an answer that name makers. */
  readonly makers: readonly string[];
  readonly make: string;
  readonly remove: string;
  operations(ports: MachinePorts): Readonly<Record<string, Operation>>;
  offer(machine: Machine): void;
  /** As another client does. */
  makeOutside(machine: Machine): Promise<void>;
  removeOutside(machine: Machine): Promise<void>;
  isThere(machine: Machine): Promise<boolean>;
  /** From now on attempts to make it fail so. */
  refuse(machine: Machine, failure: Error): void;
}

/** The object as one that found the resource, and is ready. */
function found(object: KubeObject, makers: readonly string[]): KubeObject {
  const status = Object.entries(object.status ?? {}).filter(([member]) => !makers.includes(member));
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Found' }];
  const connected = object.kind === 'IscsiTarget' ? { connection: 'Connected' } : {};
  return { ...object, status: { ...Object.fromEntries(status), ...connected, origin: 'Found', conditions } };
}

const KINDS: readonly Shared[] = [
  {
    kind: 'SmbMapping',
    spec: { ...SOURCE, remotePath: SHARE, credentialsSecretRef: 'login' },
    intended: { root: SHARE, origin: 'Made' },
    done: { credentialHash: 'of-the-login' },
    makers: ['madeBy'],
    make: 'map',
    remove: 'unmap',
    operations: smbMappingOperations,
    offer: ({ smb }) => smb.offer(SHARE, LOGIN),
    makeOutside: ({ host }) => host.smb.newSmbGlobalMapping({ root: SHARE, ...LOGIN, encryption: 'required' }),
    removeOutside: ({ host }) => host.smb.removeSmbGlobalMapping(SHARE),
    isThere: async ({ host }) => (await host.smb.isSmbMapped(SHARE)) === 'mapped',
    refuse: ({ host }, failure) => void Object.assign(host.smb, { newSmbGlobalMapping: () => Promise.reject(failure) }),
  },
  {
    kind: 'IscsiTarget',
    spec: { ...SOURCE, portal: PORTAL, iqn: IQN },
    intended: { connection: 'Connecting', origin: 'Made' },
    done: { connection: 'Connected' },
    makers: ['madeBy', 'portalMadeBy'],
    make: 'connect',
    remove: 'disconnect',
    operations: iscsiTargetOperations,
    offer: ({ iscsi, disks }) =>
      iscsi.offer({ portal: PORTAL, iqn: IQN, disks: [disks.make({ sizeBytes: GIB, page83: 'naa.one' })] }),
    makeOutside: async ({ host }) => {
      await host.system.startService('MSiSCSI');
      await host.iscsi.addTargetPortal(PORTAL);
      await host.iscsi.discoverTargetPortal(PORTAL);
      await host.iscsi.connectTarget(PORTAL, IQN, { authentication: 'NONE', username: '', secret: '' });
    },
    removeOutside: async ({ host }) => {
      await host.iscsi.disconnectTarget(PORTAL, IQN);
      await host.iscsi.removeTargetPortal(PORTAL);
    },
    isThere: async ({ host }) => {
      await host.iscsi.addTargetPortal(PORTAL);
      return (await host.iscsi.getTargetDisks(PORTAL, IQN)).length > 0;
    },
    refuse: ({ host }, failure) => void Object.assign(host.iscsi, { connectTarget: () => Promise.reject(failure) }),
  },
];

/** A machine with two objects for one resource: both would make it. */
async function machineWith({ kind, spec, intended, makers, ...shared }: Shared) {
  const machine = await memoryMachine({ clock });
  shared.offer(machine);
  const object = (name: string): KubeObject => ({
    apiVersion: 'windows.troupe.dev/v1alpha1',
    kind,
    metadata: { name, namespace: 'storage', uid: `uid-${name}`, resourceVersion: '1' },
    spec,
    status: { ...NODE, ...intended, ...Object.fromEntries(makers.map((member) => [member, `uid-${name}`])) },
  });
  const objects = { first: object('first'), second: object('second') };
  const node = { ...object('one'), spec: { ...NODE, services: ['MSiSCSI'] } };
  const named = (name: string): KubeObject | undefined =>
    Object.values(objects).find(({ metadata }) => metadata.name === name);
  let serial = 'serial-of-one';
  const begin = () =>
    shared.operations({
      clock,
      host: machine.host,
      lanes: new KeyedMutex(),
      paths: new PathRules([]),
      encryption: 'required',
      node: 'one',
      derive: async () => Buffer.of(1),
      machine: async () => serial,
      foreign: ANYWHERE,
      readSecret: async () =>
        ({ data: { username: base64(LOGIN.username), password: base64(LOGIN.password) } }) as never,
      readObject: async (resource, _, name) => (resource.kind === kind ? named(name) : node),
      listObjects: async () => Object.values(objects),
    });
  let operations = begin();
  /** The process of the node ends, and another one begins. */
  const restart = (): void => {
    operations = begin();
  };
  const dependencies = { 'WindowsStorageNode/one': { id: '', ready: true, attributes: NODE } };
  const ask = async (operation: string, name: keyof typeof objects, extra: JsonObject = {}) => {
    const answer = await operations[operation]?.({ object: objects[name], dependencies, ...extra } as never);
    return answer as JsonObject;
  };
  /** Answer to an object about makers. */
  const makersFor = async (operation: string, name: keyof typeof objects) => {
    const answer = await ask(operation, name);
    return makers.map((member) => answer[member]);
  };
  const rename = (other: string): void => {
    serial = other;
  };
  return { machine, objects, ask, makersFor, rename, restart, makers };
}

for (const shared of KINDS) {
  const { kind, make, remove, done } = shared;

  test(`${kind}: an object that would make it has not made what another client made meanwhile (WIN-SHARED-1)`, async () => {
    const { machine, makersFor, makers } = await machineWith(shared);
    await shared.makeOutside(machine);
    const nobody = makers.map(() => undefined);
    assert.equal(await makersFor('look', 'second'), nobody);
    assert.equal(await makersFor(make, 'second'), nobody);
  });

  test(`${kind}: nor is the claim of such an object a record that its true maker may leave it to (WIN-SHARED-4)`, async () => {
    const { objects, ask } = await machineWith(shared);
    await ask(make, 'first');
    Object.assign(objects.first.status ?? {}, done);
    Object.assign(objects.second.status ?? {}, { conditions: [{ type: 'Ready', status: 'True', reason: 'Found' }] });
    assert.equal(await ask(remove, 'first'), { heirs: ['second'] });
  });

  test(`${kind}: an object that has made it is its maker, by its own record and by that of an object that found it (WIN-SHARED-4)`, async () => {
    const { machine, objects, makersFor, makers } = await machineWith(shared);
    await shared.makeOutside(machine);
    Object.assign(objects.first.status ?? {}, done);
    assert.equal(
      await makersFor('look', 'second'),
      makers.map(() => 'uid-first'),
    );
    const third = Object.fromEntries(makers.map((member) => [member, 'uid-third']));
    Object.assign(objects.first.status ?? {}, third, { origin: 'Found' });
    assert.equal(
      await makersFor('look', 'second'),
      makers.map(() => 'uid-third'),
    );
  });

  test(`${kind}: what was made here has a maker before the status of that one contains it, on this machine (WIN-SHARED-4)`, async () => {
    const { ask, makersFor, makers, rename } = await machineWith(shared);
    await ask(make, 'first');
    const first = makers.map(() => 'uid-first');
    assert.equal(await makersFor('look', 'second'), first);
    assert.equal(await makersFor(make, 'second'), first);
    rename('serial-of-another');
    assert.equal(
      await makersFor('look', 'second'),
      makers.map(() => undefined),
      'a machine that took its name',
    );
  });

  test(`${kind}: a maker that a new process of the node cannot prove is recorded by the heirs that it waits for (WIN-SHARED-4)`, async () => {
    const { objects, ask, makersFor, makers, restart } = await machineWith(shared);
    await ask(make, 'first');
    restart();
    Object.assign(objects, { second: found(objects.second, makers) });
    assert.equal(
      await makersFor('look', 'second'),
      makers.map(() => undefined),
    );
    assert.equal(await ask(remove, 'first'), { heirs: ['second'] });
    const first = makers.map(() => 'uid-first');
    assert.equal(await makersFor('look', 'second'), first);
    Object.assign(objects.second.status ?? {}, Object.fromEntries(makers.map((member) => [member, 'uid-first'])));
    assert.equal(await ask(remove, 'first'), {});
  });

  test(`${kind}: the object for which it was made has it, not an elder one of another namespace that is about to make it (WIN-SHARED-5)`, async () => {
    const { objects, ask } = await machineWith(shared);
    const { first, second } = objects;
    const elder = { namespace: 'other', creationTimestamp: '2020-01-01T00:00:00Z' };
    Object.assign(objects, { second: { ...second, metadata: { ...second.metadata, ...elder } } });
    const later = { ...first.metadata, creationTimestamp: '2030-01-01T00:00:00Z' };
    // Its intent is stored only once the first one has made it.
    const status = second.status ?? {};
    Object.assign(objects.second, { status: NODE });
    Object.assign(objects, { first: { ...first, metadata: later } });
    await ask(make, 'first');
    Object.assign(objects.second, { status });
    assert.is((await ask(make, 'second', { mayBeOwn: true, mayOwnPortal: true }))['isOthers'], true);
  });

  test(`${kind}: it is not left to an object of another namespace that was about to make it (WIN-SHARED-3)`, async () => {
    const { machine, objects, ask } = await machineWith(shared);
    const { second } = objects;
    Object.assign(objects, {
      second: { ...second, metadata: { ...second.metadata, namespace: 'other' }, status: NODE },
    });
    await ask(make, 'first');
    Object.assign(objects.first.status ?? {}, done);
    Object.assign(objects.second, { status: second.status });
    assert.equal(await ask(remove, 'first'), {});
    assert.is(await shared.isThere(machine), false);
  });

  test(`${kind}: an attempt whose end is unknown may have made it, and one that the machine refused has not (WIN-SHARED-1, WIN-SHARED-4)`, async () => {
    for (const [failure, isUndone] of [
      [new UnknownEndError(Code.Unknown, 'no end'), false],
      [new StatusError(Code.Unknown, 'refused'), true],
    ] as const) {
      const { machine, ask } = await machineWith(shared);
      shared.refuse(machine, failure);
      const answer = await ask(make, 'first').catch(String);
      assert.is(typeof answer === 'object' && answer['undone'] !== undefined, isUndone, String(failure));
    }
  });

  for (const [by, isRemovedOutside] of [
    ['its last object', false],
    ['another client', true],
  ] as const) {
    test(`${kind}: what was removed by ${by}, and made again by another client, has no maker (WIN-SHARED-1)`, async () => {
      const { machine, objects, ask, makersFor, makers } = await machineWith(shared);
      await ask(make, 'first');
      const second = objects.second;
      Object.assign(objects, { second: objects.first });
      if (isRemovedOutside) await shared.removeOutside(machine);
      await ask(remove, 'first');
      await shared.makeOutside(machine);
      Object.assign(objects, { first: second, second });
      assert.equal(
        await makersFor('look', 'second'),
        makers.map(() => undefined),
      );
    });
  }
}

test('a record of what no process was asked for, or was not made, is taken back, and no earlier one (WIN-SHARED-1)', async () => {
  const untaken = { code: 'transient', message: 'no process serves csi-proxy.one' };
  const refused = { code: 'transient', message: 'error 1326' };
  for (const [failure, isBefore, expected] of [
    ['untaken', true, [{ before: true }]],
    ['undone', true, [{ before: true }]],
    ['unknown', true, []],
    ['untaken', false, []],
    ['undone', false, []],
  ] as const) {
    const noted: JsonObject[] = [];
    const note = async (status: JsonObject): Promise<void> => void noted.push(status);
    const ask = async (): Promise<JsonObject> => {
      if (failure === 'undone') return { undone: refused };
      throw failure === 'untaken' ? untaken : refused;
    };
    const error = await attempt({ ask, note }, 'map', {}, isBefore ? () => ({ before: true }) : undefined).catch(
      (thrown: unknown) => thrown,
    );
    assert.equal([error, noted], [failure === 'untaken' ? untaken : refused, expected], failure);
  }
});

test.run();
