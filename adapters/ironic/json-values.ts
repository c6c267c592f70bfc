// Values of JSON from outside, read without a surprise: what is not of the type that is asked for counts as empty.

export type JsonMap = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function mapOf(value: unknown): JsonMap {
  return isMap(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
