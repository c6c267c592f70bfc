// Failures of calls: whether the request may have taken effect, or still may.
import { TransientError, TroupeError, toErrorData, UnknownOutcomeError } from '../../bus/mod.ts';

/**
 * Time until which a failed call may still take effect; undefined: it was rejected, or never sent. An error without
 * this information, as of a crashed adapter, may follow a sent request.
 */
export function landsAfter(error: unknown, inDoubtUntil: number): number | undefined {
  // mutant: underway-drops-unanswered return -> undefined
  if (!(error instanceof TroupeError) || error instanceof UnknownOutcomeError) return inDoubtUntil;
  return error instanceof TransientError ? error.inDoubtUntil : undefined;
}

/** Whether the failed request may have taken effect, as with an external system that fails afterwards. */
export function mayBeDone(error: unknown): boolean {
  return toErrorData(error).code === 'transient';
}

/** Whether what was asked for may be there, or come. */
export function mayLand(error: unknown): boolean {
  return (
    !(error instanceof TroupeError) ||
    error instanceof UnknownOutcomeError ||
    toErrorData(error).inDoubtUntil !== undefined
  );
}

/** The same error for the lifecycle that sent the request: it waits like its successor would (I4). */
export function landing(error: unknown, inDoubtUntil: number): TransientError {
  if (error instanceof TransientError && error.inDoubtUntil === inDoubtUntil) return error;
  const { message, retryAfterMs } = toErrorData(error);
  return new TransientError(message, { cause: error, inDoubtUntil, retryAfterMs });
}
