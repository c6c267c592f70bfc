// apart
// The csi-proxy on real named pipes: its suite once more, by a Node for Windows under Wine. Where Windows itself is,
// `npm test` has run it on named pipes already.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Of the suite alone, in seconds; before it a Node is fetched and a Windows made. */
const SUITE_LIMIT_S = 300;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUN_WINE = join(ROOT, '../shared/named-pipes/run-wine.sh');

if (!existsSync(RUN_WINE)) {
  process.stdout.write('skipped: no ../shared/named-pipes\n');
} else if (spawnSync('wine', ['--version']).status !== 0) {
  process.stdout.write('skipped: no Wine (apt-get install --no-install-recommends wine64 wine)\n');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-wine-'));
  try {
    const suite = join(ROOT, 'test/adapters/csi-proxy/pipes.test.ts');
    const { status, stdout, stderr } = spawnSync(RUN_WINE, [folder, `Z:${suite.replaceAll('/', '\\')}`], {
      encoding: 'utf8',
      // Each server of the suite is a process, and compiles what the one before it has compiled.
      env: {
        ...process.env,
        LIMIT: String(SUITE_LIMIT_S),
        // On both sides the same folder: Wine's Node looks for it on the drive it is started from, the root.
        NODE_COMPILE_CACHE: join(folder, 'cache'),
      },
    });
    // With its totals, which the runner counts.
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    process.exitCode = status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
