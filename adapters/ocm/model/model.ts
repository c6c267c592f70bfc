// The model in memory: what a set of model files means, with every reference resolved.
//
// Invariants:
//   OCM-MODEL-1. Members are in name order everywhere, never in source order. Two parameters of one name: the input first.
//   OCM-MODEL-2. A type is always one object per version: all references hold that object, so types are compared with
//       `===`.
//   OCM-MODEL-3. The graph has cycles (types refer to each other, members to their owners); it is read, never written, and never
//       serialized as it is.
//   OCM-MODEL-4. Of a model with errors it holds what could be made out; what could not is missing, never half there. Of a model
//       without errors it holds everything.
import type { Name } from './names.ts';

/** All services of one or more model roots. */
export interface Model {
  readonly services: readonly Service[];
}

export interface Service {
  /** Name of the directory. */
  readonly name: Name;
  readonly versions: readonly Version[];
}

export interface Version {
  readonly service: Service;
  /** Name of the directory. */
  readonly name: Name;
  /** `/api/<service>/<version>`. */
  readonly url: string;
  /** The directory, as it was given. */
  readonly directory: string;
  /** Classes, structs and enums, those that `@ref` brought among them. */
  readonly types: readonly DeclaredType[];
  readonly resources: readonly Resource[];
  readonly errors: readonly ModelError[];
  /** The resource `Root`; missing only in a model with errors. */
  readonly root: Resource | undefined;
}

/** Position in a file. Lines and columns count from 1, columns in characters; a tab is one. */
export interface Place {
  /** Path of the file, as it was given. */
  readonly file: string;
  /** 0 for a whole file or directory. */
  readonly line: number;
  readonly column: number;
  /** From the start of the text, in UTF-16 units. */
  readonly offset: number;
  /** In UTF-16 units. */
  readonly length: number;
}

export type Literal = boolean | number | string;

/** A mark such as `@json(name = "out_of_print")`; of several of one name the first counts. */
export interface Annotation {
  readonly name: string;
  readonly parameters: Readonly<Record<string, Literal>>;
  readonly place: Place;
}

/** Common part of types, attributes, values, resources, locators, methods, parameters and errors. */
export interface Item {
  readonly name: Name;
  /** Markdown; empty when there is none. */
  readonly documentation: string;
  readonly annotations: readonly Annotation[];
  readonly deprecated: boolean;
  /** Place of its name. */
  readonly place: Place;
}

export const TypeKind = {
  Boolean: 'boolean',
  Integer: 'integer',
  Long: 'long',
  Float: 'float',
  String: 'string',
  Date: 'date',
  /** Any JSON value. */
  Interface: 'interface',
  Enum: 'enum',
  Struct: 'struct',
  Class: 'class',
  List: 'list',
  Map: 'map',
} as const;
export type TypeKind = (typeof TypeKind)[keyof typeof TypeKind];

export type Type = BuiltInType | DeclaredType | ListType | MapType;
export type DeclaredType = EnumType | StructType;

/** The same object in all versions. */
export interface BuiltInType {
  readonly kind: 'boolean' | 'integer' | 'long' | 'float' | 'string' | 'date' | 'interface';
  readonly name: Name;
}

interface Declared extends Item {
  /** The version it belongs to. A link may lead to a type of another version: compare with the version of its holder. */
  readonly version: Version;
  /** For a type that `@ref` brought: the one it is a copy of. */
  readonly copyOf: DeclaredType | undefined;
}

export interface EnumType extends Declared {
  readonly kind: 'enum';
  readonly values: readonly EnumValue[];
}

export interface EnumValue extends Item {
  readonly owner: EnumType;
  /** Its JSON text. */
  readonly wireName: string;
}

/** A struct, or a class: that has `kind`, `id` and `href` before its attributes, which are not among them. */
export interface StructType extends Declared {
  readonly kind: 'struct' | 'class';
  readonly attributes: readonly Attribute[];
}

export interface Attribute extends Item {
  readonly owner: StructType;
  /** Name of its JSON property. */
  readonly wireName: string;
  readonly type: Type;
  /** A reference: an object of `kind`, `id` and `href`; of a list, an object with the collection's `href`. */
  readonly link: boolean;
}

export interface ListType {
  readonly kind: 'list';
  /** Own name: that of the element and `list`. */
  readonly name: Name;
  readonly element: BuiltInType | DeclaredType;
}

export interface MapType {
  readonly kind: 'map';
  /** Own name: those of key and element, and `map`. */
  readonly name: Name;
  /** Keys are strings on the wire, whatever this is. */
  readonly key: BuiltInType | DeclaredType;
  readonly element: BuiltInType | DeclaredType;
}

export interface Resource extends Item {
  readonly version: Version;
  readonly methods: readonly Method[];
  readonly locators: readonly Locator[];
}

export interface Locator extends Item {
  readonly owner: Resource;
  readonly target: Resource;
  /** True when an identifier stands in its place in the URL. */
  readonly variable: boolean;
  /** Its part of the URL; with `variable`, `<segment>_id` is the name of the path parameter. */
  readonly segment: string;
}

export const MethodKind = {
  List: 'List',
  Get: 'Get',
  Add: 'Add',
  AsyncAdd: 'AsyncAdd',
  Update: 'Update',
  AsyncUpdate: 'AsyncUpdate',
  Delete: 'Delete',
  AsyncDelete: 'AsyncDelete',
  Post: 'Post',
  AsyncPost: 'AsyncPost',
  Search: 'Search',
  /** Any other name. */
  Action: 'action',
} as const;
export type MethodKind = (typeof MethodKind)[keyof typeof MethodKind];

export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Method extends Item {
  readonly owner: Resource;
  readonly kind: MethodKind;
  readonly verb: Verb;
  /** HTTP status of success. */
  readonly status: 200 | 201 | 202 | 204;
  /** URL segment of an action; undefined for all others. */
  readonly segment: string | undefined;
  /** All parameters. Each is in one or more of the three lists below. */
  readonly parameters: readonly Parameter[];
  /** Parameters that travel in the query. */
  readonly query: readonly Parameter[];
  /** Parameters that travel in the body of the request. */
  readonly requestBody: Body;
  /** Parameters that travel in the body of the response. */
  readonly responseBody: Body;
}

export interface Body {
  readonly parameters: readonly Parameter[];
  /** True when the body is the value of its only parameter, false when it is an object with a member for each. */
  readonly bare: boolean;
}

export interface Parameter extends Item {
  readonly owner: Method;
  readonly input: boolean;
  readonly output: boolean;
  readonly type: Type;
  /** Used where the caller gives none. */
  readonly default: Literal | undefined;
  /** Its name in a query. */
  readonly queryName: string;
  /** Its name as a member of a body. */
  readonly wireName: string;
}

/** An `error` of the model. */
export interface ModelError extends Item {
  readonly version: Version;
  readonly code: number;
}

/** A full stop that may end a sentence: blanks follow, or nothing does. */
const STOP = /\.(?=\s|$)/g;
const ABBREVIATED = /(?:^|[^\p{L}])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no)$/iu;

/** The first sentence, or the first paragraph where it has no end. */
export function summaryOf({ documentation }: Pick<Item, 'documentation'>): string {
  const [paragraph = ''] = documentation.split(/\r?\n[ \t]*\r?\n/, 1);
  for (const { index } of paragraph.matchAll(STOP)) {
    const [before, behind] = [paragraph.slice(0, index), paragraph.slice(index + 1).trimStart()];
    if (!ABBREVIATED.test(before) && !/^\p{Ll}/u.test(behind)) return paragraph.slice(0, index + 1);
  }
  return paragraph;
}
