// long
// `troupe model openapi`, `types` and `docs` as processes: what they write and when, and how they end.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openApi } from '../../../adapters/ocm/openapi/mod.ts';
import { OWN } from './corpus.ts';
import { versionsIn } from './versions.ts';

const test = suite('troupe model generators');

const CLI = fileURLToPath(new URL('../../../actors/cli.js', import.meta.url));
const [LIBRARY] = versionsIn(OWN).map((version) => openApi(version));
const BOOK = 'models/library_mgmt/v1/book_type.model';
const DOCUMENT = 'out/library_mgmt/v1/openapi.json';

async function withModels(work: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-generators-'));
  try {
    cpSync(OWN, join(folder, 'models'), { recursive: true });
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(cwd: string, ...args: string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, [CLI, 'model', ...args], { cwd, encoding: 'utf8' });
}

function edit(folder: string, from: string, to: string): void {
  const file = join(folder, BOOK);
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}

/** All but what says which they are. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('.troupe-model-'))
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort();

test('openapi writes a document for each version, only when it changes, and warns of links that dangle', () =>
  withModels((folder) => {
    const document = join(folder, DOCUMENT);
    const first = run(folder, 'openapi', 'models', '--output', 'out');
    assert.equal([first.status, first.stdout], [0, '2 files in out, 2 written\n']);
    assert.match(
      first.stderr,
      'loans_mgmt/v1_alpha1/openapi.json: no schema for link targets of other services: Author',
    );
    assert.is(readFileSync(document, 'utf8'), LIBRARY);
    assert.equal(filesIn(join(folder, 'out')), ['library_mgmt/v1/openapi.json', 'loans_mgmt/v1_alpha1/openapi.json']);
    const { mtimeMs, ino } = statSync(document);
    assert.is(run(folder, 'openapi', 'models', '-o', 'out').stdout, '2 files in out, 0 written\n');
    assert.equal([statSync(document).mtimeMs, statSync(document).ino], [mtimeMs, ino]);
    const closed = run(folder, 'openapi', 'models', '-o', 'out', '--close-links', '--operation-ids');
    assert.equal([closed.status, closed.stderr], [0, '']);
    assert.match(readFileSync(document, 'utf8'), '"operationId": "booksBookLendOut"');
  }));

test('a model with errors ends with 1, a call that makes no sense with 2, and neither writes anything', () =>
  withModels((folder) => {
    for (const [args, reason] of [
      [['openapi', 'models'], '--output needs a folder'],
      [['types', 'models', '--output', ''], '--output needs a folder'],
      [['docs', 'models', '--output', 'models/docs'], 'is inside the model'],
      [['docs', 'models', '--output', `${BOOK}/x`], 'is inside the model'],
      [['docs', 'models', '--output', '/dev/null/x'], 'nothing could be written'],
      [['types', 'models', '--output', 'out', '--hints'], "'model types' has no option '--hints'"],
    ] as const) {
      const { status, stderr } = run(folder, ...args);
      assert.is(status, 2, args.join(' '));
      assert.ok(stderr.includes(reason), stderr);
    }
    edit(folder, 'PageCount Integer', 'PageCount Integr');
    for (const command of ['openapi', 'types', 'docs']) {
      const { status, stderr } = run(folder, command, 'models', '--output', 'out');
      assert.is(status, 1);
      assert.match(stderr, 'def.undefined-type');
    }
    assert.equal(readdirSync(folder), ['models']);
  }));

test('what cannot be written leaves everything as it was', () =>
  withModels((folder) => {
    assert.is(run(folder, 'openapi', 'models', '--output', 'out').status, 0);
    const loans = join(folder, 'out/loans_mgmt/v1_alpha1/openapi.json');
    rmSync(join(folder, 'out/loans_mgmt'), { recursive: true });
    writeFileSync(join(folder, 'out/loans_mgmt'), 'in the way');
    edit(folder, '// A book held', '// One book held');
    const { status, stderr } = run(folder, 'openapi', 'models', '--output', 'out');
    assert.is(status, 2);
    assert.match(stderr, 'nothing could be written');
    assert.is(readFileSync(join(folder, DOCUMENT), 'utf8'), LIBRARY);
    assert.not(existsSync(loans));
    assert.equal(filesIn(join(folder, 'out')), ['library_mgmt/v1/openapi.json', 'loans_mgmt']);
  }));

test('types and docs write what belongs to every version', () =>
  withModels((folder) => {
    assert.is(run(folder, 'types', 'models', '--output', 'types').status, 0);
    assert.equal(filesIn(join(folder, 'types')), ['client.ts', 'library_mgmt/v1.ts', 'loans_mgmt/v1_alpha1.ts']);
    assert.is(run(folder, 'docs', 'models', '--output', 'docs').status, 0);
    assert.ok(existsSync(join(folder, 'docs/index.md')));
    assert.ok(existsSync(join(folder, 'docs/loans_mgmt/v1_alpha1/loan_type.md')));
  }));

test('--watch writes again after a change, and not what a mistake makes', () =>
  withModels(async (folder) => {
    const child = spawn(process.execPath, [CLI, 'model', 'openapi', 'models', '--output', 'out', '--watch'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const said = async (stream: typeof child.stdout, text: string): Promise<void> => {
      let output = '';
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
        output += String(chunk);
        if (output.includes(text)) return;
      }
      throw new Error(`ended after '${output}'`);
    };
    await said(child.stdout, '2 written');
    edit(folder, 'PageCount Integer', 'PageCount Integr');
    await said(child.stderr, '1 error');
    assert.is(readFileSync(join(folder, DOCUMENT), 'utf8'), LIBRARY);
    edit(folder, 'PageCount Integr', 'PageCount Long');
    await said(child.stdout, '2 written');
    assert.match(
      readFileSync(join(folder, DOCUMENT), 'utf8'),
      /"page_count": \{\s+"type": "integer",\s+"format": "int64"/,
    );
    child.kill('SIGTERM');
    assert.is((await ended)[0], 0);
  }));

test.run();
