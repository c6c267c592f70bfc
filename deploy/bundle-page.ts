// The page as the package holds it: its modules and lit-html as one, and its style sheets as one. A browser would ask for sixty
// files, six at a time. The feed stays a module of its own, which begins before the rest is there.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const PAGE = fileURLToPath(new URL('../actors/visualizer/page/', import.meta.url));
const FEED = './feed.ts';
const SCRIPT = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'inline',
  logLevel: 'warning',
} as const satisfies BuildOptions;
const STYLES = /[^\S\n]*<link rel="stylesheet" href="\/page\/([^"]+)" \/>\n/g;

/** Writes `index.html`, `main.js`, `feed.js` and `page.css` to a folder; the layout of graphs is loaded when a graph is shown. */
export async function bundlePage(folder: string): Promise<void> {
  const markup = await readFile(join(PAGE, 'index.html'), 'utf8');
  const sheets = [...markup.matchAll(STYLES)];
  const contents = sheets.map(([, name]) => `@import "./${name}";`).join('\n');
  const [first = ['']] = sheets;
  const one = `    <link rel="stylesheet" href="/page/page.css" />\n`;
  await Promise.all([
    build({ ...SCRIPT, entryPoints: [join(PAGE, 'main.ts')], outfile: join(folder, 'main.js'), external: [FEED] }),
    build({ ...SCRIPT, entryPoints: [join(PAGE, FEED)], outfile: join(folder, 'feed.js') }),
    build({
      stdin: { contents, resolveDir: PAGE, loader: 'css' },
      outfile: join(folder, 'page.css'),
      bundle: true,
      minify: true,
      logLevel: 'warning',
    }),
    writeFile(
      join(folder, 'index.html'),
      markup.replace(first[0], one).replaceAll(STYLES, (link) => (link === one ? link : '')),
    ),
  ]);
}
