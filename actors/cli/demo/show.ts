// The parts of the demo as they are shown, and waiting for what the trace tells.
import type { Clock, TraceEvent } from '../../../bus/mod.ts';
import { type History, State } from './history.ts';
import type { LandscapeObject } from './landscape.ts';
import { openScreen, type Screen } from './screen.ts';
import { seconds } from './summary.ts';
import { countsOf, detailOf, type Ink, layout, treeOf } from './view.ts';

export interface ShowDeps {
  readonly history: History;
  readonly clock: Clock;
  readonly out: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** Whether `out` understands ANSI sequences; otherwise every change is a line. */
  readonly terminal: boolean;
  readonly ink: Ink;
}

export class Show {
  readonly #deps: ShowDeps;
  /** Called after each event of the trace. */
  readonly #listeners = new Set<() => void>();
  /** When the part that is running began; undefined while nothing is shown. */
  #beganAt: number | undefined;
  #screen: Screen | undefined;

  constructor(deps: ShowDeps) {
    this.#deps = deps;
  }

  say(line: string): void {
    this.#deps.out.write(`${line}\n`);
  }

  /** Begins a part: from now on these objects are drawn, or a line told for each change. @returns the instant */
  begin(heading: string, shown: readonly LandscapeObject[]): number {
    const { out, clock, terminal, history, ink } = this.#deps;
    const beganAt = clock.now();
    this.#beganAt = beganAt;
    const keys = new Set(shown.map(({ key }) => key));
    this.say(heading);
    if (terminal) {
      this.#screen = openScreen({
        out,
        clock,
        paint: (size) =>
          layout(`${seconds(clock.now() - beganAt)}  ${countsOf(history)}`, treeOf(history, keys), size, ink),
      });
    }
    return beganAt;
  }

  /** Ends the part; its picture stays. A second call does nothing. */
  end(): void {
    this.#screen?.end();
    this.#screen = undefined;
    this.#beganAt = undefined;
  }

  take(event: TraceEvent & { readonly at: number }): void {
    const { history, terminal } = this.#deps;
    const change = history.take(event);
    if (change !== undefined && this.#beganAt !== undefined) {
      const { key, state, at } = change;
      const text = state === State.Available ? state : detailOf(history, key) || state;
      if (!terminal) this.say(`+${((at - this.#beganAt) / 1_000).toFixed(3)} s ${key} ${text}`);
      this.#screen?.changed();
    }
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolves to true as soon as an event makes `test` true, to false when `signal` is aborted. */
  until(test: () => boolean, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (answer: boolean): void => {
        this.#listeners.delete(look);
        signal.removeEventListener('abort', stop);
        resolve(answer);
      };
      const look = (): void => {
        if (test()) finish(true);
      };
      const stop = (): void => finish(false);
      this.#listeners.add(look);
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      else look();
    });
  }

  /** Runs with a signal that is aborted when the time is over, or with the given one. */
  async limited<Output>(
    limitMs: number,
    signal: AbortSignal | undefined,
    run: (limit: AbortSignal) => Promise<Output>,
  ): Promise<Output> {
    const { clock } = this.#deps;
    const over = new AbortController();
    const timer = clock.setTimeout(() => over.abort(), limitMs);
    try {
      return await run(signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]));
    } finally {
      clock.clearTimeout(timer);
    }
  }
}
