// Two texts side by side, as patches show them.

/** Lines around a change. */
const CONTEXT = 3;
/** Texts that differ in more lines are shown as one change: what they share is hard to find, and of little help. */
const MOST_EDITS = 1_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** @returns a unified diff of a file, empty for equal texts */
export function unifiedDiff(file: string, old: string, now: string): string {
  if (old === now) return '';
  const lines = compare(linesOf(old), linesOf(now));
  return `--- ${file}\n+++ ${file}\n${hunks(lines).join('')}`;
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function hunks(lines: readonly Line[]): string[] {
  const made: string[] = [];
  let [oldLine, newLine] = [1, 1];
  let at = 0;
  const pass = (to: number): void => {
    for (; at < to; at++) {
      const mark = lines[at]?.mark;
      if (mark !== '+') oldLine++;
      if (mark !== '-') newLine++;
    }
  };
  for (;;) {
    const first = lines.findIndex(({ mark }, index) => index >= at && mark !== ' ');
    if (first < 0) return made;
    let end = first;
    for (let index = first; index < lines.length && index <= end + 2 * CONTEXT; index++) {
      if (lines[index]?.mark !== ' ') end = index;
    }
    pass(Math.max(at, first - CONTEXT));
    const shown = lines.slice(at, end + 1 + CONTEXT);
    const old = shown.filter(({ mark }) => mark !== '+').length;
    const now = shown.filter(({ mark }) => mark !== '-').length;
    made.push(`@@ -${range(oldLine, old)} +${range(newLine, now)} @@\n${shown.map(shownLine).join('')}`);
    pass(at + shown.length);
  }
}

/** An empty range is after the line before it. */
function range(line: number, count: number): string {
  return `${count === 0 ? line - 1 : line},${count}`;
}

function shownLine({ mark, text }: Line): string {
  return text.endsWith('\n') ? mark + text : `${mark}${text}\n\\ No newline at end of file\n`;
}

function compare(old: readonly string[], now: readonly string[]): Line[] {
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...old.slice(0, head).map(same),
    ...edits(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ];
}

/** The fewest lines to take away and to add: furthest points on diagonals, one round an edit, and the way back. */
function edits(old: readonly string[], now: readonly string[]): Line[] {
  const rounds: Map<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let round = 0; round <= Math.min(MOST_EDITS, old.length + now.length); round++) {
    rounds.push(furthest);
    const next = new Map(furthest);
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      let x = isDown(furthest, diagonal, round)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return wayBack(old, now, rounds);
    }
    furthest = next;
  }
  return [...old.map((text): Line => ({ mark: '-', text })), ...now.map((text): Line => ({ mark: '+', text }))];
}

function isDown(furthest: ReadonlyMap<number, number>, diagonal: number, round: number): boolean {
  if (diagonal === -round) return true;
  return diagonal !== round && (furthest.get(diagonal - 1) ?? 0) < (furthest.get(diagonal + 1) ?? 0);
}

function wayBack(
  old: readonly string[],
  now: readonly string[],
  rounds: readonly ReadonlyMap<number, number>[],
): Line[] {
  const lines: Line[] = [];
  let [x, y] = [old.length, now.length];
  for (let round = rounds.length - 1; round >= 0; round--) {
    const furthest = rounds[round] ?? new Map<number, number>();
    const diagonal = x - y;
    const down = isDown(furthest, diagonal, round);
    const before = diagonal + (down ? 1 : -1);
    const from = furthest.get(before) ?? 0;
    for (const start = down ? from : from + 1; x > start; x--, y--) lines.push({ mark: ' ', text: old[x - 1] ?? '' });
    if (round === 0) break;
    lines.push(down ? { mark: '+', text: now[y - 1] ?? '' } : { mark: '-', text: old[x - 1] ?? '' });
    [x, y] = [from, from - before];
  }
  return lines.reverse();
}
