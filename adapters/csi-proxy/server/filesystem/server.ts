// Directories and links, for all versions of the group.
import type { FilesystemHost } from '../../hosts/host.ts';
import type { GroupDeps } from '../group-deps.ts';
import type { PathRules } from '../path-rules.ts';
import { requireRealPlace } from '../real-place.ts';
import type { CallContext } from '../runtime.ts';
import { requireVersion } from '../version-gate.ts';
import type * as internal from './internal/types.ts';

export class Server {
  readonly #host: FilesystemHost;
  readonly #paths: PathRules;
  readonly #linkPaths: 'checked' | 'any';

  constructor({ host, paths, linkPaths }: GroupDeps) {
    this.#host = host.filesystem;
    this.#paths = paths;
    this.#linkPaths = linkPaths;
  }

  async pathExists(
    _context: CallContext,
    { path }: internal.PathExistsRequest,
    _version: string,
  ): Promise<internal.PathExistsResponse> {
    this.#paths.check(path);
    return { exists: await this.#host.pathExists(path) };
  }

  async mkdir(
    _context: CallContext,
    { path }: internal.MkdirRequest,
    _version: string,
  ): Promise<internal.MkdirResponse> {
    this.#paths.check(path);
    await requireRealPlace(this.#host, this.#paths, path, { last: 'kept', shares: 'allowed' });
    await this.#host.mkdir(path);
    return {};
  }

  async rmdir(
    _context: CallContext,
    { path, force }: internal.RmdirRequest,
    _version: string,
  ): Promise<internal.RmdirResponse> {
    this.#paths.check(path);
    await requireRealPlace(this.#host, this.#paths, path, { last: 'kept', shares: force ? 'refused' : 'allowed' });
    await this.#host.rmdir(path, { contents: force ? 'removed' : 'refused' });
    return {};
  }

  async rmdirContents(
    _context: CallContext,
    { path }: internal.RmdirContentsRequest,
    version: string,
  ): Promise<internal.RmdirContentsResponse> {
    requireVersion('RmdirContents', 'v2alpha1', version);
    this.#paths.check(path);
    await requireRealPlace(this.#host, this.#paths, path, { last: 'followed', shares: 'refused' });
    await this.#host.rmdirContents(path);
    return {};
  }

  async linkPath(
    _context: CallContext,
    request: internal.LinkPathRequest,
    _version: string,
  ): Promise<internal.LinkPathResponse> {
    return this.#link(request);
  }

  async createSymlink(
    _context: CallContext,
    request: internal.CreateSymlinkRequest,
    version: string,
  ): Promise<internal.CreateSymlinkResponse> {
    requireVersion('CreateSymlink', 'v1beta2', version);
    return this.#link(request);
  }

  async isMountPoint(
    _context: CallContext,
    { path }: internal.IsMountPointRequest,
    _version: string,
  ): Promise<internal.IsMountPointResponse> {
    return { isMountPoint: await this.#isLink(path) };
  }

  async isSymlink(
    _context: CallContext,
    { path }: internal.IsSymlinkRequest,
    version: string,
  ): Promise<internal.IsSymlinkResponse> {
    requireVersion('IsSymlink', 'v1beta2', version);
    return { isSymlink: await this.#isLink(path) };
  }

  async #link({ sourcePath, targetPath }: internal.CreateSymlinkRequest): Promise<internal.CreateSymlinkResponse> {
    this.#paths.check(targetPath);
    this.#paths.check(sourcePath);
    await requireRealPlace(this.#host, this.#paths, targetPath, { last: 'kept', shares: 'refused' });
    await requireRealPlace(this.#host, this.#paths, sourcePath, { last: 'kept', shares: 'refused' });
    await this.#host.createSymlink(sourcePath, targetPath);
    return {};
  }

  async #isLink(path: string): Promise<boolean> {
    if (this.#linkPaths === 'checked') this.#paths.check(path);
    return this.#host.isSymlink(path);
  }
}
