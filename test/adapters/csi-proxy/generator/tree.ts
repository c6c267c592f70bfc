// Folders with protos and what belongs to them, in a temporary place.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { type RunOptions, type RunResult, run } from '../../../../adapters/csi-proxy/generator/mod.ts';

export class Tree {
  readonly root: string;

  /** @param parent  folder to be in */
  constructor(files: Readonly<Record<string, string>>, parent: string = tmpdir()) {
    this.root = mkdtempSync(join(parent, '.csi-proxy-gen-'));
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  get bases(): RunOptions['bases'] {
    return { api: join(this.root, 'api'), server: join(this.root, 'server'), client: join(this.root, 'client') };
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true });
  }

  /** All files by path, with slashes. */
  files(): Record<string, string> {
    return Object.fromEntries(this.paths().map((path) => [path, this.read(path)]));
  }

  /** All files and folders: a folder's path ends with a slash. */
  paths({ folders = false }: { folders?: boolean } = {}): readonly string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => folders || entry.isFile())
      .map((entry) => {
        const path = relative(this.root, join(entry.parentPath, entry.name)).split(sep).join('/');
        return entry.isFile() ? path : `${path}/`;
      })
      .sort();
  }

  /** When each file was written. */
  times(): Record<string, number> {
    return Object.fromEntries(this.paths().map((path) => [path, statSync(join(this.root, path)).mtimeMs]));
  }

  run(options: Partial<RunOptions> = {}): RunResult {
    return run({ bases: this.bases, root: this.root, ...options });
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Does something with a tree, and takes the tree away. */
export function withTree(files: Readonly<Record<string, string>>, use: (tree: Tree) => void, parent?: string): void {
  const tree = new Tree(files, parent);
  try {
    use(tree);
  } finally {
    tree.close();
  }
}

export interface ProtoOptions {
  readonly version?: string;
  readonly service?: string;
  readonly request?: string;
  readonly response?: string;
  /** What else is in the file. */
  readonly more?: string;
}

/** A proto with one call, `Ask(AskRequest) returns (AskResponse)`; each part a line of its own. */
export function proto({
  version = 'v1',
  service = 'Thing',
  request = '',
  response = '',
  more = '',
}: ProtoOptions = {}): string {
  return [
    'syntax = "proto3";',
    `package ${version};`,
    `service ${service} { rpc Ask(AskRequest) returns (AskResponse); }`,
    `message AskRequest { ${request} }`,
    `message AskResponse { ${response} }`,
    more,
    '',
  ].join('\n');
}

/** Internal types of such a group. */
export function types({
  request = '',
  response = '',
  more = '',
}: Pick<ProtoOptions, 'request' | 'response' | 'more'>): string {
  return [
    "import type { bool, bytes, double, Empty, int32, int64, OpenEnum, text, uint32 } from '../../scalars.ts';",
    `export interface AskRequest { ${request} }`,
    `export interface AskResponse { ${response} }`,
    more,
    '',
  ].join('\n');
}
