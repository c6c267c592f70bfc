// The type of a field as both sides of a conversion can have it: that of a proto, and that of the internal types.
import { Cardinality, type Field, type Scalar } from '../protos/mod.ts';
import { typeName } from './api.ts';

/** The scalars that TypeScript tells apart by name. How a number is written on the wire is none of them. */
export const SCALAR_NAMES = ['int32', 'uint32', 'int64', 'uint64', 'float', 'double', 'text', 'bool', 'bytes'] as const;
export type ScalarName = (typeof SCALAR_NAMES)[number];

export interface ShapeType {
  readonly kind: 'scalar' | 'message' | 'enum';
  readonly name: string;
}

export interface Shape {
  readonly cardinality: Cardinality;
  /** Type of the values, for a map or a list. */
  readonly type: ShapeType;
  /** Type of a map's keys. */
  readonly keyType: string | undefined;
}

const NAMES: Readonly<Record<Scalar, ScalarName>> = {
  double: 'double',
  float: 'float',
  int32: 'int32',
  sint32: 'int32',
  sfixed32: 'int32',
  uint32: 'uint32',
  fixed32: 'uint32',
  int64: 'int64',
  sint64: 'int64',
  sfixed64: 'int64',
  uint64: 'uint64',
  fixed64: 'uint64',
  bool: 'bool',
  string: 'text',
  bytes: 'bytes',
};

export function shapeOf({ cardinality, type, keyType }: Field): Shape {
  return {
    cardinality,
    type:
      type.kind === 'scalar'
        ? { kind: 'scalar', name: NAMES[type.name] }
        : { kind: type.kind, name: typeName(type.name) },
    keyType: keyType && NAMES[keyType],
  };
}

export function isSameShape(a: Shape, b: Shape): boolean {
  return (
    a.cardinality === b.cardinality &&
    a.keyType === b.keyType &&
    a.type.kind === b.type.kind &&
    a.type.name === b.type.name
  );
}

/** As the internal types spell it. */
export function shapeText({ cardinality, type, keyType }: Shape): string {
  switch (cardinality) {
    case Cardinality.Map:
      return `Map<${keyType}, ${type.name}>`;
    case Cardinality.Repeated:
      return `${type.name}[]`;
    case Cardinality.Single:
      return type.kind === 'message' ? `${type.name} | undefined` : type.name;
  }
}

/** The value that a message has where none is given, as TypeScript. */
export function defaultText({ cardinality, type }: Shape): string {
  if (cardinality === Cardinality.Map) return 'new Map()';
  if (cardinality === Cardinality.Repeated) return '[]';
  if (type.kind !== 'scalar') return type.kind === 'message' ? 'undefined' : '0';
  switch (type.name) {
    case 'bool':
      return 'false';
    case 'text':
      return "''";
    case 'bytes':
      return 'new Uint8Array()';
    default:
      return type.name.endsWith('64') ? '0n' : '0';
  }
}
