// Fields of parsed YAML and JSON, read without trust in their types.

export type Fields = Readonly<Record<string, unknown>>;

/** The value if it is a map, otherwise a map without fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The maps of an array; empty if the value is no array. */
export function arrayOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** The value if it is a string with at least one character; undefined otherwise. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
