// A finding as a tree for a terminal. Pure.

import { joinedLines } from '../../../adapters/text/without-end.ts';
import { plain } from '../../base/printable.ts';
import {
  type Cause,
  causesOf,
  duration,
  type Finding,
  type Hold,
  labelOf,
  Standing,
} from '../../diagnosis/findings.ts';
import type { ClusterOverview, Overview, SharedCause } from '../../diagnosis/overview.ts';
import type { Ink } from '../colors.ts';
import { colored } from '../terminal-text.ts';
import { drawn } from '../tree-text.ts';

/** Further causes that are named before the root cause. */
const OTHERS = 4;
/** Maximum number of shown root causes of a namespace, and of shown objects that wait for one of them. */
const SHARED = 20;
const WAITERS = 3;

interface Line {
  readonly text: string;
  readonly below: readonly Line[];
}

/** The tree and, as the last line, the root cause and what to do about it. */
export function whyText(finding: Finding, ink: Ink, causes: readonly Cause[] = causesOf(finding)): string {
  const lines = drawn([lineOf(finding, ink)]).map(({ indent, each }) => `${indent}${each.text}`);
  const [root, ...others] = causes;
  const named = others.slice(0, OTHERS).map((cause) => `also: ${reported(cause)}`);
  const more = others.length > OTHERS ? [`also: ${others.length - OTHERS} more`] : [];
  const last = root === undefined ? `${plain(labelOf(finding))} waits for nothing` : `root cause: ${reported(root)}`;
  return `${[...lines, '', ...named, ...more, last].join('\n')}\n`;
}

/** Root causes of a whole namespace, each with the objects that wait for it. */
export function overviewText({ namespace, objects, waiting, causes }: Overview): string {
  if (objects === 0) {
    const none = `namespace ${namespace} holds none of the objects that troupe manages`;
    return `${[none, ...causes.map(reported)].join('\n')}\n`;
  }
  if (causes.length === 0) return `namespace ${namespace}: all of ${objects} objects wait for nothing\n`;
  const place = namespace === '' ? 'in no namespace' : `namespace ${namespace}`;
  const head = `${place}: ${waiting} of ${objects} objects wait, or something is wrong with them`;
  const more =
    causes.length > SHARED ? [`and ${causes.length - SHARED} more root causes; -o json has all of them`] : [];
  return `${[head, '', ...sharedLines(causes), ...more].join('\n')}\n`;
}

/**
 * Causes that block all objects, then each namespace with its waiting objects, then the number of namespaces without
 * any.
 */
export function clusterOverviewText({ namespaces, causes }: ClusterOverview): string {
  if (namespaces.length === 0) return 'no namespace holds any of the objects that troupe manages\n';
  const [troubled, well] = [
    namespaces.filter((each) => each.causes.length > 0),
    namespaces.filter((each) => each.causes.length === 0),
  ];
  const count = well.reduce((sum, { objects }) => sum + objects, 0);
  const places = `${well.length} ${troubled.length === 0 ? '' : 'other '}${well.length === 1 ? 'namespace' : 'namespaces'}`;
  return [
    ...(causes.length === 0 ? [] : [`${sharedLines(causes).join('\n')}\n`]),
    ...troubled.map(overviewText),
    ...(well.length === 0 ? [] : [`all of ${count} objects of ${places} wait for nothing\n`]),
  ].join('\n');
}

function sharedLines(causes: readonly SharedCause[]): readonly string[] {
  return causes.slice(0, SHARED).flatMap((cause) => [`root cause: ${reported(cause)}`, `  ${waitersOf(cause)}`]);
}

function waitersOf({ waiting }: SharedCause): string {
  if (waiting.length === 0) return 'nothing else waits for it';
  const named = waiting.slice(0, WAITERS).map(plain).join(', ');
  const more = waiting.length > WAITERS ? ` and ${waiting.length - WAITERS} more` : '';
  return `${waiting.length} ${waiting.length === 1 ? 'waits' : 'wait'} for it: ${named}${more}`;
}

function reported({ summary, advice }: Pick<Cause, 'summary' | 'advice'>): string {
  return plain(`${summary}; ${advice}`);
}

function lineOf(finding: Finding, ink: Ink): Line {
  const { standing, sinceMs, repeated, heldBy = [], needs } = finding;
  const since = sinceMs === undefined || standing === Standing.Available ? '' : ` for ${duration(sinceMs)}`;
  const detail = repeated === true ? 'see above' : detailOf(finding);
  const text = `${plain(labelOf(finding))}  ${colored(standing, standing, ink)}${since}${detail === '' ? '' : `: ${plain(detail)}`}`;
  return { text, below: [...heldBy.map((hold) => holdOf(hold, ink)), ...needs.map((need) => lineOf(need, ink))] };
}

/** Messages of the object itself that are not in the lines below it. */
export function detailOf({ standing, available, progressing, needs, heldBy = [] }: Finding): string {
  const message = joinedLines(progressing?.message ?? '');
  if (standing === Standing.Unseen || standing === Standing.Absent || progressing === undefined) return '';
  if (standing === Standing.Available || standing === Standing.Paused) return '';
  const reason = message === '' ? progressing.reason : `${progressing.reason}: ${message}`;
  // Facts of the lines below are not repeated here.
  if (standing === Standing.Deleting && heldBy.some(({ holders }) => holders.length > 0)) return '';
  // A message from before the deletion is outdated.
  if (standing === Standing.Deleting && progressing.reason === 'Success') return '';
  if (standing === Standing.Waiting && needs.length > 0 && progressing.reason === 'Progressing') return message;
  return available === undefined ? reason : `${reason} (Available ${available.status})`;
}

function holdOf({ finalizer, own, holders, more }: Hold, ink: Ink): Line {
  const text = `finalizer ${plain(finalizer)}${own ? ', its own' : ''}`;
  const rest = more > 0 ? [{ text: `${more} more`, below: [] }] : [];
  return { text, below: [...holders.map((holder) => lineOf(holder, ink)), ...rest] };
}
