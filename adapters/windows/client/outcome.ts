// Outcome of calls to csi-proxy. The original has one code for all failures, so no code proves a fact: where that
// matters it is read. A call without a response may have taken effect, or may still be running.
//
// Invariants:
//   WIN-OUTCOME-1. A change is asked for once. After a failure it is looked whether it has been done; only what is seen counts as done.
//   WIN-OUTCOME-2. Absence is reported only after csi-proxy has answered a read, never because it did not answer.
import { Code, StatusError } from '../../csi-proxy/base/status.ts';

const UNANSWERED: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Cancelled,
  Code.ResourceExhausted,
]);

/** Whether csi-proxy has said that it failed. */
export function isAnswered(error: unknown): error is StatusError {
  return error instanceof StatusError && !UNANSWERED.has(error.code);
}

/** @throws what the change failed with, unless it is seen to be done */
export async function done(change: Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
  try {
    await change;
  } catch (error) {
    // mutant: pipe-failure-unseen if -> $1
    if (!(error instanceof StatusError) || !(await isSeen(isDone))) throw error;
  }
}

/** A look that fails has not seen it. */
export async function isSeen(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/** The same failure with a code that the caller can interpret. */
export function withCode(code: Code, error: StatusError): StatusError {
  return new StatusError(code, error.message, { cause: error });
}
