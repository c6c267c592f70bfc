// How calls to csi-proxy end. The original has one code for whatever fails, so that none of them says what is so: where that matters it is
// looked up. What ended otherwise than with an answer may have been done, or may be under way still.
//
// Invariants:
//   WIN-OUTCOME-1. A change is asked for once. After a failure it is looked whether it has been done; only what is seen counts as done.
//   WIN-OUTCOME-2. That something is not there is said only after csi-proxy has answered a look, never because it did not answer.
import { Code, StatusError } from '../../csi-proxy/status.ts';

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

/** The same failure, said in a way that whoever asked knows what to make of it. */
export function withCode(code: Code, error: StatusError): StatusError {
  return new StatusError(code, error.message, { cause: error });
}
