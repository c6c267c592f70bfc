// SMB mappings, for all versions of the group.

import { StatusError } from '../../base/status.ts';
import type { FilesystemHost, SmbHost } from '../../hosts/host.ts';
import type { KeyedMutex } from '../../hosts/keyed-mutex.ts';
import { parseRemotePath } from '../../hosts/remote-path.ts';
import type { GroupDeps } from '../group-deps.ts';
import type { PathRules } from '../path-rules.ts';
import { requireRealPlace } from '../real-place.ts';
import type { CallContext } from '../runtime.ts';
import type * as internal from './internal/types.ts';

export class Server {
  readonly #smb: SmbHost;
  readonly #filesystem: FilesystemHost;
  readonly #lanes: KeyedMutex;
  readonly #paths: PathRules;
  readonly #encryption: 'required' | 'optional';

  constructor({ host, lanes, paths, smbEncryption }: GroupDeps) {
    this.#smb = host.smb;
    this.#filesystem = host.filesystem;
    this.#lanes = lanes;
    this.#paths = paths;
    this.#encryption = smbEncryption;
  }

  async newSmbGlobalMapping(
    context: CallContext,
    { remotePath, localPath, username, password }: internal.NewSmbGlobalMappingRequest,
    _version: string,
  ): Promise<internal.NewSmbGlobalMappingResponse> {
    const { root, full } = parseRemotePath(remotePath);
    await this.#lanes.run(`smb ${root}`, context.signal, async () => {
      if (!(await this.#isUsable(context, root))) {
        await this.#smb.newSmbGlobalMapping({ root, username, password, encryption: this.#encryption });
      }
      if (localPath !== '') await this.#link(localPath, full);
    });
    return {};
  }

  async removeSmbGlobalMapping(
    { signal }: CallContext,
    { remotePath }: internal.RemoveSmbGlobalMappingRequest,
    _version: string,
  ): Promise<internal.RemoveSmbGlobalMappingResponse> {
    const { root } = parseRemotePath(remotePath);
    await this.#lanes.run(`smb ${root}`, signal, () => this.#smb.removeSmbGlobalMapping(root));
    return {};
  }

  /** Whether there is a mapping that works. One that does not is removed: it would be in the way of a new one. */
  async #isUsable(context: CallContext, root: string): Promise<boolean> {
    let state: 'mapped' | 'broken' | 'absent';
    try {
      state = await this.#smb.isSmbMapped(root);
    } catch (err) {
      context.log.warn({ root, err }, 'it cannot be told whether a share is mapped; it is mapped anew');
      return false;
    }
    if (state === 'absent') return false;
    if (state === 'mapped' && (await this.#isReachable(context, root))) return true;
    await this.#smb.removeSmbGlobalMapping(root);
    return false;
  }

  async #isReachable({ log }: CallContext, root: string): Promise<boolean> {
    try {
      return await this.#filesystem.pathValid(root);
    } catch (err) {
      log.warn({ root, err }, 'a mapped share cannot be reached; it is mapped anew');
      return false;
    }
  }

  async #link(localPath: string, remotePath: string): Promise<void> {
    this.#paths.check(localPath);
    await requireRealPlace(this.#filesystem, this.#paths, localPath, { last: 'kept', shares: 'refused' });
    try {
      await this.#smb.newSmbLink(localPath, remotePath);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const message = `creating link ${localPath} to ${remotePath.replace(/\\$/, '')} failed with error: ${error.message}`;
      throw new StatusError(error.code, message, { cause: error });
    }
  }
}
