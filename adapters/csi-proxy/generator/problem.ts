// Problem of an input, with its position.
import type { Position } from '../protos/mod.ts';

export interface Problem {
  /** A place in a file; of a folder, or a file as a whole, only the path. */
  readonly at: Position | { readonly file: string };
  readonly message: string;
  /** Text for a hand-written file, to be completed. */
  readonly paste?: string;
}

/** `file:line:column: message`, which editors and terminals turn into links, followed by the text to be completed. */
export function problemText({ at, message, paste }: Problem): string {
  const place = 'line' in at ? `${at.file}:${at.line}:${at.column}` : at.file;
  return paste === undefined ? `${place}: ${message}` : `${place}: ${message}:\n\n${paste}`;
}

/** Problems by path, line and column: the order in which a person reads them. */
export function sortedProblems(problems: readonly Problem[]): readonly Problem[] {
  const place = ({ at }: Problem): readonly number[] => ('line' in at ? [at.line, at.column] : [0, 0]);
  return problems.toSorted((a, b) => {
    const [[lineA = 0, columnA = 0], [lineB = 0, columnB = 0]] = [place(a), place(b)];
    return compareText(a.at.file, b.at.file) || lineA - lineB || columnA - columnB;
  });
}

/** Compares by code units: the same on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
