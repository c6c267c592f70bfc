// Every place and comment that a message about a proto may need, and every way in which a proto can be wrong.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  allEnums,
  allMessages,
  type Field,
  ProtoError,
  type ProtoFile,
  readProto,
} from '../../../../adapters/csi-proxy/protos/mod.ts';

const test = suite('protos');

const HEAD = 'syntax = "proto3";\npackage v1;\n';
const read = (body: string): ProtoFile => readProto(`${HEAD}${body}`, 'api.proto');

function refusal(text: string): string {
  try {
    readProto(text, 'api.proto');
  } catch (error) {
    assert.instance(error, ProtoError);
    return error instanceof Error ? error.message : '';
  }
  return 'accepted';
}

/** The first message's fields, which must be there. */
function field(file: ProtoFile, name: string): Field {
  const found = allMessages(file)
    .flatMap(({ fields }) => fields)
    .find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no field '${name}'`);
  return found;
}

test('syntax and package have their place, and the package the comment block directly above it', () => {
  const file = readProto(
    '// A license.\nsyntax = "proto3";\n\n// Not this.\n\n// Deprecated: use v2.\n// It is better.\n  package v1;\n',
    'disk/v1/api.proto',
  );
  assert.equal(file.syntax, { name: 'proto3', at: { file: 'disk/v1/api.proto', line: 2, column: 1 } });
  assert.equal(file.package, {
    name: 'v1',
    at: { file: 'disk/v1/api.proto', line: 8, column: 11 },
    comment: 'Deprecated: use v2.\nIt is better.',
    deprecated: true,
  });
  assert.equal(file.unsupported, []);
});

test('the numbers next to those that are kept or reserved are free', () => {
  const file = read(
    'message A { reserved 2 to 4; int32 a = 1; int32 b = 5; int32 c = 18999; int32 d = 20000; int32 e = 536870911; }',
  );
  assert.is(file.messages[0]?.fields.length, 5);
  for (const number of [2, 4]) {
    assert.match(
      refusal(`${HEAD}message A { reserved 2 to 4; int32 a = ${number}; }`),
      /'a' or its number . is reserved$/,
    );
  }
});

test('services, RPCs and their options are read', () => {
  const file = read(`// All about disks.
service Disk {
  // Looks.
  rpc Rescan(A) returns (stream B) { option deprecated = true; } // now
  rpc Other (.v1.A) returns (v1.B);
}
message A {}
message B {}
`);
  const [service] = file.services;
  assert.is(service?.comment, 'All about disks.');
  const [rescan, other] = service?.rpcs ?? [];
  assert.equal(rescan, {
    name: 'Rescan',
    path: 'Disk.Rescan',
    at: { file: 'api.proto', line: 6, column: 7 },
    comment: 'Looks.',
    marks: [],
    deprecated: true,
    options: { deprecated: true },
    request: 'A',
    response: 'B',
    requestStream: false,
    responseStream: true,
  });
  assert.equal([other?.request, other?.response, other?.deprecated], ['A', 'B', false]);
  assert.equal(file.unsupported, [
    { at: { file: 'api.proto', line: 6, column: 7 }, message: "RPC 'Disk.Rescan' must not stream" },
  ]);
});

test('fields are read with number, type, cardinality, names, marks and comments', () => {
  const file = read(`message Outer {
  message Inner { int32 x = 1; }
  enum Kind { NONE = 0; }
  repeated Inner many = 1; // of them
  map<uint32, Inner> disk_map = 0x2 [deprecated = true, json_name = "maps"];
  /* The kind
   * of it.
   */
  Kind LUNID = 3;
  // +required
  // Who.
  .v1.Outer.Inner i_want_a_title = 4;
  bytes bytes = 5; /* not of the next */ string last2 = 6;
}
`);
  const many = field(file, 'many');
  assert.equal(
    [many.number, many.cardinality, many.type, many.comment],
    [1, 'repeated', { kind: 'message', name: 'Outer.Inner' }, 'of them'],
  );
  const map = field(file, 'disk_map');
  assert.equal(
    [map.number, map.cardinality, map.keyType, map.type.name, map.deprecated, map.jsonName],
    [2, 'map', 'uint32', 'Outer.Inner', true, 'maps'],
  );
  const kind = field(file, 'LUNID');
  assert.equal(
    [kind.type, kind.jsonName, kind.comment],
    [{ kind: 'enum', name: 'Outer.Kind' }, 'LUNID', 'The kind\nof it.'],
  );
  const title = field(file, 'i_want_a_title');
  assert.equal([title.jsonName, title.marks, title.comment], ['iWantATitle', ['required'], 'Who.']);
  assert.equal(title.at, { file: 'api.proto', line: 14, column: 19 });
  assert.equal([field(file, 'bytes').type, field(file, 'bytes').comment], [{ kind: 'scalar', name: 'bytes' }, '']);
  assert.equal([field(file, 'last2').path, field(file, 'last2').comment], ['Outer.last2', 'not of the next']);
});

test('enums and what is reserved are read', () => {
  const file = read(`// +open-enum
enum Kind {
  reserved -5 to -2, 9, 20 to max;
  reserved "OLD", 'OLDER';
  NONE = 0 [deprecated = true]; // nothing
  LESS = -1;
}
message A { reserved 1, 5 to max; reserved "a"; }
`);
  const [kind] = allEnums(file);
  assert.equal(kind?.marks, ['open-enum']);
  assert.equal(
    kind?.values.map(({ path, number, deprecated, comment }) => [path, number, deprecated, comment]),
    [
      ['Kind.NONE', 0, true, 'nothing'],
      ['Kind.LESS', -1, false, ''],
    ],
  );
  assert.equal(
    kind?.reserved.ranges.map(({ from, to }) => [from, to]),
    [
      [-5, -2],
      [9, 9],
      [20, 2147483647],
    ],
  );
  assert.equal(
    kind?.reserved.names.map(({ name }) => name),
    ['OLD', 'OLDER'],
  );
  const [message] = file.messages;
  assert.equal(message?.reserved.ranges.at(-1), {
    from: 5,
    to: 536870911,
    at: { file: 'api.proto', line: 10, column: 25 },
  });
});

test('what has no place in an API group is read and named with its place', () => {
  const file = read(`message A {
  oneof choice { int32 a = 1; string b = 2; }
  optional int32 c = 3;
  repeated int32 d = 4 [packed = false];
}
enum E { option allow_alias = true; X = 0; Y = 0; }
`);
  assert.equal(
    [field(file, 'b').oneof, field(file, 'c').oneof, field(file, 'c').optional],
    ['choice', undefined, true],
  );
  assert.equal(
    file.unsupported.map(({ at: { line, column }, message }) => `${line}:${column}: ${message}`),
    [
      "4:9: oneof 'A.choice' is not supported",
      "5:18: 'optional' of field 'A.c' is not supported",
      "6:18: option 'packed' of 'A.d' is not supported",
      "8:6: option 'allow_alias' of 'E' is not supported",
    ],
  );
  const old = readProto('message A { required int32 a = 1; }', 'old.proto');
  assert.equal(
    old.unsupported.map(({ message }) => message),
    ['the syntax must be "proto3"; the line is missing', "'required' of field 'A.a' is not supported"],
  );
  assert.is(
    readProto('edition = "2023";', 'new.proto').unsupported[0]?.message,
    'the syntax must be "proto3", not "2023"',
  );
  assert.is(
    readProto('syntax = "proto4";', 'new.proto').unsupported[0]?.message,
    'the syntax must be "proto3", not "proto4"',
  );
});

test('marks are lines of their own, and one that is none is named', () => {
  const file = read(`message A {
  // The pass phrase, and
  // +1 blank.
  // +secret
  string a = 1; // +required
  // +requird
  int32 b = 2;
}
`);
  assert.equal(
    [field(file, 'a').marks, field(file, 'a').comment],
    [['required', 'secret'], 'The pass phrase, and\n+1 blank.'],
  );
  assert.equal(field(file, 'b').marks, []);
  assert.equal(file.unsupported, [
    {
      at: { file: 'api.proto', line: 9, column: 9 },
      message: "'+requird' above 'A.b' is none of the marks +required, +open-enum, +secret; did you mean '+required'?",
    },
  ]);
});

test('a message is marked with all its fields, which is what a mark behind its brace looks like', () => {
  const file = read('message A { // +required\n  string a = 1; // +secret\n  int32 b = 2;\n}\n');
  assert.equal(file.messages[0]?.marks, ['required']);
  assert.equal([field(file, 'a').marks, field(file, 'b').marks], [['required', 'secret'], ['required']]);
});

test('braces, brackets and comment signs inside options and strings are no structure', () => {
  const file = read(`message A {
  option (some).thing = { a: 1 b { c: "};//" } };
  int32 x = 1 [(note) = { text: "; }" }]; // x
  int32 y = 2;
}
`);
  assert.equal(
    file.messages[0]?.fields.map(({ name, at: { line }, comment }) => [name, line, comment]),
    [
      ['x', 5, 'x'],
      ['y', 6, ''],
    ],
  );
});

for (const [title, body, expected] of [
  ['an illegal token', 'message A {\n  int32 a == 1;\n}', "4:12: illegal id '='"],
  ['a missing semicolon', 'message A {\n  int32 a = 1\n  int32 b = 2;\n}', "5:3: illegal token 'int32', ';' expected"],
  ['an early end', 'message A {\n  int32 a = 1', "4:13: the file ends too early: ';' expected"],
  ['a string without end', 'message A { int32 a = 1 [json_name = "x]; }', '3:38: the string does not end'],
  ['a comment without end', 'message A {} /* so', '3:14: the comment does not end'],
  ['a stray sign', 'message A { / }', "3:13: unexpected '/'"],
  [
    'a number twice',
    'message A {\n  int32 a = 1;\n  oneof c { int32 b = 1; }\n}',
    "5:19: 'b' has the number 1 of 'a' in line 4",
  ],
  ['a name twice', 'message A { int32 a = 1;\n int32 a = 2; }', "4:8: 'a' is declared already in line 3"],
  ['a message twice', 'message A {}\nmessage A {}', "4:9: 'A' is declared already in line 3"],
  [
    'an RPC twice',
    'message A {}\nservice S {\n  rpc X(A) returns (A);\n  rpc X(A) returns (A);\n}',
    "6:7: 'X' is declared already in line 5",
  ],
  ['a reserved number', 'message A {\n  reserved 2 to 4;\n  int32 a = 3;\n}', "5:9: 'a' or its number 3 is reserved"],
  ['a reserved name', 'message A {\n  reserved "a";\n  int32 a = 3;\n}', "5:9: 'a' or its number 3 is reserved"],
  ['an enum number twice', 'enum E { X = 0;\n Y = 0; }', "4:2: 'Y' has the number 0 of 'X' in line 3"],
  [
    'a type that is not there',
    'message A { repeated Nobody a = 1; }',
    "3:22: there is no message and no enum 'Nobody'",
  ],
  [
    'a map value that is not there',
    'message A { map<string, Nobody> a = 1; }',
    "3:25: there is no message and no enum 'Nobody'",
  ],
  [
    'a request that is not there',
    'enum A { X = 0; }\nservice S { rpc R(A) returns (B); }',
    "4:19: there is no message 'A'\napi.proto:4:31: there is no message 'B'",
  ],
  ['a number too small', 'message A { int32 a = 0; }', "3:19: the number of a field is 1 to 536870911; 'A.a' has 0"],
  [
    'a number too large',
    'message A { int32 a = 536870912; }',
    "3:19: the number of a field is 1 to 536870911; 'A.a' has 536870912",
  ],
  [
    'a kept number',
    'message A { int32 a = 19000; }',
    "3:19: numbers 19000 to 19999 are Protocol Buffers' own; 'A.a' has 19000",
  ],
  [
    'one JSON name for two',
    'message A { int32 a_b = 1;\n int32 aB = 2; }',
    "4:8: 'A.aB' and 'A.a_b' are both 'aB' in JSON",
  ],
  ['an enum that does not start with 0', 'enum E { X = 1; }', "3:10: the first value of enum 'E' must be 0"],
  ['an enum without values', 'enum E {}', "3:6: enum 'E' has no value"],
  ['an enum value that is too large', 'enum E { X = 0; Y = 2147483648; }', "3:17: 'E.Y' does not fit 32 bits"],
  [
    'a value of two enums',
    'enum E { X = 0; }\nenum F { X = 0; }',
    "4:10: 'X' of enum 'F' is the name of a value of enum 'E' of the same scope",
  ],
  ['an empty range', 'message A { reserved 4 to 2; }', '3:22: the range 4 to 2 is empty'],
  ['a map key that cannot be one', 'message A { map<float, int32> a = 1; }', "3:17: illegal type 'float'"],
  ['a name that no object can have', 'message A { int32 __proto__ = 1; }', "3:19: '__proto__' can be no name"],
  ['imports', 'import "google/protobuf/empty.proto";', '3:1: imports are not read: a version is one file'],
  ['extensions', 'message A {\n  extensions 100 to 200;\n}', '4:3: extensions are not read'],
] as const) {
  test(`${title} is refused with its place`, () => {
    assert.is(refusal(`${HEAD}${body}`), `api.proto:${expected}`);
  });
}

test('groups and extensions of older files are refused with their place', () => {
  assert.is(
    refusal('message A {\n  repeated group X = 1 { optional int32 a = 1; }\n}'),
    'api.proto:2:12: groups are not read',
  );
  assert.is(refusal('message A {}\nextend A { optional int32 a = 1; }'), 'api.proto:2:1: extensions are not read');
});

test.run();
