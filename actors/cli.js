// Entry point of `troupe <command>`, on Node 24 (troupe.cjs ensures that). Nothing is imported before the compile cache
// is on, and this file is plain JavaScript: a process with a full cache never loads the type stripper (20 MB, 40 ms).
// No top-level await: troupe.cjs requires this file.
import { enableCompileCache } from 'node:module';
import { basename } from 'node:path';

enableCompileCache();
// kubectl runs `kubectl-troupe`, and asks `kubectl_complete-troupe` what may stand where the cursor is.
const name = basename(process.argv[1] ?? '');
const program = name.startsWith('kubectl-') ? 'kubectl troupe' : 'troupe';
const args = [...(name.startsWith('kubectl_complete-') ? ['__complete'] : []), ...process.argv.slice(2)];
import('./cli/commands.ts').then(async ({ main }) => {
  process.exitCode = await main(args, process.env, program);
});
