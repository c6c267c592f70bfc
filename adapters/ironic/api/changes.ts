// Differences of an API version from the one before it, as crds/v1beta1.yaml states them, applied to the older schema.
import type { JsonObject } from '../../../bus/json.ts';

/** The changes of a shape or a kind, done in this order. Paths are names of properties with dots between them. */
export interface Changes {
  /** Paths of fields that the newer version does not have. */
  readonly remove?: readonly string[];
  /** New names of fields, by the paths that they had. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Keywords of fields, by the paths that these have then. */
  readonly set?: Readonly<Record<string, JsonObject>>;
}

/**
 * A schema with all changes. The one given stays as it is.
 *
 * @throws {Error} a path leads nowhere
 */
export function changed(schema: JsonObject, { remove = [], rename = {}, set = {} }: Changes): JsonObject {
  const steps: readonly ((before: JsonObject) => JsonObject)[] = [
    ...remove.map((path) => (before: JsonObject) => renamed(before, path, undefined)),
    ...Object.entries(rename).map(
      ([path, name]) =>
        (before: JsonObject) =>
          renamed(before, path, name),
    ),
    ...Object.entries(set).map(
      ([path, keywords]) =>
        (before: JsonObject) =>
          replaced(before, path, (field) => ({ ...field, ...keywords })),
    ),
  ];
  return steps.reduce((before, step) => step(before), schema);
}

/** A path as it is after the renames. */
export function renamedPath(path: string, { rename = {} }: Changes): string {
  const name = Object.hasOwn(rename, path) ? rename[path] : undefined;
  return name === undefined ? path : `${path.slice(0, path.lastIndexOf('.') + 1)}${name}`;
}

/** Renames a field; removes it if `to` is undefined. Its place among the others stays, and whether it is required. */
function renamed(schema: JsonObject, path: string, to: string | undefined): JsonObject {
  const dot = path.lastIndexOf('.');
  const from = path.slice(dot + 1);
  fieldAt(schema, path);
  const names = (all: readonly string[]): readonly string[] =>
    all.flatMap((name) => (name !== from ? name : (to ?? [])));
  return replaced(schema, dot < 0 ? '' : path.slice(0, dot), (parent) => {
    const properties = Object.entries(propertiesOf(parent)).flatMap(([name, field]) =>
      names([name]).map((kept) => [kept, field] as const),
    );
    const required = names((parent['required'] ?? []) as readonly string[]);
    const { required: _, ...rest } = parent;
    return {
      ...rest,
      ...(required.length > 0 && { required: [...required].sort() }),
      properties: Object.fromEntries(properties),
    };
  });
}

/** The schema with another field at a path; the empty one is that of the schema itself. */
function replaced(schema: JsonObject, path: string, change: (field: JsonObject) => JsonObject): JsonObject {
  if (path === '') return change(schema);
  const [name = '', ...rest] = path.split('.');
  const field = replaced(fieldAt(schema, name), rest.join('.'), change);
  return { ...schema, properties: { ...propertiesOf(schema), [name]: field } };
}

function fieldAt(schema: JsonObject, path: string): JsonObject {
  return path.split('.').reduce((parent, name) => {
    const properties = propertiesOf(parent);
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined) throw new Error(`there is no field '${name}' to change, of '${path}'`);
    return field;
  }, schema);
}

function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
}
