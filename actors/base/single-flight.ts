// Readings that many ask for at once and that must not be older than the question.

/** One reading under way. */
interface Reading<T> {
  readonly current: Promise<T>;
  /** For those who asked when the current one had begun. */
  next: Promise<T> | undefined;
}

/** Answers every question from a reading that began after it was asked; however many ask meanwhile share the next one. */
export class SingleFlight<T> {
  readonly #readings = new Map<string, Reading<T>>();

  /**
   * @param id  what is read: questions about the same share a reading
   * @returns of a reading that begins now, or as soon as the one that is under way has ended, however it ended
   */
  of(id: string, read: () => Promise<T>): Promise<T> {
    const begin = (): Promise<T> => {
      const reading: Reading<T> = { current: read(), next: undefined };
      this.#readings.set(id, reading);
      const end = (): void => {
        if (reading.next === undefined) this.#readings.delete(id);
      };
      reading.current.then(end, end);
      return reading.current;
    };
    const reading = this.#readings.get(id);
    if (reading === undefined) return begin();
    // mutant: readings-join-earlier -> return $1.2.0.1;
    reading.next ??= reading.current.then(begin, begin);
    return reading.next;
  }
}
