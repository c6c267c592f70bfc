// Calls of all groups in any order, on the machine in memory and on the host of Windows before it, next to a model that says what each must answer.
//
// SEQUENCES of 50 calls are run on each host, 60 by default, of which SEED gives others; what fails is told in the fewest
// calls.
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import { type MemoryMachine, memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { windowsHost } from '../../../../adapters/csi-proxy/hosts/windows/windows-host.ts';
import { ServiceStatus } from '../../../../adapters/csi-proxy/server/system/internal/types.ts';
import type { Clock } from '../../../../bus/mod.ts';
import { fc } from '../../../world/properties.ts';
import { callContext, GIB, type GroupServers, groupServers, KUBELET, MIB } from '../../../world/windows-groups.ts';
import { WorkerDouble } from '../hosts/worker-double.ts';
import { quickClock } from '../quick-clock.ts';
import { type Disk, Failure, Model, volume as newVolume, type Volume } from './model.ts';

const test = suite('groups next to their model');

const SEQUENCES = Number(process.env['SEQUENCES'] ?? 60);
const SEED = Number(process.env['SEED'] ?? 20_261_121);
const CALLS = 50;

const NO_VOLUME = '\\\\?\\Volume{ffffffff-0000-4000-8000-000000000000}\\';
const PATHS = [
  ...['', '\\a', '\\a\\b', '\\A\\c', '\\l', '\\l\\b', '\\m', '\\m\\b', '\\s', '\\s\\b'].map((name) => KUBELET + name),
  'C:\\windows',
];
const ROOTS = ['\\\\files\\one', '\\\\files\\two'];
const IQNS = ['iqn.one', 'iqn.none'];
const portal = { targetAddress: '10.0.0.5', targetPort: 3260 };
const context = callContext();

interface World extends GroupServers {
  readonly machine: MemoryMachine;
  readonly model: Model;
  /** Every volume that was listed. */
  readonly ids: string[];
}

/** What chance has chosen: each call takes of it what it needs. */
interface Choice {
  readonly call: number;
  readonly path: number;
  readonly other: number;
  readonly number: number;
  readonly flag: boolean;
}

interface Play {
  /** What the server answers, as far as it is compared. */
  readonly real: () => Promise<unknown>;
  readonly expected: () => unknown;
}

type Call = (world: World, choice: Choice) => Play;

const pick = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;
const path = ({ path: index }: Choice): string => pick(PATHS, index);
/** More often one that a volume is mounted on. */
const mountPath = ({ path: index }: Choice): string => pick([...PATHS, ...Array(9).fill(`${KUBELET}\\m`)], index);
const disk = ({ number }: Choice): number => number % 5;
const volumeId = ({ ids }: World, { number }: Choice): string => pick([...ids, ...ids, NO_VOLUME, ''], number);
const nothing = async (work: Promise<object>): Promise<undefined> => {
  assert.equal(await work, {});
  return undefined;
};

const CALLS_BY_NAME: Readonly<Record<string, Call>> = {
  // What happens to the machine.
  attach({ machine, model }, { number, flag }) {
    const sizeBytes = BigInt(10 + 10 * (number % 3)) * GIB;
    const page83 = `disk ${number % 3}`;
    const content = flag
      ? ({ style: number % 2 === 0 ? 'GPT' : 'MBR', fileSystem: number % 5 === 0 ? 'foreign' : 'NTFS' } as const)
      : undefined;
    return {
      real: async () => machine.disks.attach(machine.disks.make({ sizeBytes, page83, ...(content && { content }) })),
      expected: () =>
        void model.unseen.push({
          sizeBytes,
          trueSizeBytes: sizeBytes,
          page83,
          style: content?.style ?? 'RAW',
          online: true,
          volume: content && newVolume(content.fileSystem === 'NTFS', sizeBytes),
        }),
    };
  },
  grow({ machine, model }, choice) {
    const known = model.disks.get(disk(choice));
    const byBytes = choice.flag ? 10n * GIB : 50n * MIB;
    return {
      real: async () => known && machine.disks.grow(disk(choice), known.trueSizeBytes + byBytes),
      expected: () => {
        if (known !== undefined) known.trueSizeBytes += byBytes;
      },
    };
  },
  detach({ machine, model }, choice) {
    const number = disk(choice);
    const found = model.disks.get(number);
    const isPlain = found !== undefined && number > 0 && !model.targets.some(({ disks }) => disks.includes(found));
    return {
      real: async () => {
        if (isPlain) await machine.disks.detach(number);
      },
      expected: () => {
        if (isPlain) model.disks.delete(number);
      },
    };
  },
  loseShare({ machine, model }, { path: index, number }) {
    const root = pick(ROOTS, index);
    const share = model.shares.get(root);
    return {
      real: async () => share?.mapping === 'sound' && machine.smb.breakMapping(root),
      expected: () => {
        if (share?.mapping !== 'sound') return false;
        share.mapping = 'broken';
        return undefined;
      },
      ...(number % 2 === 0 && {
        real: () => machine.smb.changePassword(root, 'changed'),
        expected: () => model.changePassword(root, 'changed'),
      }),
    };
  },

  // disk
  rescan: ({ disk: server, model }) => ({
    real: () => nothing(server.rescan(context, {}, 'v1')),
    expected: () => model.rescan(),
  }),
  listDiskIDs: ({ disk: server, model }) => ({
    real: async () =>
      [...(await server.listDiskIDs(context, {}, 'v1')).diskIDs].map(([number, { page83 }]) => [number, page83]).sort(),
    expected: () => [...model.disks].map(([number, { page83 }]) => [number, page83]).sort(),
  }),
  getDiskNumberByName: ({ disk: server, model }, { number }) => ({
    // Names may be those of several disks.
    real: async () => {
      const found = await server.getDiskNumberByName(context, { diskName: `disk ${number % 4}` }, 'v1alpha1');
      return model.disks.get(found.diskNumber)?.page83;
    },
    expected: () => model.disks.get(model.numberByName(`disk ${number % 4}`))?.page83,
  }),
  partitionDisk: ({ disk: server, model }, choice) => ({
    real: () => nothing(server.partitionDisk(context, { diskNumber: disk(choice) }, 'v1')),
    expected: () => model.partition(disk(choice)),
  }),
  setDiskState: ({ disk: server, model }, choice) => ({
    real: () => nothing(server.setDiskState(context, { diskNumber: disk(choice), isOnline: choice.flag }, 'v1')),
    expected: () => model.setState(disk(choice), choice.flag),
  }),
  getDiskState: ({ disk: server, model }, choice) => ({
    real: async () => (await server.getDiskState(context, { diskNumber: disk(choice) }, 'v1')).isOnline,
    expected: () => model.disk(disk(choice)).online,
  }),
  getDiskStats: ({ disk: server, model }, choice) => ({
    real: async () => (await server.getDiskStats(context, { diskNumber: disk(choice) }, 'v1')).totalBytes,
    expected: () => model.disk(disk(choice)).sizeBytes,
  }),

  // volume
  listVolumesOnDisk({ volume: server, model, ids }, choice) {
    const partitionNumber = choice.flag ? 0 : choice.path % 4;
    let listed: readonly string[] = [];
    return {
      real: async () => {
        listed = (await server.listVolumesOnDisk(context, { diskNumber: disk(choice), partitionNumber }, 'v1'))
          .volumeIds;
        return listed;
      },
      expected: () =>
        model.volumes(disk(choice), partitionNumber).map((found, index) => {
          found.id ??= listed[index];
          if (found.id !== undefined && !ids.includes(found.id)) ids.push(found.id);
          return found.id;
        }),
    };
  },
  mountVolume: (world, choice) => ({
    real: () =>
      nothing(
        world.volume.mountVolume(context, { volumeId: volumeId(world, choice), targetPath: mountPath(choice) }, 'v1'),
      ),
    expected: () => world.model.mount(volumeId(world, choice), mountPath(choice)),
  }),
  unmountVolume: (world, choice) => ({
    real: () =>
      nothing(
        world.volume.unmountVolume(context, { volumeId: volumeId(world, choice), targetPath: mountPath(choice) }, 'v1'),
      ),
    expected: () => world.model.unmount(volumeId(world, choice), mountPath(choice)),
  }),
  isVolumeFormatted: (world, choice) => ({
    real: async () =>
      (await world.volume.isVolumeFormatted(context, { volumeId: volumeId(world, choice) }, 'v1')).formatted,
    expected: () => world.model.place(volumeId(world, choice)).volume.formatted,
  }),
  formatVolume: (world, choice) => ({
    real: () => nothing(world.volume.formatVolume(context, { volumeId: volumeId(world, choice) }, 'v1')),
    expected: () => world.model.format(volumeId(world, choice)),
  }),
  resizeVolume(world, choice) {
    // Never near the size of a disk, which a partition does not quite have.
    const sizeBytes = pick([0n, 0n, 3n, 13n, 25n, 99n, -1n], choice.path) * GIB;
    return {
      real: () => nothing(world.volume.resizeVolume(context, { volumeId: volumeId(world, choice), sizeBytes }, 'v1')),
      expected: () => world.model.resize(volumeId(world, choice), sizeBytes),
    };
  },
  getVolumeStats(world, choice) {
    const request = { volumeId: volumeId(world, choice) };
    let total = 0n;
    return {
      real: async () => {
        const stats = await world.volume.getVolumeStats(context, request, 'v1');
        assert.ok(stats.usedBytes <= stats.totalBytes);
        total = stats.totalBytes;
        return total;
      },
      expected: () => {
        const { formatted, sizeBytes } = world.model.place(request.volumeId).volume;
        if (!formatted) return 0n;
        return total < sizeBytes && total > sizeBytes - 20n * MIB ? total : sizeBytes;
      },
    };
  },
  getDiskNumberFromVolumeID: (world, choice) => ({
    real: async () =>
      (await world.volume.getDiskNumberFromVolumeID(context, { volumeId: volumeId(world, choice) }, 'v1')).diskNumber,
    expected: () => world.model.place(volumeId(world, choice)).number,
  }),
  writeVolumeCache: (world, choice) => ({
    real: () => nothing(world.volume.writeVolumeCache(context, { volumeId: volumeId(world, choice) }, 'v1')),
    expected: () => void world.model.place(volumeId(world, choice)),
  }),
  getVolumeIDFromTargetPath: ({ volume: server, model }, choice) => ({
    real: async () =>
      (await server.getVolumeIDFromTargetPath(context, { targetPath: mountPath(choice) }, 'v1')).volumeId,
    expected: () => model.mountedAt(mountPath(choice)).id,
  }),
  getClosestVolumeIDFromTargetPath({ volume: server, model }, choice) {
    let found = '';
    return {
      real: async () => {
        const request = { targetPath: path(choice) };
        found = (await server.getClosestVolumeIDFromTargetPath(context, request, 'v2alpha1')).volumeId;
        return found;
      },
      expected: () => {
        const expected: Volume | undefined = model.closest(path(choice));
        // That of the drive need not have been listed yet.
        if (expected?.isSystem) expected.id ??= found;
        return expected?.id;
      },
    };
  },

  // filesystem
  pathExists: ({ filesystem: server, model }, choice) => ({
    real: async () => (await server.pathExists(context, { path: path(choice) }, 'v1')).exists,
    expected: () => model.exists(path(choice)),
  }),
  mkdir: ({ filesystem: server, model }, choice) => ({
    real: () => nothing(server.mkdir(context, { path: path(choice) }, 'v1')),
    expected: () => model.mkdir(path(choice)),
  }),
  rmdir: ({ filesystem: server, model }, choice) => {
    // Without the directory that everything lies in nothing else would happen any more.
    const chosen = pick(PATHS.slice(1), choice.path);
    return {
      real: () => nothing(server.rmdir(context, { path: chosen, force: choice.flag }, 'v1')),
      expected: () => model.rmdir(chosen, choice.flag),
    };
  },
  rmdirContents: ({ filesystem: server, model }, choice) => ({
    real: () => nothing(server.rmdirContents(context, { path: path(choice) }, 'v2alpha1')),
    expected: () => model.rmdirContents(path(choice)),
  }),
  createSymlink({ filesystem: server, model }, choice) {
    const request = { sourcePath: pick(PATHS, choice.other), targetPath: path(choice) };
    return {
      real: () => nothing(server.createSymlink(context, request, 'v1')),
      expected: () => model.link(request.sourcePath, request.targetPath),
    };
  },
  isSymlink: ({ filesystem: server, model }, choice) => ({
    real: async () => (await server.isSymlink(context, { path: path(choice) }, 'v1')).isSymlink,
    expected: () => model.isLink(path(choice)),
  }),

  // smb
  newSmbGlobalMapping({ smb, model }, choice) {
    const root = pick(ROOTS, choice.other);
    const password = choice.number % 4 === 0 ? 'changed' : 'right';
    const localPath = choice.flag ? path(choice) : '';
    return {
      real: () =>
        nothing(smb.newSmbGlobalMapping(context, { remotePath: root, localPath, username: 'user', password }, 'v1')),
      expected: () => model.map(root, password, localPath),
    };
  },
  removeSmbGlobalMapping({ smb, model }, { other }) {
    const root = pick(ROOTS, other);
    return {
      real: () => nothing(smb.removeSmbGlobalMapping(context, { remotePath: `${root.toUpperCase()}\\x` }, 'v1')),
      expected: () => model.unmap(root),
    };
  },

  // iscsi
  addTargetPortal: ({ iscsi, model }) => ({
    real: () => nothing(iscsi.addTargetPortal(context, { targetPortal: portal }, 'v1alpha1')),
    expected: () => {
      model.initiator();
      model.portal = true;
    },
  }),
  removeTargetPortal: ({ iscsi, model }) => ({
    real: () => nothing(iscsi.removeTargetPortal(context, { targetPortal: portal }, 'v1alpha1')),
    expected: () => {
      model.behind();
      model.portal = false;
    },
  }),
  listTargetPortals: ({ iscsi, model }) => ({
    real: async () => (await iscsi.listTargetPortals(context, {}, 'v1alpha1')).targetPortals,
    expected: () => {
      model.initiator();
      return model.portal ? [portal] : [];
    },
  }),
  discoverTargetPortal: ({ iscsi, model }) => ({
    real: async () => (await iscsi.discoverTargetPortal(context, { targetPortal: portal }, 'v1alpha1')).iqns,
    expected: () => model.behind().map(({ iqn }) => iqn),
  }),
  connectTarget({ iscsi, model }, choice) {
    const iqn = pick(IQNS, choice.other % 5 === 0 ? 1 : 0);
    const request = { targetPortal: portal, iqn, authType: 0, chapUsername: '', chapSecret: '' };
    return {
      real: () => nothing(iscsi.connectTarget(context, request, 'v1alpha1')),
      expected: () => model.connect(iqn),
    };
  },
  disconnectTarget({ iscsi, model }, choice) {
    const iqn = pick(IQNS, choice.other % 5 === 0 ? 1 : 0);
    return {
      real: () => nothing(iscsi.disconnectTarget(context, { targetPortal: portal, iqn }, 'v1alpha1')),
      expected: () => model.disconnect(iqn),
    };
  },
  getTargetDisks: ({ iscsi, model }) => ({
    real: async () =>
      (await iscsi.getTargetDisks(context, { targetPortal: portal, iqn: 'iqn.one' }, 'v1alpha1')).diskIDs,
    expected: () => model.numbers(model.target('iqn.one')).map(String),
  }),

  // system
  startService: ({ system, model }) => ({
    real: () => nothing(system.startService(context, { name: 'MSiSCSI' }, 'v1alpha1')),
    expected: () => {
      model.service = true;
    },
  }),
  stopService: ({ system, model }, { number }) => ({
    real: () =>
      number % 4 === 0
        ? nothing(system.stopService(context, { name: 'MSiSCSI', force: true }, 'v1alpha1'))
        : Promise.resolve(),
    expected: () => {
      if (number % 4 === 0) model.service = false;
    },
  }),
  getService: ({ system, model }) => ({
    real: async () => (await system.getService(context, { name: 'MSiSCSI' }, 'v1alpha1')).status,
    expected: () => (model.service ? ServiceStatus.RUNNING : ServiceStatus.STOPPED),
  }),
};

const NAMES = Object.keys(CALLS_BY_NAME);

/** What needs others before it to succeed is called more often. */
const OFTEN = [
  'mkdir',
  'mkdir',
  'listVolumesOnDisk',
  'mountVolume',
  'mountVolume',
  'unmountVolume',
  'getVolumeIDFromTargetPath',
  'attach',
  'rescan',
  'getDiskNumberByName',
];
const CHOSEN_FROM = [...NAMES, ...OFTEN, ...OFTEN];

/** Half of the sequences begin where more can succeed. */
const PRELUDE: readonly Choice[] = ['startService', 'addTargetPortal', 'listVolumesOnDisk', 'mkdir', 'mkdir'].map(
  (name, at) => ({
    call: CHOSEN_FROM.indexOf(name),
    path: PATHS.indexOf(`${KUBELET}\\${at === 3 ? 'a' : 'm'}`),
    other: 0,
    number: 1,
    flag: true,
  }),
);

async function open(kind: 'memory' | 'windows', clock: Clock): Promise<World> {
  const machine = await memoryMachine({ clock, unknownShares: 'absent' });
  await machine.host.filesystem.mkdir(KUBELET);
  for (const root of ROOTS) machine.smb.offer(root, { username: 'user', password: 'right' });
  const model = new Model();
  const disks: Disk[] = [];
  const made = [10n * GIB, 20n * GIB].map((sizeBytes) => {
    disks.push({ sizeBytes, trueSizeBytes: sizeBytes, page83: '', style: 'RAW', online: true, volume: undefined });
    return machine.disks.make({ sizeBytes });
  });
  machine.iscsi.offer({
    portal: { address: portal.targetAddress, port: portal.targetPort },
    iqn: 'iqn.one',
    disks: made,
  });
  model.targets.push({ iqn: 'iqn.one', disks, connected: false });
  const content = { style: 'GPT', fileSystem: 'NTFS' } as const;
  await machine.disks.attachSeen(machine.disks.make({ sizeBytes: 10n * GIB, content }));
  const sizes = { sizeBytes: 10n * GIB, trueSizeBytes: 10n * GIB };
  model.attachSeen({ ...sizes, page83: '', style: 'GPT', online: true, volume: newVolume(true, 10n * GIB) });
  const host =
    kind === 'memory' ? machine.host : windowsHost({ worker: new WorkerDouble(machine), files: machine.files, clock });
  return { machine, model, ids: [], ...groupServers({ clock, host }) };
}

async function outcome(work: () => unknown): Promise<{ value: unknown } | { code: number }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof StatusError || error instanceof Failure) return { code: error.code };
    throw error;
  }
}

const index = fc.noBias(fc.nat({ max: 1_000 }));
const choice: fc.Arbitrary<Choice> = fc.record({
  call: fc.noBias(fc.nat({ max: CHOSEN_FROM.length - 1 })),
  path: index,
  other: index,
  number: index,
  flag: fc.boolean(),
});

for (const kind of ['memory', 'windows'] as const) {
  test(`${SEQUENCES} sequences of ${CALLS} calls on ${kind}, seed ${SEED}`, async () => {
    const succeeded = new Set<string>();
    const failed = new Set<string>();
    const choices = fc.array(choice, { minLength: CALLS, maxLength: CALLS, size: 'max' });
    const property = fc.asyncProperty(choices, async (chosen) => {
      const clock = quickClock();
      const world = await open(kind, clock);
      const history: string[] = [];
      for (const one of chosen[0]?.flag ? [...PRELUDE, ...chosen] : chosen) {
        // What happens to the machine by itself is seen when listings are old.
        await clock.sleep(2_000);
        const name = pick(CHOSEN_FROM, one.call);
        const play = CALLS_BY_NAME[name]?.(world, one);
        if (play === undefined) throw new Error(`there is no call ${name}`);
        const real = await outcome(play.real);
        const expected = await outcome(play.expected);
        history.push(`${name} ${path(one)} ${inspect(one)}: ${inspect(expected)}`);
        assert.equal(real, expected, `SEED=${SEED}\n${history.slice(-15).join('\n')}`);
        ('value' in real ? succeeded : failed).add(name);
      }
    });
    const { errorInstance } = await fc.check(property, { seed: SEED, numRuns: SEQUENCES });
    // With the calls up to the one that is answered otherwise, as few as could be found.
    if (errorInstance) throw errorInstance;
    if (SEQUENCES < 50) return;
    // A model that expects nothing but failures would prove nothing.
    const never = NAMES.filter((name) => !succeeded.has(name));
    assert.equal(never, []);
    assert.ok(failed.size > NAMES.length / 2);
  });
}

test.run();
