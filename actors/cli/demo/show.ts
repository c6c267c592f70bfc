// The parts of the demo as they are shown, and waiting for what the trace tells.
import type { Clock, Timer, TraceEvent } from '../../../bus/mod.ts';
import type { Ink } from '../colors.ts';
import type { Change, History, State } from './history.ts';
import type { LandscapeObject } from './landscape.ts';
import { openScreen, type Screen } from './screen.ts';
import { seconds } from './summary.ts';
import { countsOf, layout, treeOf } from './view.ts';

export interface ShowDeps {
  readonly history: History;
  readonly clock: Clock;
  readonly out: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** Whether `out` understands ANSI sequences; otherwise changes are printed as lines. */
  readonly terminal: boolean;
  readonly ink: Ink;
}

/** Period whose changes are printed together, in milliseconds, where there is no picture. */
const TOGETHER_MS = 250;

export class Show {
  readonly #deps: ShowDeps;
  /** Called after each event of the trace. */
  readonly #listeners = new Set<() => void>();
  /** When the part that is running began; undefined while nothing is shown. */
  #beganAt: number | undefined;
  #screen: Screen | undefined;
  /** The last change of each object that was not told yet. */
  readonly #untold = new Map<string, Change>();
  #telling: Timer | undefined;

  constructor(deps: ShowDeps) {
    this.#deps = deps;
  }

  say(line: string): void {
    this.#deps.out.write(`${line}\n`);
  }

  /** Begins a part: from now on these objects are drawn, or their changes told in lines. @returns the instant */
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
    this.#report();
    this.#screen?.end();
    this.#screen = undefined;
    this.#beganAt = undefined;
  }

  take(event: TraceEvent & { readonly at: number }): void {
    const { history, terminal, clock } = this.#deps;
    const change = history.take(event);
    if (change !== undefined && this.#beganAt !== undefined) {
      if (!terminal) this.#untold.set(change.key, change);
      if (!terminal) this.#telling ??= clock.setTimeout(() => this.#report(), TOGETHER_MS);
      this.#screen?.changed();
    }
    for (const listener of [...this.#listeners]) listener();
  }

  /** A line for each state that objects came to meanwhile, with their names by kind. */
  #report(): void {
    if (this.#telling !== undefined) this.#deps.clock.clearTimeout(this.#telling);
    this.#telling = undefined;
    const since = this.#beganAt;
    const changes = [...this.#untold.values()];
    this.#untold.clear();
    if (since === undefined) return;
    const byState = new Map<State, Change[]>();
    for (const change of changes) byState.set(change.state, [...(byState.get(change.state) ?? []), change]);
    const lines = [...byState].map(([state, those]) => ({
      state,
      those,
      at: Math.max(0, Math.max(...those.map(({ at }) => at)) - since),
    }));
    for (const { state, those, at } of lines.sort((one, other) => one.at - other.at)) {
      this.say(`+${(at / 1_000).toFixed(2).padStart(5)} s ${state.padEnd(11)} ${namesOf(those)}`);
    }
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

/** `port web-1, web-2; subnet web`. */
function namesOf(changes: readonly Change[]): string {
  const byKind = new Map<string, string[]>();
  for (const { key } of changes) {
    const [kind = '', name = ''] = key.split('/');
    byKind.set(kind, [...(byKind.get(kind) ?? []), name]);
  }
  return [...byKind].map(([kind, names]) => `${kind} ${names.join(', ')}`).join('; ');
}
