// The server of group filesystem.
import { Code, StatusError } from '../../status.ts';
import type { CallContext } from '../runtime.ts';
import type * as internal from './internal/types.ts';
import type { ServerInterface, Version } from './internal/types_generated.ts';

export class Server implements ServerInterface {
  /** Stub. */
  async createSymlink(
    _context: CallContext,
    _request: internal.CreateSymlinkRequest,
    _version: Version,
  ): Promise<internal.CreateSymlinkResponse> {
    throw new StatusError(Code.Unimplemented, 'CreateSymlink is not implemented');
  }

  /** Stub. */
  async isMountPoint(
    _context: CallContext,
    _request: internal.IsMountPointRequest,
    _version: Version,
  ): Promise<internal.IsMountPointResponse> {
    throw new StatusError(Code.Unimplemented, 'IsMountPoint is not implemented');
  }

  /** Stub. */
  async isSymlink(
    _context: CallContext,
    _request: internal.IsSymlinkRequest,
    _version: Version,
  ): Promise<internal.IsSymlinkResponse> {
    throw new StatusError(Code.Unimplemented, 'IsSymlink is not implemented');
  }

  /** Stub. */
  async linkPath(
    _context: CallContext,
    _request: internal.LinkPathRequest,
    _version: Version,
  ): Promise<internal.LinkPathResponse> {
    throw new StatusError(Code.Unimplemented, 'LinkPath is not implemented');
  }

  /** Stub. */
  async mkdir(
    _context: CallContext,
    _request: internal.MkdirRequest,
    _version: Version,
  ): Promise<internal.MkdirResponse> {
    throw new StatusError(Code.Unimplemented, 'Mkdir is not implemented');
  }

  /** Stub. */
  async pathExists(
    _context: CallContext,
    _request: internal.PathExistsRequest,
    _version: Version,
  ): Promise<internal.PathExistsResponse> {
    throw new StatusError(Code.Unimplemented, 'PathExists is not implemented');
  }

  /** Stub. */
  async rmdir(
    _context: CallContext,
    _request: internal.RmdirRequest,
    _version: Version,
  ): Promise<internal.RmdirResponse> {
    throw new StatusError(Code.Unimplemented, 'Rmdir is not implemented');
  }

  /** Stub. */
  async rmdirContents(
    _context: CallContext,
    _request: internal.RmdirContentsRequest,
    _version: Version,
  ): Promise<internal.RmdirContentsResponse> {
    throw new StatusError(Code.Unimplemented, 'RmdirContents is not implemented');
  }
}
