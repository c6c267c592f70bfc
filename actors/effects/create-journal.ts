// What a shard has asked the outside world for and must not ask for twice: known to whoever hosts the shard next, one last
// value on the bus, `{address: inDoubtUntil}`, by what each is known again (its intent), and when that was written (P13).
//
// Invariants:
//   CREATE-JOURNAL-1. Nothing is sent before the bus has acknowledged a list that names it, with the time by which it lands if at all.
//   CREATE-JOURNAL-2. It stays on the list until it is answered for, or that time has passed; an answer that proves nothing keeps it there.
//   CREATE-JOURNAL-3. What a predecessor listed stays on the list, as it may end with this host, too; for no longer from now than it had
//       left when it was written, however far the other clock was ahead. Without a list in this epoch of the mailbox,
//       whatever may have been begun is put on it (`begin`), and counts for the hosts after this one.
//   CREATE-JOURNAL-4. Published by compare, one publication at a time, and never after the end of the lease (P9). A list that somebody else wrote is not
//       replaced before the bus has confirmed the lease, as the clock here may lag: it may be the successor's. If it is that of a
//       predecessor, which was late, what it names may be under way, and stays on the list; nothing is sent for it meanwhile (CREATE-JOURNAL-3).
//   CREATE-JOURNAL-5. What is begun while a publication is under way goes out together in the next; what is taken off goes out with it,
//       or after a while.
//   CREATE-JOURNAL-6. An intent stays until the object has recorded what came of it, or is gone, or begins something else: by then its own
//       look-ups, by what the object says now, may find nothing of it.
import {
  type Clock,
  type Json,
  type JsonObject,
  type Lease,
  type Mailbox,
  type ShardSubject,
  type Timer,
  TransientError,
  TroupeError,
  toErrorData,
  UnknownOutcomeError,
} from '../../bus/mod.ts';
import type { ObjectActor } from '../object/object-actor.ts';

export interface UnderwayDeps {
  readonly shard: number;
  readonly lease: Lease;
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  /** Longest time that a call may take, and for how long after its deadline it may still be done, in milliseconds. */
  readonly callMs: number;
  readonly lateEffectMs: number;
  /** Who lives in the shard under this key. */
  readonly actor: (key: string) => Pick<ObjectActor, 'incarnation'> | undefined;
  /** Told of the first failure of a series, for one line in the log. */
  readonly onTrouble: (message: string) => void;
}

interface Entry {
  /** Until when it may land, milliseconds since the epoch. */
  readonly inDoubtUntil: number;
  /** By what what was asked for is known again, the latest last. */
  readonly intents: readonly JsonObject[];
}

const NOTHING: Entry = { inDoubtUntil: 0, intents: [] };

interface Inherited {
  /** By the key of the actor. */
  readonly list: ReadonlyMap<string, Entry>;
  /** By the clock of who wrote it, as are the others. */
  readonly writtenAt: number;
}

/**
 * By so much at most, in milliseconds, the clocks of two hosts may differ: a list is read by another clock than it was
 * written by. A clock that is further behind its successor's lets it begin too early.
 */
export const CLOCK_SKEW_MS = 2_000;
/** What was answered for is taken off after so long, in milliseconds, if nothing else is published meanwhile. */
const TIDY_MS = 1_000;
/** Pause before a publication that failed is tried again, in milliseconds. */
const PAUSE_MS = 250;
/**
 * A longer intent is not kept, in characters of JSON, nor are more: the list of a shard is one message, and nobody whose objects are
 * in it may make that too large for all.
 */
const INTENT_LENGTH = 1_024;
const MOST_INTENTS = 512;

export class CreateJournal {
  readonly #deps: UnderwayDeps;
  readonly #subject: ShardSubject;
  /** Under another epoch the list is another host's, or nobody's (P11). */
  readonly #epoch: string;
  readonly #listed = new Map<string, Entry>();
  /** Until when what a predecessor listed late may land, by the key of the actor. */
  readonly #late = new Map<string, number>();
  /** Lists that were sent to the bus, and may be there: nobody has answered. */
  readonly #outcomeUnknown = new Set<string>();
  /** Grows with each change of the list; what the bus has is that of `#storedRevision`. */
  #revision = 0;
  #storedRevision = 0;
  #sequence = 0;
  /** As it was on the bus at the takeover. */
  #inherited: Inherited | undefined;
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
      this.#inherited = parseUnderway(payload);
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
   * @param actors  of the shard: should there be no list to tell, any of them may have begun something elsewhere
   */
  begin(actors: Iterable<Pick<ObjectActor, 'key' | 'incarnation'>>): void {
    const { clock, callMs, lateEffectMs } = this.#deps;
    const now = clock.now();
    this.#state = 'begun';
    if (this.#inherited === undefined) {
      // Whatever a predecessor began, it began before this.
      for (const actor of actors) {
        const held = actor.incarnation()?.kind?.life.inDoubtForMs ?? 0;
        // mutant: underway-held-unlisted-unwaited () -> $1
        const inDoubtUntil = now + Math.max(callMs + lateEffectMs, held);
        if (mayHaveUnrecordedCreate(actor)) this.#listed.set(actor.key, { inDoubtUntil, intents: [] });
      }
      this.#revision += 1;
      this.#publish();
      return;
    }
    for (const [key, entry] of this.#leftIn(this.#inherited)) {
      // mutant: underway-forgets-predecessor if -> !$
      if (this.#isToKeep(key, entry, now)) this.#listed.set(key, entry);
      else this.#revision += 1;
    }
    this.#inherited = undefined;
    this.#tidyLater();
  }

  /** What another host listed, by the clock here: for no longer from now than it had left when it was written (CREATE-JOURNAL-3). */
  #leftIn({ list, writtenAt }: Inherited): readonly (readonly [string, Entry])[] {
    const now = this.#deps.clock.now();
    return [...list].map(([key, { inDoubtUntil, intents }]) => {
      // mutant: clock-skew-ignored + -> $1
      // mutant: underway-long-landing-cut - -> now + this.#deps.callMs + this.#deps.lateEffectMs
      return [key, { inDoubtUntil: Math.min(inDoubtUntil + CLOCK_SKEW_MS, now + inDoubtUntil - writtenAt), intents }];
    });
  }

  /** Takes in a list that somebody wrote meanwhile (CREATE-JOURNAL-4). @throws {TransientError} it is the successor's, or nobody can tell */
  async #takeIn(payload: JsonObject, sequence: number): Promise<void> {
    const { lease, clock, shard } = this.#deps;
    const isOurs = this.#outcomeUnknown.has(JSON.stringify(payload));
    // mutant: successor-overwritten && -> false
    if (!isOurs && !(await lease.confirm())) throw new TransientError(`shard ${shard} is another host's by now`);
    if (sequence <= this.#sequence) return;
    this.#sequence = sequence;
    this.#revision += 1;
    const theirs = isOurs ? undefined : parseUnderway(payload);
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

  /** Until when something that was asked for on behalf of an actor may still be done; 0: nothing is known of any. */
  at(key: string): number {
    // mutant: underway-never-waits return -> 0
    return this.#entry(key).inDoubtUntil;
  }

  /** By what is known again what was asked for on behalf of an actor and is not recorded, the latest last (CREATE-JOURNAL-6). */
  intents(key: string): readonly JsonObject[] {
    return this.#entry(key).intents;
  }

  /** What the intents of an actor are of is none of its own. */
  disown(key: string): void {
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
    // What another call of the same actor left there.
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
      // It is answered for, and not recorded yet; what nobody answered before may still land.
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

  #entry(key: string): Entry {
    return this.#listed.get(key) ?? NOTHING;
  }

  /** A call that was refused, or never sent, leaves what was there. */
  #restore(key: string, entry: Entry): void {
    const now = this.#entry(key);
    if (!this.#isToKeep(key, entry)) {
      if (this.#listed.delete(key)) this.#revision += 1;
    } else if (now.inDoubtUntil !== entry.inDoubtUntil || now.intents !== entry.intents) {
      this.#listed.set(key, entry);
      this.#revision += 1;
    }
  }

  /** Whoever begins something else has found out that of what came before nothing can land any more. */
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
  #isToKeep(key: string, { inDoubtUntil, intents }: Entry, now = this.#deps.clock.now()): boolean {
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
      // What begins in the same turn goes out together.
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

  /** Publishes the list as it is now. @returns false: somebody wrote meanwhile; the next attempt replaces that */
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
    const payload = payloadOf(this.#listed, now);
    const text = JSON.stringify(payload);
    this.#outcomeUnknown.add(text);
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
    // What has landed and is not recorded is rare, and needs no hurry.
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

/**
 * By when a call that ended so may yet be done; undefined: it was refused, or never sent. Whoever says nothing of it, as
 * an adapter that broke down, may have sent it.
 */
function landsAfter(error: unknown, inDoubtUntil: number): number | undefined {
  // mutant: underway-drops-unanswered return -> undefined
  if (!(error instanceof TroupeError) || error instanceof UnknownOutcomeError) return inDoubtUntil;
  return error instanceof TransientError ? error.inDoubtUntil : undefined;
}

/** Whether what failed so may have been done by then, as by a foreign system that lost its way after it. */
export function mayBeDone(error: unknown): boolean {
  return toErrorData(error).code === 'transient';
}

/** Whether an earlier life of the object may have begun something. One whose code fails tells nothing (I11). */
function mayHaveUnrecordedCreate(actor: Pick<ObjectActor, 'incarnation'>): boolean {
  const { kind, object } = actor.incarnation() ?? {};
  if (kind === undefined || object === undefined) return false;
  try {
    return kind.life.mayHaveUnrecordedCreate(object);
  } catch {
    return true;
  }
}

/** The same, told to the life that sent it: it waits like whoever comes next (I4). */
function landing(error: unknown, inDoubtUntil: number): TransientError {
  if (error instanceof TransientError && error.inDoubtUntil === inDoubtUntil) return error;
  const { message, retryAfterMs } = toErrorData(error);
  return new TransientError(message, { cause: error, inDoubtUntil, retryAfterMs });
}

function notOpen(): TransientError {
  return new TransientError('the shard was given up before what was to begin had been listed');
}

function payloadOf(listed: ReadonlyMap<string, Entry>, writtenAt: number): JsonObject {
  const entries = [...listed];
  const intended = entries.filter(([, { intents }]) => intents.length > 0);
  return {
    inDoubtUntil: Object.fromEntries(entries.map(([key, { inDoubtUntil }]) => [key, inDoubtUntil])),
    ...(intended.length > 0 && { intents: Object.fromEntries(intended.map(([key, { intents }]) => [key, intents])) }),
    writtenAt,
  };
}

/** Undefined: it is no list that can be trusted. */
function parseUnderway({ inDoubtUntil, intents = {}, writtenAt }: JsonObject): Inherited | undefined {
  if (!isObject(inDoubtUntil) || !isObject(intents) || typeof writtenAt !== 'number') return undefined;
  const list = new Map<string, Entry>();
  for (const [key, until] of Object.entries(inDoubtUntil)) {
    const intended = Object.hasOwn(intents, key) ? intents[key] : [];
    if (typeof until !== 'number' || !Array.isArray(intended) || !intended.every(isObject)) return undefined;
    list.set(key, { inDoubtUntil: until, intents: intended });
  }
  return { list, writtenAt };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
