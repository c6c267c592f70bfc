// What is made for an object is made only as long as that is there and not deleted, as the API server says when it is its turn (WIN-WANTED-1),
// and only on a machine that is still as it was seen (WIN-WANTED-2, WIN-DISKS-2, WIN-OPERATIONS-WINDOWS-VOLUME-1).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../../adapters/api/adapter.ts';
import { KeyedMutex } from '../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../adapters/http/egress-policy.ts';
import { iscsiTargetOperations } from '../../../adapters/windows/operations/iscsi-target.ts';
import type { MachinePorts } from '../../../adapters/windows/operations/serving.ts';
import { smbMappingOperations } from '../../../adapters/windows/operations/smb-mapping.ts';
import { windowsDiskOperations } from '../../../adapters/windows/operations/windows-disk.ts';
import { windowsMountOperations } from '../../../adapters/windows/operations/windows-mount.ts';
import { windowsVolumeOperations } from '../../../adapters/windows/operations/windows-volume.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';
import { GIB } from '../../world/windows.ts';
import { type Machine, watched } from '../../world/windows-machine.ts';

const test = suite('what is wanted still');
const PORTAL = { address: '192.0.2.60', port: 3260 };
const IQN = 'iqn.2030-01.test:one';
const IDENTITY = 'page83:naa.one';
const DIRECTORY = 'C:\\pods';

interface Making {
  readonly kind: string;
  readonly spec: JsonObject;
  /** Recorded before the request. */
  readonly status?: JsonObject;
  readonly operation: string;
  readonly operations: (ports: MachinePorts) => Readonly<Record<string, Operation>>;
  /** More of the request. @param volumeID  of the disk */
  readonly extra?: (volumeID: string) => JsonObject;
  /** What shows that it was done. */
  readonly call: string;
  /** Somebody else does something on the machine, after which it must not be done. */
  readonly forestall?: (furnished: Furnished) => Promise<unknown>;
}

interface Furnished {
  readonly machine: Machine;
  /** Of the disk with the identity. */
  readonly number: number;
  readonly volumeID: string;
}

async function swap({ machine: { disks }, number }: Furnished): Promise<void> {
  await disks.detach(number);
  assert.is(await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.other' })), number);
}

const MAKINGS: readonly Making[] = [
  {
    kind: 'SmbMapping',
    spec: { remotePath: '\\\\srv\\share' },
    operation: 'map',
    operations: smbMappingOperations,
    call: 'newSmbGlobalMapping',
    forestall: ({ machine: { smb } }) =>
      smb.host().newSmbGlobalMapping({ root: '\\\\srv\\share', username: '', password: '', encryption: 'required' }),
  },
  {
    kind: 'IscsiTarget',
    spec: { nodeRef: 'one', portal: PORTAL, iqn: IQN },
    status: { connection: 'Connecting', madeBy: 'first', portalMadeBy: 'first' },
    operation: 'connect',
    operations: iscsiTargetOperations,
    call: 'connectTarget',
  },
  {
    kind: 'WindowsDisk',
    spec: { online: false },
    operation: 'prepare',
    operations: windowsDiskOperations,
    extra: () => ({ identity: IDENTITY }),
    call: 'setDiskState',
    forestall: swap,
  },
  {
    kind: 'WindowsVolume',
    spec: { formatPolicy: 'IfRaw' },
    operation: 'format',
    operations: windowsVolumeOperations,
    extra: (volumeID) => ({ identity: IDENTITY, volumeID }),
    call: 'formatVolume',
    forestall: ({ machine: { disks }, volumeID }) => disks.format(volumeID),
  },
  {
    kind: 'WindowsMount',
    spec: { path: `${DIRECTORY}\\one` },
    operation: 'make',
    operations: windowsMountOperations,
    extra: () => ({ source: {} }),
    call: 'mkdir',
    forestall: ({ machine: { files } }) => files.makeDirectory(`${DIRECTORY}\\one`),
  },
];

async function furnished(): Promise<Furnished> {
  const machine = watched(await memoryMachine({ clock: simulatedClock() }), 'one');
  const content = { style: 'GPT', fileSystem: 'none' } as const;
  const { disks, files, iscsi, host } = machine;
  const number = await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.one', content }));
  iscsi.offer({ portal: PORTAL, iqn: IQN, disks: [] });
  await files.makeDirectory(DIRECTORY);
  return { machine, number, volumeID: (await host.volume.listVolumesOnDisk(number, 0))[0] ?? '' };
}

/**
 * @param now  as the API server has the object when it is its turn
 * @returns calls that changed the machine, and the answer or failure
 */
async function made(
  making: Making,
  now: (asked: KubeObject) => KubeObject | undefined | Promise<KubeObject>,
  on?: Furnished,
): Promise<readonly [string[], string]> {
  const { machine, volumeID } = on ?? (await furnished());
  const { kind, spec, status, operation, operations, extra } = making;
  const metadata = { namespace: 'a', name: 'one', uid: 'first' };
  const object = { kind, metadata, spec, status } as unknown as KubeObject;
  const node = { metadata: { name: 'one', uid: 'node' }, spec: { services: ['MSiSCSI'] } } as unknown as KubeObject;
  const ports: MachinePorts = {
    ...{ clock: simulatedClock(), host: machine.host, lanes: new KeyedMutex(), paths: new PathRules([DIRECTORY]) },
    ...{ encryption: 'required', node: 'one', machine: async () => '', derive: async () => Buffer.from('hash') },
    foreign: ANYWHERE,
    readSecret: async () => undefined,
    readObject: async (resource) => (resource.kind === 'WindowsStorageNode' ? node : now(object)),
    listObjects: async () => [],
  };
  const dependencies = { 'WindowsStorageNode/one': { id: 'one', ready: true, attributes: { nodeName: 'one' } } };
  const request = { object, dependencies, ...extra?.(volumeID), signal: new AbortController().signal };
  const answer = await operations(ports)
    [operation]?.(request as never)
    .then(JSON.stringify, String);
  return [machine.changes, answer ?? ''];
}

for (const making of MAKINGS) {
  test(`${making.kind}: '${making.operation}' is done for an object that is there, and for no other`, async () => {
    const [calls] = await made(making, (object) => object);
    assert.ok(calls.includes(making.call), calls.join());
    const others: readonly ((object: KubeObject) => KubeObject | undefined)[] = [
      () => undefined,
      (object) => ({ ...object, metadata: { ...object.metadata, uid: 'second' } }),
      (object) => ({ ...object, metadata: { ...object.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }),
    ];
    for (const other of others) {
      const [done, answer] = await made(making, other);
      assert.not.ok(done.includes(making.call), done.join());
      assert.match(answer, 'nothing is made for it any more');
    }
  });
}

for (const making of MAKINGS.filter(({ forestall }) => forestall !== undefined)) {
  test(`${making.kind}: '${making.operation}' sees what others do while the API server is asked (WIN-WANTED-2, WIN-OPERATIONS-WINDOWS-VOLUME-1)`, async () => {
    const on = await furnished();
    const [calls, answer] = await made(
      making,
      async (object) => {
        await making.forestall?.(on);
        return object;
      },
      on,
    );
    assert.equal(calls, [], answer);
  });
}

for (const [operation, state, call, before] of [
  ['prepare', 'offline', 'getDiskState', []],
  ['prepare', 'offline', 'setDiskState', ['setDiskState']],
  ['prepare', 'online', 'isDiskInitialized', []],
  ['prepare', 'online', 'basicPartitionsExist', []],
  ['release', 'online', 'getDiskState', []],
] as const) {
  test(`a disk whose number another one has after '${call}' in '${operation}' is not changed by it (WIN-DISKS-2)`, async () => {
    const on = await furnished();
    const { disks, after, changes } = on.machine;
    await disks.detach(on.number);
    assert.is(await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.one', state })), on.number);
    if (call === 'basicPartitionsExist') await disks.host().initializeDisk(on.number);
    after.set(call, () => swap(on));
    const spec = { online: true, partition: true };
    const extra = (): JsonObject => ({ identity: IDENTITY, initialize: true });
    const making = { kind: 'WindowsDisk', spec, operation, operations: windowsDiskOperations, extra, call: '' };
    await made(making, (object) => object, on);
    assert.equal(changes, before);
  });
}

test.run();
