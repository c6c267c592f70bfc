// Notices about a method, a parameter or a field that is marked `@deprecated`: headers, and 410 past the sunset.
import { type Attribute, type Item, type Method, type StructType, summaryOf } from '../../model/mod.ts';
import { isObject } from '../store/links.ts';
import { ownMember } from '../store/paths.ts';
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

/** The deprecated fields that objects of a type have. */
export function fieldDeprecation(type: StructType, ...values: readonly Value[]): Headers {
  if (!mayBeDeprecated(type)) return {};
  const fields: Record<string, string> = {};
  for (const value of values) collect(type, value, '', fields);
  // As many as there is room for: half a JSON object is none.
  let text = '';
  const told: Record<string, string> = {};
  for (const [path, message] of Object.entries(fields)) {
    told[path] = message;
    const more = escaped(JSON.stringify(told));
    if (more.length > LONGEST) break;
    text = more;
  }
  return text === '' ? {} : { 'X-OCM-Field-Deprecation': text };
}

/** Whether any value of a type can have a deprecated field. Known per type: most have none. */
const known = new WeakMap<StructType, boolean>();

function mayBeDeprecated(type: StructType): boolean {
  const cached = known.get(type);
  if (cached !== undefined) return cached;
  const seen = new Set([type]);
  let answer = false;
  for (const { attributes } of seen) {
    for (const attribute of attributes) {
      if (attribute.deprecated) answer = true;
      const inner = innerOf(attribute);
      if (inner !== undefined) seen.add(inner);
    }
    if (answer) break;
  }
  known.set(type, answer);
  return answer;
}

function collect(type: StructType, value: Value, path: string, fields: Record<string, string>): void {
  for (const attribute of type.attributes) {
    const member = ownMember(value, attribute.wireName);
    if (member === undefined) continue;
    const at = `${path}${attribute.wireName}`;
    const deprecation = deprecationOf(attribute);
    if (deprecation !== undefined) fields[at] = deprecation.message;
    const inner = innerOf(attribute);
    if (inner !== undefined) for (const each of objectsIn(attribute, member)) collect(inner, each, `${at}.`, fields);
  }
}

/** The type of the objects in an attribute, alone, in a list or in a map. */
function innerOf({ type, link }: Attribute): StructType | undefined {
  const plain = type.kind === 'list' || type.kind === 'map' ? type.element : type;
  return !link && (plain.kind === 'struct' || plain.kind === 'class') ? plain : undefined;
}

function objectsIn({ type }: Attribute, member: unknown): readonly Value[] {
  if (Array.isArray(member)) return member.filter(isObject);
  if (!isObject(member)) return [];
  return type.kind === 'map' ? Object.values(member).filter(isObject) : [member];
}

/** Text that a header can hold; other characters as JSON escapes them. */
function headerText(text: string): string {
  return escaped(text.slice(0, LONGEST));
}

function escaped(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
