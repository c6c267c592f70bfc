// SMB of a simulated machine: offered shares, and the machine's mappings of them.
import { Code, StatusError } from '../../base/status.ts';
import type { DetachableFiles } from '../files.ts';
import type { FilesystemHost, SmbHost } from '../host.ts';

interface Share {
  readonly username: string;
  password: string;
}

interface Mapping {
  readonly username: string;
  readonly password: string;
  isBroken: boolean;
}

export class MemorySmb {
  readonly #files: DetachableFiles;
  readonly #filesystem: FilesystemHost;
  readonly #unknownShares: 'offered' | 'absent';
  readonly #shares = new Map<string, Share>();
  readonly #mappings = new Map<string, Mapping>();

  /** @param deps.unknownShares  `offered`: an unknown share appears with the credentials first used for it */
  constructor(deps: { files: DetachableFiles; filesystem: FilesystemHost; unknownShares: 'offered' | 'absent' }) {
    this.#files = deps.files;
    this.#filesystem = deps.filesystem;
    this.#unknownShares = deps.unknownShares;
  }

  /** @param root  `\\host\share`, in lower case; an empty user name allows any user */
  offer(root: string, { username, password }: { username: string; password: string }): void {
    this.#shares.set(root, { username, password });
  }

  /** A mapping that was made with the old one cannot be used any more, though Windows still calls it sound. */
  async changePassword(root: string, password: string): Promise<void> {
    const share = this.#shares.get(root);
    if (share === undefined) throw new StatusError(Code.NotFound, `nobody offers ${root}`);
    share.password = password;
    if (this.#mappings.has(root)) await this.#files.detach(`${root}\\`);
  }

  /** Simulates a network failure: Windows shows the mapping as disconnected. */
  breakMapping(root: string): void {
    this.#mapping(root).isBroken = true;
  }

  host(): SmbHost {
    return {
      isSmbMapped: async (root) => {
        const mapping = this.#mappings.get(root);
        if (mapping === undefined) return 'absent';
        return mapping.isBroken ? 'broken' : 'mapped';
      },
      newSmbGlobalMapping: async ({ root, username, password }) => {
        if (this.#mappings.has(root)) throw new StatusError(Code.FailedPrecondition, `${root} is mapped already`);
        const server = root.slice(0, root.lastIndexOf('\\') + 1);
        for (const [other, mapping] of this.#mappings) {
          if (other.startsWith(server) && mapping.username !== username) {
            throw new StatusError(
              Code.Unknown,
              `error 1219: multiple connections to the server of ${root} with more than one user name are not allowed`,
            );
          }
        }
        if (this.#unknownShares === 'offered' && !this.#shares.has(root)) this.offer(root, { username, password });
        const share = this.#shares.get(root);
        if (share === undefined) throw new StatusError(Code.NotFound, `the network name ${root} cannot be found`);
        if (share.username !== '' && (share.username !== username || share.password !== password)) {
          throw new StatusError(Code.Unknown, `error 1326: the user name or password for ${root} is incorrect`);
        }
        this.#mappings.set(root, { username, password, isBroken: false });
        await this.#files.attach(`${root}\\`);
      },
      removeSmbGlobalMapping: async (root) => {
        this.#mapping(root);
        this.#mappings.delete(root);
        if (await this.#files.reaches(`${root}\\`)) await this.#files.detach(`${root}\\`);
      },
      newSmbLink: async (localPath, remotePath) => {
        if (this.#unknownShares === 'offered') await this.#filesystem.mkdir(remotePath);
        await this.#files.makeLink(localPath, remotePath);
      },
    };
  }

  #mapping(root: string): Mapping {
    const mapping = this.#mappings.get(root);
    if (mapping === undefined) throw new StatusError(Code.NotFound, `${root} is not mapped`);
    return mapping;
  }
}
