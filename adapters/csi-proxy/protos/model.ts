// Model of a `.proto` file, as plain data with positions.

export interface Position {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

export interface Problem {
  readonly at: Position;
  readonly message: string;
}

/**
 * Marks of a declaration in its comment, as a line of its own with `+` before it. A required field is one that a
 * request must carry; an open enum is one whose clients expect unknown values; a secret is never printed.
 */
export const MARKS = ['required', 'open-enum', 'secret'] as const;
export type Mark = (typeof MARKS)[number];

/** Common members of all declarations. */
export interface Element {
  readonly name: string;
  /** The name with those of what it is declared in: `Outer.Inner.field`, `Service.Rpc`. Without the package. */
  readonly path: string;
  /** Position of the name. */
  readonly at: Position;
  /** The comment above the declaration and the one behind it on its line, without comment signs and marks. */
  readonly comment: string;
  readonly marks: readonly Mark[];
  readonly deprecated: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

export const SCALARS = [
  'double',
  'float',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'sint32',
  'sint64',
  'fixed32',
  'fixed64',
  'sfixed32',
  'sfixed64',
  'bool',
  'string',
  'bytes',
] as const;
export type Scalar = (typeof SCALARS)[number];

export type TypeRef =
  | { readonly kind: 'scalar'; readonly name: Scalar }
  /** `name` is the path of the message or enum. */
  | { readonly kind: 'message' | 'enum'; readonly name: string };

export const Cardinality = { Single: 'single', Repeated: 'repeated', Map: 'map' } as const;
export type Cardinality = (typeof Cardinality)[keyof typeof Cardinality];

export interface Field extends Element {
  readonly number: number;
  /** As in proto3's JSON: `diskNumber` of `disk_number`, unless `json_name` says otherwise. */
  readonly jsonName: string;
  readonly cardinality: Cardinality;
  /** Type of a map's values. */
  readonly type: TypeRef;
  /** Type of a map's keys. */
  readonly keyType: Scalar | undefined;
  /** Declared `optional`. */
  readonly optional: boolean;
  /** The oneof it is in. */
  readonly oneof: string | undefined;
}

export interface ReservedRange {
  readonly from: number;
  /** Included. */
  readonly to: number;
  readonly at: Position;
}

export interface ReservedName {
  readonly name: string;
  readonly at: Position;
}

export interface Reserved {
  readonly ranges: readonly ReservedRange[];
  readonly names: readonly ReservedName[];
}

export interface EnumValue extends Element {
  readonly number: number;
}

export interface Enum extends Element {
  readonly values: readonly EnumValue[];
  readonly reserved: Reserved;
}

export interface Message extends Element {
  /** In the order of the file, those of oneofs among them. */
  readonly fields: readonly Field[];
  readonly oneofs: readonly Element[];
  readonly messages: readonly Message[];
  readonly enums: readonly Enum[];
  readonly reserved: Reserved;
}

export interface Rpc extends Element {
  /** Path of the request message. */
  readonly request: string;
  readonly response: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

export interface Service extends Element {
  readonly rpcs: readonly Rpc[];
}

export interface Package {
  readonly name: string;
  readonly at: Position;
  /** The comment block directly above. */
  readonly comment: string;
  /** The block has a line that starts with `Deprecated:`. */
  readonly deprecated: boolean;
}

export interface ProtoFile {
  readonly file: string;
  readonly syntax: { readonly name: string; readonly at: Position };
  readonly package: Package | undefined;
  readonly services: readonly Service[];
  readonly messages: readonly Message[];
  readonly enums: readonly Enum[];
  /** Parts that are valid in Protocol Buffers and can be compared, but are not allowed in an API group (rule 2.1). */
  readonly unsupported: readonly Problem[];
}

/** All messages of a file or message, the nested ones after the one they are in. */
export function allMessages({ messages }: Pick<ProtoFile, 'messages'>): readonly Message[] {
  return messages.flatMap((message) => [message, ...allMessages(message)]);
}

/** All enums, the nested ones too. */
export function allEnums({ enums, messages }: Pick<ProtoFile, 'messages' | 'enums'>): readonly Enum[] {
  return [...enums, ...allMessages({ messages }).flatMap(({ enums: nested }) => nested)];
}

/** Everything that has a path. */
export function allElements(file: ProtoFile): readonly Element[] {
  return [
    ...file.services.flatMap((service) => [service, ...service.rpcs]),
    ...allMessages(file).flatMap((message) => [message, ...message.oneofs, ...message.fields]),
    ...allEnums(file).flatMap((one) => [one, ...one.values]),
  ];
}

/** `file:line:column: message`, as editors and terminals make links of it. */
export function problemText({ at: { file, line, column }, message }: Problem): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** A file that is no proto, or a proto that contradicts itself. The message has a line for each problem. */
export class ProtoError extends Error {
  override name = 'ProtoError';
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[], options: ErrorOptions = {}) {
    super(problems.map(problemText).join('\n'), options);
    this.problems = problems;
  }
}
