// Rules for the schema of a CustomResourceDefinition beyond being structural: the supported part of OpenAPI, list
// and map types, defaults, and rules that compile and do not cost too much.
import { compileMessage, compileRule } from '../../../cel/compile.ts';
import { type CelType, declaredType, MAX_REQUEST_BYTES } from '../../../cel/types.ts';
import { isList, isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import {
  type FieldError,
  forbidden,
  invalidRecord,
  invalidValue,
  notSupported,
  required,
} from '../base/field-error.ts';
import { defaultProblems } from './default-values.ts';
import { isRulePath } from './field-path.ts';
import { compileSchema } from './schema.ts';
import { structuralProblems } from './structural.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Most that one rule may cost, and all of a schema's. */
const RULE_COST_LIMIT = 10_000_000;
const SCHEMA_COST_LIMIT = 100_000_000;

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

/** Facts about the place of a schema in the whole. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** Within `metadata` and its like, of the object or of an embedded one. */
  readonly isMeta: boolean;
  /** Why defaults are forbidden here; empty where they are not. */
  readonly noDefaults: string;
  /** The ancestor below which old values cannot be found; empty where they can. */
  readonly uncorrelated: string;
  /** Values that there may be at most, undefined when nothing bounds them. */
  readonly count: number | undefined;
  /** For rules at this place, undefined where there can be none. */
  readonly rules: boolean;
}

interface Findings {
  readonly errors: FieldError[];
  readonly ruleErrors: FieldError[];
  /** Cost limit of each expression, by its path. */
  readonly costs: (readonly [string, number])[];
}

/** Errors of the schema of one version. */
export function schemaProblems(schema: JsonMap, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['nullable'] === true) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const unsupported = isUnsupported(schema);
  const structural = unsupported ? [] : structuralProblems(schema, path);
  const defaults = unsupported || structural.length > 0 ? [] : defaultProblems(schema, path);
  const isSound = !unsupported && structural.length === 0 && defaults.length === 0;
  const found: Findings = { errors: [], ruleErrors: [], costs: [] };
  visit(schema, found, {
    path,
    isRoot: true,
    isMeta: false,
    noDefaults: '',
    uncorrelated: '',
    count: 1,
    rules: isSound,
  });
  return [...errors, ...structural, ...defaults, ...found.errors, ...found.ruleErrors, ...totalCost(found.costs, path)];
}

/** Whether a part of the schema says what keeps it from being looked at closer. */
function isUnsupported(schema: JsonMap): boolean {
  if (UNSUPPORTED.some((key) => isGiven(schema[key])) || isList(schema['items'])) return true;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return true;
  return childrenOf(schema).some(isUnsupported);
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(isMap(value) && Object.keys(value).length === 0);

function childrenOf(schema: JsonMap): JsonMap[] {
  const named = Object.values(mapOf(schema['properties']));
  const logic = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]));
  return [...named, ...logic, schema['items'], schema['additionalProperties'], schema['not']].filter(isMap);
}

function visit(schema: JsonMap, found: Findings, place: Place): void {
  const { path } = place;
  const before = found.errors.length;
  checkSupported(schema, found.errors, place);
  visitChildren(schema, found, place);
  checkTypes(schema, path, found.errors);
  checkListMap(schema, path, found.errors);
  const rules = listOf(schema['x-kubernetes-validations']).map(mapOf);
  rules.forEach((rule, index) => {
    checkRuleForm(schema, rule, `${path}.x-kubernetes-validations[${index}]`, found.errors);
  });
  if (rules.length > 0 && place.rules && found.errors.length === before) checkRules(schema, found, place);
}

function checkSupported(schema: JsonMap, errors: FieldError[], { path, isMeta, noDefaults }: Place): void {
  const type = stringOf(schema['type']);
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES));
  if (schema['default'] !== undefined && noDefaults !== '') {
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  }
  for (const key of UNSUPPORTED) {
    if (isGiven(schema[key])) errors.push(forbidden(`${path}.${key}`, `${key} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (isList(schema['items'])) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (isMeta && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
  if (schema['uniqueItems'] === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${path}.uniqueItems`, why));
  }
  const { additionalProperties } = schema;
  const hasProperties = Object.keys(mapOf(schema['properties'])).length > 0;
  if (hasProperties && additionalProperties !== undefined && additionalProperties !== true) {
    errors.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
}

const METADATA: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

function visitChildren(schema: JsonMap, found: Findings, place: Place): void {
  const { path, isRoot, count } = place;
  const child = { ...place, isRoot: false };
  const times = factorOf(schema);
  const below = { ...child, count: count === undefined || times === undefined ? undefined : count * times };
  if (isMap(schema['additionalProperties'])) {
    const noDefaults = place.isMeta ? 'inside additionalProperties applying to object metadata' : place.noDefaults;
    visit(schema['additionalProperties'], found, { ...below, noDefaults, path: `${path}.additionalProperties` });
  }
  const mapType = schema['x-kubernetes-map-type'];
  const correlates = mapType === undefined || mapType === 'granular' || mapType === 'atomic';
  for (const [key, property] of Object.entries(mapOf(schema['properties']))) {
    const isMeta = METADATA.has(key) && (isRoot || schema['x-kubernetes-embedded-resource'] === true);
    visit(mapOf(property), found, {
      ...below,
      path: `${path}.properties[${key}]`,
      isMeta: place.isMeta || isMeta,
      noDefaults: isMeta && isRoot ? `in top-level ${key}` : place.noDefaults,
      uncorrelated: place.uncorrelated || (correlates ? '' : path),
    });
  }
  const logic = { ...child, rules: false };
  if (isMap(schema['not'])) visit(schema['not'], found, { ...logic, path: `${path}.not` });
  for (const key of ['allOf', 'oneOf', 'anyOf']) {
    listOf(schema[key]).forEach((part, index) => {
      visit(mapOf(part), found, { ...logic, path: `${path}.${key}[${index}]` });
    });
  }
  if (!isMap(schema['items'])) return;
  const uncorrelated = place.uncorrelated || (schema['x-kubernetes-list-type'] === 'map' ? '' : path);
  visit(schema['items'], found, { ...below, uncorrelated, path: `${path}.items` });
}

/** The most children for one value of the schema, undefined when nothing bounds them. */
function factorOf(schema: JsonMap): number | undefined {
  const bound = (key: string): number | undefined => {
    const { [key]: limit } = schema;
    return typeof limit === 'number' ? Math.max(0, limit) : undefined;
  };
  if (schema['type'] === 'array') return bound('maxItems');
  return schema['type'] === 'object' && schema['additionalProperties'] !== undefined ? bound('maxProperties') : 1;
}

function checkTypes(schema: JsonMap, path: string, errors: FieldError[]): void {
  const type = stringOf(schema['type']);
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  const wrongType = (why: string): FieldError =>
    type === '' ? required(`${path}.type`, why) : invalidValue(`${path}.type`, type, why);
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  if (mapType !== undefined && type !== 'object') {
    errors.push(wrongType('must be object if x-kubernetes-map-type is specified'));
  }
  if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  const items = mapOf(schema['items']);
  if (listType !== undefined && type !== 'array') {
    errors.push(wrongType('must be array if x-kubernetes-list-type is specified'));
  } else if (listType === 'set') {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    const itemList = items['x-kubernetes-list-type'];
    if (items['type'] === 'array' && itemList !== undefined && itemList !== 'atomic') {
      errors.push(invalidValue(`${path}.items.x-kubernetes-list-type`, itemList, why));
    }
    if (items['type'] === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
      errors.push(invalidValue(`${path}.items.x-kubernetes-map-type`, itemList ?? null, why));
    }
  }
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(stringOf(listType))) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
}

function checkListMap(schema: JsonMap, path: string, errors: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = listOf(schema['x-kubernetes-list-map-keys']).map(String);
  const items = mapOf(schema['items']);
  if (keys.length > 0 && listType !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(field, why) : invalidValue(field, listType, why));
  }
  if (listType === 'map') checkKeys(schema, keys, path, errors);
  if ((listType === 'map' || listType === 'set') && items['nullable'] === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType !== 'map') return;
  const needed = listOf(items['required']);
  for (const key of keys) {
    const property = mapOf(items['properties'])[key];
    if (!isMap(property)) continue;
    const field = `${path}.items.properties[${key}]`;
    if (!needed.includes(key) && property['default'] === undefined) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(`${field}.default`, why));
    }
    if (property['nullable'] === true) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbidden(`${field}.nullable`, why));
    }
  }
}

function checkKeys(schema: JsonMap, keys: readonly string[], path: string, errors: FieldError[]): void {
  const { items } = schema;
  const field = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(field, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined) {
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
  } else if (mapOf(items)['type'] !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalidValue(`${path}.items.type`, stringOf(mapOf(items)['type']), why));
  } else {
    keys.forEach((key, index) => {
      const property = mapOf(mapOf(items)['properties'])[key];
      const type = stringOf(mapOf(property)['type']);
      if (property === undefined)
        errors.push(invalidValue(field, keys, 'entries must all be names of item properties'));
      else if (type === 'array' || type === 'object') {
        const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(invalidValue(`${path}.items.properties[${key}].type`, 'object', why));
      }
      if (keys.indexOf(key) < index) errors.push(invalidValue(field, keys, 'must not contain duplicate entries'));
    });
  }
}

const hasNewlines = (text: string): boolean => /[\n\r]/.test(text);

function checkRuleForm(schema: JsonMap, rule: JsonMap, path: string, errors: FieldError[]): void {
  const [text, message, expression, fieldPath] = ['rule', 'message', 'messageExpression', 'fieldPath'].map((key) =>
    stringOf(rule[key]),
  ) as [string, string, string, string];
  if (text.trim() === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalidValue(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (hasNewlines(message.trim())) {
    errors.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
  } else if (hasNewlines(text.trim()) && message.trim() === '') {
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (expression !== '' && expression.trim() === '') {
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (rule['reason'] !== undefined && !REASONS.includes(stringOf(rule['reason']))) {
    errors.push(notSupported(`${path}.reason`, rule['reason'], REASONS));
  }
  if (fieldPath === '') return;
  if (fieldPath.trim() === '') {
    errors.push(invalidValue(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  }
  if (hasNewlines(fieldPath)) errors.push(invalidValue(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if (!isRulePath(schema, fieldPath)) errors.push(invalidValue(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
}

function checkRules(schema: JsonMap, { ruleErrors, costs }: Findings, place: Place): void {
  const compiled = compileSchema(schema);
  const isRoot = place.isRoot || compiled.embedded;
  const self = declaredType(compiled, `selfType${place.path.length}`, { isRoot });
  if (self === undefined) return;
  const raw = listOf(schema['x-kubernetes-validations']).map(mapOf);
  compiled.rules.forEach((rule, index) => {
    const path = `${place.path}.x-kubernetes-validations[${index}]`;
    const shown = internalRule(raw[index] ?? {});
    const { problem, cost, usesOldSelf } = compileRule(self, rule);
    const total = cost * (place.count ?? greatestCount(self));
    const observe = (field: string, words: string, spent: number): void => {
      if (spent > RULE_COST_LIMIT) ruleErrors.push(forbidden(field, tooExpensive(words, spent, RULE_COST_LIMIT)));
      costs.push([field, spent]);
    };
    observe(`${path}.rule`, 'estimated rule cost', total);
    if (problem !== undefined) ruleErrors.push(invalidRecord(`${path}.rule`, shown, problem));
    if (rule.messageExpression !== '' && problem === undefined) {
      const message = compileMessage(self, rule);
      if (message.problem === undefined) {
        observe(`${path}.messageExpression`, 'estimated messageExpression cost', message.cost);
      } else ruleErrors.push(invalidRecord(`${path}.messageExpression`, shown, message.problem));
    }
    if (usesOldSelf && place.uncorrelated !== '') {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
      ruleErrors.push(invalidValue(`${path}.rule`, rule.rule, why));
    } else if (!usesOldSelf && raw[index]?.['optionalOldSelf'] !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule';
      ruleErrors.push(invalidValue(`${path}.optionalOldSelf`, rule.optionalOldSelf, why));
    }
  });
}

/** The most values of the type that fit into a request. */
function greatestCount({ minLength = 0 }: CelType): number {
  return Math.floor(MAX_REQUEST_BYTES / (minLength + 1));
}

/** A rule as messages show it. */
function internalRule(rule: JsonMap): InternalRule {
  return {
    Rule: stringOf(rule['rule']),
    Message: stringOf(rule['message']),
    MessageExpression: stringOf(rule['messageExpression']),
    Reason: rule['reason'] ?? null,
    FieldPath: stringOf(rule['fieldPath']),
    OptionalOldSelf: rule['optionalOldSelf'] ?? null,
  };
}

interface InternalRule {
  readonly Rule: string;
  readonly Message: string;
  readonly MessageExpression: string;
  readonly Reason: unknown;
  readonly FieldPath: string;
  readonly OptionalOldSelf: unknown;
}

function tooExpensive(what: string, cost: number, limit: number): string {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100x' : `${times < 1.5 ? times.toFixed(6) : times.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

function totalCost(costs: Findings['costs'], path: string): FieldError[] {
  const total = costs.reduce((sum, [, cost]) => sum + cost, 0);
  if (total <= SCHEMA_COST_LIMIT) return [];
  const greatest = costs
    .filter(([, cost]) => cost >= SCHEMA_COST_LIMIT / 100)
    .sort(([, left], [, right]) => right - left);
  const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...greatest.slice(0, 4).map(([field]) => forbidden(field, why)),
    forbidden(path, tooExpensive(what, total, SCHEMA_COST_LIMIT)),
  ];
}
