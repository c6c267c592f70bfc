// Outbox: publishes a shard's messages until the bus has them, level-triggered, by compare-and-swap (P9).
//
// Invariants:
//   OUTBOX-1. At most one publication of a subject is under way, and the last thing said is the last thing published.
//   OUTBOX-2. Nothing begins after `close`, nor after the end of the lease, noticed or not: a host without it is silent.
//   OUTBOX-3. A value of another writer is always read before it is overwritten, and kept if it is newer.
//   OUTBOX-4. A value that is on the bus already, if that was received, is never published again; an overwritten one
//       is.
//   OUTBOX-5. The number of running publications never exceeds `inFlight`: the rest waits here rather than in the
//       connection, where it would delay the renewal of leases and run into request timeouts.
//   OUTBOX-6. A forgotten subject always stays forgotten, whatever is received later: objects come and go, and nothing
//       of them stays.
//   OUTBOX-7. A value that the bus has refused for what it is, as too large, is always reported once, and tried again with
//       backoff: it holds up nothing else.
import type { FairSemaphore } from '../../adapters/http/fair-semaphore.ts';
import {
  type ActorSubject,
  addressKey,
  type Clock,
  ErrorCode,
  type JsonObject,
  type Mailbox,
  TransientError,
  toErrorData,
} from '../../bus/mod.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import { CompactMap } from '../base/compact-map.ts';

/** Whether a value of another writer may be overwritten. */
export type MayReplace = (theirs: JsonObject, ours: JsonObject) => boolean;

/** Value of a subject on the bus, if this host knows it. */
interface Stored {
  /** Undefined: it is not remembered. Kept as it was given, and not as text: most of its parts are its author's anyway. */
  readonly payload: JsonObject | undefined;
  readonly sequence: number;
  /** Rule for a value of this host; undefined: another writer published it, or this host before a restart. */
  readonly mayReplace: MayReplace | undefined;
  /** Trace context of the change that caused the value. */
  readonly traceparent: string | undefined;
}

/** A publication under way. */
interface Saying {
  readonly subject: ActorSubject;
  wanted: JsonObject;
  mayReplace: MayReplace;
  traceparent: string | undefined;
  done: Promise<void>;
  /** Number of times that the bus has refused it for what it is. */
  refusals: number;
  /** Resolved at the first refusal; undefined: nothing waits for one. */
  refused: PromiseWithResolvers<void> | undefined;
}

export interface OutboxDeps {
  mailbox: Mailbox;
  clock: Clock;
  /** May be shared with other outboxes. */
  inFlight: FairSemaphore;
  /** End of the lease on the shard, in milliseconds since the epoch. */
  endsAt: () => number;
  /** Told of the first failure of a series, for one line in the log. */
  onTrouble: (message: string) => void;
  /**
   * Part of each published value that is kept: its `payload`, so that an equal value is not published again, or only
   * its `place`, for writers that never repeat a value. `payload` is the default.
   */
  remember?: 'payload' | 'place';
}

/** Pause before a publication that failed is tried again, in milliseconds. The connection itself reconnects meanwhile. */
const PAUSE_MS = 250;
/** Pauses after refusals, in milliseconds: the same value may be accepted after an edit, or when the bus is configured differently. */
const REFUSED_PAUSES = { firstMs: 1_000, limitMs: 60_000 };

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #stored = new SubjectMap<Stored>();
  readonly #saying = new SubjectMap<Saying>();
  #replayed = false;
  #closed = false;
  #troubled = false;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /**
   * Says `payload` on `subject`. Resolves when the bus has it, or something newer; never rejects, and never resolves
   * once the outbox is closed.
   *
   * @param mayReplace  whether what another host wrote there may be overwritten (OUTBOX-3)
   * @param traceparent  of the change that causes it; the same for another cause is nothing new (OUTBOX-4)
   */
  say(
    subject: ActorSubject,
    payload: JsonObject,
    mayReplace: MayReplace = always,
    traceparent?: string,
  ): Promise<void> {
    const saying = this.#saying.get(subject);
    if (saying !== undefined) {
      saying.wanted = payload;
      saying.mayReplace = mayReplace;
      saying.traceparent = traceparent;
      return saying.done;
    }
    const stored = this.#stored.get(subject);
    if (!this.#closed && stored?.payload !== undefined) {
      if (isSame(stored.payload, payload)) {
        this.#stored.set(subject, { ...stored, payload, mayReplace });
        return Promise.resolve();
      }
      if (stored.mayReplace === undefined && !mayReplace(stored.payload, payload)) return Promise.resolve();
    }
    return this.#start(subject, payload, mayReplace, traceparent);
  }

  /**
   * Notes a value that the bus has on a subject of this shard: at a replay, values that need no repetition; later,
   * values that another writer may have overwritten (OUTBOX-4). Own earlier values come back once more, and are
   * ignored.
   */
  heard(subject: ActorSubject, payload: JsonObject, sequence: number): void {
    const stored = this.#stored.get(subject);
    // A running publication compares with the stored value anyway.
    // mutant: outbox-revives-gone ||.3 drop
    if (
      this.#closed ||
      this.#saying.get(subject) !== undefined ||
      (stored === undefined && this.#replayed) ||
      (stored !== undefined && sequence <= stored.sequence)
    )
      return;
    this.#stored.set(subject, { payload, sequence, mayReplace: undefined, traceparent: undefined });
    if (stored?.mayReplace === undefined || stored.payload === undefined || isSame(stored.payload, payload)) return;
    // mutant: outbox-leaves-overwritten drop
    void this.say(subject, stored.payload, stored.mayReplace, stored.traceparent);
  }

  /** Value that the bus has, or will have, on a subject, if it is known and kept. */
  standing(subject: ActorSubject): JsonObject | undefined {
    return this.#saying.get(subject)?.wanted ?? this.#stored.get(subject)?.payload;
  }

  /** Sequence of a value published here; undefined: none is known, or another is on its way. */
  place(subject: ActorSubject): number | undefined {
    return this.#saying.get(subject) === undefined ? this.#stored.get(subject)?.sequence : undefined;
  }

  /**
   * Resolves when the bus refuses, or has refused, what is being said on a subject. It is tried again, and may be replaced
   * (OUTBOX-7).
   */
  refused(subject: ActorSubject): Promise<void> {
    const saying = this.#saying.get(subject);
    if (saying === undefined) return new Promise(() => undefined);
    saying.refused ??= Promise.withResolvers();
    if (saying.refusals > 0) saying.refused.resolve();
    return saying.refused.promise;
  }

  /** The replay is over: all that stands on the bus has been heard. */
  replayed(): void {
    this.#replayed = true;
  }

  /** Number of subjects that are being published, or wait for it. */
  get underWay(): number {
    return this.#saying.size;
  }

  /** Number of remembered subjects. */
  get size(): number {
    return this.#stored.size + this.#saying.size;
  }

  /**
   * Drops a subject, unless its last value differs from `payload`; undefined: any value. The value itself stays for its
   * reader to delete.
   */
  forget(subject: ActorSubject, payload?: JsonObject): void {
    const saying = this.#saying.get(subject);
    const said = saying === undefined ? this.#stored.get(subject)?.payload : saying.wanted;
    if (payload !== undefined && said !== undefined && !isSame(said, payload)) return;
    this.#saying.delete(subject);
    this.#stored.delete(subject);
  }

  close(): void {
    this.#closed = true;
  }

  #start(
    subject: ActorSubject,
    wanted: JsonObject,
    mayReplace: MayReplace,
    traceparent: string | undefined,
  ): Promise<void> {
    const done = Promise.resolve();
    const saying: Saying = { subject, wanted, mayReplace, traceparent, done, refusals: 0, refused: undefined };
    this.#saying.set(subject, saying);
    saying.done = this.#run(saying);
    return saying.done;
  }

  async #run(saying: Saying): Promise<void> {
    const { subject } = saying;
    const { mailbox, clock, inFlight, endsAt, remember = 'payload' } = this.#deps;
    let { payload: published, sequence } = this.#stored.get(subject) ?? { payload: undefined, sequence: 0 };
    /** In the same turn as the last check, or a value published right after it would be lost (OUTBOX-1). */
    const end = (stored: Stored): void => {
      this.#saying.delete(subject);
      this.#stored.set(subject, stored);
    };
    // Forgotten; a newer value belongs to another publication.
    const isForgotten = (): boolean => this.#saying.get(subject) !== saying;
    while (!this.#closed) {
      if (isForgotten()) return;
      if (published !== undefined && isSame(saying.wanted, published)) {
        const { mayReplace, traceparent } = saying;
        return end({ payload: remember === 'payload' ? published : undefined, sequence, mayReplace, traceparent });
      }
      const turn = inFlight.enter();
      // mutant: outbox-all-at-once drop
      if (turn !== undefined) await turn;
      try {
        const { wanted: payload, traceparent } = saying;
        // While it waited for a slot.
        // mutant: outbox-speaks-when-closed ||.1 drop
        if (this.#closed || isForgotten() || (published !== undefined && isSame(payload, published))) continue;
        // A process that stood still says what is old by now before it hears that others may speak.
        // mutant: outbox-after-lease drop
        if (clock.now() >= endsAt()) throw new TransientError('the lease has ended');
        // mutant: claims-never-compared ().3 -> 'from' in saying.subject && saying.mayReplace !== always ? undefined : $
        // mutant: outbox-never-compares ().3 -> undefined
        const publication = await mailbox.publish(saying.subject, payload, sequence, { traceparent });
        if (publication.kind === 'stored') {
          published = payload;
          sequence = publication.sequence;
        } else if (!this.#closed) {
          const current = await mailbox.last(saying.subject);
          sequence = current?.sequence ?? 0;
          published = current?.payload;
          // mutant: outbox-drops-newer-word &&.1 drop
          // mutant: outbox-drops-word-after-forgotten &&.2 drop
          const isNewest = saying.wanted === payload && !isForgotten();
          // mutant: outbox-overwrites-newer &&.4 -> false
          if (
            isNewest &&
            published !== undefined &&
            !isSame(published, payload) &&
            !saying.mayReplace(published, payload)
          )
            return end({ payload: published, sequence, mayReplace: undefined, traceparent: undefined });
        }
        this.#troubled = false;
        continue;
      } catch (error) {
        const { code, message } = toErrorData(error);
        const isRefused = code === ErrorCode.Terminal;
        if (isRefused ? saying.refusals === 0 : !this.#troubled)
          this.#deps.onTrouble(`mail to '${addressKey(saying.subject.to)}' waits: ${message}`);
        if (isRefused) saying.refusals += 1;
        else this.#troubled = true;
        if (isRefused) saying.refused?.resolve();
      } finally {
        inFlight.leave();
      }
      // mutant: refused-without-pause ?: -> $2
      await clock.sleep(saying.refusals === 0 ? PAUSE_MS : growingPauseMs(saying.refusals, REFUSED_PAUSES));
    }
    // A closed outbox leaves its callers waiting: whatever follows an acknowledgement must not happen any more.
    return new Promise(() => undefined);
  }
}

const always: MayReplace = () => true;

/** Whether both are the same on the bus, where they are text. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Nested by topic, sender and receiver: names that exist anyway. Subjects as text would be new strings, three or four
 * for every object.
 */
export class SubjectMap<Value> {
  readonly #topics = new Map<ActorSubject['topic'], Map<string, CompactMap<Value>>>();

  get size(): number {
    let size = 0;
    for (const authors of this.#topics.values()) for (const values of authors.values()) size += values.size;
    return size;
  }

  get(subject: ActorSubject): Value | undefined {
    return this.#topics.get(subject.topic)?.get(authorOf(subject))?.get(addressKey(subject.to));
  }

  set(subject: ActorSubject, value: Value): void {
    const authors = this.#topics.get(subject.topic) ?? new Map<string, CompactMap<Value>>();
    const author = authorOf(subject);
    const values = authors.get(author) ?? new CompactMap<Value>();
    this.#topics.set(subject.topic, authors);
    authors.set(author, values);
    values.set(addressKey(subject.to), value);
  }

  delete(subject: ActorSubject): void {
    const authors = this.#topics.get(subject.topic);
    const author = authorOf(subject);
    const values = authors?.get(author);
    values?.delete(addressKey(subject.to));
    if (values?.size === 0) authors?.delete(author);
  }
}

/** Every sender may publish states of objects. */
function authorOf(subject: ActorSubject): string {
  return 'from' in subject ? addressKey(subject.from) : '';
}
