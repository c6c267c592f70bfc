// Messages on the wire, against the encoding as protobufjs and its specification have it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bytes,
  enumOf,
  int32,
  int64,
  list,
  type MessageType,
  map,
  message,
  type OpenEnum,
  one,
  text,
  UNKNOWN_FIELDS,
  uint32,
  WireError,
} from '../../../../adapters/csi-proxy/codec/mod.ts';

const test = suite('messages on the wire');

const Color = { RED: 0, BLUE: 1 } as const;
interface Part {
  name: text;
  size: int64;
}
interface Whole {
  part: Part | undefined;
  parts: Part[];
  numbers: int32[];
  byNumber: Map<uint32, Part>;
  color: OpenEnum<0 | 1>;
  data: bytes;
  whole: Whole | undefined;
}
const Part = message<Part>('v1.Part', { name: one(1, text), size: one(2, int64) });
const Whole: MessageType<Whole> = message<Whole>('v1.Whole', {
  part: one(1, () => Part),
  parts: list(2, () => Part),
  numbers: list(3, int32),
  byNumber: map(4, uint32, () => Part),
  color: one(5, enumOf(Color)),
  data: one(6, bytes),
  whole: one(7, () => Whole),
});

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');
const refused = (bytes: Uint8Array, pattern: RegExp): void =>
  assert.throws(
    () => Whole.decode(bytes),
    (error: unknown) => error instanceof WireError && pattern.test(error.message),
  );

test('what was not written has its default, and defaults are not written', () => {
  const empty = Whole.decode(new Uint8Array());
  assert.equal(empty, Whole.create());
  assert.equal(empty.part, undefined);
  assert.equal(empty.byNumber, new Map());
  assert.is(Whole.encode(empty).length, 0);
  assert.is(Whole.encode({}).length, 0);
});

test('defaults are not shared between messages', () => {
  Whole.create().numbers.push(1);
  assert.equal(Whole.create().numbers, []);
});

test('numbers of a list are written in one piece, and read in one or in many', () => {
  assert.equal(Buffer.from(Whole.encode({ numbers: [1, 300, -1] })), hex('1a 0d 01 ac02 ffffffffffffffffff01'));
  assert.equal(Whole.decode(hex('18 01 18 ac02 1a 02 05 06')).numbers, [1, 300, 5, 6]);
});

test('of two values of a field the last counts; parts of a message are joined', () => {
  assert.equal(Whole.decode(hex('28 01 28 00')).color, 0);
  assert.equal(Whole.decode(hex('0a 03 0a 01 61  0a 02 10 05')).part, { name: 'a', size: 5n });
});

test('an entry of a map without key or value has their defaults', () => {
  assert.equal(Whole.decode(hex('22 00')).byNumber, new Map([[0, { name: '', size: 0n }]]));
  assert.equal(Whole.decode(hex('22 02 08 07')).byNumber, new Map([[7, { name: '', size: 0n }]]));
});

test('64-bit numbers keep all bits', () => {
  for (const size of [0n, 1n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    assert.is(Part.decode(Part.encode({ size })).size, size);
  }
});

test('an enum keeps a number without a name', () => {
  assert.is(Whole.decode(Whole.encode({ color: 77 })).color, 77);
});

test('unknown fields, and known ones of another wire type, survive', () => {
  const strange = hex('f8 01 05  29 0102030405060708');
  const whole = Whole.decode(Buffer.concat([strange, hex('28 01')]));
  assert.is(whole.color, 1);
  assert.equal(Buffer.from(Whole.encode(whole)), Buffer.concat([hex('28 01'), strange]));
  assert.equal(Buffer.from(Whole.encode({ ...whole, color: 0 })), strange, 'a copy has them, too');
  assert.is(Object.getOwnPropertySymbols(Whole.decode(hex('28 01'))).length, 0);
  const between = Whole.decode(Buffer.concat([strange, hex('28 01'), strange]));
  assert.equal(Buffer.from(Whole.encode(between)), Buffer.concat([hex('28 01'), strange, strange]));
});

test('unknown fields that follow each other are kept as one, however many they are', () => {
  const bytes = Buffer.alloc(3 * 700_000, hex('f8 01 05'));
  const whole = Whole.decode(bytes);
  const kept = (whole as { [UNKNOWN_FIELDS]?: Uint8Array[] })[UNKNOWN_FIELDS];
  assert.is(kept?.length, 1);
  assert.ok(bytes.equals(Whole.encode(whole)));
  bytes.fill(0);
  assert.is(kept?.[0]?.[0], 0xf8, 'a copy');
});

test('what was read does not share memory with what it was read from', () => {
  const received = Whole.encode({ data: hex('01 02') });
  const { data } = Whole.decode(received);
  received.fill(0xff);
  assert.equal([...data], [1, 2]);
});

test('a message that is cut short is refused, wherever it is cut', () => {
  const whole = Whole.encode({
    part: { name: 'name', size: -1n },
    parts: [{ name: 'b', size: 2n }],
    numbers: [1, 2],
    byNumber: new Map([[300, { name: 'c', size: 3n }]]),
    data: hex('010203'),
  });
  const ends = new Set([0]);
  for (let length = 1; length < whole.length; length += 1) {
    try {
      Whole.decode(whole.subarray(0, length));
      ends.add(length); // between two fields of the outermost message
    } catch (error) {
      assert.instance(error, WireError);
    }
  }
  assert.is(ends.size, 5);
});

test('bytes that are no message are refused, and it is said where', () => {
  refused(hex('0a 05 01'), /^v1\.Whole\.part: 5 bytes are announced where 1 are left$/);
  refused(hex('0a 06 0a 01 61 0a 05 62'), /^v1\.Whole\.part\.name: /);
  refused(hex('00 01'), /^v1\.Whole: a field has the number 0$/);
  refused(hex('0a 03 0a 01 ff'), /^v1\.Whole\.part\.name: .*/);
  refused(hex('28 ffffffffffffffffffff01'), /^v1\.Whole\.color: /);
  refused(hex('0f'), /^v1\.Whole: /);
  refused(hex('0c'), /^v1\.Whole: /);
});

test('messages within messages end at a depth of 100', () => {
  const nested = (depth: number): Uint8Array => {
    let whole = Whole.create();
    for (let level = 0; level < depth; level += 1) whole = Whole.create({ whole });
    return Whole.encode(whole);
  };
  assert.ok(Whole.decode(nested(100)).whole);
  refused(nested(101), /messages are more than 100 deep$/);
  refused(Buffer.alloc(200_000, 0x0b), /./); // groups that never end
});

test('a value that its type cannot hold is not cut, and no text is shown', () => {
  const refuses = (whole: object, pattern: RegExp): void =>
    assert.throws(
      () => Whole.encode(whole),
      (error: unknown) => error instanceof WireError && pattern.test(error.message),
    );
  refuses({ numbers: [2 ** 31] }, /^v1\.Whole\.numbers: a whole number from -2147483648 to 2147483647 is wanted, got/);
  refuses({ numbers: [0.5] }, /got 0\.5$/);
  refuses({ numbers: ['secret'] }, /got a text$/);
  refuses({ numbers: 'secret' }, /a list is wanted, got a text$/);
  refuses({ byNumber: new Map([[-1, {}]]) }, /^v1\.Whole\.byNumber: .* got -1$/);
  refuses({ byNumber: {} }, /a Map is wanted, got an object$/);
  refuses({ part: { size: 2n ** 63n } }, /^v1\.Whole\.part\.size: a bigint from .* got 9223372036854775808$/);
  refuses({ part: { size: 1 } }, /^v1\.Whole\.part\.size: a bigint from .* got 1$/);
  refuses({ part: { name: 'half \ud800' } }, /^v1\.Whole\.part\.name: the text has half a surrogate pair in it$/);
  refuses({ part: null }, /^v1\.Whole\.part: a v1\.Part is wanted, got null$/);
  refuses({ color: 'RED' }, /^v1\.Whole\.color: .* got a text$/);
});

test.run();
