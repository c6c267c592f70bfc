// Standard output and error where Node cannot open them as the type that the system reports, as a pipe of Linux under
// Wine: each access to `process.stdout` throws there. They are written by file descriptor then.
//
// Invariant: what the process says goes where its starter has told it to, or nowhere; it never ends the process.
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const STREAMS = { stdout: 1, stderr: 2 } as const;

/** @param write  writes to a file descriptor, and returns the number of bytes written */
export function mendStreams(
  given: object = process,
  write: (number: number, bytes: Uint8Array) => number = writeSync,
): void {
  for (const [name, number] of Object.entries(STREAMS)) {
    if (!isOpen(given, name))
      Object.defineProperty(given, name, { configurable: true, value: byNumber(number, write) });
  }
}

function isOpen(given: object, name: string): boolean {
  try {
    return Reflect.get(given, name) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}

function byNumber(number: number, write: (number: number, bytes: Uint8Array) => number): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < chunk.length; at += write(number, chunk.subarray(at)));
        done();
      } catch (error) {
        // A closed stream has no reader.
        done((error as NodeJS.ErrnoException).code === 'EBADF' ? undefined : (error as Error));
      }
    },
  });
}
