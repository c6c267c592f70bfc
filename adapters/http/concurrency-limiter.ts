// Concurrency limiter for the calls to one external system, fair between namespaces and objects.
//
// Invariants:
//   HTTP-CONCURRENCY-LIMITER-1. Never more than `slots` holders; where several namespaces use the system, one of them leaves some slots to the others.
//   HTTP-CONCURRENCY-LIMITER-2. Slots are always shared round-robin by namespace, then by object; the calls of one
//       object are served in FIFO order.
//   HTTP-CONCURRENCY-LIMITER-3. No call is admitted while its namespace is paused. A call that cannot be admitted
//       before its deadline is rejected immediately.
//   HTTP-CONCURRENCY-LIMITER-4. An authentication is admitted before other calls, as all of them need it.
//       Authentications hold only a part of the slots, and alternate with other calls if that part is all slots.
//   HTTP-CONCURRENCY-LIMITER-5. No call is admitted with less time left than such calls take, unless no other call is
//       running: then it is sent, to measure again.
import { type TransientError, UnsentError } from '../../bus/errors.ts';
import type { Clock, Timer } from '../../bus/time.ts';
import type { CallLoad } from '../api/adapter.ts';

export interface LimiterRequest {
  readonly namespace: string;
  /** Whatever tells the objects of a namespace apart. */
  readonly object: string;
  /** Kind of call for which durations are measured: the method. */
  readonly kind: string;
  readonly deadlineAt: number;
  /** `first`: before all who wait already. */
  readonly turn?: 'first' | 'last';
}

/** A slot that is held. */
export interface Entry {
  /** Gives the slot back. Call it once. @param answered  whether the time it took is what such calls take */
  leave(answered?: 'answered' | 'outcomeUnknown'): void;
}

interface Waiter {
  readonly entrant: LimiterRequest;
  readonly timer: Timer;
  readonly enter: () => void;
  readonly refuse: (error: TransientError) => void;
  hasLeft: boolean;
}

interface Lane {
  readonly waiting: Map<string, Waiter[]>;
  held: number;
  pausedUntil: number;
  seenAt: number;
}

/** A lane that was not used for so long reserves nothing, in milliseconds. */
const LANE_IDLE_MS = 600_000;
/** Part of the slots that authentications may hold, and that one namespace of several may not. */
const FIRST_PART = 1 / 4;
const OTHERS_PART = 1 / 8;

/** Others had all slots until it was too late for the call: nothing was sent. */
export class QueueTimeoutError extends UnsentError {
  override name = 'QueueTimeoutError';
}

export class ConcurrencyLimiter {
  readonly #clock: Clock;
  readonly #name: string;
  #slots = 1;
  #firstSlots = 1;
  #sharedSlots = 1;
  readonly #times = new CallTimes();
  /** Queues by namespace; the next one to be served comes first. */
  readonly #lanes = new Map<string, Lane>();
  /** Authentications, by namespace. */
  readonly #firsts = new Map<string, Waiter[]>();
  #held = 0;
  #heldFirst = 0;
  #wasFirst = false;
  #resume: { readonly timer: Timer; readonly at: number } | undefined;

  /** @param deps.name  of the system, for people: `the cloud` */
  constructor({ clock, slots, name }: { clock: Clock; slots: number; name: string }) {
    this.#clock = clock;
    this.#name = name;
    this.resize(slots);
  }

  /**
   * Sets the number of slots. Running calls keep theirs: if there are fewer slots now, no call is admitted until enough
   * have ended.
   */
  resize(slots: number): void {
    this.#slots = slots;
    this.#firstSlots = Math.max(1, Math.floor(slots * FIRST_PART));
    this.#sharedSlots = slots < 4 ? slots : slots - Math.max(1, Math.floor(slots * OTHERS_PART));
    this.#admit();
  }

  get load(): CallLoad {
    let waiting = lengthOf(this.#firsts);
    for (const lane of this.#lanes.values()) waiting += lengthOf(lane.waiting);
    return { underWay: this.#held, waiting, limit: this.#slots };
  }

  /** When the gate was used last; undefined: it is in use. */
  get idleSince(): number | undefined {
    if (this.#held > 0 || this.#firsts.size > 0) return undefined;
    let last = 0;
    for (const { waiting, seenAt } of this.#lanes.values()) {
      if (waiting.size > 0) return undefined;
      last = Math.max(last, seenAt);
    }
    return last;
  }

  /**
   * Waits for a slot.
   *
   * @throws {UnsentError} the gate is paused beyond the deadline, no slot was free until then, or too late
   */
  enter(entrant: LimiterRequest): Promise<Entry> {
    const now = this.#clock.now();
    const lane = this.#laneOf(entrant.namespace, now);
    const { pausedUntil } = lane;
    if (pausedUntil >= entrant.deadlineAt && pausedUntil > now) {
      const retryAfterMs = Math.ceil(pausedUntil - now);
      return Promise.reject(
        new UnsentError(`${this.#name} answered with Retry-After; pausing its requests`, { retryAfterMs }),
      );
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        entrant,
        enter: () => {
          this.#clock.clearTimeout(waiter.timer);
          resolve(this.#entryOf(entrant, lane));
        },
        refuse: (error) => {
          this.#clock.clearTimeout(waiter.timer);
          reject(error);
        },
        timer: this.#clock.setTimeout(() => this.#giveUp(waiter), Math.max(0, entrant.deadlineAt - now)),
        hasLeft: false,
      };
      if (entrant.turn === 'first') push(this.#firsts, entrant.namespace, waiter);
      else push(lane.waiting, entrant.object, waiter);
      this.#admit();
    });
  }

  /** Admits no call of a namespace for this time, or longer if a longer pause is set already. */
  pause(pauseMs: number, namespace: string): void {
    const now = this.#clock.now();
    const until = now + pauseMs;
    const lane = this.#laneOf(namespace, now);
    // mutant: gate-shorter-pause drop
    if (until <= lane.pausedUntil) return;
    lane.pausedUntil = until;
    this.#resumeAt(until, pauseMs);
  }

  /** Forgets the pauses, so that no timer is left. */
  close(): void {
    if (this.#resume !== undefined) this.#clock.clearTimeout(this.#resume.timer);
    this.#resume = undefined;
  }

  /** One timer, for the pause that ends first. */
  #resumeAt(at: number, delayMs: number): void {
    if (this.#resume !== undefined && this.#resume.at <= at) return;
    if (this.#resume !== undefined) this.#clock.clearTimeout(this.#resume.timer);
    const timer = this.#clock.setTimeout(() => {
      this.#resume = undefined;
      this.#endPauses(at);
      this.#admit();
    }, delayMs);
    this.#resume = { timer, at };
  }

  /** The timer says that the time has come, even where the clock lags behind it by a fraction. */
  #endPauses(at: number): void {
    let next = 0;
    for (const lane of this.#lanes.values()) {
      if (lane.pausedUntil <= at) lane.pausedUntil = 0;
      else next = next === 0 ? lane.pausedUntil : Math.min(next, lane.pausedUntil);
    }
    if (next > 0) this.#resumeAt(next, Math.max(0, next - this.#clock.now()));
  }

  #laneOf(namespace: string, now: number): Lane {
    let lane = this.#lanes.get(namespace);
    if (lane === undefined) {
      this.#forgetIdle(now);
      lane = { waiting: new Map(), held: 0, pausedUntil: 0, seenAt: now };
      this.#lanes.set(namespace, lane);
    }
    lane.seenAt = now;
    return lane;
  }

  #forgetIdle(now: number): void {
    for (const [namespace, lane] of this.#lanes) {
      const isUsed = lane.held > 0 || lane.waiting.size > 0 || lane.pausedUntil > now || this.#firsts.has(namespace);
      if (!isUsed && now - lane.seenAt > LANE_IDLE_MS) this.#lanes.delete(namespace);
    }
  }

  #entryOf({ turn, kind }: LimiterRequest, lane: Lane): Entry {
    const enteredAt = this.#clock.now();
    return {
      leave: (answered = 'answered') => {
        const now = this.#clock.now();
        if (answered === 'answered') this.#times.add(kind, now - enteredAt);
        lane.seenAt = now;
        this.#held--;
        lane.held--;
        if (turn === 'first') this.#heldFirst--;
        this.#admit();
      },
    };
  }

  #admit(): void {
    while (this.#held < this.#slots) {
      const now = this.#clock.now();
      const waiter = this.#nextFirst() ?? this.#nextOf(now) ?? this.#nextFirst('only');
      if (waiter === undefined) return;
      const { entrant } = waiter;
      waiter.hasLeft = true;
      // An idle limiter admits any call: otherwise it would not measure that calls have become faster.
      // mutant: gate-late-calls <.2 -> 0
      if (this.#held > 0 && entrant.deadlineAt - now < this.#times.expectedMs(entrant.kind)) {
        waiter.refuse(new QueueTimeoutError(`${this.#name} was too busy to answer the call before its deadline`));
        continue;
      }
      const isFirst = entrant.turn === 'first';
      this.#wasFirst = isFirst;
      this.#held++;
      this.#laneOf(entrant.namespace, now).held++;
      if (isFirst) this.#heldFirst++;
      waiter.enter();
    }
  }

  /** @param wanted  `only`: no other call can be admitted */
  #nextFirst(wanted?: 'only'): Waiter | undefined {
    // mutant: gate-authentications if -> $1
    if (this.#firsts.size === 0 || this.#heldFirst >= this.#firstSlots) return undefined;
    if (wanted === undefined && this.#wasFirst && this.#slots < 1 / FIRST_PART) return undefined;
    for (const namespace of this.#firsts.keys()) return takeFrom(this.#firsts, namespace);
    return undefined;
  }

  #nextOf(now: number): Waiter | undefined {
    // mutant: gate-shared-slots ?: -> $3
    const most = this.#lanes.size > 1 ? this.#sharedSlots : this.#slots;
    for (const [namespace, lane] of this.#lanes) {
      // mutant: gate-paused-lane ||.3 drop
      if (lane.waiting.size === 0 || lane.held >= most || now < lane.pausedUntil) continue;
      // mutant: gate-most-first drop
      this.#lanes.delete(namespace);
      // mutant: gate-most-first drop
      this.#lanes.set(namespace, lane);
      for (const object of lane.waiting.keys()) return takeFrom(lane.waiting, object);
    }
    return undefined;
  }

  #giveUp(waiter: Waiter): void {
    if (waiter.hasLeft) return;
    waiter.hasLeft = true;
    const { namespace, object, turn } = waiter.entrant;
    if (turn === 'first') drop(this.#firsts, namespace, waiter);
    else drop(this.#laneOf(namespace, this.#clock.now()).waiting, object, waiter);
    waiter.refuse(new QueueTimeoutError(`${this.#name} was too busy to take the call before its deadline`));
  }
}

type Queues = Map<string, Waiter[]>;

function lengthOf(queues: Queues): number {
  let length = 0;
  for (const queue of queues.values()) length += queue.length;
  return length;
}

function push(queues: Queues, key: string, waiter: Waiter): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, [waiter]);
  else queue.push(waiter);
}

/** The first of a queue, which then comes last of all. */
function takeFrom(queues: Queues, key: string): Waiter | undefined {
  const [waiter, ...others] = queues.get(key) ?? [];
  queues.delete(key);
  if (others.length > 0) queues.set(key, others);
  return waiter;
}

function drop(queues: Queues, key: string, waiter: Waiter): void {
  const others = (queues.get(key) ?? []).filter((other) => other !== waiter);
  if (others.length === 0) queues.delete(key);
  else queues.set(key, others);
}

/** Weight of the newest call in the average. */
const NEWEST = 0.1;
/** No expectation is longer: one slow afternoon is no reason to send nothing, in milliseconds. */
const LONGEST_MS = 2_000;

export class CallTimes {
  readonly #averages = new Map<string, number>();

  add(kind: string, tookMs: number): void {
    const average = this.#averages.get(kind);
    this.#averages.set(kind, average === undefined ? tookMs : average + NEWEST * (tookMs - average));
  }

  /** 0 as long as nothing is known. */
  expectedMs(kind: string): number {
    return Math.min(this.#averages.get(kind) ?? 0, LONGEST_MS);
  }
}
