// What a CustomResourceDefinition must keep to: names, versions, and schemas that are structural and compile. The cost
// of CEL rules is not estimated, and of their types only what cel-check.ts says.

import { RE2JS, RE2JSException } from 're2js';
import { dig, isList, isMap, type JsonMap, type KubeObject, listOf, mapOf, same, stringOf } from '../json.ts';
import { subdomainProblems } from '../objects/names.ts';
import { checkedExpression } from '../schemas/cel.ts';
import { ruleProblem } from '../schemas/cel-check.ts';
import { type FieldError, forbidden, invalidValue, notSupported, required } from '../schemas/field-error.ts';
import { compileObjectSchema, compileSchema, type Schema } from '../schemas/schema.ts';
import { validate } from '../schemas/validation.ts';

const IMMUTABLE = 'field is immutable';
const IS_VERSION = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

export function validateDefinition(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = mapOf(next['spec']);
  const names = mapOf(spec['names']);
  const group = stringOf(spec['group']);
  const errors: FieldError[] = [];
  const { name = '' } = next.metadata;
  if (name !== `${stringOf(names['plural'])}.${group}`) {
    errors.push(invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (group === '') errors.push(required('spec.group'));
  else if (subdomainProblems(group).length > 0) {
    errors.push(invalidValue('spec.group', group, subdomainProblems(group).join(',')));
  } else if (!group.includes('.')) {
    errors.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
  }
  const scope = stringOf(spec['scope']);
  if (scope === '') errors.push(required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    errors.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  }
  errors.push(...versionErrors(spec));
  for (const key of ['plural', 'singular', 'kind', 'listKind']) {
    if (stringOf(names[key]) === '') errors.push(required(`spec.names.${key}`));
  }
  for (const key of ['plural', 'singular'] as const)
    errors.push(...nameErrors(`spec.names.${key}`, stringOf(names[key])));
  if (stringOf(names['kind']) !== '' && stringOf(names['kind']) === stringOf(names['listKind'])) {
    errors.push(invalidValue('spec.names.listKind', names['listKind'], 'kind and listKind may not be the same'));
  }
  if (spec['preserveUnknownFields'] === true) {
    const why =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalidValue('spec.preserveUnknownFields', true, why));
  }
  const conversion = stringOf(dig(spec, 'conversion', 'strategy'));
  if (conversion !== 'None') errors.push(notSupported('spec.conversion.strategy', conversion, ['None', 'Webhook']));
  if (old !== undefined) {
    const before = mapOf(old['spec']);
    for (const path of [['scope'], ['names', 'kind'], ['group'], ['names', 'plural']]) {
      const value = dig(spec, ...path);
      if (!same(value, dig(before, ...path))) errors.push(invalidValue(`spec.${path.join('.')}`, value, IMMUTABLE));
    }
  }
  return errors;
}

function nameErrors(field: string, value: string): FieldError[] {
  if (value === '' || IS_VERSION.test(value)) return [];
  const why =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  return [invalidValue(field, value, why)];
}

function versionErrors(spec: JsonMap): FieldError[] {
  const versions = listOf(spec['versions']).map(mapOf);
  const errors: FieldError[] = [];
  const single = versions.length === 1;
  versions.forEach((version, index) => {
    const path = `spec.versions[${index}]`;
    errors.push(...nameErrors(`${path}.name`, stringOf(version['name'])));
    const schema = dig(version, 'schema', 'openAPIV3Schema');
    // The API server keeps a single schema in a place of its own, and names it by that.
    const schemaPath = single ? 'spec.validation.openAPIV3Schema' : `${path}.schema.openAPIV3Schema`;
    if (!isMap(schema)) errors.push(required(`${path}.schema.openAPIV3Schema`));
    else errors.push(...schemaErrors(schema, schemaPath));
    listOf(version['additionalPrinterColumns']).forEach((column, at) => {
      const columnPath = single ? `spec.additionalPrinterColumns[${at}]` : `${path}.additionalPrinterColumns[${at}]`;
      for (const key of ['name', 'jsonPath', 'type']) {
        const name = single && key === 'jsonPath' ? 'JSONPath' : key;
        if (stringOf(dig(column, key)) === '') errors.push(required(`${columnPath}.${name}`));
      }
    });
  });
  const distinct = new Set(versions.map((version) => version['name']));
  if (distinct.size < versions.length) {
    errors.push(invalidValue('spec.versions', spec['versions'], 'must contain unique version names'));
  }
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    const why = 'must have exactly one version marked as storage version';
    errors.push(invalidValue('spec.versions', spec['versions'] ?? null, why));
  }
  return errors;
}

function schemaErrors(schema: JsonMap, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['type'] !== 'object') {
    const shown = stringOf(schema['type']);
    errors.push(
      shown === ''
        ? required(`${path}.type`, 'must not be empty at the root')
        : invalidValue(`${path}.type`, shown, 'must be object at the root'),
    );
  }
  visit(schema, path, errors, { isRoot: true });
  return errors;
}

function visit(schema: JsonMap, path: string, errors: FieldError[], { isRoot }: { readonly isRoot: boolean }): void {
  const type = stringOf(schema['type']);
  const isOpen =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === '' && !isOpen && !isRoot)
    errors.push(required(`${path}.type`, 'must not be empty for specified object fields'));
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES));
  if (schema['$ref'] !== undefined) errors.push(forbidden(`${path}.$ref`, '$ref is not supported'));
  if (schema['uniqueItems'] === true) {
    errors.push(
      forbidden(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  }
  if (isMap(schema['properties']) && schema['additionalProperties'] !== undefined) {
    errors.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  if (typeof schema['pattern'] === 'string') {
    try {
      RE2JS.compile(schema['pattern']);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      errors.push(
        invalidValue(
          `${path}.pattern`,
          schema['pattern'],
          `must be a valid regular expression, but isn't: ${error.message}`,
        ),
      );
    }
  }
  checkListType(schema, path, errors);
  checkDefault(schema, path, errors);
  listOf(schema['x-kubernetes-validations']).forEach((raw, index) => {
    checkRule(schema, mapOf(raw), `${path}.x-kubernetes-validations[${index}]`, errors);
  });
  if (isMap(schema['properties'])) {
    for (const [name, child] of Object.entries(schema['properties'])) {
      visit(mapOf(child), `${path}.properties[${name}]`, errors, { isRoot: isRoot && name === 'metadata' });
    }
  }
  if (isMap(schema['additionalProperties'])) {
    visit(schema['additionalProperties'], `${path}.additionalProperties`, errors, { isRoot: false });
  }
  if (isMap(schema['items'])) visit(schema['items'], `${path}.items`, errors, { isRoot: false });
  else if (isList(schema['items'])) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  } else if (type === 'array') errors.push(required(`${path}.items`, 'must be specified'));
}

function checkListType(schema: JsonMap, path: string, errors: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return;
  if (schema['type'] !== 'array') {
    errors.push(
      invalidValue(`${path}.type`, stringOf(schema['type']), 'must be array if x-kubernetes-list-type is specified'),
    );
  }
  if (!['atomic', 'set', 'map'].includes(stringOf(listType))) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  const keys = listOf(schema['x-kubernetes-list-map-keys']);
  if (listType !== 'map') return;
  if (keys.length === 0) {
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  }
  const items = mapOf(schema['items']);
  if (items['type'] !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalidValue(`${path}.items.type`, stringOf(items['type']), why));
  }
  keys.forEach((key) => {
    const property = dig(items, 'properties', String(key));
    if (property === undefined) {
      errors.push(
        invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties'),
      );
    } else if (!listOf(items['required']).includes(key) && mapOf(property)['default'] === undefined) {
      const why = `this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`;
      errors.push(required(`${path}.items.properties[${String(key)}].default`, why));
    }
  });
}

function checkRule(schema: JsonMap, rule: JsonMap, path: string, errors: FieldError[]): void {
  const text = stringOf(rule['rule']);
  if (text.trim() === '') {
    errors.push(required(`${path}.rule`, 'rule is not specified'));
    return;
  }
  // Rules at the root see apiVersion, kind and metadata, too.
  const compiled = attemptCompile(schema, path.includes('openAPIV3Schema.x-') ? compileObjectSchema : compileSchema);
  const problem = compiled === undefined ? undefined : ruleProblem(compiled, text);
  if (problem !== undefined) {
    const shown = {
      Rule: text,
      Message: stringOf(rule['message']),
      MessageExpression: stringOf(rule['messageExpression']),
      Reason: rule['reason'] ?? null,
      FieldPath: stringOf(rule['fieldPath']),
      OptionalOldSelf: rule['optionalOldSelf'] ?? null,
    };
    errors.push({
      type: 'FieldValueInvalid',
      field: `${path}.rule`,
      body: `Invalid value: ${JSON.stringify(shown)}: ${problem}`,
    });
  }
  const expression = stringOf(rule['messageExpression']);
  if (expression === '') return;
  try {
    checkedExpression(expression);
  } catch (error) {
    const summary = (error as { summary?: unknown }).summary;
    const why = typeof summary === 'string' ? summary : String(error);
    errors.push(invalidValue(`${path}.messageExpression`, expression, `messageExpression compilation failed: ${why}`));
  }
}

/** The schema, unless a pattern in it keeps it from being compiled (which is reported where it is). */
function attemptCompile(schema: JsonMap, compile: (raw: unknown) => Schema = compileSchema): Schema | undefined {
  try {
    return compile(schema);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}

function checkDefault(schema: JsonMap, path: string, errors: FieldError[]): void {
  const compiled = schema['default'] === undefined ? undefined : attemptCompile(schema);
  if (compiled === undefined) return;
  for (const { type, field, body } of validate(compiled, schema['default'], undefined)) {
    errors.push({ type, field: `${path}.default${field === '' ? '' : `.${field}`}`, body });
  }
}
