// What a benchmark reports, and how it is printed.
import type { Profile } from './parts/profiler.ts';

export interface Report {
  /** Times in milliseconds, memory in MB, ratios and counts without a unit. The same names in each run. */
  readonly figures: Readonly<Record<string, number>>;
  /** Where the processor time of the actors' process went. */
  readonly profile?: Profile | undefined;
  /** What was left out, and why. */
  readonly notes?: readonly string[];
}

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function summary(runs: readonly Report[]): Readonly<Record<string, Summary>> {
  const names = [...new Set(runs.flatMap(({ figures }) => Object.keys(figures)))];
  return Object.fromEntries(
    names.map((name) => {
      const sorted = runs.flatMap(({ figures }) => figures[name] ?? []).sort((a, b) => a - b);
      const [min = Number.NaN, median = Number.NaN, max = Number.NaN] = [
        sorted[0],
        sorted[sorted.length >> 1],
        sorted.at(-1),
      ];
      return [name, { median, min, max }];
    }),
  );
}

/** Lines for people; a figure with a goal is followed by it. */
export function table(figures: Readonly<Record<string, Summary>>, goals: Readonly<Record<string, number>>): string {
  const width = Math.max(...Object.keys(figures).map(({ length }) => length));
  const lines = Object.entries(figures).map(([name, { median, min, max }]) => {
    const goal = goals[name];
    const spread = min === max ? '' : ` (${shown(min)}..${shown(max)})`;
    return `${name.padEnd(width)}  ${shown(median)}${spread}${goal === undefined ? '' : `  goal ${goal}`}`;
  });
  return `${lines.join('\n')}\n`;
}

export function profileTable({ busyMs, byPart, byFunction }: Profile): string {
  const rows = (shares: Profile['byPart']): string =>
    shares
      .filter(([, share]) => share >= 0.005)
      .map(([name, share]) => `${`${(share * 100).toFixed(1)} %`.padStart(8)}  ${name}`)
      .join('\n');
  return `main thread of the actors, busy for ${shown(busyMs)} ms, by part:\n${rows(byPart)}\nby function:\n${rows(byFunction)}\n`;
}

/** The value at a share of a sorted list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Each entry as a figure of its own: `writes.status`. */
export function spread(
  prefix: string,
  counts: Readonly<Record<string, number>>,
  per = 1,
): Readonly<Record<string, number>> {
  const entries = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, count]) => [`${prefix}.${name}`, count / per]));
}

function shown(value: number): string {
  return String(Number(value.toPrecision(Math.abs(value) >= 1_000 ? 6 : 3)));
}
