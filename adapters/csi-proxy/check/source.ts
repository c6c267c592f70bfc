// Source of an API tree: a directory, or a revision of git.
import { spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { TerminalError } from '../../../bus/errors.ts';
import { isOfTree, type TreeFiles } from './tree.ts';

export interface SourceDeps {
  /** Base of relative directories, in which git finds its repository. */
  readonly cwd: string;
  /** The folder of the API in a revision that is given without one. */
  readonly api: string;
}

/**
 * @param source  a folder; else `<revision>:<folder in the repository>`; else a revision, with the folder `api`
 * @throws {TerminalError} there is no such folder or revision
 */
export async function readSource(source: string, { cwd, api }: SourceDeps): Promise<TreeFiles> {
  if (source === '') throw new TerminalError('an API tree is a folder or a revision of git; got an empty text');
  const folder = resolve(cwd, source);
  if ((await stat(folder).catch(absent))?.isDirectory() === true)
    return readFolder(source.replace(/[/\\]+$/, ''), folder);
  const [, revision = source, path = api] = /^([^:]+):(.*)$/s.exec(source) ?? [];
  return readRevision(`${revision}:${path.replace(/\/+$/, '')}`, { cwd, source });
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

async function readFolder(name: string, folder: string): Promise<TreeFiles> {
  const paths = (await readdir(folder, { recursive: true })).map((path) => path.split(sep).join('/')).filter(isOfTree);
  const files = paths.sort().map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const);
  return { name, files: new Map(await Promise.all(files)) };
}

async function readRevision(name: string, { cwd, source }: { cwd: string; source: string }): Promise<TreeFiles> {
  let tree: string;
  try {
    tree = (await git(cwd, ['rev-parse', '--verify', '--end-of-options', name])).toString().trim();
  } catch (error) {
    throw new TerminalError(`'${source}' is no folder, and git knows no '${name}' (${reason(error)})`, {
      cause: error,
    });
  }
  const listing = await git(cwd, ['ls-tree', '-r', '-z', '--full-tree', tree]);
  const entries = listing
    .toString()
    .split('\0')
    .map((line) => /^\d+ blob (\w+)\t(.*)$/s.exec(line))
    .filter((match) => match !== null && isOfTree(match[2] ?? ''));
  const blobs = await git(cwd, ['cat-file', '--batch'], entries.map((match) => `${match?.[1]}\n`).join(''));
  const files = new Map<string, string>();
  let offset = 0;
  for (const entry of entries) {
    // "<id> blob <size>\n<contents>\n" for each.
    const start = blobs.indexOf('\n', offset) + 1;
    const size = Number(blobs.toString('utf8', offset, start).split(' ')[2]);
    files.set(entry?.[2] ?? '', blobs.toString('utf8', start, start + size));
    offset = start + size + 1;
  }
  return { name, files };
}

async function git(cwd: string, args: readonly string[], input = ''): Promise<Buffer> {
  const child = spawn('git', args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const { promise, resolve: end, reject } = Promise.withResolvers<number | null>();
  child.on('error', reject).on('close', end);
  // A git that ends early says why; that its input was not read says nothing.
  child.stdin.on('error', () => undefined).end(input);
  const code = await promise;
  if (code !== 0) throw new Error(Buffer.concat(err).toString().trim() || `git ended with ${code}`);
  return Buffer.concat(out);
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ');
}
