// `troupe model lsp` as a process, driven over its standard streams with the protocol: what an editor sees while somebody
// edits files of two services.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Location } from 'vscode-languageserver/node';
import { withEditor } from './editor.ts';

const test = suite('troupe model lsp');

const BOOK = 'library_mgmt/v1/book_type.model';
const BOOKS = 'library_mgmt/v1/books_resource.model';
const ROOT = 'library_mgmt/v1/root_resource.model';
const LOANS = 'loans_mgmt/v1_alpha1/types.model';

async function shown({ uri, range }: Location, path: string): Promise<string> {
  assert.is(uri, pathToFileURL(path).href);
  const lines = (await readFile(path, 'utf8')).split('\n');
  assert.is(range.start.line, range.end.line);
  const line = lines[range.start.line] ?? '';
  return `${line} > ${line.slice(range.start.character, range.end.character)}`;
}

const none = (found: readonly unknown[]): boolean => found.length === 0;
const some = (found: readonly unknown[]): boolean => found.length > 0;

test('complaints appear and vanish while a file is edited, in the file and in those that depend on it', () =>
  withEditor(async ({ editor, at, open }) => {
    const book = await open(BOOK);
    await editor.edit(book, 'PageCount Integer', 'PageCount Integr');
    const [diagnostic] = await editor.complaints(book, some);
    assert.equal(diagnostic, {
      range: { start: { line: 11, character: 11 }, end: { line: 11, character: 17 } },
      severity: 1,
      code: 'def.undefined-type',
      source: 'troupe',
      message: "type 'LibraryMgmt.V1.Integr' is used but not defined; did you mean 'Integer'?",
    });
    await editor.edit(book, 'Integr\n', 'Integer\n');
    assert.equal(await editor.complaints(book, none), []);

    // A class of another file of the version, and of another service that takes it over.
    await editor.edit(book, 'class Book {', 'class Tome {');
    const inBook = await editor.complaints(book, some);
    assert.equal(
      inBook.map(({ code, range }) => [code, range.start.line]),
      [['def.undefined-type', 30]],
    );
    const inLoans = await editor.complaints(at(LOANS), some);
    assert.equal(
      inLoans.map(({ code, range }) => [code, range.start.line]),
      [
        ['def.undefined-type', 4],
        ['ref.type', 9],
      ],
    );
    await editor.edit(book, 'class Tome {', 'class Book {');
    for (const file of [BOOK, LOANS]) await editor.complaints(at(file), none);

    // Half a line, as it is while somebody types; several complaints at once.
    await editor.edit(book, '\tISBN String', '\tISBN ]String\n\tPrinter Strin');
    const codes = (await editor.complaints(book, (found) => found.length === 2)).map(({ code }) => code);
    assert.equal(codes, ['syntax.unexpected', 'def.undefined-type']);
  }));

test('what concerns a version as a whole is shown in its first file', () =>
  withEditor(async ({ editor, at, open }) => {
    const root = await open(ROOT);
    await editor.edit(root, 'resource Root', 'resource Rot');
    const [diagnostic] = await editor.complaints(at(BOOK), some);
    assert.equal([diagnostic?.code, diagnostic?.range.start], ['version.no-root', { line: 0, character: 0 }]);
    await editor.edit(root, 'resource Rot', 'resource Root');
    await editor.complaints(at(BOOK), none);
  }));

test('what is open goes before the disk, everything else follows it, and closing goes back to it', () =>
  withEditor(async ({ editor, at, open }) => {
    const books = await open(BOOKS);
    await editor.edit(books, 'out Items []Book', 'out Items []Tome');
    await editor.complaints(books, some);
    // Written aside and moved, as editors do.
    const text = await readFile(at(BOOK), 'utf8');
    await writeFile(`${at(BOOK)}.new`, `${text}\nclass Tome {\n}\n`);
    await rename(`${at(BOOK)}.new`, at(BOOK));
    await editor.complaints(books, none);
    await writeFile(at(BOOK), text);
    await editor.complaints(books, some);
    await editor.close(books);
    await editor.complaints(books, none);
  }));

test('definition leads to types and resources of other files, and through @ref to other services', () =>
  withEditor(async ({ editor, at, open }) => {
    const [book, books, root, loans] = [await open(BOOK), await open(BOOKS), await open(ROOT), await open(LOANS)];
    const ask = async (file: string, where: string, target: string): Promise<string> => {
      const found = await editor.definition(file, where);
      assert.ok(found !== null, where);
      return await shown(found, at(target));
    };
    assert.is(await ask(books, 'out Items []Bo|ok', BOOK), 'class Book { > Book');
    assert.is(await ask(book, 'Genre Gen|re', BOOK), 'enum Genre { > Genre');
    assert.is(await ask(root, 'target |Books', BOOKS), 'resource Books { > Books');
    assert.is(await ask(loans, 'link Book Book|', BOOK), 'class Book { > Book');
    // What the class that was taken over brought along.
    assert.is(await ask(loans, 'Place Shel|f', BOOK), 'struct Shelf { > Shelf');
    assert.is(await ask(loans, '/library_mgmt/v1/bo|ok', BOOK), 'class Book { > Book');
    assert.is(await ask(loans, 'class Bo|ok', BOOK), 'class Book { > Book');
    assert.is(await editor.definition(book, 'PageCount Int|eger'), null);
    assert.is(await editor.definition(book, 'Licence t|ext'), null);
  }));

test('hover shows how something is declared, what becomes of it, and its documentation', () =>
  withEditor(async ({ editor, open }) => {
    const [book, books, root, loans] = [await open(BOOK), await open(BOOKS), await open(ROOT), await open(LOANS)];
    for (const [file, where, ...parts] of [
      [books, 'out Items []Bo|ok', '```\nclass Book\n```', 'A book held by the library.\n\nThe `isbn` is unique.'],
      [loans, 'link Book Boo|k', '```\nclass Book\n```', 'Taken over from `library_mgmt/v1`', 'A book held'],
      [loans, '@r|ef', 'class Book', 'Taken over from `library_mgmt/v1`'],
      [book, 'link Au|thor', 'link Author Author', 'JSON: `author`', 'Author of the book.'],
      [book, 'Withdra|wn', 'Withdrawn Boolean', 'JSON: `out_of_print`'],
      [book, 'Extr|a', 'Extra Interface', 'Deprecated'],
      [book, 'Notes [Str|ing]', 'String', 'A text.'],
      [book, 'NonFic|tion', 'NonFiction', 'JSON: `"non-fiction"`'],
      [book, 'Genre G|enre', 'enum Genre', 'Values: Fiction, NonFiction, GraphicNovel'],
      [book, '@js|on', 'name in JSON'],
      [root, 'target Boo|ks', 'resource Books', 'The collection of books.'],
      [root, 'locator B|ooks', 'locator Books to Books', 'URL: `…/books`', 'The books.'],
      [books, 'method Lis|t', 'method List', 'HTTP: `GET …`, 200', 'Lists books.'],
      [books, 'method Lend|Out', 'HTTP: `POST …/lend_out`, 200', 'Lends the book.'],
      [books, 'in out Pag|e', 'in out Page Integer = 1'],
      [loans, 'error Alre|adyLent', 'Code: 17', 'The copy is with somebody else.'],
    ] as const) {
      const text = await editor.hover(file, where);
      for (const part of parts) assert.match(text ?? '', part, where);
    }
    assert.is(await editor.hover(book, 'cl|ass Book'), undefined);
  }));

test('completion offers types where a type may stand, resources where a resource may, and nothing elsewhere', () =>
  withEditor(async ({ editor, open }) => {
    const [book, books, root, loans] = [await open(BOOK), await open(BOOKS), await open(ROOT), await open(LOANS)];
    const labels = async (file: string, where: string): Promise<string[]> =>
      (await editor.complete(file, where)).map(({ label }) => label).sort();
    const types = ['Author', 'Book', 'Boolean', 'Date', 'Float', 'Genre', 'Integer', 'Interface', 'Long', 'Shelf'];
    const library = [...types, 'String'];
    await editor.edit(book, '\tISBN String', '\tISBN ');
    assert.equal(await labels(book, '\tISBN |'), library);
    await editor.edit(book, '\tISBN ', '\tlink ISBN []A');
    assert.equal(await labels(book, '[]A|'), library);
    await editor.edit(book, 'ISBN []A', 'ISBN [Ge');
    assert.equal(await labels(book, '[Ge|'), library);
    await editor.edit(book, 'link ISBN [Ge', '@json(name = "isbn") ISBN [Genre]');
    assert.equal(await labels(book, 'ISBN [Genre]|'), library);
    assert.equal(await labels(books, 'in Search S|tring'), library);
    assert.equal(await labels(root, 'target Bo|oks'), ['Book', 'Books', 'Root']);
    const inLoans = await editor.complete(loans, 'link Book B|ook');
    const taken = inLoans.find(({ label }) => label === 'Book');
    assert.is(taken?.detail, 'class of library_mgmt/v1');
    assert.match(JSON.stringify(taken?.documentation), 'A book held by the library.');
    for (const where of ['\tPage|Count', 'class Bo|ok', '\tFic|tion', 'Price|Cents']) {
      assert.equal(await labels(book, where), [], where);
    }
    for (const where of ['variable I|D', 'Page Integer = |1']) {
      assert.equal(await labels(books, where), [], where);
    }
  }));

test('format lays a file out anew, and leaves one alone that has errors', () =>
  withEditor(async ({ editor, open }) => {
    const book = await open(BOOK);
    const before = editor.text(book);
    await editor.edit(book, '\tPageCount Integer', '  PageCount    Integer // 🕮');
    const formatted = await editor.format(book);
    assert.is(formatted, before.replace('PageCount Integer', 'PageCount Integer // 🕮'));
    await editor.edit(book, '  PageCount    Integer', '  PageCount');
    assert.is(await editor.format(book), editor.text(book));
  }));

test('roots of the command line make one model; a file elsewhere is read alone', () =>
  withEditor(
    async ({ editor, at, open }) => {
      const book = await open(BOOK);
      await editor.edit(book, 'class Author', 'class Autor');
      await editor.complaints(book, some);
      const alone = at('alone.model');
      await editor.open(alone, 'class Alone {\n\tName Nowhere\n\tBroken\n}\n');
      const found = await editor.complaints(alone, some);
      assert.equal(
        found.map(({ code }) => code),
        ['syntax.unexpected'],
      );
      await editor.close(alone);
      await editor.complaints(alone, none);
    },
    ['model'],
  ));

test.run();
