// What a person must find again however much is logged: it is written, and again a moment after enough other lines
// have gone by.
import { Writable } from 'node:stream';
import type { Clock } from '../../bus/mod.ts';

/** Lines that may stand between it and the bottom. */
const LINES = 30;
/** What is logged together with the last of them comes before it, in milliseconds. */
const MOMENT_MS = 2_000;

export interface Reminder {
  /** Where the log goes: on to `out`, counted. */
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
