// Signals to the process from outside.

/** Ends the process after an error of its output: with 0 if a reader has seen enough, such as `head`, with 2 otherwise. */
export function leaveWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`troupe: the output cannot be written: ${error.message}\n`);
  process.exit(2);
}

/** Whether the operating system reported the error, such as a file that cannot be written: no defect of the code. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Aborted by the first SIGTERM or SIGINT; the second ends the process at once. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort();
    });
  }
  return stop.signal;
}
