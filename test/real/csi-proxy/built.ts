// csi-proxy.exe, and the Node for Windows that it is made of.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = join(ROOT, '.csi-proxy');

/** Builds it, and says where both are. */
export function buildExecutable(): { readonly executable: string; readonly node: string } {
  const { status, stderr } = spawnSync(process.execPath, ['deploy/build-csi-proxy.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return { executable: join(FOLDER, 'csi-proxy.exe'), node: join(FOLDER, 'package/bin/node.exe') };
}
