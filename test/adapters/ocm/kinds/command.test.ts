// long
// `troupe model crds` as a process: what it prints and writes, with bindings and without, and how it ends.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { run, withModels } from '../command.ts';

const test = suite('troupe model crds');
const namesIn = (text: string): string[] =>
  parseAllDocuments(text).map((document) => String(document.getIn(['metadata', 'name'])));

test('36.4b: without bindings all classes are printed', () =>
  withModels((folder) => {
    const { stdout, stderr, status } = run(folder, ['crds', 'models']);
    assert.is(status, 0);
    // Loans has taken the book over from the library: one of them has to be called otherwise.
    assert.is(
      stderr,
      "troupe: loans_mgmt/v1_alpha1 Book: 'library_mgmt/v1 Book' has the kind 'Book' too: give it 'names'\n",
    );
    assert.equal(namesIn(stdout), [
      'authors.library-mgmt.models.troupe.dev',
      'books.library-mgmt.models.troupe.dev',
      'loans.loans-mgmt.models.troupe.dev',
    ]);
    assert.match(stdout, '# Generated from a model by `troupe model crds`');
  }));

test('36.4b: the bindings beside the model are taken, or those that are named; files are written and checked', () =>
  withModels((folder) => {
    const book = { service: 'library_mgmt', version: 'v1', class: 'Book', statusAttributes: ['Withdrawn'] };
    writeFileSync(join(folder, 'models/bindings.yaml'), JSON.stringify({ kinds: [book] }));
    writeFileSync(join(folder, 'other.yaml'), JSON.stringify({ kinds: [{ ...book, group: 'library.example.com' }] }));
    assert.equal(namesIn(run(folder, ['crds', 'models']).stdout), ['books.library-mgmt.models.troupe.dev']);
    const written = run(folder, ['crds', 'models', '--bindings', 'other.yaml', '-o', 'out']);
    assert.equal([written.status, written.stdout], [0, '1 file in out, 1 written\n']);
    const file = join(folder, 'out/library.example.com_books.yaml');
    assert.match(readFileSync(file, 'utf8'), /status:[\s\S]*withdrawn:/);
    const check = run(folder, ['crds', 'models', '-o', 'out', '--check']);
    assert.is(check.status, 1);
    assert.match(check.stdout, 'library.example.com_books.yaml: not made any more');
  }));

test('36.4b: a binding that is wrong ends with 1 and writes nothing, a file that is none with 2', () =>
  withModels((folder) => {
    const wrong = { service: 'library_mgmt', version: 'v1', class: 'Shop' };
    writeFileSync(join(folder, 'wrong.yaml'), JSON.stringify({ kinds: [wrong] }));
    const refused = run(folder, ['crds', 'models', '--bindings', 'wrong.yaml', '-o', 'out']);
    assert.equal(
      [refused.status, refused.stderr, refused.stdout],
      [1, "troupe: library_mgmt/v1 Shop: there is no class 'Shop'\n", ''],
    );
    assert.not(existsSync(join(folder, 'out')));
    const missing = run(folder, ['crds', 'models', '--bindings', 'none.yaml']);
    assert.is(missing.status, 2);
    assert.match(missing.stderr, 'none.yaml');
  }));

test.run();
