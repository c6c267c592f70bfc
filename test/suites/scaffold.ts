// A scaffolded kind, as CONTRIBUTING.md says, on a clean clone: it generates, checks and passes its test.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptOptions } from '../../deploy/script-options.ts';
import { ROOT } from './counterparts.ts';

const KIND = 'AddressGroup';
const USAGE = `Usage: npm run test:scaffold

Scaffolds a kind on a clean clone of this checkout, generates, checks, and runs its test.

  --help   this text
`;

scriptOptions(USAGE, { options: {} });

const folder = mkdtempSync(join(tmpdir(), 'troupe-scaffold-'));
const clone = join(folder, 'clone');

function run(cwd: string, program: string, ...args: readonly string[]): void {
  process.stdout.write(`${program} ${args.join(' ')}\n`);
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`it ended with ${status}`);
}

try {
  run(ROOT, 'git', 'clone', '-q', '.', clone);
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'), 'junction');
  appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  run(clone, 'npm', 'run', '-s', 'prepare');
  run(clone, 'npm', 'run', '-s', 'troupe', '--', 'scaffold', 'openstack', KIND);
  run(clone, 'npm', 'run', '-s', 'generate');
  run(clone, 'npm', 'run', '-s', 'check');
  run(clone, 'npm', 'test', '-s', '--', 'test/adapters/openstack/kinds/');
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
