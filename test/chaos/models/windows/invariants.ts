// Invariants of Windows machines, held against what machines report of all that changed them, and what users wished before.
//
//   M1. No data is lost: what has a file system is not formatted, nor what others may have put something on; nor is a partition table
//       made where there was one.
//   M2. Nothing is formatted twice for one object, nor without its policy.
//   M3. A disk is changed on the machine where somebody has it, and on no other one.
//   M4. Nothing is taken down that nobody asked to be deleted, or that something wanted stands on.
//   M5. Of an object that is gone nothing is mapped, mounted, connected or online.
import type { KubeObject } from '../../../../machines/object.ts';
import { hasAny } from '../../../simulation/models/windows/relations.ts';
import type { Estate, Thing } from './estate.ts';
import type { MachineEntry, MachineSight } from './served-machine.ts';
import { everIn, type Lifecycle, type Wishes } from './wishes.ts';

export interface WindowsJudgeDeps {
  readonly estate: Estate;
  readonly wishes: Wishes;
  /** An object as it was seen last. */
  readonly get: (kind: string, name: string) => KubeObject | undefined;
  /** How many times as long as on the reference machine news take here. */
  readonly slowness: number;
  readonly violate: (what: string) => void;
}

export interface WindowsFigures {
  readonly formats: number;
  /** Mounts, links, mappings and connections that were made, and those that were taken away. */
  readonly made: number;
  readonly undone: number;
}

/** An object that has come within this time, in milliseconds of the reference machine, may not have been known to the pod that called the machine. */
const NEWCOMER_MS = 5_000;
const MAKES = [
  'volume.mountVolume',
  'filesystem.createSymlink',
  'smb.newSmbGlobalMapping',
  'smb.newSmbLink',
  'iscsi.connectTarget',
];
const UNDOES = [
  'volume.unmountVolume',
  'filesystem.rmdir',
  'smb.removeSmbGlobalMapping',
  'iscsi.disconnectTarget',
  'iscsi.removeTargetPortal',
];
/** What has to be done in any run, or nothing was seen. */
const USUAL = [...MAKES, ...UNDOES, 'disk.setDiskState', 'disk.initializeDisk', 'volume.formatVolume'];

export class WindowsJudge {
  readonly #deps: WindowsJudgeDeps;
  readonly #done = new Map<string, number>();
  readonly #formattedFor = new Set<Lifecycle>();
  readonly #newcomerMs: number;

  constructor(deps: WindowsJudgeDeps) {
    this.#deps = deps;
    this.#newcomerMs = NEWCOMER_MS * deps.slowness;
  }

  hear(entry: MachineEntry): void {
    const { call, step, error } = entry;
    if (step === 'begun') {
      this.#judge(entry);
      return;
    }
    if (error === undefined) this.#done.set(call, (this.#done.get(call) ?? 0) + 1);
    else if (call === 'volume.formatVolume') this.#forgetFormat(entry);
  }

  /** What is left of an object that is gone (M5). */
  judgeEnd(thing: Thing, sights: readonly MachineSight[]): void {
    const left = leftOf(thing, sights);
    if (left !== undefined) this.#deps.violate(`M5: ${thing.key} is gone, and ${left}`);
  }

  figures(): WindowsFigures {
    const count = (calls: readonly string[]): number =>
      calls.reduce((sum, call) => sum + (this.#done.get(call) ?? 0), 0);
    for (const call of USUAL) if (!this.#done.has(call)) this.#deps.violate(`nothing was seen of ${call}`);
    return { formats: count(['volume.formatVolume']), made: count(MAKES), undone: count(UNDOES) };
  }

  #judge(entry: MachineEntry): void {
    const { call, what, node, identity, was } = entry;
    if (call.startsWith('disk.') || call === 'volume.formatVolume') this.#judgePlace(entry);
    switch (call) {
      case 'volume.formatVolume':
        this.#judgeFormat(entry);
        return;
      case 'disk.initializeDisk':
        if (was !== 'RAW') this.#violate('M1', entry, `it has a partition table (${was})`);
        return;
      case 'disk.setDiskState':
        if (what.endsWith('offline'))
          this.#judgeEnding(
            entry,
            this.#find(node, (thing) => thing.identity === identity),
          );
        return;
      case 'volume.unmountVolume':
      case 'filesystem.rmdir': {
        const isThere = ({ kind, spec }: Thing): boolean => kind === 'WindowsMount' && spec['path'] === what;
        this.#judgeEnding(entry, this.#find(node, isThere));
        return;
      }
      case 'iscsi.disconnectTarget':
        this.#judgeEnding(
          entry,
          this.#find(node, ({ spec }) => spec['iqn'] === what),
        );
        return;
      case 'iscsi.removeTargetPortal': {
        const needs = this.#deps.estate.things.find(
          (thing) => thing.kind === 'IscsiTarget' && thing.node === node && this.#isBuilt(thing, entry.at),
        );
        if (needs !== undefined) this.#violate('M4', entry, `${needs.key} is connected through it`);
        return;
      }
      case 'smb.removeSmbGlobalMapping':
        this.#judgeUnmapping(entry);
        return;
      case 'filesystem.rmdirContents':
        this.#violate('M1', entry, 'nobody asks for it');
        return;
    }
  }

  #judgePlace(entry: MachineEntry): void {
    const { node, identity } = entry;
    const owner = this.#find(node, (thing) => thing.identity === identity);
    if (owner === undefined) this.#violate('M3', entry, `nobody has ${identity} there`);
  }

  #judgeFormat(entry: MachineEntry): void {
    const { at, was, identity } = entry;
    const volume = this.#volumeOn(entry);
    const life = volume && this.#deps.wishes.lifeAt(volume.key, at);
    const disks = this.#deps.estate.machines.flatMap((machine) => [
      ...machine.disks,
      ...machine.targets.map(({ disk }) => disk),
    ]);
    const began = disks.find(({ page83 }) => `page83:${page83}` === identity)?.content;
    if (was === 'NTFS') this.#violate('M1', entry, 'it has a file system');
    if (life === undefined) {
      this.#violate('M2', entry, 'nobody has a volume there');
      return;
    }
    const policies = everIn(life, 'formatPolicy');
    if (began !== 'raw' && !policies.includes('IfUnknown'))
      this.#violate('M1', entry, `others may have put something on it, and the policy is ${policies.join(', ')}`);
    if (policies.every((policy) => policy === 'Never')) this.#violate('M2', entry, 'the policy is Never');
    if (this.#formattedFor.has(life)) this.#violate('M2', entry, `it was formatted for ${volume?.key}`);
    this.#formattedFor.add(life);
  }

  /** The machine has said that nothing came of it. */
  #forgetFormat(entry: MachineEntry): void {
    const volume = this.#volumeOn(entry);
    const life = volume && this.#deps.wishes.lifeAt(volume.key, entry.at);
    if (life !== undefined && entry.was !== 'being formatted') this.#formattedFor.delete(life);
  }

  #volumeOn({ node, identity }: MachineEntry): Thing | undefined {
    const disk = this.#find(node, (thing) => thing.identity === identity);
    return disk && this.#find(node, ({ kind, on }) => kind === 'WindowsVolume' && on.includes(disk.key));
  }

  #judgeEnding(entry: MachineEntry, owner: Thing | undefined): void {
    if (owner === undefined) {
      this.#violate('M4', entry, 'nobody has that');
      return;
    }
    if (this.#deps.wishes.isWanted(owner.key, entry.at))
      this.#violate('M4', entry, `nobody has asked ${owner.key} to be deleted`);
    const user = this.#usersOf(owner).find((each) => this.#isBuilt(each, entry.at));
    if (user !== undefined) this.#violate('M4', entry, `${user.key} stands on ${owner.key}`);
  }

  /**
   * One that is broken is of use to nobody. One that works is made anew for other credentials, at once, or when nobody uses it; also
   * if it is deleted at that moment.
   */
  #judgeUnmapping(entry: MachineEntry): void {
    const { at, node, what, was } = entry;
    const owner = this.#find(node, ({ kind, spec }) => kind === 'SmbMapping' && spec['remotePath'] === what);
    const isRenewed = [at, at - this.#newcomerMs].some((when) => owner && this.#deps.wishes.isWanted(owner.key, when));
    if (owner === undefined || (was === 'sound' && !isRenewed)) {
      this.#judgeEnding(entry, owner);
      return;
    }
    if (was !== 'sound' || owner.spec['rotation'] === 'Immediate') return;
    const since = (thing: Thing): number => this.#deps.wishes.lifeAt(thing.key, at)?.from ?? at;
    const user = this.#usersOf(owner).find((each) => this.#isBuilt(each, at) && since(each) < at - this.#newcomerMs);
    if (user !== undefined) this.#violate('M4', entry, `it works, and ${user.key} uses it`);
  }

  /** Somebody wants it, and there is, or may be, something of it on the machine. */
  #isBuilt({ key, kind, name }: Thing, at: number): boolean {
    const { wishes, get } = this.#deps;
    const object = get(kind, name);
    const isThisLife = object !== undefined && object.metadata.uid === wishes.lifeAt(key, at)?.uid;
    return isThisLife && wishes.isWanted(key, at) && hasAny(object);
  }

  #usersOf({ key }: Thing): readonly Thing[] {
    return this.#deps.estate.things.filter(({ on }) => on.includes(key));
  }

  #find(node: string, isIt: (thing: Thing) => boolean): Thing | undefined {
    return this.#deps.estate.things.find((thing) => thing.node === node && isIt(thing));
  }

  #violate(rule: string, { node, call, what, identity = '' }: MachineEntry, why: string): void {
    this.#deps.violate(`${rule}: ${call} of ${[what, identity].join(' ').trim()} on ${node}: ${why}`);
  }
}

/** What is still there of it on its machine. */
export function leftOf({ kind, node, spec, identity }: Thing, sights: readonly MachineSight[]): string | undefined {
  const sight = sights.find((each) => each.node === node);
  const text = (member: string): string => String(spec[member]);
  switch (kind) {
    case 'WindowsMount':
      return sight?.paths.includes(text('path')) ? `something is at ${spec['path']} of ${node}` : undefined;
    case 'SmbMapping':
      return sight?.mapped.includes(text('remotePath')) ? `${spec['remotePath']} is mapped on ${node}` : undefined;
    case 'IscsiTarget':
      return sight?.connected.includes(text('iqn')) ? `${spec['iqn']} is connected on ${node}` : undefined;
    case 'WindowsDisk': {
      const isOnline = sight?.disks.some((disk) => disk.identity === identity && disk.state === 'online');
      return isOnline && spec['offlineOnDelete'] !== false ? `${identity} is online on ${node}` : undefined;
    }
  }
  return undefined;
}

/** What is left when all is deleted. @returns a line each */
export function leftovers({ things }: Estate, sights: readonly MachineSight[]): readonly string[] {
  return [
    ...things.flatMap((thing) => leftOf(thing, sights) ?? []),
    ...sights.flatMap(({ node, portals }) => (portals > 0 ? [`the portal is left on ${node}`] : [])),
    ...sights.flatMap(({ node, paths }) =>
      paths.flatMap((path) => (things.some(({ spec }) => spec['path'] === path) ? [] : [`${path} is left on ${node}`])),
    ),
  ];
}
