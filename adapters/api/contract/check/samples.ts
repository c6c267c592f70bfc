// Values that a schema allows: always the same ones for a round, with one field in focus that is given, changed or absent.
import type { Json } from '../../../../bus/bus.ts';
import type { Schema } from '../contract.ts';
import { isIn } from './fields.ts';

export interface Sampling {
  /** Optional fields come and go, and values change, from round to round. */
  readonly round: number;
  /** Path of the field that is looked at; whatever it is in is there. */
  readonly focus: string;
  readonly as: 'given' | 'changed' | 'absent';
  /** Values of strings that must have a form, by their paths. */
  readonly examples: Readonly<Record<string, readonly Json[]>>;
}

/** A value of `schema`, which is at `path`. Patterns and rules are not looked at. */
export function sample(path: string, schema: Schema, sampling: Sampling): Json {
  const { items, properties, values } = schema;
  if (items !== undefined) return [sample(`${path}[]`, items, sampling)];
  if (values !== undefined) return { key: sample(`${path}{}`, values, sampling) };
  if (properties === undefined) return scalar(path, schema, sampling);
  const { minProperties, maxProperties } = schema.keywords;
  const members = Object.entries(properties)
    .map(([name, field]) => ({ name, field, path: `${path}.${name}` }))
    .sort((left, right) => rankOf(left, sampling) - rankOf(right, sampling));
  const wanted = members.filter((member) => rankOf(member, sampling) < LEFT_OUT).length;
  const count = Math.min(Math.max(wanted, Number(minProperties ?? 0)), Number(maxProperties ?? members.length));
  // Whatever else is there does not depend on the field in focus, or its absence would have effects of its own.
  const chosen = members
    .slice(0, count)
    .filter((member) => !(member.path === sampling.focus && sampling.as === 'absent'));
  return Object.fromEntries(chosen.map((member) => [member.name, sample(member.path, member.field, sampling)]));
}

/** Optional fields from this rank on are left out, unless the schema wants more. */
const LEFT_OUT = 2 ** 32 * 0.75;

/**
 * Order of members if there is room for some only: required ones first, then those that lead to the focus, the others
 * by chance.
 */
function rankOf({ path, field }: { readonly path: string; readonly field: Schema }, sampling: Sampling): number {
  return field.required ? -2 : isIn(sampling.focus, path) ? -1 : roundOf(path, sampling);
}

function scalar(path: string, { type, keywords }: Schema, sampling: Sampling): Json {
  const turn = roundOf(path, sampling) + (isIn(path, sampling.focus) && sampling.as === 'changed' ? 1 : 0);
  const given = sampling.examples[path] ?? keywords['enum'];
  if (Array.isArray(given)) return given[turn % given.length] as Json;
  if (type === 'boolean') return turn % 2 === 0;
  const small = turn % 97;
  if (type === 'integer') return Number(keywords['minimum'] ?? 0) + small;
  return `${path.slice(path.lastIndexOf('.') + 1)} ${small}`;
}

function roundOf(path: string, { round }: Sampling): number {
  return chanceOf(`${path} ${round}`);
}

/** A number that looks like chance and is always the same for a text (FNV-1a, mixed). */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
