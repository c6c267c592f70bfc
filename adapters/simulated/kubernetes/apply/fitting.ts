// Whether an applied configuration fits the schema: known fields of the right types, no item twice in a set or a map.
import { isList, isMap } from '../../../text/json.ts';
import { goSyntax, goText, goType } from '../base/go-values.ts';
import type { Schema } from '../schemas/schema.ts';
import { stepText } from './field-sets.ts';
import { childSchema, itemKey, itemStep, Shape, shapeOf } from './typed.ts';

/**
 * Differences of a value from its schema, in the API server's wording.
 *
 * @returns `.spec.foo: field not declared in schema`, or several such lines; undefined when everything fits
 */
export function typeProblem(schema: Schema, value: unknown): string | undefined {
  const problems: string[] = [];
  visit(schema, value, '', problems);
  const [first] = problems;
  return problems.length > 1 ? ['errors:', ...problems.map((one) => `  ${one}`)].join('\n') : first;
}

function visit(schema: Schema | undefined, value: unknown, path: string, problems: string[]): void {
  if (schema === undefined || value === null) return;
  const say = (why: string): void => void problems.push(path === '' ? why : `${path}: ${why}`);
  if (schema.type === 'object') {
    if (isMap(value)) visitFields(schema, value, path, problems);
    else say(`expected map, got &{${goText(value)}}`);
  } else if (schema.type === 'array') {
    if (isList(value)) visitItems(schema, value, path, problems);
    else say(`expected list, got &{${goText(value)}}`);
  } else {
    const why = scalarProblem(schema, value);
    if (why !== undefined) say(why);
  }
}

function visitFields(schema: Schema, value: Record<string, unknown>, path: string, problems: string[]): void {
  for (const key of Object.keys(value).sort()) {
    const child = childSchema(schema, key);
    if (child === undefined && !schema.preserve && !schema.anyAdditional) {
      problems.push(`${path}.${key}: field not declared in schema`);
      return;
    }
    visit(child, value[key], `${path}.${key}`, problems);
  }
}

function visitItems(schema: Schema, list: readonly unknown[], path: string, problems: string[]): void {
  const isWhole = shapeOf(schema, list) === Shape.Whole;
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let name = `[${index}]`;
    if (!isWhole) {
      const why = schema.listType === 'map' ? keyProblem(schema, item) : setProblem(item);
      if (why !== undefined) {
        problems.push(`${path}: element ${index}: ${why}`);
        return;
      }
      const step = itemStep(schema, item);
      name = stepText(step);
      if (seen.has(step)) problems.push(`${path}: duplicate entries for key ${name}`);
      seen.add(step);
    }
    visit(schema.items, item, `${path}${name}`, problems);
  }
}

function keyProblem(schema: Schema, item: unknown): string | undefined {
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isMap(item)) return 'associative list with keys may not have non-map elements';
  if (Object.keys(itemKey(schema, item)).length > 0) return undefined;
  const names = schema.listKeys.map((name) => JSON.stringify(name)).join(' ');
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
}

function setProblem(item: unknown): string | undefined {
  if (isMap(item)) return "associative list without keys has an element that's a map type";
  if (isList(item)) return 'not supported: associative list with lists as elements';
  return item === null ? "associative list without keys has an element that's an explicit null" : undefined;
}

function scalarProblem({ type }: Schema, value: unknown): string | undefined {
  if (type === '') return undefined;
  if (type === 'string') {
    if (typeof value === 'string') return undefined;
    return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
  }
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goText(value)}}`;
  return typeof value === 'number' || typeof value === 'bigint'
    ? undefined
    : `expected numeric (int or float), got ${goType(value)}`;
}
