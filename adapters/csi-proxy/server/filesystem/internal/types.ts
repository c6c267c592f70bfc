// Internal types of the server of directories and links: the union of all versions. Written by hand.
import type { bool, Empty, text } from '../../../codec/scalars.ts';

export interface CreateSymlinkRequest {
  /** Existing directory that the link points to. */
  sourcePath: text;
  /** The link. */
  targetPath: text;
}

export type CreateSymlinkResponse = Empty;

/** The old name of `IsSymlinkRequest`. */
export interface IsMountPointRequest {
  path: text;
}

export interface IsMountPointResponse {
  isMountPoint: bool;
}

export interface IsSymlinkRequest {
  path: text;
}

export interface IsSymlinkResponse {
  isSymlink: bool;
}

/** The old name of `CreateSymlinkRequest`. */
export interface LinkPathRequest {
  sourcePath: text;
  targetPath: text;
}

export type LinkPathResponse = Empty;

export interface MkdirRequest {
  path: text;
}

export type MkdirResponse = Empty;

export interface PathExistsRequest {
  path: text;
}

export interface PathExistsResponse {
  exists: bool;
}

export interface RmdirContentsRequest {
  path: text;
}

export type RmdirContentsResponse = Empty;

export interface RmdirRequest {
  path: text;
  /** Remove it with everything in it; a path that does not exist is then no error. */
  force: bool;
}

export type RmdirResponse = Empty;
