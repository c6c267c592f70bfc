// The story of a run: who did what to whom, and what happened then; one line an event, in the order of time.
import type { JsonObject } from '../../bus/mod.ts';

export interface Line {
  readonly at: number;
  readonly who: string;
  readonly what: string;
}

export interface StorySources {
  readonly beganAt: number;
  /** Of the test itself, and of the systems that pods call. */
  readonly lines: readonly Line[];
  /** What each process logged, by its name. */
  readonly logs: ReadonlyMap<string, readonly JsonObject[]>;
  readonly kinds: Kinds;
}

type Kinds = readonly { readonly kind: string; readonly plural: string }[];

/** Phases in which nothing is to be done. */
const AT_REST: ReadonlySet<string> = new Set(['idle.available', 'idle.unavailable', 'idle', 'held']);
/** Steps of one object that follow each other sooner are one line; milliseconds. */
const IN_ONE_GO_MS = 250;

export function story({ beganAt, lines, logs, kinds }: StorySources): readonly string[] {
  const all = [...lines, ...[...logs].flatMap(([who, log]) => linesOf(who, log, kinds))];
  all.sort((one, other) => one.at - other.at);
  const width = Math.max(...all.map(({ who }) => who.length));
  return counted(all).map(({ at, who, what }) => `${seconds(at - beganAt)}  ${who.padEnd(width)}  ${what}`);
}

/** Something that an object went through. */
interface Passage {
  readonly at: number;
  readonly subject: string;
  what: string;
  last: number;
}

/** What a process logged, the steps that an object takes in one go as one, and what many go through at once. */
function linesOf(who: string, log: readonly JsonObject[], kinds: Kinds): readonly Line[] {
  const lines: Line[] = [];
  const passages: Passage[] = [];
  const latest = new Map<string, Passage>();
  for (const line of log) {
    const at = Date.parse(String(line['time']));
    const what = sentence(line, kinds);
    if (line['msg'] !== 'state changed') {
      lines.push({ at, who, what });
      continue;
    }
    const subject = subjectOf(line, kinds);
    const before = latest.get(subject);
    if (isStep(line) && before !== undefined && at - before.last < IN_ONE_GO_MS) {
      before.what += ` -> ${line['to']}`;
      before.last = at;
    } else if (!isAtRestAnew(line)) {
      // What went wrong, or came from elsewhere, begins a line.
      const passage = { at, subject, what, last: at };
      latest.set(subject, passage);
      passages.push(passage);
    }
  }
  const together = new Map<string, { readonly at: number; readonly subjects: string[]; readonly what: string }>();
  for (const { at, subject, what } of passages) {
    const others = together.get(what);
    if (others !== undefined && at - others.at < IN_ONE_GO_MS) {
      if (!others.subjects.includes(subject)) others.subjects.push(subject);
      continue;
    }
    if (others !== undefined) lines.push(lineOf(who, others));
    together.set(what, { at, subjects: [subject], what });
  }
  return [...lines, ...[...together.values()].map((each) => lineOf(who, each))];
}

function lineOf(
  who: string,
  { at, subjects, what }: { readonly at: number; readonly subjects: readonly string[]; readonly what: string },
): Line {
  return { at, who, what: `${subjects.join(', ')}: ${what}` };
}

/** Whoever takes over says so once for all that are at rest. */
function isAtRestAnew({ from, to }: JsonObject): boolean {
  return from === '' && AT_REST.has(String(to));
}

/** Whether it followed from nothing but the step before. */
function isStep({ msg, from, cause }: JsonObject): boolean {
  return msg === 'state changed' && from !== '' && String(cause).startsWith('xstate.done');
}

/** What somebody says several times in a row is said once. */
function counted(lines: readonly Line[]): readonly Line[] {
  const found: Line[] = [];
  const latest = new Map<string, { readonly index: number; readonly what: string; times: number }>();
  for (const line of lines) {
    const before = latest.get(line.who);
    if (before?.what === line.what) {
      before.times++;
      const { at, who, what } = found[before.index] as Line;
      found[before.index] = { at, who, what: `${what.replace(/ \(\d+ times\)$/, '')} (${before.times} times)` };
      continue;
    }
    latest.set(line.who, { index: found.length, what: line.what, times: 1 });
    found.push(line);
  }
  return found;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3).padStart(8)} s`;
}

/** `Port/web-1`, as users know it. */
function subjectOf({ plural, name }: JsonObject, kinds: Kinds): string {
  const kind = kinds.find((contract) => contract.plural === plural)?.kind ?? plural;
  return name === undefined ? String(kind) : `${kind}/${name}`;
}

/** A line of a log as people would say it; of a change of state without whose it is. */
function sentence(line: JsonObject, kinds: Kinds): string {
  const { msg, from, to, cause, error, time: _, level, realm: __, namespace: ___, plural, name, ...fields } = line;
  if (msg === 'state changed') {
    const [, failed] = /^xstate\.error\.actor\.([^.]+)/.exec(String(cause)) ?? [];
    const why = failed === undefined ? because(String(cause)) : `${failed} failed: ${error}`;
    const change = from === '' ? `anew at ${to}` : `${from} -> ${to}`;
    return why === '' ? change : `${why}: ${change}`;
  }
  if (msg === 'shards taken over') return `takes over ${fields['shards']} shards with ${fields['actors']} objects`;
  if (msg === 'troupe runs') return 'has come to work';
  const about = plural === undefined ? '' : `${subjectOf({ plural, ...(name !== undefined && { name }) }, kinds)}: `;
  const mark = Number(level) >= 50 ? 'ERROR: ' : '';
  const why = error === undefined ? '' : `: ${error}`;
  const rest = Object.entries(fields).map(([field, value]) => `${field} ${JSON.stringify(value)}`);
  return `${mark}${about}${msg}${why}${rest.length === 0 ? '' : ` (${rest.join(', ')})`}`;
}

/** What a change followed from; empty: from the step before. */
function because(cause: string): string {
  const [, delay] = /^xstate\.after\.([^.]+)/.exec(cause) ?? [];
  if (delay !== undefined) return `after its ${delay}`;
  if (cause === 'object.changed') return 'its object changed';
  if (cause === 'dependencies.changed') return 'what it depends on changed';
  if (cause === 'claims.changed') return 'who needs it changed';
  return cause === 'lifecycle.started' || cause.startsWith('xstate.done') ? '' : cause;
}
