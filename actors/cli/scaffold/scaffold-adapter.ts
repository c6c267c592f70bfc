// `troupe scaffold adapter <name> <Kind>`: a package with an adapter that runs, made of the one in adapters/template.
import type { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TerminalError } from '../../../bus/mod.ts';
import { TROUPE_VERSION } from '../../base/version.ts';

export interface ScaffoldAdapterDeps {
  readonly folder: string;
  readonly mkdir: typeof mkdir;
  readonly readdir: typeof readdir;
  readonly readFile: typeof readFile;
  readonly writeFile: typeof writeFile;
  readonly out: NodeJS.WritableStream;
}

const TEMPLATE = new URL('../../../adapters/template/', import.meta.url);
/** Names of files that tools would take for their own where the template is. */
const RENAMED: readonly (readonly [is: string, becomes: string])[] = [
  ['package.template.json', 'package.json'],
  ['tsconfig.template.json', 'tsconfig.json'],
  ['README.template', 'README.md'],
];
export const USAGE = "troupe scaffold adapter <name> <Kind>, for example 'troupe scaffold adapter powerdns Zone'";

/** @throws {TerminalError} the call makes no sense, or a file is there already */
export async function scaffoldAdapter(args: readonly string[], deps: ScaffoldAdapterDeps): Promise<number> {
  const [name, kind, ...rest] = args;
  if (name === undefined || kind === undefined || rest.length > 0) throw new TerminalError(`usage: ${USAGE}`);
  if (!/^[a-z][a-z0-9]*$/.test(name)) throw new TerminalError(`a name is one lower-case word; got '${name}'; ${USAGE}`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) throw new TerminalError(`a kind is CamelCase; got '${kind}'; ${USAGE}`);
  const { folder, mkdir, readdir, readFile, writeFile, out } = deps;
  const target = resolve(folder, `troupe-adapter-${name}`);
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const root = fileURLToPath(TEMPLATE);
  for (const path of paths.sort()) {
    const below = renamed(path.slice(root.length));
    const place = join(target, filled(below, name, kind));
    await mkdir(join(place, '..'), { recursive: true });
    try {
      await writeFile(place, filled(await readFile(path, 'utf8'), name, kind), { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new TerminalError(`'${place}' is there already; nothing was overwritten`, { cause: error });
    }
    out.write(`${place}\n`);
  }
  out.write(
    [
      `Now: cd ${target}`,
      `npm install --save-dev <checkout>/troupe-${TROUPE_VERSION}.tgz   # Troupe is not published yet; 'npm pack' in a checkout makes the file`,
      'npm test',
      '',
    ].join('\n'),
  );
  return 0;
}

function renamed(path: string): string {
  return RENAMED.reduce((text, [is, becomes]) => text.replace(is, becomes), path);
}

/** The template with these names in place of its own: `lighting`, and `Lamp`. */
function filled(text: string, name: string, kind: string): string {
  const lower = kind.toLowerCase();
  const local = `${kind[0]?.toLowerCase()}${kind.slice(1)}`;
  const plural = /(?:s|x|z|ch|sh)$/.test(lower)
    ? `${lower}es`
    : /[^aeiou]y$/.test(lower)
      ? `${lower.slice(0, -1)}ies`
      : `${lower}s`;
  const capitalized = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  return text
    .replaceAll('LIGHTING', name.toUpperCase())
    .replaceAll('Lighting', capitalized)
    .replaceAll('lighting', name)
    .replaceAll('lamps', plural)
    .replaceAll('Lamp', kind)
    .replaceAll(/lamp(?=-)/g, lower)
    .replaceAll('lamp', local)
    .replaceAll('^0.1.0', `^${TROUPE_VERSION}`);
}
