// Clock of tests on fakes: time stands still while anything is being done, and jumps to the next timer when nothing is.
//
// Everything of such a test happens in one process: sources, fakes, and what runs between them through loopback sockets,
// files and threads of the pool. So a slow machine makes the test slow, and changes nothing else.
//
// Invariants:
//   TEST-CLOCK-1. No timer fires while a promise reaction, an immediate, an I/O event or a request of the thread pool is pending.
//            Node lists no jobs of crypto and zlib (scrypt, gunzip): what waits for one is not for this clock.
//   TEST-CLOCK-2. Timers fire in the order of their instants, those of one instant in the order in which they were set.
//   TEST-CLOCK-3. A long jump over idle sockets is made only after a moment of real time, in which the kernel may deliver.
//   TEST-CLOCK-4. A clock that was stopped fires nothing.
//   TEST-CLOCK-5. No timer fires while other processes are at work that the test waits for (`standsDuring`).
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../bus/mod.ts';
import { systemClock } from '../base/clock.ts';
import { ProcessClock, SimulatedTime } from './time.ts';

/** Turns of the event loop without an I/O event after which the process counts as idle. */
const QUIET_TURNS = 2;
/** A caller that sets one immediate after another, and nothing else, for this many tasks waits for a timer. */
const POLLS = 200;
/** A jump of this many milliseconds may make a deadline pass. */
const LONG_JUMP_MS = 500;
/** Real time in which the kernel delivers what was written to a loopback socket, in milliseconds. */
const DELIVERY_MS = 3;
/** Of `process.getActiveResourcesInfo()`: handles that may stay open without anything being under way. */
const IDLE_HANDLES = new Set([
  'MessagePort',
  'PipeWrap',
  'ProcessWrap',
  'SignalWrap',
  'TCPServerWrap',
  'TCPSocketWrap',
  'TTYWrap',
  'Timeout',
  'UDPWrap',
  'Worker',
]);
const SOCKETS = new Set(['PipeWrap', 'TCPSocketWrap']);

const running = new Set<SimulatedClock>();

/** Stops all clocks of this process; what they had to fire never happens. @returns how many timers were left */
export function stopClocks(): number {
  let left = 0;
  for (const clock of running) {
    left += clock.armed;
    clock.stop();
  }
  return left;
}

/** Clock of simulated time: it moves on as soon as nothing is left to do at an instant. */
export class SimulatedClock extends ProcessClock {
  readonly #time: SimulatedTime;
  #isStopped = false;
  #isPumping = false;
  /** Works of other processes that time stands still for, and the continuation after the last of them. */
  #works = 0;
  #onIdle: (() => void) | undefined;

  /** @param options.seed  of the random source */
  constructor({ seed = 1 }: { readonly seed?: number } = {}) {
    // Certificates that are made at this time are judged by the real one.
    const time = new SimulatedTime(Math.floor(systemClock().now() / 1_000) * 1_000);
    super(time, seed);
    this.#time = time;
    running.add(this);
  }

  /** Timers that have not fired. */
  get armed(): number {
    return this.#time.armed;
  }

  /** Milliseconds since the clock was made. */
  elapsed(): number {
    return this.#time.elapsed();
  }

  /** Time passes in which the process computes: what is due meanwhile is late. */
  spend(durationMs: number): void {
    this.#time.spend(durationMs);
  }

  /** Resolves when everything that needs no time has happened. */
  settle(): Promise<void> {
    return this.sleep(0);
  }

  /** Time stands still until `work`, of another process, has ended: a command may ask servers of this process. */
  async standsDuring<T>(work: Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      return await work;
    } finally {
      this.#works -= 1;
      if (this.#works === 0) this.#onIdle?.();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#onIdle?.();
    running.delete(this);
    this.end();
  }

  override setTimeout(run: () => void, delayMs: number): ReturnType<ProcessClock['setTimeout']> {
    const timer = super.setTimeout(run, delayMs);
    if (!this.#isPumping && !this.#isStopped) {
      this.#isPumping = true;
      setImmediate(() => void this.#pump());
    }
    return timer;
  }

  async #pump(): Promise<void> {
    while (!this.#isStopped) {
      await idle();
      if (this.#works > 0 && !this.#isStopped) {
        await new Promise<void>((resolve) => {
          this.#onIdle = resolve;
        });
        continue;
      }
      const nextAt = this.#time.nextAt();
      if (nextAt === undefined) break;
      if (nextAt - this.#time.now() >= LONG_JUMP_MS && hasSockets()) {
        await new Promise((resolve) => setTimeout(resolve, DELIVERY_MS));
        await idle();
      }
      if (!this.#isStopped && this.#works === 0) await this.#time.step(Number.POSITIVE_INFINITY);
    }
    this.#isPumping = false;
  }
}

/** The clock of one test file, or of one world. */
export function simulatedClock(options: { readonly seed?: number } = {}): SimulatedClock {
  return new SimulatedClock(options);
}

/** Awaits another process; if the clock is a simulated one, it stands still meanwhile. */
export function standsDuring<T>(clock: Clock, work: Promise<T>): Promise<T> {
  return clock instanceof SimulatedClock ? clock.standsDuring(work) : work;
}

/** Resolves when the process has nothing to do but to wait for timers. */
async function idle(): Promise<void> {
  for (let quiet = 0, polls = 0, before = events(); quiet < QUIET_TURNS; ) {
    await turn();
    const now = events();
    const work = now === before ? pending() : 'work';
    polls = work === 'immediates' ? polls + 1 : 0;
    quiet = work === 'nothing' || polls > POLLS ? quiet + 1 : 0;
    before = now;
  }
}

/** I/O events that the event loop has handled so far. */
function events(): number {
  return performance.nodeTiming.uvMetricsInfo.events;
}

/** Immediates of clocks that check whether the process is idle: they keep it not busy. */
let looking = 0;

/** A turn of the event loop. */
function turn(): Promise<void> {
  looking += 1;
  return new Promise((resolve) =>
    setImmediate(() => {
      looking -= 1;
      resolve();
    }),
  );
}

function pending(): 'nothing' | 'immediates' | 'work' {
  const open = process.getActiveResourcesInfo().filter((name) => !IDLE_HANDLES.has(name));
  if (open.some((name) => name !== 'Immediate')) return 'work';
  return open.length > looking ? 'immediates' : 'nothing';
}

function hasSockets(): boolean {
  return process.getActiveResourcesInfo().some((name) => SOCKETS.has(name));
}
