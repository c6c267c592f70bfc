// Suites of this checkout on real named pipes: a test file, run by a Node for Windows under Wine.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

/** Of a file alone, in seconds; before it a Node is fetched and a Windows made. It ends a file that hangs. */
const LIMIT_S = 1_200;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUN_WINE = join(ROOT, '../shared/named-pipes/run-wine.sh');

/** Adds and runs a suite of one test: all tests of `file` pass under Wine. It is skipped where Wine is not. @param file  from the root */
export function underWine(file: string): void {
  if (!existsSync(RUN_WINE)) {
    process.stdout.write('skipped: no ../shared/named-pipes\n');
    return;
  }
  if (spawnSync('wine', ['--version']).status !== 0) {
    process.stdout.write('skipped: no Wine (apt-get install --no-install-recommends wine64 wine)\n');
    return;
  }
  const test = suite(`${file} on named pipes`);
  test('all its tests pass under Wine', () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-wine-'));
    try {
      const { status, stdout, stderr } = spawnSync(RUN_WINE, [folder, `Z:${join(ROOT, file).replaceAll('/', '\\')}`], {
        encoding: 'utf8',
        env: {
          ...process.env,
          LIMIT: String(LIMIT_S),
          // Each server of a suite is a process, and compiles what the one before it has compiled. On both sides the same folder:
          // Wine's Node looks for it on the drive it is started from, the root.
          NODE_COMPILE_CACHE: join(folder, 'cache'),
        },
      });
      const printed = stripVTControlCharacters(stdout);
      const [, total, passed] = /^ {2}Total: +(\d+)\r?\n {2}Passed: +(\d+)/m.exec(printed) ?? [];
      assert.ok(total !== undefined && Number(total) > 0 && total === passed && status === 0, printed + stderr);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  test.run();
}
