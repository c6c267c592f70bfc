// Looks at a machine by way of csi-proxy, by many objects at about the same time: how often csi-proxy is asked, and that nobody who
// changes something goes by what another one was told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../../../adapters/api/adapter.ts';
import { KeyedMutex } from '../../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { PathRules } from '../../../../adapters/csi-proxy/server/path-rules.ts';
import { ANYWHERE } from '../../../../adapters/http/egress-policy.ts';
import { type PipeMachine, pipeMachine } from '../../../../adapters/windows/client/looks.ts';
import type { MachinePorts } from '../../../../adapters/windows/operations/serving.ts';
import { windowsDiskOperations } from '../../../../adapters/windows/operations/windows-disk.ts';
import { windowsVolumeOperations } from '../../../../adapters/windows/operations/windows-volume.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { SimulatedClock } from '../../../world/clock.ts';
import type { Machine } from '../../../world/windows-machine.ts';
import { onPipedMachine, withDisk } from '../../../world/windows-pipe-storage.ts';

const test = suite('looks by way of csi-proxy');

const OBJECTS = 6;
const LOOKS = ['listDiskIDs', 'listDiskLocations', 'getDiskState', 'listVolumesOnDisk', 'isVolumeFormatted', 'rescan'];
const DEPENDENCIES = {
  'WindowsStorageNode/one': { id: '', ready: true, attributes: { nodeName: 'one', endpoint: '/pipes' } },
};

interface Scene {
  readonly clock: SimulatedClock;
  readonly machine: Machine;
  readonly piped: PipeMachine;
  /** How often the machine was asked, by call, since it was asked for last. */
  counts(): Readonly<Record<string, number>>;
  ask(kind: 'WindowsDisk' | 'WindowsVolume', operation: string, given: JsonObject): Promise<JsonObject>;
}

/** A machine with disks, each with a volume, which objects ask by one csi-proxy. */
function inScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  return onPipedMachine({}, async ({ clock, machine, groups }) => {
    const content = { style: 'GPT', fileSystem: 'none' } as const;
    for (let index = 0; index < OBJECTS; index++)
      await withDisk(machine, { page83: `naa.${index}`, serialNumber: `S-${index}`, state: 'online', content });
    const counted = new Map<string, number>();
    for (const call of LOOKS)
      machine.before.set(call, async () => void counted.set(call, (counted.get(call) ?? 0) + 1));
    const piped = pipeMachine(groups, clock);
    const spec = { nodeRef: 'x', formatPolicy: 'IfUnknown' };
    const object = { kind: 'x', metadata: { namespace: 'a', name: 'x', uid: 'x' }, spec } as unknown as KubeObject;
    const disks = [{ number: 1, identity: identityOf(0), claimedBy: 'x', claimedByUID: 'x' }];
    const node = { ...object, status: { disks } };
    const ports: MachinePorts = {
      clock,
      host: machine.host,
      lanes: new KeyedMutex(),
      paths: new PathRules([]),
      encryption: 'required',
      foreign: ANYWHERE,
      node: 'one',
      machine: async () => '',
      derive: async () => Buffer.of(),
      readSecret: async () => undefined,
      readObject: async () => object,
      listObjects: async () => [node],
      behind: async () => ({ ...piped, machine: async () => '' }),
    };
    const operations = { WindowsDisk: windowsDiskOperations(ports), WindowsVolume: windowsVolumeOperations(ports) };
    await run({
      clock,
      machine,
      piped,
      counts() {
        const now = Object.fromEntries(counted);
        counted.clear();
        return now;
      },
      async ask(kind, operation, given) {
        const { signal } = new AbortController();
        const run: Operation | undefined = operations[kind][operation];
        return (await run?.({ object, dependencies: DEPENDENCIES, signal, ...given } as never)) as JsonObject;
      },
    });
  });
}

const identityOf = (index: number): string => `page83:naa.${index}`;

test('33.D: all objects of a node that look at about the same time are answered by one listing (WIN-LOOKS-1)', () =>
  inScene(async ({ clock, counts, ask }) => {
    const all = Array.from({ length: OBJECTS }, (_, index) => ({ identity: identityOf(index) }));
    const look = () =>
      Promise.all(all.flatMap((given) => [ask('WindowsDisk', 'look', given), ask('WindowsVolume', 'look', given)]));
    const answers = await look();
    assert.equal(
      answers.map((answer) => ((answer['matches'] ?? answer['volumes']) as readonly unknown[]).length),
      answers.map(() => 1),
    );
    const each = { getDiskState: OBJECTS, listVolumesOnDisk: OBJECTS, isVolumeFormatted: OBJECTS };
    const once = { listDiskIDs: 1, listDiskLocations: 1, ...each };
    assert.equal(sorted(counts()), sorted(once));
    await clock.sleep(900);
    await look();
    assert.equal(counts(), {}, 'a moment later nothing has to be asked');
    await clock.sleep(200);
    await look();
    assert.equal(sorted(counts()), sorted(once), 'later all is');
  }));

test('33.D: disks that are looked for in vain are looked for together (WIN-LOOKS-1)', () =>
  inScene(async ({ counts, ask }) => {
    const absent = Array.from({ length: 20 }, (_, index) => ({ identity: `page83:absent-${index}` }));
    const answers = await Promise.all(absent.map((given) => ask('WindowsDisk', 'look', given)));
    assert.equal(
      answers.map(({ matches = [] }) => matches),
      absent.map(() => []),
    );
    const { rescan = 0, listDiskIDs = 0 } = counts();
    assert.ok(rescan <= 2 && listDiskIDs <= 3, `${rescan} rescans, ${listDiskIDs} listings`);
  }));

test('33.D: what this process has changed is seen at once (WIN-LOOKS-2)', () =>
  inScene(async ({ piped: { host, looks } }) => {
    assert.is(await looks.disk.getDiskState(1), 'online');
    await host.disk.setDiskState(1, 'offline');
    assert.is(await looks.disk.getDiskState(1), 'offline');
  }));

test('33.A4: the last look before a format is never one of others (WIN-LOOKS-1, WIN-OPERATIONS-WINDOWS-VOLUME-1)', () =>
  inScene(async ({ machine, piped: { host, looks }, ask }) => {
    const [volumeID = ''] = await host.volume.listVolumesOnDisk(1, 0);
    // Another object looks after Windows has looked anew, and then somebody formats the volume.
    machine.before.set('listVolumesOnDisk', async () => {
      machine.before.delete('listVolumesOnDisk');
      assert.is(await looks.volume.isVolumeFormatted(volumeID), false);
      await machine.host.volume.formatVolume(volumeID);
    });
    const answer = await ask('WindowsVolume', 'format', { identity: identityOf(0), volumeID });
    assert.equal(answer, { failed: 'another program formatted it meanwhile' });
    assert.equal(machine.changes, ['formatVolume']);
  }));

function sorted(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
}

test.run();
