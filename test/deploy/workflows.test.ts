// Workflows are what they are meant to be, as far as can be told without running them: actionlint, on the PATH, reads
// expressions, contexts and inputs of the well-known actions.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';

const FOLDER = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));
const files = readdirSync(FOLDER).map((name) => join(FOLDER, name));

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes': number }>>;
}

if (spawnSync('actionlint', ['-version']).status !== 0) {
  console.log('skipped: there is no actionlint on the PATH');
} else {
  const test = suite('workflows');

  test('actionlint finds nothing', () => {
    const { status, stdout } = spawnSync('actionlint', ['-no-color', ...files], { encoding: 'utf8' });
    assert.is(stdout, '');
    assert.is(status, 0);
  });

  test('a job may do nothing that it does not ask for, and ends', () => {
    for (const file of files) {
      const { permissions, jobs } = parse(readFileSync(file, 'utf8')) as Workflow;
      assert.equal(permissions, { contents: 'read' });
      for (const [name, job] of Object.entries(jobs)) assert.ok(job['timeout-minutes'] > 0, name);
    }
  });

  test.run();
}
