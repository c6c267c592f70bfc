// What a shard has asked the outside world for and must not ask for twice: known to whoever hosts the shard next, one last
// value on the bus, `{address: landsBy}` and when that was written (P13).
//
// Invariants:
//   U1. Nothing is sent before the bus has acknowledged a list that names it, with the time by which it lands if at all.
//   U2. It stays on the list until it is answered for, or that time has passed; an answer that proves nothing keeps it there.
//   U3. What a predecessor listed stays on the list, as it may end with this host, too; for no longer from now than it had
//       left when it was written, however far the other clock was ahead. Without a list in this epoch of the mailbox,
//       whatever may have been begun is put on it (`begin`), and counts for the hosts after this one.
//   U4. Published by compare, one publication at a time, and never after the end of the lease (P9): as only the holder of
//       the lease begins anything, its list is the whole truth, whatever somebody else had on its way.
//   U5. What is begun while a publication is under way goes out together in the next; what is taken off goes out with it,
//       or after a while.
import {
  type Clock,
  type JsonObject,
  type Lease,
  type Mailbox,
  type ShardSubject,
  type Timer,
  TransientError,
  TroupeError,
  toErrorData,
  UnansweredError,
} from '../../bus/mod.ts';
import type { ObjectActor } from '../object/object-actor.ts';

export interface UnderwayDeps {
  readonly shard: number;
  readonly lease: Lease;
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  /** Longest time that a call may take, and for how long after its deadline it may still be done, in milliseconds. */
  readonly callMs: number;
  readonly lateMs: number;
  /** Told of the first failure of a series, for one line in the log. */
  readonly onTrouble: (message: string) => void;
}

/** Until when each may land, milliseconds since the epoch, by the key of its actor. */
type List = ReadonlyMap<string, number>;

interface Inherited {
  readonly landsBy: List;
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

export class Underway {
  readonly #deps: UnderwayDeps;
  readonly #subject: ShardSubject;
  /** Under another epoch the list is another host's, or nobody's (P11). */
  readonly #epoch: string;
  readonly #listed = new Map<string, number>();
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
    this.#subject = { topic: 'underway', shard: deps.shard };
    this.#epoch = deps.mailbox.epoch().id;
  }

  /** The list on the bus, as the replay of the shard hands it over. Once this host has begun, the list is its own. */
  heard(payload: JsonObject, sequence: number): void {
    if (this.#state !== 'reading' || sequence <= this.#sequence) return;
    this.#sequence = sequence;
    this.#inherited = parseUnderway(payload);
  }

  /**
   * The replay is complete; nothing has begun here yet.
   *
   * @param actors  of the shard: should there be no list to tell, any of them may have begun something elsewhere
   */
  begin(actors: Iterable<Pick<ObjectActor, 'key' | 'incarnation'>>): void {
    const { clock, callMs, lateMs } = this.#deps;
    const now = clock.now();
    this.#state = 'begun';
    if (this.#inherited === undefined) {
      // Whatever a predecessor began, it began before this.
      for (const actor of actors) {
        const held = actor.incarnation()?.kind?.life.landsWithinMs ?? 0;
        if (mayHaveBegun(actor)) this.#listed.set(actor.key, now + Math.max(callMs + lateMs, held));
      }
      this.#revision += 1;
      this.#publish();
      return;
    }
    const { landsBy: list, writtenAt } = this.#inherited;
    for (const [key, landsBy] of list) {
      // It was written before this, too.
      const until = Math.min(landsBy + CLOCK_SKEW_MS, now + landsBy - writtenAt);
      if (until > now) this.#listed.set(key, until);
      else this.#revision += 1;
    }
    this.#inherited = undefined;
    this.#tidyLater();
  }

  /** Until when something that was asked for on behalf of an actor may still be done; 0: nothing is known of any. */
  at(key: string): number {
    return this.#listed.get(key) ?? 0;
  }

  /**
   * Makes a call that must not be made twice (U1, U2).
   *
   * @param landsBy  by when what it asks for is done, if ever: milliseconds since the epoch
   * @throws {TransientError} the shard was closed, nothing was sent; or what the call throws
   */
  run<Output>(key: string, landsBy: number, call: () => Promise<Output>): Promise<Output> {
    const running = this.#run(key, landsBy, call);
    this.#running.add(running);
    const end = (): boolean => this.#running.delete(running);
    running.then(end, end);
    return running;
  }

  /** Resolves when the bus has acknowledged a list with this. @throws {TransientError} the shard was closed */
  add(key: string, landsBy: number): Promise<void> {
    if (this.#state !== 'begun') return Promise.reject(notOpen());
    this.#put(key, landsBy);
    const waiter = Promise.withResolvers<void>();
    this.#waiting.push(waiter);
    this.#publish();
    return waiter.promise;
  }

  /** It was answered for: nothing can land any more. */
  settle(key: string): void {
    if (this.#listed.delete(key)) this.#revision += 1;
    this.#tidyLater();
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

  async #run<Output>(key: string, landsBy: number, call: () => Promise<Output>): Promise<Output> {
    // What another call of the same actor left there.
    const before = this.at(key);
    let isSent = false;
    try {
      await this.add(key, landsBy);
      isSent = true;
      const output = await call();
      // It is answered for; what nobody answered before may still land.
      this.#restore(key, before);
      this.#tidyLater();
      return output;
    } catch (error) {
      const landedBy = isSent ? landsAfter(error, landsBy) : undefined;
      if (landedBy === undefined) this.#restore(key, before);
      else this.#put(key, landedBy);
      this.#tidyLater();
      throw landedBy === undefined ? error : landing(error, landedBy);
    }
  }

  /** A call that was refused, or never sent, leaves what was there. */
  #restore(key: string, landsBy: number): void {
    if (landsBy <= this.#deps.clock.now()) this.settle(key);
    else if (this.at(key) !== landsBy) {
      this.#listed.set(key, landsBy);
      this.#revision += 1;
    }
  }

  #put(key: string, landsBy: number): void {
    if (landsBy <= this.at(key)) return;
    this.#listed.set(key, landsBy);
    this.#revision += 1;
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
    if (now >= lease.endsAt()) throw new TransientError('the lease has ended');
    if (mailbox.epoch().id !== this.#epoch) throw new TransientError('the mailbox is another one now');
    for (const [key, landsBy] of this.#listed) if (landsBy <= now) this.#listed.delete(key);
    const revision = this.#revision;
    const publication = await mailbox.publish(this.#subject, payloadOf(this.#listed, now), this.#sequence);
    if (publication.kind === 'stale') {
      this.#sequence = (await mailbox.last(this.#subject))?.sequence ?? 0;
      return false;
    }
    this.#sequence = publication.sequence;
    this.#storedRevision = revision;
    return true;
  }

  /** Sees to it that what is listed needlessly is taken off, at once or when it can land no more. */
  #tidyLater(): void {
    if (!this.#isBegun || this.#publishing !== undefined || (this.#isStored && this.#listed.size === 0)) return;
    const { clock } = this.#deps;
    const soonAt = clock.now() + TIDY_MS;
    if (this.#tidying !== undefined && (this.#isStored || this.#tidying.at <= soonAt)) return;
    if (this.#tidying !== undefined) clock.clearTimeout(this.#tidying.timer);
    const at = this.#isStored ? Math.max(soonAt, Math.min(...this.#listed.values())) : soonAt;
    const tidy = (): void => {
      this.#tidying = undefined;
      const now = clock.now();
      const isOver = [...this.#listed.values()].some((landsBy) => landsBy <= now);
      if (isOver || !this.#isStored) this.#publish();
      else this.#tidyLater();
    };
    this.#tidying = { timer: clock.setTimeout(tidy, at - clock.now()), at };
  }
}

/**
 * By when a call that ended so may yet be done; undefined: it was refused, or never sent. Whoever says nothing of it, as
 * an adapter that broke down, may have sent it.
 */
function landsAfter(error: unknown, landsBy: number): number | undefined {
  if (!(error instanceof TroupeError) || error instanceof UnansweredError) return landsBy;
  return error instanceof TransientError ? error.landedBy : undefined;
}

/** Whether an earlier life of the object may have begun something. One whose code fails tells nothing (I11). */
function mayHaveBegun(actor: Pick<ObjectActor, 'incarnation'>): boolean {
  const { kind, object } = actor.incarnation() ?? {};
  if (kind === undefined || object === undefined) return false;
  try {
    return kind.life.mayHaveBegun(object);
  } catch {
    return true;
  }
}

/** The same, told to the life that sent it: it waits like whoever comes next (I4). */
function landing(error: unknown, landedBy: number): TransientError {
  if (error instanceof TransientError && error.landedBy === landedBy) return error;
  const { message, retryAfterMs } = toErrorData(error);
  return new TransientError(message, { cause: error, landedBy, retryAfterMs });
}

function notOpen(): TransientError {
  return new TransientError('the shard was given up before what was to begin had been listed');
}

function payloadOf(listed: List, writtenAt: number): JsonObject {
  return { landsBy: Object.fromEntries(listed), writtenAt };
}

/** Undefined: it is no list that can be trusted. */
function parseUnderway({ landsBy, writtenAt }: JsonObject): Inherited | undefined {
  if (typeof landsBy !== 'object' || landsBy === null || Array.isArray(landsBy)) return undefined;
  const entries = Object.entries(landsBy as JsonObject);
  const isTime = (entry: [string, unknown]): entry is [string, number] => typeof entry[1] === 'number';
  if (typeof writtenAt !== 'number' || !entries.every(isTime)) return undefined;
  return { landsBy: new Map(entries), writtenAt };
}
