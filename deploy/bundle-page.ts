// The page's modules and lit-html as one module: a browser asks for sixty files one after the other, and for one at once.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PAGE = fileURLToPath(new URL('../actors/visualizer/page/', import.meta.url));

/** Writes `main.js` to a folder; the layout of graphs stays a file of its own, which is loaded when a graph is shown. */
export async function bundlePage(folder: string): Promise<void> {
  await build({
    entryPoints: [join(PAGE, 'main.ts')],
    outfile: join(folder, 'main.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'warning',
  });
}
