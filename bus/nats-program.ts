// Where the development server's program comes from: named, on the PATH, in the cache, or fetched into the cache.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ErrorCode, TransientError, TroupeError } from './errors.ts';
import { DEBIAN_NATS_SHA256 } from './nats-checksums.ts';

const run = promisify(execFile);

/** Where releases of nats-server are published. */
export interface NatsRelease {
  readonly version: string;
  /** Holds `nats-server-v<version>-<system>-<processor>.tar.gz` and `SHA256SUMS`. */
  readonly folder: string;
  /** Checksums known beforehand, by file name. A file that is not among them is held against `SHA256SUMS`. */
  readonly sha256: Readonly<Record<string, string>>;
}

/** The release that Troupe's suites pass on. */
export const NATS_RELEASE: NatsRelease = {
  version: '2.12.3',
  folder: 'https://github.com/nats-io/nats-server/releases/download/v2.12.3',
  sha256: {},
};

export interface NatsProgramOptions {
  /** The program itself; nothing is looked for then. */
  readonly program: string | undefined;
  /** Folders to look in, as in the environment's PATH. */
  readonly path: string;
  /** Kept between runs; made when missing. */
  readonly cacheFolder: string;
  readonly fetch: typeof globalThis.fetch;
  /** Told one line for each step that takes time or fetches something. */
  readonly onProgress: (line: string) => void;
  readonly release?: NatsRelease;
  /** Checksums of Debian's packages, by file name. For one that is not among them apt's signature is enough. */
  readonly packages?: Readonly<Record<string, string>>;
}

/**
 * Finds nats-server, or fetches it into the cache: Debian's package, unpacked and not installed, where there is apt; the
 * official release elsewhere. Changes nothing outside the cache and needs no privilege.
 *
 * @returns path of the program
 * @throws {TroupeError} none can be had; the message names the variable that helps
 */
export async function natsProgram(options: NatsProgramOptions): Promise<string> {
  const { program, path, cacheFolder } = options;
  if (program !== undefined) {
    if (await isProgram(program)) return program;
    throw new TroupeError(ErrorCode.Terminal, `TROUPE_NATS_SERVER must name a program; got '${program}'`);
  }
  for (const folder of path.split(delimiter)) {
    if (folder !== '' && (await isProgram(join(folder, 'nats-server')))) return join(folder, 'nats-server');
  }
  const cached = join(cacheFolder, 'nats-server');
  if (await isProgram(cached)) return cached;
  const refusals: string[] = [];
  let cause: unknown;
  for (const source of [fromDebian, fromRelease]) {
    try {
      await unpacked(options, source, cached);
      return cached;
    } catch (error) {
      cause = error;
      refusals.push(firstLine(error));
    }
  }
  const message = `no nats-server on the PATH and none could be fetched (${refusals.join('; ')}): set TROUPE_NATS_SERVER to one`;
  throw new TroupeError(ErrorCode.Terminal, message, { cause });
}

/** Lets `source` put the program into a scratch folder and moves it into place in one step: others may do the same. */
async function unpacked(options: NatsProgramOptions, source: typeof fromDebian, cached: string): Promise<void> {
  await mkdir(options.cacheFolder, { recursive: true });
  const scratch = await mkdtemp(join(options.cacheFolder, 'fetch-'));
  try {
    const found = await source(options, scratch);
    await chmod(found, 0o755);
    await rename(found, cached);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function fromDebian(options: NatsProgramOptions, scratch: string): Promise<string> {
  const { path, onProgress, packages = DEBIAN_NATS_SHA256 } = options;
  if (!(await onPath(path, 'apt-get')) || !(await onPath(path, 'dpkg-deb')))
    throw new TransientError('there is no apt');
  onProgress('fetching Debian’s nats-server package into the cache; nothing is installed');
  const env = { PATH: path, LC_ALL: 'C' };
  const download = async (settings: readonly string[]): Promise<void> => {
    await run('apt-get', [...settings, 'download', 'nats-server'], { cwd: scratch, env });
  };
  try {
    await download([]);
  } catch {
    // Without package lists, as in slim images, or with stale ones: read them into the scratch folder.
    onProgress('reading the package lists first');
    const settings = await ownPackageLists(scratch);
    await run('apt-get', [...settings, '--quiet', 'update'], { cwd: scratch, env });
    await download(settings);
  }
  const file = (await readdir(scratch)).find((name) => name.startsWith('nats-server_') && name.endsWith('.deb'));
  if (file === undefined) throw new TransientError('apt fetched no package');
  const expected = packages[file];
  if (expected === undefined)
    onProgress(`'${file}' has no checksum here: that it is Debian's, apt has seen by its signature`);
  else checkSum(file, await readFile(join(scratch, file)), expected);
  await run('dpkg-deb', ['-x', join(scratch, file), join(scratch, 'package')], { env });
  return join(scratch, 'package', 'usr', 'sbin', 'nats-server');
}

/** Settings that keep everything apt writes in one folder. */
async function ownPackageLists(scratch: string): Promise<readonly string[]> {
  const folders = { 'Dir::State::lists': 'lists', 'Dir::Cache': 'cache' };
  const settings: string[] = ['-o', 'APT::Sandbox::User=root'];
  for (const [setting, folder] of Object.entries(folders)) {
    await mkdir(join(scratch, folder, folder === 'cache' ? 'archives/partial' : 'partial'), { recursive: true });
    settings.push('-o', `${setting}=${join(scratch, folder)}`);
  }
  return settings;
}

async function fromRelease(options: NatsProgramOptions, scratch: string): Promise<string> {
  const { fetch, path, onProgress, release = NATS_RELEASE } = options;
  const system = { linux: 'linux', darwin: 'darwin' }[process.platform as string];
  const processor = { x64: 'amd64', arm64: 'arm64', arm: 'arm7' }[process.arch as string];
  if (system === undefined || processor === undefined) {
    throw new TransientError(`there is no release for ${process.platform} on ${process.arch}`);
  }
  const name = `nats-server-v${release.version}-${system}-${processor}`;
  onProgress(`fetching ${name} from ${new URL(release.folder).host} into the cache`);
  const archive = await fetched(fetch, `${release.folder}/${name}.tar.gz`);
  const expected = release.sha256[`${name}.tar.gz`];
  if (expected === undefined)
    onProgress('it has no checksum here: it is held against the one that is published beside it');
  checkSum(`${name}.tar.gz`, archive, expected ?? (await publishedSum(fetch, release.folder, `${name}.tar.gz`)));
  await writeFile(join(scratch, 'archive.tar.gz'), archive);
  await run('tar', ['-xzf', 'archive.tar.gz'], { cwd: scratch, env: { PATH: path } });
  return join(scratch, name, 'nats-server');
}

function checkSum(name: string, content: Buffer, expected: string): void {
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== expected) throw new TransientError(`'${name}' has the checksum ${actual}, not ${expected}`);
}

async function publishedSum(fetch: typeof globalThis.fetch, folder: string, file: string): Promise<string> {
  const sums = (await fetched(fetch, `${folder}/SHA256SUMS`)).toString();
  for (const line of sums.split('\n')) {
    const [sum, name] = line.trim().split(/\s+\*?/);
    if (name === file && sum !== undefined) return sum.toLowerCase();
  }
  throw new TransientError(`no checksum of '${file}' is published`);
}

async function fetched(fetch: typeof globalThis.fetch, url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new TransientError(`${new URL(url).host} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

async function onPath(path: string, name: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) if (folder !== '' && (await isProgram(join(folder, name)))) return true;
  return false;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // not there, or not ours to run: the next place may have it
  }
}

/** The line that says what went wrong: of a program, the last it wrote; of a fetch, its cause. */
function firstLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stderr } = error as { stderr?: unknown };
  const written = typeof stderr === 'string' ? stderr.trim().split('\n').at(-1) : undefined;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return written || `${error.message.split('\n')[0]}${cause}`;
}
