// A Windows machine in memory that others reach by sockets: it writes down all that changes it, has a life of its own, and treats
// calls badly if it is told to.

import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { MemoryDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import { type MemoryMachine, memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { childPath } from '../../../../adapters/csi-proxy/hosts/windows-path.ts';
import type { Clock } from '../../../../bus/mod.ts';
import { newDisk, type SimulatedMachine, seenOn, volumesOf } from '../../../simulation/models/windows/machines.ts';
import { CHANGES } from '../../../world/windows-machine.ts';
import { DIRECTORY, type EstateDisk, type EstateMachine, PORTAL, USERNAME } from './estate.ts';
import { type Calling, type MachineServer, SILENCE, serveMachine } from './machine-line.ts';

/** What becomes of a call. */
export const Trouble = {
  /** It is not done, and nothing is answered. */
  Unheard: 'unheard',
  /** It is done, and nothing is answered. */
  Silent: 'silent',
  /** It is not done, and fails. */
  Refused: 'refused',
  /** It is done, and said to have failed. */
  Lost: 'lost',
  /** It is begun after a time. */
  Late: 'late',
} as const;
export type Trouble = (typeof Trouble)[keyof typeof Trouble];

export interface CallFault {
  readonly problem: Trouble;
  /** How many of the next calls meet it. */
  readonly times: number;
  /** Those that change something, those that format, or those that look. */
  readonly of: 'changes' | 'formats' | 'looks';
  readonly delayMs?: number;
}

/** Something that changes a machine. */
export interface MachineEntry {
  readonly at: number;
  readonly node: string;
  /** `volume.formatVolume` */
  readonly call: string;
  readonly step: 'begun' | 'ended';
  /** The path, share, target or volume that it is done to. */
  readonly what: string;
  /** Of the disk that it is done to, as objects know it. */
  readonly identity?: string;
  /** The file system of a volume, the partition table of a disk, whether a mapping works. */
  readonly was?: string;
  /** It failed. */
  readonly error?: string;
}

/** What is on a machine. */
export interface MachineSight {
  readonly node: string;
  readonly disks: readonly { readonly identity: string; readonly state: string }[];
  /** Roots of shares. */
  readonly mapped: readonly string[];
  readonly portals: number;
  /** Names of targets. */
  readonly connected: readonly string[];
  /** Below the directory of all mounts. */
  readonly paths: readonly string[];
}

export interface ServedMachineDeps {
  readonly clock: Clock;
  readonly estate: EstateMachine;
  /** Ids of volumes that other machines have, as no two are to have one of the same. */
  readonly firstVolume: number;
  readonly onEntry: (entry: MachineEntry) => void;
}

const FORMAT_MS = { least: 200, most: 2_500 };
const CALL_MS = 2;
/** What somebody has put on each volume with a file system: a format takes it away. */
const MARK = 'of-somebody';
const SERVICE = 'MSiSCSI';
/** It is asked for before all that has to do with iSCSI, and mostly done already. */
const START = 'system.startService';

export class ServedMachine implements SimulatedMachine {
  readonly node: string;
  readonly memory: MemoryMachine;
  readonly formatting = new Set<string>();
  readonly #deps: ServedMachineDeps;
  /** By their page 83 identifiers, wherever they are now. */
  readonly #disks = new Map<string, MemoryDisk>();
  readonly #marked = new Set<string>();
  #server: MachineServer | undefined;
  #faults: (CallFault & { left: number })[] = [];
  #isDown = false;
  #boots = 0;

  private constructor(memory: MemoryMachine, deps: ServedMachineDeps) {
    this.memory = memory;
    this.#deps = deps;
    this.node = deps.estate.node;
  }

  static async start(deps: ServedMachineDeps): Promise<ServedMachine> {
    const { clock, estate, firstVolume } = deps;
    const memory = await memoryMachine({ clock, unknownShares: 'absent' });
    const machine = new ServedMachine(memory, deps);
    const { disks, targets, shares } = estate;
    for (let id = 0; id < firstVolume; id++) memory.disks.make(newDisk({ content: 'ntfs' }));
    for (const disk of disks) await machine.#furnish(disk, 'seen');
    for (const { iqn, secret, disk } of targets) {
      const chap = secret === undefined ? {} : { chap: { username: USERNAME, secret } };
      memory.iscsi.offer({ portal: PORTAL, iqn, disks: [await machine.#furnish(disk, 'unseen')], ...chap });
    }
    for (const { root, password } of shares) memory.smb.offer(root, { username: USERNAME, password });
    machine.#server = await serveMachine({ clock, answer: (calling) => machine.#answer(calling) });
    return machine;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  close(): void {
    this.#server?.close();
  }

  // --- what happens to it --------------------------------------------------------------------------------------------

  inject(fault: CallFault): void {
    this.#faults.push({ ...fault, left: fault.times });
  }

  clear(): void {
    this.#faults = [];
  }

  /** Sessions, services and what is under way go; mounts and links stay. @param mappings  whether they come back by themselves */
  async goDown(mappings: 'kept' | 'lost'): Promise<void> {
    const { host, smb } = this.memory;
    this.#isDown = true;
    this.#boots++;
    this.#server?.reset();
    this.formatting.clear();
    for (const { iqn, disk } of this.#deps.estate.targets) {
      if (!(await this.#connected()).includes(iqn)) continue;
      const found = this.memory.disks.disk(await host.disk.getDiskNumberByName(disk.page83));
      await host.iscsi.disconnectTarget(PORTAL, iqn);
      found.state = 'offline';
    }
    await host.system.stopService(SERVICE, { dependents: 'stopped' });
    for (const root of await this.#mapped()) {
      if (mappings === 'lost') await host.smb.removeSmbGlobalMapping(root);
      else smb.breakMapping(root);
    }
  }

  comeUp(): void {
    this.#isDown = false;
  }

  /** @returns the disk, offline, as Windows has those that it meets again; undefined: it is not there, or being formatted */
  async take(page83: string): Promise<MemoryDisk | undefined> {
    const { disks } = this.memory;
    const [number, disk] = (await seenOn(this.memory)).find(([, each]) => each.page83 === page83) ?? [];
    if (number === undefined || disk === undefined || volumesOf(disk).some((id) => this.formatting.has(id)))
      return undefined;
    await disks.detach(number);
    disk.state = 'offline';
    return disk;
  }

  /** A user gives away what is on the disk: it is a new one, of the same identity. @returns whether it was offline, so that it could be */
  renew(page83: string): boolean {
    const disk = this.#disks.get(page83);
    if (disk === undefined || disk.state === 'online') return false;
    for (const id of volumesOf(disk)) this.#marked.delete(id);
    disk.partitions.splice(0);
    disk.style = 'RAW';
    return true;
  }

  async setPassword(of: { readonly share: string } | { readonly iqn: string }, password: string): Promise<void> {
    if ('share' in of) await this.memory.smb.changePassword(of.share, password);
    else this.memory.iscsi.changeSecret(of.iqn, password);
  }

  // --- what is to be seen of it --------------------------------------------------------------------------------------

  async sight(): Promise<MachineSight> {
    const { host, files } = this.memory;
    const disks = (await seenOn(this.memory)).map(([, disk]) => ({ identity: identityOf(disk), state: disk.state }));
    const portals = await host.iscsi.listTargetPortals().catch(() => []);
    return {
      node: this.node,
      disks,
      mapped: await this.#mapped(),
      portals: portals.length,
      connected: await this.#connected(),
      paths: (await files.reaches(DIRECTORY))
        ? (await files.list(DIRECTORY)).map((name) => childPath(DIRECTORY, name))
        : [],
    };
  }

  /** Ids of volumes, as far as they can be read now, that have lost what somebody has put on them. */
  async lost(): Promise<readonly string[]> {
    const isLost = [...this.#marked].map(async (id) => {
      const { files } = this.memory;
      return (await files.reaches(id)) && !(await files.reaches(childPath(id, MARK)));
    });
    const found = await Promise.all(isLost);
    return [...this.#marked].filter((_, index) => found[index]);
  }

  async #mapped(): Promise<readonly string[]> {
    const { smb } = this.memory.host;
    const roots = this.#deps.estate.shares.map(({ root }) => root);
    const states = await Promise.all(roots.map((root) => smb.isSmbMapped(root)));
    return roots.filter((_, index) => states[index] !== 'absent');
  }

  async #connected(): Promise<readonly string[]> {
    const { iscsi } = this.memory.host;
    const names = this.#deps.estate.targets.map(({ iqn }) => iqn);
    // Without the service, or the portal, none is.
    const disks = await Promise.all(names.map((iqn) => iscsi.getTargetDisks(PORTAL, iqn).catch(() => [])));
    return names.filter((_, index) => (disks[index] ?? []).length > 0);
  }

  // --- calls ---------------------------------------------------------------------------------------------------------

  async #answer(calling: Calling): Promise<unknown> {
    const { clock } = this.#deps;
    const fault = this.#meet(calling);
    if (this.#isDown || fault?.problem === Trouble.Unheard) return SILENCE;
    await clock.sleep(CALL_MS + (fault?.delayMs ?? 0));
    if (fault?.problem === Trouble.Refused) throw refused();
    if (this.#isDown || !calling.isAwaited()) return SILENCE;
    const isTold = isChange(calling) && calling.name !== START;
    const value = await (isTold ? this.#change(calling) : this.#run(calling));
    if (fault?.problem === Trouble.Lost) throw refused();
    return fault?.problem === Trouble.Silent ? SILENCE : value;
  }

  #meet(calling: Calling): CallFault | undefined {
    const isMet: Readonly<Record<CallFault['of'], boolean>> = {
      changes: isChange(calling),
      formats: calling.name === 'volume.formatVolume',
      looks: !isChange(calling),
    };
    const found = this.#faults.find(({ of, left }) => left > 0 && isMet[of]);
    if (found !== undefined) found.left--;
    return found;
  }

  async #change({ name, args }: Calling): Promise<unknown> {
    const { clock, onEntry } = this.#deps;
    const about = { node: this.node, call: name, ...(await this.#about(name, args)) };
    onEntry({ at: clock.now(), step: 'begun', ...about });
    try {
      this.#requireFree(name, args);
      const value = await (name === 'volume.formatVolume' ? this.#format(String(args[0])) : this.#run({ name, args }));
      onEntry({ at: clock.now(), step: 'ended', ...about });
      return value;
    } catch (error) {
      onEntry({ at: clock.now(), step: 'ended', ...about, error: (error as Error).message });
      throw error;
    }
  }

  async #run({ name, args }: Pick<Calling, 'name' | 'args'>): Promise<unknown> {
    const [group = '', call = ''] = name.split('.');
    if (name === 'system.getBIOSSerialNumber') return `serial-${this.node}`;
    return Reflect.apply(Reflect.get(Reflect.get(this.memory.host, group), call), undefined, args);
  }

  /** It goes on when nobody waits for it any more, but not beyond the end of the machine. */
  async #format(id: string): Promise<void> {
    const { clock } = this.#deps;
    const boot = this.#boots;
    this.formatting.add(id);
    try {
      await clock.sleep(FORMAT_MS.least + clock.random() * (FORMAT_MS.most - FORMAT_MS.least));
      if (boot !== this.#boots) throw new StatusError(Code.Unknown, 'the machine went down');
      await this.memory.host.volume.formatVolume(id);
      await this.#mark(id);
    } finally {
      if (boot === this.#boots) this.formatting.delete(id);
    }
  }

  /** Nobody else has a volume while it is formatted, nor the disk that it is on. */
  #requireFree(name: string, [first]: readonly unknown[]): void {
    const ids = name.startsWith('disk.') ? volumesOf(this.#diskOf(name, first)) : [String(first)];
    if (ids.some((id) => this.formatting.has(id))) throw new StatusError(Code.Unknown, 'the volume is in use');
  }

  async #about(name: string, [first, second]: readonly unknown[]): Promise<Pick<MachineEntry, 'what' | 'was'>> {
    const { files, host } = this.memory;
    const disk = this.#diskOf(name, first);
    const ofDisk = disk === undefined ? {} : { identity: identityOf(disk) };
    const id = String(first);
    switch (name) {
      case 'volume.formatVolume': {
        const volume = disk?.partitions.find((each) => each.volume?.id === id)?.volume;
        const was = this.formatting.has(id) ? 'being formatted' : volume?.fileSystem;
        return { what: id, ...ofDisk, ...(was !== undefined && { was }) };
      }
      case 'disk.initializeDisk':
        return { what: `disk ${id}`, ...ofDisk, was: disk?.style ?? '' };
      case 'disk.setDiskState':
        return { what: `disk ${id} ${second}`, ...ofDisk, was: disk?.state ?? '' };
      case 'volume.mountVolume':
      case 'volume.unmountVolume':
        return { what: String(second), ...ofDisk };
      case 'filesystem.rmdir':
        return { what: id, was: (await files.look(id)).kind };
      case 'filesystem.createSymlink':
        return { what: String(second) };
      case 'smb.newSmbGlobalMapping':
        return { what: (first as { readonly root: string }).root };
      case 'smb.removeSmbGlobalMapping': {
        const isSound = (await host.smb.isSmbMapped(id)) === 'mapped' && (await host.filesystem.pathValid(id));
        return { what: id, was: isSound ? 'sound' : 'broken' };
      }
      case 'iscsi.connectTarget':
      case 'iscsi.disconnectTarget':
        return { what: String(second) };
      case 'iscsi.addTargetPortal':
      case 'iscsi.removeTargetPortal':
        return { what: 'the portal' };
      default:
        return { what: name.startsWith('disk.') ? `disk ${id}` : id, ...ofDisk };
    }
  }

  #diskOf(name: string, first: unknown): MemoryDisk | undefined {
    const { disks } = this.memory;
    try {
      if (name.startsWith('disk.')) return disks.disk(Number(first));
      return name.startsWith('volume.') ? disks.volume(String(first)).disk : undefined;
    } catch (error) {
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }

  // --- what is on it to begin with -----------------------------------------------------------------------------------

  async #furnish({ page83, content }: EstateDisk, seen: 'seen' | 'unseen'): Promise<MemoryDisk> {
    const { disks, host } = this.memory;
    const disk = disks.make(newDisk({ page83, serialNumber: `S-${page83}`, content, isOnline: true }));
    this.#disks.set(page83, disk);
    const number = await disks.attachSeen(disk);
    for (const id of volumesOf(disk)) await this.#mark(id);
    await host.disk.setDiskState(number, 'offline');
    if (seen === 'unseen') await disks.detach(number);
    return disk;
  }

  async #mark(id: string): Promise<void> {
    await this.memory.files.makeDirectory(childPath(id, MARK));
    this.#marked.add(id);
  }
}

function identityOf({ page83 }: MemoryDisk): string {
  return `page83:${page83}`;
}

function isChange({ name }: Pick<Calling, 'name'>): boolean {
  return CHANGES.test(name.split('.')[1] ?? '');
}

function refused(): StatusError {
  return new StatusError(Code.Unknown, 'the machine does not answer as it should');
}
