// Objects that users write as YAML or JSON, in Secrets.
//
// Invariants:
//   IRONIC-YAML-OBJECT-1. No reason quotes what was written: it may be a password.
//   IRONIC-YAML-OBJECT-2. Reading is synchronous: the YAML is short, and the expansion of its aliases is limited.
//   IRONIC-YAML-OBJECT-3. What is read is JSON: no type of a tag, no circle, no number that JSON cannot say.
import { parseDocument } from 'yaml';
import type { JsonObject } from '../../../bus/bus.ts';

/** Longer YAML is not read, in characters: the parser takes some microseconds for each. JSON may be as long as a Secret. */
const LONGEST_YAML = 64 * 1024;
/** Levels of objects and lists within each other. */
const DEEPEST = 64;

export type ReadObject =
  | { readonly kind: 'object'; readonly value: JsonObject }
  /** The reason ends a sentence that says what was read: `is no object`. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads an object from YAML 1.2, with merge keys (`<<`), or from JSON. A text of nothing, and `null`, are an empty object;
 * of several documents the first counts, and of a name that is there twice the last.
 */
export function readObject(text: string): ReadObject {
  const read = readJson(text) ?? readYaml(text);
  if (read.kind === 'unreadable') return read;
  const value = read.value ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) return unreadable('is no object');
  if (!isJson(value)) return unreadable(`holds what JSON cannot say, or more than ${DEEPEST} levels`);
  return { kind: 'object', value: value as JsonObject };
}

type Read = { readonly kind: 'read'; readonly value: unknown } | Extract<ReadObject, { kind: 'unreadable' }>;

/** Undefined: it is no JSON. */
function readJson(text: string): Read | undefined {
  try {
    return { kind: 'read', value: JSON.parse(text) };
  } catch {
    return undefined; // what is no JSON may be YAML
  }
}

function readYaml(text: string): Read {
  if (text.length > LONGEST_YAML) return unreadable(`is no JSON, and too long for YAML (${LONGEST_YAML} characters)`);
  // The parser's own messages quote the input (IRONIC-YAML-OBJECT-1), and it compares each name with all others (IRONIC-YAML-OBJECT-2) unless told not to.
  const document = parseDocument(text, {
    schema: 'core',
    merge: true,
    stringKeys: true,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const line = text.slice(0, problem.pos[0]).split('\n').length;
    return unreadable(`is neither JSON nor YAML: ${problem.code} at line ${line}`);
  }
  try {
    return { kind: 'read', value: document.toJS({ maxAliasCount: 100 }) };
  } catch {
    // Without cause (IRONIC-YAML-OBJECT-1): the message names an alias, which may well be a password that begins with '*'.
    return unreadable('is no YAML: an alias or a merge key without an anchor, or too many of them');
  }
}

function isJson(value: unknown, level = 0): boolean {
  if (level > DEEPEST) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  // A circle ends at the deepest level.
  return typeof value !== 'object' || value === null || Object.values(value).every((each) => isJson(each, level + 1));
}

function unreadable(reason: string): Extract<ReadObject, { kind: 'unreadable' }> {
  return { kind: 'unreadable', reason };
}
