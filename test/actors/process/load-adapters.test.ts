// long
// Adapters from outside: a module in a folder of its own, found, checked, and part of what the commands say and do.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adaptersOf, BUILT_IN, configure } from '../../../actors/process/adapters.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('adapters from outside');

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CLI = join(ROOT, 'actors/cli.js');
/** Of the adapters that come with Troupe. */
const ROLES = BUILT_IN.map(({ role }) => role);

const LAMPS = `
import { type Adapter, type KindContract, object, string, TerminalError, wholeNumber } from 'troupe/adapter';

const lamp: KindContract = {
  group: 'lamps.example.org',
  version: 'v1',
  kind: 'Lamp',
  plural: 'lamps',
  description: 'Lamp is a lamp.',
  categories: ['lamps'],
  columns: [],
  spec: object('spec of a lamp.', { color: string('color of it.', { maxLength: 16 }) }),
  status: object('status of a lamp.', {}),
};

export const adapter: Adapter = {
  realm: 'lamps',
  role: 'lamps',
  contracts: [lamp],
  flags: [{ name: 'lamp-watts', variable: 'LAMP_WATTS', value: 'N', fallback: '40', help: 'of a lamp' }],
  configure({ flag }) {
    const watts = wholeNumber(flag('lamp-watts'), { fallback: 40, least: 1, unit: 'watts' });
    return {
      kinds: [],
      async serve() {
        throw new TerminalError(\`no power for \${watts} watts\`);
      },
    };
  },
};
`;

async function inFolder(
  files: Readonly<Record<string, string>>,
  run: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-adapters-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function troupe(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  const { PATH = '', HOME = '' } = process.env;
  try {
    const options = { cwd: folder, env: { PATH, HOME, ...env } };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [CLI, ...args], options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

async function refusal(names: string, folder: string): Promise<string> {
  try {
    await adaptersOf({ adapters: names }, folder);
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as TerminalError).message;
  }
  throw new Error('it was loaded');
}

test('a module in TypeScript is loaded, and its errors are the classes of the runtime', async () => {
  await inFolder({ 'lamps.ts': LAMPS }, async (folder) => {
    const adapters = await adaptersOf({ adapters: './lamps.ts' }, folder);
    assert.equal(
      adapters.map(({ realm }) => realm),
      [...BUILT_IN.map(({ realm }) => realm), 'lamps'],
    );
    const lamps = adapters.at(-1);
    if (lamps === undefined) throw new Error('no lamps');
    const configured = configure(lamps, { LAMP_WATTS: '60' });
    try {
      await configured.serve({ clock: simulatedClock() } as never);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.is((error as Error).message, "adapter 'lamps' cannot be served: no power for 60 watts");
    }
  });
});

test('a package is found from the folder, and a function is called', async () => {
  const manifest = JSON.stringify({ name: 'lamps', type: 'module', exports: { import: './main.js' } });
  const main = "export const adapter = async () => ({ realm: 'lamps', role: 'lit', contracts: [], configure() {} });";
  const files = { 'node_modules/lamps/package.json': manifest, 'node_modules/lamps/main.js': main };
  await inFolder(files, async (folder) => {
    const adapters = await adaptersOf({ adapters: 'lamps' }, folder);
    assert.equal(
      adapters.map(({ role }) => role),
      [...ROLES, 'lit'],
    );
  });
});

test('what cannot be loaded is refused: which module, what is wrong, what to do', async () => {
  const files = {
    'empty.ts': 'export const adaptor = 1;\nexport const other = 2;\n',
    'half.ts': "export const adapter = { realm: 'half', role: 'half', contracts: [] };\n",
    'nothing.ts': 'export const adapter = () => undefined;\n',
    'throws.ts': "throw new Error('no such day');\n",
    'fails.ts': "export const adapter = () => {\n  throw new Error('not today');\n};\n",
    'lost.ts': "import './nowhere.ts';\n",
    'twice.ts': LAMPS,
    'again.ts': LAMPS,
    'openstack.ts': LAMPS.replaceAll("'lamps'", "'openstack'"),
    'mail.ts': LAMPS.replace("realm: 'lamps'", "realm: 'mail'"),
    'watch.ts': LAMPS.replace("role: 'lamps'", "role: 'watch'"),
    'node_modules/stripped/package.json': JSON.stringify({ name: 'stripped', exports: './main.ts' }),
    'node_modules/stripped/main.ts': LAMPS,
  };
  await inFolder(files, async (folder) => {
    const said = (names: string): Promise<string> => refusal(names, folder);
    assert.is(
      await said('./absent.ts'),
      `--adapters: there is no file '${join(folder, 'absent.ts')}': name one, or a package without './'`,
    );
    assert.match(
      await said('absent'),
      /^--adapters: 'absent' cannot be loaded: there is neither a file .* npm install/,
    );
    assert.is(
      await said('./empty.ts'),
      "--adapters: './empty.ts' exports no 'adapter' but adaptor, other: add 'export const adapter: Adapter = ...'",
    );
    assert.is(
      await said('half.ts'),
      "--adapters: the adapter of 'half.ts' has no 'configure' (function): see the type Adapter of 'troupe/adapter'",
    );
    assert.match(await said('nothing.ts'), "the adapter of 'nothing.ts' has no 'realm' (string)");
    assert.is(await said('throws.ts'), "--adapters: 'throws.ts' cannot be loaded: no such day");
    assert.is(await said('fails.ts'), "--adapters: 'adapter' of 'fails.ts' failed: not today");
    assert.match(await said('lost.ts'), /^--adapters: 'lost.ts' cannot be loaded: .*nowhere.ts/);
    assert.match(await said('stripped'), /'stripped' cannot be loaded: .*; a package must bring JavaScript/);
    assert.match(await said('twice.ts, again.ts'), "two adapters have the realm 'lamps'; leave one of them out");
    assert.match(await said('openstack.ts'), "two adapters have the realm 'openstack'");
    assert.match(await said('mail.ts'), "no adapter may have the realm 'mail'");
    assert.match(await said('watch.ts'), "two parts of Troupe have the role 'watch'");
  });
});

test('its kinds, its role and its options are part of the commands', async () => {
  await inFolder({ 'lamps.ts': LAMPS }, async (folder) => {
    const named = ['--adapters', './lamps.ts'];
    const crds = await troupe(folder, ['crds', 'Lamp', ...named]);
    assert.equal([crds.code, crds.err], [0, '']);
    assert.match(crds.out, 'name: lamps.lamps.example.org');
    const all = await troupe(folder, ['crds'], { TROUPE_ADAPTERS: './lamps.ts' });
    assert.is(
      all.out.match(/^kind: CustomResourceDefinition$/gm)?.length,
      BUILT_IN.flatMap(({ contracts }) => contracts).length + 1,
    );
    const { out: help } = await troupe(folder, ['help', ...named]);
    assert.match(
      help,
      new RegExp(
        `^ {2}--roles watch,actors,${ROLES.join()},lamps,visualizer,webhooks\\n {36}TROUPE_ROLES, all but csi-proxy; .*: what this\\n {36}process does$`,
        'm',
      ),
    );
    assert.match(help, /^ {2}--lamp-watts N {20}LAMP_WATTS, 40: of a lamp$/m);
    const unknown = await troupe(folder, ['run', ...named, '--roles', 'lights']);
    assert.equal(
      [unknown.code, unknown.err],
      [
        2,
        `troupe: --roles must be a comma-separated list of watch, actors, ${ROLES.join(', ')}, lamps, visualizer, webhooks; got 'lights'\n`,
      ],
    );
    const wrong = await troupe(folder, ['run', ...named, '--lamp-watts=0']);
    assert.is(wrong.err, "troupe: --lamp-watts must be a whole number of watts, at least 1; got '0'\n");
    assert.match((await troupe(folder, ['run', '--lamp-watts=1'])).err, "'run' has no option '--lamp-watts'");
    const scaffold = await troupe(folder, ['scaffold', 'lamps', 'Torch', ...named]);
    assert.match(
      scaffold.err,
      /^troupe: usage: troupe scaffold adapter <name> <Kind>, .*; or troupe scaffold openstack <Kind>/,
    );
    const checked = await troupe(folder, ['check', ...named]);
    assert.equal(
      [checked.code, checked.out],
      [1, "lamps: 1 kind, 1 wrong\n  Lamp: it has a contract, and 'configure' returns no kind for it\n"],
    );
  });
});

test('it is type-checked against troupe/adapter, with a path and nothing installed', async () => {
  const compilerOptions = {
    target: 'esnext',
    module: 'nodenext',
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: { 'troupe/adapter': [join(ROOT, 'adapters/mod.ts')] },
  };
  const page = await readFile(join(ROOT, 'adapters/README.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
  const documented = blocks.find((text) => text.includes('export const adapter: Adapter')) ?? '';
  const files = {
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['lamps.ts', 'documented.ts', 'wrong.ts'] }),
    'lamps.ts': LAMPS,
    'documented.ts': documented,
    'wrong.ts': LAMPS.replace("plural: 'lamps'", 'plural: 7'),
  };
  await inFolder(files, async (folder) => {
    assert.match(documented, 'export const adapter: Adapter');
    const tsc = promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['--pretty', 'false'], { cwd: folder });
    const said = await tsc.then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    // Nothing but this: the others are as they should be.
    assert.match(said, /^wrong.ts\(8,3\): error TS2322: Type 'number' is not assignable to type 'string'.\n$/);
    assert.is((await adaptersOf({ adapters: './documented.ts' }, folder)).length, BUILT_IN.length + 1);
  });
});

test.run();
