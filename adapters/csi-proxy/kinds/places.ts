// Texts of paths. Pure.

/** Without the backslash that Windows puts behind some directories. */
export function withoutEnd(path: string): string {
  return path.replace(/\\+$/, '');
}

/** The directory that a path is in. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('\\'));
}

/** A directory of a share, as a link leads to it. */
export function onShare(remotePath: string, subPath: string | undefined): string {
  const names = (subPath ?? '').split(/[\\/]+/).filter((name) => name !== '');
  return [withoutEnd(remotePath), ...names, ''].join('\\');
}
