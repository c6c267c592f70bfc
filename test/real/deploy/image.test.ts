// needs: image-tools
// The Dockerfiles, built without an engine by buildah, and the demo in what comes of it. Where no registry is reached
// (TROUPE_NODE_IMAGE names no image), it stands on a Debian that debootstrap makes, with this Node and this npm: the same
// system and the same Node, not the same image.
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, open, readdir, rm, symlink } from 'node:fs/promises';
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
const WINDOWS_IMAGE = 'localhost/troupe-windows';
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

  let made: Promise<string> | undefined;
  /** The image to stand on. */
  const base = (): Promise<string> => {
    made ??= given === undefined ? debian() : Promise.resolve(given);
    return made;
  };
  const debian = async (): Promise<string> => {
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
      ...['--volume', `${dirname(server)}:/opt/nats:ro`],
      ...['--env', 'HOME=/tmp', '--env', 'TROUPE_NATS_SERVER=/opt/nats/nats-server', '--workingdir', '/tmp'],
      ...[container, '--', 'node', '/troupe/actors/cli.js', 'demo'],
    );
    assert.match(said, /^demo passed: /m);
  });

  test('the one for Windows nodes is built without Windows, and holds the Node for it and what a process reads', async () => {
    const from = await base();
    const platform = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;
    // An engine says by itself what it runs on; buildah 1.28 does not.
    const given = [`NODE_IMAGE=${from}`, 'BASE=scratch', `BUILDPLATFORM=${platform}`];
    const args = [...given.flatMap((each) => ['--build-arg', each]), '--platform', 'windows/amd64'];
    const dockerfile = ['--file', join(ROOT, 'deploy/windows/Dockerfile')];
    await buildah('build', '--isolation', 'chroot', ...args, ...dockerfile, '--tag', WINDOWS_IMAGE, ROOT);
    const container = await buildah('from', '--platform', 'windows/amd64', WINDOWS_IMAGE);
    const inside = await buildah('mount', container);
    const program = await open(join(inside, 'node.exe'));
    const { buffer } = await program.read({ buffer: Buffer.alloc(2), position: 0 });
    await program.close();
    assert.is(buffer.toString(), 'MZ', 'an executable of Windows');
    const { OCIv1 } = JSON.parse(await buildah('inspect', container)) as {
      OCIv1: { os: string; config: { Entrypoint: readonly string[] } };
    };
    assert.equal([OCIv1.os, OCIv1.config.Entrypoint], ['windows', ['node.exe', 'troupe/actors/cli.js']]);
    // What is in the container, run by this Node: no package is missing, and none is of another system.
    const { stdout } = await run(process.execPath, [join(inside, 'troupe/actors/cli.js'), 'run', '--help'], { env });
    assert.match(stdout, '--windows-machine');
    const packages = await readdir(join(inside, 'troupe/node_modules'));
    assert.equal(
      packages.filter((name) => /^node-(win|linux|darwin|bin)-/.test(name)),
      [],
    );
  });

  test.run();
}
