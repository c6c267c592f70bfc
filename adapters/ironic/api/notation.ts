// Notation of the files in crds/, made for people, and the OpenAPI schema of a field written in it.
//
//   level:
//     string: level of the volume.
//     enum: ['0', '1']
//
// The first entry of a field is its type and its description. In place of a type may stand the name of a shape, an object
// or a scalar that is written once for several places. The entries that follow are keywords of OpenAPI, as they are; of
// those `properties`, `items` and `additionalProperties` hold fields again.
import type { Json, JsonObject } from '../../../bus/json.ts';

/** A field as a file has it. */
export type Field = JsonObject;

/** The schema of a shape; it throws when there is none of that name. */
export type ShapeOf = (name: string) => JsonObject;

const TYPES: ReadonlyMap<string, JsonObject> = new Map(
  Object.entries({
    ...Object.fromEntries(
      ['string', 'integer', 'number', 'boolean', 'object', 'array'].map((type) => [type, { type }] as const),
    ),
    'int-or-string': { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  }),
);

/**
 * The structural schema of a field.
 *
 * @throws {Error} the field says no type with a description first, or names no shape
 */
export function openApi(field: Field, shapeOf: ShapeOf): JsonObject {
  const [first, ...keywords] = Object.entries(field);
  const [type, description] = first ?? [];
  if (type === undefined || typeof description !== 'string')
    throw new Error(`a field begins with its type and its description; got ${JSON.stringify(field)}`);
  return {
    ...(TYPES.get(type) ?? shapeOf(type)),
    description,
    ...Object.fromEntries(keywords.map(([keyword, value]) => [keyword, expanded(keyword, value, shapeOf)])),
  };
}

function expanded(keyword: string, value: Json, shapeOf: ShapeOf): Json {
  if (keyword === 'items' || keyword === 'additionalProperties') return openApi(value as Field, shapeOf);
  if (keyword !== 'properties') return value;
  const fields = Object.entries(value as Readonly<Record<string, Field>>);
  return Object.fromEntries(fields.map(([name, field]) => [name, openApi(field, shapeOf)]));
}
