// The story of a run: who did what to whom, and what happened then; one line an event, in the order of time.

import { openstackContracts } from '../../adapters/openstack/mod.ts';
import type { ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { told, uidOf } from './cloud-log.ts';

/** Adds what is happening now. */
export type Teller = (who: string, what: string) => void;

interface Line {
  readonly at: number;
  readonly who: string;
  readonly what: string;
}

export interface StorySources {
  readonly beganAt: number;
  /** Of the test itself. */
  readonly lines: readonly Line[];
  /** What each process logged, by its name. */
  readonly logs: ReadonlyMap<string, readonly JsonObject[]>;
  readonly calls: readonly ServedCall[];
  /** Of objects, by uid. */
  readonly names: ReadonlyMap<string, string>;
}

/** Phases in which nothing is to be done. */
const AT_REST: ReadonlySet<string> = new Set(['available', 'unavailable', 'watching', 'held']);

export function story({ beganAt, lines, logs, calls, names }: StorySources): readonly string[] {
  const all: Line[] = [...lines];
  for (const [who, log] of logs) {
    for (const line of log) {
      const what = sentence(line);
      if (what !== undefined) all.push({ at: Date.parse(String(line['time'])), who, what });
    }
  }
  for (const call of calls) {
    const uid = uidOf(call);
    all.push({ at: call.at, who: 'cloud', what: `${told(call)}${reason(call)} for ${names.get(uid) ?? 'the test'}` });
  }
  const width = Math.max(...all.map(({ who }) => who.length));
  return all
    .sort((one, other) => one.at - other.at)
    .map(({ at, who, what }) => `${seconds(at - beganAt)}  ${who.padEnd(width)}  ${what}`);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3).padStart(8)} s`;
}

/** `Port/web-1`, as users know it. */
function subjectOf({ plural, name }: JsonObject): string {
  const kind = openstackContracts.find((contract) => contract.plural === plural)?.kind ?? plural;
  return name === undefined ? String(kind) : `${kind}/${name}`;
}

/** A line of a log as people would say it; undefined: it says nothing that others do not. */
function sentence(line: JsonObject): string | undefined {
  const { msg, from, to, cause, error, time: _, level, realm: __, namespace: ___, plural, name, ...fields } = line;
  if (msg === 'state changed') {
    // Whoever takes over says so once for all that are at rest.
    if (from === '' && AT_REST.has(String(to))) return undefined;
    const change = from === '' ? `goes on, ${to}` : `${from} -> ${to}`;
    const isFailure = String(cause).startsWith('xstate.error');
    return `${subjectOf(line)}: ${change}${because(String(cause))}${isFailure ? `: ${error}` : ''}`;
  }
  if (msg === 'shards taken over') return `takes over ${fields['shards']} shards with ${fields['actors']} objects`;
  if (msg === 'troupe runs') return 'has come to work';
  const about = plural === undefined ? '' : `${subjectOf({ plural, ...(name !== undefined && { name }) })}: `;
  const mark = Number(level) >= 50 ? 'ERROR: ' : '';
  const why = error === undefined ? '' : `: ${error}`;
  const rest = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  return `${mark}${about}${msg}${why}${rest}`;
}

/** What a change followed from, where it is not the step before. */
function because(cause: string): string {
  const [, kind, what = ''] = /^xstate\.(done\.actor|error\.actor|after)\.([^.]+)/.exec(cause) ?? [];
  if (kind === 'done.actor') return `, ${what} done`;
  if (kind === 'error.actor') return `, ${what} failed`;
  if (kind === 'after') return `, after ${what}`;
  return cause === 'life.began' ? '' : `, ${cause}`;
}

/** Why the cloud refused. */
function reason({ status, answer }: ServedCall): string {
  return status < 400 ? '' : ` ${JSON.stringify(answer)}`;
}
