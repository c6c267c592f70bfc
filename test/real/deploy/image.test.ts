// apart
// limit: 1500 s
// The Dockerfile, built without an engine by buildah, and the demo in what comes of it. Where no registry is reached
// (TROUPE_NODE_IMAGE names no image), it stands on a Debian that debootstrap makes, with this Node and this npm: the same
// system and the same Node, not the same image.
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { natsProgram } from '../../../bus/mod.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BASE = 'localhost/troupe-node';
const IMAGE = 'localhost/troupe';
const AUTHORITY = '/usr/local/share/authority.pem';

const run = promisify(execFile);
const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS: authority, TROUPE_NODE_IMAGE: given } = process.env;
/** Without what the `npm run` around this test put in front of it. */
const env = {
  HOME,
  PATH: PATH.split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
  ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }),
};

async function has(program: string): Promise<boolean> {
  try {
    await run(program, ['--version'], { env });
    return true;
  } catch {
    return false;
  }
}

const missing = [
  (await has('buildah')) ? [] : 'there is no buildah',
  given !== undefined || (await has('debootstrap')) ? [] : 'there is no debootstrap, nor TROUPE_NODE_IMAGE',
  process.getuid?.() === 0 ? [] : 'only root makes a root folder',
].flat();

if (missing.length > 0) {
  console.log(`skipped: ${missing.join(', ')}`);
} else {
  const test = suite('the image');
  let folder = '';

  const buildah = async (...args: readonly string[]): Promise<string> => {
    const store = ['--storage-driver', 'vfs', '--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
    const { stdout } = await run('buildah', [...store, ...args], { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  };

  /** The image to stand on. */
  const base = async (): Promise<string> => {
    if (given !== undefined) return given;
    const system = join(folder, 'system');
    await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', system], { env });
    const local = join(system, 'usr/local');
    await cp(process.execPath, join(local, 'bin/node'), { dereference: true });
    const { stdout: modules } = await run('npm', ['root', '--global'], { env });
    await mkdir(join(local, 'lib/node_modules'), { recursive: true });
    await cp(join(modules.trim(), 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
    if (authority !== undefined) await cp(authority, join(system, AUTHORITY));
    const container = await buildah('from', 'scratch');
    await buildah('add', '--quiet', container, system, '/');
    await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
    if (authority !== undefined) await buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${AUTHORITY}`, container);
    await buildah('commit', '--quiet', '--rm', container, BASE);
    return BASE;
  };

  test.before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-image-'));
    await chmod(folder, 0o755);
  });

  test.after(async () => {
    await buildah('rm', '--all');
    await rm(folder, { recursive: true });
  });

  test('the Dockerfile builds, and the demo passes in it, as nobody who may write anything there', async () => {
    const from = await base();
    await buildah('build', '--isolation', 'chroot', '--build-arg', `NODE_IMAGE=${from}`, '--tag', IMAGE, ROOT);
    const container = await buildah('from', IMAGE);
    const inside = (...args: readonly string[]): Promise<string> => buildah('run', '--isolation', 'chroot', ...args);
    assert.is(await inside(container, '--', 'id', '-u'), '65532');
    assert.is(await inside(container, '--', 'sh', '-c', 'touch /troupe/x 2>/dev/null || echo refused'), 'refused');

    const options = { program: process.env['TROUPE_NATS_SERVER'], path: env.PATH, cacheFolder: join(folder, 'cache') };
    const server = await natsProgram({ ...options, fetch: globalThis.fetch, onProgress: () => undefined });
    const said = await inside(
      ...['--volume', `${join(ROOT, 'deploy')}:/troupe/deploy:ro`, '--volume', `${dirname(server)}:/opt/nats:ro`],
      ...['--env', 'HOME=/tmp', '--env', 'TROUPE_NATS_SERVER=/opt/nats/nats-server', '--workingdir', '/tmp'],
      ...[container, '--', 'node', '/troupe/actors/cli.js', 'demo'],
    );
    assert.match(said, /^demo passed: /m);
  });

  test.run();
}
