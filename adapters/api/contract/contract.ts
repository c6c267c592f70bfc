// Notation for the contracts of kinds. A schema is plain data with the TypeScript type of its values: the CRD, the
// types, the references and the documentation of a kind are derived from it. contract-check.ts checks contracts.
import type { Json } from '../../../bus/bus.ts';

declare const INFERRED: unique symbol;

export type SchemaType = 'string' | 'boolean' | 'integer' | 'array' | 'object';

/** A CEL rule over the field, with the message of its refusal. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** Says that a string is the name of another object of the namespace. */
export interface ReferenceTarget {
  /** CamelCase kind of the other, `Secret` included. */
  readonly kind: string;
  /** Whether the other may not go while this object exists. */
  readonly guarded: boolean;
  /** The guard finalizer, where it is not the referencing kind's own one. */
  readonly finalizer?: string;
  /** Published attribute of the dependency that replaces the reference, if it is not the external id. */
  readonly attribute?: string;
  /** Further published attributes of the dependency that are needed. */
  readonly reads?: readonly string[];
  /** For a Secret: the content that replaces the reference. */
  readonly content?: SecretKey;
  /** It is needed only for a step after the resource was made; for making it unless stated. */
  readonly neededFor?: 'update';
  /**
   * Field of `status.resource` that shows the id of the dependency that the resource was built on: it reveals that the
   * dependency was replaced since. An update follows if it can; an immutable field is reported as outdated.
   */
  readonly shownBy?: string;
}

/** A key of a Secret whose content is sent. */
export interface SecretKey {
  readonly key: string;
  /** Meaning of the Secret in messages about a missing key: `User data`. */
  readonly what: string;
  /** Encoding in which the content is sent: as text, or as base64, which it may have already. */
  readonly as: 'text' | 'base64';
}

/** Schema of a field, with the TypeScript type of its values. */
export interface Schema<T = unknown> {
  readonly type: SchemaType;
  readonly description: string;
  readonly required: boolean;
  readonly immutable: boolean;
  /** Keywords of OpenAPI v3 and of Kubernetes, as they appear in the CRD. */
  readonly keywords: Readonly<Record<string, Json>>;
  readonly rules: readonly Rule[];
  /** Schema of each item of a list. */
  readonly items?: Schema;
  /** Schemas of the fields of an object. */
  readonly properties?: Shape;
  /** Schema of each value of a map. */
  readonly values?: Schema;
  /** Set for a string that names another object. */
  readonly reference?: ReferenceTarget;
  /** The string is an IP address or prefix, of which one has many spellings. */
  readonly address?: boolean;
  readonly [INFERRED]?: T;
}

/** Fields of an object, by name. */
export type Shape = Readonly<Record<string, Schema>>;

/** A schema whose field may not be left out. */
export type Required<S extends Schema> = S & { readonly required: true };

/** The type of the values that a schema describes. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

type RequiredKeys<S extends Shape> = { [K in keyof S]: S[K] extends { readonly required: true } ? K : never }[keyof S];

/** The type of an object with these fields. */
export type InferShape<S extends Shape> = { readonly [K in RequiredKeys<S>]: Infer<S[K]> } & {
  readonly [K in Exclude<keyof S, RequiredKeys<S>>]?: Infer<S[K]>;
};

interface Common<T> {
  readonly default?: T;
  readonly rules?: readonly Rule[];
}

export interface StringOptions<T extends string = string> extends Common<T> {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'cidr' | 'date-time' | 'uri' | 'uuid';
  readonly enum?: readonly T[];
  /** An IP address or prefix. */
  readonly address?: boolean;
}

/** A string. @example name: string('name of the zone.', { minLength: 1, maxLength: 253 }) */
export function string<const T extends string = string>(
  description: string,
  { rules, address, ...keywords }: StringOptions<T> = {},
): Schema<T> {
  return schema('string', description, keywords, { rules, address });
}

/** True or false. @example enabled: boolean('enabled says whether it is on.', { default: true }) */
export function boolean(description: string, { rules, ...keywords }: Common<boolean> = {}): Schema<boolean> {
  return schema('boolean', description, keywords, { rules });
}

export interface IntegerOptions<T extends number = number> extends Common<T> {
  /** `int32` unless said otherwise. */
  readonly format?: 'int32' | 'int64';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly T[];
}

/** A whole number. @example ttl: integer('ttl in seconds.', { minimum: 1, maximum: 86_400 }) */
export function integer<const T extends number = number>(
  description: string,
  { rules, format = 'int32', ...keywords }: IntegerOptions<T> = {},
): Schema<T> {
  return schema('integer', description, { format, ...keywords }, { rules });
}

export interface ListOptions {
  /** Merge of two lists by server-side apply: as sets, not at all, or item by item under `keys`. */
  readonly type: 'set' | 'atomic' | 'map';
  readonly maxItems: number;
  readonly keys?: readonly string[];
  readonly rules?: readonly Rule[];
}

/**
 * A list of items.
 *
 * @example content: list('content of the record.', string('value.', { maxLength: 255 }), { type: 'atomic', maxItems: 16 })
 */
export function list<S extends Schema>(
  description: string,
  items: S,
  { type, maxItems, keys, rules }: ListOptions,
): Schema<readonly Infer<S>[]> {
  const keywords = {
    maxItems,
    'x-kubernetes-list-type': type,
    ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': keys }),
  };
  return { ...schema<readonly Infer<S>[]>('array', description, keywords, { rules }), items };
}

export interface ObjectOptions {
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly rules?: readonly Rule[];
}

/** An object with these fields. @example spec: object('spec of the Zone.', { name: required(string('name of it.')) }) */
export function object<const S extends Shape>(
  description: string,
  properties: S,
  { rules, ...keywords }: ObjectOptions = {},
): Schema<InferShape<S>> {
  return { ...schema<InferShape<S>>('object', description, keywords, { rules }), properties };
}

/** An object whose keys the user chooses. */
export function map<S extends Schema>(
  description: string,
  values: S,
  { maxProperties }: { readonly maxProperties?: number } = {},
): Schema<Readonly<Record<string, Infer<S>>>> {
  const keywords = maxProperties === undefined ? {} : { maxProperties };
  return { ...schema<Readonly<Record<string, Infer<S>>>>('object', description, keywords, {}), values };
}

export interface RefOptions {
  readonly guarded?: boolean;
  readonly finalizer?: string;
  readonly attribute?: string;
  readonly reads?: readonly string[];
  readonly content?: SecretKey;
  readonly neededFor?: 'update';
  readonly shownBy?: string;
}

/** The name of another object of the same namespace. Not guarded unless said otherwise. */
export function ref(
  kind: string,
  description: string,
  { guarded = false, ...options }: RefOptions = {},
): Schema<string> {
  const reference = { kind, guarded, ...options };
  return { ...string(description, { minLength: 1, maxLength: 253 }), reference };
}

/** The field may not be left out. */
export function required<S extends Schema>(field: S): Required<S> {
  return { ...field, required: true };
}

/** The field keeps the value it was created with: the API server refuses `<field> is immutable`. */
export function immutable<S extends Schema>(field: S): S {
  return { ...field, immutable: true };
}

function schema<T>(
  type: SchemaType,
  description: string,
  keywords: object,
  { rules = [], address }: { rules?: readonly Rule[] | undefined; address?: boolean | undefined },
): Schema<T> {
  return {
    type,
    description,
    required: false,
    immutable: false,
    keywords: keywords as Readonly<Record<string, Json>>,
    rules,
    ...(address === true ? { address } : {}),
  };
}
