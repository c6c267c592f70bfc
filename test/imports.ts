// Who may import whom: rooms in one direction, and no circles of files or of folders outside of test/. Types count, and so do imports that wait
// for their turn: what is erased or late today is not tomorrow, and a reader follows all of them.
//
//   node test/imports.ts [FOLDER]
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

/** By file, as paths from the root with slashes: what it imports, files of the tree likewise, packages by their names. */
export type Imports = ReadonlyMap<string, readonly string[]>;

const ROOMS = ['machines', 'bus', 'adapters', 'actors', 'deploy', 'test'] as const;
const SOURCE = /\.(ts|js|mjs)$/;
/** Examples of generated code, whose imports are those of another tree. */
const EXAMPLES = /(^|\/)golden\//;

/** Rooms of `adapters/` that all adapters share; each may import those before it. */
const SHARED = ['text', 'cel', 'api', 'http'] as const;
/** Of another adapter, what may be imported by whom: the parts of a simulated system that runs beside it, and the machines of Windows. */
const NEIGHBORS: readonly (readonly [of: RegExp, target: RegExp])[] = [
  [/^adapters\/windows\//, /^adapters\/csi-proxy\//],
  [/^adapters\/simulated\/kubernetes\//, /^adapters\/kubernetes\/tls\//],
  [/^adapters\/[^/]+\/(.+\/)?dev-backend\.ts$/, /^adapters\/simulated\/[^/]+\/mod\.ts$/],
];
/** Folders whose own folders are layers, from the ground up: each may import those before it, and none what lies loose. */
const LAYERED: Readonly<Record<string, readonly string[]>> = {
  actors: [
    'base',
    'mailbox',
    'object',
    'effects',
    'sharding',
    'watch',
    'observability',
    'diagnosis',
    'visualizer',
    'webhooks',
    'process',
    'cli',
    'testing',
  ],
  'adapters/simulated/kubernetes': [
    'base',
    'schemas',
    'storage',
    'apply',
    'access',
    'resources',
    'conversion',
    'wire',
    'objects',
    'kinds',
    'auth',
    'controllers',
    'requests',
  ],
  'adapters/openstack': [
    'base',
    'client',
    'status',
    'downloads',
    'resource',
    'steps',
    'images',
    'kinds',
    'contract-check',
    'tools',
  ],
  'adapters/csi-proxy': ['base', 'codec', 'protos', 'api', 'hosts', 'generator', 'client', 'server', 'check'],
};
const SIMULATED = /^adapters\/simulated\/([^/]+)\//;

/** A file may import what one of these says of it, beyond its own room; of packages all but where it is said otherwise. */
interface Rule {
  readonly of: (file: string) => boolean;
  readonly mayImport: (target: string, file: string) => boolean;
  readonly says: string;
}

const RULES: readonly Rule[] = [
  {
    of: (file) => !isIn(file, 'test'),
    mayImport: (target) => !isIn(target, 'test'),
    says: 'nobody imports tests',
  },
  {
    of: (file) => isIn(file, 'machines'),
    mayImport: (target) => isIn(target, 'machines') || target === 'xstate' || target.startsWith('xstate/'),
    says: 'machines import xstate and each other, and nothing else',
  },
  {
    of: (file) => isIn(file, 'bus'),
    mayImport: (target) => isIn(target, 'bus') || !isFile(target),
    says: 'the bus is a leaf',
  },
  {
    of: (file) => isIn(file, 'adapters'),
    mayImport: (target) => ['machines', 'bus', 'adapters'].some((room) => isIn(target, room)) || !isFile(target),
    says: 'adapters import machines, the bus and adapters',
  },
  {
    of: (file) => adapterOf(file) !== undefined,
    mayImport: (target, file) =>
      !isIn(target, 'adapters') ||
      adapterOf(target) === adapterOf(file) ||
      sharedOf(target) >= 0 ||
      NEIGHBORS.some(([of, known]) => of.test(file) && known.test(target)),
    says: 'of another adapter nothing is known but what is listed',
  },
  {
    of: (file) => sharedOf(file) >= 0,
    mayImport: (target, file) =>
      !isIn(target, 'adapters') || (sharedOf(target) >= 0 && sharedOf(target) <= sharedOf(file)),
    says: `what all adapters share knows none of them, in this order: ${SHARED.join(', ')}`,
  },
  ...Object.entries(LAYERED).map(
    ([room, layers]): Rule => ({
      of: (file) => layerOf(file, room, layers) >= 0,
      mayImport: (target, file) =>
        !isIn(target, room) ||
        (layerOf(target, room, layers) >= 0 && layerOf(target, room, layers) <= layerOf(file, room, layers)),
      says: `folders of ${room}/ import those below, in this order: ${layers.join(', ')}`,
    }),
  ),
  {
    of: (file) => !SIMULATED.test(file) && !isIn(file, 'test'),
    mayImport: (target) => !SIMULATED.test(target) || target.endsWith('/mod.ts'),
    says: 'a simulated system is known by its mod.ts',
  },
];

/** Each import against the direction of the rooms, and each circle, as a line of text. */
export function problemsOf(imports: Imports): readonly string[] {
  const wrong = [...imports].flatMap(([file, targets]) =>
    RULES.filter((rule) => rule.of(file)).flatMap(({ mayImport, says }) =>
      targets.filter((target) => !mayImport(target, file)).map((target) => `${file} imports ${target}: ${says}`),
    ),
  );
  const circles = (of: Imports, what: string): readonly string[] =>
    circlesOf(of).map((names) => `a circle of ${what}: ${names.join(' -> ')} -> ${names[0]}`);
  return [...wrong, ...circles(imports, 'imports'), ...circles(foldersOf(imports), 'folders')];
}

/** By folder: folders beside it that its files import. */
function foldersOf(imports: Imports): Imports {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    for (const target of targets.filter((each) => imports.has(each))) {
      const [from, to] = [file.split('/'), target.split('/')];
      const depth = from.findIndex((name, index) => name !== to[index]) + 1;
      if (depth === 0 || from.length <= depth || to.length <= depth) continue;
      const key = from.slice(0, depth).join('/');
      folders.set(key, (folders.get(key) ?? new Set()).add(to.slice(0, depth).join('/')));
    }
  }
  return new Map([...folders].map(([folder, targets]) => [folder, [...targets]]));
}

/** Of each set of files that all reach each other, one circle. */
function circlesOf(all: Imports): readonly (readonly string[])[] {
  const imports = new Map([...all].filter(([name]) => name !== 'test' && !isIn(name, 'test')));
  const reached = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: (readonly string[])[] = [];
  // Tarjan's strongly connected components.
  const visit = (file: string): number => {
    const at = reached.size;
    reached.set(file, at);
    lowest.set(file, at);
    open.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      if (!reached.has(target)) lowest.set(file, Math.min(lowest.get(file) ?? at, visit(target)));
      else if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? at, reached.get(target) ?? at));
    }
    if (lowest.get(file) === at) {
      const component = new Set(open.splice(open.indexOf(file)));
      if (component.size > 1 || imports.get(file)?.includes(file)) circles.push(wayRound(file, component, imports));
    }
    return lowest.get(file) ?? at;
  };
  for (const file of imports.keys()) if (!reached.has(file)) visit(file);
  return circles;
}

/** The shortest way from a file back to itself within its component. */
function wayRound(file: string, component: ReadonlySet<string>, imports: Imports): readonly string[] {
  const ways: (readonly [string, ...string[]])[] = [[file]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const target of imports.get(way.at(-1) ?? file) ?? []) {
      if (target === file) return way;
      if (!component.has(target) || seen.has(target)) continue;
      seen.add(target);
      ways.push([...way, target]);
    }
  }
  return [...component];
}

/** What the files of a tree import. @param root  the folder that holds the rooms */
export function readImports(root: string): Imports {
  const files = ROOMS.flatMap((room) => sourcesIn(join(root, room))).map((path) =>
    relative(root, path).split(sep).join('/'),
  );
  return new Map(
    files
      .filter((file) => !EXAMPLES.test(file))
      .map((file) => [file, importsIn(readFileSync(join(root, file), 'utf8')).map((text) => resolved(file, text))]),
  );
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.split(sep).includes('node_modules'));
}

/** What a module's text imports, as it says it: statements, re-exports, `import('...')` as a value and as a type. */
export function importsIn(text: string): readonly string[] {
  const { program } = parse(text, { sourceType: 'module', plugins: ['typescript'], attachComment: false });
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, source, argument } = node as { type?: unknown; source?: Literal; argument?: Literal };
    if (typeof type === 'string' && MODULE_NODES.has(type)) {
      const named = source?.value ?? argument?.value;
      if (typeof named === 'string') found.add(named);
    }
    Object.values(node).forEach(visit);
  };
  visit(program.body);
  return [...found];
}

interface Literal {
  readonly value?: unknown;
}

const MODULE_NODES: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function resolved(file: string, text: string): string {
  return text.startsWith('.') ? posix.normalize(posix.join(dirname(file), text)) : text;
}

function isIn(path: string, room: string): boolean {
  return path.startsWith(`${room}/`);
}

function isFile(target: string): boolean {
  return ROOMS.some((room) => isIn(target, room));
}

/** The folder of an adapter that a file belongs to; undefined: it is shared, or belongs to none. */
function adapterOf(path: string): string | undefined {
  return sharedOf(path) >= 0 ? undefined : /^adapters\/([^/]+)\//.exec(path)?.[1];
}

/** The place of a file among the layers of a room; -1: it is in none of them. */
function layerOf(path: string, room: string, layers: readonly string[]): number {
  return layers.findIndex((layer) => isIn(path, `${room}/${layer}`));
}

/** The place of a shared room among them; -1: the file is in none. */
function sharedOf(path: string): number {
  return SHARED.findIndex((room) => isIn(path, `adapters/${room}`));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const problems = problemsOf(readImports(root));
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
