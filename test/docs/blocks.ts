// The commands of the documentation: what is fenced as `sh`, and why some of it is not typed here.
//
// A fence says how its block is typed by words after the language:
//   sh                 in one shell, each command ends with 0
//   sh stays           it runs while the rest of the document is typed
//   sh fails           its last command ends with something else than 0
//   sh needs=<reason>  it cannot be typed here; REASONS checks that it is so
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allSuites } from '../suites/list.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Block {
  /** From the root of the checkout. */
  readonly file: string;
  /** Of the fence. */
  readonly line: number;
  readonly language: string;
  readonly marks: readonly string[];
  readonly text: string;
}

/** Documents whose commands a test of their own types. */
export const TYPED_ELSEWHERE: Readonly<Record<string, string>> = {
  'adapters/csi-proxy/api/README.md': 'test/adapters/csi-proxy/generator/author-page.test.ts',
  'bus/recipes.md': 'test/docs/recipes.test.ts',
  'deploy/samples/company-api/README.md': 'test/adapters/ocm/tutorial.test.ts',
};

/** Scripts of npm that the gate or `npm run test:all` runs. */
const RUN_BY_SUITES = new Set([
  'ci',
  ...allSuites().map(({ command: [first = '', , script = ''] }) => (first === 'run' ? script : first)),
]);

/** Why a block is not typed, and what must be true of each of its commands then. */
export const REASONS: Readonly<Record<string, (command: string) => boolean>> = {
  /** A suite runs the same script: it takes long, or changes the checkout. */
  ci: (command) => RUN_BY_SUITES.has(/^npm (?:run )?(?:-s )?([a-z:]+)/.exec(command)?.[1] ?? ''),
  /** It measures, breaks things on purpose or runs everything, for minutes: a person looks at what comes of it. */
  minutes: (command) => /^npm run (bench|mutate|chaos|test:all)\b/.test(command),
  /** It builds or publishes an image. */
  images: (command) => /^(?:docker|buildah) /.test(command),
  /** `test/real/scaffolded-adapter.test.ts` does the same, with a package of its own. */
  scaffold: (command) =>
    /^(?:troupe (?:scaffold adapter|dev --adapters|check --adapters|rbac --adapters) |cd troupe-adapter-|npm (?:install|test)$|npx tsc -p \.$)/.test(
      command,
    ),
  /** It packs what `test/real/package.test.ts` packs, and installs it for the whole machine. */
  package: (command) => /^npm (?:pack|install --global \.\/troupe-[\d.]+\.tgz)$/.test(command),
  /** Pods must run. */
  nodes: (command) =>
    /^(kubectl|helm|nats context|nats sub|nats micro|troupe bus|troupe crds --metal3-phase|troupe migrate|troupe doctor|troupe get bmh|troupe retry|troupe pause|troupe resume)( |$)/.test(
      command,
    ),
  /** Addresses are examples. */
  addresses: (command) => command.includes('example.com'),
  /** Branches and tags that the reader has. */
  history: (command) => /csi-proxy check (main|v\d)/.test(command),
  /** The executable of a Windows node, and how it is made: another Node is fetched for it. */
  executable: (command) => command === 'npm run build:csi-proxy' || /^(?:csi-proxy|sc)\.exe /.test(command),
  /** The pipes of a Windows node. */
  windows: (command) => command.startsWith('troupe csi-proxy '),
};

/** Programs that documents tell to type: none of them stands outside of a fenced block that says `sh`. */
const PROGRAMS = /^(\$ )?(npm|npx|kubectl|nats|troupe|docker|helm|git|curl) [a-z-]/;

export function documents(): readonly string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!['node_modules', '.git', '.troupe'].includes(entry.name)) look(path);
      } else if (entry.name.endsWith('.md') && entry.name !== 'CHANGELOG.md') found.push(relative(ROOT, path));
    }
  };
  look(ROOT);
  return found.sort();
}

/** @throws {Error} a command stands where nobody would type it */
export function blocksOf(file: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) {
      if (open === undefined) open = { line: index + 1, info: line.slice(3).trim(), lines: [] };
      else {
        const [language = '', ...marks] = open.info.split(/ +/);
        blocks.push({ file, line: open.line, language, marks, text: open.lines.join('\n') });
        open = undefined;
      }
    } else if (open !== undefined) {
      if (!open.info.startsWith('sh') && PROGRAMS.test(line)) throw misplaced(file, index, line);
      open.lines.push(line);
    } else if (/^ +```/.test(line))
      throw new Error(`${file}:${index + 1}: a fence begins at the margin, also in a list`);
    else if (/^ {4}/.test(line) && PROGRAMS.test(line.trim())) throw misplaced(file, index, line);
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: the block has no end`);
  return blocks;
}

function misplaced(file: string, index: number, line: string): Error {
  return new Error(`${file}:${index + 1}: '${line.trim()}' is a command: fence it as sh`);
}

/** Of a block of commands: lines that were broken are one, comments are none. */
export function commandsOf({ text }: Block): readonly string[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

export const reasonOf = ({ marks }: Block): string | undefined =>
  marks.find((mark) => mark.startsWith('needs='))?.slice('needs='.length);

/** What is typed of a document, in its order. */
export function typedBlocks(file: string): readonly Block[] {
  if (Object.hasOwn(TYPED_ELSEWHERE, file)) return [];
  const blocks = blocksOf(file, readFileSync(join(ROOT, file), 'utf8'));
  return blocks.filter((block) => block.language === 'sh' && reasonOf(block) === undefined);
}

/** Whether programs are needed that Troupe does not bring. */
export function needsClients(blocks: readonly Block[]): boolean {
  return blocks.some(({ text }) => /\b(kubectl|nats) /.test(text));
}
