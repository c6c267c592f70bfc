// Criteria of a list request, also applied to each of its results: a lookup may be answered from a list that was made
// for several, and a server may compare more loosely (case, accents) than the contract does.
import type { Json, JsonObject } from '../../../bus/bus.ts';

export interface Criterion {
  /** Name in the query; undefined: the server does not support this criterion. */
  readonly key: string | undefined;
  /** As in the query. */
  readonly value: string;
  readonly matches: (attributes: JsonObject) => boolean;
}

/** Attributes that say the same in capital letters. */
const CASELESS: ReadonlySet<string> = new Set(['mac_address']);

/** The attribute named like the query key has this value. A result without the attribute is left to the server. */
export function equalTo(key: string, value: Json): Criterion {
  if (isMap(value)) return holding(key, value);
  const text = String(value);
  const plain = (given: Json): string => (CASELESS.has(key) ? String(given).toLowerCase() : String(given));
  return {
    key,
    value: text,
    matches: ({ [key]: attribute }) =>
      attribute === undefined || (attribute !== null && plain(attribute) === plain(text)),
  };
}

/** The attribute is a map that has these members, among others. */
function holding(key: string, members: JsonObject): Criterion {
  return {
    key,
    value: JSON.stringify(members),
    matches: ({ [key]: attribute }) =>
      attribute === undefined ||
      (isMap(attribute) && Object.entries(members).every(([name, value]) => attribute[name] === value)),
  };
}

function isMap(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same comparison, for what the server has no query key for. */
export function checked(attribute: string, value: Json): Criterion {
  return { ...equalTo(attribute, value), key: undefined };
}

/** Query keys of tag filters, by what of the listed tags a resource must have. */
export const TagKey = { All: 'tags', Any: 'tags-any', NotAll: 'not-tags', NotAny: 'not-tags-any' } as const;
export type TagKey = (typeof TagKey)[keyof typeof TagKey];

export function tagsLike(key: TagKey, tags: readonly string[]): Criterion {
  const holds = {
    [TagKey.All]: (has: (tag: string) => boolean) => tags.every(has),
    [TagKey.Any]: (has: (tag: string) => boolean) => tags.some(has),
    [TagKey.NotAll]: (has: (tag: string) => boolean) => !tags.every(has),
    [TagKey.NotAny]: (has: (tag: string) => boolean) => !tags.some(has),
  }[key];
  return {
    key,
    value: tags.join(','),
    matches: ({ tags: attribute }) =>
      attribute === undefined || (Array.isArray(attribute) && holds((tag) => attribute.includes(tag))),
  };
}

/** All of the listed tags, of a service that is asked for each under `key`. */
export function eachTag(key: string, tags: readonly string[]): readonly Criterion[] {
  return tags.map((tag) => ({ ...tagsLike(TagKey.All, [tag]), key }));
}

/** The query of these criteria, in order. */
export function queryOf(criteria: readonly Criterion[]): readonly (readonly [key: string, value: string])[] {
  return criteria.flatMap(({ key, value }) => (key === undefined ? [] : [[key, value] as const]));
}

export function matchesAll(criteria: readonly Criterion[], attributes: JsonObject): boolean {
  return criteria.every(({ matches }) => matches(attributes));
}
