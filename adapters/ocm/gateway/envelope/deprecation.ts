// Notices about a method, a parameter or a field that is marked `@deprecated`: headers, and 410 past the sunset.
import { type Item, type Method, type StructType, summaryOf } from '../../model/mod.ts';
import { isObject } from '../store/links.ts';
import type { Value } from '../store/store.ts';
import { utcDate } from './dates.ts';

export type Headers = Readonly<Record<string, string>>;

interface Deprecation {
  /** RFC 3339, in UTC. */
  readonly sunset: string | undefined;
  readonly message: string;
}

/** Headers have few characters, and a limit. */
const LONGEST = 1_000;

/** @returns undefined for what is not deprecated */
function deprecationOf(item: Item): Deprecation | undefined {
  if (!item.deprecated) return undefined;
  const parameters = item.annotations.find(({ name }) => name === 'deprecated')?.parameters ?? {};
  const { sunset, message } = parameters;
  const text = typeof message === 'string' ? message : summaryOf(item);
  return {
    sunset: typeof sunset === 'string' ? utcDate(sunset) : undefined,
    message: text || `'${item.name.snake}' is deprecated`,
  };
}

/** @param given  names of parameters that the caller gave */
export function methodDeprecation(method: Method, given: ReadonlySet<string>): Headers {
  const items: readonly Item[] = [
    method,
    method.owner,
    ...method.parameters.filter(({ wireName }) => given.has(wireName)),
  ];
  const all = items.flatMap((item) => deprecationOf(item) ?? []);
  if (all.length === 0) return {};
  const [sunset] = all.flatMap((each) => each.sunset ?? []).sort();
  return {
    ...(sunset !== undefined && { Deprecation: sunset }),
    'X-OCM-Deprecation-Message': headerText(all.map(({ message }) => message).join(' ')),
  };
}

/** When a method and its resource are served no more, in milliseconds since the epoch; undefined: not known. */
export function sunsetOf(method: Method): number | undefined {
  const dates = [method, method.owner].flatMap((item) => deprecationOf(item)?.sunset ?? []);
  return dates.length === 0 ? undefined : Math.min(...dates.map((date) => Date.parse(date)));
}

/** The deprecated fields that an object has. */
export function fieldDeprecation(type: StructType, value: Value): Headers {
  const fields: Record<string, string> = {};
  collect(type, value, '', fields);
  if (Object.keys(fields).length === 0) return {};
  return { 'X-OCM-Field-Deprecation': headerText(JSON.stringify(fields)) };
}

function collect(type: StructType, value: Value, path: string, fields: Record<string, string>): void {
  for (const attribute of type.attributes) {
    const member = value[attribute.wireName];
    if (member === undefined) continue;
    const at = `${path}${attribute.wireName}`;
    const deprecation = deprecationOf(attribute);
    if (deprecation !== undefined) fields[at] = deprecation.message;
    if (attribute.type.kind === 'struct' && isObject(member)) collect(attribute.type, member, `${at}.`, fields);
  }
}

/** Text that a header can hold; other characters as JSON escapes them. */
function headerText(text: string): string {
  return text
    .slice(0, LONGEST)
    .replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
