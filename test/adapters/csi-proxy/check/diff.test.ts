import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { differencesOf, diffText } from '../../../../adapters/csi-proxy/check/diff.ts';
import { readProto } from '../../../../adapters/csi-proxy/protos/mod.ts';

const test = suite('differences between versions');

const OLDER = `syntax = "proto3"; package v1alpha1;
service Disk { rpc List(Q) returns (R); rpc Old(Q) returns (R); }
message Q { string disk_id = 1; int32 same = 2; }
message R { map<string, bool> m = 1; }
message Same { int32 a = 1; }
enum E { NONE = 0; }
`;
const NEWER = `syntax = "proto3"; package v1;
service Disk { rpc List(Q) returns (stream R); }
// Another comment.
message Same { int32 a = 1; }
message Q { uint32 disk_number = 1; int32 same = 2; oneof o { string x = 3; } }
message R { map<uint32, bool> m = 1; optional bool b = 2; repeated E e = 3; }
message New {}
enum E { NONE = 0; SOME = 1; }
`;
const CONVERSIONS = `export function convert_pb_Q_To_internal_Q(input: pb.Q, out: internal.Q): void {}
function convert_pb_R_To_internal_R(): void {}
`;

test('each block that differs is shown with what it lost and gained, and whether it is converted by hand', () => {
  const [older, newer] = [readProto(OLDER, 'a'), readProto(NEWER, 'b')];
  assert.is(
    diffText(differencesOf(older, newer, CONVERSIONS)),
    `Disk
  - rpc List(Q) returns (R)
  - rpc Old(Q) returns (R)
  + rpc List(Q) returns (stream R)
Q, converted by hand
  - string disk_id = 1
  + uint32 disk_number = 1
  + string x = 3 (oneof o)
R
  - map<string, bool> m = 1
  + map<uint32, bool> m = 1
  + optional bool b = 2
  + repeated E e = 3
E
  + SOME = 1
New
  + message New
`,
  );
  assert.is(diffText(differencesOf(older, older, '')), 'no difference\n');
});

test.run();
