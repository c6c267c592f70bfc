// Remote path of a mapping: a share, and a directory on it.
import { Code, StatusError } from '../base/status.ts';

export interface RemotePath {
  /** `\\host\share` in lower case: what is mapped. */
  readonly root: string;
  /** `\\host\share\…\`: where a link leads. */
  readonly full: string;
}

/** Characters that names of shares and directories cannot contain, and that would make another kind of path of it. */
const FORBIDDEN = /[\p{Cc}"*:<>?|]/u;

const NAME = String.raw`\.*[^"*:<>?|\x00-\x1f\x7f-\x9f\\/.][^"*:<>?|\x00-\x1f\x7f-\x9f\\/]*`;
const SLASHES = String.raw`[\\/]`;

/** The same as `parseRemotePath` lets, for a schema. */
export const REMOTE_PATH_PATTERN = `^${SLASHES}*${NAME}(${SLASHES}+${NAME})+${SLASHES}*$`;
/** Pattern of the part after the share. */
export const SUB_PATH_PATTERN = `^${SLASHES}*(${NAME}(${SLASHES}+${NAME})*)?${SLASHES}*$`;

/**
 * Slashes may be of either kind, and as many as there are.
 *
 * @throws {StatusError} `INVALID_ARGUMENT`
 */
export function parseRemotePath(given: string): RemotePath {
  const path = given.replaceAll('/', '\\');
  if (path === '') throw new StatusError(Code.InvalidArgument, 'remote path is empty');
  const names = path.split('\\').filter((name) => name !== '');
  const [host, share] = names;
  // `\\?\C:\windows` and `\\.\C:` are this machine's own; `..` would make another share of it.
  const isOther = FORBIDDEN.test(path) || names.some((name) => /^\.+$/.test(name));
  if (host === undefined || share === undefined || isOther) {
    throw new StatusError(Code.InvalidArgument, `remote path (${path}) is invalid`);
  }
  return { root: `\\\\${host}\\${share}`.toLowerCase(), full: `\\\\${names.join('\\')}\\` };
}

/** The server of a share. Windows takes `server@ssl` and `server@8080` for WebDAV: what follows is none of its name. */
export function hostOfRoot(root: string): string {
  return (root.split('\\')[2] ?? '').split('@')[0] ?? '';
}
