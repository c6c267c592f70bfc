// The identifiers of a disk, as Windows hands them on.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { page83 } from '../../../../adapters/csi-proxy/hosts/windows/page83.ts';
import { fc } from '../../../world/properties.ts';

const test = suite('page 83');

interface Identifier {
  readonly codeSet: number;
  readonly association: number;
  readonly bytes: Uint8Array;
}

/** STORAGE_DEVICE_ID_DESCRIPTOR. */
function descriptor(identifiers: readonly Identifier[]): Uint8Array {
  const parts = identifiers.map(({ codeSet, association, bytes }, index) => {
    const length = 16 + Math.ceil(bytes.length / 4) * 4;
    const part = Buffer.alloc(length);
    part.writeUInt32LE(codeSet, 0);
    part.writeUInt16LE(bytes.length, 8);
    part.writeUInt16LE(index === identifiers.length - 1 ? 0 : length, 10);
    part.writeUInt32LE(association, 12);
    part.set(bytes, 16);
    return part;
  });
  const head = Buffer.alloc(12);
  head.writeUInt32LE(identifiers.length, 8);
  return Buffer.concat([head, ...parts]);
}

const ascii = (text: string, association = 0): Identifier => ({ codeSet: 2, association, bytes: Buffer.from(text) });
const binary = (hex: string, association = 0): Identifier => ({
  codeSet: 1,
  association,
  bytes: Buffer.from(hex, 'hex'),
});

for (const [title, identifiers, expected] of [
  ['none', [], ''],
  ['text, blanks and all', [ascii('Google  persistent-disk-1')], 'Google  persistent-disk-1'],
  ['binary in small letters', [binary('6002248012ABCDEF')], '6002248012abcdef'],
  ['the first of the device', [ascii('port', 1), ascii('target', 2), binary('0a'), ascii('later')], '0a'],
  ['one in another alphabet is passed over', [{ ...ascii('x'), codeSet: 3 }, ascii('y')], 'y'],
  ['only others', [ascii('port', 1)], ''],
] as const) {
  test(title, () => {
    assert.is(page83(descriptor(identifiers)), expected);
  });
}

test('a damaged descriptor is an answer or a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat({ max: 120 }), (bytes, cut) => {
      for (const candidate of [bytes, descriptor([ascii('abc'), binary('ff')]).subarray(0, cut)]) {
        try {
          assert.type(page83(candidate), 'string');
        } catch (error) {
          assert.instance(error, RangeError);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test.run();
