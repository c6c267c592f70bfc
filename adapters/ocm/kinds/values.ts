// Values of a class as JSON on the wire and as properties of a Kubernetes object, each made from the other.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Type } from '../model/mod.ts';
import type { Field } from './fields.ts';

/** Members by wire name. */
type Value = Readonly<Record<string, unknown>>;

/** The properties for a value; members without a field are left out. */
export function toProperties(fields: readonly Field[], value: Value): JsonObject {
  return mapMembers(fields, value, 'wire', (field, member) =>
    field.attribute.link ? textOf(isMap(member) ? member['id'] : undefined) : converted(field, member, toProperties),
  );
}

/** The value of an object with these properties. A link is `{ id }`. */
export function toValue(fields: readonly Field[], properties: Value): JsonObject {
  return mapMembers(fields, properties, 'property', (field, member) =>
    field.attribute.link ? { id: String(member) } : converted(field, member, toValue),
  );
}

/** Wire paths, dotted, of attributes; a struct that has only some of them counts by these. */
export function pathsOf(fields: readonly Field[]): readonly string[] {
  return fields.flatMap(({ attribute: { wireName, type }, inner }) => {
    const isWhole = inner === undefined || !isStruct(type) || inner.fields.length === inner.type.attributes.length;
    return isWhole ? [wireName] : pathsOf(inner.fields).map((path) => `${wireName}.${path}`);
  });
}

/** The wire path of a property path as the API server writes it: `nodes.compute`, `addresses[0].ip`. */
export function wirePathOf(fields: readonly Field[], path: string): string | undefined {
  const [, first = '', rest = ''] = /^([^.[]+)(.*)$/.exec(path) ?? [];
  const field = fields.find(({ property }) => property === first);
  if (field === undefined) return undefined;
  const { attribute, inner } = field;
  const [, index = '', deeper = ''] = /^((?:\[[^\]]*\])*)(?:\.(.*))?$/.exec(rest) ?? [];
  const below = deeper === '' ? undefined : ((inner && wirePathOf(inner.fields, deeper)) ?? deeper);
  return `${attribute.wireName}${index}${below === undefined ? '' : `.${below}`}`;
}

function mapMembers(
  fields: readonly Field[],
  from: Value,
  by: 'wire' | 'property',
  convert: (field: Field, member: unknown) => Json | undefined,
): JsonObject {
  const members: [string, Json][] = [];
  for (const field of fields) {
    const [source, target] =
      by === 'wire' ? [field.attribute.wireName, field.property] : [field.property, field.attribute.wireName];
    const member = Object.hasOwn(from, source) ? from[source] : undefined;
    if (member === undefined || member === null) continue;
    const value = convert(field, member);
    if (value !== undefined) members.push([target, value]);
  }
  return Object.fromEntries(members);
}

type Convert = (fields: readonly Field[], value: Value) => JsonObject;

/** Texts of enums, keys of maps and values of no struct stay as they are. */
function converted({ attribute: { type }, inner }: Field, member: unknown, convert: Convert): Json {
  if (inner === undefined) return member as Json;
  const one = (value: unknown): Json => {
    if (!isMap(value)) return value as Json;
    const { id } = value;
    const own = convert(inner.fields, value);
    return inner.type.kind === 'class' && typeof id === 'string' ? { id, ...own } : own;
  };
  if (type.kind === 'list') return Array.isArray(member) ? member.map(one) : (member as Json);
  if (type.kind !== 'map') return one(member);
  return isMap(member)
    ? Object.fromEntries(Object.entries(member).map(([key, value]) => [key, one(value)]))
    : (member as Json);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isStruct({ kind }: Type): boolean {
  return kind === 'struct' || kind === 'class';
}

function isMap(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
