// Reading JSON whose form nobody vouches for: answers of Ironic, what a ramdisk or a BMC reported. What has another form
// than expected counts as not there. Pure, never throws.

import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Maybe } from './host.ts';

/** The value, if it is an object; else one without members. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The whole part of a number that can be told exactly; undefined: it is none. */
export function integerOf(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  const whole = Math.trunc(value);
  // Without it -0.5 would be -0, which is another value to whoever compares deeply.
  return Number.isSafeInteger(whole) ? whole + 0 : undefined;
}

/** A member whose name others chose: never one that every object has. */
export function ownMember(object: Maybe<object>, name: string): unknown {
  return object != null && Object.hasOwn(object, name) ? (object as JsonObject)[name] : undefined;
}

/** A scalar in words, as it would be shown; nothing for null and for what has parts. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Orders texts by their bytes in UTF-8, whatever the language. */
export function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
