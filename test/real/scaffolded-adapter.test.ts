// needs: nothing
// An adapter that `troupe scaffold adapter` makes of a packed package, in an empty folder and without a network: its tests pass, it is
// compiled, and Troupe takes it as the package that it is.
import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { environment } from './npm.ts';
import { ROOT, withPackage } from './packed.ts';

const run = promisify(execFile);
const test = suite('scaffolded adapter');
/** What a reader has for the first adapter is an hour; the machine's part of it is less. */
const LIMIT_MS = 600_000;

test('35.C1: an adapter from a packed package, offline, in under ten minutes', () =>
  withPackage(async (tarball, folder) => {
    const startedAt = performance.now();
    const place = join(folder, 'empty');
    const modules = join(place, 'node_modules');
    await mkdir(join(modules, 'troupe'), { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', join(modules, 'troupe'), '--strip-components=1']);
    // What npm would fetch from a registry is linked: nothing here reaches a network.
    for (const name of await readdir(join(ROOT, 'node_modules'))) {
      if (name !== 'troupe' && !name.startsWith('.'))
        await symlink(join(ROOT, 'node_modules', name), join(modules, name));
    }
    const offline = {
      ...environment,
      npm_config_offline: 'true',
      http_proxy: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
    };
    const options = { cwd: place, env: offline, timeout: LIMIT_MS };
    const troupe = (...args: readonly string[]) =>
      run(process.execPath, [join(modules, 'troupe/actors/troupe.cjs'), ...args], options);

    await troupe('scaffold', 'adapter', 'dns', 'Zone');
    const inPackage = { ...options, cwd: join(place, 'troupe-adapter-dns') };
    const tested = await run('npm', ['test'], inPackage);
    assert.match(tested.stdout, /pass 4\b/, tested.stdout);
    await run(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', '.'], inPackage);
    await symlink(join(place, 'troupe-adapter-dns'), join(modules, 'troupe-adapter-dns'));
    const named = ['--adapters', 'troupe-adapter-dns'];
    assert.match((await troupe('crds', 'Zone', ...named)).stdout, 'name: zones.dns.example.org');
    assert.match((await troupe('check', ...named)).stdout, 'dns: 1 kind, nothing is wrong');
    assert.match((await troupe('rbac', ...named)).stdout, 'dns.example.org');
    await expectRefusal(troupe('scaffold', 'adapter', 'dns', 'Zone'), /is there already; nothing was overwritten/);
    await expectRefusal(troupe('scaffold', 'adapter', 'Dns', 'Zone'), /a name is one lower-case word; got 'Dns'/);
    assert.ok(performance.now() - startedAt < LIMIT_MS);
  }));

async function expectRefusal(running: Promise<unknown>, why: RegExp): Promise<void> {
  const error = (await running.catch((thrown: unknown) => thrown)) as {
    readonly code?: number;
    readonly stderr?: string;
  };
  assert.is(error.code, 2);
  assert.match(error.stderr ?? '', why);
}

test.run();
