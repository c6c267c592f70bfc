// The activity within a window of time, counted from the events that the bus has. Pure: events in, figures out.
import { SECRETS } from '../../../adapters/kubernetes/mod.ts';
import { addressKey, CALL_EVENT, type LeaseRecord, type ReceivedEvent } from '../../../bus/mod.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import { SHARD_LEASE } from '../../sharding/replica-count.ts';
import { State, stateOfTags, tagsIn } from '../demo/history.ts';

export interface Figures {
  /** Length of the window, in milliseconds. */
  readonly windowMs: number;
  /** Objects that changed their state within it, by the state that they came to last. */
  readonly objects: readonly KindFigures[];
  readonly calls: readonly CallFigures[];
  readonly events: EventFigures;
  readonly leases: readonly HolderFigures[];
}

export interface KindFigures {
  readonly realm: string;
  /** Plural. */
  readonly kind: string;
  readonly states: Readonly<Partial<Record<State, number>>>;
}

export interface CallFigures {
  readonly service: string;
  readonly calls: number;
  readonly perMinute: number;
  /** Left unanswered, or answered with 400 and above, but for 404, with which a cloud says that there is no such thing. */
  readonly errors: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Delay from events to their storing or receipt; clocks that differ count as no time. */
export interface EventFigures {
  readonly count: number;
  readonly perMinute: number;
  readonly lagMedianMs: number;
  readonly lagP95Ms: number;
}

export interface HolderFigures {
  readonly holder: string;
  /** Number of shards that it hosts. */
  readonly shards: number;
  /** The others, by name. */
  readonly others: readonly string[];
}

/** An event, and when it was kept or heard. */
interface Taken {
  readonly event: ReceivedEvent;
  readonly arrivedAt: number;
}

/** Takes events and forgets those that are older than its window. */
export class Window {
  readonly #spanMs: number;
  #taken: Taken[] = [];

  /** @param spanMs  how much time it holds, in milliseconds */
  constructor(spanMs: number) {
    this.#spanMs = spanMs;
  }

  take(event: ReceivedEvent, arrivedAt: number): void {
    this.#taken.push({ event, arrivedAt });
  }

  /** @param now  on the clock by which the events arrived: milliseconds since the epoch */
  figures(now: number, leases: readonly LeaseRecord[]): Figures {
    this.#taken = this.#taken.filter(({ arrivedAt }) => arrivedAt >= now - this.#spanMs);
    const events = this.#taken.map(({ event }) => event);
    const minutes = this.#spanMs / 60_000;
    const lags = this.#taken.map(({ event, arrivedAt }) => Math.max(0, arrivedAt - event.at));
    return {
      windowMs: this.#spanMs,
      objects: kindsOf(events),
      calls: callsOf(events, minutes),
      events: {
        count: events.length,
        perMinute: rounded(events.length / minutes),
        lagMedianMs: rounded(quantile(lags, 0.5)),
        lagP95Ms: rounded(quantile(lags, 0.95)),
      },
      leases: holdersOf(leases),
    };
  }
}

function kindsOf(events: readonly ReceivedEvent[]): readonly KindFigures[] {
  const last = new Map<string, { readonly realm: string; readonly kind: string; readonly state: State }>();
  for (const { actor, type, data } of events) {
    if (type !== 'transition' && type !== 'deleted') continue;
    const { realm, plural: kind } = actor;
    const state =
      type === 'deleted' ? State.Gone : realm === SECRETS.realm ? guardedState(data) : stateOfTags(tagsIn(data));
    last.set(addressKey(actor), { realm, kind, state });
  }
  const kinds = new Map<string, { realm: string; kind: string; states: Partial<Record<State, number>> }>();
  for (const { realm, kind, state } of last.values()) {
    const known = kinds.get(`${realm}/${kind}`) ?? { realm, kind, states: {} };
    known.states[state] = (known.states[state] ?? 0) + 1;
    kinds.set(`${realm}/${kind}`, known);
  }
  return inOrder([...kinds.values()], ({ realm, kind }) => `${kind} ${realm}`);
}

/** Key of an object without a lifecycle. */
function guardedState(data: ReceivedEvent['data']): State {
  return tagsIn(data).includes(Tag.Deleting) ? State.Held : State.Present;
}

function callsOf(events: readonly ReceivedEvent[], minutes: number): readonly CallFigures[] {
  const services = new Map<string, { durations: number[]; errors: number }>();
  for (const { type, data } of events) {
    if (type !== CALL_EVENT) continue;
    const service = String(data['service']);
    const known = services.get(service) ?? { durations: [], errors: 0 };
    known.durations.push(Number(data['durationMs']) || 0);
    const status = data['status'];
    if (typeof status !== 'number' || (status >= 400 && status !== 404)) known.errors += 1;
    services.set(service, known);
  }
  const figures = [...services].map(([service, { durations, errors }]) => ({
    service,
    calls: durations.length,
    perMinute: rounded(durations.length / minutes),
    errors,
    medianMs: rounded(quantile(durations, 0.5)),
    p95Ms: rounded(quantile(durations, 0.95)),
  }));
  return inOrder(figures, ({ service }) => service);
}

function holdersOf(leases: readonly LeaseRecord[]): readonly HolderFigures[] {
  const holders = new Map<string, { shards: number; others: string[] }>();
  for (const { name, holder } of leases) {
    const known = holders.get(holder) ?? { shards: 0, others: [] };
    if (name.startsWith(SHARD_LEASE)) known.shards += 1;
    else known.others.push(name);
    holders.set(holder, known);
  }
  const figures = [...holders].map(([holder, { shards, others }]) => ({ holder, shards, others: others.sort() }));
  return inOrder(figures, ({ holder }) => holder);
}

/** The least value that the given share of them does not exceed; 0 of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function inOrder<Each>(all: readonly Each[], of: (each: Each) => string): readonly Each[] {
  return all.toSorted((one, other) => (of(one) < of(other) ? -1 : 1));
}
