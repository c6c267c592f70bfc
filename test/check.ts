// `npm run check`: types, format and lint, imports in one direction, no known vulnerability, generated files up to date,
// contracts as contracts are. All run even if one fails.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scriptOptions } from '../deploy/script-options.ts';

const CHECKS: Record<string, readonly string[]> = {
  // Not in git: what the other checks read is made first.
  'csi-proxy gen': ['actors/cli.js', 'csi-proxy', 'gen'],
  tsc: ['node_modules/typescript/bin/tsc'],
  // What runs in a browser knows other globals.
  'tsc, the page': ['node_modules/typescript/bin/tsc', '-p', 'actors/visualizer/page'],
  'tsc, its tests': ['node_modules/typescript/bin/tsc', '-p', 'test/actors/visualizer'],
  'biome check': ['node_modules/@biomejs/biome/bin/biome', 'check'],
  imports: ['test/imports.ts'],
  'retired words': ['test/words.ts'],
  prose: ['test/prose.ts'],
  'codes of invariants': ['test/invariants.ts', '--check'],
  audit: ['test/audit.ts'],
  'generate --check': ['deploy/generate.ts', '--check'],
  'csi-proxy record --check': ['actors/cli.js', 'csi-proxy', 'record', '--check'],
  'check-contracts': ['actors/cli.js', 'check'],
};

const USAGE = `Usage: npm run check

Checks the tree; all checks run even if one fails:

${Object.keys(CHECKS)
  .map((name) => `  ${name}\n`)
  .join('')}
  --help   this text
`;
scriptOptions(USAGE, {});

const failed = Object.entries(CHECKS).filter(([name, args]) => {
  process.stdout.write(`${name}\n`);
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  return status !== 0;
});
process.stdout.write(failed.length > 0 ? `failed: ${failed.map(([name]) => name).join(', ')}\n` : 'all is well\n');
process.exitCode = failed.length > 0 ? 1 : 0;
