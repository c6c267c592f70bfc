// Observed durations of calls to an external system. Pure.

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
