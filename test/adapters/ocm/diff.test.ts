// Which changes of a model break its clients: every rule, what breaks nothing, and `troupe model diff` as a process.
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareModels, RULES } from '../../../adapters/ocm/diff/mod.ts';
import { renderDiagnostic, Severity, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { corpus, OWN } from './corpus.ts';

const test = suite('troupe model diff');

const CLI = fileURLToPath(new URL('../../../actors/cli.js', import.meta.url));
const SERVICE = 'shop/v1/shop.model';
const OTHER = { 'shop/v2/root.model': 'resource Root {\n}\n', 'stock/v1/root.model': 'resource Root {\n}\n' };
/** Every line has a place that the expectations name. */
const SHOP = `resource Root {
	locator Orders {
		target Orders
	}
	locator Reports {
		target Reports
	}
}
resource Orders {
	method List {
		in out Page Integer = 1
		in out Size Integer = 100
		in Search String
		out Total Integer
		out Items []Order
	}
	method Add {
		in out Body Order
	}
	locator Order {
		target Order
		variable ID
	}
}
resource Order {
	method Get {
		out Body Order
	}
	method Cancel {
		in Reason String
		in Refund Boolean = true
		out Amount Integer
	}
}
resource Reports {
	method Post {
		out Result Report
	}
}
class Order {
	Total Long
	State State
	Address Address
	Lines []Line
	Labels [String]Line
	link Customer Customer
}
class Customer {
	Name String
}
struct Address {
	Street String
}
struct Line {
	Text String
}
struct Report {
	Days Integer
}
enum State {
	Open
	@json(name = "gone away")
	Sent
}
error OutOfStock {
	code 7
}
`;

function workspaceOf(files: Readonly<Record<string, string>>): Workspace {
  const workspace = new Workspace();
  for (const [file, text] of Object.entries(files)) workspace.set(file, text);
  for (const diagnostic of workspace.diagnostics()) {
    assert.is.not(diagnostic.severity, Severity.Error, renderDiagnostic(diagnostic, undefined));
  }
  return workspace;
}

/** Replaces what has to be there. */
function edited(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), `'${from}' is not in the model`);
  return text.replace(from, to);
}

/** @returns of each break its rule, its line in the old and in the new model, and its message */
function compare(now: string): string[] {
  const old = workspaceOf({ [SERVICE]: SHOP, ...OTHER }).model();
  const breaks = compareModels(old, workspaceOf({ [SERVICE]: now, ...OTHER }).model());
  return breaks.map(({ rule, message, old: was, new: is }) => `${rule} ${was.line} ${is?.line ?? '-'}: ${message}`);
}

const CASES: readonly (readonly [from: string, to: string, ...found: string[]])[] = [
  [
    '\tlocator Reports {\n\t\ttarget Reports\n\t}\n',
    '',
    "locator.removed 5 -: '/api/shop/v1/reports', and all below it, was removed",
  ],
  [
    '\tlocator Orders {',
    '\t@http(name = "sales")\n\tlocator Orders {',
    "locator.removed 2 -: '/api/shop/v1/orders', and",
  ],
  ['\t\ttarget Order\n\t\tvariable ID', '\t\ttarget Order', "locator.removed 20 -: '/api/shop/v1/orders/{order_id}'"],
  ['method Cancel', 'method CallOff', "method.removed 29 -: 'POST /api/shop/v1/orders/{order_id}/cancel' was removed"],
  ['\tmethod Add {\n\t\tin out Body Order\n\t}\n', '', "method.removed 17 -: 'POST /api/shop/v1/orders' was removed"],
  [
    'method Add {',
    'method AsyncAdd {',
    "method.status 17 17: 'POST /api/shop/v1/orders' answers with 202 and did with 201",
  ],
  [
    '\t\tin Search String\n',
    '',
    "query.removed 13 -: query parameter 'search' of 'GET /api/shop/v1/orders' was removed",
  ],
  [
    '\t\tin Search String',
    '\t\t@http(name = "q")\n\t\tin Search String',
    "query.removed 13 14: query parameter 'search' of 'GET /api/shop/v1/orders' is called \"q\" now",
  ],
  ['in Search String', 'in Search Boolean', "type.changed 13 13: query parameter 'search' of"],
  ['in Search String', 'in Search String = "open"', "parameter.default 13 13: the default of query parameter 'search'"],
  ['\t\tin Reason String\n', '', "field.removed 30 -: field 'reason' of the request of 'POST /api/shop"],
  ['\t\tout Amount Integer\n', '', "field.removed 32 -: field 'amount' of the response of 'POST /api/shop"],
  [
    'Refund Boolean = true',
    'Refund Boolean = false',
    "parameter.default 31 31: the default of field 'refund' of the request",
  ],
  [
    '\t\tout Result Report',
    '\t\tout Result Line',
    // The properties of the one are not those of the other; neither name is on the wire.
    "attribute.removed 58 -: 'days' of 'Report' is not in 'Line', which is used instead",
  ],
  [
    '\tmethod Post {\n\t\tout Result Report\n\t}',
    '\tmethod Search {\n\t\tin Body Report\n\t\tin out Page Integer = 1\n\t\tin out Size Integer = 100\n\t\tout Total Integer\n\t\tout Items []Report\n\t}',
    "method.status 36 36: 'POST /api/shop/v1/reports' answers with 200 and did with 201",
    "body.shape 36 36: the response of 'POST /api/shop/v1/reports' is an object of fields and was a value",
  ],
  ['struct Line', '@deprecated\nstruct Line'],
  ['\tTotal Long\n', '', "attribute.removed 41 -: 'total' of 'Order' was removed"],
  [
    '\tTotal Long',
    '\t@json(name = "sum")\n\tTotal Long',
    "attribute.removed 41 42: 'total' of 'Order' is called \"sum\" now",
  ],
  ['Total Long', 'Total String', "type.changed 41 41: 'total' of 'Order' is String and was Long"],
  ['\tLines []Line', '\tLines Line', "type.changed 44 44: 'lines' of 'Order' is struct Line and was a list of Line"],
  ['[String]Line', '[]Line', "type.changed 45 45: 'labels' of 'Order' is a list of Line and was a map of Line"],
  [
    'Address Address',
    'Address Customer',
    "attribute.removed 52 -: 'street' of 'Address' is not in 'Customer', which is used instead",
  ],
  ['link Customer', 'Customer', "attribute.link 46 46: 'customer' of 'Order' is an object of its own and was a link"],
  [
    'link Customer Customer',
    'link Customer Order',
    "type.kind 46 46: 'customer' of 'Order' is class Order and was class Customer",
    "attribute.removed 49 -: 'name' of 'Customer' is not in 'Order', which is used instead",
  ],
  ['class Customer {', 'struct Customer {', "type.kind 48 48: 'Customer' is struct Customer and was class Customer"],
  ['\tOpen\n', '', 'value.removed 61 -: value "open" of \'State\' was removed'],
  ['"gone away"', '"away"', 'value.removed 63 63: value "gone away" of \'State\' is called "away" now'],
  ['code 7', 'code 8', "error.code 65 65: the code of error 'OutOfStock' is 8 and was 7"],
  ['error OutOfStock {\n\tcode 7\n}\n', '', "error.removed 65 -: error 'OutOfStock' was removed"],
  ['struct Report {\n\tDays', 'struct Summary {\n\tDays', "type.removed 57 -: struct 'Report' was removed"],
];

for (const [from, to, ...found] of CASES) {
  test(`${JSON.stringify(from)} to ${JSON.stringify(to)}`, () => {
    // A type that has another name has it everywhere.
    const now = edited(SHOP, from, to);
    const breaks = compare(to.includes('Summary') ? now.replace('Result Report', 'Result Summary') : now);
    assert.is(breaks.length, found.length, breaks.join('\n'));
    for (const [index, each] of found.entries())
      assert.ok(breaks[index]?.startsWith(each), `${breaks[index]}, not ${each}`);
  });
}

test('services and versions that are gone are shown by their folder', () => {
  const old = workspaceOf({ [SERVICE]: SHOP, ...OTHER }).model();
  const breaks = compareModels(old, workspaceOf({ [SERVICE]: SHOP }).model());
  assert.equal(
    breaks.map(({ rule, service, version, old: { file, line }, new: now }) => [
      rule,
      service,
      version,
      file,
      line,
      now,
    ]),
    [
      ['version.removed', 'shop', 'v2', 'shop/v2', 0, undefined],
      ['service.removed', 'stock', undefined, 'stock/v1', 0, undefined],
    ],
  );
});

test('every rule is among the cases', () => {
  const named = new Set(CASES.flatMap(([, , ...found]) => found.map((each) => each.split(' ')[0])));
  const others = new Set(['service.removed', 'version.removed']);
  assert.equal(
    Object.keys(RULES).filter((rule) => !named.has(rule) && !others.has(rule)),
    [],
  );
});

test('additions, order, layout, documentation and names that are not on the wire break nothing', () => {
  for (const [from, to] of [
    ['\tTotal Long\n', '\tTotal Long\n\tNew String\n'],
    ['\tOpen\n', '\tOpen\n\tLost\n'],
    ['\t\tin Search String\n', '\t\tin Search String\n\t\tin Other String\n'],
    ['\tmethod Get {', '\tmethod Delete {\n\t}\n\tmethod Get {'],
    ['class Order {', '// An order.\n@deprecated\nclass Order {'],
    ['struct Address {', 'class Address {'],
    ['out Result Report', 'out Outcome Report'],
    ['\tlocator Order {', '\tlocator Sale {'],
    ['\tTotal Long\n\tState State', '\tState State   Total Long'],
  ] as const) {
    assert.equal(compare(edited(SHOP, from, to)), [], to);
  }
});

test('a model compared with itself breaks nothing, without what it is made of it would', () => {
  const files = Object.fromEntries(corpus());
  const model = workspaceOf(files).model();
  assert.equal(compareModels(model, workspaceOf(files).model()), []);
  assert.ok(compareModels(model, new Workspace().model()).length >= model.services.length);
});

test('a chain of types, however long, is followed', () => {
  const chain = (last: string): string => {
    const links = Array.from({ length: 3_000 }, (_, index) => `struct T${index} { A T${index + 1} }\n`);
    return `resource Root { method Get { out Body T0 } }\n${links.join('')}struct T3000 { A ${last} }\n`;
  };
  const [old, now] = [chain('String'), chain('Long')].map((text) => workspaceOf({ 'long/v1/x.model': text }).model());
  assert.ok(old !== undefined && now !== undefined);
  assert.equal(
    compareModels(old, now).map(({ message }) => message),
    ["'a' of 'T3000' is Long and was String"],
  );
});

test('warnings of the old model are not repeated, new ones are told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-diff-'));
  try {
    for (const side of ['old', 'new']) {
      await cp(OWN, join(folder, side), { recursive: true });
      await writeFile(join(folder, side, 'library_mgmt/v1/lost.model'), '// Nobody.\nresource Lost {\n}\n');
    }
    const run = () =>
      spawnSync(process.execPath, [CLI, 'model', 'diff', 'old', 'new'], { cwd: folder, encoding: 'utf8' });
    assert.equal([run().status, run().stderr], [0, '']);
    await writeFile(join(folder, 'new/library_mgmt/v1/more.model'), 'resource More {\n}\n');
    const { stderr } = run();
    assert.match(
      stderr,
      "new/library_mgmt/v1/more.model:1:10: warning: no locator leads to resource 'LibraryMgmt.V1.More'",
    );
    assert.not.match(stderr, 'Lost');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the command shows old places of what is gone and new ones of what changed, and ends with 0, 1 or 2', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-diff-'));
  const run = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, 'model', 'diff', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { stdout, stderr, status };
  };
  try {
    for (const side of ['old', 'new']) await cp(OWN, join(folder, side), { recursive: true });
    assert.equal(run('old', 'new'), { stdout: 'no change breaks clients\n', stderr: '', status: 0 });
    assert.equal(JSON.parse(run('old', 'new', '-o', 'json').stdout), { breaks: [] });

    const book = 'library_mgmt/v1/book_type.model';
    const text = await readFile(join(folder, 'new', book), 'utf8');
    const changed = edited(edited(text, '\tISBN String\n\n', ''), 'Weight Float', 'Weight String');
    await writeFile(join(folder, 'new', book), changed);
    const { stdout, stderr, status } = run('old', 'new');
    assert.equal([stderr, status], ['', 1]);
    assert.equal(stdout.split('\n').slice(0, 6), [
      `old/${book}:10:2: breaking: library_mgmt/v1: 'isbn' of 'Book' was removed [attribute.removed]`,
      '\tISBN String',
      '\t^^^^',
      `new/${book}:12:2: breaking: library_mgmt/v1: 'weight' of 'Book' is String and was Float; was at old/${book}:14:2 [type.changed]`,
      '\tWeight String',
      '\t^^^^^^',
    ]);
    const { breaks } = JSON.parse(run('old', 'new', '-o', 'json').stdout) as { breaks: unknown[] };
    assert.equal(breaks[1], {
      rule: 'type.changed',
      message: "'weight' of 'Book' is String and was Float",
      service: 'library_mgmt',
      version: 'v1',
      old: { file: `old/${book}`, line: 14, column: 2 },
      new: { file: `new/${book}`, line: 12, column: 2 },
    });

    for (const [args, reason] of [
      [['old'], 'two folders are compared'],
      [['old', 'new', 'old'], 'two folders are compared'],
      [['old', 'nowhere'], 'no such file or directory'],
      [['old', 'new', '-o', 'yaml'], "--output is 'text' or 'json', not 'yaml'"],
    ] as const) {
      const refused = run(...args);
      assert.equal([refused.stdout, refused.status], ['', 2], args.join(' '));
      assert.match(refused.stderr, reason);
    }
    await writeFile(join(folder, 'new', book), edited(text, 'class Book', 'class Bok'));
    const wrong = run('old', 'new');
    assert.equal([wrong.stdout, wrong.status], ['', 1]);
    assert.match(wrong.stderr, 'def.undefined-type');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
