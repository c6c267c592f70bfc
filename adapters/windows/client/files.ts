// Directories, links and shares by csi-proxy, which tells neither where a link leads nor what is mapped.

import { Code } from '../../csi-proxy/base/status.ts';
import * as v1 from '../../csi-proxy/client/filesystem/v1/client_generated.ts';
import * as v1alpha1 from '../../csi-proxy/client/filesystem/v1alpha1/client_generated.ts';
import * as v1beta1 from '../../csi-proxy/client/filesystem/v1beta1/client_generated.ts';
import * as v1beta2 from '../../csi-proxy/client/filesystem/v1beta2/client_generated.ts';
import * as v2alpha1 from '../../csi-proxy/client/filesystem/v2alpha1/client_generated.ts';
import * as smbV1 from '../../csi-proxy/client/smb/v1/client_generated.ts';
import * as smbV1alpha1 from '../../csi-proxy/client/smb/v1alpha1/client_generated.ts';
import * as smbV1beta1 from '../../csi-proxy/client/smb/v1beta1/client_generated.ts';
import * as smbV1beta2 from '../../csi-proxy/client/smb/v1beta2/client_generated.ts';
import type { StorageFiles, StorageShares } from '../operations/storage.ts';
import type { Groups } from './groups.ts';
import { done, isAnswered, isSeen, withCode } from './outcome.ts';

export const FILESYSTEM = [v2alpha1, v1, v1beta2, v1beta1, v1alpha1] as const;
export const SMB = [smbV1, smbV1beta2, smbV1beta1, smbV1alpha1] as const;

export function pipeFiles(groups: Groups): StorageFiles {
  const open = () => groups.open(FILESYSTEM);
  const pathExists = async (path: string): Promise<boolean> => {
    const { client } = await open();
    return (await client.pathExists({ path })).exists;
  };
  const isSymlink = async (path: string): Promise<boolean> => {
    const opened = await open();
    return opened.version === 'v1beta1' || opened.version === 'v1alpha1'
      ? (await opened.client.isMountPoint({ path })).isMountPoint
      : (await opened.client.isSymlink({ path })).isSymlink;
  };
  return {
    pathExists,
    isSymlink,
    /** For a share: the only check that takes its path. A rejected path was not checked. */
    async pathValid(path) {
      try {
        await isSymlink(path);
        return true;
      } catch (error) {
        const isRefused =
          isAnswered(error) && (error.code === Code.InvalidArgument || error.code === Code.Unimplemented);
        if (!isAnswered(error) || isRefused) throw error;
        return false;
      }
    },
    async mkdir(path) {
      const { client } = await open();
      await done(client.mkdir({ path }), () => pathExists(path));
    },
    async rmdir(path, { contents }) {
      const { client } = await open();
      try {
        await done(client.rmdir({ path, force: contents === 'removed' }), async () => !(await pathExists(path)));
      } catch (error) {
        // Why a directory stays is not told: the one reason that anybody expects is that it is not empty.
        if (isAnswered(error) && contents === 'refused') throw withCode(Code.FailedPrecondition, error);
        throw error;
      }
    },
    async createSymlink(source, target) {
      const opened = await open();
      const paths = { sourcePath: source, targetPath: target };
      const change =
        opened.version === 'v1beta1' || opened.version === 'v1alpha1'
          ? opened.client.linkPath(paths)
          : opened.client.createSymlink(paths);
      await done(change, () => isSymlink(target));
    },
  };
}

/** A reachable share counts as mapped: csi-proxy has no other report about mappings. */
export function pipeShares(groups: Groups, { pathValid, isSymlink }: StorageFiles): StorageShares {
  const open = () => groups.open(SMB);
  const remove = async (root: string): Promise<true> => {
    const { client } = await open();
    await client.removeSmbGlobalMapping({ remotePath: root });
    return true;
  };
  return {
    isSmbMapped: async (root) => ((await pathValid(root)) ? 'mapped' : 'untold'),
    async newSmbGlobalMapping({ root, username, password }) {
      const { client } = await open();
      const map = () => client.newSmbGlobalMapping({ remotePath: root, localPath: '', username, password });
      try {
        await map();
      } catch (error) {
        if (!isAnswered(error) || (await pathValid(root))) throw error;
        // The original does not report that a broken mapping blocks a new one; removing a missing mapping is an error.
        if (!(await isSeen(() => remove(root)))) throw error;
        await map();
      }
    },
    async removeSmbGlobalMapping(root) {
      try {
        await remove(root);
      } catch (error) {
        if (!isAnswered(error)) throw error;
        // A share may well be reached without a mapping; who says that there is none is believed.
        // mutant: pipe-mapping-gone if -> false
        if (error.code === Code.NotFound) return;
        // There was none, as far as anybody can see.
        if (await pathValid(root)) throw error;
      }
    },
    // The same call maps an unreachable share again, for which it needs the credentials.
    async newSmbLink(localPath, remotePath, login) {
      const { client } = await open();
      const change = client.newSmbGlobalMapping({ remotePath, localPath, ...(await login()) });
      await done(change, () => isSeen(() => isSymlink(localPath)));
    },
  };
}
