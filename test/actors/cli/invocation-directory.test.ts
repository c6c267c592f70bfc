// long
// Paths are meant from the folder in which somebody typed `npm run`, which runs in that of the package.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { invocationDirectory } from '../../../actors/cli/invocation-directory.ts';

const test = suite("the caller's folder");

const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');
const ADAPTER = `
import { object } from 'troupe/adapter';
const contract = {
  group: 'lamps.example.org', version: 'v1', kind: 'Lamp', plural: 'lamps', description: 'Lamp is a lamp.',
  categories: [], columns: [], spec: object('spec of a lamp.', {}), status: object('status of a lamp.', {}),
};
export const adapter = { realm: 'lamps', role: 'lamps', contracts: [contract], configure() {} };
`;

async function npm(cwd: string, script: string, ...args: readonly string[]): Promise<[number, string, string]> {
  const child = spawn('npm', ['--prefix', ROOT, 'run', '--silent', script, '--', ...args], {
    cwd,
    env: { ...process.env, KUBECONFIG: undefined, NATS_URL: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return [code as number, out, err];
}

test('files that options name are looked for there, whatever the command and the script', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-caller-')));
  try {
    await writeFile(join(folder, 'lamps.ts'), ADAPTER);
    await writeFile(join(folder, 'kubeconfig'), 'current-context: none\n');
    const crds = await npm(folder, 'troupe', 'crds', 'Lamp', '--adapters', './lamps.ts');
    assert.equal([crds[0], crds[2]], [0, '']);
    assert.match(crds[1], 'name: lamps.lamps.example.org');
    const refused = "troupe: kubeconfig 'kubeconfig' has no current context with a cluster\n";
    assert.equal(await npm(folder, 'troupe', 'why', 'network/a', '--kubeconfig', 'kubeconfig'), [2, '', refused]);
    const started = await npm(folder, 'start', '--kubeconfig', 'kubeconfig', '--nats-url', 'nats://127.0.0.1:1');
    assert.match(started[2], "kubeconfig 'kubeconfig' has no current context");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('only the scripts of this package hand it over', () => {
  const env = { INIT_CWD: tmpdir(), npm_lifecycle_event: 'demo', npm_package_json: join(ROOT, 'package.json') };
  assert.is(invocationDirectory(env, ROOT), tmpdir());
  assert.is(invocationDirectory({}, ROOT), undefined);
  assert.is(invocationDirectory({ ...env, npm_lifecycle_event: 'check' }, ROOT), undefined);
  assert.is(invocationDirectory({ ...env, npm_package_json: '/elsewhere/package.json' }, ROOT), undefined);
  assert.is(invocationDirectory(env, join(ROOT, 'test')), undefined);
  assert.is(invocationDirectory({ ...env, INIT_CWD: '/no/such/folder' }, ROOT), undefined);
  assert.is(invocationDirectory({ ...env, INIT_CWD: 'relative' }, ROOT), undefined);
});

test.run();
