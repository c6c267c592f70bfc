// limit: 300 s
// A scaffolded kind: it checks, its CRD generates, its contract keeps the rules and its test passes.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scaffoldKind } from '../../../adapters/openstack/scaffold.ts';

const test = suite('scaffold');

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);
const REGISTRY = 'adapters/openstack/kinds/registry.ts';

test('the documented command makes a kind like the others, in a tree that has never had one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'scaffold-'));
  for (const part of [
    'actors',
    'adapters/adapter.ts',
    'adapters/go-duration.ts',
    'adapters/mod.ts',
    'adapters/nearest.ts',
    'adapters/settings.ts',
    'adapters/undici.ts',
    'adapters/openstack',
    'adapters/kubernetes',
    'bus',
    'machines',
    'deploy',
    'package.json',
    'biome.json',
  ]) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  // As it is documented: nothing but the command makes a folder or a file.
  await run(process.execPath, ['actors/cli.js', 'scaffold', 'openstack', 'AddressScope'], { cwd: folder });
  const { files, registry } = scaffoldKind('AddressScope', await readFile(join(root, REGISTRY), 'utf8'));
  const config = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as { include: readonly string[] };
  const include = ['deploy/generate.ts', 'deploy/check-contracts.ts', ...files.map(({ path }) => path)];
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include }));

  const [kindFile, testFile] = files.map(({ path }) => path);
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.json'], { cwd: folder });
  await run(process.execPath, ['deploy/generate.ts'], { cwd: folder });
  const crd = await readFile(join(folder, 'deploy/crds/openstack.k-orc.cloud_addressscopes.yaml'), 'utf8');
  await run(process.execPath, ['deploy/check-contracts.ts'], { cwd: folder });
  const { stdout } = await run(process.execPath, [testFile ?? ''], { cwd: folder });
  const check = ['check', kindFile ?? '', testFile ?? '', registry.path, '--vcs-enabled=false'];
  await run(join(root, 'node_modules/.bin/biome'), check, { cwd: folder });
  await rm(folder, { recursive: true });

  assert.match(crd, 'kind: AddressScope');
  assert.match(stdout, /Passed: +3\n/);
});

test('import and entry go to their alphabetical place', async () => {
  const before = await readFile(join(root, REGISTRY), 'utf8');
  for (const kind of ['AddressScope', 'Role', 'Zone']) {
    const { text } = scaffoldKind(kind, before).registry;
    const imported = [...text.matchAll(/^import \{ (\w+) \}/gm)].map(([, name]) => name);
    const listed = [...text.matchAll(/^ {2}(\w+),$/gm)].map(([, name]) => name);
    assert.equal(imported, [...imported].sort(), kind);
    assert.equal(listed, imported, kind);
  }
});

test('a kind is CamelCase, and new', () => {
  assert.throws(() => scaffoldKind('addressScope', ''), /CamelCase; got 'addressScope'/);
  assert.throws(() => scaffoldKind('Network', "import { network } from './network.ts';"), /knows 'Network' already/);
});

test.run();
