// The future work of a simulated Ironic. No timer runs: each request first does the work that is due.
import type { Clock } from '../../../bus/time.ts';

export interface Entry {
  readonly at: number;
  readonly run: () => void;
}

export class Agenda {
  readonly #clock: Pick<Clock, 'now'>;
  /** The next one last; of one instant, those entered first come first. */
  readonly #entries: Entry[] = [];
  #doing: number | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The present; of an entry that is being done, the instant for which it was entered. */
  now(): number {
    return this.#doing ?? this.#clock.now();
  }

  /** @param delayMs  Infinity: never */
  after(delayMs: number, run: () => void): Entry {
    const entry = { at: this.now() + delayMs, run };
    if (delayMs === Number.POSITIVE_INFINITY) return entry;
    let [from, to] = [0, this.#entries.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#entries[middle] as Entry).at > entry.at) from = middle + 1;
      else to = middle;
    }
    this.#entries.splice(from, 0, entry);
    return entry;
  }

  cancel(entry: Entry): void {
    const index = this.#entries.indexOf(entry);
    if (index >= 0) this.#entries.splice(index, 1);
  }

  /** When there is something to do next; undefined: never. */
  nextAt(): number | undefined {
    return this.#entries.at(-1)?.at;
  }

  /** Does all that is due, each as of its instant, and what follows from it. */
  proceed(): void {
    const now = this.#clock.now();
    for (;;) {
      const next = this.#entries.at(-1);
      if (next === undefined || next.at > now) return;
      this.#entries.pop();
      this.#doing = next.at;
      try {
        next.run();
      } finally {
        this.#doing = undefined;
      }
    }
  }
}
