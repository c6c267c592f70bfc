// Suggestions for misspelled names.

/** Maximum length, in letters, of a text that is taken for a misspelling. */
const LONGEST = 80;

/** @returns the candidate that differs least, if it differs by no more than a third of the letters of the longer one */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const most = Math.floor(Math.max(written.length, candidate.length) / 3);
    if (Math.abs(candidate.length - written.length) > Math.min(most, least - 1)) continue;
    const distance = distanceOf(written.toLowerCase(), candidate.toLowerCase());
    if (distance <= most && distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** @returns `; did you mean 'x'?`, or nothing */
export function hint(written: string, candidates: Iterable<string>): string {
  const meant = nearest(written, candidates);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}

/** Edit distance: the number of letters that have to be added, removed or changed, or swapped with the next one. */
function distanceOf(left: string, right: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      // mutant: nearest-swap ?:.1 -> false
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
