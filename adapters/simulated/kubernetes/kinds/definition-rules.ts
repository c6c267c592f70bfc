// Rules for a CustomResourceDefinition: names, versions and columns. Its schemas are the business of
// schemas/definition-schema.ts.
//
// Where all versions say the same, the API server keeps it once, and messages name that place. A list of versions that is
// shown whole is shown as the API server keeps it, without what it keeps elsewhere.

import { dig, isMap, type JsonMap, listOf, mapOf, same, stringOf } from '../../../text/json.ts';
import { subdomainProblems } from '../../../text/names.ts';
import {
  duplicate,
  type FieldError,
  invalidRecord,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { schemaProblems } from '../schemas/definition-schema.ts';
import { followPath } from '../schemas/field-path.ts';
import { conversionErrors, storedVersionErrors } from './conversion-rules.ts';
import { subresourceErrors } from './subresource-rules.ts';

const IMMUTABLE = 'field is immutable';
const IS_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
/** In characters. */
const MAX_LABEL_LENGTH = 63;
const MAX_WARNING_LENGTH = 256;

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_SELECTABLE_FIELDS = 8;

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
  errors.push(...namesErrors(names));
  if (spec['preserveUnknownFields'] === true) {
    const why =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalidValue('spec.preserveUnknownFields', true, why));
  }
  errors.push(...conversionErrors(spec));
  if (listOf(spec['versions']).length > 0) errors.push(...storedVersionErrors(spec, mapOf(next['status'])));
  if (old !== undefined) {
    const before = mapOf(old['spec']);
    for (const path of [['scope'], ['names', 'kind'], ['group'], ['names', 'plural']]) {
      const value = dig(spec, ...path);
      if (!same(value, dig(before, ...path))) errors.push(invalidValue(`spec.${path.join('.')}`, value, IMMUTABLE));
    }
  }
  return errors;
}

function labelProblems(value: string): string[] {
  const isLong = value.length > MAX_LABEL_LENGTH;
  const long = isLong ? [`must be no more than ${MAX_LABEL_LENGTH} bytes`] : [];
  return IS_LABEL.test(value) ? long : [...long, LABEL_RULE];
}

function namesErrors(names: JsonMap): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, value: string, shown: string, prefix: string): void => {
    const problems = value === '' && prefix !== 'list' ? [] : labelProblems(value);
    const words = prefix === 'list' ? '' : prefix;
    if (problems.length > 0) errors.push(invalidValue(`spec.names.${field}`, shown, words + problems.join(',')));
  };
  for (const key of ['plural', 'singular']) check(key, stringOf(names[key]), stringOf(names[key]), '');
  for (const key of ['kind', 'listKind']) {
    const value = stringOf(names[key]);
    check(key, value.toLowerCase(), value, 'may have mixed case, but should otherwise match: ');
  }
  for (const key of ['shortNames', 'categories']) {
    listOf(names[key]).forEach((value, index) => {
      check(`${key}[${index}]`, stringOf(value), stringOf(value), 'list');
    });
  }
  if (stringOf(names['kind']) !== '' && stringOf(names['kind']) === stringOf(names['listKind'])) {
    errors.push(invalidValue('spec.names.listKind', names['listKind'], 'kind and listKind may not be the same'));
  }
  return errors;
}

/** Whether all versions say the same, and say something. */
function isCommon(versions: readonly JsonMap[], key: string): boolean {
  const [first] = versions;
  const value = first?.[key];
  const isSaid = value !== undefined && !(Array.isArray(value) && value.length === 0);
  return isSaid && versions.every((version) => same(version[key], value));
}

function versionErrors(spec: JsonMap): FieldError[] {
  const versions = listOf(spec['versions']).map(mapOf);
  const errors: FieldError[] = [];
  const common = new Set(
    ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'].filter((key) => isCommon(versions, key)),
  );
  const shared: FieldError[] = [];
  versions.forEach((version, index) => {
    const path = `spec.versions[${index}]`;
    const place = (key: string): string => (common.has(key) ? 'spec' : path);
    /** An error that all versions have is reported once. */
    const found = (key: string): FieldError[] => (!common.has(key) ? errors : index === 0 ? shared : []);
    const name = stringOf(version['name']);
    const problems = labelProblems(name);
    if (problems.length > 0) errors.push(invalidValue(`${path}.name`, name, problems.join(',')));
    errors.push(...warningErrors(version, `${path}.deprecationWarning`));
    const schema = dig(version, 'schema', 'openAPIV3Schema');
    const schemaPath = common.has('schema') ? 'spec.validation.openAPIV3Schema' : `${path}.schema.openAPIV3Schema`;
    if (!isMap(schema)) errors.push(required(`${path}.schema.openAPIV3Schema`));
    else found('schema').push(...schemaProblems(schema, schemaPath));
    const subresourcesPath = `${place('subresources')}.subresources`;
    found('subresources').push(...subresourceErrors(version['subresources'], subresourcesPath));
    listOf(version['additionalPrinterColumns']).forEach((column, at) => {
      const columnPath = `${place('additionalPrinterColumns')}.additionalPrinterColumns[${at}]`;
      found('additionalPrinterColumns').push(...columnErrors(mapOf(column), columnPath));
    });
    const fieldsPath = `${place('selectableFields')}.selectableFields`;
    if (isMap(schema)) found('selectableFields').push(...selectableErrors(version, schema, fieldsPath));
  });
  const whole = versions.map((version) => internalVersion(version, common));
  if (new Set(versions.map((version) => version['name'])).size < versions.length) {
    errors.push(invalidRecord('spec.versions', whole, 'must contain unique version names'));
  }
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    const why = 'must have exactly one version marked as storage version';
    errors.push(
      versions.length === 0 ? invalidValue('spec.versions', null, why) : invalidRecord('spec.versions', whole, why),
    );
  }
  return [...errors, ...shared];
}

function internalVersion(version: JsonMap, common: ReadonlySet<string>): JsonMap {
  const own = (key: string): unknown => (common.has(key) ? null : (version[key] ?? null));
  return {
    Name: stringOf(version['name']),
    Served: version['served'] === true,
    Storage: version['storage'] === true,
    Deprecated: version['deprecated'] === true,
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: own('schema'),
    Subresources: own('subresources'),
    AdditionalPrinterColumns: own('additionalPrinterColumns'),
    SelectableFields: own('selectableFields'),
  };
}

function warningErrors(version: JsonMap, field: string): FieldError[] {
  const { deprecationWarning: warning } = version;
  if (typeof warning !== 'string') return [];
  const say = (why: string): FieldError => invalidValue(field, warning, why);
  if (version['deprecated'] !== true) return [say('can only be set for deprecated versions')];
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > MAX_WARNING_LENGTH) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  const hidden = /[^\P{C}]|[\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(warning);
  if (hidden !== null) {
    const at = Buffer.byteLength(warning.slice(0, hidden.index));
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`);
  }
  return problems.map(say);
}

function columnErrors(column: JsonMap, path: string): FieldError[] {
  const [name, type, format, jsonPath] = ['name', 'type', 'format', 'jsonPath'].map((key) => stringOf(column[key])) as [
    string,
    string,
    string,
    string,
  ];
  const errors: FieldError[] = [];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (name === '') errors.push(required(`${path}.name`));
  if (type === '') errors.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidValue(`${path}.type`, type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format)) {
    errors.push(invalidValue(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  }
  if (jsonPath === '') errors.push(required(`${path}.JSONPath`));
  else if (!jsonPath.startsWith('.')) {
    errors.push(invalidValue(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
  }
  return errors;
}

function selectableErrors(version: JsonMap, schema: JsonMap, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  listOf(version['selectableFields']).forEach((one, index) => {
    const field = `${path}[${index}].jsonPath`;
    const text = stringOf(dig(one, 'jsonPath'));
    if (text === '') {
      errors.push(required(field));
      return;
    }
    const found = followPath(schema, text, { brackets: 'refused' });
    if ('problem' in found) {
      errors.push(invalidValue(field, text, `is an invalid path: ${found.problem}`));
      return;
    }
    if (/^metadata\b/.test(found.path)) errors.push(invalidValue(field, text, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(stringOf(found.schema['type']))) {
      const why =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalidValue(field, text, why));
    }
    if (seen.has(found.path)) errors.push(duplicate(field, text));
    seen.add(found.path);
  });
  if (seen.size > MAX_SELECTABLE_FIELDS) errors.push(tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  return errors;
}
