// needs: nothing
// What is packed runs where it is installed, below node_modules: all that is imported and read is in the package. Its
// dependencies are those of the checkout, so that this needs no registry; ../package.test.ts installs with npm.
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BUILT_IN } from '../../../actors/process/adapters.ts';
import { metal3Contracts } from '../../../adapters/ironic/api/contracts.ts';
import { crdFile } from '../../../adapters/kubernetes/mod.ts';
import { ROOT, withPackage } from '../packed.ts';

const test = suite('npm package');
const run = promisify(execFile);

const { dependencies, devDependencies, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly version: string;
};

const LAMPS = `
import { type Adapter, TerminalError, object } from 'troupe/adapter';

export const adapter: Adapter = {
  realm: 'lamps',
  role: 'lamps',
  contracts: [
    {
      group: 'lamps.example.org',
      version: 'v1',
      kind: 'Lamp',
      plural: 'lamps',
      description: 'Lamp is a lamp.',
      categories: ['lamps'],
      columns: [],
      spec: object('spec of a lamp.', {}),
      status: object('status of a lamp.', {}),
    },
  ],
  configure() {
    throw new TerminalError('no power');
  },
};
`;

interface Installed {
  readonly folder: string;
  readonly modules: string;
  troupe(...args: readonly string[]): Promise<Ran>;
  node(...args: readonly string[]): Promise<Ran>;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Below a node_modules with all that the package depends on, and nothing that only the checkout does. */
async function installed(tarball: string, folder: string): Promise<Installed> {
  const modules = join(folder, 'project', 'node_modules');
  await mkdir(join(modules, 'troupe'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'troupe'), '--strip-components=1']);
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name.startsWith('.') || Object.hasOwn(devDependencies, name)) continue;
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  const node = async (...args: readonly string[]): Promise<Ran> => {
    // Nothing of the caller's: no cluster, no cloud, and no nats-server to be found or fetched.
    const options = { cwd: join(folder, 'project'), env: { HOME: folder, XDG_CACHE_HOME: '/dev/null', PATH: '' } };
    try {
      const { stdout, stderr } = await run(process.execPath, args, { ...options, maxBuffer: 2 ** 26 });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  };
  const program = join(modules, 'troupe/actors/troupe.cjs');
  return { folder: join(folder, 'project'), modules, node, troupe: (...args) => node(program, ...args) };
}

test('it has everything that runs, and everything that runs reads', () =>
  withPackage(async (tarball, scratch) => {
    const { stdout: listed } = await run('tar', ['-tzf', tarball]);
    const names = listed.trim().split('\n');
    assert.equal(names.filter((name) => !name.startsWith('package/.build/')).sort(), [
      'package/LICENSE',
      'package/README.md',
      'package/actors/troupe.cjs',
      'package/package.json',
    ]);
    // Declarations, the client that `model types` copies, and the adapter that `scaffold adapter` does.
    const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
    const template = (await readdir(join(ROOT, 'adapters/template'), { recursive: true }))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `adapters/template/${name.replaceAll('\\', '/')}`);
    const copied = ['adapters/ocm/types/client.ts', ...template].map((name) => `package/.build/${name}`);
    assert.equal(sources.sort(), copied.sort());

    const { folder, modules, node, troupe } = await installed(tarball, scratch);
    assert.equal(await troupe('--version'), { code: 0, out: `${version}\n`, err: '' });
    assert.match((await troupe('--help')).out, /^troupe .*: Kubernetes objects as actors\n/);
    const crds = BUILT_IN.flatMap(({ contracts }) => contracts.map((contract) => crdFile(contract).text)).join('---\n');
    assert.equal(await troupe('crds'), { code: 0, out: crds, err: '' });
    const contracts = join(modules, 'troupe/.build/adapters/ironic/api/contracts.js');
    const read = `import { metal3Contracts } from ${JSON.stringify(contracts)};
      console.log(JSON.stringify(metal3Contracts.map((contract) => contract.definition())));`;
    const definitions = `${JSON.stringify(metal3Contracts.map((contract) => contract.definition()))}\n`;
    assert.equal(await node('--input-type=module', '-e', read), { code: 0, out: definitions, err: '' });

    await cp(join(ROOT, 'test/adapters/ocm/models'), join(folder, 'models'), { recursive: true });
    const checked = '5 files of 2 versions: no errors, 0 warnings\n';
    assert.equal(await troupe('model', 'check', 'models'), { code: 0, out: checked, err: '' });
    assert.is((await troupe('model', 'types', 'models', '--output', 'types')).code, 0);
    assert.is(
      await readFile(join(folder, 'types/client.ts'), 'utf8'),
      await readFile(join(ROOT, 'adapters/ocm/types/client.ts'), 'utf8'),
    );
    assert.is((await troupe('csi-proxy', 'check', '--rules')).code, 0);
    const written = await troupe('scaffold', 'adapter', 'powerdns', 'Zone');
    assert.is(written.code, 0, written.err);
    assert.match(await readFile(join(folder, 'troupe-adapter-powerdns/src/mod.ts'), 'utf8'), 'powerdns');
    for (const args of [
      ['scaffold', 'openstack', 'AddressGroup'],
      ['csi-proxy', 'gen'],
    ]) {
      const { code, err } = await troupe(...args);
      assert.is(code, 2, err);
      assert.match(err, /^troupe: .*checkout of the sources.*\n$/);
    }

    // The pages of a served model: own files, and those of the viewer.
    const pages = join(modules, 'troupe/.build/adapters/ocm/gateway/server/pages.js');
    const viewer = `swagger-ui-dist@${dependencies['swagger-ui-dist']}`;
    const shown = `import { page } from ${JSON.stringify(pages)};
      const served = { services: new Map() };
      for (const path of ['page.js', 'page.css', '${viewer}/swagger-ui-bundle.js', '${viewer}/swagger-ui.css'])
        console.log((await page(served, ['docs', ...path.split('/')]))?.body.length > 0);`;
    const found = await node('--input-type=module', '-e', shown);
    assert.equal(found, { code: 0, out: 'true\n'.repeat(4), err: '' });
    const manifest = JSON.parse(await readFile(join(modules, 'troupe/package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    assert.equal(manifest['scarfSettings'], { enabled: false }, 'an installation reports nothing to anybody');

    const demo = await troupe('demo');
    assert.is(demo.code, 0, demo.out + demo.err);

    // An adapter in TypeScript outside of node_modules, and what it is checked against.
    await writeFile(join(folder, 'lamps.ts'), LAMPS);
    assert.match((await troupe('crds', 'Lamp', '--adapters', './lamps.ts')).out, 'name: lamps.lamps.example.org');
    const imported = await node(
      '--input-type=module',
      '-e',
      "import { TerminalError } from 'troupe/adapter'; throw new TerminalError('x')",
    );
    assert.match(imported.err, 'TerminalError: x');
    const compilerOptions = {
      target: 'esnext',
      module: 'nodenext',
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    for (const [file, text] of [
      ['lamps.ts', LAMPS],
      ['wrong.ts', LAMPS.replace("plural: 'lamps'", 'plural: 7')],
    ] as const) {
      await writeFile(join(folder, file), text);
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
      const { out } = await node(
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '-p',
        'tsconfig.json',
        '--pretty',
        'false',
      );
      if (file === 'lamps.ts') assert.is(out, '');
      else assert.match(out, /^wrong.ts\(\d+,7\): error TS2322: Type 'number' is not assignable to type 'string'/);
    }

    // A package that brings JavaScript.
    await mkdir(join(modules, 'lit'));
    await writeFile(join(modules, 'lit/package.json'), JSON.stringify({ type: 'module', exports: './main.js' }));
    await writeFile(join(modules, 'lit/main.js'), LAMPS.replace('type Adapter, ', '').replace(': Adapter', ''));
    assert.match((await troupe('crds', 'Lamp', '--adapters', 'lit')).out, 'name: lamps.lamps.example.org');
  }));

test.run();
