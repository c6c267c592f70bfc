// What the calls mean, in the fewest words: a machine as its callers see it, without a thought for how it is made.
//
// Sizes are told to within 20 MiB, as the contract has it.
import { Code, type Code as StatusCode } from '../../../../adapters/csi-proxy/base/status.ts';
import { GIB, MIB } from '../../../world/windows-groups.ts';

/** A call that fails, and how. */
export class Failure {
  readonly code: StatusCode;
  constructor(code: StatusCode) {
    this.code = code;
  }
}

const fail = (code: StatusCode): never => {
  throw new Failure(code);
};
const absent = (): never => fail(Code.NotFound);
const blocked = (): never => fail(Code.FailedPrecondition);
const invalid = (): never => fail(Code.InvalidArgument);
const failed = (): never => fail(Code.Unknown);

type Tree = Map<string, Entry>;
type Entry = { tree: Tree } | { link: string } | { mount: Volume };

export interface Volume {
  /** Learned when it is listed for the first time. */
  id: string | undefined;
  formatted: boolean;
  sizeBytes: bigint;
  readonly isSystem: boolean;
  tree: Tree;
}

export interface Disk {
  sizeBytes: bigint;
  trueSizeBytes: bigint;
  readonly page83: string;
  style: 'RAW' | 'MBR' | 'GPT';
  online: boolean;
  volume: Volume | undefined;
}

interface Share {
  password: string;
  mapping: 'absent' | 'sound' | 'broken';
  /** Whether the machine can read it: it is mapped, with the password that it has. */
  readable: boolean;
  readonly tree: Tree;
}

export const volume = (formatted: boolean, sizeBytes: bigint, isSystem = false): Volume => ({
  id: undefined,
  formatted,
  sizeBytes,
  isSystem,
  tree: new Map(),
});

const ALLOWED = /^c:\\var\\lib\\kubelet(\\|$)/i;
const LEAST_GROWTH = 100n * MIB;

export class Model {
  readonly disks = new Map<number, Disk>();
  readonly unseen: Disk[] = [];
  readonly shares = new Map<string, Share>();
  readonly targets: { readonly iqn: string; readonly disks: readonly Disk[]; connected: boolean }[] = [];
  portal = false;
  service = false;
  readonly #drive: Tree = new Map();

  constructor() {
    this.disks.set(0, {
      sizeBytes: 64n * GIB,
      trueSizeBytes: 64n * GIB,
      page83: 'system',
      style: 'GPT',
      online: true,
      volume: volume(true, 64n * GIB, true),
    });
    for (const name of ['one', 'two']) {
      this.shares.set(`\\\\files\\${name}`, { password: 'right', mapping: 'absent', readable: false, tree: new Map() });
    }
    let tree = this.#drive;
    for (const name of ['var', 'lib', 'kubelet']) {
      const next: Tree = new Map();
      tree.set(name, { tree: next });
      tree = next;
    }
  }

  // disk

  attachSeen(disk: Disk): void {
    let number = 0;
    while (this.disks.has(number)) number++;
    this.disks.set(number, disk);
  }

  rescan(): void {
    for (const disk of this.unseen.splice(0)) this.attachSeen(disk);
    for (const disk of this.disks.values()) disk.sizeBytes = disk.trueSizeBytes;
  }

  disk(number: number): Disk {
    return this.disks.get(number) ?? absent();
  }

  numberByName(name: string): number {
    return [...this.disks].find(([, { page83 }]) => page83 === name && name !== '')?.[0] ?? absent();
  }

  partition(number: number): void {
    const disk = this.disk(number);
    if (disk.volume !== undefined) return;
    if (!disk.online) blocked();
    if (disk.style === 'RAW') disk.style = 'GPT';
    disk.volume = volume(false, disk.sizeBytes);
  }

  setState(number: number, online: boolean): void {
    const disk = this.disk(number);
    if (disk.volume?.isSystem && !online) blocked();
    disk.online = online;
  }

  // volume

  volumes(number: number, partition: number): readonly Volume[] {
    const disk = this.disk(number);
    // The first partition of a GPT disk is the reserved one.
    const its = disk.style === 'GPT' ? 2 : 1;
    return disk.volume !== undefined && disk.online && (partition === 0 || partition === its) ? [disk.volume] : [];
  }

  place(id: string): { number: number; disk: Disk; volume: Volume } {
    if (id === '') return invalid();
    for (const [number, disk] of this.disks) {
      if (disk.online && disk.volume?.id === id) return { number, disk, volume: disk.volume };
    }
    return absent();
  }

  format(id: string): void {
    const found = this.place(id).volume;
    if (found.isSystem) failed();
    found.formatted = true;
    found.tree.clear();
  }

  resize(id: string, sizeBytes: bigint): void {
    if (id === '' || sizeBytes < 0n) invalid();
    const found = this.place(id);
    const wanted = sizeBytes === 0n ? found.disk.sizeBytes : sizeBytes;
    if (wanted < found.volume.sizeBytes + LEAST_GROWTH) return;
    if (wanted > found.disk.sizeBytes) failed();
    found.volume.sizeBytes = wanted;
  }

  mount(id: string, path: string): void {
    if (id === '') invalid();
    this.#changeable(path, 'no share');
    const mounted = this.place(id).volume;
    const entry = this.#entry(path) ?? absent();
    if ('mount' in entry && entry.mount === mounted) return;
    if (!('tree' in entry) || entry.tree.size > 0) blocked();
    this.#put(path, { mount: mounted });
  }

  unmount(id: string, path: string): void {
    if (id === '') invalid();
    this.#changeable(path, 'no share');
    this.place(id);
    this.mountedAt(path);
    this.#put(path, { tree: new Map() });
  }

  mountedAt(path: string): Volume {
    this.#allowed(path);
    const entry = this.#entry(path) ?? absent();
    return 'mount' in entry ? entry.mount : absent();
  }

  closest(path: string): Volume | undefined {
    this.#allowed(path);
    for (let at = path, step = 0; step < 256; step++) {
      if (at.startsWith('\\\\')) return absent();
      if (/^c:\\?$/i.test(at)) return this.disks.get(0)?.volume;
      const entry = this.#entry(at) ?? absent();
      if ('mount' in entry) return entry.mount;
      at = 'link' in entry ? entry.link : at.slice(0, at.lastIndexOf('\\'));
    }
    return blocked();
  }

  // filesystem

  exists(path: string): boolean {
    this.#allowed(path);
    return this.#entry(path) !== undefined;
  }

  isLink(path: string): boolean {
    const entry = this.#entry(path) ?? absent();
    return 'tree' in entry ? false : this.#tree(path) !== undefined;
  }

  mkdir(path: string): void {
    this.#changeable(path, 'or a share');
    this.#make(path);
  }

  rmdir(path: string, force: boolean): void {
    this.#changeable(path, force ? 'no share' : 'or a share');
    const entry = this.#entry(path);
    if (entry === undefined && force) return;
    if (entry === undefined) throw new Failure(Code.NotFound);
    if ('tree' in entry && entry.tree.size > 0 && !force) blocked();
    this.#tree(parentOf(path))?.delete(nameOf(path));
  }

  rmdirContents(path: string): void {
    this.#changeable(`${path}\\x`, 'no share');
    (this.#tree(path) ?? absent()).clear();
  }

  link(source: string, target: string): void {
    for (const path of [target, source]) this.#allowed(path);
    for (const path of [target, source]) this.#changeable(path, 'no share');
    this.#link(source, target);
  }

  // smb

  map(root: string, password: string, localPath: string): void {
    const share = this.shares.get(root) ?? failed();
    if (share.mapping !== 'sound' || !share.readable) {
      share.mapping = 'absent';
      share.readable = false;
      if (share.password !== password) failed();
      share.mapping = 'sound';
      share.readable = true;
    }
    if (localPath === '') return;
    this.#changeable(localPath, 'no share');
    this.#link(root, localPath);
  }

  unmap(root: string): void {
    const share = this.shares.get(root);
    if (share === undefined || share.mapping === 'absent') throw new Failure(Code.NotFound);
    share.mapping = 'absent';
    share.readable = false;
  }

  changePassword(root: string, password: string): void {
    const share = this.shares.get(root);
    if (share === undefined) return;
    share.password = password;
    share.readable = false;
  }

  // iscsi

  target(iqn: string) {
    this.behind();
    return this.targets.find((target) => target.iqn === iqn) ?? absent();
  }

  /** The targets behind the only portal there is. */
  behind() {
    this.initiator();
    return this.portal ? this.targets : absent();
  }

  initiator(): void {
    if (!this.service) blocked();
  }

  connect(iqn: string): void {
    const target = this.target(iqn);
    if (target.connected) return;
    target.connected = true;
    for (const disk of target.disks) this.attachSeen(disk);
  }

  disconnect(iqn: string): void {
    const target = this.target(iqn);
    for (const number of this.numbers(target)) this.disks.delete(number);
    target.connected = false;
  }

  numbers({ disks }: { readonly disks: readonly Disk[] }): number[] {
    return disks.flatMap((disk) => [...this.disks].filter(([, other]) => other === disk).map(([number]) => number));
  }

  // paths

  #allowed(path: string): void {
    if (!ALLOWED.test(path)) invalid();
  }

  /** A path that passes, and does not leave the allowed directory by a link. */
  #changeable(path: string, where: 'no share' | 'or a share'): void {
    this.#allowed(path);
    const real = this.#real(parentOf(path), 0);
    if (real === 'share' && where === 'no share') invalid();
    if (real === 'circle') blocked();
  }

  /** Where a directory really is. */
  #real(path: string, links: number): 'drive' | 'share' | 'circle' {
    if (links > 63) return 'circle';
    if (path.startsWith('\\\\')) return 'share';
    const names = path.split('\\');
    for (let length = 2; length <= names.length; length++) {
      const entry = this.#entry(names.slice(0, length).join('\\'));
      if (entry === undefined) return 'drive';
      if ('link' in entry) return this.#real([entry.link, ...names.slice(length)].join('\\'), links + 1);
    }
    return 'drive';
  }

  #make(path: string): void {
    const entry = this.#entry(path);
    if (entry !== undefined) {
      if ('link' in entry && this.#tree(path) === undefined) blocked();
      return;
    }
    this.#make(parentOf(path));
    (this.#tree(parentOf(path)) ?? absent()).set(nameOf(path), { tree: new Map() });
  }

  #link(link: string, path: string): void {
    const tree = this.#tree(parentOf(path)) ?? absent();
    if (tree.has(nameOf(path))) blocked();
    tree.set(nameOf(path), { link });
  }

  #put(path: string, entry: Entry): void {
    this.#tree(parentOf(path))?.set(nameOf(path), entry);
  }

  /** What is at a path, its last name not followed. */
  #entry(path: string, links = 0): Entry | undefined {
    return this.#tree(parentOf(path), links)?.get(nameOf(path));
  }

  /** The directory that a path leads to in the end. */
  #tree(path: string, links = 0): Tree | undefined {
    if (links > 63) return undefined;
    if (/^c:\\?$/i.test(path)) return this.#drive;
    const share = this.shares.get(path.toLowerCase());
    if (share !== undefined) return share.readable ? share.tree : undefined;
    const entry = this.#entry(path, links);
    if (entry === undefined) return undefined;
    if ('tree' in entry) return entry.tree;
    if ('link' in entry) return this.#tree(entry.link, links + 1);
    const isThere = [...this.disks.values()].some((disk) => disk.online && disk.volume === entry.mount);
    return isThere ? entry.mount.tree : undefined;
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('\\'));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('\\') + 1).toLowerCase();
}
