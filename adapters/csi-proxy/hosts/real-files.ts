// The file system of this machine. On Windows paths are used as they are; elsewhere, and for parts of a simulated
// machine, they are mapped into a directory that represents the machine.
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, readlink, rename, rmdir, stat, symlink, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Code, StatusError } from '../base/status.ts';
import type { DetachableFiles, Entry } from './files.ts';
import { foldCase, formatPath, isVolumeRoot, parsePath, type WindowsPath } from './windows-path.ts';

const IN_THE_WAY = new Set(['EEXIST', 'ENOTDIR', 'ENOTEMPTY', 'EISDIR', 'ELOOP']);
const DETACHED = '.detached';

/**
 * @param options.folder  holds what has no place of its own on this machine: `C`, `UNC/host/share`, `Volume{…}`.
 *   Without it only paths of Windows itself are known
 * @param options.drives  `own`: the drives are this machine's, as on Windows; `folder`: they lie in the folder, too
 */
export function realFiles(options: { folder?: string; drives: 'own' | 'folder' }): DetachableFiles {
  const places = new Places(options);
  const answered = async <T>(path: string, ask: (place: string) => Promise<T>): Promise<T> => {
    try {
      return await ask(await places.of(path));
    } catch (error) {
      throw error instanceof StatusError ? error : translate(error, path);
    }
  };

  const look = async (place: string): Promise<Entry> => {
    const found = await absentAsUndefined(lstat(place));
    if (found === undefined) return { kind: 'absent' };
    if (found.isSymbolicLink()) {
      const target = places.name(await readlink(place));
      return isVolumeRoot(target) ? { kind: 'mount', volumeId: target } : { kind: 'link', target };
    }
    if (!found.isDirectory()) return { kind: 'file' };
    // Node shows a mounted volume as a directory; but its device is not that of the directory it is in.
    const isMount = options.drives === 'own' && (await stat(dirname(place))).dev !== found.dev;
    return isMount ? { kind: 'mount', volumeId: undefined } : { kind: 'directory' };
  };

  return {
    look: (path) => answered(path, look),
    reaches: (path) => answered(path, async (place) => (await absentAsUndefined(stat(place))) !== undefined),
    list: (path) => answered(path, (place) => readdir(place)),
    makeDirectory: (path) => answered(path, (place) => mkdir(place)),
    async makeLink(path, target) {
      const to = await places.ofTarget(target);
      await answered(path, async (place) => {
        await symlink(to, place, 'dir');
        // Not every file system of Windows has links, and not every one says so.
        const made = await absentAsUndefined(lstat(place));
        if (!made?.isSymbolicLink()) throw new Error('no link was made, and no error said why');
      });
    },
    remove: (path) =>
      answered(path, async (place) => {
        const found: Stats = await lstat(place);
        await (found.isDirectory() ? rmdir(place) : unlink(place));
      }),
    async attach(root) {
      await answered(root, async (place) => {
        if ((await absentAsUndefined(lstat(place))) !== undefined) return;
        await mkdir(dirname(place), { recursive: true });
        const held = await absentAsUndefined(lstat(place + DETACHED));
        await (held === undefined ? mkdir(place) : rename(place + DETACHED, place));
      });
    },
    async detach(root) {
      await answered(root, (place) => rename(place, place + DETACHED));
    },
  };
}

/** Map of Windows paths to this machine. */
class Places {
  readonly #folder: string | undefined;
  readonly #drives: 'own' | 'folder';

  constructor({ folder, drives }: { folder?: string; drives: 'own' | 'folder' }) {
    this.#folder = folder;
    this.#drives = drives;
  }

  async of(path: string): Promise<string> {
    const parsed = parsePath(path);
    if (parsed === undefined || path.includes('\0')) {
      throw new StatusError(Code.NotFound, `${path} does not start at a drive or a share`);
    }
    return (await this.#inFolder(parsed)) ?? formatPath(parsed);
  }

  /** Target text of a link to `path`: unless it is mapped elsewhere, the path unchanged. */
  async ofTarget(path: string): Promise<string> {
    const parsed = parsePath(path);
    return (parsed && (await this.#inFolder(parsed))) ?? path;
  }

  async #inFolder({ root, names }: WindowsPath): Promise<string | undefined> {
    if (this.#folder === undefined || (this.#drives === 'own' && isDrive(root))) return undefined;
    let place = join(this.#folder, ...rootFolder(root));
    for (const name of names) place = await spelled(place, name);
    return place;
  }

  /** The path of Windows for the target of a link. */
  name(target: string): string {
    if (this.#folder === undefined) return target;
    const [first = '', ...names] = relative(this.#folder, target).split(sep);
    if (/^[A-Z]$/.test(first)) return formatPath({ root: `${first}:\\`, names });
    if (isVolumeRoot(`\\\\?\\${first}\\`)) return formatPath({ root: `\\\\?\\${first}\\`, names });
    if (first === 'UNC') return formatPath({ root: `\\\\${names[0]}\\${names[1]}\\`, names: names.slice(2) });
    return target;
  }
}

function isDrive(root: string): boolean {
  return /^[A-Z]:\\$/.test(root);
}

function rootFolder(root: string): string[] {
  if (isDrive(root)) return [root.slice(0, 1)];
  if (isVolumeRoot(root)) return [root.slice(4, -1)];
  return [
    'UNC',
    ...root
      .toLowerCase()
      .split('\\')
      .filter((name) => name !== ''),
  ];
}

/** The name as it is spelled in the folder, if it is there in whatever case. */
async function spelled(folder: string, name: string): Promise<string> {
  const place = join(folder, name);
  if ((await absentAsUndefined(lstat(place))) !== undefined) return place;
  const folded = foldCase(name);
  const names = (await absentAsUndefined(readdir(folder))) ?? [];
  const found = names.find((other) => foldCase(other) === folded);
  return found === undefined ? place : join(folder, found);
}

/** @throws what is wrong, other than that it is not there */
async function absentAsUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

function translate(error: unknown, path: string): StatusError {
  const code = codeOf(error);
  const cause = { cause: error };
  if (code === 'ENOENT') return new StatusError(Code.NotFound, `there is no ${path}`, cause);
  if (code === 'ENOTEMPTY') {
    return new StatusError(Code.FailedPrecondition, `the directory ${path} is not empty`, cause);
  }
  if (code === 'EEXIST') return new StatusError(Code.FailedPrecondition, `${path} exists`, cause);
  if (IN_THE_WAY.has(code ?? '')) return new StatusError(Code.FailedPrecondition, `${path} is no directory`, cause);
  const reason = error instanceof Error ? error.message : String(error);
  return new StatusError(Code.Unknown, `${path}: ${reason}`, cause);
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
