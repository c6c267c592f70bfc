// What is made for an object is made only as long as that is there and not deleted, as the API server says when it is its turn (WIN-WANTED-1),
// and only on a machine that is still as it was seen (WIN-WANTED-2, WIN-DISKS-2, WIN-OPERATIONS-WINDOWS-VOLUME-1). A disk or a volume is
// changed by the spec of that moment (WIN-WANTED-3).
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
    spec: { diskRef: 'disk', sizeBytes: 0 },
    operation: 'resize',
    operations: windowsVolumeOperations,
    extra: (volumeID) => ({ identity: IDENTITY, volumeID, sizeBytes: 0 }),
    call: 'resizeVolume',
    forestall: swap,
  },
  {
    kind: 'WindowsVolume',
    spec: { diskRef: 'disk', formatPolicy: 'IfRaw' },
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

/** The WindowsDisk of a volume, which had its partition table from when it was raw. */
async function diskOf({ host }: Machine, status: More['disk'] = {}): Promise<KubeObject> {
  const metadata = { namespace: 'a', name: 'disk', uid: 'disk' };
  const partitionTable = await host.disk.partitionTable(1);
  const made = { identity: IDENTITY, seenRaw: '2030-01-01T00:00:00Z', partitionTable, ...status };
  return { kind: 'WindowsDisk', metadata, spec: { nodeRef: 'one' }, status: made } as unknown as KubeObject;
}

/** A node that has a disk on record as that of this object. */
function nodeWith(
  { metadata: { name, uid } }: KubeObject,
  more: JsonObject = {},
  claim: More['claim'] = {},
): KubeObject {
  const metadata = { namespace: 'a', name: 'one', uid: 'node', creationTimestamp: '2030-01-02T00:00:00Z' };
  const disks = [{ number: 1, identity: IDENTITY, claimedBy: name, claimedByUID: uid, ...claim }];
  const spec = { services: ['MSiSCSI'] };
  return { metadata: { ...metadata, ...more }, spec, status: { disks } } as unknown as KubeObject;
}

interface More {
  /** More metadata of the object. */
  readonly metadata?: JsonObject;
  /** Status of the disk that the volume is on. */
  readonly disk?: Readonly<Record<string, unknown>>;
  /** Record of its node about the disk. */
  readonly claim?: Readonly<Record<string, unknown>>;
  /** Other nodes. */
  readonly others?: readonly KubeObject[];
}

/**
 * @param now  as the API server has the object when it is its turn
 * @returns calls that changed the machine, and the answer or failure
 */
async function made(
  making: Making,
  now: (asked: KubeObject) => KubeObject | undefined | Promise<KubeObject>,
  on?: Furnished,
  more: More = {},
): Promise<readonly [string[], string]> {
  const { machine, volumeID } = on ?? (await furnished());
  const { kind, spec, status, operation, operations, extra } = making;
  const metadata = { namespace: 'a', name: 'one', uid: 'first', ...more.metadata };
  const object = { kind, metadata, spec: { nodeRef: 'one', ...spec }, status } as unknown as KubeObject;
  const disk = kind === 'WindowsDisk' ? object : await diskOf(machine, more.disk);
  const node = nodeWith(disk, {}, more.claim);
  const ports: MachinePorts = {
    clock: simulatedClock(),
    host: machine.host,
    lanes: new KeyedMutex(),
    paths: new PathRules([DIRECTORY]),
    encryption: 'required',
    node: 'one',
    machine: async () => '',
    derive: async () => Buffer.from('hash'),
    foreign: ANYWHERE,
    readSecret: async () => undefined,
    readObject: async (resource) => {
      if (resource.kind === kind) return now(object);
      return resource.kind === 'WindowsStorageNode' ? node : disk;
    },
    listObjects: async (resource) => (resource.kind === 'WindowsStorageNode' ? [node, ...(more.others ?? [])] : []),
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
    const metadata: JsonObject = operation === 'release' ? { deletionTimestamp: '2030-01-03T00:00:00Z' } : {};
    await made(making, (object) => object, on, { metadata });
    assert.equal(changes, before);
  });
}

/** Something that one spec asks for, and that a later one does not. */
interface Edited {
  readonly title: string;
  readonly making: Omit<Making, 'kind' | 'operations' | 'extra'>;
  /** Spec in the lane. */
  readonly now: JsonObject;
  readonly answer?: RegExp;
  readonly state?: 'offline';
  readonly isDeleted?: true;
  readonly disk?: Readonly<Record<string, unknown>>;
}

const ON_DISK = { kind: 'WindowsDisk', operations: windowsDiskOperations } as const;
const ON_VOLUME = { kind: 'WindowsVolume', operations: windowsVolumeOperations } as const;
const FORMAT = { operation: 'format', call: 'formatVolume' } as const;
const IF_UNKNOWN = { diskRef: 'disk', formatPolicy: 'IfUnknown' } as const;
const IF_RAW = { diskRef: 'disk', formatPolicy: 'IfRaw' } as const;

const EDITED: readonly Edited[] = [
  {
    title: 'a disk that is to be online again is not set offline',
    making: { spec: { online: false }, operation: 'prepare', call: 'setDiskState' },
    now: { online: true },
  },
  {
    title: 'a disk that is to be offline by now is not set online',
    making: { spec: { online: true }, operation: 'prepare', call: 'setDiskState' },
    now: { online: false },
    state: 'offline',
  },
  {
    title: 'a disk that is to have no partition any more is given none',
    making: { spec: { partition: true }, operation: 'prepare', call: 'createBasicPartition' },
    now: { partition: false },
  },
  {
    title: 'a disk that is to stay online at the end by now is not set offline',
    making: { spec: {}, operation: 'release', call: 'setDiskState' },
    now: { offlineOnDelete: false },
    isDeleted: true,
  },
  {
    title: 'a volume whose policy is Never by now is not formatted',
    making: { ...FORMAT, spec: IF_UNKNOWN },
    now: { ...IF_UNKNOWN, formatPolicy: 'Never' },
    answer: /"failed":"formatPolicy is Never/,
  },
  {
    title: 'a volume without a policy by now is not formatted',
    making: { ...FORMAT, spec: IF_RAW },
    now: { diskRef: 'disk' },
    answer: /"failed":"formatPolicy is Never/,
  },
  {
    title: 'a volume whose policy is IfRaw by now, on a disk that was not raw, is not formatted',
    making: { ...FORMAT, spec: IF_UNKNOWN },
    now: IF_RAW,
    disk: { seenRaw: undefined },
    answer: /"failed":"formatPolicy is IfRaw/,
  },
  {
    title: 'a volume is not resized to what it is not to have any more',
    making: { spec: { diskRef: 'disk', sizeBytes: 0 }, operation: 'resize', call: 'resizeVolume' },
    now: { diskRef: 'disk' },
    answer: /sizeBytes is not 0 any more/,
  },
];

for (const { title, making, now, answer = /^/, state = 'online', isDeleted, disk = {} } of EDITED) {
  test(`a request that waited does what the spec asks for by now: ${title} (WIN-WANTED-3, WIN-OPERATIONS-WINDOWS-DISK-2, WIN-OPERATIONS-WINDOWS-VOLUME-5)`, async () => {
    const isOfVolume = making.spec['diskRef'] !== undefined;
    const extra = (volumeID: string): JsonObject => ({
      identity: IDENTITY,
      ...(isOfVolume && { volumeID, sizeBytes: 0 }),
    });
    const whole: Making = { ...(isOfVolume ? ON_VOLUME : ON_DISK), ...making, extra };
    const metadata: JsonObject = isDeleted === true ? { deletionTimestamp: '2030-01-03T00:00:00Z' } : {};
    const furnish = async (): Promise<Furnished> => {
      const on = await furnished();
      const { disks } = on.machine;
      if (isOfVolume) return on;
      await disks.detach(on.number);
      await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.one' }));
      await disks.host().initializeDisk(on.number);
      await disks.host().setDiskState(on.number, state);
      return on;
    };
    const more = { metadata, disk };
    const [before] = await made(whole, (object) => object, await furnish(), more);
    assert.ok(before.includes(making.call), before.join());
    const edited = (object: KubeObject): KubeObject => ({ ...object, spec: { nodeRef: 'one', ...now } });
    const [changes, said] = await made(whole, edited, await furnish(), more);
    assert.not.ok(changes.includes(making.call), said);
    assert.match(said, answer);
  });
}

/** Node that has the same disk for an object of its own. */
function rival(metadata: JsonObject, claim: More['claim'] = {}, reason = 'Success'): KubeObject {
  const theirs = { metadata: { name: 'theirs', uid: 'theirs' } } as KubeObject;
  const node = nodeWith(theirs, { name: 'two', uid: 'two', ...metadata }, claim);
  const conditions = [{ type: 'Ready', reason, status: 'False' }];
  return { ...node, kind: 'WindowsStorageNode', status: { ...node.status, machine: 'serial-two', conditions } };
}

const ELDER = { creationTimestamp: '2030-01-01T00:00:00Z' } as const;
const LATER = { creationTimestamp: '2030-01-03T00:00:00Z' } as const;

const ALONE: readonly (Omit<Making, 'kind' | 'operations'> & { readonly on: typeof ON_DISK | typeof ON_VOLUME })[] = [
  {
    on: ON_DISK,
    spec: { online: true },
    operation: 'prepare',
    extra: () => ({ identity: IDENTITY }),
    call: 'setDiskState',
  },
  ...[
    { ...FORMAT, spec: IF_UNKNOWN },
    { operation: 'resize', call: 'resizeVolume', spec: { diskRef: 'disk', sizeBytes: 0 } },
  ].map((given) => ({
    on: ON_VOLUME,
    ...given,
    extra: (volumeID: string): JsonObject => ({ identity: IDENTITY, volumeID, sizeBytes: 0 }),
  })),
];

for (const { on, ...given } of ALONE) {
  test(`'${given.operation}' of a disk that another node has, too, waits, and so it does where the own node does not have it (WIN-CLAIMS-3)`, async () => {
    const making: Making = { ...on, ...given };
    const furnish = async (): Promise<Furnished> => {
      const all = await furnished();
      if (on === ON_DISK) await all.machine.disks.host().setDiskState(all.number, 'offline');
      return all;
    };
    const outcome = async (more: More): Promise<readonly [string[], string]> =>
      made(making, (object) => object, await furnish(), more);
    const done: readonly More[] = [
      {},
      { others: [rival(ELDER, {}, 'NodeGone')] },
      { others: [rival(ELDER, { number: undefined })] },
      { others: [rival(ELDER, { claimedBy: undefined })] },
      { others: [rival(ELDER, { identity: 'page83:naa.another' })] },
    ];
    for (const more of done) {
      const [changes, answer] = await outcome(more);
      assert.ok(changes.includes(given.call), answer);
    }
    const waits: readonly (readonly [More, RegExp])[] = [
      [{ others: [rival(ELDER)] }, /'a\/two' has disk page83:naa\.one for another object, too: waiting/],
      [{ others: [rival(LATER)] }, /for another object, too: waiting/],
      [{ claim: { number: undefined } }, /waiting for .* to see disk page83:naa\.one again/],
      [{ claim: { claimedByUID: 'another' } }, /waiting for its node to have on record/],
      [{ claim: { identity: 'page83:naa.another' } }, /waiting for its node to have on record/],
    ];
    for (const [more, expected] of waits) {
      const [changes, answer] = await outcome(more);
      assert.equal(changes, [], answer);
      assert.match(answer, expected);
    }
  });
}

test('a disk that its node does not have on record for its object is not set offline at the end (WIN-OPERATIONS-WINDOWS-DISK-2)', async () => {
  const extra = (): JsonObject => ({ identity: IDENTITY });
  const making: Making = { ...ON_DISK, spec: {}, operation: 'release', extra, call: 'setDiskState' };
  const more = { metadata: { deletionTimestamp: '2030-01-03T00:00:00Z' } };
  const claim = { claimedByUID: 'another' };
  assert.equal(await made(making, (object) => object, undefined, { ...more, claim }), [[], '{}']);
  const others = [rival(ELDER)];
  assert.equal(await made(making, (object) => object, undefined, { ...more, others }), [['setDiskState'], '{}']);
});

test('a disk is set offline for an elder claim only if its object had it online, and it may be (WIN-OPERATIONS-WINDOWS-DISK-3)', async () => {
  const asked = async (status: JsonObject, spec: JsonObject, others: readonly KubeObject[]) => {
    const extra = (): JsonObject => ({ identity: IDENTITY });
    const making: Making = { ...ON_DISK, spec, status, operation: 'yield', extra, call: 'setDiskState' };
    return made(making, (object) => object, undefined, { others });
  };
  const had = { identity: IDENTITY, state: 'Online' };
  const elder = [rival(ELDER)];
  assert.equal(await asked(had, {}, elder), [['setDiskState'], '{"state":"offline"}']);
  const online = '{"state":"online"}';
  assert.equal(await asked(had, {}, []), [[], online]);
  assert.equal(await asked(had, {}, [rival(LATER)]), [[], online]);
  const kept: readonly (readonly [JsonObject, JsonObject, RegExp])[] = [
    [{ identity: IDENTITY }, {}, /not on record that this object set it online/],
    [{ identity: 'page83:naa.another', state: 'Online' }, {}, /not on record that this object set it online/],
    [{ identity: IDENTITY, state: 'Offline' }, {}, /not on record that this object set it online/],
    [had, { offlineOnDelete: false }, /offlineOnDelete is false/],
  ];
  for (const [status, spec, expected] of kept) {
    const [changes, answer] = await asked(status, spec, elder);
    assert.equal(changes, []);
    assert.match(answer, expected);
  }
});

test('a volume in a partition table of another program is not formatted under IfRaw (WIN-OPERATIONS-WINDOWS-VOLUME-5)', async () => {
  const making = { ...ON_VOLUME, ...FORMAT, spec: IF_RAW };
  const extra = (volumeID: string): JsonObject => ({ identity: IDENTITY, volumeID });
  const more = { disk: { partitionTable: 'another' } };
  const [changes, answer] = await made({ ...making, extra }, (object) => object, await furnished(), more);
  assert.equal(changes, []);
  assert.match(answer, /"failed":"formatPolicy is IfRaw/);
});

test('only a deleted object sets its disk offline at its end, and no object that has its name later (WIN-OPERATIONS-WINDOWS-DISK-2)', async () => {
  const extra = (): JsonObject => ({ identity: IDENTITY });
  const making: Making = { ...ON_DISK, spec: {}, operation: 'release', extra, call: 'setDiskState' };
  const [kept, answer] = await made(making, (object) => object);
  assert.equal(kept, []);
  assert.match(answer, /is not being deleted/);
  const metadata = { deletionTimestamp: '2030-01-03T00:00:00Z' };
  const later = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, uid: 'second' } });
  for (const other of [() => undefined, later])
    assert.equal(await made(making, other, undefined, { metadata }), [[], '{}']);
});

test.run();
