// Windows machines in memory, as the processes of their nodes reach them: calls take their time, fail, are answered late or never.
// What was begun when its process dies is cut off with it, but for a format, which Windows brings to its end.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { configure } from '../../../../actors/process/adapters.ts';
import type { ConfiguredAdapter, Operation } from '../../../../adapters/api/adapter.ts';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import type { MemoryDisk, NewDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import { type MemoryMachine, memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { windowsWith } from '../../../../adapters/windows/adapter.ts';
import type { Clock } from '../../../../bus/mod.ts';
import type { OperationRequest } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { CHANGES } from '../../../world/windows-machine.ts';
import type { ProcessClock, SimulatedTime } from '../../time.ts';
import { type Content, type Estate, PASSWORD, type PlannedDisk, PORTAL, USERNAME } from './estate.ts';
import type { MachineTrouble } from './plan.ts';

/** For whom something is asked of a machine. */
export interface Caller {
  readonly plural: string;
  readonly operation: string;
  /** As its actor knew it. */
  readonly object: KubeObject;
}

/** Something that changes a machine. */
export interface MachineChange {
  readonly pod: string;
  readonly machine: SimulatedMachine;
  /** `volume.formatVolume` */
  readonly call: string;
  readonly args: readonly unknown[];
  readonly caller: Caller | undefined;
}

export interface MachineWatcher {
  /** Before it is done. */
  onBegun(change: MachineChange): void;
  /** `error`: it failed. */
  onDone(change: MachineChange, error: unknown): void;
}

export interface SimulatedMachine {
  readonly node: string;
  readonly memory: MemoryMachine;
  /** Ids of volumes that are being formatted. */
  readonly formatting: Set<string>;
}

/** What a process that plays the role on a node has of it. */
export interface MachineLine {
  readonly pod: string;
  readonly time: SimulatedTime;
  readonly clock: ProcessClock;
  readonly machines: Machines;
  /** Undefined: the process plays the role nowhere. */
  readonly node: string | undefined;
  readonly watcher: MachineWatcher;
}

const GIB = 2n ** 30n;
/** More volumes than a machine has, so that no two machines have one of the same id. */
const IDS_A_MACHINE = 100;
const CONTENTS: Readonly<Record<Content, NewDisk['content']>> = {
  raw: undefined,
  unformatted: { style: 'GPT', fileSystem: 'none' },
  foreign: { style: 'GPT', fileSystem: 'foreign' },
  ntfs: { style: 'GPT', fileSystem: 'NTFS' },
};
const OPTIONS = { WINDOWS_LOOK_EVERY_MS: '20000', WINDOWS_FORMAT_MS: '90000' };
const callers = new AsyncLocalStorage<Caller>();

export class Machines {
  readonly all: readonly SimulatedMachine[];
  readonly #time: SimulatedTime;
  readonly #chance: () => number;
  /** Until when a machine is in trouble, by its node and what it is. */
  readonly #troubles = new Map<string, number>();

  constructor(all: readonly SimulatedMachine[], time: SimulatedTime, chance: () => number) {
    this.all = all;
    this.#time = time;
    this.#chance = chance;
  }

  of(node: string): SimulatedMachine {
    const found = this.all.find((machine) => machine.node === node);
    if (found === undefined) throw new Error(`there is no machine '${node}'`);
    return found;
  }

  befall(node: string, problem: MachineTrouble, forMs: number): void {
    this.#troubles.set(`${node} ${problem}`, this.#time.elapsed() + forMs);
  }

  hits(node: string, problem: MachineTrouble): boolean {
    return this.#leftMs(node, problem) > 0 && this.#chance() < 0.4;
  }

  /** How long a call takes, in milliseconds. */
  takesMs(node: string, name: string): number {
    if (this.hits(node, 'hanging')) return this.#leftMs(node, 'hanging') + 1;
    const isSlow = this.#leftMs(node, 'slow') > 0;
    if (name === 'formatVolume') return 300 + this.#chance() * (isSlow ? 40_000 : 6_000);
    return 1 + this.#chance() * (isSlow ? 8_000 : CHANGES.test(name) ? 120 : 8);
  }

  #leftMs(node: string, problem: MachineTrouble): number {
    return (this.#troubles.get(`${node} ${problem}`) ?? 0) - this.#time.elapsed();
  }
}

export async function machinesOf(
  { nodes, shares }: Estate,
  { clock, time, chance }: { readonly clock: Clock; readonly time: SimulatedTime; readonly chance: () => number },
): Promise<Machines> {
  const all: SimulatedMachine[] = [];
  for (const { name: node, disks, targets } of nodes) {
    const memory = await memoryMachine({ clock, unknownShares: 'absent' });
    for (let id = 0; id < IDS_A_MACHINE * all.length; id++) memory.disks.make(newDisk({ content: 'ntfs' }));
    for (const disk of disks) await memory.disks.attachSeen(memory.disks.make(newDisk(disk)));
    for (const { iqn, hasChap, disks: behind } of targets)
      memory.iscsi.offer({
        portal: PORTAL,
        iqn,
        disks: behind.map((disk) => memory.disks.make(newDisk(disk))),
        ...(hasChap && { chap: { username: USERNAME, secret: PASSWORD } }),
      });
    for (const root of shares) memory.smb.offer(root, { username: USERNAME, password: PASSWORD });
    all.push({ node, memory, formatting: new Set() });
  }
  return new Machines(all, time, chance);
}

export function newDisk(planned: Partial<PlannedDisk>): NewDisk {
  const { page83 = '', serialNumber = '', lun = 0, content = 'raw', isOnline = false } = planned;
  const inside = CONTENTS[content];
  return {
    sizeBytes: 8n * GIB,
    location: `PCI Slot 3 : Adapter 0 : Port 0 : Target 0 : LUN ${lun}`,
    page83,
    serialNumber,
    state: isOnline ? 'online' : 'offline',
    ...(inside !== undefined && { content: inside }),
  };
}

/** The adapter of one process. */
export function windowsOver(line: MachineLine): ConfiguredAdapter {
  const adapter = configure(
    windowsWith(async () => hostOver(line), quickHash),
    OPTIONS,
  );
  return {
    ...adapter,
    async serve(ports) {
      const served = await adapter.serve(ports);
      const operations = Object.entries(served.operations).map(([plural, all]) => [
        plural,
        Object.fromEntries(Object.entries(all).map(([name, run]) => [name, known(plural, name, run)])),
      ]);
      return { ...served, operations: Object.fromEntries(operations) };
    },
  };
}

/** No thread but this one knows of simulated time. */
async function quickHash(text: string, salt: string): Promise<Buffer> {
  return createHash('sha256').update(`${salt} ${text}`).digest().subarray(0, 16);
}

/** Whatever the operation asks of the machine, it is known for whom. */
function known(plural: string, operation: string, run: Operation): Operation {
  return (request: never) => {
    const { object } = request as OperationRequest;
    return callers.run({ plural, operation, object }, () => run(request));
  };
}

function hostOver(line: MachineLine): Host {
  const { node = '', machines } = line;
  const machine = machines.of(node);
  const { host } = machine.memory;
  const over = <Group extends object>(group: string, calls: Group): Group =>
    Object.fromEntries(
      Object.entries(calls).map(([name, run]: [string, (...args: readonly unknown[]) => Promise<unknown>]) => [
        name,
        (...args: readonly unknown[]) => {
          const work = { machine, group, name, args, run: () => run(...args) };
          return CHANGES.test(name) ? change(line, work) : look(line, work);
        },
      ]),
    ) as Group;
  return {
    disk: over('disk', host.disk),
    volume: over('volume', host.volume),
    filesystem: over('filesystem', host.filesystem),
    smb: over('smb', host.smb),
    iscsi: over('iscsi', host.iscsi),
    system: over('system', { ...host.system, getBIOSSerialNumber: async () => `serial-${node}` }),
    close: async () => undefined,
  };
}

interface Work {
  readonly machine: SimulatedMachine;
  readonly group: string;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly run: () => Promise<unknown>;
}

function look({ clock, machines }: MachineLine, { machine: { node }, name, run }: Work): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const isRefused = machines.hits(node, 'failing');
    clock.setTimeout(
      () => {
        if (isRefused) reject(refused());
        else run().then(resolve, reject);
      },
      machines.takesMs(node, name),
    );
  });
}

function change({ pod, clock, time, machines, watcher }: MachineLine, work: Work): Promise<unknown> {
  const { machine, group, name, args, run } = work;
  const { node, formatting } = machine;
  const caller = callers.getStore();
  const reported: MachineChange = { pod, machine, call: `${group}.${name}`, args, caller };
  const isFormat = name === 'formatVolume';
  const isRefused = machines.hits(node, 'failing');
  const isForgotten = machines.hits(node, 'forgetful');
  return new Promise((resolve, reject) => {
    const back = (settle: () => void): void => void clock.setTimeout(settle, 0.5);
    const end = (error: unknown, answer?: unknown): void => {
      watcher.onDone(reported, error);
      if (error !== undefined) back(() => reject(error));
      else back(() => (isForgotten ? reject(refused()) : resolve(answer)));
    };
    clock.setTimeout(() => {
      if (isRefused) return back(() => reject(refused()));
      const inUse = busyWith(work);
      if (inUse !== undefined) return back(() => reject(inUse));
      watcher.onBegun(reported);
      const volume = String(args[0]);
      if (isFormat) formatting.add(volume);
      time.after(machines.takesMs(node, name), () => {
        if (isFormat) formatting.delete(volume);
        else if (clock.isEnded) return;
        run().then(
          (answer) => end(undefined, answer),
          (error: unknown) => end(error ?? new Error('it failed')),
        );
      });
    }, 0.5);
  });
}

/** Nobody else has a volume while it is formatted, nor the disk that it is on. */
function busyWith({ machine, name, args }: Work): StatusError | undefined {
  const { formatting, memory } = machine;
  if (formatting.size === 0) return undefined;
  const isBusy =
    name === 'setDiskState'
      ? volumesOf(diskAt(memory, Number(args[0]))).some((id) => formatting.has(id))
      : ['formatVolume', 'mountVolume', 'resizeVolume'].includes(name) && formatting.has(String(args[0]));
  return isBusy ? new StatusError(Code.Unknown, 'the volume is in use') : undefined;
}

export function volumesOf(disk: MemoryDisk | undefined): readonly string[] {
  return disk?.partitions.flatMap(({ volume }) => volume?.id ?? []) ?? [];
}

export function diskAt({ disks }: MemoryMachine, number: number): MemoryDisk | undefined {
  try {
    return disks.disk(number);
  } catch {
    return undefined;
  }
}

/** A volume of a disk that is online, and that disk. */
export function volumeAt(
  { disks }: MemoryMachine,
  id: string,
): ReturnType<MemoryMachine['disks']['volume']> | undefined {
  try {
    return disks.volume(id);
  } catch {
    return undefined;
  }
}

/** What the machine sees now, by number, but the disk that it runs from. */
export async function seenOn({ host, disks }: MemoryMachine): Promise<readonly (readonly [number, MemoryDisk])[]> {
  const seen = await host.disk.listDiskLocations();
  return [...seen.keys()].filter((number) => number !== 0).map((number) => [number, disks.disk(number)]);
}

function refused(): StatusError {
  return new StatusError(Code.Unknown, 'the machine does not answer as it should');
}
