// Paths as Windows reads them, on any platform.

/** Where a path starts, and the names from there on. */
export interface WindowsPath {
  /** `C:\`, `\\host\share\` or `\\?\Volume{…}\`: always with the backslash. */
  readonly root: string;
  readonly names: readonly string[];
}

const VOLUME_ROOT = /^\\\\[?.]\\(volume\{[\w-]*\})(?=\\|$)/i;
const LONG_UNC = /^\\\\[?.]\\unc\\/i;
const LONG_DRIVE = /^\\\\[?.]\\(?=[a-z]:)/i;
const UNC_ROOT = /^\\\\([^\\]+)\\([^\\]+)/;
const DRIVE_ROOT = /^([a-z]):(?=\\)/i;

/** Undefined for what does not start at a root: a relative path, or nonsense. `.`, `..` and empty names are gone. */
export function parsePath(path: string): WindowsPath | undefined {
  const text = path.replaceAll('/', '\\').replace(LONG_UNC, '\\\\').replace(LONG_DRIVE, '');
  const volume = VOLUME_ROOT.exec(text);
  if (volume) return { root: `\\\\?\\${volume[1]}\\`, names: namesOf(text.slice(volume[0].length)) };
  const drive = DRIVE_ROOT.exec(text);
  if (drive) return { root: `${drive[1]?.toUpperCase()}:\\`, names: namesOf(text.slice(2)) };
  const share = UNC_ROOT.exec(text);
  if (share && !/^[?.]$/.test(share[1] ?? ''))
    return { root: `${share[0]}\\`, names: namesOf(text.slice(share[0].length)) };
  return undefined;
}

export function formatPath({ root, names }: WindowsPath): string {
  return root + names.join('\\');
}

/** The path of something in the directory `path`. */
export function childPath(path: string, name: string): string {
  return path.endsWith('\\') ? path + name : `${path}\\${name}`;
}

/** Such as Windows wants a volume or a mount point: with a backslash at the end. */
export function withBackslash(path: string): string {
  return path.endsWith('\\') ? path : `${path}\\`;
}

export function isVolumeRoot(root: string): boolean {
  return VOLUME_ROOT.test(root);
}

/**
 * As NTFS compares names: letter by letter in upper case. A letter beyond ASCII never becomes one of ASCII: for Unicode
 * the Kelvin sign is a `k`, for NTFS it is another name.
 */
export function foldCase(path: string): string {
  return path.replace(/[^A-Z\\]/g, (letter) => {
    const upper = letter.toUpperCase();
    return upper.length === 1 && (upper > '\x7f' || letter <= '\x7f') ? upper : letter;
  });
}

function namesOf(rest: string): string[] {
  const names: string[] = [];
  for (const name of rest.split('\\')) {
    if (name === '..') names.pop();
    else if (/[^. ]/.test(name)) names.push(name.replace(/[. ]+$/, ''));
  }
  return names;
}
