// Every error of the generator, each with its file and line; after each of them nothing has changed.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ProtoOptions, proto, types, withTree } from './tree.ts';

const test = suite('errors of the generator');

/** What is reported, without the last line: that nothing was changed, which is checked. */
function reported(files: Readonly<Record<string, string>>, inputs?: readonly string[]): readonly string[] {
  let lines: readonly string[] = [];
  withTree(files, (tree) => {
    const before = tree.paths({ folders: true });
    const { ok, report } = tree.run(inputs === undefined ? {} : { inputs });
    assert.not.ok(ok, report);
    assert.equal(tree.paths({ folders: true }), before, 'nothing is written');
    assert.equal(tree.files(), files);
    lines = report.trimEnd().split('\n');
  });
  assert.match(lines.at(-1) ?? '', /^\d+ problems?, and nothing was changed$/);
  return lines.slice(0, -1).filter((line) => !line.startsWith('warning: '));
}

function refuses(files: Readonly<Record<string, string>>, ...expected: readonly RegExp[]): void {
  const lines = reported(files);
  assert.is(lines.length, expected.length, lines.join('\n'));
  for (const [index, pattern] of expected.entries()) assert.match(lines[index] ?? '', pattern);
}

const PROTO = 'api/thing/v1/api.proto';
const CONVERSION = 'server/thing/internal/v1/conversion.ts';
const TYPES = 'server/thing/internal/types.ts';

// ------------------------------------------------------------------------------------------- discovery

test('a marker setting that is not name:value, or has no known name', () => {
  refuses(
    { 'api/thing/doc.ts': 'export {};\n// +csi-proxy-gen=groupName\n', [PROTO]: proto() },
    /^api\/thing\/doc\.ts:2:4: Malformed comment tag for package 'api\/thing': 'groupName' is not name:value$/,
  );
  refuses(
    { 'api/thing/doc.ts': '// +csi-proxy-gen=color:red\n', [PROTO]: proto() },
    /^api\/thing\/doc\.ts:1:4: Unknown comment tag 'color' for package 'api\/thing'; known: groupName, [^?]*$/,
  );
  refuses(
    { 'api/thing/doc.ts': '// +csi-proxy-gen=grupName:red\n', [PROTO]: proto() },
    /Unknown comment tag 'grupName' .*; did you mean 'groupName'\?$/,
  );
});

test('a folder in a group that is no version, and one in a version', () => {
  refuses(
    { [PROTO]: proto(), 'api/thing/v01/api.proto': '', 'api/thing/v1/more/x': '' },
    /^api\/thing\/v01: unexpected directory: .*invalid version name: "v01"$/,
    /^api\/thing\/v1\/more: unexpected directory: /,
  );
});

test('a group without a version, of a name that cannot be, or of a name that another has', () => {
  refuses({ 'api/thing/README.md': '' }, /^api\/thing: API group "thing" doesn't have any version$/);
  refuses({ 'api/Thing/v1/api.proto': proto() }, /^api\/Thing: the name of a group is lower snake case.*'Thing'$/);
  refuses(
    { [PROTO]: proto(), 'api/b/doc.ts': '// +csi-proxy-gen=groupName:thing\n', 'api/b/v1/api.proto': proto() },
    /^api\/thing: group 'thing' is in 'api\/b' already$/,
  );
});

test('an input that does not exist, or is a part of a group', () => {
  assert.match(reported({ [PROTO]: proto() }, ['nowhere'])[0] ?? '', /^nowhere: there is no such directory$/);
  assert.match(
    reported({ [PROTO]: proto() }, ['api/thing/v1'])[0] ?? '',
    /^api\/thing\/v1: it is a part of the group in 'api\/thing'/,
  );
});

// ---------------------------------------------------------------------------------------------- protos

test('no service of the expected name, and more than one', () => {
  refuses(
    { [PROTO]: proto({ service: 'Think' }) },
    /^api\/thing\/v1\/api\.proto:3:9: did not find interface ThingServer: .*'Think'$/,
  );
  refuses({ [PROTO]: 'syntax = "proto3";\npackage v1;\n' }, /^api\/thing\/v1\/api\.proto: did not find interface/);
  refuses({ [PROTO]: proto({ more: 'service Other {}' }) }, /api\.proto:6:9: 'Other' is one service too many/);
});

test('a package that is not the version, or none', () => {
  refuses({ [PROTO]: proto({ version: 'v2' }) }, /api\.proto:2:9: the package must be 'v1'; it is 'v2'$/);
  refuses({ [PROTO]: proto().replace('package v1;', '') }, /api\.proto: the package must be 'v1'; there is none$/);
});

test('what has no place in a group: another syntax, streams, oneof, optional, imports, groups, extensions', () => {
  const files = (change: (text: string) => string, options?: ProtoOptions) => ({ [PROTO]: change(proto(options)) });
  refuses(
    files((text) => text.replace('proto3', 'proto2')),
    /api\.proto:1:1: the syntax must be "proto3"/,
  );
  refuses(
    files((text) => text.replace('(AskReq', '(stream AskReq')),
    /api\.proto:3:\d+: RPC 'Thing\.Ask' must not stream/,
  );
  refuses(
    files((text) => text, { request: 'oneof a { string b = 1; }' }),
    /api\.proto:4:\d+: oneof/,
  );
  refuses(
    files((text) => text, { request: 'optional string b = 1;' }),
    /api\.proto:4:\d+: 'optional'/,
  );
  refuses(
    files((text) => text, { more: 'import "google/protobuf/any.proto";' }),
    /api\.proto:6:1: imports/,
  );
  refuses(
    files((text) => text, { more: 'extend AskRequest { string x = 9; }' }),
    /api\.proto:6:1: extensions/,
  );
});

test('a file that is no proto, and two RPCs or fields of one name', () => {
  refuses({ [PROTO]: 'syntax = "proto3";\npackage v1\n' }, /api\.proto:\d+:\d+: /);
  refuses(
    { [PROTO]: proto().replace('; }', '; rpc Ask(AskRequest) returns (AskResponse); }') },
    /api\.proto:3:\d+: 'Ask' is declared already in line 3/,
  );
  refuses({ [PROTO]: proto({ request: 'string a_b = 1; string aB = 2;' }) }, /api\.proto:4:\d+: .* both 'aB' in JSON$/);
});

test('names that TypeScript or generated code does not take', () => {
  refuses(
    { [PROTO]: proto({ more: 'message Map {}' }) },
    /api\.proto:6:9: 'Map' has another meaning in TypeScript, or in internal types$/,
  );
  refuses(
    { [PROTO]: proto({ more: 'message A { message B {} }\nmessage A_B {}' }) },
    /api\.proto:7:9: 'A_B' and 'A\.B' are both 'A_B' in TypeScript|'A\.B' and 'A_B' are both/,
  );
  refuses(
    { [PROTO]: proto().replace('rpc Ask', 'rpc Close') },
    /api\.proto:3:\d+: RPC 'Close': 'close' is a name of the client's own$/,
  );
  refuses(
    { [PROTO]: proto().replace('; }', '; rpc ask(AskRequest) returns (AskResponse); }') },
    /api\.proto:3:\d+: RPCs 'ask' and 'Ask' are both 'ask' in TypeScript$/,
  );
  refuses(
    { [PROTO]: proto({ request: 'string a = 1 [json_name = "a-b"];' }) },
    /'a-b', the JSON name of .*, is no name/,
  );
});

test('an RPC whose types differ between versions, with a line for each version', () => {
  const other = proto({ version: 'v2', more: 'message Other {}' }).replace('(AskResponse)', '(Other)');
  const lines = reported({ [PROTO]: proto(), 'api/thing/v2/api.proto': other });
  assert.match(
    lines[0] ?? '',
    /^api\/thing\/v2\/api\.proto:3:\d+: Endpoint Ask in API group thing inconsistent across/,
  );
  assert.equal(lines.slice(1), [
    '  v1: Ask(AskRequest) returns (AskResponse)',
    '  v2: Ask(AskRequest) returns (Other)',
  ]);
});

// --------------------------------------------------------------------------------------- internal types

const PARTS = 'message Part { string name = 1; repeated int32 sizes = 2; }\nenum Kind { NONE = 0; SOME = 1; }';

test('several versions without internal types', () => {
  refuses(
    { [PROTO]: proto(), 'api/thing/v2/api.proto': proto({ version: 'v2' }) },
    /^server\/thing\/internal\/types\.ts: group 'thing' has several versions, and no internal types: .*by hand$/,
  );
});

test('types that are missing are listed together, with their text and that of what they are made of', () => {
  const [head, ...text] = reported({
    [PROTO]: proto({ request: 'Part part = 1; Kind kind = 2;', more: PARTS }),
    [TYPES]: "import type { text } from '../../scalars.ts';\nexport interface AskReqest { name: text }\n",
  });
  assert.is(
    head,
    "server/thing/internal/types.ts: types that a version uses are missing: AskRequest (v1; did you mean 'AskReqest'?), AskResponse (v1), Kind (v1), Part (v1); to start from, as in the newest version:",
  );
  // `text` is imported already.
  assert.match(
    text.join('\n'),
    /^\nimport type \{ Empty, int32, OpenEnum \} from '.*\/codec\/scalars\.ts';\n\nexport interface AskRequest/,
  );
});

test('with the text of missing types in their file, all is generated', () => {
  const files = { [PROTO]: proto({ request: 'Part part = 1; Kind kind = 2;', more: PARTS }), [TYPES]: 'export {};\n' };
  withTree(files, (tree) => {
    const { report } = tree.run();
    tree.write(TYPES, report.split('\n').slice(1, -2).join('\n'));
    const again = tree.run();
    assert.ok(again.ok, again.report);
    assert.equal(again.problems, []);
  });
});

test('internal types that no proto could have', () => {
  const withRequest = (request: string, more = '') => ({ [PROTO]: proto(), [TYPES]: types({ request, more }) });
  const refusesRequest = (request: string, pattern: RegExp): void => refuses(withRequest(request), pattern);
  refusesRequest('a: number;', /types\.ts:2:\d+: 'AskRequest\.a': which number\? Use one of the types int32, uint32/);
  refusesRequest('a: bigint;', /types\.ts:2:\d+: 'AskRequest\.a': which number\?/);
  refusesRequest('a?: text;', /types\.ts:2:\d+: 'AskRequest\.a' is optional/);
  refusesRequest('readonly a: text;', /'AskRequest\.a' is readonly/);
  refusesRequest('a: AskResponse;', /'AskRequest\.a': a message may be absent: write 'AskResponse \| undefined'$/);
  refusesRequest('a: text | undefined;', /'AskRequest\.a': only a message may be undefined, and 'text' is none$/);
  refusesRequest('a: text | int32;', /'AskRequest\.a': unions are not read$/);
  refusesRequest('a: Nothing;', /'AskRequest\.a': there is no exported type 'Nothing' in this file$/);
  refusesRequest('a: Map<AskResponse, text>;', /a Map of 'AskResponse' is none that a proto could have$/);
  refusesRequest('a: { b: text };', /'AskRequest\.a': such a type is not read/);
  refusesRequest('a(): void;', /'AskRequest' has something in it that is no field$/);
  refuses(
    { [PROTO]: proto(), [TYPES]: 'export interface AskRequest extends Object {}\nexport interface AskResponse {}\n' },
    /types\.ts:1:18: 'AskRequest' must say all its fields itself/,
  );
  refuses(
    { [PROTO]: proto(), [TYPES]: 'export interface {\n' },
    /^server\/thing\/internal\/types\.ts:2:1: Unexpected token/,
  );
});

// ------------------------------------------------------------------------------------------ conversions

/** A request whose only field does not fit its counterpart. */
function mismatch(field: string, internalField: string, more = '', internal = '') {
  return {
    [PROTO]: proto({ request: field, more }),
    [TYPES]: types({ request: internalField, more: internal }),
  };
}

test('each combination of types that is not trivial wants a hand-written function, which is named', () => {
  const WRITE =
    "write 'export function convert_pb_AskRequest_To_internal_AskRequest\\(input: pb\\.AskRequest, out: internal\\.AskRequest\\): void' in server/thing/internal/v1/conversion\\.ts$";
  const cases: readonly (readonly [files: Record<string, string>, from: string, to: string])[] = [
    [mismatch('int32 a = 1;', 'a: int64;'), 'int32', 'int64'],
    [mismatch('uint32 a = 1;', 'a: int32;'), 'uint32', 'int32'],
    [mismatch('string a = 1;', 'a: int32;'), 'text', 'int32'],
    [mismatch('bytes a = 1;', 'a: text;'), 'bytes', 'text'],
    [mismatch('repeated string a = 1;', 'a: text;'), 'text\\[\\]', 'text'],
    [mismatch('string a = 1;', 'a: text[];'), 'text', 'text\\[\\]'],
    [mismatch('map<string, string> a = 1;', 'a: Map<uint32, text>;'), 'Map<text, text>', 'Map<uint32, text>'],
    [mismatch('map<string, string> a = 1;', 'a: Map<text, bytes>;'), 'Map<text, text>', 'Map<text, bytes>'],
    [
      mismatch('Part a = 1;', 'a: Other | undefined;', 'message Part {}', 'export type Other = Empty;'),
      'Part \\| undefined',
      'Other \\| undefined',
    ],
    [
      mismatch('Kind a = 1;', 'a: Sort;', 'enum Kind { X = 0; }', 'export const Sort = { X: 0 } as const;'),
      'Kind',
      'Sort',
    ],
  ];
  for (const [files, from, to] of cases) {
    const pattern = `^api/thing/v1/api\\.proto:4:\\d+: group thing, version v1: 'AskRequest\\.a' \\(${from}\\) and its counterpart \\(${to}\\) are of different types; ${WRITE}`;
    const found = reported(files).filter((line) => line.startsWith('api/'));
    assert.is(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', new RegExp(pattern));
  }
});

test('an enum of one name whose names stand for other numbers is not trivial', () => {
  const files = mismatch(
    'Kind a = 1;',
    'a: Kind;',
    'enum Kind { X = 0; Y = 1; }',
    'export const Kind = { X: 0, Y: 2 } as const;',
  );
  refuses(files, /'AskRequest\.a' \(Kind\) and its counterpart number Y differently; write 'export function/);
});

test('a field without counterpart is an error in a request and in a response, and all are reported in one run', () => {
  const lines = reported({
    [PROTO]: proto({
      request: 'string lost = 1; string kept = 2;',
      response: 'Part part = 1;',
      more: 'message Part { bool odd = 1; }',
    }),
    [TYPES]: types({ request: 'kept: text;', response: 'part: Part | undefined;', more: 'export type Part = Empty;' }),
  });
  assert.is(lines.length, 2);
  assert.match(
    lines[0] ?? '',
    /^api\/thing\/v1\/api\.proto:4:\d+: group thing, version v1: 'AskRequest\.lost' \(text\) has no counterpart .*: the caller's data would be lost; write 'export function convert_pb_AskRequest_To_internal_AskRequest\(.* or, if that is right, name it there: ignoredFields = \{ AskRequest: \{ lost: 'reason' \} \}$/,
  );
  assert.match(
    lines[1] ?? '',
    /^api\/thing\/v1\/api\.proto:6:\d+: group thing, version v1: 'Part\.odd' \(bool\) has no counterpart .*: it would never be set; write 'export function convert_internal_Part_To_pb_Part\(/,
  );
});

// ------------------------------------------------------------------------------- hand-written functions

const IMPORTS =
  "import type * as pb from '../../../../api/thing/v1/api_generated.ts';\nimport type * as internal from '../types.ts';\n";

function withConversion(text: string): Record<string, string> {
  return { [PROTO]: proto({ request: 'string a = 1;' }), [CONVERSION]: `${IMPORTS}${text}\n` };
}

const NAME = 'convert_pb_AskRequest_To_internal_AskRequest';

test('a function whose name begins with convert_ and fits no message of the version', () => {
  refuses(
    withConversion('export function convert_pb_Ask_To_internal_Ask(input: pb.Ask, out: internal.Ask): void {}'),
    /conversion\.ts:3:17: 'convert_pb_Ask_To_internal_Ask' does not match expected conversion signature: .*no message/,
  );
});

test('a function that is not exported, or has other parameters or types', () => {
  const forms = [
    `function ${NAME}(input: pb.AskRequest, out: internal.AskRequest): void {}`,
    `export function ${NAME}(input: pb.AskRequest): void {}`,
    `export function ${NAME}(input: pb.AskRequest, out: internal.AskRequest, more: text): void {}`,
    `export function ${NAME}(input: internal.AskRequest, out: pb.AskRequest): void {}`,
    `export function ${NAME}(input: pb.AskResponse, out: internal.AskRequest): void {}`,
    `export function ${NAME}(input: AskRequest, out: internal.AskRequest): void {}`,
    `export function ${NAME}(input: pb.AskRequest, out: internal.AskRequest): boolean { return true; }`,
    `export async function ${NAME}(input: pb.AskRequest, out: internal.AskRequest) {}`,
    `export function ${NAME}<T>(input: pb.AskRequest, out: internal.AskRequest): void {}`,
    `export const ${NAME} = 1;`,
    `export { ${NAME} } from './elsewhere.ts';`,
  ];
  for (const form of forms) {
    refuses(
      withConversion(form),
      /^server\/thing\/internal\/v1\/conversion\.ts:3:\d+: 'convert_pb_AskRequest_To_internal_AskRequest' does not match expected conversion signature: write 'export function convert_pb_AskRequest_To_internal_AskRequest\(input: pb\.AskRequest, out: internal\.AskRequest\): void'$/,
    );
  }
});

test('two functions for one pair: both places are named', () => {
  const one = `export function ${NAME}(input: pb.AskRequest, out: internal.AskRequest): void {}`;
  refuses(
    withConversion(`${one}\n${one}`),
    /^server\/thing\/internal\/v1\/conversion\.ts:4:17: duplicate conversion '.*': it is in server\/thing\/internal\/v1\/conversion\.ts:3:17 already$/,
  );
});

test('functions of all forms are taken, and others left alone', () => {
  const forms = [
    `export function ${NAME}(input: pb.AskRequest, out: internal.AskRequest): void {}`,
    `export const ${NAME} = (input: pb.AskRequest, out: internal.AskRequest): void => {};`,
    `function ${NAME}(input: pb.AskRequest, out: internal.AskRequest) {}\nexport { ${NAME} };`,
    `import type { AskRequest as PbRequest } from '../../../../api/thing/v1/api_generated.ts';\nimport type { AskRequest } from '../types.ts';\nexport function ${NAME}(input: PbRequest, out: AskRequest): void {}`,
    `export function helper(): void {}\nexport function ${NAME}(input: pb.AskRequest, out: internal.AskRequest): void {}`,
  ];
  for (const form of forms) {
    withTree(withConversion(form), (tree) => {
      const { ok, report } = tree.run();
      assert.ok(ok, report);
      assert.match(tree.read('server/thing/internal/v1/server_generated.ts'), /AskRequest,? } from '.\/conversion.ts'/);
    });
  }
});

test('what only a hand-written function could call is not asked for, and no part of it is lost on the way', () => {
  const text =
    'export function convert_pb_AskRequest_To_internal_AskRequest(input: pb.AskRequest, out: internal.AskRequest): void {}';
  const files = {
    [PROTO]: proto({
      request: 'map<string, Outer> outers = 1;',
      more: 'message Outer { Inner inner = 1; string name = 2; }\nmessage Inner { string lost = 1; string kept = 2; }',
    }),
    [TYPES]: types({
      request: 'outers: Map<uint32, Outer>;',
      more: [
        'export interface Outer { inner: Inner | undefined; name: text }',
        'export interface Inner { kept: text }',
      ].join('\n'),
    }),
    [CONVERSION]: `${IMPORTS}${text}\n`,
  };
  withTree(files, (tree) => {
    const { ok, report } = tree.run();
    assert.ok(ok, report);
    const made = tree.read('server/thing/internal/v1/conversion_generated.ts');
    // Each has a part that needs a hand: there is a function for the rest, and none that claims to do all.
    assert.match(made, /autoConvert_pb_Inner_To_internal_Inner\(input: .*\n {2}out\.kept = input\.kept;\n}/);
    assert.match(made, /autoConvert_pb_Outer_To_internal_Outer\(input: .*\n {2}out\.name = input\.name;\n}/);
    assert.not.match(made, /\bconvert_pb_/);
  });
});

test('a function that nobody calls is a warning', () => {
  const text =
    'export function convert_internal_AskRequest_To_pb_AskRequest(input: internal.AskRequest, out: pb.AskRequest): void {}';
  withTree(withConversion(text), (tree) => {
    const { ok, report } = tree.run();
    assert.ok(ok, report);
    assert.match(report, /^warning: server\/thing\/internal\/v1\/conversion\.ts:3:17: '.*' is never called$/m);
  });
});

test('a file that is no TypeScript', () => {
  refuses(withConversion('export function {'), /^server\/thing\/internal\/v1\/conversion\.ts:3:17: /);
});

// ---------------------------------------------------------------------------------------- ignored fields

test('ignored fields need a reason, must exist, and must have no counterpart', () => {
  const declared = (text: string): Record<string, string> => ({
    ...withConversion(`export const ignoredFields = ${text};`),
    [TYPES]: types({ request: 'b: text;' }),
  });
  const LOST = /'AskRequest\.a' \(text\) has no counterpart/;
  const form =
    /conversion\.ts:3:\d+: ignoredFields is an object of messages, each an object of fields, each with the reason/;
  refuses(declared("{ AskRequest: { a: '' } }"), LOST, form);
  refuses(declared('{ AskRequest: { a: true } }'), LOST, form);
  refuses(declared("{ AskRequest: 'a' }"), LOST, form);
  refuses(declared("['AskRequest']"), LOST, form);
  refuses(
    declared("{ AskRequest: { a: 'why' }, Ask: { a: 'why' } }"),
    /:3:\d+: ignored field: this version has no message 'Ask'$/,
  );
  refuses(
    declared("{ AskRequest: { a: 'why', c: 'why' } }"),
    /:3:\d+: ignored field: 'AskRequest' has no field 'c' in this/,
  );
  refuses(
    { ...declared("{ AskRequest: { a: 'why' } }"), [TYPES]: types({ request: 'a: text;' }) },
    /:3:\d+: ignored field: 'AskRequest\.a' has a counterpart, and is converted$/,
  );
  withTree(declared("{ AskRequest: { a: 'nobody reads it' } } as const"), (tree) => assert.ok(tree.run().ok));
});

// ---------------------------------------------------------------------------------------------- the rest

test('a hand-written file under the name of a generated one is not overwritten', () => {
  refuses(
    { [PROTO]: proto(), 'client/thing/v1/client_generated.ts': 'export const mine = 1;\n' },
    /^client\/thing\/v1\/client_generated\.ts: written by hand, for its first line is not '\/\/ Code generated by/,
  );
});

test('a message that no RPC uses is a warning', () => {
  withTree({ [PROTO]: proto({ more: 'message Unused {}' }) }, (tree) => {
    const { ok, report } = tree.run();
    assert.ok(ok, report);
    assert.match(report, /^warning: api\/thing\/v1\/api\.proto:6:9: no RPC uses message 'Unused'$/m);
  });
});

test.run();
