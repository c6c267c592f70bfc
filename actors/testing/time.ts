// Simulated time: timers in the order of their instants, one a step, with everything that follows at once between two.
//
// Invariants:
//   TEST-TIME-1. A step runs one timer; the next begins when no promise reaction is left to run. Nothing else moves the clock.
//   TEST-TIME-2. Timers of one instant run in the order in which they were set, so a history is a function of its seed.
//   TEST-TIME-3. A process that stands still runs no timer; when it continues, its overdue timers run in their order, late.

import type { Clock, Timer } from '../../bus/mod.ts';
import { mulberry32, timeBy } from '../base/clock.ts';

/** When histories begin, milliseconds since the epoch: a whole second. */
const BEGINNING = Date.UTC(2030, 0, 1);

interface Alarm extends Timer {
  readonly at: number;
  run: (() => void) | undefined;
}

/** One of this number of steps yields to the event loop: with a yield per step a history takes a tenth longer. */
const A_TURN = 8;

export class SimulatedTime {
  readonly #heap: Alarm[] = [];
  readonly #beganAt: number;
  #now: number;
  #lastId = 0;
  steps = 0;

  constructor(beganAt = BEGINNING) {
    this.#beganAt = beganAt;
    this.#now = beganAt;
  }

  now(): number {
    return this.#now;
  }

  /** Milliseconds since the history began. */
  elapsed(): number {
    return this.#now - this.#beganAt;
  }

  /** Timers that have neither fired nor been canceled. */
  get armed(): number {
    return this.#heap.filter(({ run }) => run !== undefined).length;
  }

  /** When the next timer is due; undefined: none is set. */
  nextAt(): number | undefined {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.run !== undefined) return next?.at;
      this.#pop();
    }
  }

  after(delayMs: number, run: () => void): Alarm {
    const alarm: Alarm = { id: ++this.#lastId, at: this.#now + Math.max(0, delayMs), run };
    if (delayMs !== Number.POSITIVE_INFINITY) this.#push(alarm);
    return alarm;
  }

  /** A process computes for so long: what is due meanwhile is late. */
  spend(durationMs: number): void {
    this.#now += durationMs;
  }

  cancel(alarm: Alarm): void {
    alarm.run = undefined;
  }

  /** Runs the next timer that is due by `untilAt`. @returns whether there was one */
  async step(untilAt: number): Promise<boolean> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > untilAt) return false;
      this.#pop();
      if (next.run === undefined) continue;
      this.#now = Math.max(this.#now, next.at);
      this.steps += 1;
      next.run();
      await (this.steps % A_TURN === 0 ? turned() : settled());
      return true;
    }
  }

  /** Runs all timers that are due within this many milliseconds. */
  async advance(durationMs: number): Promise<void> {
    const untilAt = this.#now + durationMs;
    while (await this.step(untilAt));
    this.#now = untilAt;
  }

  #push(alarm: Alarm): void {
    const heap = this.#heap;
    let index = heap.push(alarm) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(alarm, heap[parent] as Alarm)) break;
      heap[index] = heap[parent] as Alarm;
      index = parent;
    }
    heap[index] = alarm;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Alarm;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child = right < heap.length && isBefore(heap[right] as Alarm, heap[left] as Alarm) ? right : left;
      if (!isBefore(heap[child] as Alarm, last)) break;
      heap[index] = heap[child] as Alarm;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Alarm, other: Alarm): boolean {
  return one.at - other.at < 0 || (one.at === other.at && one.id < other.id);
}

/** Resolves after an iteration of the event loop, at the end of which Node reports promises that were rejected unhandled. */
function turned(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when no promise reaction is left: Node takes its next tick only then. No turn of the event loop is needed. */
function settled(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}

/** The clock of one process, which may stand still, or end. */
export class ProcessClock implements Clock {
  readonly random: () => number;
  readonly #time: SimulatedTime;
  #state: 'running' | 'standing' | 'ended' = 'running';
  /** Timers that came due while the process stood still. */
  #overdue: Alarm[] = [];
  /** For a process whose machine was suspended: how long in all, and since when it is; and the time on its clock. */
  #suspendedMs = 0;
  #suspendedAt: number | undefined;
  #reported: Pick<Clock, 'now' | 'steady'> | undefined;

  constructor(time: SimulatedTime, seed: number) {
    this.#time = time;
    this.random = mulberry32(seed);
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  now(): number {
    return (this.#reported ?? this.#time).now();
  }

  steady(): number {
    return this.#reported?.steady() ?? this.#time.now();
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    const alarm = this.#time.after(delayMs, () => {
      if (this.#state === 'running') return run();
      if (this.#state === 'ended') return;
      alarm.run = run;
      this.#overdue.push(alarm);
    });
    return alarm;
  }

  clearTimeout(timer: Timer): void {
    this.#time.cancel(timer as Alarm);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        signal?.removeEventListener('abort', finish);
        this.clearTimeout(timer);
        resolve();
      };
      const timer = this.setTimeout(finish, delayMs);
      signal?.addEventListener('abort', finish, { once: true });
    });
  }

  standStill(): void {
    if (this.#state === 'running') this.#state = 'standing';
  }

  /** Stands still, and does not know for how long but by the wall clock. */
  suspend(): void {
    if (this.#state !== 'running') return;
    const wall = (): number => this.#time.now();
    this.#reported ??= timeBy({ wall, even: () => this.#time.now() - this.#suspendedMs });
    this.standStill();
    this.#suspendedAt = this.#time.now();
  }

  goOn(): void {
    if (this.#state !== 'standing') return;
    this.#state = 'running';
    const suspendedAt = this.#suspendedAt;
    this.#suspendedMs += this.#time.now() - (suspendedAt ?? this.#time.now());
    this.#suspendedAt = undefined;
    const overdue = this.#overdue;
    this.#overdue = [];
    // Timers go by the even clock. Cleared meanwhile: it has nothing to run.
    for (const alarm of overdue)
      this.setTimeout(() => alarm.run?.(), suspendedAt === undefined ? 0 : alarm.at - suspendedAt);
  }

  end(): void {
    this.#state = 'ended';
    this.#overdue = [];
  }
}
