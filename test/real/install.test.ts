// needs: nothing
// The installation as a user does it, with the npm that Node 20 brings and with a current one: whatever Node runs npm,
// `npm run` runs Node 24, and what is not in git is generated. On a real registry, the one that npm is configured for.
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isRegistryReached, npm, said } from './npm.ts';

const NPM_VERSIONS = ['10.8.2', '11'];
const INSTALL_LIMIT_MS = 300_000;
const PROBE_LIMIT_MS = 60_000;
const FILES = ['package.json', 'package-lock.json', '.npmrc', 'deploy/link-node.mjs'];
/** Of these, what is generated is made anew. */
const SOURCES = ['actors', 'adapters', 'bus', 'machines'];
const GENERATED = /_generated\.ts$/;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const test = suite('installation');

if (!isRegistryReached(NPM_VERSIONS)) {
  process.stdout.write('skipped: npm reaches no registry\n');
} else {
  for (const version of NPM_VERSIONS) {
    test(`with npm ${version}, npm run runs Node 24`, () => {
      const folder = mkdtempSync(join(realpathSync(tmpdir()), 'troupe-install-'));
      try {
        for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
        const isWritten = (path: string): boolean => !GENERATED.test(path);
        for (const name of SOURCES)
          cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isWritten });
        const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
          scripts: Record<string, string>;
        };
        manifest.scripts['probe'] = 'node probe.ts';
        writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
        writeFileSync(
          join(folder, 'probe.ts'),
          'const said: string[] = [process.version, process.execPath];\nconsole.log(said.join());\n',
        );
        const lockBefore = readFileSync(join(folder, 'package-lock.json'), 'utf8');

        const installed = npm(['ci'], { version, cwd: folder, timeoutMs: INSTALL_LIMIT_MS });
        assert.is(installed.status, 0, said(installed));
        assert.not.match(said(installed), /EBADENGINE/);
        assert.ok(existsSync(join(folder, 'adapters/csi-proxy/server/all_groups_generated.ts')), said(installed));
        assert.is(readFileSync(join(folder, 'package-lock.json'), 'utf8'), lockBefore);

        const probed = npm(['run', '-s', 'probe'], { version, cwd: folder, timeoutMs: PROBE_LIMIT_MS });
        assert.is(probed.status, 0, said(probed));
        const [nodeVersion = '', path = ''] = probed.stdout.trim().split(',');
        assert.match(nodeVersion, /^v24\./);
        assert.ok(path.startsWith(folder), `${path} is not the installed one`);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
  test.run();
}
