// The types of built-in kinds, written down once for everything that needs them: the trees that objects are pruned,
// applied and merged by, the documents of OpenAPI, and protobuf.
//
// A package is a text. A line that begins at its start is a type, an indented one a field of it:
//
//   kind Secret: Values that only some users may read.      `kind`: has apiVersion, kind and metadata
//   ObjectReference (atomic): Names an object.              (atomic): its fields have one owner together
//   JSON any: Any value.                                    `any`: whatever is given
//     2 name! string: The name.                             number in protobuf, `!` where required, type, description
//     3 count int32=0: The number.                          `=` and JSON: the default value
//
// Types of fields: string, string(A|B) for closed sets, bytes, boolean, int32, int64, double, Time, MicroTime; a type of
// the same package, or of another as `meta.ObjectMeta` and `core.ObjectReference`; and before another type {} for maps
// with keys of text, [] for lists that have one owner, [set], [key] for lists of maps that are distinguished by a field
// (with `;` behind the key where a strategic merge replaces the list all the same), and * before what is not there
// unless a client adds it: a structure, or a number, flag or text that may be 0, false or empty.
import { isMap, type JsonMap, stringOf } from '../../../text/json.ts';

export interface TypeField {
  readonly name: string;
  /** In protobuf. */
  readonly number: number;
  readonly required: boolean;
  readonly type: string;
  /** JSON of the default; empty for none. */
  readonly default: string;
  readonly description: string;
}

export interface NamedType {
  /** The package and the name, such as `io.k8s.api.core.v1.Secret`. */
  readonly fullName: string;
  readonly packageName: string;
  readonly isKind: boolean;
  readonly isAtomic: boolean;
  /** Whether any value is allowed. */
  readonly isAny: boolean;
  readonly description: string;
  readonly fields: readonly TypeField[];
}

export const META_PACKAGE = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const CORE_PACKAGE = 'io.k8s.api.core.v1';

const PREFIXES: Readonly<Record<string, string>> = { meta: META_PACKAGE, core: CORE_PACKAGE };

/** Types that are no structures here; the fields of FieldsV1 are declared nowhere. */
const SCALARS: Readonly<Record<string, JsonMap>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  texts: { type: 'array', items: { type: 'string' } },
};

const TYPE_LINE = /^(kind )?(\w+)( \(atomic\))?( any)?: (.*)$/;
const FIELD_LINE = /^ {2}(\d+) ([\w$-]+)(!?) ([^\s=]+?)(?:=(\S+))?:(?: (.*))?$/;

/** @throws {Error} a line is neither a type nor a field */
export function parseTypes(packageName: string, text: string): NamedType[] {
  const types: (NamedType & { readonly fields: TypeField[] })[] = [];
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, name, atomic, any, description = ''] = TYPE_LINE.exec(line) ?? [];
    if (name !== undefined) {
      const flags = { isKind: kind !== undefined, isAtomic: atomic !== undefined, isAny: any !== undefined };
      types.push({ fullName: `${packageName}.${name}`, packageName, ...flags, description, fields: [] });
      continue;
    }
    const [, number, field, mark, type, value = '', about = ''] = FIELD_LINE.exec(line) ?? [];
    if (field === undefined || type === undefined) throw new Error(`neither a type nor a field: '${line}'`);
    types.at(-1)?.fields.push({
      name: field,
      number: Number(number),
      required: mark === '!',
      type,
      default: value,
      description: about,
    });
  }
  return types;
}

/** A type of a field, taken apart: what is around it, and what it is in the end. */
export type FieldType =
  | { readonly kind: 'map'; readonly of: FieldType }
  | { readonly kind: 'list'; readonly of: FieldType; readonly extensions: JsonMap }
  | { readonly kind: 'time'; readonly name: 'Time' | 'MicroTime' }
  | { readonly kind: 'scalar'; readonly name: string; readonly isOptional: boolean; readonly schema: JsonMap }
  | { readonly kind: 'named'; readonly fullName: string; readonly isOptional: boolean };

export function fieldType(text: string, packageName: string): FieldType {
  if (text.startsWith('{}')) return { kind: 'map', of: fieldType(text.slice(2), packageName) };
  const [list, manner = ''] = /^\[([^\]]*)\]/.exec(text) ?? [];
  if (list !== undefined) {
    const of = fieldType(text.slice(list.length), packageName);
    return { kind: 'list', of, extensions: listExtensions(manner) };
  }
  if (text === 'Time' || text === 'MicroTime') return { kind: 'time', name: text };
  const [, scalarMark, word = '', closed] = /^(\*?)(\w+)(?:\((.*)\))?$/.exec(text) ?? [];
  const scalar = SCALARS[word];
  if (scalar !== undefined) {
    const schema = closed === undefined ? scalar : { ...scalar, enum: closed.split('|') };
    return { kind: 'scalar', name: word, isOptional: scalarMark === '*', schema };
  }
  const [, mark, prefix, name] = /^(\*?)(?:(\w+)\.)?(\w+)$/.exec(text) ?? [];
  const fullName = `${prefix === undefined ? packageName : PREFIXES[prefix]}.${name}`;
  return { kind: 'named', fullName, isOptional: mark === '*' };
}

/** The merge of a list: by server-side apply, and by a strategic merge patch. */
function listExtensions(manner: string): JsonMap {
  if (manner === '') return { 'x-kubernetes-list-type': 'atomic' };
  if (manner === 'set') return { 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' };
  const key = manner.replace(';', '');
  const merged = { 'x-kubernetes-patch-merge-key': key, 'x-kubernetes-patch-strategy': 'merge' };
  return {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
    ...(manner.endsWith(';') ? {} : merged),
  };
}

/** The JSON of a schema tree, with every type written out. What is of any type, or of its own, is left open. */
export function treeOf(types: ReadonlyMap<string, NamedType>, fullName: string): JsonMap {
  const openTree: JsonMap = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const ofField = (type: FieldType, above: readonly string[]): JsonMap => {
    switch (type.kind) {
      case 'map':
        return { type: 'object', additionalProperties: ofField(type.of, above) };
      case 'list': {
        const { 'x-kubernetes-patch-merge-key': _, 'x-kubernetes-patch-strategy': __, ...extensions } = type.extensions;
        return { type: 'array', items: ofField(type.of, above), ...extensions };
      }
      case 'time':
        return { type: 'string', format: 'date-time', nullable: true };
      case 'scalar':
        return type.schema;
      case 'named':
        return { ...ofType(type.fullName, above), ...(type.isOptional ? { nullable: true } : {}) };
    }
  };
  const ofType = (name: string, above: readonly string[]): JsonMap => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`no type is called '${name}'`);
    if (type.isAny || above.includes(name) || isOpen(type)) return openTree;
    const properties = type.fields.map((field) => {
      const schema = ofField(fieldType(field.type, type.packageName), [...above, name]);
      return [field.name, field.default === '' ? schema : { ...schema, default: JSON.parse(field.default) as unknown }];
    });
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(type.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  };
  return ofType(fullName, []);
}

/** Types whose values are not the API's to look into: sets of fields, and schemas, which have rules of their own. */
function isOpen({ fullName }: NamedType): boolean {
  return fullName.endsWith('.FieldsV1') || fullName.endsWith('.JSONSchemaProps');
}

/**
 * The schema of a type for the documents of OpenAPI v3: types refer to each other.
 *
 * @param refer  the reference to a type of a full name
 */
export function publishedType(
  { packageName, isAny, isAtomic, isKind, description, fields }: NamedType,
  refer: (fullName: string) => string,
): JsonMap {
  if (isAny) return { description };
  const ofField = (type: FieldType): JsonMap => {
    switch (type.kind) {
      case 'map':
        return { type: 'object', additionalProperties: ofField(type.of) };
      case 'list':
        return { type: 'array', items: ofField(type.of), ...type.extensions };
      case 'time':
        return { $ref: refer(`${META_PACKAGE}.${type.name}`) };
      case 'scalar':
        return type.schema;
      case 'named':
        return { $ref: refer(type.fullName) };
    }
  };
  const declared =
    isKind && !fields.some(({ name }) => name === 'metadata') ? [...KIND_FIELDS, METADATA_FIELD] : KIND_FIELDS;
  const all = isKind ? [...declared, ...fields] : fields;
  const properties = all.map(({ name, type, description: about }): [string, JsonMap] => {
    const schema = ofField(fieldType(type, packageName));
    if (about === '') return [name, schema];
    // Beside a reference nothing else is read.
    return [name, '$ref' in schema ? { description: about, allOf: [schema] } : { description: about, ...schema }];
  });
  const required = all.filter((field) => field.required).map(({ name }) => name);
  return {
    description,
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(properties.length === 0
      ? {}
      : { properties: Object.fromEntries(properties.sort(([a], [b]) => (a < b ? -1 : 1))) }),
    ...(isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

const KIND_FIELDS: readonly TypeField[] = [
  {
    name: 'apiVersion',
    number: 0,
    required: false,
    type: 'string',
    default: '',
    description: 'Group and version that the fields of this object are named by.',
  },
  { name: 'kind', number: 0, required: false, type: 'string', default: '', description: 'What this object is.' },
];

/** The field of every kind that does not declare it otherwise. */
export const METADATA_FIELD: TypeField = {
  name: 'metadata',
  number: 1,
  required: false,
  type: 'meta.ObjectMeta',
  default: '',
  description: 'What every object has.',
};

/** The fields that every kind has, as they are published. */
export const KIND_DESCRIPTIONS = {
  apiVersion: KIND_FIELDS[0]?.description ?? '',
  kind: KIND_FIELDS[1]?.description ?? '',
  metadata: METADATA_FIELD.description,
} as const;

/** The full names that a published schema refers to. */
export function references(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(references);
  if (!isMap(schema)) return [];
  const own = stringOf(schema['$ref']);
  return [...(own === '' ? [] : [own.slice(own.lastIndexOf('/') + 1)]), ...Object.values(schema).flatMap(references)];
}
