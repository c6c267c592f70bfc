// Defaults in the schema of a CustomResourceDefinition: each is a valid value, without unknown fields.
import { RE2JSException } from 're2js';
import { copy, isMap, type JsonMap, mapOf, same } from '../../../text/json.ts';
import { type FieldError, invalidValue } from '../base/field-error.ts';
import { prune } from './pruning.ts';
import { validateRules } from './rules.ts';
import { compileSchema, type Schema } from './schema.ts';
import { validate } from './validation.ts';

/** The defaults that are none. */
export function defaultProblems(schema: JsonMap, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const walk = (node: JsonMap, at: string): void => {
    if (node['default'] !== undefined)
      errors.push(...badDefault(compileSchema(node), node['default'], `${at}.default`));
    if (isMap(node['items'])) walk(node['items'], `${at}.items`);
    for (const [key, child] of Object.entries(mapOf(node['properties'])))
      walk(mapOf(child), `${at}.properties[${key}]`);
  };
  const { metadata: _, ...properties } = mapOf(schema['properties']);
  walk({ ...schema, properties }, path);
  return errors;
}

function badDefault(schema: Schema, value: unknown, path: string): FieldError[] {
  const pruned = copy(value);
  prune(schema, pruned);
  const unknown = same(pruned, value) ? [] : [invalidValue(path, value, 'must not have unknown fields')];
  const invalid = validate(schema, value, undefined).map(({ type, field, body }) => ({
    type,
    field: field === '' ? path : field.startsWith('[') ? `${path}${field}` : `${path}.${field}`,
    body,
  }));
  if (invalid.length > 0) return [...unknown, ...invalid];
  try {
    const kept = validateRules(schema, value, value, path);
    return [...unknown, ...(kept.length > 0 ? kept : validateRules(schema, value, undefined, path))];
  } catch (error) {
    // A rule that does not compile is reported where it is.
    if (error instanceof RE2JSException) return unknown;
    throw error;
  }
}
