// What model files mean: documentation, names on the wire, methods, and classes taken over from other versions.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DeclaredType,
  type Method,
  parse,
  type Resource,
  readModel,
  type StructType,
  summaryOf,
  type Version,
  Workspace,
} from '../../../adapters/ocm/model/mod.ts';

const test = suite('model');

const MODELS = fileURLToPath(new URL('./models', import.meta.url));

function versionOf(files: Readonly<Record<string, string>>, directory = 'svc/v1'): Version {
  const workspace = new Workspace();
  for (const [file, text] of Object.entries(files)) workspace.set(file.includes('/') ? file : `svc/v1/${file}`, text);
  const errors = workspace
    .diagnostics()
    .filter(({ severity, code }) => severity === 'error' && code !== 'version.no-root');
  assert.equal(errors, []);
  const versions = workspace.model().services.flatMap(({ versions }) => versions);
  return found(versions.find((version) => version.directory === directory));
}

function models(): { library: Version; loans: Version } {
  const workspace = new Workspace();
  readModel(workspace, [MODELS]);
  assert.equal(workspace.diagnostics(), []);
  const [library, loans] = workspace.model().services.flatMap(({ versions }) => versions);
  return { library: found(library), loans: found(loans) };
}

function struct(version: Version, name: string): StructType {
  const type = found(version.types.find((candidate) => candidate.name.camel === name));
  assert.ok(type.kind !== 'enum');
  return type as StructType;
}

function resourceOf(version: Version, name: string): Resource {
  return found(version.resources.find((candidate) => candidate.name.camel === name));
}

function method(version: Version, resource: string, name: string): Method {
  return found(resourceOf(version, resource).methods.find((candidate) => candidate.name.camel === name));
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not there');
  return value;
}

/** Documentation of the classes of a file and of their attributes. */
function documentation(text: string): string[] {
  return parse('x.model', text).declarations.flatMap((declaration) => [
    `${declaration.item.name.text}: ${declaration.item.documentation}`,
    ...(declaration.form === 'class' ? declaration.attributes : []).map(
      (attribute) => `${attribute.item.name.text}: ${attribute.item.documentation}`,
    ),
  ]);
}

test('members are in name order, whatever the order of the source', () => {
  const { library } = models();
  assert.equal(
    library.types.map(({ kind, name }) => `${kind} ${name.camel}`),
    ['class Author', 'class Book', 'enum Genre', 'struct Shelf'],
  );
  assert.equal(
    struct(library, 'Book').attributes.map(({ wireName }) => wireName),
    [
      'isbn',
      'author',
      'bought_at',
      'copies',
      'extra',
      'genre',
      'keywords',
      'notes',
      'page_count',
      'place',
      'price_cents',
      'title',
      'weight',
      'out_of_print',
    ],
  );
});

test('a type is one object, and knows its owner', () => {
  const { library } = models();
  const book = struct(library, 'Book');
  const copies = found(book.attributes.find(({ name }) => name.camel === 'Copies'));
  assert.is(copies.type.kind === 'list' && copies.type.element, book);
  assert.is(copies.type.name.camel, 'BookList');
  assert.is(copies.link, true);
  assert.is(copies.owner, book);
  const items = found(method(library, 'Books', 'List').parameters.find(({ name }) => name.camel === 'Items'));
  assert.is(items.type, copies.type);
  assert.is(book.version, library);
  assert.is(library.service.versions[0], library);
});

test('URLs come from directories and locators', () => {
  const { library, loans } = models();
  assert.is(library.url, '/api/library_mgmt/v1');
  assert.is(loans.url, '/api/loans_mgmt/v1_alpha1');
  assert.equal(
    resourceOf(loans, 'Root').locators.map(({ segment, variable }) => ({ segment, variable })),
    [
      { segment: 'loans', variable: false },
      { segment: 'my_loans', variable: false },
    ],
  );
  const [loan] = resourceOf(loans, 'Loans').locators;
  assert.is(loan?.target, resourceOf(loans, 'Loan'));
  assert.is(loan?.variable, true);
});

test('parameters travel in the query, in a body of their own or as members of one', () => {
  const { library, loans } = models();
  const add = method(library, 'Books', 'Add');
  assert.equal([add.verb, add.status], ['POST', 201]);
  assert.equal(
    add.query.map(({ queryName }) => queryName),
    ['dryRun'],
  );
  assert.is(add.query[0]?.default, false);
  assert.is(add.requestBody.bare, true);
  assert.is(add.responseBody.parameters[0], add.requestBody.parameters[0]);
  const list = method(library, 'Books', 'List');
  assert.equal(
    list.query.map(({ queryName }) => queryName),
    ['page', 'search', 'size'],
  );
  assert.equal(
    list.responseBody.parameters.map(({ wireName }) => wireName),
    ['items', 'page', 'size', 'total'],
  );
  assert.equal([list.requestBody.parameters.length, list.responseBody.bare], [0, false]);
  const action = method(library, 'Book', 'LendOut');
  assert.equal([action.kind, action.segment, action.query.length], ['action', 'lend_out', 0]);
  assert.equal(
    action.requestBody.parameters.map(({ wireName }) => wireName),
    ['due_date', 'user_id'],
  );
  assert.equal(action.requestBody.bare, false);
  const prolong = method(loans, 'Loan', 'Prolong');
  assert.equal(
    prolong.parameters.map(({ input }) => input),
    [true, false],
    'an input and an output of one name',
  );
  assert.equal([prolong.requestBody.bare, prolong.responseBody.bare], [false, false]);
  assert.equal(
    method(loans, 'Loan', 'Get').query.map(({ type }) => type.kind),
    ['enum'],
  );
});

test('a parameter without a direction is an output', () => {
  const version = versionOf({ 'x.model': 'resource Root { Go { A String parameter out in B String } }' });
  const [a, b] = method(version, 'Root', 'Go').parameters;
  assert.equal([a?.input, a?.output, b?.input, b?.output], [false, true, true, true]);
});

test('texts of values, deprecation, errors', () => {
  const { library, loans } = models();
  const genre = found(library.types.find(({ kind }) => kind === 'enum'));
  assert.equal(genre.kind === 'enum' && genre.values.map(({ wireName }) => wireName), [
    'fiction',
    'graphic_novel',
    'non-fiction',
  ]);
  assert.equal(
    struct(library, 'Book')
      .attributes.filter(({ deprecated }) => deprecated)
      .map(({ name }) => name.camel),
    ['Extra'],
  );
  assert.equal(
    loans.errors.map(({ name, code, documentation }) => [name.camel, code, documentation]),
    [['AlreadyLent', 17, 'The copy is with somebody else.']],
  );
});

test('only notes directly above the first token are documentation', () => {
  const text = [
    '// Far away.',
    '',
    '// One.',
    '//   Two.',
    '//',
    '// Three.  ',
    '@deprecated // Of nobody.',
    '// Of nobody.',
    'class X {',
    '\t// Of the attribute.',
    '\t@json(name = "a")',
    '\tA String',
    '\t/* never */',
    '\tB String // Of C.',
    '\t// And more.',
    '\tC String',
    '\t// Not next to it.',
    '\t/* breaks the run */',
    '\tD String',
    '} // Of Y.',
    'class Y {',
    '}',
  ].join('\n');
  assert.equal(documentation(text), [
    'X: One.\n  Two.\n\nThree.  ',
    'A: Of the attribute.',
    'B: ',
    'C: Of C.\nAnd more.',
    'D: ',
    'Y: Of Y.',
  ]);
});

test('a member on the line of its container takes the documentation', () => {
  assert.equal(documentation('// Whose?\nclass X { A String }\n'), ['X: ', 'A: Whose?']);
});

test('the first line that is not blank gives the indent', () => {
  assert.equal(documentation('//\n//  A.\n//  B.\nclass X {\n}\n'), ['X: A.\nB.']);
  assert.equal(documentation('//\n//\nclass X {\n}\n'), ['X: ']);
  assert.equal(documentation('//A.\r\n//  B.\r\nclass X {\r\n}\r\n'), ['X: A.\n  B.']);
});

test('a summary ends with the first full stop', () => {
  assert.is(summaryOf({ documentation: 'One. Two.' }), 'One.');
  assert.is(summaryOf({ documentation: 'None' }), 'None');
  for (const sentence of [
    'Labels (e.g. `a`) of it.',
    'See https://www.example.com/a.b for more.',
    'Of version 1.2, i.e. Now.',
    'Disks, networks etc. are there.',
  ]) {
    assert.is(summaryOf({ documentation: `${sentence} More.\n\nAnd more.` }), sentence);
  }
  assert.is(summaryOf({ documentation: 'A list:\n\n- a. b' }), 'A list:');
});

test('strings are decoded, raw ones are not', () => {
  const text =
    'enum E {\n@json(name = "\\x41\\102\\u0043\\t\\xe2\\x82\\xac\\U0001F600")\nA\n@json(name = `\\x41"\r\nb`)\nB\n}';
  const [values] = parse('x.model', text).declarations.map((declaration) =>
    declaration.form === 'enum' ? declaration.values : [],
  );
  assert.equal(
    values?.map(({ marks }) => marks[0]?.parameters[0]?.value),
    ['ABC\t€😀', '\\x41"\nb'],
  );
});

test('of marks of one name the first counts', () => {
  const version = versionOf({ 'x.model': 'struct X { @json(name = "a") @json(name = "b") C String }' });
  assert.equal(
    struct(version, 'X').attributes.map(({ wireName }) => wireName),
    ['a'],
  );
});

test('the last target and the last code count', () => {
  const version = versionOf({
    'x.model':
      'resource Root { locator A { target B variable x target C } } resource B { } resource C { } error E { code 1 code 2 } error F { }',
  });
  const [locator] = resourceOf(version, 'Root').locators;
  assert.equal([locator?.target.name.camel, locator?.variable], ['C', true]);
  assert.equal(
    version.errors.map(({ code }) => code),
    [2, 0],
  );
});

test('a class that is taken over comes with what it is made of, but not with what it links to', () => {
  const { library, loans } = models();
  assert.equal(
    loans.types.map(({ kind, name }) => `${kind} ${name.camel}`),
    ['class Book', 'enum Genre', 'class Loan', 'enum LoanState', 'struct Shelf'],
  );
  const book = struct(loans, 'Book');
  assert.is(book.documentation, 'A book held by the library.\n\nThe `isbn` is unique.');
  assert.is(book.version, loans);
  assert.is(book.copyOf, struct(library, 'Book'));
  const attribute = (name: string) => found(book.attributes.find((candidate) => candidate.name.camel === name));
  assert.is(attribute('Place').type, struct(loans, 'Shelf'));
  assert.is(attribute('Author').type, struct(library, 'Author'), 'a link leads where it led');
  const copies = attribute('Copies').type;
  assert.is(copies.kind === 'list' && copies.element, book, 'a link to what is here leads here');
  assert.is(struct(loans, 'Loan').attributes.find(({ link }) => link)?.type, book);
});

const ROOT = 'resource Root {\n}\n';
const ORIGIN = {
  'a/v1/a.model': `// Original.\nclass X { S S link L L }\nstruct S { D Deep }\nstruct Deep { N String }\nclass L { }\n${ROOT}`,
};

function typesOf(version: Version): string[] {
  return version.types.map(({ kind, name }) => `${kind} ${name.camel}`);
}

test('what is declared here wins over what would be copied, whatever the order of files', () => {
  for (const [first, second] of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const version = versionOf(
      {
        ...ORIGIN,
        [`r/v1/${first}.model`]: `@ref(path = "a/v1/x") class X { } ${ROOT}`,
        [`r/v1/${second}.model`]: 'struct S { Mine String }',
      },
      'r/v1',
    );
    assert.equal(typesOf(version), ['struct S', 'class X']);
    assert.equal(
      struct(version, 'S').attributes.map(({ wireName }) => wireName),
      ['mine'],
    );
    assert.is(struct(version, 'X').attributes.find(({ link }) => !link)?.type, struct(version, 'S'));
  }
});

test('a link of a copy leads to a class that is taken over as well', () => {
  const version = versionOf(
    { ...ORIGIN, 'r/v1/r.model': `@ref(path = "/a/v1/x") class X { }\n@ref(path = "/a/v1/l") class L { } ${ROOT}` },
    'r/v1',
  );
  assert.is(struct(version, 'X').attributes.find(({ link }) => link)?.type, struct(version, 'L'));
});

test('a copy of another name stands beside the class that asked for it, which is empty', () => {
  const version = versionOf(
    { ...ORIGIN, 'r/v1/r.model': `// Mine.\n@ref(path = "/a/v1/deep") class X { }\n${ROOT}` },
    'r/v1',
  );
  assert.equal(typesOf(version), ['struct Deep', 'class X']);
  assert.equal([struct(version, 'X').attributes.length, struct(version, 'X').documentation], [0, 'Mine.']);
});

test('a class becomes a struct with the struct it takes over', () => {
  const version = versionOf({ ...ORIGIN, 'r/v1/r.model': `@ref(path = "/a/v1/s") class S { }\n${ROOT}` }, 'r/v1');
  assert.equal(typesOf(version), ['struct Deep', 'struct S']);
});

test('references are followed on, also within a service, also where types contain themselves', () => {
  const version = versionOf(
    {
      ...ORIGIN,
      'b/v1/b.model': `@ref(path = "/a/v1/x") class X { }\nclass AWS { Self AWS Others []AWS By [String]Kind X X }\nenum Kind { A }\n${ROOT}`,
      'b/v2/b.model': `@ref(path = "/b/v1/aws") class AWS { }\n${ROOT}`,
    },
    'b/v2',
  );
  assert.equal(typesOf(version), ['class AWS', 'struct Deep', 'enum Kind', 'struct S', 'class X']);
  const origin: DeclaredType | undefined = struct(version, 'X').copyOf?.copyOf;
  assert.is(origin?.version.directory, 'a/v1');
  assert.is(
    struct(version, 'X').attributes.find(({ link }) => link)?.type,
    found(origin?.version.types.find(({ name }) => name.camel === 'L')),
  );
});

test('a changed file changes its version and what takes over from it, and nothing else', () => {
  const workspace = new Workspace();
  const all = { ...ORIGIN, 'r/v1/r.model': `@ref(path = "/a/v1/x") class X { }\n${ROOT}`, 'z/v1/z.model': ROOT };
  for (const [file, text] of Object.entries(all)) workspace.set(file, text);
  const before = workspace.model().services.map(({ versions }) => versions[0]);
  workspace.set('a/v1/a.model', found(ORIGIN['a/v1/a.model']).replace('N String', 'M Nothing'));
  assert.equal(
    workspace.diagnostics().map(({ code, place }) => `${place.file} ${code}`),
    ['a/v1/a.model def.undefined-type'],
  );
  const after = workspace.model().services.map(({ versions }) => versions[0]);
  assert.equal(
    before.map((version, index) => version === after[index]),
    [false, false, true],
  );
  workspace.set('a/v1/b.model', 'struct Nothing { }');
  assert.equal(workspace.diagnostics(), []);
  assert.equal(typesOf(found(workspace.model().services[1]?.versions[0])), [
    'struct Deep',
    'struct Nothing',
    'struct S',
    'class X',
  ]);
  workspace.remove('a/v1/a.model');
  assert.equal(
    workspace.diagnostics().map(({ code, place }) => `${place.file} ${code}`),
    ['a/v1 version.no-root', 'r/v1/r.model ref.type'],
  );
});

test('the documentation of the example says what the note above each item says', () => {
  const { library } = models();
  const text = readFileSync(`${MODELS}/library_mgmt/v1/book_type.model`, 'utf8');
  for (const { documentation: reported } of struct(library, 'Book').attributes) {
    if (reported !== '') assert.ok(text.includes(`// ${reported}`), reported);
  }
  assert.is(resourceOf(library, 'Books').documentation, 'The collection of books.');
  assert.is(
    method(library, 'Books', 'List').parameters.find(({ name }) => name.camel === 'Search')?.documentation,
    'Filter.',
  );
});

test.run();
