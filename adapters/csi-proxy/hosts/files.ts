// The few things that are done to a file system. Paths are Windows paths, on every platform.

/** Entry at a path; the path's last name is not followed. */
export type Entry =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file' }
  | { readonly kind: 'directory' }
  /** A directory that a volume is mounted on. The id is not known where the platform does not tell it. */
  | { readonly kind: 'mount'; readonly volumeId: string | undefined }
  | { readonly kind: 'link'; readonly target: string };

/**
 * Links on the way to the last name are followed; names are compared as Windows does, whatever the platform.
 *
 * @throws {StatusError} by all methods: `NOT_FOUND`, `FAILED_PRECONDITION` (something is in the way, or in a directory
 *   that must be empty), `INVALID_ARGUMENT` (a path that no file system takes), else `UNKNOWN`
 */
export interface Files {
  look(path: string): Promise<Entry>;
  /** Whether there is something where the path leads in the end, its last name followed too. */
  reaches(path: string): Promise<boolean>;
  /** The names in a directory. */
  list(path: string): Promise<readonly string[]>;
  /** Its parent must exist, and nothing at the path itself. */
  makeDirectory(path: string): Promise<void>;
  /** A link to a directory, which need not exist; a mount if `target` is the root of a volume. */
  makeLink(path: string, target: string): Promise<void>;
  /** Removes a file, a link, a mount or an empty directory. */
  remove(path: string): Promise<void>;
}

/** Files of a machine whose volumes and shares are made up: they come and go with what they hold. */
export interface DetachableFiles extends Files {
  /** @param root  as in `WindowsPath`; what it held before is there again */
  attach(root: string): Promise<void>;
  /** Links to it lead nowhere from now on. */
  detach(root: string): Promise<void>;
}
