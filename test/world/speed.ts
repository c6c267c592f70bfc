// Speed of this machine, and limits on waiting that follow it: no limit of a run is a fixed time, so a slow or busy machine
// takes longer and is not red.
import type { Clock } from '../../bus/mod.ts';

/** A fixed amount of work, and how long the reference machine takes for it, in milliseconds. */
const ROUNDS = 3_000_000;
const REFERENCE_MS = 35;
/** Between two measurements of one wait, in milliseconds. */
const EVERY_MS = 1_000;
/** Between two looks, in milliseconds. */
const LOOK_EVERY_MS = 50;
/** Most that counts of the time between two looks, in milliseconds: the whole machine may have stood still. */
const LOOK_MS = 10_000;

let sink = 0;

function work(): void {
  for (let round = 0; round < ROUNDS; round++) sink = (sink * 31 + round) | 0;
}

/** @returns how many times as long as the reference machine this one takes for the same work right now, at least 1 */
export function slowness(clock: Pick<Clock, 'now'>): number {
  if (sink === 0) work(); // compiled from now on
  const beganAt = clock.now();
  work();
  return Math.max(1, (clock.now() - beganAt) / REFERENCE_MS);
}

/** A limit on waiting, in milliseconds of the reference machine: the slower this machine is, the less its time counts. */
export class Allowance {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #measure: () => number;
  #leftMs: number;
  #lookedAt: number;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #slowness = 1;

  /** @param measure  see `slowness` */
  constructor(clock: Pick<Clock, 'now'>, limitMs: number, measure = () => slowness(clock)) {
    this.#clock = clock;
    this.#measure = measure;
    this.#leftMs = limitMs;
    this.#lookedAt = clock.now();
  }

  /** Asked at each look at what is waited for. */
  canPassivate(): boolean {
    if (this.#clock.now() - this.#measuredAt >= EVERY_MS) {
      this.#slowness = this.#measure();
      this.#measuredAt = this.#clock.now();
    }
    const now = this.#clock.now();
    this.#leftMs -= Math.min(now - this.#lookedAt, LOOK_MS) / this.#slowness;
    this.#lookedAt = now;
    return this.#leftMs < 0;
  }
}

/** Waits until a look finds nothing wrong. @returns what is still wrong when the allowance is spent */
export async function settled(
  clock: Clock,
  limitMs: number,
  look: () => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> {
  const allowance = new Allowance(clock, limitMs);
  for (;;) {
    const wrong = await look();
    if (wrong.length === 0 || allowance.canPassivate()) return wrong;
    await clock.sleep(LOOK_EVERY_MS);
  }
}
