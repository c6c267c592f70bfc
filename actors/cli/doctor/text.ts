// What `troupe doctor` found, for a terminal. Pure.

import { plain } from '../../base/printable.ts';
import { Ink } from '../colors.ts';
import { type Check, Verdict } from './checks.ts';

/** Parameters of the ANSI sequences that set the colors. */
const COLORS: Readonly<Record<Verdict, string>> = { well: '32', wrong: '31', unknown: '33' };
const WIDTH = Math.max(...Object.keys(COLORS).map(({ length }) => length));

export function doctorText(checks: readonly Check[], ink: Ink): string {
  const mark = (verdict: Verdict): string => {
    const text = verdict.padEnd(WIDTH);
    return ink === Ink.Color ? `\u001b[${COLORS[verdict]}m${text}\u001b[0m` : text;
  };
  const lines = [...Map.groupBy(checks, ({ area }) => area)].flatMap(([area, of]) => [
    area,
    ...of.flatMap(({ verdict, place, found, todo }) => [
      `  ${mark(verdict)}  ${plain(`${place}: ${found}`)}`,
      ...(todo === undefined ? [] : [`  ${' '.repeat(WIDTH)}  -> ${plain(todo)}`]),
    ]),
  ]);
  return `${[...lines, '', summaryOf(checks)].join('\n')}\n`;
}

function summaryOf(checks: readonly Check[]): string {
  const count = (verdict: Verdict): number => checks.filter((check) => check.verdict === verdict).length;
  const [bad, open] = [count(Verdict.Wrong), count(Verdict.Unknown)];
  const untold = open === 0 ? '' : `; ${open} could not be examined`;
  return bad === 0 && open === 0 ? `all is well: ${checks.length} checks` : `${bad} of ${checks.length} wrong${untold}`;
}
