// One change of one object, from events: the states that it went through, what ended each of them, and the calls made in it.
// Pure.
//
// Invariants:
//   CLI-STORY-1. The intervals of a round are without gaps: what it lasted is the sum of what its states lasted.
//   CLI-STORY-2. A call belongs to the state in which it ended.
import {
  type Address,
  addressKey,
  CALL_EVENT,
  type JsonObject,
  parseTraceparent,
  type ReceivedEvent,
} from '../../../bus/mod.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import { traceIdOf } from '../../base/change-trace.ts';
import { linksOf, tagsOf } from '../events/lines.ts';
import type { Written } from './write.ts';

/** A step of another object that let this one continue. */
export interface Link {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined: its object is unknown. */
  readonly actor?: Address;
}

export interface Call {
  /** When the answer was there, in milliseconds since the epoch. */
  readonly endedAt: number;
  readonly durationMs: number;
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** Undefined: there was no answer. */
  readonly status?: number;
  readonly requestId?: string;
}

/** A stay in a state. */
export interface Stay {
  readonly state: string;
  readonly tags: readonly string[];
  readonly startedAt: number;
  /** Undefined: it is in it still, as far as is known. */
  readonly endedAt?: number;
  /** Type of the event that led into it. */
  readonly cause: string;
  /** Whose answers led out of it. */
  readonly endedBy: readonly Link[];
  /** The attempt that led into it failed. */
  readonly failure?: string;
  readonly externalId?: string;
  readonly calls: readonly Call[];
}

/** From when the object had something to do until it had not. */
export interface Round {
  readonly startedAt: number;
  /** When it settled; undefined: it has not yet, as far as is known. */
  readonly settledAt?: number;
  /** Without the one in which it came to rest, which is `settled`. */
  readonly stays: readonly Stay[];
  readonly settled?: Stay;
}

export interface Story {
  readonly actor: Address;
  readonly uid: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The first is what the change led to; later ones are repeats, as for drift or another's claim. */
  readonly rounds: readonly Round[];
}

/** The story of a change. */
export interface Reported {
  readonly story: Story;
  /** Undefined: the object is deleted, or may not be read. */
  readonly written: Written | undefined;
  /** Undefined: its kind has none. */
  readonly generation: number | undefined;
  /** Steps of the objects that were waited for, as far as they are of the same time. */
  readonly others: readonly Story[];
}

/** Time of a round by activity, in milliseconds. */
export interface Shares {
  readonly wholeMs: number;
  readonly waits: readonly { readonly actor?: Address; readonly ms: number }[];
  /** Between attempts that failed and the next ones. */
  readonly backOffMs: number;
  readonly callsMs: number;
  /** The own work: the API server, the bus. */
  readonly restMs: number;
}

/** Object of a step. */
export type ActorOf = (link: Pick<Link, 'spanId' | 'traceId'>) => Address | undefined;

/** All events of an actor in one trace, oldest first; undefined: there are none. */
export function storyOf(
  events: readonly ReceivedEvent[],
  actor: Address,
  traceId: string,
  actorOf: ActorOf,
): Story | undefined {
  const key = addressKey(actor);
  const own = events
    .filter((event) => addressKey(event.actor) === key && traceIdOf(event.traceparent) === traceId)
    .toSorted((left, right) => left.at - right.at);
  const context = parseTraceparent(own[0]?.traceparent);
  if (context === undefined) return undefined;
  const uids = own.map(({ data }) => data['uid']);
  const uid = uids.find((each): each is string => typeof each === 'string' && each !== '') ?? '';
  return { actor, uid, traceId, spanId: context.spanId, rounds: roundsOf(own, actorOf) };
}

export function isRefused({ status }: Call): boolean {
  return status === undefined || status >= 400;
}

export function sharesOf({ startedAt, settledAt, stays }: Round, now: number): Shares {
  const lasting = ({ startedAt: from, endedAt = settledAt ?? now }: Stay): number => Math.max(0, endedAt - from);
  const waits = new Map<string, { actor?: Address; ms: number }>();
  let [backOffMs, callsMs, restMs] = [0, 0, 0];
  for (const stay of stays) {
    const ms = lasting(stay);
    if (stay.tags.includes(Tag.Waiting)) {
      const [by] = stay.endedBy;
      const key = by?.actor === undefined ? (by?.spanId ?? '') : addressKey(by.actor);
      const known = waits.get(key) ?? { ...(by?.actor !== undefined && { actor: by.actor }), ms: 0 };
      known.ms += ms;
      waits.set(key, known);
    } else if (stay.tags.includes(Tag.Failing)) backOffMs += ms;
    else {
      const inCalls = Math.min(ms, covered(stay));
      callsMs += inCalls;
      restMs += ms - inCalls;
    }
  }
  return {
    wholeMs: Math.max(0, (settledAt ?? now) - startedAt),
    waits: [...waits.values()].toSorted((left, right) => right.ms - left.ms),
    backOffMs,
    callsMs,
    restMs,
  };
}

/** Time of a stay that calls took; those at the same time count once. */
function covered({ calls, startedAt }: Stay): number {
  const spans = calls
    .map(({ endedAt, durationMs }) => [Math.max(startedAt, endedAt - durationMs), endedAt] as const)
    .toSorted(([left], [right]) => left - right);
  let [sum, until] = [0, startedAt];
  for (const [from, to] of spans) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

type Building = { -readonly [Name in keyof Stay]: Stay[Name] } & { readonly calls: Call[] };

function roundsOf(events: readonly ReceivedEvent[], actorOf: ActorOf): readonly Round[] {
  const rounds: Round[] = [];
  let stays: Building[] = [];
  const close = (settled: Building | undefined): void => {
    const startedAt = stays[0]?.startedAt ?? settled?.startedAt;
    if (startedAt === undefined) return;
    rounds.push({
      startedAt,
      ...(settled !== undefined && { settledAt: settled.startedAt, settled }),
      stays: stays.map(finished),
    });
    stays = [];
  };
  for (const event of events) {
    const { type, data, at } = event;
    if (type === CALL_EVENT) {
      stays.at(-1)?.calls.push(callOf(event));
      continue;
    }
    const last = stays.at(-1);
    if (last !== undefined) {
      last.endedAt = at;
      last.endedBy = linksOf(data).flatMap((link) => linkOf(link, actorOf));
    }
    const stay = stayOf(event);
    if (type === 'deleted' || stay.tags.includes(Tag.Settled)) close(stay);
    else stays.push(stay);
  }
  if (stays.length > 0) close(undefined);
  return rounds;
}

function finished({ calls, ...stay }: Building): Stay {
  return { ...stay, calls: [...calls] };
}

function stayOf({ type, data, at }: ReceivedEvent): Building {
  const text = (name: string): string | undefined => (typeof data[name] === 'string' ? data[name] : undefined);
  const [failure, externalId] = [text('failure') ?? text('error'), text('externalId')];
  return {
    state: type === 'transition' ? (text('to') ?? '') : type,
    tags: type === 'quarantined' ? [Tag.Failing] : tagsOf(data),
    startedAt: at,
    cause: text('cause') ?? type,
    endedBy: [],
    ...(failure !== undefined && { failure }),
    ...(externalId !== undefined && { externalId }),
    calls: [],
  };
}

function callOf({ at, data }: ReceivedEvent): Call {
  const { status, durationMs, requestId } = data as Readonly<Record<string, JsonObject[string] | undefined>>;
  return {
    endedAt: at,
    durationMs: typeof durationMs === 'number' ? durationMs : 0,
    service: String(data['service'] ?? ''),
    method: String(data['method'] ?? ''),
    path: String(data['path'] ?? ''),
    ...(typeof status === 'number' && { status }),
    ...(typeof requestId === 'string' && { requestId }),
  };
}

function linkOf(traceparent: string, actorOf: ActorOf): readonly Link[] {
  const context = parseTraceparent(traceparent);
  if (context === undefined) return [];
  const { traceId, spanId } = context;
  const actor = actorOf({ traceId, spanId });
  return [{ traceId, spanId, ...(actor !== undefined && { actor }) }];
}
