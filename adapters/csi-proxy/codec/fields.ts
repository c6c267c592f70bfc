// The fields of a message: one value, a list or a map.
import type protobuf from 'protobufjs/minimal.js';
import { shown, type ValueType, WireType } from './scalars.ts';
import { WireError } from './wire-error.ts';

export interface Field<Value> {
  readonly number: number;
  readonly shape: 'one' | 'list' | 'map';
  /** Type of the value, or of each value of a list or a map. */
  readonly type: () => ValueType<unknown>;
  readonly keyType?: ValueType<unknown>;
  /** Never to be shown. */
  readonly isSecret?: true;
  initial(): Value;
  /** Writes nothing when there is nothing that a reader would not assume. */
  write(writer: protobuf.Writer, value: Value): void;
  /** Whether `read` understands values of this wire type; else they are unknown fields. */
  accepts(wireType: number): boolean;
  /** What `before` becomes with the next value in `reader`. */
  read(reader: protobuf.Reader, wireType: number, before: Value, depth: number): Value;
}

/** Messages may hold each other, so that a field names the type of its message lazily. */
type Lazy<Value> = () => ValueType<Value>;

const TAG_BITS = 3;

function writeTag(writer: protobuf.Writer, number: number, wireType: WireType): void {
  writer.uint32(((number << TAG_BITS) | wireType) >>> 0);
}

function check(type: ValueType<unknown>, value: unknown): void {
  const problem = type.problem(value);
  if (problem !== undefined) throw new WireError(problem);
}

/** One value. That of a message is undefined when it is absent; any other has its default then. */
export function one<Message>(number: number, type: Lazy<Message>): Field<Message | undefined>;
export function one<Value>(number: number, type: ValueType<Value>): Field<Value>;
export function one(number: number, type: ValueType<unknown> | Lazy<unknown>): Field<unknown> {
  return typeof type === 'function' ? oneMessage(number, type) : oneValue(number, type);
}

function oneValue(number: number, type: ValueType<unknown>): Field<unknown> {
  return {
    number,
    shape: 'one',
    type: () => type,
    initial: () => type.initial(),
    write(writer, value) {
      check(type, value);
      if (type.isInitial(value)) return;
      writeTag(writer, number, type.wireType);
      type.write(writer, value);
    },
    accepts: (wireType) => wireType === type.wireType,
    read: (reader, _, __, depth) => type.read(reader, depth),
  };
}

function oneMessage(number: number, type: Lazy<unknown>): Field<unknown> {
  return {
    number,
    shape: 'one',
    type,
    initial: () => undefined,
    write(writer, value) {
      if (value === undefined) return;
      check(type(), value);
      writeTag(writer, number, WireType.Bytes);
      type().write(writer, value);
    },
    accepts: (wireType) => wireType === WireType.Bytes,
    read: (reader, _, before, depth) => type().read(reader, depth, before),
  };
}

/** A list. Numbers are written in one piece, as proto3 does, and read in one or in many. */
export function list<Value>(number: number, type: ValueType<Value> | Lazy<Value>): Field<Value[]> {
  const lazy = typeof type === 'function' ? type : () => type;
  return {
    number,
    shape: 'list',
    type: lazy,
    initial: () => [],
    write(writer, values) {
      if (!Array.isArray(values)) throw new WireError(`a list is wanted, got ${shown(values)}`);
      if (values.length === 0) return;
      const type = lazy();
      for (const value of values) check(type, value);
      const isPacked = type.wireType !== WireType.Bytes;
      if (isPacked) {
        writeTag(writer, number, WireType.Bytes);
        writer.fork();
      }
      for (const value of values) {
        if (!isPacked) writeTag(writer, number, type.wireType);
        type.write(writer, value);
      }
      if (isPacked) writer.ldelim();
    },
    accepts: (wireType) => wireType === WireType.Bytes || wireType === lazy().wireType,
    read(reader, wireType, before, depth) {
      const type = lazy();
      if (wireType === type.wireType) before.push(type.read(reader, depth));
      else within(reader, () => before.push(type.read(reader, depth)));
      return before;
    },
  };
}

/** A map. Each entry is a message of its key, 1, and its value, 2. */
export function map<Key, Value>(
  number: number,
  keyType: ValueType<Key>,
  type: ValueType<Value> | Lazy<Value>,
): Field<Map<Key, Value>> {
  const lazy = typeof type === 'function' ? type : () => type;
  return {
    number,
    shape: 'map',
    type: lazy,
    keyType,
    initial: () => new Map(),
    write(writer, entries) {
      if (!(entries instanceof Map)) throw new WireError(`a Map is wanted, got ${shown(entries)}`);
      const type = lazy();
      for (const [key, value] of entries) {
        check(keyType, key);
        check(type, value);
        writeTag(writer, number, WireType.Bytes);
        writer.fork();
        writeTag(writer, 1, keyType.wireType);
        keyType.write(writer, key);
        writeTag(writer, 2, type.wireType);
        type.write(writer, value);
        writer.ldelim();
      }
    },
    accepts: (wireType) => wireType === WireType.Bytes,
    read(reader, _, before, depth) {
      const type = lazy();
      let key = keyType.initial();
      let value: Value | undefined;
      within(reader, () => {
        const tag = reader.tag();
        if (tag === ((1 << TAG_BITS) | keyType.wireType)) key = keyType.read(reader, depth);
        else if (tag === ((2 << TAG_BITS) | type.wireType)) value = type.read(reader, depth, value);
        else reader.skipType(tag & 7, depth, tag >>> TAG_BITS);
      });
      return before.set(key, value ?? type.initial());
    },
  };
}

/** A field whose value is never to be shown. */
export function secret<Value>(field: Field<Value>): Field<Value> {
  return { ...field, isSecret: true };
}

/** Reads a length, and calls `next` until that many bytes are read: it sees no byte beyond them. */
export function within(reader: protobuf.Reader, next: () => void): void {
  const length = reader.size();
  const end = reader.pos + length;
  const { len } = reader;
  if (end > len) throw new WireError(`${length} bytes are announced where ${len - reader.pos} are left`);
  reader.len = end;
  while (reader.pos < end) next();
  reader.len = len;
}
