// A finding as a tree for a terminal. Pure.
import { Ink } from '../demo/view.ts';
import { type Cause, causesOf, duration, type Finding, type Hold, labelOf, Standing } from './findings.ts';

/** Parameters of the ANSI sequences that set the colours. */
const COLOURS: Readonly<Record<Standing, string>> = {
  absent: '31',
  unseen: '33',
  waiting: '37',
  failing: '35',
  failed: '31',
  unavailable: '31',
  available: '32',
  deleting: '36',
};

/** Further causes that are named before the root cause. */
const OTHERS = 4;

interface Line {
  readonly text: string;
  readonly below: readonly Line[];
}

/** The tree and, as the last line, the root cause and what to do about it. */
export function whyText(finding: Finding, ink: Ink): string {
  const lines = treeOf(lineOf(finding, ink), '', '');
  const [root, ...others] = causesOf(finding);
  const named = others.slice(0, OTHERS).map((cause) => `also: ${told(cause)}`);
  const more = others.length > OTHERS ? [`also: ${others.length - OTHERS} more`] : [];
  const last = root === undefined ? `${labelOf(finding)} waits for nothing` : `root cause: ${told(root)}`;
  return `${[...lines, '', ...named, ...more, last].join('\n')}\n`;
}

function told({ summary, advice }: Cause): string {
  return `${summary}; ${advice}`;
}

function treeOf({ text, below }: Line, first: string, rest: string): readonly string[] {
  const inner = below.flatMap((line, index) =>
    index === below.length - 1 ? treeOf(line, `${rest}└─ `, `${rest}   `) : treeOf(line, `${rest}├─ `, `${rest}│  `),
  );
  return [`${first}${text}`, ...inner];
}

function lineOf(finding: Finding, ink: Ink): Line {
  const { standing, sinceMs, repeated, heldBy = [], needs } = finding;
  const colour = (text: string): string => (ink === Ink.Colour ? `\u001b[${COLOURS[standing]}m${text}\u001b[0m` : text);
  const since = sinceMs === undefined || standing === Standing.Available ? '' : ` for ${duration(sinceMs)}`;
  const detail = repeated === true ? 'see above' : detailOf(finding);
  const text = `${labelOf(finding)}  ${colour(standing)}${since}${detail === '' ? '' : `: ${detail}`}`;
  return { text, below: [...heldBy.map((hold) => holdOf(hold, ink)), ...needs.map((need) => lineOf(need, ink))] };
}

/** What the object says itself. */
function detailOf({ standing, available, progressing, needs, heldBy = [] }: Finding): string {
  const message = (progressing?.message ?? '')
    .trim()
    .split(/\s*\n\s*/)
    .join('; ');
  if (standing === Standing.Unseen || standing === Standing.Absent || progressing === undefined) return '';
  if (standing === Standing.Available) return '';
  const reason = `${progressing.reason}: ${message}`;
  // What is told by the lines below is not told here.
  if (standing === Standing.Deleting && heldBy.some(({ holders }) => holders.length > 0)) return '';
  // What was said of it before it was deleted is no news.
  if (standing === Standing.Deleting && progressing.reason === 'Success') return '';
  if (standing === Standing.Waiting && needs.length > 0 && progressing.reason === 'Progressing') return message;
  return available === undefined ? reason : `${reason} (Available ${available.status})`;
}

function holdOf({ finalizer, own, holders, more }: Hold, ink: Ink): Line {
  const text = own ? `finalizer ${finalizer}, its own` : `finalizer ${finalizer}`;
  const rest = more > 0 ? [{ text: `${more} more`, below: [] }] : [];
  return { text, below: [...holders.map((holder) => lineOf(holder, ink)), ...rest] };
}
