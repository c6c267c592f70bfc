// Readers of untrusted objects and responses: a value of an unexpected type counts as missing.
import type { Json, JsonObject } from '../../bus/json.ts';

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Undefined for what is empty, too. */
export function wordOf(value: unknown): string | undefined {
  return textOf(value) || undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

export function mapOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Without what is undefined, or an empty list: neither is in a status. */
export function said(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept = Object.entries(members).filter(
    (member): member is [string, Json] =>
      member[1] !== undefined && !(Array.isArray(member[1]) && member[1].length === 0),
  );
  return Object.fromEntries(kept);
}
