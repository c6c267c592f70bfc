// Every rule with changes it refuses and changes it accepts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RULES } from '../../../../adapters/csi-proxy/check/finding.ts';
import { brief, compared, type TreeOptions, type Versions } from './trees.ts';

const test = suite('compatibility rules');

const SERVICE = 'service G { rpc Do(Q) returns (R); }\n';
/** A version whose RPC takes Q and answers R. */
const rpc = (q: string, r = '', rest = ''): string => `${SERVICE}message Q { ${q} }\nmessage R { ${r} }\n${rest}`;
const v1 = (q: string, r?: string, rest?: string): Versions => ({ v1: rpc(q, r, rest) });
const alpha = (q: string, r?: string, rest?: string): Versions => ({ v1alpha1: rpc(q, r, rest) });

/** What was, what is, and all findings. */
type Case = readonly [title: string, base: Versions, current: Versions, findings: readonly string[], more?: More];

interface More {
  readonly with?: TreeOptions;
  /** What one of the texts must say. */
  readonly says?: RegExp;
}

const EMPTY = rpc('');
const OLD = 'reserved 1; reserved "a";';
const RPCS = (names: string): string => `service G { ${names} }\nmessage Q {}\nmessage R {}\n`;
const ENUM = (values: string): string => `enum E { NONE = 0; ${values} }`;
const DEPRECATED = '// Deprecated: gone soon.\n';
const head = (version: string, above = ''): string => `syntax = "proto3";\n\n${above}package ${version};\n${EMPTY}`;
const ANNOUNCED: TreeOptions = {
  releases: ['1.0.0', '1.1.0', '1.2.0'].map((name, index) => ({
    name,
    date: `2025-0${index + 1}-15`,
    versions: {
      v1: `${rpc('int32 a = 1 [deprecated = true];', '', `${ENUM('A = 1 [deprecated = true];')} message Lone { option deprecated = true; }`)}`,
      'g/v1beta1': head('v1beta1', DEPRECATED),
      'h/v1': head('v1', DEPRECATED),
    },
  })),
};

const CASES: readonly Case[] = [
  [
    'C00 refuses what is compatible, where versions are immutable',
    v1('int32 a = 1;'),
    v1('int32 a = 1; int32 b = 2;'),
    ['C00 break Q.b'],
    { with: { policy: 'immutable' } },
  ],
  [
    'C00 leaves a break that has a rule of its own to that rule',
    v1('int32 a = 1;'),
    v1('int64 a = 1; reserved 7;'),
    ['C00 break Q', 'C12 break Q.a'],
    { with: { policy: 'immutable' } },
  ],
  [
    'C00 leaves a rename to its rule, old name and new one',
    v1('int32 a = 1; E e = 2;', '', ENUM('A = 1;')),
    v1('int32 b = 1; E e = 2;', '', ENUM('B = 1;')),
    ['C14 break Q.a', 'C17 break E.A'],
    { with: { policy: 'immutable' } },
  ],
  [
    'C00 refuses the removal of a field whose time is over',
    v1('int32 a = 1;'),
    v1(OLD),
    ['C00 break Q', 'C00 break Q.a'],
    { with: { ...ANNOUNCED, policy: 'immutable' } },
  ],
  [
    'C00 accepts comments, formatting, options of other languages and deprecation marks',
    v1('int32 a = 1; int32 b = 2;'),
    {
      v1: `syntax = "proto3";\noption go_package = "x";\npackage v1;\n// New.\n${rpc('int32 b = 2; // also new\n int32 a = 1 [deprecated = true];')}`,
    },
    ['C25 info Q.a'],
    { with: { policy: 'immutable' } },
  ],
  ['C00 accepts new versions', v1(''), { v1: EMPTY, v2alpha1: EMPTY }, [], { with: { policy: 'immutable' } }],

  [
    'C01 refuses that a version goes unannounced',
    { v1alpha1: EMPTY, v1beta1: EMPTY },
    { v1alpha1: EMPTY },
    ['C01 break v1beta1'],
    { says: /never announced as deprecated; .* release number 4, not before 2027-03-15$/ },
  ],
  [
    'C01 accepts that a version goes whose time is over',
    { v1alpha1: EMPTY, v1beta1: head('v1beta1', DEPRECATED) },
    { v1alpha1: EMPTY },
    ['C01 info v1beta1'],
    { with: ANNOUNCED, says: /permitted since release number 4 and 2025-10-15$/ },
  ],
  [
    'C02 refuses that a group goes unannounced, for each of its versions',
    { v1: EMPTY, 'h/v1': EMPTY, 'h/v1alpha1': EMPTY },
    { v1: EMPTY },
    ['C02 break v1', 'C02 warn v1alpha1'],
  ],
  [
    'C02 accepts that a group goes whose versions may all go',
    { v1: EMPTY, 'h/v1': head('v1', DEPRECATED) },
    { v1: EMPTY },
    ['C02 info v1'],
    { with: ANNOUNCED },
  ],
  ['C03 refuses another package', v1(''), { v1: `syntax = "proto3"; package v2; ${EMPTY}` }, ['C03 break v1']],
  [
    'C03 refuses another name of the service, also in an alpha',
    alpha(''),
    { v1alpha1: EMPTY.replace('service G', 'service H') },
    ['C03 break G'],
    { says: /renamed to 'H'\?$/ },
  ],
  ['C03 refuses that the service goes', v1(''), { v1: 'message Q {} message R {}' }, ['C03 break G']],
  ['C03 accepts the same in another place', v1(''), { v1: `\n\n${EMPTY}` }, []],

  [
    'C04 refuses that an RPC goes unannounced',
    { v1: RPCS('rpc A(Q) returns (R); rpc B(R) returns (Q);') },
    { v1: RPCS('rpc A(Q) returns (R);') },
    ['C04 break G.B'],
  ],
  [
    'C04 warns where an RPC of an alpha goes unannounced',
    { v1alpha1: RPCS('rpc A(Q) returns (R); rpc B(Q) returns (Q);') },
    { v1alpha1: RPCS('rpc A(Q) returns (R);') },
    ['C04 warn G.B'],
  ],
  [
    'C04 accepts that an RPC of an alpha goes which was announced, whatever else is new',
    { v1alpha1: RPCS('rpc A(Q) returns (R); rpc B(R) returns (Q) { option deprecated = true; }') },
    { v1alpha1: RPCS('rpc A(Q) returns (R); rpc C(R) returns (Q);') },
    ['C04 info G.B', 'C20 info G.C'],
  ],
  [
    'C05 refuses another name of an RPC, also in an alpha',
    { v1alpha1: RPCS('rpc A(Q) returns (R);') },
    { v1alpha1: RPCS('rpc B(Q) returns (R);') },
    ['C05 break G.A', 'C20 info G.B'],
    { says: /renamed to 'B'\?$/ },
  ],
  [
    'C05 accepts both names',
    { v1: RPCS('rpc A(Q) returns (R);') },
    { v1: RPCS('rpc A(Q) returns (R); rpc B(Q) returns (R);') },
    ['C20 info G.B'],
  ],
  [
    'C06 refuses another message, though its shape agrees',
    v1(''),
    { v1: `service G { rpc Do(Q) returns (S); } message Q {} message R {} message S {}` },
    ['C06 break G.Do'],
  ],
  ['C06 accepts a new field in the message', v1(''), v1('', 'int32 a = 1;'), ['C18 info R.a']],
  [
    'C07 refuses streaming',
    v1(''),
    { v1: EMPTY.replace('(Q)', '(stream Q)') },
    ['C07 break G.Do'],
    { says: /was unary and is streaming its requests/ },
  ],
  [
    'C07 accepts a new RPC that streams',
    { v1: RPCS('rpc A(Q) returns (R);') },
    { v1: RPCS('rpc A(Q) returns (R); rpc B(R) returns (stream Q);') },
    ['C20 info G.B'],
  ],
  [
    'C08 refuses that a message goes which an RPC uses',
    v1('M m = 1;', '', 'message M { N n = 1; } message N {}'),
    v1('R m = 1;'),
    ['C08 break M', 'C08 break N', 'C12 break Q.m'],
    { says: /^removed, but 'Q\.m' used it$/ },
  ],
  [
    'C08 refuses that a message goes from a stable version that no RPC uses, until its time is over',
    v1('', '', 'message Other {} message Lone {}'),
    v1(''),
    ['C08 break Other', 'C08 info Lone'],
    { with: ANNOUNCED },
  ],
  [
    'C08 refuses that a response goes, too',
    v1(''),
    { v1: 'service G { rpc Do(Q) returns (Q); } message Q {}' },
    ['C06 break G.Do', 'C08 break R'],
    { says: /^removed, but 'G\.Do' used it$/ },
  ],
  [
    'C08 accepts that messages go with the last that used them',
    {
      v1alpha1: `service G { rpc Do(Q) returns (R); rpc Old(O) returns (P) { option deprecated = true; } }
message Q {} message R {} message O { P p = 1; } message P { message N { O o = 1; } N n = 1; }`,
    },
    alpha(''),
    ['C04 info G.Old', 'C08 info O', 'C08 info P', 'C08 info P.N'],
  ],

  ['C09 refuses that a field goes unannounced', v1('int32 a = 1;'), v1(OLD), ['C09 break Q.a']],
  [
    'C09 refuses that a field goes whose number and name are not reserved',
    v1('int32 a = 1;'),
    v1('reserved 1;'),
    ['C09 break Q.a'],
    { with: ANNOUNCED, says: /its name "a" must be reserved$/ },
  ],
  ['C09 refuses that also of an alpha', alpha('int32 a = 1;'), alpha(''), ['C09 break Q.a']],
  [
    'C09 accepts that a field goes whose time is over, reserved',
    v1('int32 a = 1;'),
    v1(OLD),
    ['C09 info Q.a'],
    { with: ANNOUNCED },
  ],
  ['C09 accepts that a field of an alpha goes, reserved', alpha('int32 a = 1;'), alpha(OLD), ['C09 warn Q.a']],
  ['C10 refuses another number, once', v1('int32 a = 1;'), v1('int32 a = 2;'), ['C10 break Q.a']],
  ['C10 accepts another order', v1('int32 a = 1; int32 b = 2;'), v1('int32 b = 2; int32 a = 1;'), []],
  [
    'C11 refuses what was reserved',
    v1(OLD),
    v1('int32 a = 2; int32 b = 1;'),
    ['C11 break Q.a', 'C11 break Q.b', 'C27 break Q', 'C27 break Q'],
  ],
  [
    'C11 refuses the number of another field',
    v1('int32 a = 1;'),
    v1('string b = 1;'),
    ['C09 break Q.a', 'C11 break Q.b'],
  ],
  [
    'C11 refuses what any earlier release used for something else',
    v1(''),
    v1('int32 b = 1; int32 a = 3; int32 c = 4;'),
    ['C11 break Q.a', 'C11 break Q.b', 'C11 break Q.c'],
    {
      with: { releases: [{ name: '1.0.0', date: '2025-01-15', versions: v1('int32 a = 1; string c = 4;') }] },
      says: /its number 1 was that of 'int32 a = 1' of 1\.0\.0:api\/g\/v1\/api\.proto$/,
    },
  ],
  [
    'C11 refuses a value that was reserved',
    v1('', '', ENUM('reserved 4;')),
    v1('', '', ENUM('A = 4;')),
    ['C11 break E.A', 'C27 break E'],
  ],
  [
    'C11 accepts the field that an earlier release had, and numbers that were never used',
    v1(''),
    v1('int32 a = 1; int32 b = 2;'),
    ['C18 info Q.a', 'C18 info Q.b'],
    { with: { releases: [{ name: '1.0.0', date: '2025-01-15', versions: v1('int32 a = 1;') }] } },
  ],
  ...(
    [
      ['int32', 'int64', true],
      ['uint64', 'bool', true],
      ['int32', 'E', true],
      ['string', 'bytes', true],
      ['sint32', 'sint64', true],
      ['fixed32', 'sfixed32', true],
      ['fixed64', 'sfixed64', true],
      ['int32', 'sint32', false],
      ['fixed32', 'fixed64', false],
      ['double', 'float', false],
      ['string', 'R', false],
      ['map<int32, string>', 'map<int64, bytes>', true],
      ['map<string, bool>', 'map<int32, bool>', false],
    ] as const
  ).map(
    ([before, after, agree]): Case => [
      `C12 refuses ${after} for ${before}`,
      v1(`${before} a = 1;`, '', ENUM('')),
      v1(`${after} a = 1;`, '', ENUM('')),
      ['C12 break Q.a'],
      { says: agree ? /the encodings happen to agree/ : /the encodings do not agree/ },
    ],
  ),
  [
    'C12 refuses another message, and does not judge its encoding',
    v1('Q a = 1;'),
    v1('R a = 1;'),
    ['C12 break Q.a'],
    { says: /the encodings agree as far as the messages do$/ },
  ],
  ['C12 accepts another spelling of the type', v1('R a = 1;'), v1('.v1.R a = 1;'), []],
  ['C13 refuses many for one', v1('int32 a = 1;'), v1('repeated int32 a = 1;'), ['C13 break Q.a']],
  ['C13 refuses a map for a list', v1('repeated R a = 1;'), v1('map<string, R> a = 1;'), ['C13 break Q.a']],
  ['C13 accepts a list that is one', v1('repeated R a = 1;'), v1('repeated R a = 1;'), []],
  [
    'C14 refuses another name, and says that the binary form survives',
    v1('int32 a = 1;'),
    v1('int32 b = 1;'),
    ['C14 break Q.a'],
    { says: /'a' is renamed to 'b'; the binary form survives/ },
  ],
  [
    'C14 accepts the same names in another message',
    v1('int32 a = 1;'),
    v1('int32 a = 1;', 'int32 b = 1;'),
    ['C18 info R.b'],
  ],
  ['C15 refuses a oneof', v1('int32 a = 1;'), v1('oneof o { int32 a = 1; }'), ['C15 break Q.a']],
  ['C15 refuses the end of a oneof', v1('oneof o { int32 a = 1; }'), v1('int32 a = 1;'), ['C15 break Q.a']],
  ['C15 refuses optional', v1('int32 a = 1;'), v1('optional int32 a = 1;'), ['C15 break Q.a']],
  ['C15 accepts the oneof that was', v1('oneof o { int32 a = 1; }'), v1('oneof o { int32 a = 1; }'), []],
  [
    'C16 refuses another JSON name',
    v1('int32 a_b = 1;'),
    v1('int32 a_b = 1 [json_name = "a_b"];'),
    ['C16 break Q.a_b'],
  ],
  ['C16 accepts the JSON name it has anyway', v1('int32 a_b = 1;'), v1('int32 a_b = 1 [json_name = "aB"];'), []],
  [
    'C17 refuses values that are removed, renumbered or renamed',
    v1('E e = 1;', '', ENUM('A = 1; B = 2; C = 3;')),
    v1('E e = 1;', '', ENUM('reserved 1; reserved "A"; B = 4; D = 3;')),
    ['C17 break E.A', 'C17 break E.B', 'C17 break E.C'],
  ],
  [
    'C17 refuses that a value goes whose number and name are not reserved',
    v1('', '', ENUM('A = 1;')),
    v1('', '', ENUM('')),
    ['C17 break E.A'],
    { with: ANNOUNCED },
  ],
  [
    'C17 refuses that a value goes whose name is reserved, and not its number',
    v1('', '', ENUM('A = 1;')),
    v1('', '', ENUM('reserved 2; reserved "A";')),
    ['C17 break E.A'],
    { with: ANNOUNCED },
  ],
  [
    'C17 accepts that a value goes whose time is over, reserved',
    v1('', '', ENUM('A = 1;')),
    v1('', '', ENUM('reserved 1; reserved "A";')),
    ['C17 info E.A'],
    { with: ANNOUNCED },
  ],
  [
    'C17 accepts that an enum goes with the field that used it, and refuses it else',
    alpha('F f = 1;', 'E e = 1;', `${ENUM('')} enum F { NO = 0; }`),
    alpha('reserved 1; reserved "f";', 'int32 e = 1;'),
    ['C09 warn Q.f', 'C12 break R.e', 'C17 break E', 'C17 warn F'],
  ],

  ['C18 accepts a field with a fresh number', v1(''), v1('int32 a = 1;'), ['C18 info Q.a']],
  ['C18 leaves a required field to C19', v1(''), v1('\n// +required\nint32 a = 1;'), ['C19 break Q.a']],
  [
    'C19 refuses the mark on a field of a request',
    v1('M m = 1;', '', 'message M { int32 a = 1; }'),
    v1('M m = 1;', '', 'message M {\n// +required\nint32 a = 1; }'),
    ['C19 break M.a'],
  ],
  [
    'C19 accepts the mark on a field of a response, and less than was required',
    v1('int32 a = 1; // +required\n', 'int32 b = 1;'),
    v1('int32 a = 1;', 'int32 b = 1; // +required\n'),
    [],
  ],
  [
    'C19 refuses the mark on a message of a request, for each of its fields',
    v1('M m = 1;', '', 'message M { int32 a = 1; }'),
    v1('M m = 1;', '', 'message M { // +required\nint32 a = 1; int32 b = 2; }'),
    ['C19 break M.a', 'C19 break M.b'],
  ],
  [
    'C20 accepts a new RPC',
    { v1: RPCS('rpc A(Q) returns (R);') },
    { v1: RPCS('rpc A(Q) returns (R); rpc B(R) returns (Q);') },
    ['C20 info G.B'],
  ],
  [
    'C20 leaves an RPC that takes the place of another to C05',
    { v1: RPCS('rpc A(Q) returns (R);') },
    { v1: RPCS('rpc B(Q) returns (R);') },
    ['C05 break G.A', 'C20 info G.B'],
  ],
  [
    'C21 refuses a value that responses may carry',
    v1('', 'repeated M m = 1;', `message M { E e = 1; } ${ENUM('')}`),
    v1('', 'repeated M m = 1;', `message M { E e = 1; } ${ENUM('A = 1;')}`),
    ['C21 break E.A'],
  ],
  [
    'C21 accepts it where the enum was declared open',
    v1('', 'E e = 1;', `\n// +open-enum\n${ENUM('')}`),
    v1('', 'E e = 1;', ENUM('A = 1;')),
    ['C21 info E.A'],
  ],
  [
    'C21 refuses it where the enum is only declared open now',
    v1('', 'E e = 1;', ENUM('')),
    v1('', 'E e = 1;', `\n// +open-enum\n${ENUM('A = 1;')}`),
    ['C21 break E.A'],
  ],
  [
    'C22 warns of a value that only requests carry',
    v1('E e = 1;', '', ENUM('')),
    v1('E e = 1;', '', ENUM('A = 1;')),
    ['C22 warn E.A'],
  ],
  ['C22 accepts a new enum', v1(''), v1('E e = 1;', '', ENUM('A = 1;')), ['C18 info Q.e']],
  ['C23 refuses another syntax', v1(''), { v1: `syntax = "proto2"; package v1; ${EMPTY}` }, ['C23 break v1']],
  ['C23 accepts the syntax that was', { v1: head('v1') }, v1(''), []],
  [
    'C24 accepts other comments',
    v1('// A.\n int32 a = 1;', '', `// One.\n${ENUM('')}`),
    v1('/* B. */ int32 a = 1;', '', `// Another.\n${ENUM('')}`),
    [],
  ],
  [
    'C24 leaves comments that are marks to the rules of the marks',
    v1('int32 a = 1;'),
    v1('int32 a = 1; // +required\n'),
    ['C19 break Q.a'],
  ],
  [
    'C25 tells of marks on fields, RPCs, messages, enums, values and versions',
    { v1: rpc('int32 a = 1;', 'E e = 1;', ENUM('A = 1;')) },
    {
      v1: head('v1', DEPRECATED)
        .replace('message Q {  }', 'message Q { option deprecated = true; int32 a = 1 [deprecated = true]; }')
        .replace(
          'message R {  }',
          `message R { E e = 1; } ${ENUM('A = 1 [deprecated = true]; option deprecated = true;')}`,
        )
        .replace('returns (R);', 'returns (R) { option deprecated = true; }'),
    },
    ['C25 info E', 'C25 info E.A', 'C25 info G.Do', 'C25 info Q', 'C25 info Q.a', 'C25 info v1'],
  ],
  [
    'C25 warns where only less stable versions are left',
    { v1: EMPTY, v2alpha1: EMPTY },
    { v1: head('v1', DEPRECATED), v2alpha1: EMPTY },
    ['C25 warn v1'],
  ],
  [
    'C25 accepts that a whole group is deprecated, or that a stable version is left',
    { v1: EMPTY, v1beta1: EMPTY, 'h/v1': EMPTY },
    { v1: EMPTY, v1beta1: head('v1beta1', DEPRECATED), 'h/v1': head('v1', DEPRECATED) },
    ['C25 info v1', 'C25 info v1beta1'],
  ],
  [
    'C25 accepts that one of two stable versions is deprecated',
    { v1: EMPTY, v2: EMPTY },
    { v1: head('v1', DEPRECATED), v2: EMPTY },
    ['C25 info v1'],
  ],
  [
    'C25 warns of what is deprecated in a new version',
    v1(''),
    { v1: EMPTY, v2alpha1: rpc('int32 a = 1 [deprecated = true];') },
    ['C25 warn Q.a'],
  ],
  [
    'C26 tells of marks that are gone',
    { v1: head('v1', DEPRECATED).replace('message Q {', 'message Q { int32 a = 1 [deprecated = true];') },
    v1('int32 a = 1;'),
    ['C26 info Q.a', 'C26 info v1'],
  ],
  ['C26 is silent of marks that stay', { v1: head('v1', DEPRECATED) }, { v1: head('v1', DEPRECATED) }, []],
  [
    'C27 refuses that something is not reserved any more',
    v1('reserved 2 to 9; reserved "a";', '', ENUM('reserved 7;')),
    v1('reserved 2 to 4, 6 to max;', '', ENUM('')),
    ['C27 break E', 'C27 break Q', 'C27 break Q'],
    { says: /^2 to 9 is not reserved any more$/ },
  ],
  [
    'C27 accepts other words for the same, and more',
    v1('reserved 2 to 9; reserved "a";'),
    v1('reserved 5 to max, 2, 3; reserved "b", "a"; reserved 4;'),
    [],
  ],

  [
    'C28 refuses a beta of a stable version',
    v1(''),
    { v1: EMPTY, v1beta4: EMPTY, v1beta3: EMPTY },
    ['C28 break v1beta3', 'C28 break v1beta4', 'C29 warn v1beta3'],
  ],
  ['C28 accepts the alpha of the next', v1(''), { v1: EMPTY, v2alpha1: EMPTY }, []],
  [
    'C28 accepts a beta before the stable version',
    { v1alpha1: EMPTY },
    { v1alpha1: EMPTY, v1beta1: EMPTY, v1beta2: EMPTY },
    [],
  ],
  [
    'C29 warns of a group, and of a major number, that begins with a beta',
    v1(''),
    { v1: EMPTY, v2beta1: EMPTY, 'h/v1beta1': EMPTY },
    ['C29 warn v1beta1', 'C29 warn v2beta1'],
  ],
  ['C29 accepts a group that begins with an alpha', v1(''), { v1: EMPTY, 'h/v1alpha1': EMPTY }, []],
  [
    'C30 warns of a stable version that had no beta',
    { v1alpha1: EMPTY },
    { v1alpha1: EMPTY, v1: EMPTY },
    ['C30 warn v1'],
  ],
  [
    'C30 accepts a stable version that had one',
    { v1alpha1: EMPTY, v1beta1: head('v1beta1', DEPRECATED) },
    { v1alpha1: EMPTY, v1: EMPTY },
    ['C01 info v1beta1'],
    { with: ANNOUNCED },
  ],
];

for (const [title, base, current, expected, { with: circumstances, says } = {}] of CASES) {
  test(title, () => {
    const findings = compared(base, current, circumstances);
    assert.equal(brief(findings), expected);
    if (says !== undefined)
      assert.ok(
        findings.some(({ text }) => says.test(text)),
        findings.map(({ text }) => text).join('\n'),
      );
  });
}

test('findings are sorted by group, then version, then place, and a removal says from when on it may go', () => {
  const base = { 'b/v1': rpc('int32 a = 1;'), 'a/v1': rpc('', 'int32 a = 1;'), 'a/v1beta1': rpc('int32 a = 1;') };
  const current = {
    'b/v1': rpc('reserved 1; reserved "a";'),
    'a/v1': rpc('int64 z = 2;', 'int64 a = 1;'),
    'a/v1beta1': rpc('int64 a = 1; int32 b = 2;'),
  };
  const findings = compared(base, current);
  assert.equal(
    findings.map(({ group, version, element, permitted }) => [`${group}/${version} ${element}`, permitted]),
    [
      ['a/v1beta1 Q.a', undefined],
      ['a/v1beta1 Q.b', undefined],
      ['a/v1 Q.z', undefined],
      ['a/v1 R.a', undefined],
      ['b/v1 Q.a', { release: 4, date: '2027-06-15' }],
    ],
  );
});

test('every rule has an example that it refuses and one that it accepts', () => {
  // Refused by nobody; the last three have a file of their own.
  const notHere = ['C18', 'C20', 'C24', 'C26', 'C31', 'C32', 'C33'];
  for (const rule of Object.keys(RULES)) {
    const ofRule = CASES.filter(([title]) => title.startsWith(rule)).map(([, , , findings]) => findings.join());
    const [refused, bad] = [new RegExp(`${rule} (break|warn)`), / (break|warn) /];
    assert.ok(notHere.includes(rule) || ofRule.some((expected) => refused.test(expected)), `${rule} refuses nothing`);
    assert.ok(rule > 'C30' || ofRule.some((expected) => !bad.test(expected)), `${rule} accepts nothing`);
  }
});

test.run();
