// Why an evaluation fails: what the evaluator says, and what the API server does.

export const NO_OVERLOAD = 'no such overload';

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^No such key: index out of bounds, index (-?\d+).*$/s, 'index out of bounds: $1'],
  [/^No such key/, 'no such key'],
  [/^(no such overload|found no matching overload).*$/s, NO_OVERLOAD],
  [/^modulo by zero/, 'modulus by zero'],
  [/^integer overflow.*$/s, 'integer overflow'],
  [/^(int|uint|double)\(\) type error: cannot convert to .*$/s, "type conversion error from 'string' to '$1'"],
  [/^unsigned integer overflow.*$/is, 'unsigned integer overflow'],
  [/^bool\(\) conversion error.*$/s, "type conversion error from 'string' to 'bool'"],
];

/** Reason of a failed evaluation, with the API server's message if it is known. */
export function failureOf(error: unknown): string {
  const { summary } = error as { readonly summary?: unknown };
  const text = typeof summary === 'string' ? summary : error instanceof Error ? error.message : String(error);
  const [pattern, words] = FAILURES.find(([one]) => one.test(text)) ?? [];
  return pattern === undefined || words === undefined ? text : text.replace(pattern, words);
}
