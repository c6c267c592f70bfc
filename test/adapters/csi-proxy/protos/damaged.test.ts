// Whatever is done to a proto, the answer is a file or problems with places. CASES=n raises the number of files.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allElements, ProtoError, readProto } from '../../../../adapters/csi-proxy/protos/mod.ts';
import { fc } from '../../../world/properties.ts';

const test = suite('damaged protos');
const CASES = Number(process.env['CASES'] ?? 400);

const TEXT = `// A license.
syntax = "proto3";
// Deprecated: use v2.
package v1;
option go_package = "example.com/v1";
service Disk {
  rpc List(ListRequest) returns (ListResponse) { option deprecated = true; }
  rpc Watch(stream ListRequest) returns (stream v1.ListResponse);
}
message ListRequest { reserved 4, 6 to 8, 100 to max; reserved "old"; string name = 1 [deprecated = true]; }
message ListResponse {
  option (mine) = { a: 1 b { c: "}" } };
  message Place { int64 size = 1; }
  enum Kind { NONE = 0; SOME = 0x1; LESS = -1; reserved 9; }
  map<uint32, Place> places = 1; // by number
  repeated Kind kinds = 2 [json_name = "k"];
  oneof choice { bool yes = 3; bytes no = 5; }
  optional double share = 9;
}
`;
const WORDS = TEXT.split(/(\s+|\b|[{}()<>[\];=,])/).filter((word) => word !== '');
const EXTRA = [
  'group',
  'extend',
  'extensions',
  'import "x";',
  'constructor',
  '__proto__',
  'toString',
  '/*',
  '"',
  "'",
  '//',
  '\\',
  '0',
  '1',
  'ä',
  '\0',
];

const damage = fc.array(
  fc.record({
    at: fc.nat({ max: WORDS.length - 1 }),
    remove: fc.nat({ max: 3 }),
    insert: fc.array(fc.constantFrom(...WORDS, ...EXTRA), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

test('a damaged file is read, or refused with places inside it', () => {
  fc.assert(
    fc.property(damage, (edits) => {
      const words = [...WORDS];
      for (const { at, remove, insert } of edits) words.splice(at, remove, ...insert);
      const text = words.join('');
      const lines = text.split('\n');
      try {
        const file = readProto(text, 'api.proto');
        for (const { name, at } of allElements(file))
          assert.ok(lines[at.line - 1]?.startsWith(name, at.column - 1), name);
      } catch (error) {
        if (!(error instanceof ProtoError)) throw error;
        assert.ok(error.problems.length > 0);
        for (const { at } of error.problems) {
          const line = lines[at.line - 1];
          assert.ok(line !== undefined && at.column >= 1 && at.column <= line.length + 1, error.message);
        }
      }
    }),
    { numRuns: CASES, ...(process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }) },
  );
});

test.run();
