// Values of untrusted JSON: a value of an unexpected type counts as empty, and nothing throws.
import type { Json, JsonObject } from '../../bus/json.ts';

export type JsonMap = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function mapOf(value: unknown): JsonObject {
  return isMap(value) ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whole part of a number that can be represented exactly; undefined otherwise. */
export function integerOf(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  const whole = Math.trunc(value);
  // Without it -0.5 would become -0, which a deep comparison distinguishes from 0.
  return Number.isSafeInteger(whole) ? whole + 0 : undefined;
}

/** A scalar in words, as it would be shown; nothing for null and for what has parts. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A member whose name others chose: never one that every object has. */
export function ownMember(object: object | null | undefined, name: string): unknown {
  return object != null && Object.hasOwn(object, name) ? (object as JsonObject)[name] : undefined;
}

/** Orders texts by their bytes in UTF-8, whatever the language. */
export function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
