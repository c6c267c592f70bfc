// Paths as Windows reads them, on any platform.
import { withoutEnd } from '../../text/without-end.ts';

/** Root of a path, and the names from there on. */
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

/** Undefined for a path without a root: a relative or invalid one. `.`, `..` and empty names are resolved. */
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

/**
 * Equal for all spellings of one place; a short name (8.3) is another, unknown spelling. A path without a root is no
 * place.
 */
export function placeKey(path: string): string | undefined {
  const parsed = parsePath(path);
  return parsed && foldCase(formatPath(parsed));
}

/** Whether both may name one place, however each is spelled. */
export function mayBeSame(one: string, other: string): boolean {
  const [a, b] = [parsePath(one), parsePath(other)];
  return a !== undefined && b !== undefined && a.names.length === b.names.length && mayStartAlike(a, b);
}

/** Whether `path` may name something below the directory `outer`, however each is spelled. */
export function mayLieIn(path: string, outer: string): boolean {
  const [a, b] = [parsePath(path), parsePath(outer)];
  return a !== undefined && b !== undefined && a.names.length > b.names.length && mayStartAlike(a, b);
}

/** Whether a change of one may be one of the other. */
export function mayOverlap(one: string, other: string): boolean {
  return mayBeSame(one, other) || mayLieIn(one, other) || mayLieIn(other, one);
}

function mayStartAlike({ root, names }: WindowsPath, other: WindowsPath): boolean {
  const isSameRoot = foldCase(root) === foldCase(other.root);
  return isSameRoot && names.every((name, at) => mayBeOneName(name, other.names[at] ?? name));
}

/** The long form of a short name (8.3) is unknown: it counts as that of all matching names. */
function mayBeOneName(one: string, other: string): boolean {
  const [a, b] = [foldCase(one), foldCase(other)];
  return a === b || isShortFor(a, b) || isShortFor(b, a);
}

/** `LONGNA~1.TXT`, or, where many begin alike, `LO3F2A~1.TXT`. */
const SHORT_NAME = /^([^.~]{1,6})~\d{1,6}(?:\.([^.]{1,3}))?$/;

function isShortFor(short: string, long: string): boolean {
  const [, stem, extension = ''] = SHORT_NAME.exec(short) ?? [];
  if (stem === undefined) return false;
  const dot = long.lastIndexOf('.');
  const [base, ending] = (dot > 0 ? [long.slice(0, dot), long.slice(dot + 1)] : [long, '']).map((part) =>
    part.replace(/[. ]/g, '').replace(/[+,;=[\]]/g, '_'),
  );
  if (ending?.slice(0, 3) !== extension) return false;
  const isHashed = /^.{1,2}[0-9A-F]{4}$/.test(stem);
  return base?.startsWith(stem) === true || (isHashed && base?.startsWith(stem.slice(0, -4)) === true);
}

function namesOf(rest: string): string[] {
  const names: string[] = [];
  for (const name of rest.split('\\')) {
    if (name === '..') names.pop();
    else if (/[^. ]/.test(name)) names.push(withoutEnd(name, '. '));
  }
  return names;
}
