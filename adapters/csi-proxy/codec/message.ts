// Messages by the table of their fields. The table is generated from `api.proto`, and the compiler proves that it agrees
// with the interface of the message.
//
// Fields that the table does not know are kept, as proto3 wants it: under the symbol UNKNOWN_FIELDS, which copies of a
// message have too, and written again behind the known ones.
import protobuf from 'protobufjs/minimal.js';
import { type Field, within } from './fields.ts';
import { shown, type ValueType, WireType } from './scalars.ts';
import { errorAt, WireError } from './wire-error.ts';

export type FieldTable<Message> = { readonly [Name in keyof Message]-?: Field<Message[Name]> };

export interface MessageType<Message extends object> extends ValueType<Message> {
  readonly kind: 'message';
  /** With its package: `v1.DiskLocation`. */
  readonly name: string;
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  /** A message of which every field that is not given has its default. */
  create(given?: Partial<Message>): Message;
  /** @throws {WireError} a value that its type cannot hold */
  encode(message: Partial<Message>): Uint8Array;
  /** @throws {WireError} the bytes are no such message, or not all of it */
  decode(bytes: Uint8Array): Message;
}

/** One call of a service. */
export interface Method<Request extends object, Response extends object> {
  /** As the proto has it: `ListDiskLocations`. */
  readonly name: string;
  /** `/v1.Disk/ListDiskLocations`. */
  readonly path: string;
  readonly request: MessageType<Request>;
  readonly response: MessageType<Response>;
  /** Marked deprecated, itself or with its version. */
  readonly isDeprecated: boolean;
}

/** The calls of a service, each under its name with a small first letter. */
export type Service = Readonly<Record<string, Method<object, object>>>;

export const UNKNOWN_FIELDS: unique symbol = Symbol('unknown fields');

/** Message whose fields are accessed by name. */
type Slots = Record<string, unknown> & { [UNKNOWN_FIELDS]?: Uint8Array[] };

/** The depth to which messages may hold messages; that of other implementations. */
const DEEPEST = 100;

export function message<Message extends object>(name: string, fields: FieldTable<Message>): MessageType<Message> {
  // Seen by name, a table is a record of fields: Object.entries has lost what FieldTable says of each.
  const table = fields as Readonly<Record<string, Field<unknown>>>;
  const entries = Object.entries(table);
  const byNumber = new Map(entries.map((entry) => [entry[1].number, entry]));

  function create(given?: Partial<Message>): Message {
    const slots: Slots = {};
    for (const [name, field] of entries) slots[name] = field.initial();
    return Object.assign(slots, given) as Message;
  }

  function writeFields(writer: protobuf.Writer, message: Partial<Message>): void {
    const slots = message as Slots;
    for (const [name, field] of entries) {
      const value = slots[name];
      if (value === undefined) continue;
      try {
        field.write(writer, value);
      } catch (error) {
        throw errorAt(name, error);
      }
    }
    for (const bytes of slots[UNKNOWN_FIELDS] ?? []) writer.raw(bytes);
  }

  function readField(reader: protobuf.Reader, slots: Slots, depth: number, unknown: UnknownRun): void {
    const start = reader.pos;
    const tag = reader.tag();
    const [number, wireType] = [tag >>> 3, tag & 7];
    if (number === 0) throw new WireError('a field has the number 0');
    const entry = byNumber.get(number);
    if (entry?.[1].accepts(wireType)) {
      unknown.end(start);
      const [name, field] = entry;
      try {
        slots[name] = field.read(reader, wireType, slots[name], depth);
      } catch (error) {
        throw errorAt(name, error);
      }
    } else {
      reader.skipType(wireType, depth, number);
      unknown.begin(start);
    }
  }

  return {
    kind: 'message',
    name,
    fields: table,
    wireType: WireType.Bytes,
    create,
    initial: () => create(),
    isInitial: () => false,
    problem: (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? undefined
        : `a ${name} is wanted, got ${shown(value)}`,
    write(writer, message) {
      writeFields(writer.fork(), message);
      writer.ldelim();
    },
    read(reader, depth, before = create()) {
      if (depth >= DEEPEST) throw new WireError(`messages are more than ${DEEPEST} deep`);
      const unknown = new UnknownRun(reader, before as Slots);
      within(reader, () => readField(reader, before as Slots, depth + 1, unknown));
      unknown.end(reader.pos);
      return before;
    },
    encode(message) {
      const writer = protobuf.Writer.create();
      try {
        writeFields(writer, message);
      } catch (error) {
        throw errorAt(name, error);
      }
      return writer.finish();
    },
    decode(bytes) {
      const reader = protobuf.Reader.create(bytes);
      const result = create();
      try {
        const unknown = new UnknownRun(reader, result as Slots);
        while (reader.pos < reader.len) readField(reader, result as Slots, 0, unknown);
        unknown.end(reader.pos);
      } catch (error) {
        throw errorAt(name, error);
      }
      return result;
    },
  };
}

/** Unknown fields that follow each other are kept as one: a request may be made of nothing else. */
class UnknownRun {
  readonly #reader: protobuf.Reader;
  readonly #slots: Slots;
  #from: number | undefined;

  constructor(reader: protobuf.Reader, slots: Slots) {
    this.#reader = reader;
    this.#slots = slots;
  }

  begin(at: number): void {
    this.#from ??= at;
  }

  end(at: number): void {
    if (this.#from === undefined) return;
    this.#slots[UNKNOWN_FIELDS] ??= [];
    this.#slots[UNKNOWN_FIELDS].push(new Uint8Array(this.#reader.raw(this.#from, at)));
    this.#from = undefined;
  }
}

/** @param path  `/v1.Disk/ListDiskLocations` */
export function rpc<Request extends object, Response extends object>(
  path: string,
  request: MessageType<Request>,
  response: MessageType<Response>,
  { isDeprecated = false }: { isDeprecated?: boolean } = {},
): Method<Request, Response> {
  return { name: path.slice(path.lastIndexOf('/') + 1), path, request, response, isDeprecated };
}
