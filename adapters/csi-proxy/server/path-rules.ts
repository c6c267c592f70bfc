// Allowed paths of callers: invalid ones are rejected before the host is touched.
//
// Invariants:
//   CSI-PATH-RULES-1. A path that the reference refuses is refused with the reference's message, whatever else is wrong with it.
//   CSI-PATH-RULES-2. A path that passes names, read as Windows reads it, something in an allowed directory or such a directory itself.
//       Where links on the way lead is not seen here: `requireInside` is asked with the place that the host found.

import { Code, StatusError } from '../base/status.ts';
import { foldCase } from '../hosts/windows-path.ts';

/** MAX_PATH of Windows, here in bytes of UTF-8. */
const MAX_PATH_BYTES = 260;

const DRIVE = /^[a-zA-Z]:\\/;
const FORBIDDEN = /["/:?*|]|\.\./;
const CONTROL_OR_ANGLE = /[\p{Cc}<>]/u;
/** Windows takes a superscript digit for the digit, and blanks before the extension for nothing. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³]) *(?:\.|$)/i;

/**
 * Part of these rules that a schema can express: all but the length in bytes, the names of devices, and the location of
 * a path. It accepts every path that `check` accepts.
 */
export const PATH_PATTERN = String.raw`^[a-zA-Z]:\\(((\.? )*\.?[^"/:?*|<>\x00-\x1f\x7f-\x9f. \\])*(\\|$))*$`;

export class PathRules {
  readonly #allowed: readonly string[];
  readonly #folded: readonly string[];

  /** @param allowed  directories such as `C:\var\lib\kubelet`; a backslash at the end means nothing */
  constructor(allowed: readonly string[]) {
    for (const directory of allowed) {
      if (!DRIVE.test(directory)) {
        throw new Error(`an allowed directory must start with a drive such as C:\\; got '${directory}'`);
      }
    }
    this.#allowed = allowed;
    this.#folded = allowed.map((directory) => foldCase(directory.replace(/\\+$/, '')));
  }

  get allowed(): readonly string[] {
    return this.#allowed;
  }

  /** @throws {StatusError} `INVALID_ARGUMENT`, saying what is wrong with the path */
  check(path: string): void {
    const bytes = Buffer.byteLength(path);
    if (bytes > MAX_PATH_BYTES) refuse(`path length ${bytes} exceeds maximum characters: ${MAX_PATH_BYTES}`);
    if (path.startsWith('\\')) refuse(`invalid character \\ at beginning of path: ${path}`);
    const rest = path.replace(DRIVE, '');
    if (FORBIDDEN.test(rest)) refuse(`path contains invalid characters: ${path}`);
    if (rest === path) refuse(`not an absolute Windows path: ${path}`);
    this.requireInside(path);
    if (CONTROL_OR_ANGLE.test(rest)) refuse(`path contains invalid characters: ${path}`);
    for (const segment of rest.split('\\')) {
      if (/[. ]$/.test(segment)) refuse(`path contains a name that ends in a dot or a blank: ${path}`);
      if (DEVICE.test(segment)) refuse(`path contains the reserved name of a device: ${path}`);
    }
  }

  /** @throws {StatusError} `INVALID_ARGUMENT`: `path` is neither an allowed directory nor below one */
  requireInside(path: string): void {
    const folded = foldCase(path);
    const isInside = this.#folded.some((directory) => folded === directory || folded.startsWith(`${directory}\\`));
    if (!isInside) refuse(`path: ${path} is not within the working directories: [${this.#allowed.join(' ')}]`);
  }
}

function refuse(message: string): never {
  throw new StatusError(Code.InvalidArgument, message);
}
