// Program of the development server: a configured one, the newest on the PATH or in the cache, or a download into the
// cache.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ErrorCode, TerminalError, TransientError, TroupeError } from './errors.ts';
import { DEBIAN_NATS_SHA256 } from './nats-checksums.ts';
import { compareNats, type NatsVersion, natsVersion, reads } from './nats-store-version.ts';

const run = promisify(execFile);

/** Location of nats-server releases. */
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
  /** Store that it must open: a directory with the version that wrote it. */
  readonly store?: { readonly folder: string; readonly writtenBy: NatsVersion };
}

/** Every available server is older than the one that wrote the store. */
export class OlderServerError extends TerminalError {
  override name = 'OlderServerError';
}

/**
 * Finds the newest available nats-server, or downloads one into the cache: the official release or, with apt, Debian's
 * package, unpacked and not installed. Changes nothing outside the cache and needs no privilege.
 *
 * @returns path of the program
 * @throws {OlderServerError} none can be had that reads the store
 * @throws {TroupeError} none can be had; the message names the variable that helps
 */
export async function natsProgram(options: NatsProgramOptions): Promise<string> {
  const { program, path, cacheFolder, store, release = NATS_RELEASE } = options;
  if (program !== undefined && !(await isProgram(program))) {
    throw new TroupeError(ErrorCode.Terminal, `TROUPE_NATS_SERVER must name a program; got '${program}'`);
  }
  const cached = join(cacheFolder, 'nats-server');
  const found = await newestOf(
    program === undefined
      ? [...path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, 'nats-server')])), cached]
      : [program],
  );
  if (found !== undefined && isGoodFor(found, store)) return found.file;
  if (found !== undefined) {
    const { version = '' } = found;
    const isWorthwhile = program === undefined && isGoodFor({ version: release.version }, store);
    const refusals = isWorthwhile ? await fetchedFrom([fromRelease], options, cached) : [];
    if (refusals === 'fetched') return cached;
    throw tooOld({ file: found.file, version }, store, refusals);
  }
  const refusals = await fetchedFrom([fromRelease, fromDebian], options, cached);
  if (refusals === 'fetched') {
    const version = await natsVersion(cached);
    if (isGoodFor({ version }, store)) return cached;
    throw tooOld({ file: cached, version: version ?? '' }, store, []);
  }
  const [cause] = refusals;
  const message = `no nats-server on the PATH and none could be fetched (${refusals.map(firstLine).join('; ')}): set TROUPE_NATS_SERVER to one`;
  throw new TroupeError(ErrorCode.Terminal, message, { cause });
}

interface Found {
  readonly file: string;
  /** Undefined: it does not say. */
  readonly version: NatsVersion | undefined;
}

/** The newest of the programs among them; the first of equal ones. */
async function newestOf(files: readonly string[]): Promise<Found | undefined> {
  const programs: string[] = [];
  for (const file of new Set(files)) if (await isProgram(file)) programs.push(file);
  const found = await Promise.all(programs.map(async (file) => ({ file, version: await natsVersion(file) })));
  return found.reduce<Found | undefined>(
    (best, one) => (best === undefined || compareNats(one.version, best.version) > 0 ? one : best),
    undefined,
  );
}

/** A program without a version is tried: its start shows whether it works. */
function isGoodFor({ version }: Pick<Found, 'version'>, store: NatsProgramOptions['store']): boolean {
  return store === undefined || version === undefined || reads(version, store.writtenBy);
}

function tooOld({ file, version }: Found, store: NatsProgramOptions['store'], refusals: readonly unknown[]): Error {
  const { folder = '', writtenBy = '' } = store ?? {};
  const fetching = refusals.length === 0 ? '' : `, and no other can be fetched (${refusals.map(firstLine).join('; ')})`;
  return new OlderServerError(
    `'${folder}' was written by nats-server ${writtenBy}, which an older one cannot read; found was ${version} ('${file}')` +
      `${fetching}: set TROUPE_NATS_SERVER to ${writtenBy} or later (github.com/nats-io/nats-server/releases), ` +
      `or name a new folder, or remove '${join(folder, 'data')}', which holds events of the past and no objects`,
  );
}

/** Fetches from the first source that has it. @returns why none has */
async function fetchedFrom(
  sources: readonly (typeof fromDebian)[],
  options: NatsProgramOptions,
  cached: string,
): Promise<'fetched' | readonly unknown[]> {
  const refusals: unknown[] = [];
  for (const source of sources) {
    try {
      await unpacked(options, source, cached);
      return 'fetched';
    } catch (error) {
      refusals.push(error);
    }
  }
  return refusals;
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
  // mutant: package-unchecked -> if ($1) $2
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
