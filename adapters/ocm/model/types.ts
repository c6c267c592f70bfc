// The types of a version: first empty ones that others may refer to, then their members. Complaints are made elsewhere.
import { markedName } from './annotations.ts';
import { BUILT_IN_TYPES } from './built-in.ts';
import type {
  Attribute,
  BuiltInType,
  DeclaredType,
  EnumType,
  EnumValue,
  ListType,
  MapType,
  StructType,
  Type,
  Version,
} from './model.ts';
import { compareNames, compoundName } from './names.ts';
import { findFrom, type Scope, type TypeEntry } from './scope.ts';
import type { AttributeSyntax, Part, TypeSyntax, Word } from './syntax.ts';

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** The types of all versions, by what they are made of: links lead from one to another. */
export type DeclaredTypes = WeakMap<TypeEntry, DeclaredType>;

/** Finds the type that is meant at some place of the model; undefined if there is none. */
export type ResolveType = (syntax: TypeSyntax, from?: TypeEntry) => Type | undefined;

/** Makes the types of a scope, without members. @returns them in name order */
export function declareTypes(scope: Scope, version: Version, declared: DeclaredTypes): DeclaredType[] {
  const entries = scope.types().sort((a, b) => compareNames(a.name, b.name));
  return entries.map((entry) => {
    const item = { ...entry.syntax.item, version, copyOf: undefined };
    const type: DeclaredType =
      entry.syntax.form === 'enum'
        ? { kind: 'enum', ...item, values: [] }
        : { kind: entry.syntax.form, ...item, attributes: [] };
    declared.set(entry, type);
    return type;
  });
}

/** Gives the types of a scope their members. The types of all versions they may refer to have to be there. */
export function fillTypes(scope: Scope, declared: DeclaredTypes, resolve: ResolveType): void {
  for (const entry of scope.types()) {
    const type = declared.get(entry) as Mutable<DeclaredType> | undefined;
    if (type === undefined) continue;
    type.copyOf = entry.copyOf && declared.get(entry.copyOf);
    if (type.kind === 'enum' && entry.syntax.form === 'enum') {
      type.values = sorted(entry.syntax.values.map((value) => enumValue(value, type)));
    } else if (type.kind !== 'enum' && entry.syntax.form !== 'enum') {
      type.attributes = sorted(
        entry.syntax.attributes.flatMap((attribute) => {
          const resolved = resolve(attribute.type, entry);
          return resolved === undefined ? [] : [attributeOf(attribute, type, resolved)];
        }),
      );
    }
  }
}

/** @returns the resolver of one version: it makes a list or map of the same elements once */
export function typeResolver(scope: Scope, declared: DeclaredTypes): ResolveType {
  const lists = new Map<Type, ListType>();
  const maps = new Map<Type, Map<Type, MapType>>();
  const plain = ({ name }: Word, from: TypeEntry | undefined): BuiltInType | DeclaredType | undefined => {
    const { key } = name;
    const entry = from === undefined ? scope.find(key) : findFrom(from, key);
    return BUILT_IN_TYPES.get(key) ?? (entry && declared.get(entry));
  };
  return (syntax, from) => {
    const element = plain(syntax.element, from);
    if (element === undefined || syntax.form === 'plain') return element;
    if (syntax.form === 'list') {
      return cached(lists, element, () => ({ kind: 'list', name: compoundName([element.name], 'list'), element }));
    }
    const key = syntax.key && plain(syntax.key, from);
    if (key === undefined) return undefined;
    const ofKey = cached(maps, key, () => new Map<Type, MapType>());
    const name = compoundName([key.name, element.name], 'map');
    return cached(ofKey, element, () => ({ kind: 'map', name, key, element }));
  };
}

export function sorted<T extends { readonly name: Parameters<typeof compareNames>[0] }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => compareNames(a.name, b.name));
}

function enumValue(syntax: Part, owner: EnumType): EnumValue {
  const { item } = syntax;
  return { ...item, owner, wireName: markedName(item, 'json') ?? item.name.snake };
}

function attributeOf(syntax: AttributeSyntax, owner: StructType, type: Type): Attribute {
  const { item } = syntax;
  return { ...item, owner, wireName: markedName(item, 'json') ?? item.name.snake, type, link: syntax.link };
}

function cached<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
