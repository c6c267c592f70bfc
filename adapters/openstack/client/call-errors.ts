// Meaning of the cloud's error responses for the object.
import {
  Fault,
  TerminalError,
  TransientError,
  UnknownOutcomeError,
  UnsentError,
  WaitingError,
} from '../../../bus/errors.ts';
import { GATEWAY_FAILURES } from '../../http/transport.ts';
import { isJsonObject } from '../base/fields.ts';
import { faultOf } from './faults.ts';
import { quotaMessage, quotasOf } from './quotas.ts';
import { HttpError } from './session.ts';

/** Answers to a create or an update that trying again does not change. */
const REFUSED: ReadonlySet<number> = new Set([409, 501]);

/**
 * Maximum time, in milliseconds after the deadline, for which an overloaded cloud continues a create whose caller has
 * given up. Until then a lookup without a result proves nothing (I4, P10).
 */
export const LATE_MS = 30_000;

/** For whatever is always tried again: reads, lists, deletions, tags. */
export function transient(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  const quotas = quotasOf(error);
  if (quotas !== undefined) {
    const { retryAfterMs } = error;
    return new TransientError(quotaMessage(error.message, quotas), { cause: error, retryAfterMs, fault: Fault.Quota });
  }
  // mutant: gateway-counts ?: -> $3
  const Failure = GATEWAY_FAILURES.has(error.status) ? UnknownOutcomeError : TransientError;
  return new Failure(error.message, { cause: error, retryAfterMs: error.retryAfterMs });
}

/** The same, with what is in the way, if its message tells. */
export function withFault(error: unknown): unknown {
  if (!(error instanceof TransientError) || error instanceof WaitingError || error instanceof UnsentError) return error;
  const { message, retryAfterMs, inDoubtUntil } = error;
  const fault = faultOf(message);
  if (fault === undefined) return error;
  const Failure = error instanceof UnknownOutcomeError ? UnknownOutcomeError : TransientError;
  return new Failure(message, { cause: error, retryAfterMs, inDoubtUntil, fault });
}

/** For a create or an update: `doing` is what was attempted, as in `creating resource`. */
export function refused(error: unknown, doing: string): unknown {
  if (!(error instanceof HttpError) || !REFUSED.has(error.status) || quotasOf(error) !== undefined)
    return transient(error);
  return new TerminalError(`invalid configuration ${doing}: ${error.message}`, { cause: error });
}

/** Type of the error that an answer of Neutron names; undefined: none. */
export function errorTypeOf(error: unknown): unknown {
  const { NeutronError } = error instanceof HttpError ? error.body : {};
  return isJsonObject(NeutronError) ? NeutronError['type'] : undefined;
}

/** Error about a resource that no change of the spec can repair; its state may still change in the cloud. */
export function unrecoverable(message: string): TerminalError {
  return new TerminalError(message, { reason: 'UnrecoverableError', passing: true });
}

/** Several failures of one pass as one: the first that is terminal, else all that may pass. */
export function joined(errors: readonly unknown[]): unknown {
  // mutant: terminal-hidden () -> undefined
  const terminal = errors.find((error) => error instanceof TerminalError);
  if (terminal !== undefined || errors.length === 1) return terminal ?? errors[0];
  const pauses = errors.flatMap((error) => (error instanceof TransientError ? (error.retryAfterMs ?? []) : []));
  // mutant: partly-unsent-counts-as-unsent ?: -> $2
  const Failure = errors.every((error) => error instanceof UnsentError) ? UnsentError : TransientError;
  return new Failure(errors.map((error) => (error instanceof Error ? error.message : String(error))).join('\n'), {
    cause: errors[0],
    retryAfterMs: pauses.length === 0 ? undefined : Math.max(...pauses),
  });
}
