// long
// `troupe model` in pipelines: reports for programs, layouts from standard input and as patches, outputs that are checked,
// and what an earlier run left.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BOOK, type Ran, run, withModels } from './command.ts';

const test = suite('troupe model in pipelines');

const LOST = 'models/library_mgmt/v1/lost one.model';

function edit(folder: string, from: string, to: string): void {
  const file = join(folder, BOOK);
  const text = readFileSync(file, 'utf8');
  assert.ok(text.includes(from));
  writeFileSync(file, text.replace(from, to));
}

test('check -o json has every complaint on standard output, and nothing else', () =>
  withModels((folder) => {
    assert.equal(run(folder, ['check', 'models', '-o', 'json']), {
      stdout: '{\n  "diagnostics": []\n}\n',
      stderr: '',
      status: 0,
    });
    writeFileSync(join(folder, LOST), 'resource Lost {\n}\n');
    edit(folder, 'PageCount Integer', 'PageCount Integr');
    const { stdout, stderr, status } = run(folder, ['check', 'models', '-o', 'json']);
    assert.equal([stderr, status], ['', 1]);
    assert.equal(JSON.parse(stdout), {
      diagnostics: [
        {
          code: 'def.undefined-type',
          severity: 'error',
          message: "type 'LibraryMgmt.V1.Integr' is used but not defined; did you mean 'Integer'?",
          file: BOOK,
          line: 12,
          column: 12,
        },
        {
          code: 'resource.unreachable',
          severity: 'warning',
          message: "no locator leads to resource 'LibraryMgmt.V1.Lost', so it has no URL",
          file: LOST,
          line: 1,
          column: 10,
        },
      ],
    });
    const refused = run(folder, ['check', 'models', '-o', 'xml']);
    assert.equal([refused.stdout, refused.status], ['', 2]);
  }));

test('check -o sarif says where, with addresses and rules', () =>
  withModels((folder) => {
    writeFileSync(join(folder, LOST), 'resource Lost {\n}\n');
    mkdirSync(join(folder, 'models/empty/v1'), { recursive: true });
    const { stdout, status } = run(folder, ['check', 'models', '-o', 'sarif']);
    assert.is(status, 1);
    const { version, runs } = JSON.parse(stdout);
    assert.is(version, '2.1.0');
    assert.is(runs.length, 1);
    const [{ tool, columnKind, results }] = runs;
    assert.equal(
      [tool.driver.name, columnKind, tool.driver.rules],
      ['troupe model check', 'unicodeCodePoints', [{ id: 'resource.unreachable' }, { id: 'version.no-root' }]],
    );
    assert.equal(
      results.map((each: { ruleId: string; ruleIndex: number; level: string; locations: unknown }) => [
        each.ruleId,
        each.ruleIndex,
        each.level,
        each.locations,
      ]),
      [
        ['version.no-root', 1, 'error', [{ physicalLocation: { artifactLocation: { uri: 'models/empty/v1' } } }]],
        [
          'resource.unreachable',
          0,
          'warning',
          [
            {
              physicalLocation: {
                artifactLocation: { uri: 'models/library_mgmt/v1/lost%20one.model' },
                region: { startLine: 1, startColumn: 10 },
              },
            },
          ],
        ],
      ],
    );
  }));

test('check --warnings-as-errors ends with 1 where there are only warnings', () =>
  withModels((folder) => {
    assert.is(run(folder, ['check', 'models', '--warnings-as-errors']).status, 0);
    writeFileSync(join(folder, LOST), 'resource Lost {\n}\n');
    assert.is(run(folder, ['check', 'models']).status, 0);
    const { stdout, status } = run(folder, ['check', 'models', '--warnings-as-errors']);
    assert.equal([stdout, status], ['6 files of 2 versions: no errors, 1 warning, which count as errors\n', 1]);
    assert.is(run(folder, ['check', 'models', '--warnings-as-errors', '-o', 'json']).status, 1);
  }));

test('fmt lays out standard input', () =>
  withModels((folder) => {
    assert.equal(run(folder, ['fmt', '-'], 'class   X { A String }'), {
      stdout: 'class X {\n\tA String\n}\n',
      stderr: '',
      status: 0,
    });
    assert.equal(run(folder, ['fmt', '-', '--check'], 'class   X { }').status, 1);
    assert.equal(run(folder, ['fmt', '-', '--check'], 'class X {\n}\n'), { stdout: '', stderr: '', status: 0 });
    const { stdout, stderr, status } = run(folder, ['fmt', '-'], 'class X {');
    assert.equal([stdout, status], ['', 1]);
    assert.match(stderr, '<stdin>:1:10: error: unexpected end of the file');
    assert.is(run(folder, ['fmt', '-', 'models']).status, 2);
  }));

test('fmt --diff shows a patch that makes the layout, and writes nothing', () =>
  withModels((folder) => {
    assert.equal(run(folder, ['fmt', 'models', '--diff']).stdout, '');
    edit(folder, '\tPageCount Integer\n', '    PageCount   Integer\n\n\n');
    edit(folder, 'class Book {', 'class Book\n{\n');
    const text = readFileSync(join(folder, BOOK), 'utf8').trimEnd();
    writeFileSync(join(folder, BOOK), text);
    const { stdout, status } = run(folder, ['fmt', 'models', '--diff']);
    assert.is(status, 1);
    assert.ok(stdout.startsWith(`--- ${BOOK}\n+++ ${BOOK}\n@@ -`), stdout);
    assert.match(stdout, '-    PageCount   Integer\n');
    assert.match(stdout, '+\tPageCount Integer\n');
    assert.match(stdout, '\\ No newline at end of file\n');
    assert.is(readFileSync(join(folder, BOOK), 'utf8'), text);
    // git reads it as `patch` does, and refuses what does not fit.
    const { status: applied, stderr } = spawnSync('git', ['apply', '-p0', '--unsafe-paths', '-'], {
      cwd: folder,
      input: stdout,
      encoding: 'utf8',
    });
    assert.is(applied, 0, stderr);
    assert.is(run(folder, ['fmt', 'models', '--check']).status, 0);
  }));

for (const command of ['openapi', 'types', 'docs']) {
  test(`${command} --check tells what is missing and out of date, and writes nothing`, () =>
    withModels((folder) => {
      const check = (): Ran => run(folder, [command, 'models', '-o', 'out', '--check']);
      assert.is(check().status, 1);
      assert.not(existsSync(join(folder, 'out')));
      assert.is(run(folder, [command, 'models', '-o', 'out']).status, 0);
      const upToDate = check();
      assert.equal([upToDate.status, upToDate.stdout], [0, '']);
      const [first = ''] = readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' })
        .filter((file) => /library_mgmt.*\.\w+$/.test(file))
        .sort();
      writeFileSync(join(folder, 'out', first), 'other');
      rmSync(join(folder, 'out/loans_mgmt'), { recursive: true });
      const { stdout, status } = check();
      assert.is(status, 1);
      assert.match(stdout, `out/${first}: out of date\n`);
      assert.match(stdout, /out\/loans_mgmt\/\S+: missing\n/);
      assert.is(readFileSync(join(folder, 'out', first), 'utf8'), 'other');
      assert.not(existsSync(join(folder, 'out/loans_mgmt')));
    }));

  test(`${command} takes away what it wrote for a service that is gone, and nothing else`, () =>
    withModels((folder) => {
      const generate = (...args: string[]): Ran => run(folder, [command, 'models', '-o', 'out', ...args]);
      assert.is(generate().status, 0);
      rmSync(join(folder, 'models/loans_mgmt'), { recursive: true });
      writeFileSync(join(folder, 'out/mine.txt'), 'mine');
      const { stdout, status } = generate('--check');
      assert.is(status, 1);
      assert.match(stdout, /out\/loans_mgmt\/\S+: not made any more\n/);
      assert.ok(existsSync(join(folder, 'out/loans_mgmt')));
      assert.match(generate().stdout, /, \d+ removed\n$/);
      assert.not(existsSync(join(folder, 'out/loans_mgmt')));
      assert.ok(existsSync(join(folder, 'out/mine.txt')));
      assert.is(generate('--check').status, 0);
    }));
}

test('what somebody changed stays, and is told', () =>
  withModels((folder) => {
    const left = 'out/loans_mgmt/v1_alpha1.ts';
    assert.is(run(folder, ['types', 'models', '-o', 'out']).status, 0);
    writeFileSync(join(folder, left), 'mine now');
    rmSync(join(folder, 'models/loans_mgmt'), { recursive: true });
    const { stderr, status } = run(folder, ['types', 'models', '-o', 'out']);
    assert.equal([stderr, status], [`${left}: not made any more, but edited, so it stays\n`, 0]);
    assert.is(readFileSync(join(folder, left), 'utf8'), 'mine now');
  }));

test('models that share an output take away their own only', () =>
  withModels((folder) => {
    mkdirSync(join(folder, 'others'));
    renameSync(join(folder, 'models/loans_mgmt'), join(folder, 'others/loans_mgmt'));
    rmSync(join(folder, 'others/loans_mgmt/v1_alpha1/types.model'));
    writeFileSync(join(folder, 'others/loans_mgmt/v1_alpha1/resources.model'), 'resource Root {\n}\n');
    assert.is(run(folder, ['types', 'models', '-o', 'out']).status, 0);
    assert.is(run(folder, ['types', 'others', '-o', 'out']).status, 0);
    assert.is(run(folder, ['types', 'models', '-o', 'out']).stdout, '2 files in out, 0 written\n');
    assert.ok(existsSync(join(folder, 'out/loans_mgmt/v1_alpha1.ts')));
    assert.ok(existsSync(join(folder, 'out/library_mgmt/v1.ts')));
  }));

test('a manifest that names files elsewhere, or through a link, takes nothing away', () =>
  withModels((folder) => {
    assert.is(run(folder, ['types', 'models', '-o', 'out']).status, 0);
    const file = join(folder, 'out/.troupe-model-types.json');
    const { files } = JSON.parse(readFileSync(file, 'utf8'));
    mkdirSync(join(folder, 'elsewhere'));
    for (const name of ['a.ts', 'elsewhere/b.ts']) {
      writeFileSync(join(folder, name), readFileSync(join(folder, 'out/client.ts')));
    }
    symlinkSync('../elsewhere', join(folder, 'out/linked'));
    for (const name of ['../a.ts', 'linked/b.ts', join(folder, 'a.ts')]) files[name] = files['client.ts'];
    writeFileSync(file, JSON.stringify({ files }));
    assert.is(run(folder, ['types', 'models', '-o', 'out']).status, 0);
    assert.ok(existsSync(join(folder, 'a.ts')));
    assert.ok(existsSync(join(folder, 'elsewhere/b.ts')));
    writeFileSync(file, '{ "files": 5 }');
    const { stderr, status } = run(folder, ['types', 'models', '-o', 'out']);
    assert.is(status, 2);
    assert.match(stderr, 'does not say what was written');
  }));

test.run();
