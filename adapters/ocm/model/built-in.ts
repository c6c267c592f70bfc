// The types that every version has.
import { type BuiltInType, TypeKind } from './model.ts';
import { nameOf } from './names.ts';

const KINDS = [
  TypeKind.Boolean,
  TypeKind.Integer,
  TypeKind.Long,
  TypeKind.Float,
  TypeKind.String,
  TypeKind.Date,
  TypeKind.Interface,
] as const;

/** Built-in types by the keys of their names. */
export const BUILT_IN_TYPES: ReadonlyMap<string, BuiltInType> = new Map(
  KINDS.map((kind) => [kind, { kind, name: nameOf(kind.charAt(0).toUpperCase() + kind.slice(1)) }]),
);
