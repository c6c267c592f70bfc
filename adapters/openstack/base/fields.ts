// One row of a kind's tables: how a field of `spec.resource` is sent and changed, how a field of `spec.import.filter`
// becomes a query, and where a field of `status.resource` is read from.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { type Infer, list, object, type Schema } from '../../api/contract/contract.ts';
import { type Criterion, checked, equalTo } from './criteria.ts';
import { isEmpty, representable, zeroOf } from './observed-values.ts';
import { mapped, merged, type Projection, plain, projectionOf } from './projection.ts';

/** Effect of a later change of a field. */
export type Change =
  /** Nothing: the API refuses the change, or it is accepted and ignored. */
  | { readonly kind: 'never' }
  /** A request of its own, which a step makes. */
  | { readonly kind: 'step' }
  /** The field is compared on every pass while it is set. */
  | { readonly kind: 'whenSet' }
  /** The field is sent again when the cloud has no value any more; another value stays. */
  | { readonly kind: 'whenLost' }
  /** The field is compared on every attempt; unset, it is equivalent to these attributes. */
  | { readonly kind: 'always'; readonly unset: JsonObject };

/** A field of `spec.resource`. */
export interface ResourceField<S extends Schema = Schema> {
  readonly schema: S;
  /** `name` defaults to the object's name; `tags` are replaced by a request of their own. */
  readonly role: 'attribute' | 'name' | 'tags';
  /** Attributes for a value, and for the published attributes of its references; undefined ones are left out. */
  readonly encode: (value: Json, published?: JsonObject) => JsonObject;
  /** Sent on create when the field is unset. */
  readonly initial: JsonObject;
  readonly change: Change;
  /** Names in a create for attributes that updates and responses name differently. */
  readonly createdAs: Readonly<Record<string, string>>;
  /** The attributes that it is compared with. */
  readonly projection: Projection;
  /** Lists are equal when they hold the same items, in whatever order. */
  readonly unordered: boolean;
  /** Lists are equal when each item has a partner that it calls the same, in whatever order. */
  readonly sameItem: ((wanted: JsonObject, found: JsonObject) => boolean) | undefined;
  /** The attribute is an extension's, whose updates take no `If-Match`. */
  readonly extension: boolean;
  /** Whether the cloud changes the attribute itself. */
  readonly moves: boolean;
  /** Whether a value that is empty in the cloud stays so. */
  readonly keepsEmpty: boolean;
  /**
   * For a Secret whose content the cloud does not return: the field of `status.resource` that names the Secret that was
   * sent. The content is sent again when the spec names another one.
   */
  readonly applied: string | undefined;
}

export interface SentOptions<Attributes> {
  /** Compared on every attempt; the equivalent of the field while it is unset. */
  readonly unset?: Attributes;
  /**
   * `whenSet`: compared only while it is set; `whenLost`: sent again when the cloud has no value any more; `step`: handled
   * by a step of the kind; `ignored`: a later change is accepted, without effect.
   */
  readonly update?: 'whenSet' | 'whenLost' | 'step' | 'ignored';
  /** Sent on create when the field is unset. */
  readonly initial?: Attributes;
  /** Names in a create for attributes that updates and responses name differently. */
  readonly createdAs?: Readonly<Record<string, string>>;
  readonly unordered?: boolean;
  readonly sameItem?: (wanted: JsonObject, found: JsonObject) => boolean;
  readonly extension?: boolean;
  readonly moves?: boolean;
  readonly keepsEmpty?: boolean;
  readonly applied?: string;
}

/** A field that is sent as one attribute. Unless it is immutable, `unset` or `update` says what a later change does. */
export function sent<S extends Schema>(
  attribute: string,
  schema: S,
  { unset, initial, ...options }: SentOptions<Json> = {},
): ResourceField<S> {
  return sentAs(
    schema,
    { [attribute]: (value: Infer<S>) => value as Json },
    {
      ...options,
      ...(unset === undefined ? {} : { unset: { [attribute]: unset } }),
      ...(initial === undefined ? {} : { initial: { [attribute]: initial } }),
    },
  );
}

/**
 * A field that is sent as several attributes, or as another value: each is made of it, and of what the reference that it is
 * publishes (`RefOptions.reads`), or left out where that is undefined.
 */
export function sentAs<S extends Schema, Attribute extends string>(
  schema: S,
  attributes: { readonly [Name in Attribute]: (value: Infer<S>, published: JsonObject) => Json | undefined },
  {
    unset,
    update,
    initial = {},
    createdAs = {},
    unordered = false,
    sameItem,
    extension = false,
    moves = false,
    keepsEmpty = false,
    applied,
  }: SentOptions<{ readonly [Name in Attribute]?: Json }> = {},
): ResourceField<S> {
  if (!schema.immutable && unset === undefined && update === undefined) {
    throw new TypeError(`what a later change does is not said: '${schema.description}'`);
  }
  const encoders = Object.entries<(value: Infer<S>, published: JsonObject) => Json | undefined>(attributes);
  const change: Change =
    unset !== undefined
      ? { kind: 'always', unset: defined(unset) }
      : update === undefined || update === 'ignored'
        ? { kind: 'never' }
        : { kind: update };
  return {
    schema,
    role: 'attribute',
    encode: (value, published = {}) =>
      // The API server has checked the value against this very schema.
      defined(Object.fromEntries(encoders.map(([name, encode]) => [name, encode(value as Infer<S>, published)]))),
    initial: defined(initial),
    createdAs,
    change,
    projection: isCompared(change) ? plain(...encoders.map(([name]) => name)) : {},
    unordered,
    sameItem,
    extension,
    moves,
    keepsEmpty,
    applied,
  };
}

/** Whether the resource's own update brings a field. */
export function isCompared({ kind }: Change): boolean {
  return kind === 'whenSet' || kind === 'whenLost' || kind === 'always';
}

export interface NamedOptions extends Pick<SentOptions<Json>, 'update' | 'keepsEmpty'> {
  /** Encoding in which it is sent. */
  readonly as?: (name: string) => string;
}

/** The name of the resource: the object's own while unset, and followed on every pass unless the service cannot change it. */
export function named(
  schema: Schema<string>,
  { update = 'whenSet', as = (name) => name, ...options }: NamedOptions = {},
): ResourceField<Schema<string>> {
  return { ...sentAs(schema, { name: as }, { update, ...options }), role: 'name' };
}

/** Tags that a request of their own replaces as a whole, sorted. */
export function tagged<S extends Schema>(schema: S): ResourceField<S> {
  return { ...sentAs(schema, {}, { update: 'whenSet' }), role: 'tags', projection: plain('tags') };
}

/** Tags that a create sends, sorted, and that a request of their own replaces as a whole. */
export function tagsFromStart(schema: Schema<readonly string[]>): ResourceField<Schema<readonly string[]>> {
  const field = sentAs(schema, { tags: (tags) => [...tags].sort() }, { update: 'step' });
  return { ...field, role: 'tags', projection: plain('tags') };
}

/** Tags that are part of the resource's own requests, sorted. */
export function sentTags(schema: Schema<readonly string[]>): ResourceField<Schema<readonly string[]>> {
  return sentAs(schema, { tags: (tags) => [...tags].sort() }, { unset: { tags: [] }, unordered: true });
}

/** A field that is handled separately: it is in none of the resource's own requests. */
export function apart<S extends Schema>(schema: S): ResourceField<S> {
  return sentAs(schema, {}, { update: 'step' });
}

/** A field of `spec.import.filter`. */
export interface FilterField {
  readonly schema: Schema;
  readonly criteria: (value: Json) => readonly Criterion[];
}

/** A filter field that is one query key, and the attribute of that name in the results. */
export function queried(key: string, schema: Schema): FilterField {
  return { schema, criteria: (value) => [equalTo(key, value)] };
}

/** A filter field that the service cannot query: it is compared with the attribute of that name in the results. */
export function compared(attribute: string, schema: Schema): FilterField {
  return { schema, criteria: (value) => [checked(attribute, value)] };
}

/** A filter field that becomes the criteria that `criteria` makes of it. */
export function queriedAs<S extends Schema>(
  schema: S,
  criteria: (value: Infer<S>) => readonly Criterion[],
): FilterField {
  return { schema, criteria: (value) => criteria(value as Infer<S>) };
}

/** A field of `status.resource`. */
export interface StatusField {
  readonly schema: Schema;
  /** The attributes that `read` looks at; it is shown no others. */
  readonly projection: Projection;
  /** Undefined: left out. */
  readonly read: (attributes: JsonObject) => Json | undefined;
  /** It is recorded when it comes to be, and no read tells it. */
  readonly recorded?: true;
}

export interface ObservedOptions {
  /** Left out when the cloud returned nothing, or an empty value; otherwise an empty value is written. */
  readonly omitEmpty?: boolean;
}

/** A field that is read from one attribute. Empty lists are left out. */
export function observed(attribute: string, schema: Schema, { omitEmpty = false }: ObservedOptions = {}): StatusField {
  return {
    schema,
    projection: plain(attribute),
    read: (attributes) => {
      const value = representable(schema, attributes[attribute]);
      if (value === undefined) return omitEmpty ? undefined : zeroOf(schema);
      return isEmpty(value) && (omitEmpty || Array.isArray(value)) ? undefined : value;
    },
  };
}

/** An object read from several attributes, left out while attribute `when` is empty. */
export function observedObject(
  when: string,
  description: string,
  fields: Readonly<Record<string, StatusField>>,
): StatusField {
  return {
    schema: object(description, schemasOf(fields)),
    projection: merged([plain(when), projectionOf(fields)]),
    read(attributes) {
      if (isEmpty(attributes[when])) return undefined;
      const read = readFields(fields, attributes);
      // Without what it requires, the API server would refuse all of the status.
      const isWhole = Object.entries(fields).every(([name, { schema }]) => !schema.required || name in read);
      return isWhole ? read : undefined;
    },
  };
}

/** A list of objects, each read from an item of an attribute. */
export function observedList(
  attribute: string,
  description: string,
  {
    items,
    maxItems,
    fields,
  }: { readonly items: string; readonly maxItems: number; readonly fields: Readonly<Record<string, StatusField>> },
): StatusField {
  return {
    schema: list(description, object(items, schemasOf(fields)), { type: 'atomic', maxItems }),
    projection: { [attribute]: projectionOf(fields) },
    read: (attributes) => {
      const value = attributes[attribute];
      if (!Array.isArray(value)) return undefined;
      const read = value.filter(isJsonObject).map((item) => readFields(fields, item));
      return read.length === 0 ? undefined : read.slice(0, maxItems);
    },
  };
}

/** A map with names that a user chose, as a list in the order of the names. Values are texts. */
export function observedMap<const Name extends string>(
  attribute: string,
  description: string,
  {
    item,
    maxItems,
    name,
    value,
  }: {
    readonly item: string;
    readonly maxItems: number;
    /** Name of the member that holds the name in an item of the list. */
    readonly name: { readonly [Field in Name]: Schema<string> };
    readonly value: Schema<string>;
  },
): StatusField {
  const [[key, names]] = Object.entries<Schema<string>>(name) as [[string, Schema<string>]];
  return {
    schema: list(description, object(item, { [key]: names, value }), { type: 'atomic', maxItems }),
    projection: mapped(attribute),
    read: (attributes) => {
      const { [attribute]: map } = attributes;
      if (!isJsonObject(map)) return undefined;
      const read = Object.entries(map).flatMap(([name, given]) => {
        const held = representable(value, given);
        return held === undefined || representable(names, name) === undefined ? [] : [{ [key]: name, value: held }];
      });
      const sorted = read.toSorted((one, other) => (String(one[key]) < String(other[key]) ? -1 : 1));
      return sorted.length === 0 ? undefined : sorted.slice(0, maxItems);
    },
  };
}

/** A field that is read from these attributes as `read` says; empty values are left out. */
export function observedAs<S extends Schema, Names extends Projection>(
  projection: Names,
  schema: S,
  read: (attributes: { readonly [Name in keyof Names]?: Json }) => Infer<S> | undefined,
): StatusField {
  return {
    schema,
    projection,
    read: (attributes) => {
      const value = read(attributes as { readonly [Name in keyof Names]?: Json }) as Json | undefined;
      return isEmpty(value) ? undefined : value;
    },
  };
}

/** A field that the schema declares and nothing writes. */
export function unwritten(schema: Schema): StatusField {
  return { schema, projection: {}, read: () => undefined };
}

/** A field that says what was done, which no answer does (`ResourceField.applied`). */
export function recorded(schema: Schema): StatusField {
  return { ...unwritten(schema), recorded: true };
}

export function readFields(fields: Readonly<Record<string, StatusField>>, attributes: JsonObject): JsonObject {
  return defined(Object.fromEntries(Object.entries(fields).map(([name, { read }]) => [name, read(attributes)])));
}

export function schemasOf(
  fields: Readonly<Record<string, { readonly schema: Schema }>>,
): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function defined(attributes: { readonly [name: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

/** The ids in a list of what is attached. */
export function idsIn(list: Json | undefined, member: string): readonly string[] {
  return (Array.isArray(list) ? list : []).flatMap((item: Json) => {
    const id = isJsonObject(item) ? item[member] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
