// The last look, in the lane of a disk, before the disk is changed or a volume on it is formatted: what was true before may not be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedMutex } from '../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../adapters/http/egress-policy.ts';
import { changeDisk } from '../../../adapters/windows/operations/disks.ts';
import { type MachinePorts, PATIENT } from '../../../adapters/windows/operations/serving.ts';
import { windowsVolumeOperations } from '../../../adapters/windows/operations/windows-volume.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';
import { GIB } from '../../world/windows.ts';
import { type Machine, watched } from '../../world/windows-machine.ts';

const test = suite('last look');
const IDENTITY = 'page83:naa.one';

/** Lanes in which something happens before it is the work's turn. */
class LateLanes extends KeyedMutex {
  readonly #meanwhile: () => Promise<void>;

  constructor(meanwhile: () => Promise<void>) {
    super();
    this.#meanwhile = meanwhile;
  }

  override async run<T>(lane: string, caller: { readonly aborted: boolean }, work: () => Promise<T>): Promise<T> {
    await this.#meanwhile();
    return super.run(lane, caller, work);
  }
}

async function machineWithDisk(): Promise<{ readonly machine: Machine; readonly number: number }> {
  const machine = watched(await memoryMachine({ clock: simulatedClock() }), 'one');
  const content = { style: 'GPT', fileSystem: 'none' } as const;
  const { disks } = machine;
  const number = await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.one', content }));
  return { machine, number };
}

test('a disk that has another number by its turn is not touched, nor is the disk that has its number (WIN-DISKS-2)', async () => {
  const { machine, number } = await machineWithDisk();
  const { disks, host } = machine;
  const swap = async (): Promise<void> => {
    const same = await disks.detach(number);
    assert.is(await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.another' })), number);
    await disks.attachSeen(same);
  };
  const changed: number[] = [];
  const ports = { host, lanes: new LateLanes(swap) };
  const outcome = await changeDisk(
    ports,
    IDENTITY,
    PATIENT,
    async (numberNow) => void changed.push(await numberNow()),
  ).catch(String);
  assert.match(outcome ?? '', /is another one by now/);
  assert.equal(changed, []);
});

/** Asks for a format, with `meanwhile` between the request and its turn. */
async function formatted(meanwhile: (machine: Machine, number: number) => void) {
  const { machine, number } = await machineWithDisk();
  const [volumeID = ''] = await machine.host.volume.listVolumesOnDisk(number, 0);
  const metadata = { namespace: 'a', name: 'one', uid: 'first' };
  const owner = { ...metadata, uid: 'disk' };
  const disk = { kind: 'WindowsDisk', metadata: owner, spec: { nodeRef: 'one' } } as unknown as KubeObject;
  const claim = { number, identity: IDENTITY, claimedBy: 'one', claimedByUID: 'disk' };
  const node = { metadata: { ...metadata, uid: 'node' }, status: { disks: [claim] } } as unknown as KubeObject;
  const object = {
    kind: 'WindowsVolume',
    metadata,
    spec: { nodeName: 'one', formatPolicy: 'IfUnknown' },
  } as unknown as KubeObject;
  const ports: MachinePorts = {
    clock: simulatedClock(),
    host: machine.host,
    paths: new PathRules([]),
    lanes: new LateLanes(async () => meanwhile(machine, number)),
    encryption: 'required',
    node: 'one',
    machine: async () => '',
    derive: async () => Buffer.from('hash'),
    foreign: ANYWHERE,
    readSecret: async () => undefined,
    readObject: async ({ kind }) => (kind === 'WindowsDisk' ? disk : object),
    listObjects: async () => [node],
  };
  const request = { object, dependencies: {}, identity: IDENTITY, volumeID, signal: new AbortController().signal };
  const answer = await windowsVolumeOperations(ports)['format']?.(request as never);
  return { answer, changes: machine.changes, volumeID };
}

test('a volume is formatted where nothing has changed by its turn (WIN-OPERATIONS-WINDOWS-VOLUME-1)', async () => {
  const { answer, changes } = await formatted(() => undefined);
  assert.equal([answer, changes], [{ formatted: true }, ['formatVolume']]);
});

test('a volume that has a file system by its turn is not formatted (WIN-OPERATIONS-WINDOWS-VOLUME-1)', async () => {
  const { answer, changes } = await formatted(({ disks }, number) => {
    for (const { volume } of disks.disk(number).partitions) if (volume !== undefined) volume.fileSystem = 'NTFS';
  });
  assert.equal([answer, changes], [{ failed: 'another program formatted it meanwhile' }, []]);
});

test('33.A4: what Windows said before it looked anew is not believed (WIN-OPERATIONS-WINDOWS-VOLUME-1)', async () => {
  const { answer, changes } = await formatted(({ disks, host }, number) => {
    // By its listing of a moment ago there is no file system still.
    let isOld = true;
    const { isVolumeFormatted } = host.volume;
    const { rescan } = host.disk;
    host.volume.isVolumeFormatted = async (id) => !isOld && isVolumeFormatted(id);
    host.disk.rescan = async () => {
      isOld = false;
      await rescan();
    };
    for (const { volume } of disks.disk(number).partitions) if (volume !== undefined) volume.fileSystem = 'NTFS';
  });
  assert.equal([answer, changes], [{ failed: 'another program formatted it meanwhile' }, []]);
});

test('a volume that is on another disk by its turn is not formatted (WIN-OPERATIONS-WINDOWS-VOLUME-1)', async () => {
  const { answer, changes, volumeID } = await formatted(({ disks }, number) => {
    const other = disks.make({ sizeBytes: GIB, page83: 'naa.another', content: { style: 'GPT', fileSystem: 'none' } });
    other.partitions.push(...disks.disk(number).partitions.splice(0));
    disks.attach(other);
  });
  assert.equal([answer, changes], [{ failed: `volume ${volumeID} is not on the disk any more` }, []]);
});

test.run();
