// Objects of the built-in kinds in protobuf, as Go clients send them. To everything else in the server they are JSON: they
// are rewritten on their way in, by messages made from the types of the kinds. Nothing is answered in protobuf: who
// accepts it accepts JSON too.
import type { Root, Type } from 'protobufjs';
import { type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { protobufjs } from '../base/libraries.ts';
import { kindTypeName, TYPES } from '../schemas/builtin/mod.ts';
import { type FieldType, fieldType, META_PACKAGE, METADATA_FIELD, type NamedType } from '../schemas/types.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Prefix of every object. */
const MAGIC = Buffer.from('k8s\0');

/** Messages that are not what their JSON looks like. */
const SCHEMA = `
syntax = "proto2";
message Time { optional int64 seconds = 1; optional int32 nanos = 2; }
message Raw { optional bytes raw = 1; }
message Texts { repeated string items = 1; }
message TypeMeta { optional string apiVersion = 1; optional string kind = 2; }
message Unknown {
  optional TypeMeta typeMeta = 1; optional bytes raw = 2; optional string contentEncoding = 3;
  optional string contentType = 4;
}
`;

/** The JSON of it is what its bytes hold. */
const RAW_TYPE = `${META_PACKAGE}.FieldsV1`;

let parsed: Root | undefined;
const root = (): Root => {
  parsed ??= protobufjs().parse(SCHEMA, { keepCase: true }).root;
  return parsed;
};
const messages = new Map<string, Type>();
const plain = (name: string): Type => root().lookupType(name);

/** Only the number counts on the wire; names such as `$ref` are none to the library. */
const fieldKey = (number: number): string => `field${number}`;

/** Names of types are unique within a package only; dots would make them packages. */
const flat = (fullName: string): string => fullName.replaceAll(/[.-]/g, '_');

const SCALARS: Readonly<Record<string, string>> = { boolean: 'bool', texts: 'Texts' };

function messageOf(fullName: string): Type {
  const known = messages.get(fullName);
  if (known !== undefined) return known;
  const { Field, MapField, Type: Message } = protobufjs();
  const type = new Message(flat(fullName));
  messages.set(fullName, type);
  root().add(type);
  for (const { number, type: text } of fieldsOf(typeOf(fullName))) {
    const name = fieldKey(number);
    const kind = fieldType(text, typeOf(fullName).packageName);
    if (kind.kind === 'map') type.add(new MapField(name, number, 'string', typeName(kind.of)));
    else if (kind.kind === 'list') type.add(new Field(name, number, typeName(kind.of), 'repeated'));
    else type.add(new Field(name, number, typeName(kind), 'optional'));
  }
  return type;
}

function typeName(type: FieldType): string {
  switch (type.kind) {
    case 'time':
      return 'Time';
    case 'scalar':
      return SCALARS[type.name] ?? type.name;
    case 'named':
      return type.fullName === RAW_TYPE ? 'Raw' : messageOf(type.fullName).name;
    default:
      throw new Error(`nothing of protobuf repeats a ${type.kind}`);
  }
}

function typeOf(fullName: string): NamedType {
  const type = TYPES.get(fullName);
  if (type === undefined) throw new Error(`no type is called '${fullName}'`);
  return type;
}

function fieldsOf({ isKind, fields }: NamedType): NamedType['fields'] {
  return isKind && !fields.some(({ name }) => name === 'metadata') ? [METADATA_FIELD, ...fields] : fields;
}

/** A message as the JSON of the API; what is empty and not a pointer is left out, as it is there. */
function toJson(fullName: string, message: JsonMap): JsonMap {
  const type = typeOf(fullName);
  const result: JsonMap = {};
  for (const { name, number, type: text, required } of fieldsOf(type)) {
    if (!Object.hasOwn(message, fieldKey(number))) continue;
    const kind = fieldType(text, type.packageName);
    const value = valueToJson(kind, message[fieldKey(number)]);
    if (value !== undefined && (required || isPointer(kind) || !isBlank(value))) result[name] = value;
  }
  return result;
}

const isPointer = (type: FieldType): boolean => type.kind === 'scalar' && type.isOptional;

function isBlank(value: unknown): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === false ||
    (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
  );
}

function valueToJson(type: FieldType, value: unknown): unknown {
  switch (type.kind) {
    case 'map':
      return Object.fromEntries(Object.entries(mapOf(value)).map(([key, one]) => [key, valueToJson(type.of, one)]));
    case 'list':
      return listOf(value).map((one) => valueToJson(type.of, one));
    case 'time':
      return instant(mapOf(value), type.name);
    case 'scalar':
      if (type.name === 'texts') return listOf(mapOf(value)['items']);
      if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
      return type.name === 'int64' ? Number(value) : value;
    case 'named': {
      if (type.fullName !== RAW_TYPE) return toJson(type.fullName, mapOf(value));
      const { raw } = mapOf(value);
      return raw instanceof Uint8Array && raw.length > 0 ? JSON.parse(Buffer.from(raw).toString()) : undefined;
    }
  }
}

/** Whole seconds or microseconds; undefined for the zero time, of which nothing is sent. */
function instant(message: JsonMap, name: 'Time' | 'MicroTime'): string | undefined {
  if (!Object.hasOwn(message, 'seconds') && !Object.hasOwn(message, 'nanos')) return undefined;
  const { seconds, nanos } = message;
  const whole = new Date(Number(seconds ?? 0) * 1000).toISOString().slice(0, 19);
  return name === 'Time' ? `${whole}Z` : `${whole}.${String(Math.floor(Number(nanos ?? 0) / 1000)).padStart(6, '0')}Z`;
}

/** Its kinds have schemas, which are no such messages; clients send them as JSON. */
const DEFINITIONS_GROUP = 'apiextensions.k8s.io';

/** The type of what says to be of a kind; those of the meta package come in any group. */
function typeNameOf(apiVersion: string, kind: string): string | undefined {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const name = kind === 'DeleteOptions' || kind === 'Status' ? `${META_PACKAGE}.${kind}` : kindTypeName(group, kind);
  return TYPES.has(name) && (group !== DEFINITIONS_GROUP || name.startsWith(META_PACKAGE)) ? name : undefined;
}

/**
 * Reads an object.
 *
 * @throws {SyntaxError} no protobuf of the API, or of a kind that is not known here
 */
export function fromProtobuf(body: Buffer): JsonMap {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw new SyntaxError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  try {
    const { typeMeta, raw } = read(plain('Unknown'), body.subarray(MAGIC.length));
    const { apiVersion = '', kind = '' } = mapOf(typeMeta);
    const name = typeNameOf(stringOf(apiVersion), stringOf(kind));
    if (name === undefined) throw new SyntaxError(`no kind "${kind}" is registered for version "${apiVersion}"`);
    return {
      apiVersion,
      kind,
      ...toJson(name, read(messageOf(name), raw instanceof Uint8Array ? raw : MAGIC.subarray(4))),
    };
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    throw new SyntaxError(problemOf(error), { cause: error });
  }
}

/** Error of the library, in the API server's wording. */
function problemOf(error: unknown): string {
  if (error instanceof RangeError) return 'unexpected EOF';
  const wireType = /invalid wire type (\d)/.exec(String(error))?.[1];
  return wireType === undefined ? String(error) : `proto: illegal wireType ${wireType}`;
}

const read = (type: Type, bytes: Uint8Array): JsonMap => ({ ...type.decode(bytes) });
