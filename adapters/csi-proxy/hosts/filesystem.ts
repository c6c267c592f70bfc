// Directories and links, on whatever files there are.
import { Code, StatusError } from '../base/status.ts';
import type { Files } from './files.ts';
import type { FilesystemHost } from './host.ts';
import { childPath, formatPath, isVolumeRoot, parsePath } from './windows-path.ts';

/** As many links as Windows follows on the way to one file. */
const MAX_LINKS = 63;

/** The steps of the reference. */
const MAX_STEPS_UP = 256;

export function filesystem({ files }: { files: Files }): FilesystemHost {
  const mkdir = async (path: string): Promise<void> => {
    const { kind } = await files.look(path);
    if (kind === 'directory' || kind === 'mount') return;
    if (kind === 'link' && (await files.reaches(path))) return;
    if (kind !== 'absent') throw new StatusError(Code.FailedPrecondition, `${path} exists and is no directory`);
    const parsed = parsePath(path);
    if (parsed === undefined || parsed.names.length === 0) {
      throw new StatusError(Code.NotFound, `there is no ${path}`);
    }
    await mkdir(formatPath({ root: parsed.root, names: parsed.names.slice(0, -1) }));
    try {
      await files.makeDirectory(path);
    } catch (error) {
      // Two callers may make the same directories at the same time.
      if ((await files.look(path)).kind !== 'directory') throw error;
    }
  };

  const removeContents = async (path: string): Promise<void> => {
    for (const name of await files.list(path)) await removeTree(childPath(path, name));
  };

  const removeTree = async (path: string): Promise<void> => {
    const { kind } = await files.look(path);
    if (kind === 'absent') return;
    try {
      // First, and not only when it is found empty: what is mounted or linked goes without what it leads to.
      return await files.remove(path);
    } catch (error) {
      if (isStatus(error, Code.NotFound)) return;
      if (kind !== 'directory' || !isStatus(error, Code.FailedPrecondition)) throw error;
    }
    await removeContents(path);
    await files.remove(path);
  };

  const mountIn = async (path: string): Promise<string | undefined> => {
    for (const name of await files.list(path)) {
      const child = childPath(path, name);
      const { kind } = await files.look(child);
      if (kind === 'mount') return child;
      const found = kind === 'directory' ? await mountIn(child) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };

  return {
    pathExists: async (path) => (await files.look(path)).kind !== 'absent',
    pathValid: (path) => files.reaches(path),
    mkdir,
    // The removed path is resolved without links: a link on the way may be among the removed entries.
    async rmdir(path, { contents }) {
      if (contents === 'refused') await files.remove(path);
      else await removeTree(await realPath(files, path, 'kept'));
    },
    async rmdirContents(path) {
      await removeContents(await realPath(files, path, 'followed'));
    },
    mountIn,
    createSymlink: (source, target) => files.makeLink(target, source),
    async isSymlink(path) {
      const { kind } = await files.look(path);
      if (kind === 'absent') throw new StatusError(Code.NotFound, `there is no ${path}`);
      return (kind === 'link' || kind === 'mount') && (await files.reaches(path));
    },
    realPath: (path, { last }) => realPath(files, path, last),
  };
}

async function realPath(files: Files, path: string, last: 'followed' | 'kept'): Promise<string> {
  let { root, names } = rooted(path);
  for (let at = 0, links = 0; at < names.length; at++) {
    if (at === names.length - 1 && last === 'kept') break;
    const entry = await files.look(formatPath({ root, names: names.slice(0, at + 1) }));
    if (entry.kind === 'absent') break;
    if (entry.kind !== 'link') continue;
    if (++links > MAX_LINKS) throw new StatusError(Code.FailedPrecondition, `${path} leads through too many links`);
    const target = rooted(entry.target);
    ({ root, names } = { root: target.root, names: [...target.names, ...names.slice(at + 1)] });
    at = -1;
  }
  return formatPath({ root, names });
}

/**
 * The volume that a path lies on, by the steps of the reference: a mount answers, a link is followed, else it goes up.
 *
 * @param volumes.mountedAt  the volume whose mount `path` is
 * @param volumes.ofDrive  the volume of a drive such as `C:\`
 */
export async function closestVolume(
  files: Files,
  path: string,
  volumes: { mountedAt(path: string): Promise<string>; ofDrive(root: string): Promise<string> },
): Promise<string> {
  let { root, names } = rooted(path);
  for (let step = 0; step < MAX_STEPS_UP; step++) {
    if (names.length === 0) return isVolumeRoot(root) ? root : volumes.ofDrive(root);
    const current = formatPath({ root, names });
    const entry = await files.look(current);
    if (entry.kind === 'absent') throw new StatusError(Code.NotFound, `there is no ${current}`);
    if (entry.kind === 'mount') return volumes.mountedAt(current);
    if (entry.kind === 'link') ({ root, names } = rooted(entry.target));
    else names = names.slice(0, -1);
  }
  throw new StatusError(Code.FailedPrecondition, `no volume was found within ${MAX_STEPS_UP} steps`);
}

function rooted(path: string): { root: string; names: readonly string[] } {
  const parsed = parsePath(path);
  if (parsed === undefined) throw new StatusError(Code.InvalidArgument, `${path} does not start at a drive or a share`);
  return parsed;
}

function isStatus(error: unknown, code: Code): boolean {
  return error instanceof StatusError && error.code === code;
}
