// Structural schemas, compiled from the JSON of a CustomResourceDefinition (or of a built-in kind) into one tree that
// pruning, defaulting, validation, CEL and server-side apply walk.
import type { RE2JS } from 're2js';
import { isList, isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { patternOf } from '../../../text/patterns.ts';
import { META_TYPES } from './meta-types.ts';
import { META_PACKAGE, parseTypes, treeOf } from './types.ts';

export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean;
}

export interface Schema {
  /** Empty when the schema leaves it open. */
  readonly type: string;
  readonly intOrString: boolean;
  /** x-kubernetes-preserve-unknown-fields. */
  readonly preserve: boolean;
  /** x-kubernetes-embedded-resource. */
  readonly embedded: boolean;
  readonly nullable: boolean;
  readonly properties: ReadonlyMap<string, Schema> | undefined;
  readonly additional: Schema | undefined;
  /** `additionalProperties: true`. */
  readonly anyAdditional: boolean;
  readonly items: Schema | undefined;
  readonly required: readonly string[];
  readonly enum: readonly unknown[] | undefined;
  readonly format: string;
  readonly pattern: { readonly source: string; readonly regexp: RE2JS } | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listKeys: readonly string[];
  readonly sortedListKeys: readonly string[];
  readonly atomicMap: boolean;
  readonly default: unknown;
  readonly hasDefault: boolean;
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
  /** Whether there is any of the four above. */
  readonly hasAlternatives: boolean;
  readonly rules: readonly ValidationRule[];
  /** Whether this or anything beneath has a default, or a rule. */
  readonly defaultsBeneath: boolean;
  readonly rulesBeneath: boolean;
  /** Whether this or anything beneath is an embedded object, or a list of type set or map. */
  readonly embeddedBeneath: boolean;
  readonly uniqueBeneath: boolean;
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;

function ruleOf(raw: unknown): ValidationRule {
  const rule = mapOf(raw);
  return {
    rule: stringOf(rule['rule']),
    message: stringOf(rule['message']),
    messageExpression: stringOf(rule['messageExpression']),
    reason: stringOf(rule['reason']),
    fieldPath: stringOf(rule['fieldPath']),
    optionalOldSelf: rule['optionalOldSelf'] === true,
  };
}

/**
 * Compiles the JSON of a schema. What is not a map compiles to a schema that allows anything.
 *
 * @throws {RE2JSException} a pattern is none in the language of RE2
 */
export function compileSchema(raw: unknown): Schema {
  const source = mapOf(raw);
  const properties = isMap(source['properties'])
    ? new Map(Object.entries(source['properties']).map(([name, child]) => [name, compileSchema(child)]))
    : undefined;
  const additional = isMap(source['additionalProperties']) ? compileSchema(source['additionalProperties']) : undefined;
  const items = isMap(source['items']) ? compileSchema(source['items']) : undefined;
  const rules = listOf(source['x-kubernetes-validations']).map(ruleOf);
  const pattern = stringOf(source['pattern']);
  const listType = stringOf(source['x-kubernetes-list-type']);
  const children = [...(properties?.values() ?? []), ...(additional ? [additional] : []), ...(items ? [items] : [])];
  const compileAll = (key: string): Schema[] => listOf(source[key]).map(compileSchema);
  const allOf = compileAll('allOf');
  const [anyOf, oneOf] = [compileAll('anyOf'), compileAll('oneOf')];
  const not = isMap(source['not']) ? compileSchema(source['not']) : undefined;
  const hasDefault = Object.hasOwn(source, 'default');
  const embedded = source['x-kubernetes-embedded-resource'] === true;
  const listKeys = listOf(source['x-kubernetes-list-map-keys']).map(String);
  const isUnique = listType === 'set' || listType === 'map';
  return {
    type: stringOf(source['type']),
    intOrString: source['x-kubernetes-int-or-string'] === true,
    preserve: source['x-kubernetes-preserve-unknown-fields'] === true,
    embedded,
    nullable: source['nullable'] === true,
    properties,
    additional,
    anyAdditional: source['additionalProperties'] === true,
    items,
    required: listOf(source['required']).map(String),
    enum: isList(source['enum']) && source['enum'].length > 0 ? source['enum'] : undefined,
    format: stringOf(source['format']),
    pattern: pattern === '' ? undefined : { source: pattern, regexp: patternOf(pattern) },
    minimum: numberOf(source['minimum']),
    maximum: numberOf(source['maximum']),
    exclusiveMinimum: source['exclusiveMinimum'] === true,
    exclusiveMaximum: source['exclusiveMaximum'] === true,
    multipleOf: numberOf(source['multipleOf']),
    minLength: numberOf(source['minLength']),
    maxLength: numberOf(source['maxLength']),
    minItems: numberOf(source['minItems']),
    maxItems: numberOf(source['maxItems']),
    uniqueItems: source['uniqueItems'] === true,
    minProperties: numberOf(source['minProperties']),
    maxProperties: numberOf(source['maxProperties']),
    listType: isUnique ? listType : 'atomic',
    listKeys,
    sortedListKeys: listKeys.toSorted(),
    atomicMap: source['x-kubernetes-map-type'] === 'atomic',
    default: source['default'],
    hasDefault,
    allOf,
    anyOf,
    oneOf,
    not,
    hasAlternatives: allOf.length > 0 || anyOf.length > 0 || oneOf.length > 0 || not !== undefined,
    rules,
    defaultsBeneath: hasDefault || children.some((child) => child.defaultsBeneath),
    rulesBeneath: rules.length > 0 || [...children, ...allOf].some((child) => child.rulesBeneath),
    embeddedBeneath: embedded || children.some((child) => child.embeddedBeneath),
    uniqueBeneath: isUnique || children.some((child) => child.uniqueBeneath),
  };
}

/** The schema of a field of a map, or undefined when nothing is declared for it. */
export function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  return schema?.properties?.get(key) ?? schema?.additional;
}

/** JSON of the schema of `metadata`; lists as server-side apply merges them. */
export const OBJECT_META: JsonMap = treeOf(
  new Map(parseTypes(META_PACKAGE, META_TYPES).map((type) => [type.fullName, type])),
  `${META_PACKAGE}.ObjectMeta`,
);

/** Compiles the schema of a whole object: `apiVersion` and `kind` declared, `metadata` the one every object has. */
export function compileObjectSchema(raw: unknown): Schema {
  const source = mapOf(raw);
  return compileSchema({
    ...source,
    type: 'object',
    properties: {
      ...mapOf(source['properties']),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: OBJECT_META,
    },
  });
}
