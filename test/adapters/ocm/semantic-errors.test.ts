// Errors and warnings of meaning: each with its place and message.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODES, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { complaints, type MarkedFiles, ROOT } from './marked.ts';

const test = suite('semantic errors');

/** A resource `R`, reached from the root, with these members. */
function resource(...members: readonly string[]): string {
  return `resource Root {\n\tlocator R {\n\t\ttarget R\n\t}\n}\nresource R {\n\t${members.join('\n\t')}\n}\nclass Book {\n}\n`;
}

const LIST = 'method List { in out Page Integer = 1 in out Size Integer = 100 out Total Integer out Items []Book }';

/** Title, text of a file, messages. */
const CASES: readonly (readonly [title: string, text: string, ...messages: string[]])[] = [
  [
    'a type that is defined already',
    'class X {\n}\nenum ⟨def.duplicate-type⟩X {\n\tA\n}\n',
    "type 'Svc.V1.X' is already defined at svc/v1/x.model:1",
  ],
  [
    'a type that is built in',
    'class ⟨def.duplicate-type⟩string {\n}\n',
    "type 'Svc.V1.String' is built in and cannot be defined",
  ],
  [
    'a type that is called like the list of another',
    'class ⟨def.duplicate-type⟩BookList {\n}\nclass Book {\n}\n',
    "type 'Svc.V1.BookList' is already defined: it is the name of the list of 'Book'",
  ],
  [
    'a type that is called like a map that is used',
    'class Book {\n\tNotes [String]Integer\n}\nstruct ⟨def.duplicate-type⟩StringIntegerMap {\n}\nstruct StringBookMap {\n}\n',
    "type 'Svc.V1.StringIntegerMap' is already defined: it is the name of the map from 'String' to 'Integer'",
  ],
  [
    'a resource that is defined already; a type of its name is another thing',
    'resource Root {\n}\nresource ⟨def.duplicate-resource⟩Root {\n}\nclass Root {\n}\n',
    "resource 'Svc.V1.Root' is already defined at svc/v1/x.model:1",
  ],
  [
    'an error that is defined already',
    'error E {\n}\nerror ⟨def.duplicate-error⟩E {\n\tcode 2\n}\n',
    "error 'Svc.V1.E' is already defined at svc/v1/x.model:1",
  ],
  [
    'an attribute that is there twice',
    'struct X {\n\tName String\n\t⟨def.duplicate-member⟩name Integer\n}\n',
    "attribute 'Svc.V1.X.Name' is already defined at line 2",
  ],
  [
    'two attributes of one name in JSON',
    'struct X {\n\tURL String\n\t⟨def.duplicate-member⟩Url String\n\t@json(name = "url")\n\t⟨def.duplicate-member⟩Link String\n}\n',
    "attribute 'Svc.V1.X.Url' is called 'url' on the wire, as is 'Svc.V1.X.URL'",
  ],
  [
    'two values of one text',
    'enum X {\n\tA\n\t@json(name = "a")\n\t⟨def.duplicate-member⟩B\n}\n',
    "value 'Svc.V1.X.B' is called 'a' on the wire, as is 'Svc.V1.X.A'",
  ],
  [
    'two locators of one segment',
    resource(
      'locator A { target S }',
      '@http(name = "a") locator ⟨def.duplicate-member⟩B { target S }',
      'locator ⟨def.duplicate-member⟩A { target S } } resource S {',
    ),
    "locator 'Svc.V1.R.B' is called 'a' on the wire, as is 'Svc.V1.R.A'",
    "locator 'Svc.V1.R.A' is already defined at line 7",
  ],
  [
    'a method that is there twice',
    resource('method Go { }', 'method ⟨def.duplicate-member⟩Go { }'),
    "method 'Svc.V1.R.Go' is already defined at line 7",
  ],
  [
    'parameters of one name, unless one is an input and the other an output',
    resource(
      'method Go { in A String out A Book in ⟨def.duplicate-member⟩A Integer in out B Book out ⟨def.duplicate-member⟩B Book }',
    ),
    "parameter 'Svc.V1.R.Go.A' is already defined at line 7",
  ],
  [
    'a type that is not defined, once where it is used first, with what may be meant',
    'class Cluster {\n\tA ⟨def.undefined-type⟩Clutser\n\tB []Clutser\n\tC [⟨def.undefined-type⟩Key]String\n}\n',
    "type 'Svc.V1.Clutser' is used but not defined; did you mean 'Cluster'?",
    "type 'Svc.V1.Key' is used but not defined",
  ],
  [
    'the type of a parameter that is not defined',
    resource('method Get { out Body ⟨def.undefined-type⟩Nothing }'),
    "type 'Svc.V1.Nothing' is used but not defined",
  ],
  [
    'a resource that is not defined',
    resource('locator A { target ⟨def.undefined-resource⟩Rot }', 'locator B { target Rot }'),
    "resource 'Svc.V1.Rot' is a target but not defined; did you mean 'Root'?",
  ],
  [
    'an identifier that a class has anyway; a struct has none',
    'class X {\n\t⟨class.explicit-id⟩Id String\n}\nclass Y {\n\t⟨class.explicit-id⟩ID String\n}\nstruct Z {\n\tID String\n}\n',
    "class 'Svc.V1.X' declares 'Id', which every class has",
  ],
  [
    'an attribute that is called in JSON like what every class has',
    'class X {\n\t⟨class.built-in⟩Kind String\n\t@json(name = "href")\n\t⟨class.built-in⟩Self String\n}\nstruct Y {\n\tKind String\n}\n',
    "attribute 'Svc.V1.X.Self' is called 'href' in JSON, as is something that every class has",
  ],
  [
    'a locator without a target',
    resource('locator ⟨locator.no-target⟩A { variable ID }'),
    "locator 'Svc.V1.R.A' has no target",
  ],
  [
    'locators that lead back',
    resource(
      'locator A { target S } } resource S { locator ⟨locator.loop⟩B { target R } locator ⟨locator.loop⟩C { target S }',
    ),
    "locator 'Svc.V1.S.B' closes a circle: R > S > R",
    "locator 'Svc.V1.S.C' closes a circle: S > S",
  ],
  [
    'methods of one verb',
    resource(
      'method Add { in out Body Book }',
      'method ⟨method.verb-clash⟩Post { in A Book out B Book }',
      'method Get { out Body Book }',
      LIST.replace('List', '⟨method.verb-clash⟩List'),
    ),
    "method 'Svc.V1.R.Post' and 'Add' would answer the same requests, 'POST'",
    "method 'Svc.V1.R.List' and 'Get' would answer the same requests, 'GET'",
  ],
  [
    'actions of one segment',
    resource('method Stop { }', '@http(name = "stop") method ⟨method.verb-clash⟩Halt { }'),
    "method 'Svc.V1.R.Halt' and 'Stop' would answer the same requests, 'POST .../stop'",
  ],
  [
    "an action of a fixed locator's segment; a variable one has none",
    resource(
      'locator Stop { target S }',
      'method ⟨method.verb-clash⟩Stop { }',
      'method Go { }',
      'locator Go { target S variable ID } } resource S {',
    ),
    "method 'Svc.V1.R.Stop' and the locator of segment 'stop' would answer the same requests, 'POST .../stop'",
  ],
  [
    'a kind of parameter that a method cannot have',
    resource('method Get { out Body Book out ⟨method.kind⟩Others []Book in ⟨method.kind⟩Map [String]String }'),
    "parameter 'Svc.V1.R.Get.Others' is a list, which a method 'Get' cannot have as output",
    "parameter 'Svc.V1.R.Get.Map' is a map, which a method 'Get' cannot have as input",
  ],
  ['an identifier of more than a deletion', resource('method Delete { in Force Boolean in ⟨method.kind⟩Body Book }')],
  ['a struct in a list', resource(LIST.replace('}', 'in ⟨method.kind⟩Filter Book }'))],
  [
    'a struct that a search answers',
    resource(LIST.replace('List', 'Search').replace('}', 'in Body Book out ⟨method.kind⟩Other Book }')),
  ],
  [
    'a list that a search is asked',
    resource(LIST.replace('List', 'Search').replace('}', 'in Body Book in ⟨method.kind⟩Other []Book }')),
  ],
  ['a scalar in a post', resource('method Post { in ⟨method.kind⟩Name String out Response Book }')],
  [
    'too many bodies, or none',
    resource(
      'method ⟨method.count⟩Add { in out Body Book in out ⟨method.name⟩Other Book }',
      'method ⟨method.count⟩Update { in Name String }',
    ),
    "method 'Svc.V1.R.Add' needs exactly one struct, 'Body', but has 2",
    "method 'Svc.V1.R.Update' needs exactly one struct or list, 'Body', but has 0",
  ],
  [
    'too many lists',
    resource(LIST.replace('List', '⟨method.count⟩List').replace('}', 'out ⟨method.name⟩Others []Book }')),
    "method 'Svc.V1.R.List' needs exactly one list, 'Items', but has 2",
    "parameter 'Svc.V1.R.List.Others' has to be called 'Items'",
  ],
  [
    '33.D: of two bodies the one that is called otherwise is named too, whatever the method',
    resource(
      'method ⟨method.count⟩Get { out Body Book out ⟨method.name⟩Other Book }',
      'method ⟨method.count⟩Update { in out Body Book in out ⟨method.name⟩Others []Book }',
      LIST.replace('List', '⟨method.count⟩Search').replace('}', 'in Body Book in ⟨method.name⟩Other Book }'),
    ),
    "method 'Svc.V1.R.Get' needs exactly one struct, 'Body', but has 2",
    "parameter 'Svc.V1.R.Get.Other' has to be called 'Body'",
  ],
  ['a search without a body', resource(LIST.replace('List', '⟨method.count⟩Search'))],
  [
    'inputs and outputs of a post',
    resource(
      'method ⟨method.count⟩Post { in A Book in B Book out C Book } } resource S {',
      'method ⟨method.count⟩AsyncPost { in A Book }',
      '',
    ).replace('locator R {', 'locator S { target S }\n\tlocator R {'),
    "method 'Svc.V1.R.Post' may have one input at most, but has 2",
    "method 'Svc.V1.S.AsyncPost' needs exactly one output, but has 0",
  ],
  [
    'the direction of a body',
    resource('method Get { in out ⟨method.direction⟩Body Book }', 'method Add { in ⟨method.direction⟩Body Book }'),
    "parameter 'Svc.V1.R.Get.Body' has to be 'out'",
    "parameter 'Svc.V1.R.Add.Body' has to be 'in out'",
  ],
  ['the direction of a list', resource(LIST.replace('out Items', 'in out ⟨method.direction⟩Items'))],
  [
    'the direction of what is searched',
    resource(LIST.replace('List', 'Search').replace('}', 'in out ⟨method.direction⟩Body Book }')),
  ],
  [
    'the direction of scalars beside a body',
    resource(
      'method Get { out Body Book out ⟨method.direction⟩Count Integer }',
      'method Delete { in out ⟨method.direction⟩Force Boolean }',
    ),
    "parameter 'Svc.V1.R.Get.Count' has to be 'in'",
  ],
  [
    'the name of a body',
    resource('method Add { in out ⟨method.name⟩Book Book }'),
    "parameter 'Svc.V1.R.Add.Book' has to be called 'Body'",
  ],
  [
    'the name of a list',
    resource(LIST.replace('List', '⟨method.items⟩List').replace('out Items', 'out ⟨method.name⟩Books')),
    "method 'Svc.V1.R.List' needs a list 'Items'",
    "parameter 'Svc.V1.R.List.Books' has to be called 'Items'",
  ],
  [
    'a list without items',
    resource('method ⟨method.items⟩List { in out Page Integer = 1 in out Size Integer = 100 out Total Integer }'),
    "method 'Svc.V1.R.List' needs a list 'Items'",
  ],
  [
    'the type of pages',
    resource(
      LIST.replace('Page Integer = 1', '⟨method.paging-type⟩Page Long').replace(
        'Total Integer',
        '⟨method.paging-type⟩Total String',
      ),
    ),
    "parameter 'Svc.V1.R.List.Page' has to be an 'Integer'",
  ],
  [
    'the default of pages',
    resource(
      LIST.replace('Page Integer = 1', '⟨method.paging-default⟩Page Integer').replace(
        'Size Integer = 100',
        '⟨method.paging-default⟩Size Integer = 10',
      ),
    ),
    "the default of 'Svc.V1.R.List.Page' has to be 1",
    "the default of 'Svc.V1.R.List.Size' has to be 100",
  ],
  [
    'a list without pages',
    resource('method ⟨method.no-paging⟩List { in out Page Integer = 1 out Items []Book }'),
    "method 'Svc.V1.R.List' has no 'Size' and no 'Total'",
  ],
  [
    'the direction of pages',
    resource(
      'method List { in ⟨method.direction⟩Page Integer = 1 out ⟨method.direction⟩Size Integer = 100 in out ⟨method.direction⟩Total Integer out Items []Book }',
    ),
    "parameter 'Svc.V1.R.List.Page' has to be 'in out'",
    "parameter 'Svc.V1.R.List.Size' has to be 'in out'",
    "parameter 'Svc.V1.R.List.Total' has to be 'out'",
  ],
  [
    'a wrong number beside wrong names: both are said',
    resource(
      'method ⟨method.count⟩Add { in out ⟨method.name⟩A Book in out ⟨method.name⟩B Book }',
      LIST.replace('List', '⟨method.count⟩⟨method.items⟩List').replace(
        'out Items []Book',
        'out ⟨method.name⟩A []Book out ⟨method.name⟩B []Book',
      ),
    ),
    "method 'Svc.V1.R.Add' needs exactly one struct, 'Body', but has 2",
    "parameter 'Svc.V1.R.Add.A' has to be called 'Body'",
    "method 'Svc.V1.R.List' needs a list 'Items'",
    "method 'Svc.V1.R.List' needs exactly one list, 'Items', but has 2",
  ],
  [
    'a wrong direction beside a wrong number',
    resource('method ⟨method.count⟩Get { in out ⟨method.direction⟩Body Book out ⟨method.name⟩Other Book }'),
  ],
  [
    'a default that does not fit its type',
    resource(
      'method Go { in ⟨param.default⟩A Boolean = 1 in ⟨param.default⟩B String = true in ⟨param.default⟩C Integer = "1" in ⟨param.default⟩D Long = 1 in ⟨param.default⟩E Book = "x" in ⟨param.default⟩F []String = "x" in G Boolean = true in H String = "" in I Integer = 0 }',
    ),
    "the default of parameter 'Svc.V1.R.Go.A' does not fit: it has to be a boolean",
    "the default of parameter 'Svc.V1.R.Go.D' does not fit: its type allows none",
  ],
  [
    'a mark that nobody knows',
    '⟨mark.unknown⟩@jason(name = "x")\nclass X {\n}\n',
    "the mark '@jason' of 'Svc.V1.X' is unknown and does nothing",
  ],
  [
    'a mark that gives no name',
    'class X {\n\t@json(⟨mark.parameter⟩name = 5)\n\tA String\n\t@json(⟨mark.parameter⟩name = "")\n\tB String\n\t@json()\n\tC String\n\t@http(⟨mark.parameter⟩other = 1)\n\tD String\n}\n',
    "the name that '@json' gives 'Svc.V1.X.A' has to be a string, and not an empty one",
  ],
  [
    'a parameter of a mark that nobody knows',
    'class X {\n\t@json(⟨mark.parameter⟩nam = "a")\n\tA String\n\t@json(name = "b" ⟨mark.unknown⟩omitempty = true)\n\tB String\n\t@deprecated(since = 5)\n\tC String\n}\n',
    "'nam' of '@json' of 'Svc.V1.X.A' is unknown: the mark is there to give a 'name'; did you mean 'name'?",
    "'omitempty' of '@json' of 'Svc.V1.X.B' is unknown and does nothing",
  ],
  ...['a/b', '.', '..', '{x}', 'a?b#c', 'a b', 'a%2Fb', 'é', 'a\\\\b', '\\n'].map((name): (typeof CASES)[number] => [
    `a part of a URL that is called '${name}'`,
    resource(
      `@http(⟨mark.parameter⟩name = "${name}") locator A { target S }`,
      `@http(⟨mark.parameter⟩name = "${name}x/") method Go { } } resource S {`,
    ),
  ]),
  [
    'parts of URLs that may be, and a name in a query, which is encoded',
    resource(
      '@http(name = "a-b.c_d~1") locator A { target S variable ID }',
      '@http(name = "v1:undelete@now") method Go { }',
      'method Delete { @http(name = "a/b?c[d]") in Why String } } resource S {',
    ),
  ],
  [
    'a name in a query with a control character',
    resource('method Delete { @http(⟨mark.parameter⟩name = "a\\tb") in Why String }'),
  ],
  [
    'a name that is not in CamelCase, unless a mark hides it',
    'struct X {\n\t⟨name.split⟩service_cluster String\n\t@json(name = "service_cluster")\n\tother_cluster String\n}\n',
    "'service_cluster' cannot be split into words and becomes 'service_cluster_service_cluster_cluster'; a name in CamelCase, '@json' or '@http' avoids that",
  ],
  [
    'a resource without a way to it',
    resource('} resource ⟨resource.unreachable⟩Lost { locator A { target ⟨def.undefined-resource⟩Nowhere }'),
    "no locator leads to resource 'Svc.V1.Lost', so it has no URL",
  ],
  [
    'two variables in one place',
    resource(
      'locator A { target S variable ID }',
      'locator ⟨locator.two-variables⟩B { target S variable ID } } resource S {',
    ),
    "locator 'Svc.V1.R.B' is the second with a variable: the first in name order serves all requests",
  ],
  [
    'a reference on what is no class, or without a path',
    '⟨ref.ignored⟩@ref(path = "/svc/v1/y")\nstruct X {\n\t⟨ref.ignored⟩@ref\n\tA String\n}\n⟨ref.ignored⟩@ref\nclass Y {\n}\n',
    "'@ref' does nothing for 'Svc.V1.X': only classes take over others",
    "'@ref' does nothing for 'Svc.V1.Y': it has no 'path'",
  ],
];

for (const [title, text, ...messages] of CASES) {
  test(title, () =>
    reported(complaints({ 'x.model': text, ...(text.includes('resource Root') ? {} : ROOT) }), messages),
  );
}

const TARGET: MarkedFiles = { 'other/v1/t.model': 'class Type {\n}\n', 'other/v1/root.model': 'resource Root {\n}\n' };

const REFERENCES: readonly (readonly [title: string, path: string, code: string, message: string])[] = [
  ['a path of too few parts', '"/other/v1"', 'ref.path', `the path of '@ref' has to look like "/service/version/type"`],
  [
    'a path of too many parts',
    '"/other/v1/type/x"',
    'ref.path',
    `the path of '@ref' has to look like "/service/version/type"`,
  ],
  [
    'a path with an empty part',
    '"/other//type"',
    'ref.path',
    `the path of '@ref' has to look like "/service/version/type"`,
  ],
  ['a path that is no string', '5', 'ref.path', `the path of '@ref' has to look like "/service/version/type"`],
  [
    'a service that is not there',
    '"/others/v1/type"',
    'ref.service',
    "there is no service 'others' to take a type from",
  ],
  [
    'a version that is not there',
    '"/other/v2/type"',
    'ref.version',
    "service 'other' has no version 'v2' to take a type from",
  ],
  ['a type that is not there', '"/other/v1/tipe"', 'ref.type', "'Other.V1' has no type 'tipe' to take over"],
];

for (const [title, path, code, message] of REFERENCES) {
  test(`a reference to ${title}`, () => {
    const text = `⟨${code}⟩@ref(path = ${path})\nclass X {\n}\nclass Y {\n\tX X\n}\n`;
    reported(complaints({ 'x.model': text, ...ROOT, ...TARGET }), [message]);
  });
}

test('references that lead in a circle', () => {
  const found = complaints({
    'a/v1/a.model': '⟨ref.cycle⟩@ref(path = "/b/v1/x")\nclass X {\n}\nresource Root {\n}\n',
    'b/v1/b.model': '⟨ref.cycle⟩@ref(path = "/a/v1/x")\nclass X {\n}\nresource Root {\n}\n',
    'c/v1/c.model': '⟨ref.cycle⟩@ref(path = "/c/v1/x")\nclass X {\n}\nresource Root {\n}\n',
  });
  reported(found, ["'@ref' leads in a circle: A.V1.X, B.V1.X, A.V1.X", "'@ref' leads in a circle: C.V1.X, C.V1.X"]);
});

/** A resource in each of so many levels, and what leads from one to the next. */
function levels(count: number, locators: (level: number) => string): string {
  const head = 'resource Root { locator L { target L0 } }\n';
  const resources = Array.from({ length: count }, (_, level) => `resource L${level} { ${locators(level)} }\n`);
  return `${head}${resources.join('')}resource L${count} { }\n`;
}

test('more ways than can be written down are told once, where they become too many', () => {
  const diamond = (level: number): string => {
    const mark = level === 12 ? '⟨locator.ways⟩' : '';
    return `locator ${mark}A { target L${level + 1} } locator B { target L${level + 1} }`;
  };
  reported(complaints({ 'x.model': levels(24, diamond) }), [
    "with locator 'Svc.V1.L12.A' the version has more than 10000 URLs: too many ways lead to the same resources",
  ]);
  complaints({ 'x.model': levels(12, diamond) });
});

test('a chain of locators that is too long is told once, where it becomes so', () => {
  const link = (level: number): string => `locator ${level === 99 ? '⟨locator.depth⟩' : ''}A { target L${level + 1} }`;
  reported(complaints({ 'x.model': levels(3_000, link) }), [
    "locator 'Svc.V1.L99.A' has more than 100 others above it: no URL may be longer",
  ]);
  complaints({ 'x.model': levels(99, link) });
});

test('references need a single model root', () => {
  const files = { 'x.model': '⟨ref.path⟩@ref(path = "/other/v1/type")\nclass X {\n}\n', ...ROOT, ...TARGET };
  reported(complaints(files, { roots: 2 }), ["'@ref' needs a single model root, but there are several"]);
});

test('a class that takes over another has no attributes of its own', () => {
  const text = '@ref(path = "/other/v1/type")\nclass ⟨ref.members⟩X {\n\tA Nothing\n}\n';
  reported(complaints({ 'x.model': text, ...ROOT, ...TARGET }), [
    "class 'Svc.V1.X' takes over another: its own attributes are ignored",
  ]);
});

test('a version without a root: the directory is the place', () => {
  const workspace = new Workspace();
  workspace.addVersion('svc/v1');
  const [found, ...others] = workspace.diagnostics();
  assert.is(others.length, 0);
  assert.is(found?.code, 'version.no-root');
  assert.equal(found?.place, { file: 'svc/v1', line: 0, column: 0, offset: 0, length: 0 });
  assert.is(found?.message, "version 'Svc.V1' has no resource 'Root'");
});

test('every code has a case here or among the syntax errors', () => {
  const covered = new Set(
    [...CASES.map(([, text]) => text), ...REFERENCES.map(([, , code]) => `⟨${code}⟩`)].flatMap((text) =>
      [...text.matchAll(/⟨([a-z.-]+)⟩/gu)].map(([, code]) => code),
    ),
  );
  const elsewhere = ['locator.depth', 'locator.ways', 'ref.cycle', 'ref.members', 'version.no-root'];
  const missing = Object.keys(CODES).filter((code) => !covered.has(code) && !elsewhere.includes(code));
  assert.equal(missing, [
    'lex.encoding',
    'lex.return',
    'lex.character',
    'lex.string',
    'lex.comment',
    'lex.number',
    'syntax.unexpected',
    'doc.prefix',
  ]);
});

test.run();

function reported(found: readonly { readonly message: string }[], messages: readonly string[]): void {
  const all = found.map(({ message }) => message);
  for (const message of messages) assert.ok(all.includes(message), `${message}\n${all.join('\n')}`);
}
