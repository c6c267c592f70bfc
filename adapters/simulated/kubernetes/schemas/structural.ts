// Rules of structural schemas: every field has a type outside of logic, and logic (allOf, anyOf, oneOf, not) restricts
// values only. Each rule is worded as the API server words it.
import { isList, isMap, type JsonMap, listOf, mapOf, same, stringOf } from '../../../text/json.ts';
import { patternProblem } from '../../../text/patterns.ts';
import { type FieldError, forbidden, invalidValue, required } from '../base/field-error.ts';

type Level = 'root' | 'item' | 'field';

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** Errors that keep a schema from being structural, in order of the messages. */
export function structuralProblems(schema: JsonMap, path: string): FieldError[] {
  const errors: FieldError[] = [];
  checkNode(schema, 'root', path, errors);
  // Whatever logic at the root names must be specified outside of it, too.
  for (const part of partsOf(schema)) checkNamed(part.schema, schema, `${path}.${part.path}`, path, errors);
  const text = ({ field, body }: FieldError): string => `${field}: ${body}`;
  return errors.sort((left, right) => (text(left) < text(right) ? -1 : 1));
}

const isTrue = (schema: JsonMap, key: string): boolean => schema[key] === true;

function checkNode(schema: JsonMap, level: Level, path: string, errors: FieldError[]): void {
  const type = stringOf(schema['type']);
  const properties = mapOf(schema['properties']);
  const { items, additionalProperties } = schema;
  const isEmbedded = isTrue(schema, 'x-kubernetes-embedded-resource');
  const isOpen = isTrue(schema, 'x-kubernetes-preserve-unknown-fields');
  const isIntOrString = isTrue(schema, 'x-kubernetes-int-or-string');
  if (type === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'));
  if (isMap(items)) checkNode(items, 'item', `${path}.items`, errors);
  for (const [key, child] of Object.entries(properties)) {
    checkNode(mapOf(child), 'field', `${path}.properties[${key}]`, errors);
  }
  if (additionalProperties !== undefined && level === 'root') {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (isMap(additionalProperties)) checkNode(additionalProperties, 'field', `${path}.additionalProperties`, errors);
  if (isIntOrString && isOpen) {
    const why = 'must be false if x-kubernetes-int-or-string is true';
    errors.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, true, why));
  }
  if (isIntOrString && isEmbedded) {
    const why = 'must be false if x-kubernetes-int-or-string is true';
    errors.push(invalidValue(`${path}.x-kubernetes-embedded-resource`, true, why));
  }
  checkLogic(
    schema,
    path,
    errors,
    isUnion(schema) ? 'anyOf' : isUnion(mapOf(listOf(schema['allOf'])[0])) ? 'allOf' : '',
  );
  if (isEmbedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(`${path}.type`, why) : invalidValue(`${path}.type`, type, why));
  } else if (type === '' && !isIntOrString && !isOpen) errors.push(required(`${path}.type`, MISSING_TYPE[level]));
  if (isEmbedded && additionalProperties !== undefined) {
    const why = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(`${path}.additionalProperties`, why));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidValue(`${path}.type`, type, 'must be object at the root'));
  }
  checkMetadata(properties, level, path, errors, { isResource: level === 'root' || isEmbedded });
  if (isEmbedded && !isOpen && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, why));
  }
}

/** The one place where logic may name types: an integer or a string. */
const isUnion = (schema: JsonMap): boolean => same(schema['anyOf'], INT_OR_STRING);

function checkMetadata(
  properties: JsonMap,
  level: Level,
  path: string,
  errors: FieldError[],
  { isResource }: { readonly isResource: boolean },
): void {
  for (const key of ['kind', 'apiVersion']) {
    const { [key]: property } = properties;
    if (!isResource || property === undefined) continue;
    const type = stringOf(mapOf(property)['type']);
    if (type !== 'string') errors.push(invalidValue(`${path}.properties[${key}].type`, type, 'must be string'));
  }
  const { metadata } = properties;
  if (metadata === undefined) return;
  const { type, properties: fields, default: _, ...rest } = mapOf(metadata);
  if (isResource && type !== 'object') {
    errors.push(invalidValue(`${path}.properties[metadata].type`, stringOf(type), 'must be object'));
  }
  const others = Object.keys(mapOf(fields)).filter((key) => key !== 'name' && key !== 'generateName');
  if (level === 'root' && (others.length > 0 || Object.keys(rest).length > 0)) {
    const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(`${path}.properties[metadata]`, why));
  }
}

/** @param exempt  where the union of integer and string stands, if it does */
function checkLogic(schema: JsonMap, path: string, errors: FieldError[], exempt: string): void {
  for (const key of ['anyOf', 'allOf', 'oneOf']) {
    listOf(schema[key]).forEach((part, index) => {
      if (exempt === 'anyOf' && key === 'anyOf') return;
      const inner = exempt === 'allOf' && key === 'allOf' && index === 0 ? 'anyOf' : '';
      checkNested(mapOf(part), `${path}.${key}[${index}]`, errors, inner);
    });
  }
  if (isMap(schema['not'])) checkNested(schema['not'], `${path}.not`, errors, '');
  const pattern = stringOf(schema['pattern']);
  const problem = pattern === '' ? undefined : patternProblem(pattern);
  if (problem === undefined) return;
  errors.push(invalidValue(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`));
}

/** Members that must not be within logic, and their messages. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function isSet(value: unknown): boolean {
  return value !== undefined && value !== false && value !== '' && !(isList(value) && value.length === 0);
}

function checkNested(schema: JsonMap, path: string, errors: FieldError[], exempt: string): void {
  checkLogic(schema, path, errors, exempt);
  if (isMap(schema['items'])) checkNested(schema['items'], `${path}.items`, errors, '');
  const properties = mapOf(schema['properties']);
  for (const [key, child] of Object.entries(properties)) {
    checkNested(mapOf(child), `${path}.properties[${key}]`, errors, '');
  }
  for (const [key, why] of FORBIDDEN) if (isSet(schema[key])) errors.push(forbidden(`${path}.${key}`, why));
  if (Object.hasOwn(properties, 'metadata')) {
    errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
}

interface Part {
  readonly schema: JsonMap;
  readonly path: string;
}

function partsOf(schema: JsonMap): Part[] {
  const lists = ['anyOf', 'allOf', 'oneOf'].flatMap((key) =>
    listOf(schema[key]).map((part, index) => ({ schema: mapOf(part), path: `${key}[${index}]` })),
  );
  return isMap(schema['not']) ? [...lists, { schema: schema['not'], path: 'not' }] : lists;
}

/** @param where  of the outer schema, at which what is missing would be specified */
function checkNamed(inner: JsonMap, outer: JsonMap, from: string, where: string, errors: FieldError[]): void {
  for (const [key, child] of Object.entries(mapOf(inner['properties']))) {
    const specified = mapOf(outer['properties'])[key];
    if (specified === undefined) {
      errors.push(required(`${where}.properties[${key}]`, `because it is defined in ${from}.properties[${key}]`));
    } else
      checkNamed(mapOf(child), mapOf(specified), `${from}.properties[${key}]`, `${where}.properties[${key}]`, errors);
  }
  if (isMap(inner['items'])) {
    if (!isMap(outer['items'])) errors.push(required(`${where}.items`, `because it is defined in ${from}.items`));
    else checkNamed(inner['items'], outer['items'], `${from}.items`, `${where}.items`, errors);
  }
  for (const part of partsOf(inner)) checkNamed(part.schema, outer, `${from}.${part.path}`, where, errors);
}
