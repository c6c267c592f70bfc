// long
// Files, links and folders as they come: nothing hangs, nothing is lost, and whatever is left out is said.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { format, parse, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { BOOK, run, withModels } from './command.ts';
import { OWN } from './corpus.ts';
import { startEditor } from './editor.ts';

const test = suite('troupe model with hostile files');

test('a file that is not UTF-8 is refused, with the place of the byte, and stays as it is', () =>
  withModels((folder) => {
    const file = join(folder, BOOK);
    const text = Buffer.from('// \ufffd Caf\u00e9 😀\n// x\nstruct   X {\n}\n');
    const bytes = Buffer.concat([text.subarray(0, 21), Buffer.from([0xe9]), text.subarray(21)]);
    writeFileSync(file, bytes);
    for (const args of [
      ['fmt', 'models'],
      ['fmt', BOOK],
      ['check', 'models'],
      ['openapi', 'models', '-o', 'out'],
    ]) {
      const { stderr, status } = run(folder, args);
      assert.is(status, 1, args.join(' '));
      assert.match(stderr, `${BOOK}:2:4: error: the file is not UTF-8: byte 0xE9 at byte offset 21 [lex.encoding]`);
      assert.ok(readFileSync(file).equals(bytes));
    }
  }));

test('what is written in UTF-8 may hold replacement characters', () => {
  const workspace = new Workspace();
  const text = '// \ufffd\nresource Root {\n}\n';
  workspace.set('svc/v1/x.model', Buffer.from(text));
  assert.equal(workspace.diagnostics(), []);
  workspace.set('svc/v1/x.model', Buffer.from(text.replace('\ufffd', '\u00e9'), 'latin1'));
  assert.equal(
    workspace.diagnostics().map(({ code }) => code),
    ['lex.encoding'],
  );
  workspace.set('svc/v1/x.model', Buffer.from(text));
  assert.equal(workspace.diagnostics(), []);
});

test('36.7: a volume of a ConfigMap, whose files are links into a hidden folder that is replaced, is a model', () =>
  withModels((folder) => {
    const volume = join(folder, 'volume');
    mkdirSync(volume);
    cpSync(join(folder, 'models'), join(volume, '..2026_11_28'), { recursive: true });
    symlinkSync('..2026_11_28', join(volume, '..data'));
    for (const name of readdirSync(join(volume, '..data'))) symlinkSync(`..data/${name}`, join(volume, name));
    const { stdout, stderr, status } = run(folder, ['routes', 'volume']);
    assert.equal([status, stderr], [0, '']);
    assert.is(stdout, run(folder, ['routes', 'models']).stdout);
  }));

test('links that lead to where they are do not stop fmt or check, and are told', () =>
  withModels((folder) => {
    symlinkSync('.', join(folder, 'models/a'));
    symlinkSync('..', join(folder, 'models/library_mgmt/b'));
    symlinkSync('c', join(folder, 'models/c'));
    const formatted = run(folder, ['fmt', 'models', '--check']);
    assert.equal([formatted.status, formatted.stdout], [0, '']);
    assert.match(formatted.stderr, "troupe: 'models/a' is left out: it is a link to a directory that is read anyway\n");
    assert.match(formatted.stderr, "troupe: 'models/c' is left out: it is a link that leads nowhere\n");
    assert.match(formatted.stderr, '5 files: 0 need another layout');
    const checked = run(folder, ['check', 'models']);
    assert.equal([checked.status, checked.stdout], [0, '5 files of 2 versions: no errors, 0 warnings\n']);
    for (const link of ['models/a', 'models/library_mgmt/b', 'models/c']) {
      assert.match(checked.stderr, `troupe: '${link}' is left out: `);
    }
  }));

test('a directory that is linked from elsewhere is read once', () =>
  withModels((folder) => {
    cpSync(join(folder, 'models/library_mgmt'), join(folder, 'elsewhere'), { recursive: true });
    rmSync(join(folder, 'models/library_mgmt'), { recursive: true });
    symlinkSync('../elsewhere', join(folder, 'models/library_mgmt'));
    assert.match(run(folder, ['fmt', 'models', '--check']).stderr, '5 files: ');
    assert.match(run(folder, ['check', 'models']).stdout, '5 files of 2 versions');
  }));

test('the lock of an editor, a link that leads nowhere, is left out, and told', () =>
  withModels((folder) => {
    const lock = 'models/library_mgmt/v1/.#book_type.model';
    symlinkSync('me@host.1234:5678', join(folder, lock));
    const said = `troupe: '${lock}' is left out: it is a link that leads nowhere\n`;
    assert.equal(run(folder, ['check', 'models']), {
      stdout: '5 files of 2 versions: no errors, 0 warnings\n',
      stderr: said,
      status: 0,
    });
    assert.equal(run(folder, ['fmt', 'models']), {
      stdout: '',
      stderr: `${said}5 files: 0 got another layout\n`,
      status: 0,
    });
  }));

test('the language server reads a model that has the lock of an editor', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-hostile-'));
  try {
    cpSync(OWN, join(folder, 'models'), { recursive: true });
    symlinkSync('me@host.1234:5678', join(folder, 'models/library_mgmt/v1/.#book_type.model'));
    const editor = await startEditor([folder]);
    const file = join(folder, 'models/library_mgmt/v1/books_resource.model');
    await editor.open(file, readFileSync(file, 'utf8'));
    const found = await editor.definition(file, '[]B|ook');
    assert.ok(found?.uri.endsWith('/book_type.model'));
    assert.is(await editor.quit(), 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a lone CR that would change what a note documents is told, and its file stays as it is', () =>
  withModels((folder) => {
    const text = '// one\n// two\r// three\nclass   X {\n}\nresource Root {\n}\n';
    const [found, ...others] = parse('x.model', text).diagnostics;
    assert.is(others.length, 0);
    assert.equal(
      [found?.code, found?.severity, found?.place.line, found?.place.column],
      ['lex.return', 'warning', 2, 7],
    );
    const file = join(folder, BOOK);
    writeFileSync(file, text);
    const { stderr, status } = run(folder, ['fmt', BOOK]);
    assert.is(status, 1);
    assert.match(stderr, `${BOOK}:2:7: warning: a lone CR ends this note, but no line`);
    assert.is(readFileSync(file, 'utf8'), text);
  }));

test('a lone CR between words changes nothing', () => {
  const whole = parse('x.model', '// note\r\nclass X {\r\n\rA String\r B String // end\r\n}\r');
  assert.is(format(whole), '// note\r\nclass X {\r\n\tA String\r\n\tB String // end\r\n}\r\n');
});

test('of many complaints some are shown, and all are counted', () =>
  withModels((folder) => {
    writeFileSync(join(folder, BOOK), '# '.repeat(100_000));
    for (const command of ['check', 'fmt']) {
      const { stderr, status } = run(folder, [command, 'models']);
      assert.is(status, 1);
      assert.ok(stderr.length < 200_000, `${stderr.length} characters`);
      assert.match(stderr, /\.\.\. and 99[89]\d\d more errors/);
    }
  }));

test('an error behind many warnings is shown', () =>
  withModels((folder) => {
    const marks = Array.from({ length: 500 }, (_, index) => `@nobody${index}\n`).join('');
    writeFileSync(
      join(folder, BOOK),
      `${readFileSync(join(folder, BOOK), 'utf8')}${marks}struct Last {\n\tA Nothing\n}\n`,
    );
    const { stderr } = run(folder, ['check', 'models']);
    assert.match(stderr, "type 'LibraryMgmt.V1.Nothing' is used but not defined");
    assert.match(stderr, '... and 301 more warnings, not shown');
    assert.match(stderr, '1 error, 500 warnings');
  }));

test('an output folder that cannot be made is said, and what stands in the way', () =>
  withModels((folder) => {
    symlinkSync('nowhere/at/all', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    for (const output of ['dangling/out', 'dangling', 'loop/out', '/proc/nobody/out', `${BOOK}/../../../../file/out`]) {
      if (output.includes('file')) writeFileSync(join(folder, 'file'), '');
      const { stderr, status } = run(folder, ['types', 'models', '--output', output]);
      assert.is(status, 2, `${output}: ${stderr}`);
      assert.match(stderr, `nothing could be written to '${output}': `);
    }
    mkdirSync(join(folder, 'there'));
    assert.is(run(folder, ['types', 'models', '--output', 'there/new/out']).status, 0);
  }));

test.run();
