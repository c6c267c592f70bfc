// The npm package, packed from a copy of the checkout: nothing is built in the checkout itself.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  'package.json',
  'tsconfig.json',
  'README.md',
  'LICENSE',
  'actors',
  'adapters',
  'bus',
  'deploy',
  'machines',
] as const;
const run = promisify(execFile);

/** @param work  is given the path of the tarball, which is gone afterwards */
export async function withPackage(work: (tarball: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-package-'));
  try {
    const source = join(folder, 'source');
    await mkdir(source);
    for (const path of COPIED) await cp(join(ROOT, path), join(source, path), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
    await run('npm', ['pack', '--pack-destination', folder], { cwd: source });
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Error('npm packed nothing');
    await work(join(folder, tarball), folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
