// The output of the demo: a picture that is redrawn in place on a terminal, lines everywhere else.
//
// Invariants:
//   CLI-SCREEN-1. Whatever ends the process while it runs, the cursor is shown again.
import type { Clock, Timer } from '../../../bus/mod.ts';
import type { Size } from './view.ts';

/** Least time between two drawings, in milliseconds. */
const FRAME_MS = 50;
/** Period of the elapsed time's updates when nothing happens, in milliseconds, unless stated. */
const TICK_MS = 200;
/** Size of a terminal that does not report its own. */
const USUAL: Size = { columns: 80, rows: 24 };

export interface Screen {
  /** The picture has changed. */
  changed(): void;
  /** Draws for the last time and leaves the picture on the terminal. A second call does nothing. */
  end(): void;
}

export interface ScreenDeps {
  readonly out: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  readonly clock: Clock;
  readonly paint: (size: Size) => readonly string[];
  /** Period of its updates when nothing happens, in milliseconds. */
  readonly tickMs?: number;
}

/** Opens a picture below what is on the terminal; nothing else may be written there until it ends. */
export function openScreen({ out, clock, paint, tickMs = TICK_MS }: ScreenDeps): Screen {
  let height = 0;
  let timer: Timer | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let ended = false;
  const showCursor = (): void => {
    out.write('\x1b[?25h');
  };
  const draw = (): void => {
    const { columns = USUAL.columns, rows = USUAL.rows } = out;
    // One row stays free for the cursor, so that the terminal does not scroll.
    const lines = paint({ columns: columns - 1, rows: rows - 1 });
    const up = height > 0 ? `\x1b[${height}A` : '';
    out.write(`\r${up}${lines.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
    height = lines.length;
  };
  const plan = (delayMs: number): void => {
    if (ended || clock.now() + delayMs >= dueAt) return;
    if (timer !== undefined) clock.clearTimeout(timer);
    dueAt = clock.now() + delayMs;
    timer = clock.setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY;
      draw();
      plan(tickMs);
    }, delayMs);
  };
  process.once('exit', showCursor);
  out.write('\x1b[?25l');
  draw();
  plan(tickMs);
  return {
    changed: () => plan(FRAME_MS),
    end() {
      if (ended) return;
      ended = true;
      if (timer !== undefined) clock.clearTimeout(timer);
      draw();
      process.off('exit', showCursor);
      showCursor();
    },
  };
}
