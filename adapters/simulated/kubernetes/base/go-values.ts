// JSON values as Go prints them, which is how some messages of the API show what they are about.
import { jsonText } from '../../../text/exact-json.ts';
import { isList, isMap } from '../../../text/json.ts';

/** As `%v` prints it: `map[a:1 b:[x y]]`. */
export function goText(value: unknown): string {
  if (isList(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isMap(value)) return value === null || value === undefined ? '<nil>' : String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
}

/** As `%#v` prints it: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isMap(value)) return value === null ? 'interface {}(nil)' : jsonText(value);
  const fields = Object.keys(value).sort();
  return `map[string]interface {}{${fields.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`).join(', ')}}`;
}

/** The name of the type, as `%T` prints it. */
export function goType(value: unknown): string {
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The name that the JSON decoder has for the type of a value. */
export function jsonType(value: unknown): string {
  if (isList(value)) return 'array';
  if (isMap(value)) return 'object';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
