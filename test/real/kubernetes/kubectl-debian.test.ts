// needs: kube
// The oldest kubectl that people still get from a package: Debian's, fetched without being installed, and kept beside
// the dependencies, where nobody else may write.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import { kubectlSuite } from './kubectl.suite.ts';

const PACKAGE = 'kubernetes-client';
const MINOR = 20;
const FETCH_LIMIT_MS = 120_000;
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

/** The program's path, or why there is none. */
function fetched(): { readonly path: string } | { readonly why: string } {
  const folder = join(CACHE, `kubectl-1.${MINOR}`);
  const path = join(folder, 'usr', 'bin', 'kubectl');
  if (existsSync(path)) return { path };
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    const run = (program: string, ...args: string[]): boolean =>
      spawnSync(program, args, { cwd: work, stdio: 'ignore', timeout: FETCH_LIMIT_MS }).status === 0;
    if (!run('apt-get', 'download', PACKAGE)) return { why: `there is no apt-get that has ${PACKAGE}` };
    const file = readdirSync(work).find((name) => name.endsWith('.deb'));
    mkdirSync(join(work, 'unpacked'));
    if (file === undefined || !run('dpkg', '-x', file, 'unpacked')) return { why: `${PACKAGE} cannot be unpacked` };
    // Another run may have been faster: its folder is as good.
    if (!existsSync(path)) renameSync(join(work, 'unpacked'), folder);
    return { path };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const kubeconfig = process.env['KUBECONFIG'];
const found = kubeconfig === undefined ? { why: 'KUBECONFIG is not set' } : fetched();
if ('why' in found || kubeconfig === undefined) {
  process.stdout.write(`skipped: ${'why' in found ? found.why : ''}\n`);
} else {
  const version = spawnSync(found.path, ['version', '--client', '--short'], { encoding: 'utf8' }).stdout.trim();
  if (!version.includes(`v1.${MINOR}.`)) {
    process.stdout.write(`skipped: the ${PACKAGE} at hand is another one: ${version}\n`);
  } else {
    const test = suite(`kubectl 1.${MINOR} on a real and an embedded API server`);
    kubectlSuite(test, { kubectl: found.path, minor: MINOR, kubeconfig });
    test.run();
  }
}
