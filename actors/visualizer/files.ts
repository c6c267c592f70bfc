// The files of the page, and the libraries that it is made with: nothing comes from elsewhere. A package holds the page's modules as one.
// A checkout holds TypeScript, whose types are stripped when a file is asked for, and takes the libraries as the installed packages hold them.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const { gzipSync } = process.getBuiltinModule('node:zlib');

export interface Asset {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
  /** It never changes under this path. */
  readonly lasting: boolean;
  zipped(): Buffer;
}

export interface Assets {
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: there is no such file. */
  find(path: string): Asset | undefined;
}

const PAGE = fileURLToPath(new URL('page/', import.meta.url));
/** Root of the sources, or of their build. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Paths, from the root, of modules outside the folder that the page imports. */
const SHARED: ReadonlySet<string> = new Set(['/adapters/text/shell-word.ts']);
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Packages whose modules the page imports by name. */
const LIBRARIES: readonly string[] = ['lit-html'];
/** The layout of graphs, which the page starts as a worker. */
const WORKER = { name: 'elkjs', entry: 'lib/elk-worker.min.js' };
const SCRIPT = /\.m?js$/;
const IMPORT_MAP = '<script type="importmap">{ "imports": {} }</script>';
const MAIN = '/page/main.js';
const IMPORTED = /\b(?:from|import)\s*["']([^"']+)["']/g;

/** @param page  folder of the page: as sources, or as the build writes it */
export function assets(page = PAGE): Assets {
  const folders = new Map<string, string>();
  const paths: Record<string, string> = {};
  for (const { name, entry: own } of [...LIBRARIES.map((name) => ({ name, entry: undefined })), WORKER]) {
    const { folder, version, main } = packageOf(name);
    const entry = own ?? main;
    const prefix = `/lib/${name}@${version}/`;
    folders.set(prefix, folder);
    paths[name] = `${prefix}${entry}`;
    paths[`${name}/`] = prefix;
  }
  const importMap = JSON.stringify({ imports: paths });
  const headers = headersWith(importMap);
  /** Keyed by file: the cache does not grow with the spellings of a path. */
  const known = new Map<string, Kept>();

  const find = (path: string): Asset | undefined => {
    if (path === '/') {
      const links = modulesFrom(MAIN).map((each) => `<link rel="modulepreload" href="${each}" />`);
      const map = `<script type="importmap">${importMap}</script>`;
      const markup = readFileSync(join(page, 'index.html'), 'utf8').replace(IMPORT_MAP, () =>
        [map, ...links].join('\n    '),
      );
      return asset(Buffer.from(markup), '.html', { lasting: false });
    }
    const library = [...folders].find(([prefix]) => path.startsWith(prefix));
    if (library !== undefined) {
      const file = within(library[1], path.slice(library[0].length));
      if (file === undefined || !SCRIPT.test(file)) return undefined;
      return kept(known, file, (bytes) => asset(bytes, '.js', { lasting: true }));
    }
    if (SHARED.has(path)) return ofPage(known, join(ROOT, path));
    const file = path.startsWith('/page/') ? within(page, path.slice('/page/'.length)) : undefined;
    return file === undefined ? undefined : ofPage(known, file);
  };

  /** Paths of all modules that one imports, directly or not: a browser that knows them asks for all at once. */
  const modulesFrom = (path: string): readonly string[] => {
    const found = new Set([path]);
    for (const each of found) {
      for (const [, name = ''] of String(find(each)?.bytes ?? '').matchAll(IMPORTED)) {
        const bare = Object.keys(paths).find((key) => name === key || (key.endsWith('/') && name.startsWith(key)));
        if (bare !== undefined) found.add(`${paths[bare]}${name.slice(bare.length)}`);
        else if (name.startsWith('.')) found.add(new URL(name, `http://page${each}`).pathname);
      }
    }
    return [...found];
  };
  return {
    headers,
    find,
  };
}

interface Kept {
  readonly asset: Asset;
  readonly version: string;
}

/** Reads a file when it is first asked for, and again when it has changed: a checkout is worked on while it runs. */
function kept(known: Map<string, Kept>, file: string, make: (bytes: Buffer) => Asset): Asset | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return undefined;
  const version = `${stat.mtimeMs} ${stat.size}`;
  const last = known.get(file);
  if (last?.version === version) return last.asset;
  const made = make(readFileSync(file));
  known.set(file, { asset: made, version });
  return made;
}

/** A module is asked for as it is named in the source, or as the build names it. */
function ofPage(known: Map<string, Kept>, file: string): Asset | undefined {
  const [source, built] = [file.replace(/\.js$/, '.ts'), file.replace(/\.ts$/, '.js')];
  const own = existsSync(built) ? built : source;
  const extension = extname(own);
  if (!(extension in TYPES)) return undefined;
  return kept(known, own, (bytes) =>
    extension === '.ts'
      ? asset(Buffer.from(stripped(bytes.toString())), '.js', { lasting: false })
      : asset(bytes, extension, { lasting: false }),
  );
}

/** Without types: line and column of everything stay what they are. */
function stripped(source: string): string {
  // Node warns once that this API is new; readers of the log cannot change that.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function asset(bytes: Buffer, extension: string, { lasting }: { readonly lasting: boolean }): Asset {
  let zipped: Buffer | undefined;
  return {
    bytes,
    lasting,
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    zipped: () => {
      zipped ??= gzipSync(bytes);
      return zipped;
    },
  };
}

/** Undefined: it leads out of the folder. */
function within(folder: string, path: string): string | undefined {
  let plain: string;
  try {
    plain = decodeURIComponent(path);
  } catch {
    return undefined; // no path of ours
  }
  const file = normalize(join(folder, plain));
  return file.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) && !plain.includes('\0') ? file : undefined;
}

interface Installed {
  readonly folder: string;
  readonly version: string;
  /** The module of that name, from the folder. */
  readonly main: string;
}

function packageOf(name: string): Installed {
  // Not every package exports its manifest; each lies in a folder of its name.
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const folder = folders.map((each) => join(each, name)).find((each) => existsSync(join(each, 'package.json')));
  if (folder === undefined) throw new Error(`the package '${name}' is not installed; 'npm ci' does it`);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  return { folder, version: manifest['version'] ?? '', main: manifest['module'] ?? manifest['main'] ?? 'index.js' };
}

function headersWith(importMap: string): Readonly<Record<string, string>> {
  const digest = createHash('sha256').update(importMap).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${digest}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html troupe',
  ].join('; ');
  return {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}
