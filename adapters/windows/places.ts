// Texts of paths. Pure.
import { withoutEnd } from '../text/without-end.ts';

/** The directory that a path is in. */
export function parentOf(path: string): string {
  const text = withoutEnd(path, '\\');
  return text.slice(0, text.lastIndexOf('\\'));
}

/** A directory of a share, as a remote path. */
export function onShare(remotePath: string, subPath: string | undefined): string {
  return subPath === undefined ? remotePath : `${remotePath}\\${subPath}`;
}
