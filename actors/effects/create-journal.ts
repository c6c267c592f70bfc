// Create journal: write-ahead list of a shard's requests that must not be repeated, for the next host of the shard. One
// last value on the bus, `{address: inDoubtUntil}`, with the intents that identify the results, and the time of the
// write (P13).
//
// Invariants:
//   CREATE-JOURNAL-1. Nothing is sent before the bus has acknowledged a list that names it, with the time by which it lands if at all.
//   CREATE-JOURNAL-2. It stays on the list until it is answered for, or that time has passed; an answer that proves nothing keeps it there.
//   CREATE-JOURNAL-3. What a predecessor listed stays on the list, as it may end with this host, too; for no longer from now than it had
//       left when it was written, however far the other clock was ahead. Without a list in this epoch of the mailbox, or
//       with one that may have been rolled back unnoticed (SHARD-MANAGER-2), whatever may have been begun is put on it
//       (`begin`), and counts for the hosts after this one.
//   CREATE-JOURNAL-4. A list is always published by compare-and-swap, one publication at a time, and never after the
//       end of the lease (P9). A list of another writer is not replaced before the bus has confirmed the lease, since
//       the local clock may lag: it may be the successor's. If it is a late list of a predecessor, its requests may be
//       in doubt and stay on the list; nothing is sent for them meanwhile (CREATE-JOURNAL-3).
//   CREATE-JOURNAL-5. What is begun while a publication is under way goes out together in the next; what is taken off goes out with it,
//       or after a while.
//   CREATE-JOURNAL-6. An intent always stays until the object has recorded its result, is deleted, or starts another
//       request: lookups by the current spec may not find the result of an earlier spec.
import {
  type Clock,
  type JsonObject,
  type Lease,
  type Mailbox,
  type ShardSubject,
  type Timer,
  TransientError,
  toErrorData,
} from '../../bus/mod.ts';
import { type JournalEntry, type JournalMessage, journalPayload, parseJournal } from '../mailbox/messages.ts';
import type { ObjectActor } from '../object/object-actor.ts';
import { landing, landsAfter, mayBeDone } from './call-failures.ts';

export interface UnderwayDeps {
  readonly shard: number;
  readonly lease: Lease;
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  /** Longest time that a call may take, and for how long after its deadline it may still be done, in milliseconds. */
  readonly callMs: number;
  readonly lateEffectMs: number;
  /** Actor with this key in the shard. */
  readonly actor: (key: string) => Pick<ObjectActor, 'incarnation'> | undefined;
  /** Told of the first failure of a series, for one line in the log. */
  readonly onTrouble: (message: string) => void;
}

const NOTHING: JournalEntry = { inDoubtUntil: 0, intents: [] };

/**
 * Assumed maximum clock difference between two hosts, in milliseconds: a list is read with another clock than it was
 * written with. A host whose clock lags more lets its successor start too early.
 */
export const CLOCK_SKEW_MS = 2_000;
/** Delay after which completed requests are removed, in milliseconds, if nothing else is published meanwhile. */
const TIDY_MS = 1_000;
/** Pause before a publication that failed is tried again, in milliseconds. */
const PAUSE_MS = 250;
/**
 * Maximum size of an intent, in characters of JSON; larger ones, and further ones, are not kept: the list of a shard is
 * one message, which the objects of one user must not make too large.
 */
const INTENT_LENGTH = 1_024;
const MOST_INTENTS = 512;
/**
 * Maximum number of lists without a response that are remembered. One that is stored and forgotten costs a confirmation
 * of the lease, and its requests are waited for as those of another host.
 */
const MOST_UNKNOWN = 8;

export class CreateJournal {
  readonly #deps: UnderwayDeps;
  readonly #subject: ShardSubject;
  /** A list of another epoch belongs to another host, or is invalid (P11). */
  readonly #epoch: string;
  readonly #listed = new Map<string, JournalEntry>();
  /** End of the doubt about a predecessor's late entries, by the key of the actor. */
  readonly #late = new Map<string, number>();
  /** The last lists that were sent to the bus without a response: they may be stored. */
  readonly #outcomeUnknown = new Set<string>();
  /** Grows with each change of the list; what the bus has is that of `#storedRevision`. */
  #revision = 0;
  #storedRevision = 0;
  #sequence = 0;
  /** As it was on the bus at the takeover. */
  #inherited: JournalMessage | undefined;
  readonly #running = new Set<Promise<unknown>>();
  /** Those who wait for the next publication. */
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #publishing: Promise<void> | undefined;
  #tidying: { readonly timer: Timer; readonly at: number } | undefined;
  #state: 'reading' | 'begun' | 'closed' = 'reading';
  #troubled = false;

  constructor(deps: UnderwayDeps) {
    this.#deps = deps;
    this.#subject = { topic: 'creates', shard: deps.shard };
    this.#epoch = deps.mailbox.epoch().id;
  }

  /** The list on the bus, as the replay of the shard hands it over. Once this host has begun, the list is its own (CREATE-JOURNAL-4). */
  heard(payload: JsonObject, sequence: number): void {
    if (sequence <= this.#sequence) return;
    if (this.#state === 'reading') {
      this.#sequence = sequence;
      this.#inherited = parseJournal(payload);
    } else if (this.#isBegun && this.#publishing === undefined) {
      // A publication of our own, which is heard before it is acknowledged, is not under way.
      void this.#takeIn(payload, sequence).then(
        () => this.#tidyLater(),
        (error) => this.#deps.onTrouble(toErrorData(error).message),
      );
    }
  }

  /**
   * The replay is complete; nothing has begun here yet.
   *
   * @param actors  of the shard: without a list that says all, any of them may have begun something elsewhere
   */
  begin(actors: Iterable<Pick<ObjectActor, 'key' | 'incarnation'>>): void {
    const { clock, mailbox, callMs, lateEffectMs } = this.#deps;
    const now = clock.now();
    this.#state = 'begun';
    const list = this.#inherited;
    // mutant: unwitnessed-list-trusted ||.2 -> false
    const isPartial = list === undefined || list.writtenAt < (mailbox.epoch().witnessedFrom ?? 0);
    if (isPartial) {
      // Whatever a predecessor began, it began before this.
      for (const actor of actors) {
        const held = actor.incarnation()?.kind?.life.inDoubtForMs ?? 0;
        // mutant: underway-held-unlisted-unwaited () -> $1
        const inDoubtUntil = now + Math.max(callMs + lateEffectMs, held);
        if (mayHaveUnrecordedCreate(actor)) this.#listed.set(actor.key, { inDoubtUntil, intents: [] });
      }
      this.#revision += 1;
    }
    for (const [key, { inDoubtUntil, intents }] of list === undefined ? [] : this.#leftIn(list)) {
      const entry = { inDoubtUntil: Math.max(inDoubtUntil, this.#entry(key).inDoubtUntil), intents };
      // mutant: underway-forgets-predecessor if -> !$
      if (this.#isToKeep(key, entry, now)) this.#listed.set(key, entry);
      else this.#revision += 1;
    }
    this.#inherited = undefined;
    if (isPartial) this.#publish();
    else this.#tidyLater();
  }

  /**
   * Entries of another host by the local clock: valid for no longer from now than they had left when they were written
   * (CREATE-JOURNAL-3).
   */
  #leftIn({ list, writtenAt }: JournalMessage): readonly (readonly [string, JournalEntry])[] {
    const now = this.#deps.clock.now();
    return [...list].map(([key, { inDoubtUntil, intents }]) => {
      // mutant: clock-skew-ignored + -> $1
      // mutant: underway-long-landing-cut - -> now + this.#deps.callMs + this.#deps.lateEffectMs
      return [key, { inDoubtUntil: Math.min(inDoubtUntil + CLOCK_SKEW_MS, now + inDoubtUntil - writtenAt), intents }];
    });
  }

  /**
   * Merges a list that another host wrote meanwhile (CREATE-JOURNAL-4). @throws {TransientError} it is the successor's,
   * or that is unknown
   */
  async #takeIn(payload: JsonObject, sequence: number): Promise<void> {
    const { lease, clock, shard } = this.#deps;
    const isOurs = this.#outcomeUnknown.has(JSON.stringify(payload));
    // mutant: successor-overwritten && -> false
    if (!isOurs && !(await lease.confirm())) throw new TransientError(`shard ${shard} is another host's by now`);
    if (sequence <= this.#sequence) return;
    this.#sequence = sequence;
    this.#revision += 1;
    const theirs = isOurs ? undefined : parseJournal(payload);
    if (theirs === undefined) return;
    for (const [key, { inDoubtUntil, intents }] of this.#leftIn(theirs)) {
      if (inDoubtUntil <= clock.now()) continue;
      const ours = this.#entry(key);
      this.#late.set(key, inDoubtUntil);
      this.#listed.set(key, {
        inDoubtUntil: Math.max(inDoubtUntil, ours.inDoubtUntil),
        intents: [...intents, ...ours.intents],
      });
    }
  }

  /** Number of remembered lists that the bus may have stored. */
  get unknownLists(): number {
    return this.#outcomeUnknown.size;
  }

  /** Time until which an actor's request may still take effect; 0 if there is none. */
  at(key: string): number {
    // mutant: underway-never-waits return -> 0
    return this.#entry(key).inDoubtUntil;
  }

  /** Intents of an actor's unrecorded requests, the latest last (CREATE-JOURNAL-6). */
  intents(key: string): readonly JsonObject[] {
    return this.#entry(key).intents;
  }

  /** Discards the intents of an actor: their results are not its own. */
  discardIntents(key: string): void {
    this.#restore(key, { ...this.#entry(key), intents: [] });
    this.#tidyLater();
  }

  /**
   * Makes a call that must not be made twice (CREATE-JOURNAL-1, CREATE-JOURNAL-2).
   *
   * @param inDoubtUntil  by when what it asks for is done, if ever: milliseconds since the epoch
   * @param intent  by what it is known again, whatever the object says then
   * @throws {TransientError} the shard was closed, nothing was sent; or what the call throws
   */
  run<Output>(key: string, inDoubtUntil: number, call: () => Promise<Output>, intent?: JsonObject): Promise<Output> {
    const running = this.#run(key, inDoubtUntil, call, intent);
    this.#running.add(running);
    const end = (): boolean => this.#running.delete(running);
    running.then(end, end);
    return running;
  }

  /** Resolves when the bus has acknowledged a list with this. @throws {TransientError} the shard was closed */
  add(key: string, inDoubtUntil: number, intent?: JsonObject): Promise<void> {
    if (this.#state !== 'begun') return Promise.reject(notOpen());
    this.#put(key, inDoubtUntil, intent);
    const waiter = Promise.withResolvers<void>();
    this.#waiting.push(waiter);
    this.#publish();
    return waiter.promise;
  }

  /** Begins nothing more, waits for the calls under way, and leaves a list of what may still land. Never rejects. */
  async close(): Promise<void> {
    const { clock, onTrouble, shard } = this.#deps;
    const hasBegun = this.#state === 'begun';
    this.#state = 'closed';
    if (this.#tidying !== undefined) clock.clearTimeout(this.#tidying.timer);
    for (const { reject } of this.#waiting.splice(0)) reject(notOpen());
    await Promise.allSettled(this.#running);
    await this.#publishing;
    if (!hasBegun || this.#isStored) return;
    try {
      await this.#store();
    } catch (error) {
      // A successor waits for what is listed needlessly, and not for long.
      onTrouble(`what was under way in shard ${shard} stays listed: ${toErrorData(error).message}`);
    }
  }

  async #run<Output>(
    key: string,
    inDoubtUntil: number,
    call: () => Promise<Output>,
    intent: JsonObject | undefined,
  ): Promise<Output> {
    // JournalEntry that another call of the same actor left.
    let before = this.#entry(key);
    let isSent = false;
    try {
      // mutant: underway-listed-later await -> void $1
      await this.add(key, inDoubtUntil, intent);
      const late = this.#late.get(key) ?? 0;
      // mutant: late-predecessor-ignored if -> false
      if (late > this.#deps.clock.now()) {
        before = { inDoubtUntil: Math.max(late, before.inDoubtUntil), intents: this.intents(key) };
        throw new TransientError('an earlier host of the shard has asked for the same', { inDoubtUntil: late });
      }
      isSent = true;
      const output = await call();
      // This call is answered and not recorded yet; an earlier call without a response may still take effect.
      // mutant: underway-forgets-answered {} -> $1.1
      this.#restore(key, { ...before, intents: this.intents(key) });
      this.#tidyLater();
      return output;
    } catch (error) {
      const stillInDoubtUntil = isSent ? landsAfter(error, inDoubtUntil) : undefined;
      if (stillInDoubtUntil !== undefined) this.#put(key, stillInDoubtUntil);
      else this.#restore(key, isSent && mayBeDone(error) ? { ...before, intents: this.intents(key) } : before);
      this.#tidyLater();
      throw stillInDoubtUntil === undefined ? error : landing(error, stillInDoubtUntil);
    }
  }

  #entry(key: string): JournalEntry {
    return this.#listed.get(key) ?? NOTHING;
  }

  /** A call that was refused, or never sent, leaves what was there. */
  #restore(key: string, entry: JournalEntry): void {
    const now = this.#entry(key);
    if (!this.#isToKeep(key, entry)) {
      if (this.#listed.delete(key)) this.#revision += 1;
    } else if (now.inDoubtUntil !== entry.inDoubtUntil || now.intents !== entry.intents) {
      this.#listed.set(key, entry);
      this.#revision += 1;
    }
  }

  /** An actor that starts another request has verified that no earlier one can still take effect. */
  #put(key: string, inDoubtUntil: number, intent?: JsonObject): void {
    const before = this.#entry(key);
    if (inDoubtUntil <= before.inDoubtUntil && intent === undefined) return;
    const isOver = before.inDoubtUntil <= this.#deps.clock.now();
    const isKept = intent !== undefined && this.#hasRoomFor(intent);
    const intents = intent !== undefined && isOver ? [] : before.intents;
    this.#listed.set(key, {
      inDoubtUntil: Math.max(inDoubtUntil, before.inDoubtUntil),
      intents: isKept ? [...intents, intent] : intents,
    });
    this.#revision += 1;
  }

  #hasRoomFor(intent: JsonObject): boolean {
    let count = 0;
    for (const { intents } of this.#listed.values()) count += intents.length;
    return count < MOST_INTENTS && JSON.stringify(intent).length <= INTENT_LENGTH;
  }

  /** It may land, or have landed without being recorded. */
  #isToKeep(key: string, { inDoubtUntil, intents }: JournalEntry, now = this.#deps.clock.now()): boolean {
    if (inDoubtUntil > now) return true;
    const actor = intents.length > 0 ? this.#deps.actor(key) : undefined;
    return actor !== undefined && mayHaveUnrecordedCreate(actor);
  }

  get #isStored(): boolean {
    return this.#storedRevision === this.#revision;
  }

  #publish(): void {
    if (this.#state === 'begun') this.#publishing ??= this.#publishAll();
  }

  async #publishAll(): Promise<void> {
    const { clock, onTrouble, shard } = this.#deps;
    let isStored: boolean;
    do {
      isStored = false;
      // Requests of the same event-loop turn are published together.
      await undefined;
      const waiting = this.#waiting.splice(0);
      try {
        isStored = await this.#store();
        this.#troubled = false;
      } catch (error) {
        if (!this.#troubled)
          onTrouble(`what is under way in shard ${shard} cannot be listed: ${toErrorData(error).message}`);
        this.#troubled = true;
      }
      if (!this.#isBegun) for (const { reject } of waiting) reject(notOpen());
      else if (isStored) for (const { resolve } of waiting) resolve();
      else this.#waiting.unshift(...waiting);
      if (this.#isBegun && this.#troubled) await clock.sleep(PAUSE_MS);
    } while (this.#isBegun && (this.#waiting.length > 0 || !isStored));
    this.#publishing = undefined;
    this.#tidyLater();
  }

  get #isBegun(): boolean {
    return this.#state === 'begun';
  }

  /** Publishes the current list. @returns false: another writer was faster; the next attempt replaces its list */
  async #store(): Promise<boolean> {
    const { mailbox, clock, lease } = this.#deps;
    const now = clock.now();
    // mutant: underway-after-lease drop
    if (now >= lease.endsAt()) throw new TransientError('the lease has ended');
    // mutant: underway-of-another-epoch drop
    if (mailbox.epoch().id !== this.#epoch) throw new TransientError('the mailbox is another one now');
    for (const [key, entry] of this.#listed) if (!this.#isToKeep(key, entry, now)) this.#listed.delete(key);
    for (const [key, until] of this.#late) if (until <= now) this.#late.delete(key);
    const revision = this.#revision;
    const payload = journalPayload({ list: this.#listed, writtenAt: now });
    const text = JSON.stringify(payload);
    this.#outcomeUnknown.add(text);
    // mutant: unknown-lists-pile-up if -> false
    if (this.#outcomeUnknown.size > MOST_UNKNOWN)
      this.#outcomeUnknown.delete(this.#outcomeUnknown.values().next().value as string);
    const publication = await mailbox.publish(this.#subject, payload, this.#sequence);
    if (publication.kind === 'stale') {
      this.#outcomeUnknown.delete(text);
      const last = await mailbox.last(this.#subject);
      if (last === undefined) this.#sequence = 0;
      else await this.#takeIn(last.payload, last.sequence);
      return false;
    }
    this.#outcomeUnknown.clear();
    this.#sequence = publication.sequence;
    this.#storedRevision = revision;
    return true;
  }

  /** Sees to it that what is listed needlessly is taken off, at once or when it can land no more. */
  #tidyLater(): void {
    if (!this.#isBegun || this.#publishing !== undefined || (this.#isStored && this.#listed.size === 0)) return;
    const { clock, lateEffectMs } = this.#deps;
    const now = clock.now();
    const soonAt = now + TIDY_MS;
    if (this.#tidying !== undefined && (this.#isStored || this.#tidying.at <= soonAt)) return;
    if (this.#tidying !== undefined) clock.clearTimeout(this.#tidying.timer);
    // Answered and unrecorded requests are rare, and need no hurry.
    const ends = [...this.#listed.values()].map(({ inDoubtUntil }) =>
      inDoubtUntil > now ? inDoubtUntil : now + lateEffectMs,
    );
    const at = this.#isStored ? Math.max(soonAt, Math.min(...ends)) : soonAt;
    const tidy = (): void => {
      this.#tidying = undefined;
      const isOver = [...this.#listed].some(([key, entry]) => !this.#isToKeep(key, entry));
      if (isOver || !this.#isStored) this.#publish();
      else this.#tidyLater();
    };
    this.#tidying = { timer: clock.setTimeout(tidy, at - now), at };
  }
}

/** Whether an earlier lifecycle of the object may have started something; true, too, if the code of its kind fails (I11). */
function mayHaveUnrecordedCreate(actor: Pick<ObjectActor, 'incarnation'>): boolean {
  const { kind, object } = actor.incarnation() ?? {};
  if (kind === undefined || object === undefined) return false;
  try {
    return kind.life.mayHaveUnrecordedCreate(object);
  } catch {
    return true;
  }
}

function notOpen(): TransientError {
  return new TransientError('the shard was given up before what was to begin had been listed');
}
