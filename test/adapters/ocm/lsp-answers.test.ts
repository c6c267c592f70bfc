// long
// `troupe model lsp`: uses, other names, lists of names, mends of what check finds, words that fit, and colors.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DocumentSymbol, Location } from 'vscode-languageserver/node';
import { withEditor } from './editor.ts';

const test = suite('troupe model lsp answers');

const BOOK = 'library_mgmt/v1/book_type.model';
const BOOKS = 'library_mgmt/v1/books_resource.model';
const ROOT = 'library_mgmt/v1/root_resource.model';

const some = (found: readonly unknown[]): boolean => found.length > 0;

async function lineOf({ uri, range }: Location): Promise<string> {
  const text = await readFile(fileURLToPath(uri), 'utf8');
  return text.split('\n')[range.start.line]?.trim() ?? '';
}

test('references are all uses in all files, and those of a resource are not those of a class of its name', () =>
  withEditor(async ({ editor, open }) => {
    const books = await open(BOOKS);
    const uses = await Promise.all((await editor.references(books, 'out Body B|ook')).map(lineOf));
    for (const line of ['class Book {', 'in out Body Book', 'out Items []Book', 'out Copies []Book']) {
      assert.ok(uses.includes(line), `${line} is not in ${uses.join('; ')}`);
    }
    assert.not.ok(uses.some((line) => line.startsWith('target') || line.startsWith('resource')));
    const targets = await Promise.all((await editor.references(books, 'resource B|ook {')).map(lineOf));
    assert.equal(targets.sort(), ['resource Book {', 'target Book']);
  }));

test('a resource is renamed wherever it is meant, in files that are not open too', () =>
  withEditor(async ({ editor, open, at }) => {
    const books = await open(BOOKS);
    const changed = await editor.rename(books, 'resource B|ooks {', 'Volumes');
    assert.equal([...changed.keys()].sort(), [at(BOOKS), at(ROOT)].sort());
    assert.match(changed.get(at(ROOT)) ?? '', 'target Volumes');
    assert.match(changed.get(at(BOOKS)) ?? '', 'resource Volumes {');
    assert.match(changed.get(at(BOOKS)) ?? '', 'out Items []Book');
  }));

test('a parameter is renamed alone; what cannot be renamed, or not to that, is refused', () =>
  withEditor(async ({ editor, open, at }) => {
    const books = await open(BOOKS);
    const changed = await editor.rename(books, 'in S|earch String', 'Query');
    assert.is(changed.get(at(BOOKS)), editor.text(books).replace('in Search', 'in Query'));
    for (const [place, name, reason] of [
      ['resource B|ooks {', 'Book', 'is the name of another'],
      ['resource B|ooks {', 'two words', 'cannot be a name'],
      ['resource B|ooks {', 'class', 'cannot be a name'],
      ['Search S|tring', 'Text', 'built in'],
      ['@h|ttp(', 'json', 'a word of the language'],
    ] as const) {
      try {
        await editor.rename(books, place, name);
      } catch (error) {
        assert.match((error as Error).message, reason);
        continue;
      }
      assert.unreachable(`${place} became ${name}`);
    }
    const root = await open(ROOT);
    try {
      await editor.rename(root, 'resource R|oot', 'Begin');
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, 'what a version begins with');
    }
  }));

test('symbols of a file are its declarations with their members', () =>
  withEditor(async ({ editor, open }) => {
    const outline = (symbols: readonly DocumentSymbol[]): unknown[] =>
      symbols.map(({ name, children = [] }) => (children.length === 0 ? name : [name, outline(children)]));
    const books = await open(BOOKS);
    assert.equal(outline(await editor.symbols(books)), [
      ['Books', [['List', ['Page', 'Size', 'Search', 'Total', 'Items']], ['Add', ['DryRun', 'Body']], 'Book']],
      ['Book', [['Get', ['Body']], 'AsyncDelete', ['LendOut', ['UserID', 'DueDate', 'Copies']]]],
    ]);
    const [first] = await editor.symbols(books);
    assert.equal([first?.range.start.line, first?.range.end.line, first?.selectionRange.start.character], [1, 23, 9]);
  }));

test('symbols of all models are found by letters of their names', () =>
  withEditor(async ({ editor }) => {
    const found = await editor.find('lendo');
    assert.equal(
      found.map(({ name, containerName }) => [name, containerName]),
      [['LendOut', 'library_mgmt/v1 Book']],
    );
    assert.ok((await editor.find('book')).length > 3);
    assert.equal(await editor.find('zzz'), []);
  }));

test('what check finds is mended where nothing is left to decide', () =>
  withEditor(async ({ editor, open }) => {
    const books = await open(BOOKS);
    const text = editor.text(books);
    for (const [from, to, place, title, mended] of [
      ['out Items []Book', 'out Items []Bok', '[]B|ok', "Change to 'Book'", 'out Items []Book'],
      ['in out Page Integer', 'out Page Integer', 'P|age', "Make it 'in out'", 'in out Page Integer'],
      ['Page Integer = 1', 'Page Integer = 2', 'P|age', 'Make it 1', 'Page Integer = 1'],
      ['Size Integer = 100', 'Size Integer', 'S|ize', 'Make it 100', 'Size Integer = 100'],
      ['Total Integer', 'Total Long', 'T|otal', "Make it an 'Integer'", 'Total Integer'],
      ['in out Body Book', 'in out Boody Book', 'B|oody', "Call it 'Body'", 'in out Body Book'],
      ['@http(name', '@http(nam', 'n|am ', "Change to 'name'", '@http(name'],
    ] as const) {
      await editor.edit(books, from, to);
      await editor.complaints(books, some);
      const mends = await editor.mends(books, place);
      assert.ok(mends.has(title), `${title} is not in ${[...mends.keys()].join('; ')}`);
      assert.is(mends.get(title), text, mended);
      await editor.edit(books, to, from);
      await editor.complaints(books, (found) => found.length === 0);
    }
    await editor.edit(books, '@http(name = "dryRun")', '@nobody(name = "dryRun")');
    await editor.complaints(books, some);
    assert.not.match((await editor.mends(books, '@n|obody')).get('Remove the mark') ?? '@', '@');
    await editor.edit(books, '@nobody(name = "dryRun")', '');
    await editor.edit(books, '\t\tout Total Integer\n', '');
    await editor.edit(books, 'UserID String', 'UserID Person');
    await editor.complaints(books, (found) => found.length === 2);
    assert.match(
      (await editor.mends(books, 'L|ist {')).get('Add Total') ?? '',
      'method List {\n\t\tout Total Integer\n',
    );
    const declared = (await editor.mends(books, 'P|erson')).get("Declare struct 'Person'") ?? '';
    assert.ok(declared.endsWith('}\n\nstruct Person {\n}\n'), declared.slice(-60));
  }));

test('words of the language, marks and names of methods are offered where they may stand', () =>
  withEditor(async ({ editor, open }) => {
    const books = await open(BOOKS);
    const offered = async (to: string, place: string): Promise<string[]> => {
      await editor.edit(books, '\tlocator Book {', `${to}\n\tlocator Book {`);
      const labels = (await editor.complete(books, place)).map(({ label }) => label);
      await editor.edit(books, `${to}\n\tlocator Book {`, '\tlocator Book {');
      return labels;
    };
    assert.equal(await offered('\tmet', '\n\tmet|\n'), ['method']);
    assert.equal(await offered('\t@', '\n\t@|\n'), ['json', 'http', 'go', 'deprecated', 'ref']);
    const methods = await offered('\tmethod ', '\n\tmethod |\n');
    for (const name of ['List', 'Get', 'Add', 'AsyncAdd', 'Update', 'Delete', 'Post', 'Search']) {
      assert.ok(methods.includes(name), name);
    }
    assert.not.ok(methods.includes('action'));
    assert.equal(await offered('\tmethod AsyncD', 'AsyncD|\n'), ['AsyncDelete']);
    assert.equal(await offered('\tmethod Go {\n\t\t\n\t}', 'Go {\n\t\t|\n'), ['in', 'out', 'parameter']);
    assert.equal(await offered('\tmethod Go {\n\t\tin o\n\t}', 'in o|\n'), ['out']);
    const book = await open(BOOK);
    await editor.edit(book, 'class Author {', 'cl\nclass Author {');
    assert.equal(
      (await editor.complete(book, 'cl|\n')).map(({ label }) => label),
      ['class'],
    );
  }));

test('of a flood of complaints an editor is told some, and how many there are besides', () =>
  withEditor(async ({ editor, open }) => {
    const book = await open(BOOK);
    await editor.edit(book, 'class Author {', `${'# '.repeat(100_000)}\nclass Author {`);
    const found = await editor.complaints(book, some);
    assert.is(found.length, 500);
    assert.match(String(found.at(-1)?.message), /and 99\d{3} more complaints, not shown/);
  }));

test('every word has its color', () =>
  withEditor(async ({ editor, open }) => {
    const colors = await editor.colors(await open(BOOKS));
    for (const word of [
      '// The collection of books. comment',
      'resource keyword',
      'Books namespace',
      'List method',
      'Search parameter',
      'Integer type',
      'Book class',
      '@http decorator',
      '"dryRun" string',
      '100 number',
    ]) {
      assert.ok(colors.includes(word), `${word} is not in ${colors.join('; ')}`);
    }
    const types = await open(BOOK);
    await editor.edit(types, 'class Author {', '/* two\n   lines */\nclass Author {');
    const block = (await editor.colors(types)).filter((word) => word.includes('lines') || word.includes('two'));
    assert.equal(block, ['/* two comment', '   lines */ comment']);
  }));

test.run();
