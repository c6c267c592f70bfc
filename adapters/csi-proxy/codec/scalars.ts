// The types of single values: how each is written and read, and which values it holds. Bytes are protobufjs's work.
//
// Scalars are also types of TypeScript, with the same names. Several of them are one type there; the generator
// distinguishes
// apart by these names, in the internal types of a group.
import type protobuf from 'protobufjs/minimal.js';

export const WireType = { Varint: 0, Fixed64: 1, Bytes: 2, GroupStart: 3, GroupEnd: 4, Fixed32: 5 } as const;
export type WireType = (typeof WireType)[keyof typeof WireType];

export interface ValueType<Value> {
  /** As a proto spells it; `enum` and `message` for those. */
  readonly kind: string;
  readonly wireType: WireType;
  /** Default value, which is not written and is read if nothing was written. */
  initial(): Value;
  isInitial(value: Value): boolean;
  /** Undefined when the type holds the value, else what is wrong with it. */
  problem(value: unknown): string | undefined;
  write(writer: protobuf.Writer, value: Value): void;
  /**
   * @param depth  of the message that the value is in
   * @param before  what was read of the same value: parts of a message may come one after the other
   */
  read(reader: protobuf.Reader, depth: number, before?: Value): Value;
}

/** A message without fields. */
export type Empty = Record<string, never>;

/** The numbers of an enum. One that has no name is kept, too: a later version may have more. */
export type OpenEnum<Named extends number> = Named | (number & Record<never, never>);

export interface EnumType<Named extends number> extends ValueType<OpenEnum<Named>> {
  readonly kind: 'enum';
  readonly numbers: Readonly<Record<string, Named>>;
}

const NUMBER_FORM = { integer: 'a whole number', bigint: 'a bigint' } as const;

function range(form: keyof typeof NUMBER_FORM, least: number | bigint, most: number | bigint) {
  return (value: unknown): string | undefined => {
    const fits =
      (form === 'integer' ? Number.isInteger(value) : typeof value === 'bigint') &&
      (value as number | bigint) >= least &&
      (value as number | bigint) <= most;
    return fits ? undefined : `${NUMBER_FORM[form]} from ${least} to ${most} is wanted, got ${shown(value)}`;
  };
}

const int32Problem = range('integer', -(2 ** 31), 2 ** 31 - 1);
const uint32Problem = range('integer', 0, 2 ** 32 - 1);
const int64Problem = range('bigint', -(2n ** 63n), 2n ** 63n - 1n);
const uint64Problem = range('bigint', 0n, 2n ** 64n - 1n);

/** Text for people; a text may be a secret, so only its type is shown. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' && value !== null ? `an ${typeof value}` : String(value);
}

type NumberMethod = 'int32' | 'uint32' | 'sint32' | 'fixed32' | 'sfixed32' | 'float' | 'double';

function numberType(kind: NumberMethod, wireType: WireType, problem: (value: unknown) => string | undefined) {
  return {
    kind,
    wireType,
    initial: () => 0,
    isInitial: (value) => Object.is(value, 0),
    problem,
    write: (writer, value) => void writer[kind](value),
    read: (reader) => reader[kind](),
  } satisfies ValueType<number>;
}

type BigintMethod = 'int64' | 'uint64' | 'sint64' | 'fixed64' | 'sfixed64';

function bigintType(kind: BigintMethod, wireType: WireType): ValueType<bigint> {
  const isUnsigned = kind === 'uint64' || kind === 'fixed64';
  return {
    kind,
    wireType,
    initial: () => 0n,
    isInitial: (value) => value === 0n,
    problem: isUnsigned ? uint64Problem : int64Problem,
    write(writer, value) {
      const low = Number(BigInt.asIntN(32, value));
      const high = Number(BigInt.asIntN(32, value >> 32n));
      writer[kind]({ low, high, unsigned: isUnsigned });
    },
    read(reader) {
      const { low, high } = reader[kind]();
      return (BigInt(isUnsigned ? high >>> 0 : high) << 32n) | BigInt(low >>> 0);
    },
  };
}

const finiteOrNot = (value: unknown): string | undefined =>
  typeof value === 'number' ? undefined : `a number is wanted, got ${shown(value)}`;

export type int32 = number;
export const int32 = numberType('int32', WireType.Varint, int32Problem);
export type uint32 = number;
export const uint32 = numberType('uint32', WireType.Varint, uint32Problem);
export type sint32 = number;
export const sint32 = numberType('sint32', WireType.Varint, int32Problem);
export type fixed32 = number;
export const fixed32 = numberType('fixed32', WireType.Fixed32, uint32Problem);
export type sfixed32 = number;
export const sfixed32 = numberType('sfixed32', WireType.Fixed32, int32Problem);
export type float = number;
export const float = numberType('float', WireType.Fixed32, finiteOrNot);
export type double = number;
export const double = numberType('double', WireType.Fixed64, finiteOrNot);
export type int64 = bigint;
export const int64 = bigintType('int64', WireType.Varint);
export type uint64 = bigint;
export const uint64 = bigintType('uint64', WireType.Varint);
export type sint64 = bigint;
export const sint64 = bigintType('sint64', WireType.Varint);
export type fixed64 = bigint;
export const fixed64 = bigintType('fixed64', WireType.Fixed64);
export type sfixed64 = bigint;
export const sfixed64 = bigintType('sfixed64', WireType.Fixed64);

export type bool = boolean;
export const bool: ValueType<boolean> = {
  kind: 'bool',
  wireType: WireType.Varint,
  initial: () => false,
  isInitial: (value) => !value,
  problem: (value) => (typeof value === 'boolean' ? undefined : `true or false is wanted, got ${shown(value)}`),
  write: (writer, value) => void writer.bool(value),
  read: (reader) => reader.bool(),
};

export type text = string;
export const text: ValueType<string> = {
  kind: 'string',
  wireType: WireType.Bytes,
  initial: () => '',
  isInitial: (value) => value === '',
  problem(value) {
    if (typeof value !== 'string') return `a text is wanted, got ${shown(value)}`;
    // Half a surrogate pair has no bytes: it would arrive as another character.
    return value.isWellFormed() ? undefined : 'the text has half a surrogate pair in it';
  },
  write: (writer, value) => void writer.string(value),
  read: (reader) => reader.stringVerify(),
};

export type bytes = Uint8Array;
export const bytes: ValueType<Uint8Array> = {
  kind: 'bytes',
  wireType: WireType.Bytes,
  initial: () => new Uint8Array(),
  isInitial: (value) => value.length === 0,
  problem: (value) => (value instanceof Uint8Array ? undefined : `a Uint8Array is wanted, got ${shown(value)}`),
  write: (writer, value) => void writer.bytes(value),
  // A copy: what was received is not kept alive, nor changed, through a message.
  read: (reader) => new Uint8Array(reader.bytes()),
};

/** An enum by its names. A number without a name is kept as it is. */
export function enumOf<Named extends number>(numbers: Readonly<Record<string, Named>>): EnumType<Named> {
  return {
    kind: 'enum',
    numbers,
    wireType: WireType.Varint,
    initial: () => 0,
    isInitial: (value) => value === 0,
    problem: int32Problem,
    write: (writer, value) => void writer.int32(value),
    read: (reader) => reader.int32(),
  };
}
