// Bounds how many operations are under way at a time; whoever comes later waits, first come, first served.

export class Window {
  #free: number;
  #waiting: (() => void)[] = [];
  /** Of those in `#waiting`, how many have gone: taking from the front of a long array is dear. */
  #gone = 0;

  constructor(size: number) {
    this.#free = size;
  }

  async run<Output>(operation: () => Promise<Output>): Promise<Output> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await operation();
    } finally {
      const next = this.#waiting[this.#gone];
      if (next === undefined) this.#free++;
      else {
        this.#gone++;
        next();
      }
      if (this.#gone === this.#waiting.length) {
        this.#waiting = [];
        this.#gone = 0;
      }
    }
  }
}
