// Reminder that stays visible in a log: it is printed, and again shortly after a number of other lines.
import { Writable } from 'node:stream';
import type { Clock } from '../../bus/mod.ts';

/** Lines that may stand between it and the bottom. */
const LINES = 30;
/** Delay that lets related lines be printed first, in milliseconds. */
const MOMENT_MS = 2_000;

export interface Reminder {
  /** Destination of the log: passed on to `out`, and counted. */
  readonly log: NodeJS.WritableStream;
  /** Writes the text now, and keeps it in sight from then on. */
  show(text: string): void;
  close(): void;
}

export function reminderOn(
  out: Pick<NodeJS.WritableStream, 'write'>,
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
): Reminder {
  let text: string | undefined;
  let lines = 0;
  let timer: ReturnType<typeof clock.setTimeout> | undefined;
  const cancel = (): void => {
    if (timer !== undefined) clock.clearTimeout(timer);
    timer = undefined;
  };
  const write = (): void => {
    cancel();
    lines = 0;
    out.write(text ?? '');
  };
  const log = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      out.write(chunk);
      lines += String(chunk).split('\n').length - 1;
      if (text !== undefined && lines >= LINES) timer ??= clock.setTimeout(write, MOMENT_MS);
      done();
    },
  });
  return {
    log,
    show(shown) {
      text = shown;
      write();
    },
    close() {
      text = undefined;
      cancel();
    },
  };
}
