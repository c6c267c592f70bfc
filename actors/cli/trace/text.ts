// A story for a terminal. Pure.
import { type Address, addressKey } from '../../../bus/mod.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import { plain } from '../../base/printable.ts';
import { Ink } from '../colors.ts';
import { afterCause, type LabelOf } from '../events/lines.ts';
import {
  type Call,
  isRefused,
  type Link,
  type Reported,
  type Round,
  type Stay,
  type Story,
  sharesOf,
} from './story.ts';

const COLORS = { failing: '31', waiting: '33', settled: '32' } as const;

export interface TextOptions {
  readonly labelOf: LabelOf;
  readonly ink: Ink;
  readonly now: number;
  /** Whom the object waits for now. */
  readonly waitsFor: readonly string[];
}

/** The change, each step by how long after its begin it was, and below each wait what the other did meanwhile. */
export function traceText({ story, written, generation, others }: Reported, options: TextOptions): string {
  const { labelOf, now } = options;
  const [round, ...later] = story.rounds;
  const head = `${labelOf(story.actor)}${story.actor.namespace === '' ? '' : ` in namespace ${story.actor.namespace}`}`;
  const change = generation === undefined ? '' : `, generation ${generation}`;
  const lines = [plain(`${head}${change}, trace ${story.traceId}`)];
  const write = written?.write;
  if (write !== undefined && generation === written?.generation) {
    const by = write.manager === '' ? '' : ` by ${write.manager}`;
    lines.push(
      plain(`${new Date(write.at).toISOString().replace('.000', '')}  ${write.what}${by}, as the API server tells`),
    );
  }
  if (round === undefined) return `${lines.join('\n')}\n`;
  lines.push(`${new Date(round.startedAt).toISOString()}  begins`, '');
  const reported = new Set([addressKey(story.actor)]);
  lines.push(...roundLines(round, round.startedAt, others, reported, options, ''), '');
  lines.push(plain(summaryOf(round, options)));
  const status = written?.status;
  if (status !== undefined && generation === written?.generation)
    lines.push(
      plain(`last write of its status: ${new Date(status.at).toISOString().replace('.000', '')} by ${status.manager}`),
    );
  for (const { startedAt, settledAt, settled, stays } of later) {
    const why = afterCause((stays[0] ?? settled)?.cause ?? '');
    const end =
      settledAt === undefined ? 'not settled yet' : `${settled?.state} ${took((settledAt ?? now) - startedAt)} later`;
    lines.push(plain(`again at ${new Date(startedAt).toISOString()}, ${why}: ${end}`));
  }
  return `${lines.join('\n')}\n`;
}

function roundLines(
  { stays, settled }: Round,
  begin: number,
  others: readonly Story[],
  reported: Set<string>,
  options: TextOptions,
  indent: string,
): readonly string[] {
  const line = (at: number, text: string, color?: string): string => {
    const offset = `${at < begin ? '-' : '+'}${took(Math.abs(at - begin))}`.padStart(10);
    const said = plain(text);
    return `${offset}  ${indent}${options.ink === Ink.Color && color !== undefined ? `\u001b[${color}m${said}\u001b[0m` : said}`;
  };
  const lines = stays.flatMap((stay) => [
    line(stay.startedAt, stayText(stay, options), colorOf(stay)),
    ...stay.calls.map((call) =>
      line(call.endedAt - call.durationMs, `  ${callText(call)}`, isRefused(call) ? COLORS.failing : undefined),
    ),
    ...stay.endedBy.flatMap((link) => meanwhile(stay, link, begin, others, reported, options, `${indent}    `)),
  ]);
  if (settled !== undefined)
    lines.push(line(settled.startedAt, `${settled.state}${failureOf(settled)}`, colorOf(settled)));
  return lines;
}

/** Steps of the other while it was waited for; once, as another wait for it continues where that ended. */
function meanwhile(
  { tags, endedAt = Number.POSITIVE_INFINITY }: Stay,
  { actor, traceId }: Link,
  begin: number,
  others: readonly Story[],
  reported: Set<string>,
  options: TextOptions,
  indent: string,
): readonly string[] {
  if (actor === undefined || !tags.includes(Tag.Waiting)) return [];
  const key = addressKey(actor);
  const other = others.find((story) => addressKey(story.actor) === key && story.traceId === traceId);
  if (other === undefined || reported.has(key)) return [];
  const heading = `${' '.repeat(12)}${indent.slice(0, -2)}${plain(options.labelOf(actor))}:`;
  const rounds = other.rounds.filter((round) => round.startedAt <= endedAt);
  // An answer that does not end the waiting is followed by others: the other's story is where it comes to rest.
  if (rounds.every(({ settledAt = Number.POSITIVE_INFINITY }) => settledAt > endedAt + SOON_MS)) return [];
  reported.add(key);
  return [
    heading,
    ...rounds.flatMap((round) => roundLines(round, begin, others, reported, { ...options, waitsFor: [] }, indent)),
  ];
}

/** An answer is on its way before its sender has come to rest. */
const SOON_MS = 250;

function stayText(
  { state, cause, endedAt, startedAt, endedBy, tags, externalId, failure }: Stay,
  { labelOf, now, waitsFor }: TextOptions,
): string {
  const ms = (endedAt ?? now) - startedAt;
  const named = endedBy.map((link) => nameOf(link, labelOf));
  const names = (endedAt === undefined ? waitsFor : named).join(', ');
  const isWait = tags.includes(Tag.Waiting);
  const still = endedAt === undefined ? ', still' : '';
  const doing = isWait ? `waits ${took(ms)}${still}${names === '' ? '' : ` for ${names}`}` : `${took(ms)}${still}`;
  const id = externalId !== undefined && tags.includes('recording') ? `, id ${externalId}` : '';
  return `${state}  ${doing}${id}  (${afterCause(cause)})${failure === undefined ? '' : `, failed: ${failure}`}`;
}

function callText({ method, service, path, status, durationMs, requestId }: Call): string {
  const request = requestId === undefined ? '' : `  ${requestId}`;
  return `${method} ${service} ${path}  ${status ?? 'no answer'}  ${took(durationMs)}${request}`;
}

function summaryOf(round: Round, { labelOf, now, waitsFor }: TextOptions): string {
  const { wholeMs, waits, backOffMs, callsMs, restMs } = sharesOf(round, now);
  const share = (ms: number, of: string): string =>
    `${took(ms)} ${of}${wholeMs > 0 ? ` (${Math.round((ms / wholeMs) * 100)} %)` : ''}`;
  const parts = [
    ...waits.map(({ actor, ms }) => {
      const whom = actor !== undefined ? labelOf(actor) : round.settled === undefined ? waitsFor.join(', ') : '';
      return share(ms, `waiting${whom === '' ? '' : ` for ${whom}`}`);
    }),
    ...(backOffMs > 0 ? [share(backOffMs, 'between failed attempts')] : []),
    share(callsMs, 'in calls to the cloud'),
    share(restMs, 'of its own'),
  ];
  const { settled } = round;
  const end = settled === undefined ? 'has not settled after' : isFailed(settled) ? 'failed after' : 'settled after';
  return `${end} ${took(wholeMs)}: ${parts.join(', ')}`;
}

function isFailed({ tags }: Stay): boolean {
  return tags.includes(Tag.Failing);
}

function failureOf({ failure }: Stay): string {
  return failure === undefined ? '' : `, failed: ${failure}`;
}

function colorOf({ tags }: Stay): string | undefined {
  if (tags.includes(Tag.Failing)) return COLORS.failing;
  if (tags.includes(Tag.Waiting)) return COLORS.waiting;
  return tags.includes(Tag.Settled) ? COLORS.settled : undefined;
}

function nameOf({ actor, spanId }: Link, labelOf: (address: Address) => string): string {
  return actor === undefined ? `step ${spanId}` : labelOf(actor);
}

/** A duration for people: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function took(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
