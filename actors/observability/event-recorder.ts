// Tells users by Kubernetes Events what happened to their objects. A service to people: nothing depends on it.
//
// Invariants:
//   EVENT-RECORDER-1. Emitting an Event never waits, never throws, and never delays the reported work, nor the end of
//       the process.
//   EVENT-RECORDER-2. What happens again is the same Event with a greater count; many that differ in their message alone become one.
//   EVENT-RECORDER-3. However much happens, what is kept and what is written stays bounded: by object, and altogether.
//   EVENT-RECORDER-4. An Event that the API server rejects is always dropped; a missing permission is logged once.
import type { Logger } from 'pino';
import {
  type EventRecord,
  type Events,
  type EventType,
  ForbiddenError,
  subjectOf,
} from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, ErrorCode, type Timer, toErrorData } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { workTraceparent } from '../base/change-trace.ts';
import type { RecordEvent } from '../base/record-event.ts';

export interface EventRecorderDeps {
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told of what is not written, as far as that is ever said. */
  readonly onDropped?: (reason: DropReason) => void;
}

/** Why an Event is not written: its object had many lately, too many wait, they are refused, or its write failed. */
export type DropReason = 'limited' | 'full' | 'rejected' | 'failed';

/** Time for which Events are collected into one write, in milliseconds; objects themselves are written first. */
const HOLD_MS = 500;
/**
 * Maximum number of concurrent writes, and within HOLD_MS: the creation of a landscape must not be delayed by its
 * Events.
 */
const CONCURRENCY = 2;
const BATCH = 50;
/** Time without repetition after which a new Event starts. As in client-go. */
const WINDOW_MS = 600_000;
/** Number of messages under one reason that are reported individually. As in client-go. */
const MESSAGES = 10;
/** Writes for one object: burst size, and one more in each period. As in client-go. */
const BURST = 25;
const REFILL_MS = 300_000;
/** Maximum number of entries of each; the least recently used is dropped first. */
const LIMIT = 4_096;
/** Number of tries of a write with a transient failure, after pauses. */
const TRIES = 3;
const PAUSE_MS = 5_000;
/** Time for which a namespace that rejects Events is skipped. */
const REFUSED_FOR_MS = 60_000;
/** Longest wait at the end. */
const MOMENT_MS = 500;
/** The longest note that events.k8s.io allows is 1024 bytes; a character takes up to 3. */
const MESSAGE_LENGTH = 1_000;
/** Maximum length of an object's name in the name of its Events: 253 less the unique suffix. */
const NAME_LENGTH = 230;

interface Series {
  record: EventRecord;
  /** The API server has it. */
  stored: boolean;
  writing: boolean;
  failures: number;
}

/** Remaining number of writes for an object. */
interface Budget {
  tokens: number;
  refilledAt: number;
}

/** Number of different messages of an object under one reason. */
interface Variety {
  messages: number;
  sinceAt: number;
}

export class EventRecorder {
  readonly #deps: EventRecorderDeps;
  readonly #series = new Map<string, Series>();
  readonly #budgets = new Map<string, Budget>();
  readonly #varieties = new Map<string, Variety>();
  readonly #pending = new Set<Series>();
  /** Namespaces that refuse Events, and until when. */
  readonly #refusals = new Map<string, number>();
  #running = 0;
  /** Writes that may still begin before the next pause. */
  #left = 0;
  #timer: Timer | undefined;
  #closed = false;
  #isForbiddenSaid = false;
  #sequence = 0;
  #onIdle = (): void => undefined;

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps;
  }

  /** Number of entries. */
  get size(): number {
    return this.#series.size + this.#budgets.size + this.#varieties.size + this.#refusals.size;
  }

  /** Notes what happened, to be written soon. */
  readonly report: RecordEvent = (object, { type, reason, message: whole }) => {
    const { namespace = '', uid } = object.metadata;
    const now = this.#deps.clock.now();
    if (this.#closed || (this.#refusals.get(namespace) ?? 0) > now) return this.#drop('rejected');
    const message = shortened(whole);
    let key = `${uid} ${reason} ${message}`;
    let text = message;
    if (this.#recent(key, now) === undefined && ++this.#variety(`${uid} ${reason}`, now).messages > MESSAGES) {
      key = `${uid} ${reason}`;
      text = shortened(`(combined from similar events): ${message}`);
    }
    const known = this.#recent(key, now);
    const isAwaited = known !== undefined && this.#pending.has(known);
    const series = known ?? {
      record: this.#fresh(object, type, reason, now),
      stored: false,
      writing: false,
      failures: 0,
    };
    series.record = { ...series.record, message: text, count: series.record.count + 1, lastAt: now };
    keepNewest(this.#series, key, series, (old) => {
      if (this.#pending.delete(old)) this.#drop('full');
    });
    // A pending write is not queued twice.
    if (isAwaited) return;
    if (!spend(this.#budget(uid, now), now)) return this.#drop('limited');
    this.#pending.add(series);
    if (this.#running < CONCURRENCY) this.#arm(HOLD_MS);
  };

  /** Takes nothing more, and gives what is noted a moment to be written. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#disarm();
    const ended = new AbortController();
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    this.#pump();
    await Promise.race([idle, this.#deps.clock.sleep(MOMENT_MS, ended.signal)]);
    ended.abort();
    this.#pending.clear();
  }

  #drop(reason: DropReason): void {
    this.#deps.onDropped?.(reason);
  }

  #fresh(object: KubeObject, type: EventType, reason: string, now: number): EventRecord {
    const about = subjectOf(object);
    const unique = `${Math.floor(now * 1_000).toString(16)}${(this.#sequence++ % 4096).toString(16).padStart(3, '0')}`;
    const name = `${about.name.slice(0, NAME_LENGTH).replace(/[.-]+$/, '')}.${unique}`;
    const traceparent = workTraceparent(object);
    return { name, about, type, reason, message: '', count: 0, firstAt: now, lastAt: now, traceparent };
  }

  /** The series, unless it is over. */
  #recent(key: string, now: number): Series | undefined {
    const series = this.#series.get(key);
    return series !== undefined && now - series.record.lastAt < WINDOW_MS ? series : undefined;
  }

  #budget(uid: string, now: number): Budget {
    const budget = this.#budgets.get(uid) ?? { tokens: BURST, refilledAt: now };
    keepNewest(this.#budgets, uid, budget);
    return budget;
  }

  #variety(key: string, now: number): Variety {
    const known = this.#varieties.get(key);
    const variety = known !== undefined && now - known.sinceAt < WINDOW_MS ? known : { messages: 0, sinceAt: now };
    keepNewest(this.#varieties, key, variety);
    return variety;
  }

  #arm(delayMs: number): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = this.#deps.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#left = BATCH;
      this.#pump();
    }, delayMs);
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#deps.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #pump(): void {
    if (this.#timer !== undefined) return;
    for (const series of this.#pending) {
      if (this.#running >= CONCURRENCY) return;
      if (series.writing) continue;
      if (this.#left-- <= 0 && !this.#closed) {
        this.#arm(HOLD_MS);
        return;
      }
      this.#pending.delete(series);
      void this.#write(series);
    }
    if (this.#running === 0) this.#onIdle();
  }

  async #write(series: Series): Promise<void> {
    this.#running++;
    series.writing = true;
    try {
      await this.#send(series);
      series.stored = true;
      series.failures = 0;
    } catch (error) {
      this.#refused(series, error);
    }
    series.writing = false;
    this.#running--;
    this.#pump();
  }

  async #send(series: Series): Promise<void> {
    const { events } = this.#deps;
    if (!series.stored) return events.create(series.record);
    try {
      await events.repeat(series.record);
    } catch (error) {
      // Events are forgotten after an hour or so.
      if (!(error instanceof AbsentError)) throw error;
      await events.create(series.record);
    }
  }

  #refused(series: Series, error: unknown): void {
    const { clock, log } = this.#deps;
    const { namespace, name } = series.record.about;
    const { code, message } = toErrorData(error);
    if (error instanceof ForbiddenError) {
      keepNewest(this.#refusals, namespace, clock.now() + REFUSED_FOR_MS);
      this.#drop('rejected');
      for (const other of this.#pending) {
        if (other.record.about.namespace !== namespace) continue;
        this.#pending.delete(other);
        this.#drop('rejected');
      }
      if (!error.isTerminating && !this.#isForbiddenSaid) {
        this.#isForbiddenSaid = true;
        log.warn({ error: message }, 'events may not be written; nothing else depends on them');
      }
      return;
    }
    if (code === ErrorCode.Transient && ++series.failures < TRIES && !this.#closed) {
      this.#pending.add(series);
      this.#disarm();
      this.#arm(PAUSE_MS);
      return;
    }
    series.failures = 0;
    this.#drop('failed');
    log.debug({ namespace, name, error: message }, 'an event was dropped');
  }
}

/** Takes a token, if there is one. */
function spend(budget: Budget, now: number): boolean {
  const earned = Math.floor((now - budget.refilledAt) / REFILL_MS);
  budget.tokens = Math.min(BURST, budget.tokens + earned);
  budget.refilledAt += earned * REFILL_MS;
  if (budget.tokens === 0) return false;
  budget.tokens--;
  return true;
}

/** Stores a value as the newest one, and forgets the oldest beyond the limit. */
function keepNewest<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  forgotten?: (value: Value) => void,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= LIMIT) return;
  const [oldest] = map;
  if (oldest === undefined) return;
  map.delete(oldest[0]);
  forgotten?.(oldest[1]);
}

function shortened(message: string): string {
  return message.length <= MESSAGE_LENGTH ? message : `${message.slice(0, MESSAGE_LENGTH - 1)}…`;
}
