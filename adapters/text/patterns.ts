// Regular expressions in the language of RE2, each compiled once: the same few stand at many places of many schemas.
import { RE2JS, RE2JSException } from 're2js';

/** Kept compiled at most. */
const MOST = 1_000;

const patterns = new Map<string, RE2JS>();

/** @throws {RE2JSException} it is none */
export function patternOf(text: string): RE2JS {
  let pattern = patterns.get(text);
  if (pattern === undefined) {
    pattern = RE2JS.compile(text);
    if (patterns.size < MOST) patterns.set(text, pattern);
  }
  return pattern;
}

/** What is wrong with it; undefined when nothing is. */
export function patternProblem(text: string): string | undefined {
  try {
    patternOf(text);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}
