// A file system in memory. It has directories and links; files are there to be in the way.
import { Code, StatusError } from '../../base/status.ts';
import type { DetachableFiles, Entry } from '../files.ts';
import { foldCase, isVolumeRoot, parsePath, type WindowsPath } from '../windows-path.ts';

type Node = Directory | { readonly kind: 'file' } | { readonly kind: 'link'; readonly target: string };

interface Directory {
  readonly kind: 'directory';
  /** Entries by the name in one case. */
  readonly entries: Map<string, { readonly name: string; readonly node: Node }>;
}

/** As many links as Windows follows on the way to one file. */
const MAX_LINKS = 63;

export class MemoryFiles implements DetachableFiles {
  readonly #roots = new Map<string, Directory>();
  readonly #detached = new Map<string, Directory>();

  /** Puts a file at a path, for something to be in the way. */
  async writeFile(path: string): Promise<void> {
    this.#put(path, { kind: 'file' });
  }

  async look(path: string): Promise<Entry> {
    const node = this.#find(rooted(path), 'kept', MAX_LINKS);
    if (node === undefined) return { kind: 'absent' };
    if (node.kind === 'link' && isVolumeRoot(node.target)) return { kind: 'mount', volumeId: node.target };
    return node.kind === 'link' ? { kind: 'link', target: node.target } : { kind: node.kind };
  }

  async reaches(path: string): Promise<boolean> {
    return this.#find(rooted(path), 'followed', MAX_LINKS) !== undefined;
  }

  async list(path: string): Promise<readonly string[]> {
    return [...this.#directory(rooted(path), path).entries.values()].map(({ name }) => name);
  }

  async makeDirectory(path: string): Promise<void> {
    this.#put(path, directory());
  }

  async makeLink(path: string, target: string): Promise<void> {
    this.#put(path, { kind: 'link', target });
  }

  async remove(path: string): Promise<void> {
    const { root, names } = rooted(path);
    const name = foldCase(names.at(-1) ?? '');
    const parent = this.#find({ root, names: names.slice(0, -1) }, 'followed', MAX_LINKS);
    const node = parent?.kind === 'directory' ? parent.entries.get(name)?.node : undefined;
    if (parent?.kind !== 'directory' || node === undefined) {
      if (names.length > 0) throw new StatusError(Code.NotFound, `there is no ${path}`);
      throw new StatusError(Code.FailedPrecondition, `${path} is the root of a drive`);
    }
    if (node.kind === 'directory' && node.entries.size > 0) {
      throw new StatusError(Code.FailedPrecondition, `the directory ${path} is not empty`);
    }
    parent.entries.delete(name);
  }

  async attach(root: string): Promise<void> {
    const key = foldCase(root);
    if (!this.#roots.has(key)) this.#roots.set(key, this.#detached.get(key) ?? directory());
    this.#detached.delete(key);
  }

  async detach(root: string): Promise<void> {
    const key = foldCase(root);
    const held = this.#roots.get(key);
    if (held !== undefined) this.#detached.set(key, held);
    this.#roots.delete(key);
  }

  /** @param links  how many may still be followed */
  #find({ root, names }: WindowsPath, last: 'kept' | 'followed', links: number): Node | undefined {
    let node: Node | undefined = this.#roots.get(foldCase(root));
    for (const [index, name] of names.entries()) {
      if (node?.kind !== 'directory') return undefined;
      node = node.entries.get(foldCase(name))?.node;
      if (node?.kind === 'link' && (last === 'followed' || index < names.length - 1)) {
        const target = parsePath(node.target);
        if (target === undefined || links === 0) return undefined;
        const followed = { root: target.root, names: [...target.names, ...names.slice(index + 1)] };
        return this.#find(followed, last, links - 1);
      }
    }
    return node;
  }

  #directory(path: WindowsPath, text: string): Directory {
    const node = this.#find(path, 'followed', MAX_LINKS);
    if (node === undefined) throw new StatusError(Code.NotFound, `there is no ${text}`);
    if (node.kind !== 'directory') throw new StatusError(Code.FailedPrecondition, `${text} is no directory`);
    return node;
  }

  #put(path: string, node: Node): void {
    const { root, names } = rooted(path);
    const name = names.at(-1);
    const parent = this.#directory({ root, names: names.slice(0, -1) }, path);
    if (name === undefined || parent.entries.has(foldCase(name))) {
      throw new StatusError(Code.FailedPrecondition, `${path} exists`);
    }
    parent.entries.set(foldCase(name), { name, node });
  }
}

function directory(): Directory {
  return { kind: 'directory', entries: new Map() };
}

function rooted(path: string): WindowsPath {
  const parsed = parsePath(path);
  if (parsed === undefined) throw new StatusError(Code.NotFound, `${path} does not start at a drive or a share`);
  return parsed;
}
