// `like`: `%` is any run, `_` one character, and a backslash takes the next character as it is.
//
// Invariants:
//   OCM-LIKE-1. Matching takes at most text times pattern, never exponential time, and each character compared is spent.
import type { Spending } from './spending.ts';

interface Run {
  /** Characters, and true for any one. */
  readonly pieces: readonly (string | true)[];
}

/** @returns whether the whole text matches; of code points */
export function likeMatcher(
  pattern: string,
  { ignoreCase }: { readonly ignoreCase: boolean },
): (text: string, spending: Spending) => boolean {
  const runs = runsOf(ignoreCase ? pattern.toLowerCase() : pattern);
  const [first] = runs;
  // The usual form: a text with `%` before, behind, or both.
  const plain = runs.map(({ pieces }) => (pieces.every((each) => each !== true) ? pieces.join('') : undefined));
  if (runs.length === 1 && first !== undefined && plain[0] !== undefined) {
    const [wanted] = plain;
    return (text) => (ignoreCase ? text.toLowerCase() : text) === wanted;
  }
  if (runs.length > 1 && plain.every((each) => each !== undefined)) {
    return (text) => hasRuns(ignoreCase ? text.toLowerCase() : text, plain);
  }
  return (text, spending) => matches([...(ignoreCase ? text.toLowerCase() : text)], runs, spending);
}

/** The first run begins the text, the last one ends it, the others come between in their order. */
function hasRuns(text: string, runs: readonly string[]): boolean {
  const [first = '', last = ''] = [runs[0], runs.at(-1)];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const run of runs.slice(1, -1)) {
    const found = text.indexOf(run, at);
    if (found < 0 || found + run.length > end) return false;
    at = found + run.length;
  }
  return at <= end;
}

function matches(text: readonly string[], runs: readonly Run[], spending: Spending): boolean {
  const isAt = (at: number, { pieces }: Run): boolean => {
    const different = pieces.findIndex((piece, index) => piece !== true && piece !== text[at + index]);
    // mutant: gateway-like-for-nothing drop
    spending.spend(different < 0 ? pieces.length : different + 1);
    return different < 0;
  };
  const [first, ...others] = runs;
  if (first === undefined) return false;
  const last = others.pop();
  if (last === undefined) return text.length === first.pieces.length && isAt(0, first);
  const end = text.length - last.pieces.length;
  if (end < first.pieces.length || !isAt(0, first) || !isAt(end, last)) return false;
  let at = first.pieces.length;
  for (const run of others) {
    while (at + run.pieces.length <= end && !isAt(at, run)) at++;
    if (at + run.pieces.length > end) return false;
    at += run.pieces.length;
  }
  return true;
}

/** The parts between the `%`. */
function runsOf(pattern: string): Run[] {
  const runs: (string | true)[][] = [[]];
  let isEscaped = false;
  for (const character of pattern) {
    if (isEscaped || (character !== '\\' && character !== '%' && character !== '_')) {
      runs.at(-1)?.push(character);
      isEscaped = false;
    } else if (character === '\\') isEscaped = true;
    else if (character === '%') runs.push([]);
    else runs.at(-1)?.push(true);
  }
  if (isEscaped) runs.at(-1)?.push('\\');
  return runs.map((pieces) => ({ pieces }));
}
