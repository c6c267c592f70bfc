// Texts of paths. Pure.

/** The directory that a path is in. */
export function parentOf(path: string): string {
  const text = path.replace(/\\+$/, '');
  return text.slice(0, text.lastIndexOf('\\'));
}

/** A directory of a share, as a remote path. */
export function onShare(remotePath: string, subPath: string | undefined): string {
  return subPath === undefined ? remotePath : `${remotePath}\\${subPath}`;
}
