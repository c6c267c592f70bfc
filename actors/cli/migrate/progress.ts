// Progress: one line that changes on a terminal, and a line at intervals elsewhere.
import type { Clock } from '../../../bus/mod.ts';

export interface Progress {
  show(line: string): void;
  /** The next line does not replace the last one. */
  clear(): void;
  end(): void;
}

/** Pause between two lines where they stay, in milliseconds. */
const EVERY_MS = 10_000;
const CLEAR = '\r\u001b[K';

export function progress({
  out,
  clock,
  isTerminal,
}: {
  readonly out: NodeJS.WritableStream;
  readonly clock: Clock;
  readonly isTerminal: boolean;
}): Progress {
  let isShown = false;
  let toldAt = clock.now();
  const clear = (): void => {
    if (isShown) out.write(CLEAR);
    isShown = false;
  };
  return {
    show(line) {
      if (isTerminal) {
        out.write(`${CLEAR}${line}`);
        isShown = true;
      } else if (clock.now() - toldAt >= EVERY_MS) {
        toldAt = clock.now();
        out.write(`${line}\n`);
      }
    },
    clear,
    end: clear,
  };
}
