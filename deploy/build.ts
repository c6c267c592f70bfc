// `npm run prepack`: what the npm package has in place of the sources, since Node strips no types below node_modules:
// .build, the same folders as JavaScript with declarations, and the files that they read. A checkout never needs it.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage } from './bundle-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILD = join(ROOT, '.build');
/** Files that are read at run time and are no modules, or are read as text. */
const DATA = [
  'package.json',
  'adapters/**/*.{css,json,proto,ps1,yaml}',
  // mutant: packed-at-run-time drop
  'adapters/ocm/types/client.ts',
  'deploy/samples/**/*.{yaml,model,json}',
  'deploy/tutorial.md',
  'adapters/template/**/*.{ts,json,template}',
  'actors/visualizer/*.json',
  'actors/visualizer/page/*.svg',
];

rmSync(BUILD, { recursive: true, force: true });
const compiler = ['node_modules/typescript/bin/tsc', '-p', 'deploy/tsconfig.build.json'];
const { status } = spawnSync(process.execPath, compiler, { cwd: ROOT, stdio: 'inherit' });
await bundlePage(join(BUILD, 'actors/visualizer/page'));
for (const path of globSync(DATA, { cwd: ROOT })) {
  mkdirSync(dirname(join(BUILD, path)), { recursive: true });
  cpSync(join(ROOT, path), join(BUILD, path));
}
process.exitCode = status ?? 1;
