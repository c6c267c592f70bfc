// Messages as JSON, for people and logs: the mapping of proto3, with fields that have their default written, too.
import type { Field } from './fields.ts';
import type { MessageType } from './message.ts';
import { type EnumType, shown, type ValueType } from './scalars.ts';
import { errorAt, WireError } from './wire-error.ts';

export type JsonObject = { [key: string]: Json };
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** Replacement of a secret. */
export const HIDDEN = '***';

/**
 * A message as JSON. 64-bit numbers are texts of digits, bytes base64, numbers of enums their names.
 *
 * @param options.showSecrets otherwise `***` replaces each
 */
export function toJson<Message extends object>(
  type: MessageType<Message>,
  message: Message,
  { showSecrets = false }: { showSecrets?: boolean } = {},
): JsonObject {
  const value = (type: ValueType<unknown>, value: unknown): Json => {
    switch (type.kind) {
      case 'message':
        return toJson(type as MessageType<object>, value as object, { showSecrets });
      case 'enum':
        return nameOf(type as EnumType<number>, value as number);
      case 'bytes':
        return Buffer.from(value as Uint8Array).toString('base64');
      case 'bool':
      case 'string':
        return value as boolean | string;
      default:
        return Number.isFinite(value) ? (value as number) : String(value);
    }
  };
  return Object.fromEntries(
    Object.entries(message).flatMap(([name, fieldValue]) => {
      const field = type.fields[name];
      if (field === undefined || fieldValue === undefined) return [];
      if (field.isSecret && !showSecrets) return [[name, HIDDEN]];
      const of = field.type();
      if (field.shape === 'list') return [[name, (fieldValue as unknown[]).map((one) => value(of, one))]];
      if (field.shape === 'one') return [[name, value(of, fieldValue)]];
      const entries = fieldValue as Map<unknown, unknown>;
      return [[name, Object.fromEntries([...entries].map(([key, one]) => [String(key), value(of, one)]))]];
    }),
  );
}

function nameOf({ numbers }: EnumType<number>, value: number): Json {
  return Object.keys(numbers).find((name) => numbers[name] === value) ?? value;
}

/**
 * A message from JSON. Fields that are not given have their default; names may be those of the proto, too.
 *
 * @throws {WireError} an unknown field, or a value that its type cannot hold
 */
export function fromJson<Message extends object>(type: MessageType<Message>, json: unknown): Message {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(objectOf(json))) {
    const known = Object.hasOwn(type.fields, name) ? name : jsonNameOf(name);
    const field = Object.hasOwn(type.fields, known) ? type.fields[known] : undefined;
    if (field === undefined) {
      const names = Object.keys(type.fields).join(', ') || 'none';
      throw new WireError(`${type.name} has no field '${name}'; its fields: ${names}`);
    }
    try {
      if (value !== null) given[known] = fieldFrom(field, value);
    } catch (error) {
      throw errorAt(known, error);
    }
  }
  return type.create(given as Partial<Message>); // only of its fields, each with a value of the field's type
}

/** As protoc makes it: underscores go, the letter behind one is a capital. */
function jsonNameOf(name: string): string {
  return name.replace(/_+(.?)/g, (_, next: string) => next.toUpperCase());
}

function objectOf(json: unknown): object {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  throw new WireError(`an object is wanted, got ${shown(json)}`);
}

function fieldFrom({ shape, type, keyType }: Field<unknown>, json: unknown): unknown {
  if (shape === 'list') {
    if (!Array.isArray(json)) throw new WireError(`a list is wanted, got ${shown(json)}`);
    return json.map((one) => valueFrom(type(), one));
  }
  if (keyType === undefined) return valueFrom(type(), json);
  const keyFrom = (key: string): unknown => valueFrom(keyType, keyType.kind === 'bool' ? JSON.parse(key) : key);
  return new Map(Object.entries(objectOf(json)).map(([key, one]) => [keyFrom(key), valueFrom(type(), one)]));
}

function valueFrom(type: ValueType<unknown>, json: unknown): unknown {
  const value = type.kind === 'message' ? fromJson(type as MessageType<object>, json) : scalarFrom(type, json);
  const problem = type.problem(value);
  if (problem !== undefined) throw new WireError(problem);
  return value;
}

const INTEGER = /^-?[0-9]+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const FLOAT = /^(NaN|-?Infinity|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)$/;

function scalarFrom(type: ValueType<unknown>, json: unknown): unknown {
  switch (type.kind) {
    case 'string':
    case 'bool':
      return json;
    case 'bytes':
      if (typeof json !== 'string' || !BASE64.test(json)) throw new WireError(`base64 is wanted, got ${shown(json)}`);
      return new Uint8Array(Buffer.from(json, 'base64'));
    case 'enum': {
      const { numbers } = type as EnumType<number>;
      if (typeof json !== 'string') return json;
      if (Object.hasOwn(numbers, json)) return numbers[json];
      throw new WireError(`one of ${Object.keys(numbers).join(', ')} is wanted, got '${json}'`);
    }
    case 'float':
    case 'double':
      return typeof json === 'string' && FLOAT.test(json) ? Number(json) : json;
    default: {
      const isWide = type.kind.endsWith('64');
      if (typeof json === 'number' && isWide && Number.isSafeInteger(json)) return BigInt(json);
      if (typeof json !== 'string' || !INTEGER.test(json)) return json;
      return isWide ? BigInt(json) : Number(json);
    }
  }
}
